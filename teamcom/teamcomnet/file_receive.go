package teamcomnet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Bounds of a Receiver.
const (
	maxOpen     = 8  // unfinished transfers of one sender
	maxSenders  = 32 // senders with unfinished transfers
	maxFinished = 256
	maxRanges   = 100_000 // separate ranges of received chunks of one file
)

// FilesConfig configures a Receiver.
type FilesConfig struct {
	Dir       string // folder of received files. Default ".", the current folder
	Overwrite bool   // replace existing files. Default false: a file whose name exists is refused
	// Idle is the time without a new chunk after which an unfinished transfer ends. After the last chunk it is LastIdle.
	// Defaults 10 s and 1 s
	Idle, LastIdle time.Duration
}

// DefaultFilesConfig returns the default Config.
func DefaultFilesConfig() FilesConfig {
	return FilesConfig{Dir: ".", Idle: 10 * time.Second, LastIdle: time.Second}
}

// Range is a range of bytes [Start, End) of a file.
type Range struct {
	Start uint64 `json:"start"`
	End   uint64 `json:"end"`
}

// FileResult is the end of a transfer.
type FileResult struct {
	From     tcm.Entity
	Name     string // name of the stored file
	Path     string // path of the stored file; "" if nothing was stored
	Size     uint64 // bytes of the file
	Sum      [32]byte
	Chunks   uint32 // chunks of the whole file
	Received uint32 // chunks
	Took     time.Duration
	Missing  []Range // bytes that did not arrive, of an incomplete file
	Err      error   // why the file was not stored: ErrIncomplete, ErrSum, ErrExists or an error of the file system
}

// Errors of a Result.
var (
	ErrIncomplete = errors.New("teamcomnet: the file is incomplete")
	ErrSum        = errors.New("teamcomnet: the checksum of the file is wrong")
	ErrExists     = errors.New("teamcomnet: a file of this name exists")
)

// fileReceiver stores files that arrive chunk by chunk. It never follows a path out of its folder.
type fileReceiver struct {
	cfg      FilesConfig
	root     *os.Root
	open     []*incoming
	finished []transferKey // the newest ones, whose late chunks do not start a transfer again
	refused  uint64
	closed   bool
}

// transferKey identifies a transfer.
type transferKey struct {
	from tcm.Entity
	id   uint64
}

// newFileReceiver returns a Receiver for an existing folder.
func newFileReceiver(cfg FilesConfig) (*fileReceiver, error) {
	root, err := os.OpenRoot(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("teamcomnet: %w", err)
	}
	return &fileReceiver{cfg: cfg, root: root}, nil
}

// receive stores one chunk, and returns the Result of a transfer that ends with it, otherwise nil. It keeps nothing of
// m.
func (r *fileReceiver) receive(now soccer.Time, from tcm.Entity, m *team.File) *FileResult {
	key := transferKey{from, m.Transfer}
	if r.closed || slices.Contains(r.finished, key) {
		return nil
	}
	in := r.find(key)
	if in == nil {
		var err error
		if in, err = r.start(now, key, m); in == nil {
			r.refused++
			return nil
		} else if err != nil {
			return r.finish(now, in, err)
		}
	}
	if !in.matches(m) {
		r.refused++
		return nil
	}
	if err := in.store(now, m); err != nil {
		return r.finish(now, in, err)
	}
	if in.received < in.chunk.Count() {
		return nil
	}
	return r.finish(now, in, in.deliver(r.root, r.cfg.Overwrite))
}

func (r *fileReceiver) find(key transferKey) *incoming {
	for _, in := range r.open {
		if in.key == key {
			return in
		}
	}
	return nil
}

// start begins a transfer. It returns nil if too many are unfinished, and an error with a transfer that cannot be
// stored.
func (r *fileReceiver) start(now soccer.Time, key transferKey, m *team.File) (*incoming, error) {
	own := 0
	for _, in := range r.open {
		if in.key.from == key.from {
			own++
		}
	}
	if own >= maxOpen || len(r.open) >= maxOpen*maxSenders {
		return nil, nil
	}
	in := newIncoming(now, key, m)
	r.open = append(r.open, in)
	if _, err := r.root.Lstat(in.name); err == nil && !r.cfg.Overwrite {
		return in, ErrExists
	}
	return in, in.create(r.root)
}

// finish ends a transfer. Without an error its file is stored.
func (r *fileReceiver) finish(now soccer.Time, in *incoming, err error) *FileResult {
	r.open = slices.DeleteFunc(r.open, func(other *incoming) bool { return other == in })
	r.finished = bounded.Append(r.finished, in.key, maxFinished)
	result := &FileResult{
		From: in.key.from, Name: in.name, Size: in.chunk.Size, Sum: in.chunk.Sum, Chunks: in.chunk.Count(),
		Received: in.received, Took: now.Sub(in.started), Err: err,
	}
	if err == ErrIncomplete {
		result.Missing = in.missing()
	}
	if in.discard(r.root); err == nil {
		result.Path = filepath.Join(r.cfg.Dir, in.name)
	}
	return result
}

// expire ends the transfers that wait for chunks for too long.
func (r *fileReceiver) expire(now soccer.Time) (results []*FileResult) {
	for _, in := range slices.Clone(r.open) {
		idle := r.cfg.Idle
		if in.lastArrived {
			idle = r.cfg.LastIdle
		}
		if now.Sub(in.newest) >= idle {
			results = append(results, r.finish(now, in, ErrIncomplete))
		}
	}
	return results
}

// close ends all transfers. Later chunks are ignored.
func (r *fileReceiver) close(now soccer.Time) (results []*FileResult) {
	for _, in := range slices.Clone(r.open) {
		results = append(results, r.finish(now, in, ErrIncomplete))
	}
	r.root.Close()
	r.closed = true
	return results
}

// Progress is the state of an unfinished transfer.
type Progress struct {
	From           tcm.Entity
	Name           string
	Received, Size uint64 // bytes
}

// progress returns the unfinished transfers, the oldest first.
func (r *fileReceiver) progress() []Progress {
	list := make([]Progress, len(r.open))
	for i, in := range r.open {
		list[i] = Progress{From: in.key.from, Name: in.name, Received: in.bytes, Size: in.chunk.Size}
	}
	return list
}

// Refused returns the number of chunks that contradict their transfer or exceed the bounds.
func (r *fileReceiver) Refused() uint64 { return r.refused }

// exists reports whether an error says that the name of a new file is taken.
func exists(err error) bool { return errors.Is(err, fs.ErrExist) }

package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	archiveStream  = "TOUCHLINE_ARCHIVE"
	archiveSubject = "touchline.archive." // FIELD.KEY, where KEY is a hash of the file's name
	partSize       = 512 << 10            // bytes of one message
	fileHeader     = "Touchline-File"
	offsetHeader   = "Touchline-Offset"
	askTime        = 5 * time.Second
	maxFiles       = 10_000 // of a field
)

// Archive mirrors the files of fields on the servers: recordings and journals, which only grow. The file on the field's
// disk is the store that bridges a broken line: what it holds is sent when the line is back.
type Archive struct{ js jetstream.JetStream }

// NewArchive makes an archive of a connection.
func NewArchive(conn *nats.Conn) (*Archive, error) {
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(askTime))
	return &Archive{js}, err
}

// Prepare creates the archive, unless it is there. keep and bytes bound what it holds; the oldest parts go first.
func (a *Archive) Prepare(ctx context.Context, keep time.Duration, bytes int64, replicas int) error {
	_, err := a.js.Stream(ctx, archiveStream)
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	_, err = a.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: archiveStream, Subjects: []string{archiveSubject + "*.*"}, MaxAge: keep, MaxBytes: bytes, Replicas: replicas,
		Storage: jetstream.FileStorage, AllowDirect: true, Description: "recordings and journals of touchline's fields",
	})
	return err
}

var fieldName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckField refuses a name of a field that no subject can hold.
func CheckField(name string) error {
	if !fieldName.MatchString(name) {
		return fmt.Errorf("field %.80q: want 1 to 64 letters, digits, - or _", name)
	}
	return nil
}

func archiveKey(field, file string) string {
	sum := sha256.Sum256([]byte(file))
	return archiveSubject + field + "." + hex.EncodeToString(sum[:8])
}

// Sent is what a mirrored file has on the servers.
type Sent struct {
	File string
	Sent int64  // bytes that the servers have confirmed since the start of this program
	Size int64  // of the file when it was last seen
	Have int64  // bytes that the servers have
	Lost int64  // bytes that can never be sent, because the file vanished
	Why  string // why it is not mirrored; "": it is
}

// Mirror sends what the files of a folder hold and the servers lack, and returns after one pass over them. told is what the
// last pass returned; nil for the first one.
func (a *Archive) Mirror(ctx context.Context, field, dir string, told []Sent) ([]Sent, error) {
	files, err := listFiles(dir)
	if err != nil {
		return told, err
	}
	for _, name := range files {
		i := slices.IndexFunc(told, func(s Sent) bool { return s.File == name })
		if i < 0 {
			told, i = append(told, Sent{File: name}), len(told)
		}
		if told[i].Why != "" {
			continue
		}
		err := a.sendFile(ctx, field, dir, &told[i])
		var changed changedError
		switch {
		case errors.As(err, &changed):
			told[i].Why = err.Error()
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return told, err
		}
	}
	for i := range told {
		if t := &told[i]; !slices.Contains(files, t.File) {
			t.Lost = max(0, t.Size-t.Have)
		}
	}
	return told, nil
}

// listFiles returns the regular files of a folder that no program hides.
func listFiles(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(e.Name(), ".") && path != dir:
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !e.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if names = append(names, filepath.ToSlash(name)); len(names) > maxFiles {
			return fmt.Errorf("%s holds more than %d files: name a folder of recordings", dir, maxFiles)
		}
		return nil
	})
	return names, err
}

// changedError says that a file is not the one that was archived.
type changedError struct{ text string }

func (e changedError) Error() string { return e.text }

// sendFile sends what the servers lack of a file.
func (a *Archive) sendFile(ctx context.Context, field, dir string, t *Sent) error {
	file, err := os.Open(filepath.Join(dir, filepath.FromSlash(t.File)))
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		t.Size = info.Size()
	}
	subject := archiveKey(field, t.File)
	at, seq, err := a.end(ctx, subject, file)
	if err != nil {
		return err
	}
	b := make([]byte, partSize)
	for {
		n, err := file.ReadAt(b, at)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			t.Have, t.Size = at, max(at, t.Size)
			return err
		}
		m := &nats.Msg{Subject: subject, Data: b[:n], Header: nats.Header{fileHeader: {t.File}, offsetHeader: {strconv.FormatInt(at, 10)}}}
		asked, cancel := context.WithTimeout(ctx, askTime)
		ack, err := a.js.PublishMsg(asked, m, jetstream.WithExpectLastSequencePerSubject(seq))
		cancel()
		if err != nil {
			return err
		}
		at, seq = at+int64(n), ack.Sequence
		t.Sent, t.Have = t.Sent+int64(n), at
	}
}

// end returns how many bytes of a file the servers have, and the sequence of the last part.
func (a *Archive) end(ctx context.Context, subject string, file *os.File) (at int64, seq uint64, err error) {
	s, err := a.js.Stream(ctx, archiveStream)
	if err != nil {
		return 0, 0, err
	}
	m, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	offset, err := strconv.ParseInt(m.Header.Get(offsetHeader), 10, 64)
	if err != nil || offset < 0 {
		return 0, 0, changedError{"the archive's last part of it has no offset"}
	}
	was := make([]byte, len(m.Data))
	if n, _ := file.ReadAt(was, offset); n < len(was) || !bytes.Equal(was, m.Data) {
		return 0, 0, changedError{"it is not the file any more that was archived: give it another name"}
	}
	return offset + int64(len(was)), m.Sequence, nil
}

// Kept is a file that the archive holds.
type Kept struct {
	Field string `json:"field"`
	File  string `json:"file"`
	From  int64  `json:"from"` // bytes of its start that are gone, by the limits of the archive
	To    int64  `json:"to"`   // where the archive ends
}

// List returns the files of a field, or of all fields for "".
func (a *Archive) List(ctx context.Context, field string) ([]Kept, error) {
	s, err := a.js.Stream(ctx, archiveStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	filter := archiveSubject + ">"
	if field != "" {
		filter = archiveSubject + field + ".*"
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, err
	}
	var kept []Kept
	for subject := range info.State.Subjects {
		first, err := s.GetMsg(ctx, 0, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // the limits took it meanwhile
		}
		if err != nil {
			return nil, err
		}
		last, err := s.GetLastMsgForSubject(ctx, subject)
		if err != nil {
			return nil, err
		}
		k := Kept{Field: strings.Split(strings.TrimPrefix(subject, archiveSubject), ".")[0], File: first.Header.Get(fileHeader)}
		from, err1 := strconv.ParseInt(first.Header.Get(offsetHeader), 10, 64)
		to, err2 := strconv.ParseInt(last.Header.Get(offsetHeader), 10, 64)
		if err1 != nil || err2 != nil || from < 0 || to < from || archiveKey(k.Field, k.File) != subject || !filepath.IsLocal(k.File) {
			continue // not written by this program
		}
		k.From, k.To = from, to+int64(len(last.Data))
		kept = append(kept, k)
	}
	slices.SortFunc(kept, func(a, b Kept) int {
		if c := strings.Compare(a.Field, b.Field); c != 0 {
			return c
		}
		return strings.Compare(a.File, b.File)
	})
	return kept, nil
}

// Fetch appends to a file below dir what the archive holds beyond its end. It returns how much came, and how many bytes
// are gone before the next that the archive holds: nothing is written behind a gap. next is where to go on, 0 at first.
func (a *Archive) Fetch(ctx context.Context, k Kept, dir string, next *uint64) (came, gone int64, err error) {
	s, err := a.js.Stream(ctx, archiveStream)
	if err != nil {
		return 0, 0, err
	}
	path := filepath.Join(dir, filepath.FromSlash(k.File))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return 0, 0, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	at, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, 0, err
	}
	subject := archiveKey(k.Field, k.File)
	for at < k.To {
		m, err := s.GetMsg(ctx, *next, jetstream.WithGetMsgSubject(subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return came, 0, err
		}
		offset, err := strconv.ParseInt(m.Header.Get(offsetHeader), 10, 64)
		if err != nil || offset < 0 {
			return came, 0, fmt.Errorf("a part of %s has no offset: it was not written by touchline-fleet archive", k.File)
		}
		if offset > at {
			return came, offset - at, nil
		}
		if *next = m.Sequence + 1; offset+int64(len(m.Data)) <= at {
			continue // the file has it
		}
		part := m.Data[at-offset:]
		if _, err := file.Write(part); err != nil {
			return came, 0, err
		}
		at, came = at+int64(len(part)), came+int64(len(part))
	}
	return came, 0, nil
}

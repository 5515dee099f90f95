package manager

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"touchline/wire/tcm"
	"touchline/wire/team"
)

// MaxFile is the longest file that a robot and a desk send each other, in bytes.
const MaxFile = 1 << 20

// Names of the files that a robot adopts.
const (
	MachineFile = "machine.json" // a state machine
	ColorsFile  = "colors.table" // a colour table, see docs/manager.md
)

// outgoing is a file that leaves in chunks.
type outgoing struct {
	file team.File // without Data
	data []byte
}

func newOutgoing(transfer uint64, name string, data []byte) outgoing {
	return outgoing{data: data, file: team.File{
		Transfer: transfer, Size: uint64(len(data)), Sum: sha256.Sum256(data), ChunkSize: team.MinChunk, Name: name,
	}}
}

// chunk returns the message with one chunk, which fits into a datagram.
func (o *outgoing) chunk(index uint32) *team.File {
	f := o.file
	f.Index = index
	f.Data = o.data[f.Offset():][:f.Length()]
	return &f
}

// incoming is a file that arrives in chunks, in any order and some of them twice.
type incoming struct {
	file team.File // of its first chunk, without Data
	data []byte
	have []bool // by chunk; nil: none arrived
}

// begin forgets what arrived, and prepares for the file to which a chunk belongs.
func (f *incoming) begin(m *team.File) {
	*f = incoming{file: *m, data: make([]byte, m.Size), have: make([]bool, m.Count())}
	f.file.Data = nil
}

// holds reports whether a chunk belongs to this file.
func (f *incoming) holds(m *team.File) bool {
	return f.have != nil && f.file.Sum == m.Sum && f.file.Size == m.Size && f.file.ChunkSize == m.ChunkSize
}

// add adds a chunk that belongs to this file.
func (f *incoming) add(m *team.File) {
	copy(f.data[m.Offset():], m.Data)
	f.have[m.Index] = true
}

// first returns the index of the first chunk that is missing, and the number of chunks if none is.
func (f *incoming) first() uint32 {
	if i := slices.Index(f.have, false); i >= 0 {
		return uint32(i)
	}
	return uint32(len(f.have))
}

// intact reports whether a complete file has its checksum.
func (f *incoming) intact() bool { return sha256.Sum256(f.data) == f.file.Sum }

// receiveFile receives a chunk of a file from the computer of the operator who holds the control. A new transfer takes the
// place of the one before.
func (r *Robot) receiveFile(computer uint8, m *team.File) {
	if computer != r.control.holder.Computer || m.Size > MaxFile || r.cfg.Adopt == nil {
		return
	}
	u := &r.upload
	if u.file.Transfer != m.Transfer || u.have == nil {
		u.begin(m)
	}
	if u.holds(m) { // otherwise it is a chunk of another file under the same number
		u.add(m)
	}
}

var errTransfer = errors.New("the robot knows no such file: send it again")

// missing appends the first chunks of a transfer that did not arrive. Of one of which none did, or that its question
// overtook, that is the first one.
func (r *Robot) missing(transfer uint64, list []uint32) []uint32 {
	if r.upload.file.Transfer != transfer {
		return append(list, 0)
	}
	for i, have := range r.upload.have {
		if !have && len(list) < team.MaxMissing {
			list = append(list, uint32(i))
		}
	}
	return list
}

// verify returns what is wrong with a file, besides chunks that are missing.
func (r *Robot) verify(transfer uint64) error {
	u := &r.upload
	switch {
	case r.cfg.Adopt == nil:
		return errors.New("this robot takes no files")
	case u.file.Transfer != transfer:
		return nil
	case u.have == nil:
		return errTransfer
	case slices.Contains(u.have, false) || u.intact():
		return nil
	}
	u.have = nil
	return fmt.Errorf("the checksum of %.40s is wrong: send it again", u.file.Name)
}

// adopt hands a complete file to the robot.
func (r *Robot) adopt(transfer uint64) error {
	u := &r.upload
	if err := r.verify(transfer); err != nil {
		return err
	}
	if u.file.Transfer != transfer {
		return errTransfer
	}
	if slices.Contains(u.have, false) {
		return errors.New("the file is not complete")
	}
	return r.cfg.Adopt(u.file.Name, bytes.Clone(u.data))
}

// fetchFile reads the file that a computer asks for, and sends a window of chunks from the one that the request names. The
// robot keeps nothing between two requests.
func (r *Robot) fetchFile(to tcm.Entity, m *team.Request, send Send) error {
	if r.cfg.Fetch == nil {
		return errors.New("this robot gives no files")
	}
	data, err := r.cfg.Fetch(m.Text)
	if err != nil {
		return err
	}
	o := newOutgoing(m.ID, m.Text, data)
	switch {
	case len(data) > MaxFile:
		return fmt.Errorf("%.40s has %d bytes: the limit is %d", m.Text, len(data), MaxFile)
	case !(m.Value >= 0 && m.Value < float32(o.file.Count())):
		return fmt.Errorf("chunk %v: %.40s has %d", m.Value, m.Text, o.file.Count())
	}
	first := uint32(m.Value)
	for i := first; i < min(first+team.FetchWindow, o.file.Count()); i++ {
		send(to, o.chunk(i))
	}
	return nil
}

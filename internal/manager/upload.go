package manager

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// managedUpload is the file that a computer sends.
type managedUpload struct {
	transfer uint64
	name     string
	sum      [32]byte
	chunk    int // bytes
	data     []byte
	have     []bool // by chunk
}

// File receives a chunk of a file from the computer of the operator who holds the control. Chunks arrive in any order
// and again; a new transfer takes the place of the one before.
func (r *Robot) File(from tcm.Entity, m *team.File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if from.Kind != tcm.Computer || from.ID != r.control.holder.Computer || m.Size > MaxFile || r.cfg.Adopt == nil {
		return
	}
	u := &r.upload
	if u.transfer != m.Transfer || u.have == nil {
		*u = managedUpload{
			transfer: m.Transfer, name: m.Name, sum: m.Sum, chunk: int(m.ChunkSize),
			data: make([]byte, m.Size), have: make([]bool, m.Count()),
		}
	}
	if len(u.data) != int(m.Size) || u.chunk != int(m.ChunkSize) || u.sum != m.Sum {
		return // chunks of another file under the same number
	}
	copy(u.data[m.Offset():], m.Data)
	u.have[m.Index] = true
}

var errTransfer = errors.New("the robot knows no such file: send it again")

// missing appends the first chunks that did not arrive. Of a transfer of which none did, or that its question overtook,
// that is the first one.
func (u *managedUpload) missing(transfer uint64, list []uint32) []uint32 {
	if u.transfer != transfer {
		return append(list, 0)
	}
	for i, have := range u.have {
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
	case u.transfer != transfer:
		return nil
	case u.have == nil:
		return errTransfer
	}
	for _, have := range u.have {
		if !have {
			return nil
		}
	}
	if sha256.Sum256(u.data) != u.sum {
		u.have = nil
		return fmt.Errorf("the checksum of %.40s is wrong: send it again", u.name)
	}
	return nil
}

// adopt hands a complete file to the robot.
func (r *Robot) adopt(transfer uint64) error {
	u := &r.upload
	if err := r.verify(transfer); err != nil {
		return err
	}
	if u.transfer != transfer {
		return errTransfer
	}
	if len(u.missing(transfer, nil)) > 0 {
		return errors.New("the file is not complete")
	}
	return r.cfg.Adopt(u.name, bytes.Clone(u.data))
}

// outgoing is a file that a computer fetches. The robot keeps nothing between two requests.
type outgoing struct {
	file team.File
	data []byte
}

// give reads the file that a computer asks for.
func (r *Robot) give(m *team.Request) error {
	if r.cfg.Fetch == nil {
		return errors.New("this robot gives no files")
	}
	data, err := r.cfg.Fetch(m.Text)
	if err != nil {
		return err
	}
	file := team.File{
		Transfer: m.ID, Size: uint64(len(data)), Sum: sha256.Sum256(data), ChunkSize: team.MinChunk, Name: m.Text,
	}
	switch {
	case len(data) > MaxFile:
		return fmt.Errorf("%.40s has %d bytes: the limit is %d", m.Text, len(data), MaxFile)
	case !(m.Value >= 0 && m.Value < float32(file.Count())):
		return fmt.Errorf("chunk %v: %.40s has %d", m.Value, m.Text, file.Count())
	}
	r.outgoing = outgoing{file, data}
	return nil
}

// send sends a window of chunks, from the one that the request names on.
func (o *outgoing) send(to tcm.Entity, m *team.Request, send func(to tcm.Entity, data teamcom.Data)) {
	first := uint32(m.Value)
	for i := first; i < min(first+team.FetchWindow, o.file.Count()); i++ {
		f := o.file
		f.Index = i
		f.Data = o.data[f.Offset():][:f.Length()]
		send(to, &f)
	}
	*o = outgoing{}
}

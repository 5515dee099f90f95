package team

import (
	"encoding/hex"
	"errors"
	"fmt"
)

// Bounds of files in bytes.
const (
	MinChunk    = 1 << 10 // of each chunk but the last
	MaxChunk    = 1 << 20
	MaxFile     = 1 << 40
	MaxFileName = 255 // of UTF-8
)

// File is one chunk of a file. All chunks but the last have ChunkSize bytes; an empty file is one chunk without bytes.
//
//	 0  1  version     1
//	 1  8  transfer    the same in all chunks of a transfer; random, so that each transfer has its own
//	 9  8  size        of the file, at most 2^40
//	17 32  sum         SHA-256 of the file
//	49  4  chunk size  1,024 to 1,048,576
//	53  4  index       of this chunk, from 0; its bytes begin at index * chunk size
//	57  1  name length
//	58  .  name        of the file, without folders, UTF-8
//	       data        chunk size bytes; in the last chunk the rest of the file
type File struct {
	Transfer  uint64
	Size      uint64 // of the file, in bytes
	Sum       [32]byte
	ChunkSize uint32 // bytes
	Index     uint32
	Name      string
	Data      []byte // Length bytes
}

// Count returns the number of chunks of the file.
func (m *File) Count() uint32 {
	if m.Size == 0 || m.ChunkSize == 0 {
		return 1
	}
	return uint32((m.Size-1)/uint64(m.ChunkSize) + 1)
}

// Offset returns the place of the chunk in the file.
func (m *File) Offset() uint64 { return uint64(m.Index) * uint64(m.ChunkSize) }

// Length returns the number of bytes of the chunk.
func (m *File) Length() int { return int(min(m.Size-min(m.Offset(), m.Size), uint64(m.ChunkSize))) }

var errFile = errors.New("team: a chunk outside its file")

func (m *File) layout(c *coder) {
	c.version()
	c.uint64("transfer", "", &m.Transfer)
	c.uint64("size", "B", &m.Size)
	if p := c.next(len(m.Sum)); c.writing {
		copy(p, m.Sum[:])
	} else if copy(m.Sum[:], p); c.listing && p != nil {
		c.row(len(m.Sum), "sum", hex.EncodeToString(p), "")
	}
	c.uint32("chunk_size", &m.ChunkSize)
	c.uint32("index", &m.Index)
	if c.err == nil {
		m.checkBounds(c)
	}
	c.text("name", &m.Name, MaxFileName)
	if c.err != nil {
		m.Data = m.Data[:0]
		return
	}
	m.data(c)
}

// checkBounds refuses chunks that do not belong to their file. Receivers compute with these numbers, so a reader stops
// at them.
func (m *File) checkBounds(c *coder) {
	switch {
	case m.Size > MaxFile:
		c.fault(48, "size", "%d: want at most %d", m.Size, uint64(MaxFile))
	case m.ChunkSize < MinChunk || m.ChunkSize > MaxChunk:
		c.fault(8, "chunk_size", "%d: want %d to %d", m.ChunkSize, MinChunk, MaxChunk)
	case m.Index >= m.Count():
		c.fault(4, "index", "%d: the file has %d chunks", m.Index, m.Count())
	default:
		return
	}
	if !c.writing {
		c.err = fmt.Errorf("%w: index %d, chunks of %d bytes, file of %d bytes", errFile, m.Index, m.ChunkSize, m.Size)
	}
}

// data visits the bytes of the chunk.
func (m *File) data(c *coder) {
	n := m.Length()
	if c.writing {
		if len(m.Data) != n {
			c.fault(0, "data", "%d bytes: want %d", len(m.Data), n)
			return
		}
		copy(c.next(n), m.Data)
		return
	}
	p := c.next(n)
	m.Data = append(m.Data[:0], p...)
	if c.listing && n > 0 && p != nil {
		c.row(n, "data", fmt.Sprintf("%d bytes", n), "")
	}
}

// DataType returns TypeFile.
func (m *File) DataType() uint16 { return TypeFile }

// AppendBinary appends m to b, like that of Belief.
func (m *File) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief. A chunk outside the bounds of its file is an error.
func (m *File) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}

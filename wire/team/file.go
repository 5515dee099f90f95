package team

import (
	"errors"
	"fmt"

	"touchline/wire/internal/coder"
)

// Bounds of files in bytes.
const (
	MinChunk    = 1 << 10 // least size of a chunk but the last, in bytes
	MaxChunk    = 1 << 20
	MaxFile     = 1 << 40
	MaxFileName = 255 // bytes of UTF-8
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
	Size      uint64 // size of the file in bytes
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

func (m *File) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Uint64("transfer", "", &m.Transfer)
	c.Uint64("size", "B", &m.Size)
	c.Bytes("sum", m.Sum[:])
	c.Uint32("chunk_size", &m.ChunkSize)
	c.Uint32("index", &m.Index)
	if !c.Special("file bounds") && c.Err == nil {
		m.checkBounds(c)
	}
	c.Text("name", &m.Name, MaxFileName)
	if c.Err != nil || c.Special("file data") {
		m.Data = m.Data[:0]
		return
	}
	m.data(c)
}

// checkBounds refuses chunks that do not belong to their file. Receivers compute with these numbers, so a reader stops
// at them.
func (m *File) checkBounds(c *coder.Coder) {
	switch {
	case m.Size > MaxFile:
		c.Fault(48, "size", ruleFileSize.Text, m.Size, uint64(MaxFile))
	case m.ChunkSize < MinChunk || m.ChunkSize > MaxChunk:
		c.Fault(8, "chunk_size", ruleFileChunk.Text, m.ChunkSize, MinChunk, MaxChunk)
	case m.Index >= m.Count():
		c.Fault(4, "index", ruleFileIndex.Text, m.Index, m.Count())
	default:
		return
	}
	if !c.Writing {
		c.Err = fmt.Errorf("%w: index %d, chunks of %d bytes, file of %d bytes", errFile, m.Index, m.ChunkSize, m.Size)
	}
}

// data visits the bytes of the chunk.
func (m *File) data(c *coder.Coder) {
	n := m.Length()
	if c.Writing {
		if len(m.Data) != n {
			c.Fault(0, "data", "%d bytes: want %d", len(m.Data), n)
			return
		}
		copy(c.Next(n), m.Data)
		return
	}
	p := c.Next(n)
	m.Data = append(m.Data[:0], p...)
	if c.Listing && n > 0 && p != nil {
		c.Row(n, "data", fmt.Sprintf("%d bytes", n), "")
	}
}

package team_test

import (
	"errors"
	"strings"
	"testing"

	"touchline/wire"
	"touchline/wire/team"
)

func lastChunk() team.File {
	m := team.File{Transfer: 0x0102030405060708, Size: 1026, ChunkSize: 1024, Index: 1, Name: "a.b", Data: []byte("yz")}
	for i := range m.Sum {
		m.Sum[i] = byte(i)
	}
	return m
}

// A chunk says where its bytes belong.
func TestFileGeometry(t *testing.T) {
	for _, c := range []struct {
		size   uint64
		index  uint32
		count  uint32
		offset uint64
		length int
	}{
		{0, 0, 1, 0, 0}, {1, 0, 1, 0, 1}, {1024, 0, 1, 0, 1024}, {1025, 0, 2, 0, 1024}, {1025, 1, 2, 1024, 1},
		{team.MaxFile, 1<<30 - 1, 1 << 30, team.MaxFile - 1024, 1024},
	} {
		m := team.File{Size: c.size, ChunkSize: 1024, Index: c.index}
		if m.Count() != c.count || m.Offset() != c.offset || m.Length() != c.length {
			t.Errorf("chunk %d of %d bytes: got %d bytes at %d of %d chunks, want %d at %d of %d", c.index, c.size,
				m.Length(), m.Offset(), m.Count(), c.length, c.offset, c.count)
		}
	}
}

// A chunk outside its file is refused by both ends: a receiver would compute with its numbers.
func TestFileBounds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*team.File)
		patch  func([]byte)
		want   string
	}{
		"index":      {func(m *team.File) { m.Index = 2 }, func(b []byte) { b[53] = 2 }, "index"},
		"chunk size": {func(m *team.File) { m.ChunkSize = 1023 }, func(b []byte) { b[49], b[50] = 0xff, 3 }, "chunk_size"},
		"no chunks":  {func(m *team.File) { m.ChunkSize = 0 }, func(b []byte) { b[50] = 0 }, "chunk_size"},
		"size":       {func(m *team.File) { m.Size = 1<<40 + 1 }, func(b []byte) { b[14] = 2 }, "size"},
	} {
		m := lastChunk()
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		c.patch(b)
		if err := new(team.File).UnmarshalBinary(b); err == nil {
			t.Errorf("%s: a chunk outside its file was decoded", name)
		}
		if issues := team.Check(team.TypeFile, b); len(issues) != 1 || issues[0].Field != c.want {
			t.Errorf("%s: got %v, want a violation of %s", name, issues, c.want)
		}
		c.change(&m)
		if _, err := m.AppendBinary(nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error that names it", name, err)
		}
	}
	short := lastChunk()
	short.Data = short.Data[:1]
	if _, err := short.AppendBinary(nil); err == nil {
		t.Error("a chunk of 1 byte instead of 2 was encoded")
	}
	m := lastChunk()
	b, _ := m.AppendBinary(nil)
	if err := new(team.File).UnmarshalBinary(b[:len(b)-1]); !errors.Is(err, wire.ErrShort) {
		t.Errorf("a truncated chunk: got %v", err)
	}
}

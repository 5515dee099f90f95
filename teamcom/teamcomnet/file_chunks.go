package teamcomnet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"

	"touchline/soccer"
	"touchline/wire/team"
)

// incoming is a file of which chunks are missing.
type incoming struct {
	key         transferKey
	chunk       team.File // what all its chunks share
	name        string    // name of the stored file
	part        string    // name of the temporary file
	file        *os.File
	started     soccer.Time
	newest      soccer.Time // arrival of the newest new chunk
	lastArrived bool        // the last chunk is here: the sender has finished

	chunks   []span // received, ordered, neither overlapping nor adjacent
	received uint32 // chunks
	bytes    uint64

	hash   hash.Hash
	hashed uint64 // bytes from the start of the file that hash contains
}

// span is a range of chunks [start, end).
type span struct{ start, end uint32 }

func newIncoming(now soccer.Time, key transferKey, m *team.File) *incoming {
	in := &incoming{key: key, chunk: *m, name: safeName(m.Name), started: now, newest: now, hash: sha256.New()}
	in.chunk.Data = nil
	return in
}

// create creates the temporary file.
func (in *incoming) create(root *os.Root) (err error) {
	in.part = fmt.Sprintf("%s.%016x.part", in.name, in.key.id)
	if in.file, err = root.OpenFile(in.part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		in.part = ""
		return fmt.Errorf("teamcomnet: %w", err)
	}
	return nil
}

// matches reports whether a chunk is one of this file.
func (in *incoming) matches(m *team.File) bool {
	first := &in.chunk
	return m.Size == first.Size && m.Sum == first.Sum && m.ChunkSize == first.ChunkSize && m.Name == first.Name
}

// store writes a chunk to the temporary file. It ignores one that is there already.
func (in *incoming) store(now soccer.Time, m *team.File) error {
	i, known := slices.BinarySearchFunc(in.chunks, m.Index, func(s span, index uint32) int {
		switch {
		case s.end <= index:
			return -1
		case s.start > index:
			return 1
		}
		return 0
	})
	if known {
		return nil
	}
	if len(in.chunks) >= maxRanges {
		return errors.New("teamcomnet: too many chunks are missing")
	}
	if _, err := in.file.WriteAt(m.Data, int64(m.Offset())); err != nil {
		return fmt.Errorf("teamcomnet: %w", err)
	}
	in.add(i, m.Index)
	in.received++
	in.bytes += uint64(len(m.Data))
	in.newest = now
	in.lastArrived = in.lastArrived || m.Index+1 == m.Count()
	if m.Offset() == in.hashed {
		in.hash.Write(m.Data)
		in.hashed += uint64(len(m.Data))
	}
	return nil
}

// add adds a chunk to the received ones, before the span i.
func (in *incoming) add(i int, index uint32) {
	before := i > 0 && in.chunks[i-1].end == index
	after := i < len(in.chunks) && in.chunks[i].start == index+1
	switch {
	case before && after:
		in.chunks[i-1].end = in.chunks[i].end
		in.chunks = slices.Delete(in.chunks, i, i+1)
	case before:
		in.chunks[i-1].end++
	case after:
		in.chunks[i].start--
	default:
		in.chunks = slices.Insert(in.chunks, i, span{index, index + 1})
	}
}

// missing returns the ranges of the file that did not arrive.
func (in *incoming) missing() (list []Range) {
	end := uint32(0)
	gap := func(to uint32) {
		if from := uint64(end) * uint64(in.chunk.ChunkSize); end < to {
			list = append(list, Range{from, min(uint64(to)*uint64(in.chunk.ChunkSize), in.chunk.Size)})
		}
	}
	for _, s := range in.chunks {
		gap(s.start)
		end = s.end
	}
	gap(in.chunk.Count())
	return list
}

// deliver checks the checksum of a complete file and gives it its name.
func (in *incoming) deliver(root *os.Root, overwrite bool) error {
	if _, err := io.Copy(in.hash, io.NewSectionReader(in.file, int64(in.hashed), int64(in.chunk.Size-in.hashed))); err != nil {
		return fmt.Errorf("teamcomnet: %w", err)
	}
	if [sha256.Size]byte(in.hash.Sum(nil)) != in.chunk.Sum {
		return ErrSum
	}
	err := in.file.Close()
	in.file = nil
	if err != nil {
		return fmt.Errorf("teamcomnet: %w", err)
	}
	if !overwrite {
		if err := root.Link(in.part, in.name); err == nil { // fails if the name exists, unlike Rename
			return nil
		} else if exists(err) {
			return ErrExists
		}
		if _, err := root.Lstat(in.name); err == nil { // a file system without links
			return ErrExists
		}
	}
	if err := root.Rename(in.part, in.name); err != nil {
		return fmt.Errorf("teamcomnet: %w", err)
	}
	in.part = ""
	return nil
}

// discard removes the temporary file.
func (in *incoming) discard(root *os.Root) {
	if in.file != nil {
		in.file.Close()
	}
	if in.part != "" {
		_ = root.Remove(in.part) // a folder that was removed, too
	}
}

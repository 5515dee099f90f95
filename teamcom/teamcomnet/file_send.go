package teamcomnet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"touchline/wire/team"
)

// ChunkSize is the number of bytes of a file in each of its messages but the last.
const ChunkSize = 32 << 10

// ErrChanged is the error of a file that another program changed while it was sent.
var ErrChanged = errors.New("teamcomnet: the file changed while it was sent: the receiver refuses it; send it again")

// OutgoingFile is a file on its way out.
type OutgoingFile struct {
	file  *os.File
	chunk team.File // the next message
	hash  hash.Hash
	buf   [ChunkSize]byte
	done  bool
}

// OpenFile opens a file and reads it once for its checksum. The id distinguishes this transfer from all others of the
// sender.
func OpenFile(path string, id uint64) (*OutgoingFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("teamcomnet: %w", err)
	}
	o := &OutgoingFile{file: file, hash: sha256.New()}
	if err := o.describe(path, id); err != nil {
		file.Close()
		return nil, err
	}
	return o, nil
}

// describe completes the fields that all messages share.
func (o *OutgoingFile) describe(path string, id uint64) error {
	info, err := o.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("teamcomnet: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("teamcomnet: %s is not a regular file: pack a folder into an archive first", path)
	}
	n, err := io.Copy(o.hash, o.file)
	if err == nil {
		_, err = o.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("teamcomnet: %w", err)
	}
	o.chunk = team.File{Transfer: id, Size: uint64(n), ChunkSize: ChunkSize, Name: safeName(filepath.Base(path))}
	o.hash.Sum(o.chunk.Sum[:0])
	o.hash.Reset()
	if o.chunk.Size > team.MaxFile {
		return fmt.Errorf("teamcomnet: %s has %d bytes: the most is %d", path, n, uint64(team.MaxFile))
	}
	return nil
}

// Next returns the next message, valid until the following call. After the last one it returns io.EOF, or ErrChanged if
// the messages do not match the checksum.
func (o *OutgoingFile) Next() (*team.File, error) {
	if o.done {
		if [sha256.Size]byte(o.hash.Sum(nil)) != o.chunk.Sum {
			return nil, ErrChanged
		}
		return nil, io.EOF
	}
	if o.chunk.Data != nil {
		o.chunk.Index++
	}
	o.chunk.Data = o.buf[:o.chunk.Length()]
	if _, err := io.ReadFull(o.file, o.chunk.Data); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, ErrChanged
	} else if err != nil {
		return nil, fmt.Errorf("teamcomnet: %w", err)
	}
	o.hash.Write(o.chunk.Data)
	o.done = o.chunk.Index+1 == o.chunk.Count()
	return &o.chunk, nil
}

// Name returns the name of the file as receivers see it.
func (o *OutgoingFile) Name() string { return o.chunk.Name }

// Size returns the bytes of the file.
func (o *OutgoingFile) Size() uint64 { return o.chunk.Size }

// Chunks returns the number of messages.
func (o *OutgoingFile) Chunks() uint32 { return o.chunk.Count() }

// Sum returns the SHA-256 of the file.
func (o *OutgoingFile) Sum() [sha256.Size]byte { return o.chunk.Sum }

// Close closes the file.
func (o *OutgoingFile) Close() error { return o.file.Close() }

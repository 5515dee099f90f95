package matchlog

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// MaxWindow bounds the window of a compressed chunk of another program, and a record in it, in bytes.
const MaxWindow = 64 << 20

// Decompressor unpacks the chunks of other programs, one at a time.
type Decompressor struct{ zstd *zstd.Decoder }

// Reader returns a reader of a chunk's records, which is valid until the next call.
func (d *Decompressor) Reader(r io.Reader, compression string) (io.Reader, error) {
	switch compression {
	case "":
		return r, nil
	case "lz4":
		return lz4.NewReader(r), nil
	case "zstd":
		var err error
		if d.zstd == nil {
			d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow))
		}
		if err == nil {
			err = d.zstd.Reset(r)
		}
		return d.zstd, err
	}
	return nil, fmt.Errorf("its compression is %.20q: want zstd or lz4", compression)
}

// Close frees what unpacking needs.
func (d *Decompressor) Close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

// ReaderAt makes an io.ReaderAt of r for offsets that do not decrease.
func ReaderAt(r io.Reader) io.ReaderAt { return &forward{r: r} }

type forward struct {
	r   io.Reader
	off int64
}

func (r *forward) ReadAt(b []byte, off int64) (int, error) {
	if off < r.off {
		return 0, errors.New("matchlog: a chunk is read backwards")
	}
	n, err := io.CopyN(io.Discard, r.r, off-r.off)
	if r.off += n; err != nil {
		return 0, err
	}
	got, err := io.ReadFull(r.r, b)
	r.off += int64(got)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return got, err
}

// Span returns the times of a chunk's messages as text.
func (c *Chunk) Span() string {
	text := func(ns uint64) string {
		return time.Unix(0, int64(min(ns, math.MaxInt64))).UTC().Format("2006-01-02 15:04:05.000")
	}
	return text(c.From) + " to " + text(c.To) + " UTC"
}

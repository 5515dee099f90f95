package matchlog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/foxglove/mcap/go/mcap"

	"touchline/soccer"
)

// ErrNotYet is the error of a note for a log that is not finished.
var ErrNotYet = errors.New("matchlog: the log is not finished")

// Annotations returns the notes of a finished touchline log as they are on the disk now, sorted by From: another
// program may have annotated the log since it was opened. It reads the end of the file. The error says why Annotate
// would fail.
func Annotations(path string) ([]Annotation, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("matchlog: %w", err)
	}
	defer f.Close()
	c, _, _, err := readEnd(path, f)
	return c.annotations.list(), err
}

// Annotate writes a note into a finished touchline log, and returns it with its ID; see Writer.Annotate. It writes a
// copy of the file and puts it in the place of the old one, so that a crash or a full disk leaves the old one whole:
// the disk needs room for both. An open Log keeps the old file, whose messages are the same. Of several programs that
// annotate a log at a time, one waits for the other; on systems other than Linux, the later one may undo what the
// other wrote.
//
// The error is ErrNotYet while the log is written and if its writer was killed, and ErrFormat for other files.
func Annotate(path string, a Annotation) (Annotation, error) {
	path, err := filepath.EvalSymlinks(path) // the file that it leads to is replaced, not the link
	if err != nil {
		return a, fmt.Errorf("matchlog: %w", err)
	}
	f, err := lockFinished(path)
	if err != nil {
		return a, err
	}
	defer f.Close()
	c, counts, size, err := readEnd(path, f)
	if err != nil {
		return a, err
	}
	if a, err = c.annotations.admit(a); err != nil {
		return a, err
	}
	from, to := soccer.Time(counts.MessageStartTime), soccer.Time(counts.MessageEndTime)
	if a.Text != "" && (a.From < from || a.To > to) {
		return a, fmt.Errorf("matchlog: the time of the note is not in the log, which covers %v", to.Sub(from))
	}
	if err := replace(path, f, func(copy *os.File) error { return copyAnnotated(copy, f, size, &a) }); err != nil {
		return a, fmt.Errorf("matchlog: the note is not written, and the log is as it was: %w", err)
	}
	return a, nil
}

// lockFinished opens a finished log and locks it. The file is the one at path: another program that annotates the log
// puts a new one there.
func lockFinished(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return nil, fmt.Errorf("matchlog: a note needs the right to write: %w", err)
		}
		if err = checkFinished(path, f); err == nil {
			err = lockPatiently(f)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		locked, err := f.Stat()
		there, errThere := os.Stat(path)
		if err == nil && errThere == nil && os.SameFile(locked, there) {
			return f, nil
		}
		f.Close()
		if err := errors.Join(err, errThere); err != nil {
			return nil, fmt.Errorf("matchlog: %w", err)
		}
	}
}

// checkFinished refuses a file that is no finished touchline log.
func checkFinished(path string, f *os.File) error {
	stat, err := f.Stat()
	if err != nil {
		return fmt.Errorf("matchlog: %w", err)
	}
	s := scanner{r: f, size: stat.Size()}
	switch err := s.head(); {
	case err != nil && !errors.Is(err, ErrFormat):
		return err
	case err != nil || !s.ours:
		return fmt.Errorf("%w of touchline, and only those hold notes: touchline log cut %s copies the messages into one",
			ErrFormat, path)
	case summaryOffset(f, stat.Size()) > 0:
		return nil
	case BeingWritten(path):
		return fmt.Errorf("%w: %s is still being written: notes can be added when that ends", ErrNotYet, path)
	}
	return fmt.Errorf("%w: its writer was killed or had no room: touchline log cut %s --partial copies it into a "+
		"finished one, to which notes can be added", ErrNotYet, path)
}

// readEnd reads the summary of a finished log.
func readEnd(path string, f *os.File) (c contents, counts mcap.Statistics, size int64, err error) {
	if err = checkFinished(path, f); err != nil {
		return c, counts, 0, err
	}
	if size, err = f.Seek(0, io.SeekEnd); err != nil {
		return c, counts, 0, fmt.Errorf("matchlog: %w", err)
	}
	counts, whole := c.readSummary(f, size)
	end := summaryOffset(f, size) - dataEnd
	head := make([]byte, recordHead)
	if end > 0 {
		_, err = f.ReadAt(head, end)
	}
	good := mcap.OpCode(head[0]) == mcap.OpDataEnd && binary.LittleEndian.Uint64(head[1:]) == dataEnd-recordHead
	if err != nil || !whole || !good {
		return c, counts, 0, fmt.Errorf("matchlog: the summary at the end of %s is damaged: touchline log cut %s copies what "+
			"can be read into a whole log", path, path)
	}
	return c, counts, size, nil
}

// copyAnnotated writes a copy of a finished log of a size, with one more record of an annotation behind its data.
func copyAnnotated(copy, f *os.File, size int64, a *Annotation) error {
	summary := summaryOffset(f, size)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	end := summary - dataEnd
	if _, err := io.CopyN(copy, f, end); err != nil { // the system copies, or shares the blocks
		return err
	}
	record, err := appendMetadata(nil, annotationName, a.metadata())
	if err != nil {
		return err
	}
	place := metadataPlace{end, int64(len(record)), annotationName}
	b := beginRecord(record, mcap.OpDataEnd)
	b = endRecord(binary.LittleEndian.AppendUint32(b, noCRC), len(record))
	out := bufio.NewWriterSize(copy, 1<<20)
	out.Write(b) // Flush returns the error
	if err := copySummary(out, f, summary, size, end+int64(len(b)), place); err != nil {
		return err
	}
	return out.Flush()
}

// copySummary copies the summary at an offset of f, and adds a metadata record. The places of the other records stay.
// In out, the summary begins at a start.
func copySummary(out io.Writer, f io.ReaderAt, summary, size, start int64, added metadataPlace) error {
	sum := crc32.NewIEEE()
	out = io.MultiWriter(out, sum)
	s := scanner{r: f, size: size, off: summary}
	for {
		op, body, err := s.record()
		if err != nil {
			return err
		}
		if op == mcap.OpFooter {
			break
		}
		if op == 0 {
			return fmt.Errorf("the summary is damaged at byte %d", s.off)
		}
		s.off += recordHead + int64(len(body))
		const metadataCount = 8 + 2 + 4 + 4 // place in the statistics, behind the other counts
		if op == mcap.OpStatistics && len(body) >= metadataCount+4 {
			body = bytes.Clone(body)
			n := binary.LittleEndian.Uint32(body[metadataCount:])
			binary.LittleEndian.PutUint32(body[metadataCount:], n+1)
		}
		if op == mcap.OpSummaryOffset { // it would be wrong, and is optional
			continue
		}
		record := append(beginRecord(nil, op), body...)
		if _, err := out.Write(endRecord(record, 0)); err != nil {
			return err
		}
	}
	tail := binary.LittleEndian.AppendUint64(append(appendMetadataIndex(nil, added), byte(mcap.OpFooter)), footerBody)
	tail = binary.LittleEndian.AppendUint64(tail, uint64(start))
	tail = binary.LittleEndian.AppendUint64(tail, 0) // no summary offsets
	if _, err := out.Write(tail); err != nil {
		return err
	}
	_, err := out.Write(append(binary.LittleEndian.AppendUint32(nil, sum.Sum32()), magic...))
	return err
}

// replace writes a new file and puts it in the place of f, which is at path and locked. After an error the old file
// is there.
func replace(path string, f *os.File, write func(copy *os.File) error) error {
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	dir, prefix := filepath.Dir(path), "."+filepath.Base(path)+".note-"
	removeLeft(dir, prefix)
	copy, err := os.CreateTemp(dir, prefix)
	if err != nil {
		return err
	}
	err = errors.Join(copy.Chmod(stat.Mode().Perm()), write(copy))
	if err == nil {
		err = copy.Sync()
	}
	err = errors.Join(err, copy.Close())
	if err == nil {
		err = os.Rename(copy.Name(), path)
	}
	if err != nil {
		os.Remove(copy.Name())
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = fmt.Errorf("%w: free %.0f MB on the disk, the size of the log", err, max(1, float64(stat.Size())/1e6))
		}
		return err
	}
	syncFolder(dir)
	return nil
}

// removeLeft removes the files of programs that were killed while they annotated a log. Its lock tells that none
// works on it.
func removeLeft(dir, prefix string) {
	entries, _ := os.ReadDir(dir) // what stays only takes room
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

package matchlog

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"touchline/wire/msl"
)

// The files of a match that a RefBox wrote: .msl with the events, .A.msl and .B.msl with the worldstates of the home and
// the away team, alone or in a zip.

const (
	maxDirectory = 8 << 20 // bytes that are read to list a zip
	maxMatches   = 8       // that are read from one zip
)

// refboxFile is one of the files.
type refboxFile struct {
	name string // without its folder; "" where the file is missing
	open func() (io.ReadCloser, error)
	size float64 // bytes, as the zip declares
}

// refboxFiles are the files of a match.
type refboxFiles struct {
	lines refboxFile // events, .msl
	home  refboxFile // worldstates, .A.msl
	away  refboxFile // worldstates, .B.msl
	notes []string   // files of the zip that are not read
}

// ofName returns the file for a name, nil if it is none of them.
func (m *refboxFiles) ofName(name string) *refboxFile {
	switch lower := strings.ToLower(name); {
	case strings.HasPrefix(name, "."), strings.HasSuffix(lower, ".merged.msl"):
		return nil
	case strings.HasSuffix(lower, ".a.msl"):
		return &m.home
	case strings.HasSuffix(lower, ".b.msl"):
		return &m.away
	case strings.HasSuffix(lower, ".msl"):
		return &m.lines
	}
	return nil
}

// openZip finds the files of a match in a zip, the first of each kind; match "" accepts those of any match.
func openZip(r io.ReaderAt, size int64, match string) (*refboxFiles, error) {
	z, err := listZip(r, size)
	if err != nil {
		return nil, err
	}
	m := &refboxFiles{}
	for _, f := range z.File {
		name := baseName(f)
		at := m.ofName(name)
		switch {
		case f.Mode().IsDir(), at != nil && match != "" && matchOf(name) != match:
		case at == nil || at.name != "":
			if len(m.notes) < 10 {
				m.notes = append(m.notes, fmt.Sprintf("%.80q in the zip is not read", name))
			}
		default:
			*at = refboxFile{name, f.Open, float64(f.UncompressedSize64)}
		}
	}
	if m.lines.name == "" && m.home.name == "" && m.away.name == "" {
		return nil, errors.New("the zip contains no .msl file, so it is not from a RefBox")
	}
	return m, nil
}

// openAlone returns the one file in r, whose first bytes are head. Its name tells which one it is, or else its first
// bytes.
func openAlone(file string, r io.ReaderAt, size int64, head []byte) (*refboxFiles, error) {
	m := &refboxFiles{}
	name := path.Base(file)
	at := m.ofName(name)
	switch {
	case at != nil:
	case beginsAsRecords(head):
		at = &m.home
	case msl.IsEventLog(head):
		at = &m.lines
	default:
		return nil, errors.New("the file is neither MCAP, nor a RefBox's zip, nor one of its .msl files")
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil }
	*at = refboxFile{name, open, float64(size)}
	return m, nil
}

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// beginsAsRecords reports whether head begins a JSON list, or JSON objects without a list around them. Without any
// record RefBox 2.1 writes only the "]" of the list. A mixed team package also begins with "{", but a control character
// follows.
func beginsAsRecords(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(text) == 0:
		return false
	case text[0] == '{':
		rest := bytes.TrimLeft(text[1:], " \t\r\n")
		return len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
	}
	return text[0] == '[' || string(bytes.TrimSpace(text)) == "]"
}

// Matches returns the names of the matches in a log, which are arguments of OpenMatch: at most 8 for a zip with several,
// the names of its files without .msl, .A.msl and .B.msl in their order. It returns a single "" for a zip with at most one
// file of each kind, which holds one match, and for any other file.
func Matches(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("matchlog: %w", err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("matchlog: %w", err)
	}
	z, err := listZip(f, stat.Size())
	if err != nil {
		return []string{""}, nil
	}
	var names []string
	several, found := false, refboxFiles{}
	for _, f := range z.File {
		name := baseName(f)
		if at := found.ofName(name); at != nil && !f.Mode().IsDir() {
			several = several || at.name != ""
			at.name = name
			if of := matchOf(name); !slices.Contains(names, of) && len(names) < maxMatches {
				names = append(names, of)
			}
		}
	}
	if !several {
		return []string{""}, nil
	}
	return names, nil
}

// baseName returns the name of a zip's file without its folder.
func baseName(f *zip.File) string { return path.Base(strings.ReplaceAll(f.Name, `\`, "/")) }

// matchOf returns the name of one of the RefBox's files without its endings.
func matchOf(name string) string {
	name = name[:len(name)-len(".msl")]
	if side := strings.ToLower(path.Ext(name)); side == ".a" || side == ".b" {
		name = name[:len(name)-len(".a")]
	}
	return name
}

// listZip reads the directory of a zip.
func listZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	directory := &budget{r: r}
	directory.left.Store(maxDirectory)
	z, err := zip.NewReader(directory, size)
	if err != nil {
		return nil, fmt.Errorf("the zip is damaged (%v): copy it again, or repair it with zip -FF", err)
	}
	directory.left.Store(1 << 62)
	return z, nil
}

// budget is a reader of at most left bytes. The files of a zip are read at the same time.
type budget struct {
	r    io.ReaderAt
	left atomic.Int64
}

func (b *budget) ReadAt(p []byte, off int64) (int, error) {
	if b.left.Add(-int64(len(p))) < 0 {
		return 0, errors.New("it contains too many files")
	}
	return b.r.ReadAt(p, off)
}

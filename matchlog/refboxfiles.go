// Package refboxfiles finds the files of a match that a RefBox wrote: .msl with the events, .A.msl and .B.msl with the
// worldstates of the home and the away team, alone or in a zip.

package matchlog

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"touchline/wire/msl"
)

// maxDirectory is how many bytes are read to list a zip.
const maxDirectory = 8 << 20

// Member is one of the RefBox's files of a match, in a zip or alone.
type Member struct {
	Name string // without its folder; "" where the file is missing
	Open func() (io.ReadCloser, error)
	Size float64 // bytes, as the zip declares
}

// Files are the RefBox's files of a match.
type Files struct {
	Lines Member   // events, .msl
	Home  Member   // worldstates, .A.msl
	Away  Member   // worldstates, .B.msl
	Notes []string // files of the zip that are not read
}

// OpenZip finds the RefBox's files of a match in a zip, the first of each kind; match "" accepts those of any match.
func OpenZip(r io.ReaderAt, size int64, match string) (*Files, error) {
	z, err := listZip(r, size)
	if err != nil {
		return nil, err
	}
	m := &Files{}
	for _, f := range z.File {
		name := baseName(f)
		at := m.kind(name)
		switch {
		case f.Mode().IsDir(), at != nil && match != "" && matchOf(name) != match:
		case at == nil || at.Name != "":
			if len(m.Notes) < 10 {
				m.Notes = append(m.Notes, fmt.Sprintf("%.80q in the zip is not read", name))
			}
		default:
			*at = Member{name, f.Open, float64(f.UncompressedSize64)}
		}
	}
	if m.Lines.Name == "" && m.Home.Name == "" && m.Away.Name == "" {
		return nil, errors.New("the zip contains no .msl file, so it is not from a RefBox")
	}
	return m, nil
}

// kind returns the member for a file of this name, nil if it is none of them.
func (m *Files) kind(name string) *Member {
	switch lower := strings.ToLower(name); {
	case strings.HasPrefix(name, "."), strings.HasSuffix(lower, ".merged.msl"):
		return nil
	case strings.HasSuffix(lower, ".a.msl"):
		return &m.Home
	case strings.HasSuffix(lower, ".b.msl"):
		return &m.Away
	case strings.HasSuffix(lower, ".msl"):
		return &m.Lines
	}
	return nil
}

// OpenFile returns the one file in r, whose first bytes are head. Its name tells which one it is, or else its first bytes.
func OpenFile(file string, r io.ReaderAt, size int64, head []byte) (*Files, error) {
	m := &Files{}
	name := path.Base(file)
	at := m.kind(name)
	switch {
	case at != nil:
	case beginsAsRecords(head):
		at = &m.Home
	case msl.IsEventLog(head):
		at = &m.Lines
	default:
		return nil, errors.New("the file is neither MCAP, nor a RefBox's zip, nor one of its .msl files")
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil }
	*at = Member{name, open, float64(size)}
	return m, nil
}

// IsZip reports whether head starts a zip.
func IsZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// beginsAsRecords reports whether head begins a JSON list, or JSON objects without a list around them. Without any
// record RefBox 2.1 writes only the "]" of the list. A mixed team package begins with "{", too, but a control character
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

// maxMatches bounds the matches that are read from one zip.
const maxMatches = 8

// RefboxMatches returns the names of the matches in a zip, at most 8: the names of its files without .msl, .A.msl and .B.msl,
// in their order. It returns a single "" for a zip with at most one file of each kind, which holds one match, and for
// any other file.
func RefboxMatches(r io.ReaderAt, size int64) []string {
	z, err := listZip(r, size)
	if err != nil {
		return []string{""}
	}
	var names []string
	several, found := false, Files{}
	for _, f := range z.File {
		name := baseName(f)
		if at := found.kind(name); at != nil && !f.Mode().IsDir() {
			several = several || at.Name != ""
			at.Name = name
			names = append(names, matchOf(name))
		}
	}
	if !several {
		return []string{""}
	}
	seen := map[string]bool{}
	names = slices.DeleteFunc(names, func(n string) bool { again := seen[n]; seen[n] = true; return again })
	return names[:min(len(names), maxMatches)]
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

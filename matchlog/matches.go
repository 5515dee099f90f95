package matchlog

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// maxMatches bounds the matches that are read from one zip.
const maxMatches = 8

// Matches returns the names of the matches in the zip at path, at most 8: the names of its files without .msl, .A.msl
// and .B.msl, in their order. The names are arguments of OpenMatch. A zip with at most one file of each kind holds one
// match, as any other file does: the result is then a single "".
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
		return []string{""}, nil // not a zip, or Open reports the damage
	}
	var names []string
	several, found := false, refboxFiles{}
	for _, f := range z.File {
		name := baseName(f)
		if at := found.kind(name); at != nil && !f.Mode().IsDir() {
			several = several || at.name != ""
			at.name = name
			names = append(names, matchOf(name))
		}
	}
	if !several {
		return []string{""}, nil
	}
	seen := map[string]bool{}
	names = slices.DeleteFunc(names, func(n string) bool { again := seen[n]; seen[n] = true; return again })
	return names[:min(len(names), maxMatches)], nil
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
	directory := &budget{r: r, left: maxDirectory}
	z, err := zip.NewReader(directory, size)
	if err != nil {
		return nil, fmt.Errorf("%w: the zip is damaged (%v): copy it again, or repair it with zip -FF", ErrFormat, err)
	}
	directory.left = 1 << 62
	return z, nil
}

// budget is a reader of at most left bytes.
type budget struct {
	r    io.ReaderAt
	left int64
}

func (b *budget) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errors.New("it contains too many files")
	}
	return b.r.ReadAt(p, off)
}

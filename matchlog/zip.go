package matchlog

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strconv"
	"strings"
	"time"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

const (
	maxRecordText = 4 << 20 // bytes of a worldstate in a team's file; the RefBox bounds none
	maxLine       = 64 << 10
	maxDirectory  = 8 << 20 // bytes of a zip that are read to find what is in it
	maxAge        = 3600e3  // ms; what is older is a clock in the place of ageMs (facts msl 4.1)
)

// member is one of the RefBox's files of a match.
type member struct {
	name string // without folders
	open func() (io.ReadCloser, error)
	size float64 // bytes by what the zip says
}

// refboxFiles are the RefBox's files of a match; what is not there has no name.
type refboxFiles struct {
	lines, home, away member
	notes             []string
}

// openZip finds the RefBox's files in a zip. Where there are several of one kind the first one counts.
func openZip(r io.ReaderAt, size int64) (*refboxFiles, error) {
	directory := &budget{r: r, left: maxDirectory}
	z, err := zip.NewReader(directory, size)
	if err != nil {
		return nil, fmt.Errorf("%w: the zip cannot be read (%v): copy it again, or mend it with zip -FF", ErrFormat, err)
	}
	directory.left = 1 << 62
	m := &refboxFiles{}
	for _, f := range z.File {
		name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
		at := m.place(name)
		switch {
		case f.Mode().IsDir():
		case at == nil || at.name != "":
			if len(m.notes) < 10 {
				m.notes = append(m.notes, fmt.Sprintf("%.80q in it was left out", name))
			}
		default:
			*at = member{name, f.Open, float64(f.UncompressedSize64)}
		}
	}
	if m.lines.name == "" && m.home.name == "" && m.away.name == "" {
		return nil, fmt.Errorf("%w: the zip has no .msl file: is it a RefBox's?", ErrFormat)
	}
	return m, nil
}

// place returns which of the files one with this name is, nil for none.
func (m *refboxFiles) place(name string) *member {
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

// openMSL takes one of the RefBox's files by its name or, where that says nothing, by how it begins.
func openMSL(file string, r io.ReaderAt, size int64, head []byte) (*refboxFiles, error) {
	m := &refboxFiles{}
	name := path.Base(file)
	at := m.place(name)
	records := bytes.Contains(head, []byte(`"timestamp"`)) && bytes.Contains(head, []byte(`"teamName"`))
	switch {
	case at == nil && records:
		at = &m.home
	case at == nil:
		return nil, fmt.Errorf("%w: it is neither MCAP, nor a RefBox's zip, nor one of the .msl files in it", ErrFormat)
	}
	*at = member{name, func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil }, float64(size)}
	return m, nil
}

// budget refuses to be read further than it was meant to be.
type budget struct {
	r    io.ReaderAt
	left int64
}

func (b *budget) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errors.New("there are too many files in it")
	}
	return b.r.ReadAt(p, off)
}

// item is one record or line of the RefBox's files.
type item struct {
	time, published soccer.Time
	game            int64  // gametimeMs; -1 for a line
	data            []byte // valid until the next of its file
	line            msl.Line
	team            string
}

// unzip reads the files of a match.
type unzip struct {
	l     *Log
	left  int64 // bytes that may still be unpacked
	start int64
	total float64
}

// reader opens a file of the match; nil where there is none, or it cannot be opened.
func (u *unzip) reader(m *member) (io.Reader, func()) {
	if m.name == "" {
		return strings.NewReader(""), func() {}
	}
	f, err := m.open()
	if err != nil {
		u.note("%s cannot be unpacked: %v", m.name, err)
		return strings.NewReader(""), func() {}
	}
	return closing{u.l, allowance{f, &u.left}}, func() { f.Close() }
}

func (u *unzip) note(format string, args ...any) {
	u.l.mu.Lock()
	defer u.l.mu.Unlock()
	u.l.note(format, args...)
}

// records yields what one team's file holds.
func (u *unzip) records(m *member) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		r, done := u.reader(m)
		defer done()
		torn, unread := 0, 0
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 256<<10), maxRecordText+64<<10)
		in.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			n, token, err := msl.SplitRecords(data, atEOF)
			switch {
			case errors.Is(err, wire.ErrShort):
				torn++
				return len(data), nil, nil
			case token == nil && n == 0 && len(data) >= maxRecordText: // to where a line begins with the next record
				torn++
				next := bytes.Index(data[1:], []byte("\n{\"teamName\""))
				if next < 0 {
					return len(data) - 16, nil, nil
				}
				return next + 1, nil, nil
			}
			return n, token, err
		})
		var record msl.Record
		var it item
		for in.Scan() {
			if record.UnmarshalBinary(in.Bytes()) != nil {
				unread++
				continue
			}
			last := it.time
			it = item{published: millis(record.TimestampMillis), game: record.GameMillis, data: record.Worldstate, team: record.TeamName}
			if age, ok := ageMillis(record.Worldstate); ok {
				it.time = it.published.Add(age)
			} else {
				it.time = max(it.published, last)
			}
			if !yield(&it) {
				return
			}
		}
		if err := in.Err(); err != nil {
			u.note("%s ends early: %v", m.name, err)
		}
		if torn+unread > 0 {
			u.note("%s: %d records are torn or have no time, and were left out", m.name, torn+unread)
		}
	}
}

// eventLines yields the RefBox's log of events. A line without a time happened when the line before it did, or the first
// that has one.
func (u *unzip) eventLines(m *member) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		r, done := u.reader(m)
		defer done()
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 16<<10), 2*maxLine)
		in.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			if n := bytes.IndexByte(data, '\n'); n < 0 && len(data) >= maxLine {
				return len(data), data, nil
			}
			return bufio.ScanLines(data, atEOF)
		})
		var early []*item
		var last soccer.Time
		for in.Scan() {
			if len(bytes.TrimSpace(in.Bytes())) == 0 {
				continue
			}
			it := &item{game: -1, data: bytes.Clone(in.Bytes())}
			it.line.UnmarshalBinary(it.data)
			if it.line.Text == "" {
				last = millis(it.line.TimestampMillis)
			}
			early = append(early, it)
			if last == 0 && len(early) < 1000 {
				continue
			}
			for _, it := range early {
				it.time, it.published = last, last
				if !yield(it) {
					return
				}
			}
			early = early[:0]
		}
		if err := in.Err(); err != nil {
			u.note("%s ends early: %v", m.name, err)
		}
		for _, it := range early {
			if !yield(it) {
				return
			}
		}
	}
}

func millis(ms int64) soccer.Time { return soccer.Time(max(min(ms, 9e12), -9e12)) * 1e6 }

// ageMillis finds how old a worldstate says it is, without reading the rest of it: the last ageMs in its text.
func ageMillis(b []byte) (time.Duration, bool) {
	n := bytes.LastIndex(b, []byte(`"ageMs"`))
	if n < 0 {
		return 0, true
	}
	b = bytes.TrimLeft(b[n+len(`"ageMs"`):], " \t\r\n:\"")
	end := 0
	for end < len(b) && end < 32 && strings.IndexByte("+-.0123456789eE", b[end]) >= 0 {
		end++
	}
	if end == 0 {
		return 0, true // null
	}
	ms, err := strconv.ParseFloat(string(b[:end]), 64)
	if err != nil || !(ms >= 0 && ms <= maxAge) {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true // the RefBox took whole milliseconds
}

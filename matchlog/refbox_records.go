package matchlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

const (
	maxRecordText = 4 << 20 // bytes of a record in a team's file; the RefBox has no limit
	maxLine       = 64 << 10
	maxAge        = 3600e3 // ms; a larger ageMs is an absolute clock, as some senders of 2016 write
)

// item is a record or line of the RefBox's files.
type item struct {
	time, published soccer.Time
	game            int64 // gametimeMs; -1 for a line
	data            []byte
	lineNumber      int64 // line of data's first byte, from 1
	offset          int64 // place of data's first byte
	line            msl.Line
	team            string
	untimed         bool // not a record with a timestamp
	filled          bool // an empty worldstate that the referee box filled in
}

// source is one of the RefBox's files of a match while it is read.
type source struct {
	l        *Log
	number   int // place in Log.files, from 1; 0: the file is missing
	unpacked atomic.Int64
	info     FileInfo // goes to the log with the items, as the notes do
	notes    []string
	losses   []string // notes of records that are not read
	io.Reader
	close func()
}

// openSource opens one of the files. Each may unpack to the number of bytes that is allowed for the zip.
func (l *Log) openSource(m *refboxFile, channel string) *source {
	s := &source{l: l, info: FileInfo{Name: m.name, Channel: channel}, Reader: strings.NewReader(""), close: func() {}}
	if m.name == "" {
		return s
	}
	l.mu.Lock()
	l.files = append(l.files, s.info)
	s.number = len(l.files)
	l.mu.Unlock()
	f, err := m.open()
	if err != nil {
		s.fail(fmt.Errorf("it cannot be unpacked: %w", err))
		return s
	}
	left := allowed(l.size, maxZipRatio)
	s.Reader, s.close = &counting{closing{l, allowance{f, &left}}, &s.unpacked}, func() { f.Close() }
	return s
}

// fail notes why a part of the file is not read. Only the first error is kept.
func (s *source) fail(err error) {
	if err == nil || errors.Is(err, ErrClosed) || s.info.Error != "" {
		return
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it is shorter than the zip says: the zip is damaged, copy it again")
	}
	s.info.Error = strings.TrimPrefix(err.Error(), "matchlog: ")
	s.losses = append(s.losses, s.info.Error)
}

// count adds a note with n to the notes of a file, unless n is 0.
func count(notes *[]string, n int, one, many string) {
	switch {
	case n == 1:
		*notes = append(*notes, one)
	case n > 1:
		*notes = append(*notes, fmt.Sprintf(many, n))
	}
}

// records yields the records of a team's file. An item is valid until the next one.
func (s *source) records() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		defer s.close()
		torn, untimed := 0, 0
		var at msl.Position
		in := bufio.NewScanner(s)
		in.Buffer(make([]byte, 64<<10), maxRecordText+64<<10)
		in.Split(at.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			n, token, err := msl.SplitRecords(data, atEOF)
			switch {
			case errors.Is(err, wire.ErrShort):
				torn++
				s.info.Torn = true
				return len(data), nil, nil
			case token == nil && n == 0 && len(data) >= maxRecordText: // skip to the next line that begins a record
				s.fail(fmt.Errorf("byte %d: a record of more than %d bytes is not read", at.Next(), maxRecordText))
				next := bytes.Index(data[1:], []byte("\n{\"teamName\""))
				if next < 0 {
					return len(data) - 16, nil, nil
				}
				return next + 1, nil, nil
			}
			return n, token, err
		}))
		var record msl.Record
		var it item
		for in.Scan() {
			last := it.time
			if it = (item{lineNumber: at.Line, offset: at.Offset}); it.read(&record, in.Bytes(), last) != nil {
				untimed++
			}
			if !yield(&it) {
				return
			}
		}
		s.fail(in.Err())
		count(&s.losses, torn, "1 torn record is not read", "%d torn records are not read")
		count(&s.notes, untimed, "1 object is not a record with a timestamp", "%d objects are not records with a timestamp")
	}
}

// read decodes a record of a team's file. Any other object becomes an untimed item, and the error says why.
func (it *item) read(record *msl.Record, b []byte, last soccer.Time) error {
	it.data, it.time, it.published, it.game = b, last, last, -1
	err := record.UnmarshalBinary(b)
	if it.untimed = err != nil; it.untimed {
		return err
	}
	rest := bytes.TrimRightFunc(b, unicode.IsSpace) // the worldstate is the last member of the record
	at := len(bytes.TrimRightFunc(rest[:len(rest)-1], unicode.IsSpace)) - len(record.Worldstate)
	it.lineNumber, it.offset = it.lineNumber+int64(bytes.Count(b[:at], []byte{'\n'})), it.offset+int64(at)
	it.data, it.team, it.game = record.Worldstate, record.TeamName, record.GameMillis
	it.published = millis(record.TimestampMillis)
	it.time = max(it.published, last)
	it.filled = record.Filled
	if record.Received != nil {
		it.data = record.Received
		if (&msl.Worldstate{}).UnmarshalBinary(it.data) != nil {
			it.time = it.published // it has no age
			return nil
		}
	}
	if age, ok := ageMillis(it.data); ok {
		it.time = it.published.Add(age)
	}
	return nil
}

// eventLines yields the lines of the RefBox's log of events. A line without a time gets that of the line before it, or
// else the first time in the file.
func (s *source) eventLines() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		defer s.close()
		var at msl.Position
		in := bufio.NewScanner(s)
		in.Buffer(make([]byte, 16<<10), 2*maxLine)
		in.Split(at.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			if n := bytes.IndexByte(data, '\n'); n < 0 && len(data) >= maxLine {
				return len(data), data, nil
			}
			return bufio.ScanLines(data, atEOF)
		}))
		var early []*item
		var last soccer.Time
		for in.Scan() {
			if len(bytes.TrimSpace(in.Bytes())) == 0 {
				continue
			}
			it := &item{game: -1, lineNumber: at.Line, offset: at.Offset, data: bytes.Clone(in.Bytes())}
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
		s.fail(in.Err())
		for _, it := range early {
			if !yield(it) {
				return
			}
		}
	}
}

func millis(ms int64) soccer.Time { return soccer.Time(max(min(ms, 9e12), -9e12)) * 1e6 }

// PublishedAt returns the time that a worldstate describes: the time of receipt minus its ageMs. Without a plausible
// ageMs it is the time of receipt.
func PublishedAt(received soccer.Time, worldstate []byte) soccer.Time {
	age, _ := ageMillis(worldstate)
	return received.Add(-age)
}

// ageMillis returns the last ageMs in the text of a worldstate without decoding the rest. It reports false for an
// implausible age.
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
	return time.Duration(ms) * time.Millisecond, true // the RefBox truncates to whole milliseconds
}

// counting is a reader that counts its bytes.
type counting struct {
	io.Reader
	n *atomic.Int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n.Add(int64(n))
	return n, err
}

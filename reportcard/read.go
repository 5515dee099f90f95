package reportcard

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

// maxRecord is the longest record of a team's log in bytes that is read.
const maxRecord = msl.MaxMessage + 1<<16

// ReadTeamLog hands a team's log as a RefBox wrote it (.A.msl, .B.msl: a list of records) to add, one worldstate after the
// other in the order in which they came, with the name that the RefBox gave the team. Worldstates and events that stand there by themselves, as a list
// or one after the other, are messages without times. The error wraps wire.ErrShort where the log ends within a record.
func ReadTeamLog(r io.Reader, add func(s *Message, team string)) error {
	var offset, line int64 // where the newest record begins
	var next, nextLine int64 = 0, 1
	split := func(data []byte, atEOF bool) (int, []byte, error) {
		advance, token, err := msl.SplitRecords(data, atEOF)
		if token != nil {
			at := cap(data) - cap(token)
			offset, line = next+int64(at), nextLine+int64(bytes.Count(data[:at], []byte{'\n'}))
		}
		next, nextLine = next+int64(advance), nextLine+int64(bytes.Count(data[:advance], []byte{'\n'}))
		return advance, token, err
	}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 1<<18), maxRecord)
	scanner.Split(split)
	var record msl.Record
	order := receipts{add: add}
	for scanner.Scan() {
		s := Message{Offset: offset, Line: line, Data: scanner.Bytes()}
		team := ""
		if err := record.UnmarshalBinary(s.Data); err == nil {
			team = record.TeamName
			rest := bytes.TrimRightFunc(s.Data, unicode.IsSpace) // the worldstate comes last, before a brace
			at := len(bytes.TrimRightFunc(rest[:len(rest)-1], unicode.IsSpace)) - len(record.Worldstate)
			s.Offset, s.Line = s.Offset+int64(at), s.Line+int64(bytes.Count(s.Data[:at], []byte{'\n'}))
			s.Data = record.Worldstate
			s.Game = time.Duration(max(min(record.GameMillis, 1e10), 0)) * time.Millisecond
			if ms := record.TimestampMillis; ms > -9e12 && ms < 9e12 {
				s.Published = soccer.Time(ms * 1e6)
			}
		}
		order.take(&s, team)
	}
	order.flush(0)
	err := scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("byte %d: a record of more than %d bytes", next, maxRecord)
	}
	return err
}

// ReadStream hands what a base station sent, messages closed by NULs, to add. What is not closed at the end is a message
// too, where it is not blank.
func ReadStream(r io.Reader, add func(s *Message)) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 1<<16), maxRecord)
	var offset, next int64
	line, nextLine := int64(1), int64(1)
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		n := bytes.IndexByte(data, 0)
		end := n + 1
		if n < 0 {
			if !atEOF || len(data) == 0 {
				return 0, nil, nil
			}
			n, end = len(data), len(data)
		}
		lead := n - len(bytes.TrimLeftFunc(data[:n], unicode.IsSpace))
		offset, line = next+int64(lead), nextLine+int64(bytes.Count(data[:lead], []byte{'\n'}))
		next, nextLine = next+int64(end), nextLine+int64(bytes.Count(data[:end], []byte{'\n'}))
		return end, bytes.TrimSpace(data[:n]), nil
	})
	for scanner.Scan() {
		if len(scanner.Bytes()) > 0 {
			add(&Message{Offset: offset, Line: line, Data: scanner.Bytes()})
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("byte %d: a message of more than %d bytes: is there a NUL behind each?", next, maxRecord)
	} else if err != nil {
		return err
	}
	return nil
}

// Torn reports whether an error says that the input ends within a message, and not that it cannot be read to its end.
func Torn(err error) bool { return errors.Is(err, wire.ErrShort) }

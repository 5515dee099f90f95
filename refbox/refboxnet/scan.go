package refboxnet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/refbox"
	"touchline/soccer"
)

// journalScan reads a journal as its bytes come, in pieces of any size, and keeps of it what makes the game. It knows of
// MCAP what an unchunked file needs: records of a byte for what it is, eight for its length, and that many more.
type journalScan struct {
	meta       map[string]string // what the log says of itself, by matchlog.Meta...
	decisions  [][]byte          // JSON each
	admissions [][]byte          // JSON each
	phrase     [2]saidLately     // by home and away
	records    int               // messages so far
	err        error

	started bool
	carry   []byte // of a record that is not whole yet
	topics  map[uint16]string
}

// saidLately counts a team's messages by the second.
type saidLately struct {
	second int64 // of the newest one, since 1970
	counts [refbox.HistorySeconds + 1]int
}

func (c *saidLately) add(t soccer.Time) {
	second := int64(t) / int64(time.Second)
	for ; c.second < second; c.second++ {
		if second-c.second > int64(len(c.counts)) {
			c.second = second - int64(len(c.counts)) // all of them are forgotten
		}
		c.counts[(c.second+1)%int64(len(c.counts))] = 0
	}
	if second >= 0 && second == c.second {
		c.counts[second%int64(len(c.counts))]++
	}
}

// rates returns the counts of the last 60 whole seconds, oldest first, and whether something came in the last ones.
func (c *saidLately) rates(now soccer.Time) (all []int, heard bool) {
	second := int64(now) / int64(time.Second)
	for n := second - refbox.HistorySeconds; n < second; n++ {
		count := 0
		if n >= 0 && n <= c.second && n > c.second-int64(len(c.counts)) {
			count = c.counts[n%int64(len(c.counts))]
		}
		all = append(all, count)
	}
	return all, c.second >= second-1 && c.second > 0
}

const (
	mcapMagic     = "\x89MCAP0\r\n"
	mcapChannel   = 0x04
	mcapMessage   = 0x05
	mcapMetadata  = 0x0c
	longestRecord = 8 << 20 // bytes; a frame is 1 MiB at most
)

var errNoJournal = errors.New("no journal of a referee box")

// Write takes the next bytes. It never fails, so that what follows copies on; err says what was wrong.
func (s *journalScan) Write(b []byte) (int, error) {
	all := b
	if s.err != nil {
		return len(b), nil
	}
	if len(s.carry) > 0 {
		s.carry = append(s.carry, b...)
		all = s.carry
	}
	if !s.started && len(all) >= len(mcapMagic) {
		if string(all[:len(mcapMagic)]) != mcapMagic {
			s.err = errNoJournal
			return len(b), nil
		}
		s.started, all = true, all[len(mcapMagic):]
	}
	for s.started && len(all) >= 9 {
		n := binary.LittleEndian.Uint64(all[1:9])
		if n > longestRecord {
			s.err = fmt.Errorf("%w: a record of %d bytes", errNoJournal, n)
			return len(b), nil
		}
		if uint64(len(all)-9) < n {
			break
		}
		s.record(all[0], all[9:9+n])
		all = all[9+n:]
	}
	s.carry = append(s.carry[:0], all...)
	return len(b), nil
}

// record takes one whole record.
func (s *journalScan) record(kind byte, b []byte) {
	switch {
	case kind == mcapChannel && len(b) >= 8:
		if topic, _, ok := mcapText(b[4:]); ok {
			if s.topics == nil {
				s.topics = map[uint16]string{}
			}
			s.topics[binary.LittleEndian.Uint16(b)] = topic
		}
	case kind == mcapMetadata:
		s.metadata(b)
	case kind == mcapMessage && len(b) >= 22:
		s.records++
		switch s.topics[binary.LittleEndian.Uint16(b)] {
		case matchlog.Home:
			s.phrase[0].add(soccer.Time(binary.LittleEndian.Uint64(b[6:])))
		case matchlog.Away:
			s.phrase[1].add(soccer.Time(binary.LittleEndian.Uint64(b[6:])))
		case matchlog.Decisions:
			s.decisions = append(s.decisions, append([]byte(nil), b[22:]...))
		case matchlog.Admissions:
			s.admissions = append(s.admissions, append([]byte(nil), b[22:]...))
		}
	}
}

// mcapText cuts a text off, which begins with its length.
func mcapText(b []byte) (text string, rest []byte, ok bool) {
	if len(b) < 4 {
		return "", b, false
	}
	n := binary.LittleEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return "", b, false
	}
	return string(b[4 : 4+n]), b[4+n:], true
}

// metadata takes a metadata record: its name, and pairs of texts behind their length.
func (s *journalScan) metadata(b []byte) {
	name, rest, ok := mcapText(b)
	if !ok || name != "touchline" {
		return
	}
	pairs, _, ok := mcapText(rest)
	if s.meta == nil {
		s.meta = map[string]string{}
	}
	for rest := []byte(pairs); ok && len(rest) > 0; {
		var key, value string
		if key, rest, ok = mcapText(rest); ok {
			if value, rest, ok = mcapText(rest); ok {
				s.meta[key] = value
			}
		}
	}
}

// box returns the referee box that the journal makes so far.
func (s *journalScan) box(cfg refbox.Config, now soccer.Time) (*refbox.Box, error) {
	began, err := strconv.ParseInt(s.meta[matchlog.MetaBegan], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: it does not say when the game began", errNoJournal)
	}
	if rules, ok := s.meta[matchlog.MetaRules]; ok {
		if cfg.Rules, err = refbox.ParseRules([]byte(rules)); err != nil {
			return nil, err
		}
	}
	decisions := make([]game.Decision, len(s.decisions))
	for i := range decisions {
		if decisions[i], err = refbox.ParseDecision(s.decisions[i]); err != nil {
			return nil, err
		}
	}
	admissions := make([]refbox.Admission, len(s.admissions))
	for i := range admissions {
		if admissions[i], err = refbox.ParseAdmission(s.admissions[i]); err != nil {
			return nil, err
		}
	}
	return refbox.Restore(cfg, refbox.History{Began: soccer.Time(began), Last: now, Decisions: decisions, Admissions: admissions})
}

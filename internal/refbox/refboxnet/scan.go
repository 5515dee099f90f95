package refboxnet

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
)

// journalScan reads a journal as its bytes arrive and keeps the game in it.
type journalScan struct {
	*matchlog.Stream
	decisions  [][]byte       // JSON
	admissions [][]byte       // JSON
	teams      [2]messageRate // home, away
}

func newJournalScan() *journalScan {
	s := &journalScan{}
	s.Stream = matchlog.NewStream(s.receive)
	return s
}

// messageRate counts a team's messages by the second.
type messageRate struct {
	second int64 // of the newest one, since 1970
	counts [refbox.HistorySeconds + 1]int
}

func (c *messageRate) add(t soccer.Time) {
	second := int64(t) / int64(time.Second)
	for ; c.second < second; c.second++ {
		if second-c.second > int64(len(c.counts)) {
			c.second = second - int64(len(c.counts)) // every count is out of date
		}
		c.counts[(c.second+1)%int64(len(c.counts))] = 0
	}
	if second >= 0 && second == c.second {
		c.counts[second%int64(len(c.counts))]++
	}
}

// rates returns the counts of the last 60 whole seconds, oldest first, and whether messages arrived recently.
func (c *messageRate) rates(now soccer.Time) (all []int, recent bool) {
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

var errNoJournal = errors.New("not a journal of a referee box")

// receive keeps a message that the game needs.
func (s *journalScan) receive(m matchlog.Message) {
	switch m.Channel {
	case matchlog.Home:
		s.teams[0].add(m.Time)
	case matchlog.Away:
		s.teams[1].add(m.Time)
	case matchlog.Decisions:
		s.decisions = append(s.decisions, bytes.Clone(m.Data))
	case matchlog.Admissions:
		s.admissions = append(s.admissions, bytes.Clone(m.Data))
	}
}

// box returns the referee box of the journal so far.
func (s *journalScan) box(cfg refbox.Config, now soccer.Time) (*refbox.Box, error) {
	began, err := strconv.ParseInt(s.Meta()[matchlog.MetaBegan], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: the start of the game is missing", errNoJournal)
	}
	if rules, ok := s.Meta()[matchlog.MetaRules]; ok {
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
	return refbox.Restore(cfg, refbox.History{Began: soccer.Time(began), Last: now, Decisions: decisions,
		Admissions: admissions})
}

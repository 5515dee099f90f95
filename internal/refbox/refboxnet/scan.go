package refboxnet

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
)

// journalScan reads a journal as its bytes arrive and keeps the game in it.
type journalScan struct {
	*matchlog.Stream
	decisions  [][]byte          // JSON
	admissions [][]byte          // JSON
	verdicts   [][]byte          // JSON
	teams      [2]refbox.Seconds // messages of home and away
}

func newJournalScan() *journalScan {
	s := &journalScan{}
	s.Stream = matchlog.NewStream(s.receive)
	return s
}

var errNoJournal = errors.New("not a journal of a referee box")

// receive keeps a message that the game needs.
func (s *journalScan) receive(m matchlog.Message) {
	switch m.Channel {
	case matchlog.Home:
		s.teams[0].Count(m.Time, 0)
	case matchlog.Away:
		s.teams[1].Count(m.Time, 0)
	case matchlog.Decisions:
		s.decisions = append(s.decisions, bytes.Clone(m.Data))
	case matchlog.Admissions:
		s.admissions = append(s.admissions, bytes.Clone(m.Data))
	case matchlog.Verdicts:
		s.verdicts = append(s.verdicts, bytes.Clone(m.Data))
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
	verdicts := make([]game.Verdict, len(s.verdicts))
	for i := range verdicts {
		if verdicts[i], err = refbox.ParseVerdict(s.verdicts[i]); err != nil {
			return nil, err
		}
	}
	return refbox.Restore(cfg, refbox.History{Began: soccer.Time(began), Last: now, Decisions: decisions,
		Admissions: admissions, Verdicts: verdicts})
}

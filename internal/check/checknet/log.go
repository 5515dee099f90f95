package checknet

import (
	"cmp"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/check"
	"touchline/matchlog"
	"touchline/soccer"
)

// Reports returns the report cards of the teams in log, home first. A log and its export get the same cards, unless the
// referee box was away: exports do not tell. Reports waits until the log is indexed. A card names what could not be read of its team; the error is that of a message that
// cannot be read again.
func Reports(log *matchlog.Log) ([]check.StationReport, error) {
	unread := log.Wait()
	clock, err := log.Clock()
	if err != nil {
		return nil, err
	}
	away, err := awayTimes(log)
	if err != nil {
		return nil, err
	}
	teams := teamsOf(log.Info(), unread)
	var all errgroup.Group
	for _, t := range teams {
		for _, p := range away {
			t.card.AddAway(p[0], p[1])
		}
		all.Go(func() error { return t.judge(log, clock) })
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	cards := make([]*check.Card, len(teams))
	for i, t := range teams {
		cards[i] = t.card
	}
	check.Compare(cards...)
	reports := make([]check.StationReport, len(teams))
	for i, t := range teams {
		t.card.SetTeam(strings.ToValidUTF8(cmp.Or(t.name, t.card.OwnName(), t.side, "team"), "?"))
		reports[i] = t.card.Report()
		reports[i].Side = t.side
	}
	return reports, nil
}

// awayTimes returns the times in which there was no referee box: before each start in the same game, from the last state
// that it recorded, as it does once a second.
func awayTimes(log *matchlog.Log) (all [][2]soccer.Time, err error) {
	var states []soccer.Time
	for m, err := range log.Messages(0, 0, matchlog.States, matchlog.Notes) {
		if err != nil {
			return nil, err
		}
		if m.Channel == matchlog.States {
			states = append(states, m.Time)
		} else if string(m.Data) == matchlog.StartedAgain {
			i, _ := slices.BinarySearch(states, m.Time.Add(-time.Second)) // it records one when it starts, too
			if i > 0 && m.Time.Sub(states[i-1]) > 2*time.Second {
				all = append(all, [2]soccer.Time{states[i-1], m.Time})
			}
		}
	}
	return all, nil
}

// team is one team of a log while it is judged.
type team struct {
	side, name string
	messages   string // channels
	untimed    string
	empty      string
	card       *check.Card
}

// teamsOf returns the teams of which the log has a file or messages.
func teamsOf(info matchlog.Info, unread error) (teams []*team) {
	for _, t := range []*team{
		{side: "A", messages: matchlog.Home, untimed: matchlog.HomeUntimed, empty: matchlog.HomeEmpty,
			name: cmp.Or(info.Meta[matchlog.MetaHomeShort], info.Meta[matchlog.MetaHome])},
		{side: "B", messages: matchlog.Away, untimed: matchlog.AwayUntimed, empty: matchlog.AwayEmpty,
			name: cmp.Or(info.Meta[matchlog.MetaAwayShort], info.Meta[matchlog.MetaAway])},
	} {
		t.card = check.NewCard("", soccer.Field{})
		if unread != nil {
			t.card.SetError(unread.Error())
		}
		if t.present(info) {
			teams = append(teams, t)
		}
	}
	return teams
}

// present reports whether the log has a file or messages of the team, and notes on the card what could not be read.
func (t *team) present(info matchlog.Info) bool {
	present := false
	for _, c := range info.Channels {
		present = present || c.Count > 0 && (c.Name == t.messages || c.Name == t.untimed || c.Name == t.empty)
	}
	if info.Torn != "" {
		t.card.SetTorn()
	}
	for _, f := range info.Files {
		if f.Channel != t.messages {
			continue
		}
		present = true
		if info.Format == "msl" { // the name of a single file may not tell the side
			t.side = sideOf(f.Name)
		}
		switch {
		case f.Error != "":
			t.card.SetError(f.Name + ": " + f.Error)
		case f.Torn:
			t.card.SetTorn()
		}
	}
	return present
}

// sideOf returns the side in the name of a team's file; "" where there is none.
func sideOf(name string) string {
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".a.msl"):
		return "A"
	case strings.HasSuffix(lower, ".b.msl"):
		return "B"
	}
	return ""
}

// judge adds the team's messages to its card.
func (t *team) judge(log *matchlog.Log, clock *matchlog.Clock) error {
	var examiners errgroup.Group
	batches, examine := make(chan *batch, 2), make(chan *batch, 2)
	empty := make(chan *batch, cap(batches)+2)
	for range cap(empty) {
		empty <- &batch{}
	}
	for range runtime.GOMAXPROCS(0) {
		examiners.Go(func() error {
			for b := range examine {
				b.examine()
			}
			return nil
		})
	}
	var unread error
	go func() {
		defer close(batches)
		defer close(examine)
		unread = t.read(log, clock, empty, func(b *batch) {
			b.examined = make(chan struct{})
			examine <- b
			batches <- b
		})
	}()
	for b := range batches {
		<-b.examined
		b.addTo(t.card)
		empty <- b
	}
	examiners.Wait()
	return cmp.Or(unread, t.addOmitted(log))
}

// addOmitted adds the messages of the team that the referee box counted and did not keep.
func (t *team) addOmitted(log *matchlog.Log) error {
	for m, err := range log.Messages(0, 0, matchlog.Omitted) {
		if err != nil {
			return err
		}
		var o game.Omission
		if json.Unmarshal(m.Data, &o) == nil && string(o.Side) == t.messages {
			t.card.AddOmitted(o.Kept, o.Omitted)
		}
	}
	return nil
}

// read sends the team's messages in batches.
func (t *team) read(log *matchlog.Log, clock *matchlog.Clock, empty <-chan *batch, send func(*batch)) error {
	number := int64(0)
	b := <-empty
	for m, err := range log.Messages(0, 0, t.messages, t.untimed, t.empty) {
		if err != nil {
			return err
		}
		message := check.StationMessage{Line: m.Source.Line, Offset: m.Source.Offset, Data: m.Data, Polled: true}
		if m.Channel != t.empty {
			number++
		}
		if m.Source.Line == 0 {
			message.Offset = number
		}
		if m.Channel != t.untimed {
			// In whole milliseconds, as an export has them: it gets the same card.
			message.Received, message.Published = m.Time/1e6*1e6, m.Published/1e6*1e6
			now := clock.At(m.Time)
			message.Game, message.Playing = now.Total, !now.Part.IsInterval()
		}
		if b.endsBefore(&message) {
			send(b)
			b = <-empty
			b.clear()
		}
		b.append(&message, m.Channel == t.empty)
	}
	send(b)
	return nil
}

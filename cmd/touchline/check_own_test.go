package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/internal/station"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/msl"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// TestOwnRecordingsAreClean checks what our own programs record: they keep the rules that they judge others by. All of
// them run in virtual time, so that a busy machine makes no difference.
func TestOwnRecordingsAreClean(t *testing.T) {
	single(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"match", []string{"match", "--half", "10s", "--seed", "7", "--quiet", "--localise", "--mixed"}},
		{"match with loss", []string{"match", "--half", "5s", "--seed", "3", "--quiet", "--loss", "0.1", "--delay", "20ms"}},
		{"demo", []string{"demo", "--headless", "--speed", "max", "--duration", "12s", "--seed", "3"}},
		{"demo of v1", []string{"demo", "--headless", "--speed", "max", "--duration", "12s", "--package", "v1", "--loss", "0.1"}},
		{"vss", []string{"sim", "vss", "--headless", "--speed", "max", "--duration", "20s", "--blue", "builtin", "--yellow",
			"builtin", "--referee"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.mcap")
			var out, errs bytes.Buffer // without a limit of time, unlike touchline
			if code := run(t.Context(), append(c.args, "--record", path), &out, &errs); code != 0 {
				t.Fatalf("exit %d: %s", code, errs.String())
			}
			out.Reset()
			if code := run(t.Context(), []string{"check", path}, &out, &errs); code != 0 {
				t.Errorf("exit %d:\n%s", code, out.String())
			}
		})
	}
}

// TestOwnStationIsClean judges the worldstates that base stations make of the statuses and debug records of a match.
func TestOwnStationIsClean(t *testing.T) {
	single(t)
	path := filepath.Join(t.TempDir(), "m.mcap")
	var out, errs bytes.Buffer
	args := []string{"match", "--half", "30s", "--seed", "7", "--quiet", "--record", path}
	if code := run(t.Context(), args, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	log, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var stations [2]*station.Station
	var cards [2]*check.Card
	for i := range stations {
		if stations[i], err = station.New(station.DefaultConfig(201 + i)); err != nil {
			t.Fatal(err)
		}
		welcome := msl.Command{Name: msl.Welcome, TargetTeam: fmt.Sprintf("224.16.32.%d", 201+i)}
		b, err := welcome.AppendBinary(nil)
		if err == nil {
			_, err = stations[i].Apply(0, b)
		}
		if err != nil {
			t.Fatal(err)
		}
		cards[i] = check.NewCard("team", soccer.Field{})
	}
	checker := check.DatagramChecker{Message: func(m *check.Message) {
		s := stations[(m.From.Team+1)%2]
		switch {
		case m.From.Entity.Kind != tcm.Robot:
		case m.Type == tcm.Status:
			var status team.Status
			if status.UnmarshalBinary(m.Data) == nil {
				s.ReceiveStatus(m.From.Entity.ID, m.Time, &status)
			}
		case m.Type == tcm.Debug:
			var debug team.Debug
			if debug.UnmarshalBinary(m.Data) == nil {
				s.ReceiveDebug(m.From.Entity.ID, m.Time, &debug)
			}
		}
	}}
	var start, due soccer.Time
	number := uint64(0)
	for m, err := range log.Messages(0, 0, matchlog.TCM) {
		if err != nil {
			t.Fatal(err)
		}
		if start == 0 {
			start, due = m.Time, m.Time.Add(time.Second)
		}
		if m.Time.Sub(start) > 30*time.Second { // at half-time the robots are put elsewhere
			break
		}
		for ; due < m.Time; due = due.Add(50 * time.Millisecond) {
			for i, s := range stations {
				b, err := s.AppendWorldstate(nil, due)
				if err != nil {
					t.Fatal(err)
				}
				cards[i].Add(&check.StationMessage{Received: due, Offset: int64(number), Data: b[:len(b)-1]})
			}
		}
		p, err := matchlog.ParsePacket(m)
		if err != nil {
			t.Fatal(err)
		}
		number++
		checker.Observe(number, &p)
	}
	for i, c := range cards {
		r := c.Report()
		for _, f := range r.Findings {
			t.Errorf("team %d: %s, note %t: %s; first %s", i, f.Rule, f.Note, f.Text, f.Excerpt)
		}
		if r.Worldstates < 400 {
			t.Errorf("team %d: only %d worldstates", i, r.Worldstates)
		}
	}
}

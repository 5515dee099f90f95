package main

import (
	"io"
	"math"
	"os"

	"touchline/conform"
	"touchline/matchlog"
	"touchline/soccer"
)

// checkMCAP checks a log of ours, which may still be written or torn. What is no file is copied to one.
func checkMCAP(name string, r io.Reader) ([]conform.CardReport, error) {
	if name == "-" {
		file, err := os.CreateTemp("", "touchline-check-*.mcap")
		if err != nil {
			return nil, err
		}
		defer os.Remove(file.Name())
		defer file.Close()
		if _, err := io.Copy(file, r); err != nil {
			return nil, err
		}
		name = file.Name()
	}
	log, err := matchlog.Open(name)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if err := log.Wait(); err != nil {
		return nil, err
	}
	info := log.Info()
	named := func(side string, keys ...string) *conform.Card {
		for _, k := range keys {
			if v := info.Meta[k]; v != "" {
				return conform.NewCard(v, soccer.Field{})
			}
		}
		return conform.NewCard(side, soccer.Field{})
	}
	home := named("A", matchlog.MetaHomeShort, matchlog.MetaHome)
	away := named("B", matchlog.MetaAwayShort, matchlog.MetaAway)
	number := int64(0)
	for m, err := range log.Messages(math.MinInt64, 0, matchlog.Home, matchlog.Away) {
		if err != nil {
			return nil, err
		}
		card := home
		if m.Channel == matchlog.Away {
			card = away
		}
		number++
		card.Add(&conform.Said{Received: m.Time, Published: m.Published, Offset: number, Data: m.Data})
	}
	if info.Torn != "" {
		home.Tear()
		away.Tear()
	}
	conform.Compare(home, away)
	cards := []conform.CardReport{home.Report(), away.Report()}
	cards[0].Side, cards[1].Side = "A", "B"
	return cards, nil
}

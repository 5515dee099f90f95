package main

import (
	"cmp"
	"io"
	"math"
	"os"
	"slices"

	"touchline/matchlog"
	"touchline/reportcard"
	"touchline/soccer"
)

// checkMCAP checks a log of ours, which may still be written or torn. What is no file is copied to one.
func checkMCAP(name string, r io.Reader) ([]reportcard.Report, error) {
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
	unread := log.Wait()
	if unread != nil && messages(log) == 0 {
		return nil, unread
	}
	info := log.Info()
	home, away := reportcard.New("", soccer.Field{}), reportcard.New("", soccer.Field{})
	number := int64(0)
	for m, err := range log.Messages(math.MinInt64, 0, matchlog.Home, matchlog.Away) {
		if err != nil {
			unread = cmp.Or(unread, err)
			break
		}
		card := home
		if m.Channel == matchlog.Away {
			card = away
		}
		number++
		// In whole milliseconds, as the RefBox's zip of this log has it: it is to get the same card.
		card.Add(&reportcard.Message{Received: m.Time / 1e6 * 1e6, Published: m.Published / 1e6 * 1e6, Offset: number, Data: m.Data})
	}
	if info.Torn != "" {
		home.Tear()
		away.Tear()
	}
	if unread != nil {
		home.Fail(unread.Error())
		away.Fail(unread.Error())
	}
	home.SetTeam(cmp.Or(info.Meta[matchlog.MetaHomeShort], info.Meta[matchlog.MetaHome], home.OwnName(), "A"))
	away.SetTeam(cmp.Or(info.Meta[matchlog.MetaAwayShort], info.Meta[matchlog.MetaAway], away.OwnName(), "B"))
	reportcard.Compare(home, away)
	cards := []reportcard.Report{home.Report(), away.Report()}
	cards[0].Side, cards[1].Side = "A", "B"
	// Of a side that was never given to anybody there is not even an empty window; in a demo it is one of the two.
	kept := cards[:0]
	for i, channels := range [2][]string{{matchlog.Home, matchlog.HomeEmpty}, {matchlog.Away, matchlog.AwayEmpty}} {
		if slices.ContainsFunc(info.Channels, func(c matchlog.ChannelInfo) bool { return slices.Contains(channels, c.Name) && c.Count > 0 }) {
			kept = append(kept, cards[i])
		}
	}
	if len(kept) == 0 {
		return cards, nil
	}
	return kept, nil
}

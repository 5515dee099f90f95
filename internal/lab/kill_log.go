package lab

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
)

// journal is a game as its log has it.
type journal struct {
	path      string
	began     soccer.Time
	decisions []game.Decision
	commands  []string // messages to the teams, of all connections
	states    int
	info      matchlog.Info
}

// check reads the log after a kill: it must have every acknowledged decision, and no other but the unanswered one.
func (k *killing) check() {
	where := fmt.Sprintf("%s, kill %d", k.dir, k.report.Kills)
	before := len(k.journal.commands)
	j, err := k.read()
	if err != nil {
		k.report.fail("%s: %v", where, err)
		return
	}
	if j.info.Torn != "" {
		k.report.Torn++
	}
	k.journal = j
	switch more := len(j.decisions) - len(k.acked); {
	case more < 0 || more > 1 || more == 1 && k.unanswered == nil:
		k.report.fail("%s: %d decisions were acknowledged, the journal has %d", where, len(k.acked), len(j.decisions))
	case more == 1:
		k.report.Unasked++
		k.acked = append(k.acked, *k.unanswered)
	}
	for i := range min(len(k.acked), len(j.decisions)) {
		if !sameDecision(j.decisions[i], k.acked[i]) {
			k.report.fail("%s: decision %d is %+v, acknowledged was %+v", where, i+1, j.decisions[i], k.acked[i])
			break
		}
	}
	k.checkCommands(where, j.commands[min(before, len(j.commands)):])
	k.unanswered = nil
	g, err := game.Replay(game.DefaultRules(), j.began, j.decisions)
	if err != nil {
		k.report.fail("%s: %v", where, err)
		return
	}
	k.game = g
}

// checkCommands compares the commands that the base stations received with those in the journal.
func (k *killing) checkCommands(where string, journalled []string) {
	for _, s := range k.stations {
		received := s.take()
		n := len(received)
		k.report.Commands += n
		switch {
		case contains(journalled, received):
		// A STOP that changes nothing is sent before it is written.
		case n > 0 && k.unanswered != nil && k.unanswered.Command == game.Stop && contains(journalled,
			received[:n-1]) &&
			strings.Contains(received[n-1], `"STOP"`):
			k.report.StopsAhead++
		default:
			k.report.fail("%s: team %d received %d commands that are not among the %d of the journal", where, s.team, n,
				len(journalled))
		}
	}
}

// sameDecision reports whether a journal has the requested decision, to which it adds version, time and the target of
// UNDO.
func sameDecision(a, b game.Decision) bool {
	a.Version, a.Time, b.Version, b.Time = 0, 0, 0, 0
	if a.Command == game.Undo || a.Command == game.Redo {
		a.Ref, b.Ref = 0, 0
	}
	return a == b
}

// read reads the only log in the folder, and exports it.
func (k *killing) read() (j journal, err error) {
	found, err := filepath.Glob(filepath.Join(k.dir, "*.mcap"))
	if err != nil || len(found) > 1 {
		return j, fmt.Errorf("%d logs, %w", len(found), err)
	}
	if len(found) == 0 && len(k.acked) == 0 {
		return j, nil
	}
	if len(found) == 0 {
		return j, errors.New("no log")
	}
	l, err := matchlog.Open(found[0])
	if err != nil {
		return j, err
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		return j, err
	}
	j.path, j.info = found[0], l.Info()
	for m, err := range l.Messages(0, math.MaxInt64) {
		if err == nil {
			err = j.add(&m)
		}
		if err != nil {
			return j, err
		}
	}
	began, err := strconv.ParseInt(j.info.Meta[matchlog.MetaBegan], 10, 64)
	if err != nil {
		return j, fmt.Errorf("the log has no start of the game: %w", err)
	}
	j.began = soccer.Time(began)
	return j, checkExport(l)
}

// add adds a message of the log.
func (j *journal) add(m *matchlog.Message) error {
	switch m.Channel {
	case matchlog.Decisions:
		d, err := refbox.ParseDecision(m.Data)
		if err != nil {
			return err
		}
		j.decisions = append(j.decisions, d)
	case matchlog.Commands:
		if !bytes.Contains(m.Data, []byte(`"WELCOME"`)) {
			j.commands = append(j.commands, string(m.Data))
		}
	case matchlog.States:
		j.states++
		if !json.Valid(m.Data) {
			return fmt.Errorf("state %d is not JSON", j.states)
		}
	}
	return nil
}

// contains reports whether some is a part of all without gaps, as package pace sends it: before it reconnects a team
// misses messages.
func contains(all, some []string) bool {
	for i := range all {
		if paced(all[i:], some) {
			return true
		}
	}
	return len(some) == 0
}

// paced reports whether received begins like the decided messages, apart from each STOP: it may overtake messages, and
// makes those void that move robots.
func paced(decided, received []string) bool {
	early := map[int]bool{} // each STOP that arrived before its turn
	stops := 0              // those whose turn has not come
	i := 0
	for _, message := range received {
		for i < len(decided) && (early[i] || stops > 0 && decided[i] != message && movesRobots(decided[i])) {
			if early[i] {
				stops--
			}
			i++
		}
		if i < len(decided) && decided[i] == message {
			i++
			continue
		}
		next := i
		for next < len(decided) && (early[next] || !isStop(decided[next])) {
			next++
		}
		if !isStop(message) || next >= len(decided) {
			return false
		}
		early[next] = true
		stops++
	}
	return true
}

func isStop(message string) bool { return strings.Contains(message, `"STOP"`) }

// movesRobots reports whether a STOP makes a waiting message void.
func movesRobots(message string) bool {
	return slices.ContainsFunc([]string{"START", "KICKOFF", "FREEKICK", "GOALKICK", "THROWIN", "CORNER", "PENALTY",
		"DROP_BALL", "PARK"}, func(command string) bool { return strings.Contains(message, strconv.Quote(command)) })
}

// checkExport exports the RefBox's zip of a log and reads it with the standard library.
func checkExport(l *matchlog.Log) error {
	var b bytes.Buffer
	if err := matchlog.Write(&b, l, matchlog.Options{}); err != nil {
		return fmt.Errorf("the export: %w", err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return fmt.Errorf("the exported zip: %w", err)
	}
	if len(z.File) != 3 {
		return fmt.Errorf("the exported zip has %d members, want 3", len(z.File))
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err == nil && (strings.HasSuffix(f.Name, ".A.msl") || strings.HasSuffix(f.Name, ".B.msl")) {
			err = checkRecords(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// checkRecords checks a team's records in the export.
func checkRecords(text []byte) error {
	var records []struct {
		TeamName   *string
		Timestamp  *int64
		GameMillis *int64 `json:"gametimeMs"`
		Worldstate map[string]any
	}
	if err := json.Unmarshal(text, &records); err != nil {
		return err
	}
	for i, r := range records {
		if r.TeamName == nil || r.Timestamp == nil || r.GameMillis == nil || r.Worldstate["type"] != "worldstate" {
			return fmt.Errorf("record %d lacks a key", i+1)
		}
	}
	return nil
}

// compare compares the pages after a start with the game of the journal.
func (k *killing) compare(show refbox.Show, referee refbox.RefereeShow) {
	where := fmt.Sprintf("%s, kill %d", k.dir, k.report.Kills)
	now := soccer.Time(show.Time * 1e6)
	k.game.Tick(now)
	s := k.game.State()
	type seen struct {
		Part           game.Part
		Running        bool
		Home, Away     int
		SetPiece       game.SetPiece
		Subs, AwaySubs int
		Pending        int
	}
	got := seen{
		show.Part, show.Running, show.Home.Goals, show.Away.Goals, show.SetPiece,
		show.Home.Substitutions, show.Away.Substitutions, len(referee.Pending),
	}
	want := seen{
		s.Part, s.Running, s.Home.Goals, s.Away.Goals, s.SetPiece,
		s.Home.Substitutions, s.Away.Substitutions, len(s.Home.Pending()) + len(s.Away.Pending()),
	}
	if got != want {
		k.report.fail("%s: the pages show %+v, the journal %+v", where, got, want)
	}
	if d := math.Abs(show.Total - s.Total.Seconds()); d > 0.05 {
		k.report.fail("%s: the clock shows %.3f s, the journal has %.3f s", where, show.Total, s.Total.Seconds())
	}
	if d := math.Abs(show.Effective - s.Effective.Seconds()); d > 0.05 {
		k.report.fail("%s: the effective clock shows %.3f s, the journal has %.3f s", where, show.Effective,
			s.Effective.Seconds())
	}
}

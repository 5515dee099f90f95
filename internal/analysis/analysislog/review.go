package analysislog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/matchlog"
	"touchline/soccer"
)

// mostRulings bounds the decisions of a log that are listed, and those that are replayed: both far more than a day has.
const mostRulings = 20_000

// Decisions are the decisions of a log.
type Decisions struct {
	Names     [2]string         `json:"names"`     // of the teams, home and away
	Start     float64           `json:"start"`     // of the log, ms since 1970
	Decisions []analysis.Ruling `json:"decisions"` // oldest first, at most 20,000
}

// ListDecisions returns the decisions of a log: those that its referee box recorded with their verdicts, or without
// them those that the RefBox's lines tell, or those that show in the state of the game. It waits until the log is
// indexed.
func ListDecisions(l *matchlog.Log) (Decisions, error) {
	if err := l.Wait(); err != nil && l.Info().Start == 0 {
		return Decisions{}, err
	}
	info := l.Info()
	out := Decisions{
		Names: [2]string{info.Home, info.Away}, Start: matchlog.Millis(info.Start), Decisions: []analysis.Ruling{},
	}
	var err error
	for _, list := range []func(*matchlog.Log) ([]analysis.Ruling, error){decided, told, shown} {
		var all []analysis.Ruling
		if all, err = list(l); err != nil || len(all) > 0 {
			out.Decisions = append(out.Decisions, all...)
			break
		}
	}
	for i := range out.Decisions {
		d := &out.Decisions[i]
		d.Number, d.Time = i+1, matchlog.Millis(d.At)
	}
	if err != nil {
		return out, err
	}
	return out, addVerdicts(l, out.Decisions)
}

// Reviews are the reviews of decisions in logs. They remember the decisions of the newest log: a packed record is
// unpacked as a whole to find them. Its methods may be called from any goroutine.
type Reviews struct {
	mu    sync.Mutex
	log   *matchlog.Log
	size  uint64 // messages of log when it was listed
	list  Decisions
	match Match
	err   error // of Describe
}

// Decisions returns the decisions of a log, as ListDecisions does.
func (v *Reviews) Decisions(l *matchlog.Log) (Decisions, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.read(l)
	return v.list, err
}

// read reads the decisions of a log, if they are not those that are remembered. It requires v.mu.
func (v *Reviews) read(l *matchlog.Log) error {
	if err := l.Wait(); err != nil && l.Info().Start == 0 {
		return err
	}
	size, about := uint64(0), Describe
	for _, c := range l.Info().Channels {
		size += c.Count
		if c.Name == matchlog.Decisions && c.Count > 0 {
			about = describe // a referee box wrote it: nothing has to be read from its lines
		}
	}
	if l != v.log || size != v.size {
		list, err := ListDecisions(l)
		if err != nil {
			return err
		}
		v.log, v.size, v.list = l, size, list
		v.match, v.err = about(l)
	}
	return nil
}

// Review measures the decision of this number. The error says that the log has none.
func (v *Reviews) Review(l *matchlog.Log, number int) (analysis.Review, error) {
	v.mu.Lock()
	err := v.read(l)
	list, m := v.list.Decisions, v.match
	if err == nil {
		err = v.err
	}
	v.mu.Unlock()
	if err != nil {
		return analysis.Review{}, err
	}
	r, err := analysis.NewReviewer(list, number)
	if err != nil {
		return analysis.Review{}, err
	}
	r.Names, r.Field, r.Origin, r.Rules = m.Names, m.Field, m.Origin, rulesOf(l).Name
	for _, span := range r.Spans() {
		o := Options{Beliefs: true, Stations: true, From: span[0], To: span[1]}
		if err := m.Read(l, o, func(f *analysis.Frame) error { r.Add(f); return nil }); err != nil {
			return analysis.Review{}, err
		}
	}
	return r.Review(), nil
}

// Serve is the part review of a log's address: Decisions, and with decision=N the Review of that decision.
func (v *Reviews) Serve(l *matchlog.Log, parameter func(string) string) (any, error) {
	text := parameter("decision")
	if text == "" {
		return v.Decisions(l)
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return nil, fmt.Errorf("decision=%.40q: want the number of a decision, from 1", text)
	}
	return v.Review(l, number)
}

// rulesOf returns the rules that a log names, or those of this year.
func rulesOf(l *matchlog.Log) game.Rules {
	rules := game.DefaultRules()
	_ = json.Unmarshal([]byte(l.Info().Meta[matchlog.MetaRules]), &rules) // what is no JSON keeps the default
	return rules
}

// decided returns the decisions of a referee box.
func decided(l *matchlog.Log) ([]analysis.Ruling, error) {
	var made []game.Decision
	var all []analysis.Ruling
	for m, err := range l.Messages(0, 0, matchlog.Decisions) {
		if err != nil {
			return nil, err
		}
		var d game.Decision
		if json.Unmarshal(m.Data, &d) != nil || len(all) == mostRulings {
			continue
		}
		made = append(made, d)
		all = append(all, analysis.Ruling{At: m.Time, Command: d.Command, Side: d.Side, Robot: d.Robot})
	}
	if len(all) == 0 {
		return nil, nil
	}
	began := made[0].Time
	if ns, err := strconv.ParseInt(l.Info().Meta[matchlog.MetaBegan], 10, 64); err == nil {
		began = soccer.Time(ns)
	}
	// Of decisions that these rules refuse, the rest has neither part nor clock.
	if g, _ := game.Replay(rulesOf(l), began, made); g != nil {
		for i := range g.Log() {
			e := &g.Log()[i]
			all[i].Part, all[i].Clock, all[i].Gone = e.Part, e.Total.Seconds(), !e.InEffect()
		}
	}
	return all, nil
}

// lineNames are the decisions in the lines of a RefBox besides the set pieces, in small letters without spaces.
var lineNames = map[string]game.Command{
	"goal": game.Goal, "subgoal": game.SubGoal, "cancelgoal": game.SubGoal, "goal-": game.SubGoal, "goal+": game.Goal,
	"start": game.Start, "gamestart": game.Start, "stop": game.Stop, "gamestop": game.Stop,
	"yellowcard": game.YellowCard, "yellow": game.YellowCard, "redcard": game.RedCard, "red": game.RedCard,
	"repair": game.Repair, "substitution": game.Substitution, "park": game.Park,
}

// told returns the decisions that the lines of a RefBox tell.
func told(l *matchlog.Log) ([]analysis.Ruling, error) {
	s, err := l.Summary("")
	if err != nil {
		return nil, err
	}
	plain := strings.NewReplacer(" ", "", "_", "", "-", "")
	var all []analysis.Ruling
	for i := range s.Events {
		e := &s.Events[i]
		switch e.Kind {
		case "command", "goal", "card":
		default:
			continue
		}
		name := strings.ToLower(e.Text)
		short := plain.Replace(name)
		command := cmp.Or(pieceNames[short], lineNames[short], lineNames[strings.ReplaceAll(name, " ", "")])
		if command == "" || len(all) == mostRulings {
			continue
		}
		at := soccer.Time(e.T * float64(time.Millisecond))
		all = append(all, analysis.Ruling{At: at, Command: command, Side: game.Side(e.Side), Robot: e.Robot})
	}
	return all, nil
}

// shown returns the decisions that show in the state of the game.
func shown(l *matchlog.Log) ([]analysis.Ruling, error) {
	var all []analysis.Ruling
	var was game.State
	begun := false
	for m, err := range l.Messages(0, 0, matchlog.States) {
		if err != nil {
			return nil, err
		}
		var now game.State
		if json.Unmarshal(m.Data, &now) != nil {
			continue
		}
		if begun && len(all) < mostRulings-8 {
			for _, r := range changes(&was, &now) {
				r.At, r.Part, r.Clock = m.Time, now.Part, now.Total.Seconds()
				all = append(all, r)
			}
		}
		was, begun = now, true
	}
	return all, nil
}

// changes returns the decisions that lie between two states.
func changes(was, now *game.State) (all []analysis.Ruling) {
	add := func(c game.Command, side game.Side) { all = append(all, analysis.Ruling{Command: c, Side: side}) }
	if was.Running && !now.Running {
		add(game.Stop, game.Both)
	}
	for _, side := range game.Sides {
		switch had, has := was.Team(side).Goals, now.Team(side).Goals; {
		case has > had:
			add(game.Goal, side)
		case has < had:
			add(game.SubGoal, side)
		}
		if had, has := was.Team(side).Penalties, now.Team(side).Penalties; len(has) > len(had) {
			for _, p := range has[len(had):][:min(len(has)-len(had), 3)] {
				all = append(all, analysis.Ruling{Command: p.Command, Side: side, Robot: p.Robot})
			}
		}
	}
	if p := now.SetPiece; p.Command != "" && p != was.SetPiece {
		add(p.Command, p.Side)
	}
	if !was.Running && now.Running {
		add(game.Start, game.Both)
	}
	return all
}

// addVerdicts adds the newest verdict of each decision.
func addVerdicts(l *matchlog.Log, all []analysis.Ruling) error {
	for m, err := range l.Messages(0, 0, matchlog.Verdicts) {
		if err != nil {
			return err
		}
		var v game.Verdict
		if json.Unmarshal(m.Data, &v) == nil && v.Decision >= 1 && v.Decision <= len(all) {
			all[v.Decision-1].Verdict = &v
		}
	}
	return nil
}

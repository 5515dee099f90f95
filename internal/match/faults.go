package match

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/msl"
)

// Fault is trouble during a match, from one time of the match's clock to another.
type Fault struct {
	From, To time.Duration // since the start of the match
	What     Trouble
	Side     game.Side // of Crash and Gone
	Robot    uint8     // of Crash: jersey number
}

// Trouble is a kind of Fault.
type Trouble string

// The kinds of trouble.
const (
	Crash  Trouble = "crash"
	Gone   Trouble = "gone"
	Silent Trouble = "silent"
)

// Forever is the end of a fault that lasts.
const Forever time.Duration = math.MaxInt64 / 4

// restartAfter is the time after which crashed software starts again.
const restartAfter = 3 * time.Second

// FaultKind is a row of the table of faults.
type FaultKind struct {
	Name    Trouble
	Syntax  string // of a Fault as text: name, team, robot, begin and end
	Example string
	Help    string

	side, robot bool // it needs them
	ends        bool // it needs an end
	set         func(m *Match, f *Fault, begins bool)
}

// Faults returns the table of faults. The flag --fault, the pages, the laboratory and docs/match.md know faults by it.
func Faults() []FaultKind {
	return []FaultKind{
		{
			Name: Crash, Syntax: "crash home|away ROBOT BEGIN [END]", Example: "crash home 1 10s 20s", side: true, robot: true,
			Help: "the software of a robot ends without a word, and starts again at the end", set: (*Match).crash,
		}, {
			Name: Gone, Syntax: "gone home|away BEGIN [END]", Example: "gone away 30s", side: true,
			Help: "the software of all robots of a team ends, and starts again at the end", set: (*Match).crash,
		}, {
			Name: Silent, Syntax: "silent BEGIN END", Example: "silent 30s 33s", ends: true,
			Help: "the connection between referee box and base stations is down", set: (*Match).silence,
		},
	}
}

// kind returns the row of a fault, nil for an unknown one.
func (f *Fault) kind() *FaultKind {
	table := Faults()
	if i := slices.IndexFunc(table, func(k FaultKind) bool { return k.Name == f.What }); i >= 0 {
		return &table[i]
	}
	return nil
}

// ParseFault reads a fault as text: "crash home 1 10s 20s". Without an end it lasts.
func ParseFault(text string) (Fault, error) {
	f := Fault{To: Forever}
	var times []time.Duration
	understood := true
	for i, w := range strings.Fields(text) {
		number, notNumber := strconv.ParseUint(w, 10, 8)
		d, notTime := time.ParseDuration(w)
		switch {
		case i == 0:
			f.What = Trouble(w)
		case i == 1 && (w == string(game.Home) || w == string(game.Away)):
			f.Side = game.Side(w)
		case i == 2 && notNumber == nil:
			f.Robot = uint8(number)
		case notTime == nil && len(times) < 2:
			times = append(times, d)
		default:
			understood = false
		}
	}
	switch kind := f.kind(); {
	case !understood || len(times) == 0:
		var examples []string
		for _, k := range Faults() {
			examples = append(examples, "'"+k.Example+"'")
		}
		last := len(examples) - 1
		return f, fmt.Errorf("%.60q: want %s or %s; without the second time, crash and gone last", text,
			strings.Join(examples[:last], ", "), examples[last])
	case len(times) == 2:
		f.To = times[1]
	case kind != nil && kind.ends:
		return f, fmt.Errorf("%.60q: give the time at which it ends: no part ends without the referee box", text)
	}
	f.From = times[0]
	return f, nil
}

// validate returns an error that says what a fault of a match needs.
func (f *Fault) validate(cfg *MatchConfig) error {
	kind, side := f.kind(), f.Side == game.Home || f.Side == game.Away
	switch {
	case f.From < 0 || f.To <= f.From || f.To > Forever:
		return fmt.Errorf("fault %s from %v to %v: want times from 0 on, the end after the start", f.What, f.From, f.To)
	case kind != nil && !kind.side && f.Side == game.Both && f.Robot == 0:
		return nil
	case !side:
		return fmt.Errorf("fault %.40q: want crash or gone of home or away, or silent", f.What)
	case kind != nil && kind.side && !kind.robot && f.Robot == 0:
		return nil
	case kind != nil && kind.robot && f.Robot >= 1 && int(f.Robot) <= cfg.Team(f.Side).Robots:
		return nil
	}
	return fmt.Errorf("fault %.40q of %s %d: want the crash of a robot from 1 to %d, gone without a number, or silent without a side",
		f.What, f.Side, f.Robot, cfg.Team(f.Side).Robots)
}

// schedule schedules begin and end of a valid fault.
func (m *Match) schedule(f Fault) {
	kind := f.kind()
	m.at(soccer.Epoch.Add(f.From), func() { kind.set(m, &f, true) })
	m.at(soccer.Epoch.Add(f.To), func() { kind.set(m, &f, false) })
}

// Trouble adds a fault during the match. A begin before now counts as now. The error is that of Config.Validate.
func (m *Match) Trouble(f Fault) error {
	f.From = max(f.From, m.now.Sub(soccer.Epoch))
	if err := f.validate(&m.cfg); err != nil {
		return err
	}
	m.cfg.Faults = append(m.cfg.Faults, f)
	m.schedule(f)
	return nil
}

// Crash ends the software of a robot now. It starts again after three seconds. The error is that of Config.Validate.
func (m *Match) Crash(side game.Side, robot uint8) error {
	return m.Trouble(Fault{To: m.now.Sub(soccer.Epoch) + restartAfter, What: Crash, Side: side, Robot: robot})
}

// crash ends the software of one robot or of all robots of a team, or starts it again.
func (m *Match) crash(f *Fault, begins bool) {
	for i := range m.players {
		p := &m.players[i]
		if p.side != f.Side || f.Robot != 0 && p.number != f.Robot {
			continue
		}
		switch {
		case begins && p.robot != nil:
			p.stop()
			m.Note("crash", p.number, fmt.Sprintf("%s %d crashed", p.side, p.number))
		case !begins && p.robot == nil:
			m.fail(m.start(i))
			m.Note("on", p.number, fmt.Sprintf("%s %d starts again", p.side, p.number))
		}
	}
}

// silence ends the connections of the base stations to the referee box, or opens them again.
func (m *Match) silence(_ *Fault, begins bool) {
	m.referee.silent = begins
	for i := range m.bases {
		b := &m.bases[i]
		if begins {
			b.core.Disconnect()
			continue
		}
		b.command(m, &msl.Command{Name: msl.Welcome, TargetTeam: b.group})
		for _, message := range m.game.State().Resync() {
			b.command(m, wireCommand(&message))
		}
	}
	if begins {
		m.Note("referee", 0, "the referee box is silent")
	} else {
		m.Note("referee", 0, "the referee box is back")
	}
}

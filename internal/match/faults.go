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
	"touchline/wire/team"
)

// Fault is trouble in a session or match. In a match it lasts from one time of the match's clock to another.
type Fault struct {
	From, To time.Duration // since the start of the match
	What     Trouble
	Side     game.Side       // in a match: of all but Silent
	Robot    uint8           // of Crash, Mirror and Penalise: jersey number
	Robots   soccer.RobotSet `json:",omitempty"` // of Partition: those on one side of it
}

// Trouble is a kind of Fault.
type Trouble string

// The kinds of trouble.
const (
	Crash     Trouble = "crash"
	Gone      Trouble = "gone"
	Silent    Trouble = "silent"
	Partition Trouble = "partition"
	Mirror    Trouble = "mirror"
	Penalise  Trouble = "penalise"
)

// forever is the end of a fault that lasts.
const forever time.Duration = math.MaxInt64 / 4

// restartAfter is the time after which crashed software starts again.
const restartAfter = 3 * time.Second

// FaultKind is a row of the table of faults.
type FaultKind struct {
	Name    Trouble
	Syntax  string // syntax of a Fault as text: name, team, robots, begin and end
	Example string
	Help    string

	side, robot, robots bool          // it needs them
	ends                bool          // as text it needs an end
	lasts               time.Duration // without an end: a page begins it, and nobody ends it. 0: until the page ends it

	// match and session begin or end the fault. nil: a match or session has no such fault
	match   func(m *Match, f *Fault, begins bool) error
	session func(s *Session, f *Fault, begins bool) error
}

// faults returns the table of faults: a fault is a row, and the functions that begin and end it.
func faults() []FaultKind {
	return []FaultKind{
		{
			Name: Crash, Syntax: "crash home|away ROBOT BEGIN [END]", Example: "crash home 1 10s 20s", side: true, robot: true,
			Help:  "a robot's software crashes without warning, and restarts at the end",
			lasts: restartAfter, match: (*Match).crash, session: (*Session).crash,
		}, {
			Name: Gone, Syntax: "gone home|away BEGIN [END]", Example: "gone away 30s", side: true,
			Help: "the software of a whole team crashes, and restarts at the end", match: (*Match).crash,
		}, {
			Name: Silent, Syntax: "silent BEGIN END", Example: "silent 30s 33s", ends: true,
			Help: "the connection between the referee box and the base stations is down", match: (*Match).silence,
		}, {
			Name: Partition, Syntax: "partition home|away ROBOTS BEGIN [END]", Example: "partition home 2,4 10s 20s",
			Help: "these robots and the rest of their team cannot reach each other", side: true, robots: true,
			match: (*Match).part, session: (*Session).part,
		}, {
			Name: Mirror, Syntax: "mirror home|away ROBOT BEGIN [END]", Example: "mirror away 3 10s 20s", side: true, robot: true,
			Help:  "a robot mistakes one half of the field for the other",
			match: (*Match).mirror, session: (*Session).mirror,
		}, {
			Name: Penalise, robot: true, session: (*Session).penalise, // in a match the referee does it
			Help: "the station tells the robots that the referee has sent one of them off",
		},
	}
}

// Once reports whether a page only begins the fault: it ends by itself, or by one without robots.
func (k *FaultKind) Once() bool { return k.lasts > 0 || k.robots }

// Faults returns the faults of a match. The flag --fault, the pages, the laboratory and docs/match.md know faults by it.
func Faults() []FaultKind {
	return slices.DeleteFunc(faults(), func(k FaultKind) bool { return k.match == nil })
}

// SessionFaults returns the faults of a session.
func SessionFaults() []FaultKind {
	return slices.DeleteFunc(faults(), func(k FaultKind) bool { return k.session == nil })
}

// kind returns the row of a fault, an empty one for an unknown fault.
func (f *Fault) kind() FaultKind {
	table := faults()
	if i := slices.IndexFunc(table, func(k FaultKind) bool { return k.Name == f.What }); i >= 0 {
		return table[i]
	}
	return FaultKind{}
}

// ParseFault reads a fault as text: "crash home 1 10s 20s". Without an end it lasts.
func ParseFault(text string) (Fault, error) {
	f := Fault{To: forever}
	var times []time.Duration
	understood := true
	for i, w := range strings.Fields(text) {
		robots, numbers := parseRobots(w)
		d, notTime := time.ParseDuration(w)
		switch {
		case i == 0:
			f.What = Trouble(w)
		case i == 1 && (w == string(game.Home) || w == string(game.Away)):
			f.Side = game.Side(w)
		case i == 2 && f.kind().robots && len(numbers) > 0:
			f.Robots = robots
		case i == 2 && len(numbers) == 1:
			f.Robot = numbers[0]
		case notTime == nil && len(times) < 2:
			times = append(times, d)
		default:
			understood = false
		}
	}
	switch kind := f.kind(); {
	case !understood || len(times) == 0 || kind.robots && f.Robots == 0:
		var examples []string
		for _, k := range Faults() {
			examples = append(examples, "'"+k.Example+"'")
		}
		last := len(examples) - 1
		return f, fmt.Errorf("%.60q: want %s or %s; without the second time, all but silent last", text,
			strings.Join(examples[:last], ", "), examples[last])
	case len(times) == 2:
		f.To = times[1]
	case kind.ends:
		return f, fmt.Errorf("%.60q: an end time is required: no half can end without the referee box", text)
	}
	f.From = times[0]
	return f, nil
}

// parseRobots reads jersey numbers such as "3" or "2,4". It returns none for another text.
func parseRobots(text string) (set soccer.RobotSet, all []uint8) {
	for w := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(w, 10, 8)
		if err != nil {
			return 0, nil
		}
		set, all = set.With(uint8(n)), append(all, uint8(n))
	}
	return set, all
}

// validate returns an error that says what a fault of a match needs.
func (f *Fault) validate(cfg *MatchConfig) error {
	kind, most := f.kind(), cfg.Team(f.Side).Robots
	switch sided := f.Side == game.Home || f.Side == game.Away; {
	case f.From < 0 || f.To <= f.From || f.To > forever:
		return fmt.Errorf("fault %s from %v to %v: want times from 0 on, the end after the start", f.What, f.From, f.To)
	case kind.match == nil, kind.side != sided, kind.robot != (f.Robot != 0), int(f.Robot) > most,
		!kind.robots && f.Robots != 0, f.Robots&1 != 0, f.Robots>>(most+1) != 0:
		return fmt.Errorf("fault %.40q of %s %d: want the crash or mirror of a robot from 1 to %d, a partition of such robots, "+
			"gone without a number, or silent without a side", f.What, f.Side, f.Robot, most)
	}
	return nil
}

// schedule schedules begin and end of a valid fault.
func (m *Match) schedule(f Fault) {
	kind := f.kind()
	m.at(soccer.Epoch.Add(f.From), func() { m.fail(kind.match(m, &f, true)) })
	m.at(soccer.Epoch.Add(f.To), func() { m.fail(kind.match(m, &f, false)) })
}

// SetFault begins or ends a fault now. It ends by itself at To, or for 0 after the time that its kind lasts. The error is
// that of Config.Validate.
func (m *Match) SetFault(f Fault, begins bool) error {
	kind := f.kind()
	kind.period(&f, m.now)
	if err := f.validate(&m.cfg); err != nil {
		return err
	}
	return m.set(&f, begins, func(begins bool) error { return kind.match(m, &f, begins) })
}

// SetFault begins or ends a fault now. It ends by itself at To, or for 0 after the time that its kind lasts. The error says
// why the session or its robot cannot have it.
func (s *Session) SetFault(f Fault, begins bool) error {
	kind := f.kind()
	if kind.session == nil {
		return fmt.Errorf("match: the session has no fault %.40q", f.What)
	}
	kind.period(&f, s.now)
	return s.set(&f, begins, func(begins bool) error { return kind.session(s, &f, begins) })
}

// period completes the times of a fault that begins now.
func (k *FaultKind) period(f *Fault, now soccer.Time) {
	f.From = now.Sub(soccer.Epoch)
	switch {
	case f.To == 0 && k.lasts > 0:
		f.To = f.From + k.lasts
	case f.To == 0:
		f.To = forever
	}
}

// set begins or ends a fault, and schedules the end of one that begins.
func (c *core) set(f *Fault, begins bool, set func(begins bool) error) error {
	if err := set(begins); err != nil || !begins || f.To >= forever {
		return err
	}
	c.after(f.To-f.From, func() { _ = set(false) }) // a robot that is gone meanwhile has no fault to end
	return nil
}

// crash ends the software of one robot or of all robots of a team, or starts it again.
func (m *Match) crash(f *Fault, begins bool) error {
	for i := range m.players {
		p := &m.players[i]
		if p.side != f.Side || f.Robot != 0 && p.number != f.Robot {
			continue
		}
		switch {
		case begins && p.robot != nil:
			p.stop()
			p.back = soccer.Epoch.Add(f.To)
			m.Note("crash", p.number, fmt.Sprintf("%s %d crashed", p.side, p.number))
		case !begins && p.robot == nil:
			m.fail(m.start(i))
			m.Note("on", p.number, fmt.Sprintf("%s %d starts again", p.side, p.number))
		}
	}
	return nil
}

// crash ends the software of a robot at once, without a word to its teammates, and starts it again with a blank memory
// unless it was switched on or off meanwhile. A robot whose software runs outside the session cannot crash here.
func (s *Session) crash(f *Fault, begins bool) error {
	i := s.slot(f.Robot)
	if i < 0 {
		return errNotOnField(f.Robot)
	}
	at, began := &s.slots[i], soccer.Epoch.Add(f.From)
	switch {
	case !begins && at.crashed == began && !at.off && at.robot == nil && at.outside == nil:
		return s.Switch(f.Robot, true)
	case !begins:
		return nil
	case at.robot == nil:
		return fmt.Errorf("match: robot %d has no software in this session to crash", f.Robot)
	}
	s.stop(i)
	at.crashed = began
	s.Note("crash", f.Robot, fmt.Sprintf("%d crashed", f.Robot))
	return nil
}

// silence ends the connections of the base stations to the referee box, or opens them again.
func (m *Match) silence(_ *Fault, begins bool) error {
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
	return nil
}

// part lets nothing pass between robots and the others of their team, or heals the network. Without robots it heals it.
func (m *Match) part(f *Fault, begins bool) error {
	switch changed := m.ether.links.part(f.Side.Index(), f.Robots, begins); {
	case changed && m.Apart(f.Side) == 0:
		m.Note("heal", 0, string(f.Side)+" is connected again")
	case changed:
		m.Note("partition", 0, "robots of "+string(f.Side)+" are cut off")
	}
	return nil
}

// part lets nothing pass between robots and the others, neither packages nor messages, or heals the network. Without robots
// it heals it. Computers reach all robots.
func (s *Session) part(f *Fault, begins bool) error {
	var names []string
	for n := range uint8(64) {
		switch {
		case !f.Robots.Has(n):
		case n < 1 || n > maxMembers:
			return fmt.Errorf("match: partition: robot %d: want 1 to %d", n, maxMembers)
		default:
			names = append(names, fmt.Sprint(n))
		}
	}
	switch changed := s.links.part(0, f.Robots, begins); {
	case changed && s.links.apart[0] == 0:
		s.Note("heal", 0, "all robots reach each other again")
	case changed:
		s.Note("partition", 0, fmt.Sprintf("%s cut off from the other robots", strings.Join(names, ", ")))
	}
	return nil
}

// mirror lets the self-localisation of a robot take one half of the field for the other, or heals it: both halves look
// alike. The robot's percepts lie mirrored at the centre, too, until its software ends.
func (c *core) mirror(u *unit, name string, begins bool) error {
	if u.robot == nil && u.outside == nil {
		return fmt.Errorf("match: robot %s is switched off", name)
	}
	if u.mirrored == begins {
		return nil
	}
	u.mirrored = begins
	text := "pose of %s mirrored"
	if !begins {
		text = "pose of %s right again"
	}
	c.Note("mirror", u.number, fmt.Sprintf(text, name))
	return nil
}

func (m *Match) mirror(f *Fault, begins bool) error {
	return m.core.mirror(&m.player(f.Side, f.Robot).unit, fmt.Sprintf("%s %d", f.Side, f.Robot), begins)
}

func (s *Session) mirror(f *Fault, begins bool) error {
	i := s.slot(f.Robot)
	if i < 0 {
		return errNotOnField(f.Robot)
	}
	return s.core.mirror(&s.slots[i].unit, fmt.Sprint(f.Robot), begins)
}

// penalise tells the robots that the referee has sent one of them off, or lets it play again: it stays where it is and does
// not play. The team's station repeats this to all robots over the TCM.
func (s *Session) penalise(f *Fault, begins bool) error {
	if s.slot(f.Robot) < 0 {
		return errNotOnField(f.Robot)
	}
	if s.penalised.Has(f.Robot) == begins {
		return nil
	}
	s.penalised ^= soccer.RobotSet(0).With(f.Robot)
	s.decisions++
	text := "%d penalised"
	if !begins {
		text = "%d plays again"
	}
	s.Note("penalise", f.Robot, fmt.Sprintf(text, f.Robot))
	s.refer()
	return nil
}

// refereePeriod is the time between two messages with the state of the game to the robots.
const refereePeriod = 200 * time.Millisecond

// refer sends the state of the game to the robots. The practical session is no game: robots move, and operators may
// drive them.
func (s *Session) refer() {
	if s.radio == nil {
		return
	}
	s.radio.Refer(&team.Referee{State: team.Running, Part: team.BeforeGame, Sequence: s.decisions, Out: uint64(s.penalised)})
}

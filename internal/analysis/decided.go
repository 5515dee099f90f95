package analysis

import (
	"cmp"
	"slices"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// Decided receives what the robots of a match told of their own decisions: who goes to the ball, and the states of their
// machines, with their times in the log.
type Decided interface {
	Booked(at soccer.Time, side game.Side, b *Booked)
	State(at soccer.Time, by autoref.Player, state string)
}

// Booked is the booking of the ball in a team at one time, as its robots tell it.
type Booked struct {
	Now    float64 // s, on the clock of the spans
	Booker uint8   // the robot that goes to the ball, as the lowest number believes; 0: none
	Epoch  uint32  // of that booking
	Two    []Stretch
	None   []Stretch
}

// Stretch is a time in s in which more than one robot had booked the ball, or none.
type Stretch struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// Booking sums up in play which robot of a team goes to the ball.
type Booking struct {
	Balls int   `json:"balls"` // bookings: times that another robot took the ball, or the same one again
	Two   Times `json:"two"`   // more than one robot had booked it
	None  Times `json:"none"`  // none had, although one saw it
}

// Times sums up stretches of time.
type Times struct {
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"` // of all of them
	Longest float64 `json:"longest"` // s
}

// Doing is the share of its time in play that a robot spent in a state of its machine.
type Doing struct {
	State string  `json:"state"`
	Share float64 `json:"share"`
}

// Naming is a time in play in which mates said that a robot's reports contradict their own.
type Naming struct {
	autoref.Player         // the named robot
	What           string  `json:"what"`  // "ball" or "pose"
	From           float64 `json:"from"`  // s of the log
	To             float64 `json:"to"`    // s of the log
	Mates          int     `json:"mates"` // that said so at the same time, at most
	By             float64 `json:"by"`    // m, how far the reports were off, at most
}

// Named is a mate whose reports contradict those of the others, as a robot believes.
type Named struct {
	Number uint8
	What   string  // "ball" or "pose"
	By     float64 // m
}

const (
	growing     = 0.3 // s: a younger end of a stretch may still move
	apart       = 2.0 // s between two namings of one robot that count apart
	longestGap  = 2 * time.Second
	mostStates  = 64
	mostNamings = 500
)

// booking follows the booking of one team.
type booking struct {
	Booking
	two    float64 // start of the newest stretch that counts
	none   float64
	booker uint8
	epoch  uint32
}

// Booked counts what is new in the booking of a team.
func (a *Analyst) Booked(_ soccer.Time, side game.Side, b *Booked) {
	k := index(side)
	if k == 2 {
		return
	}
	if a.bookings[k] == nil {
		a.bookings[k] = &booking{}
	}
	t, play := a.bookings[k], a.last.State.Running
	t.Two.add(b.Two, b.Now, &t.two, play)
	t.None.add(b.None, b.Now, &t.none, play)
	if b.Booker != 0 && (b.Booker != t.booker || b.Epoch != t.epoch) {
		t.booker, t.epoch = b.Booker, b.Epoch
		if play {
			t.Balls++
		}
	}
}

// add counts the stretches that began after one and have ended.
func (t *Times) add(all []Stretch, now float64, after *float64, play bool) {
	for _, s := range all {
		if s.From <= *after || !(s.To >= s.From) || s.To > now-growing {
			continue
		}
		if *after = s.From; !play {
			continue
		}
		t.Count++
		t.Seconds += s.To - s.From
		t.Longest = max(t.Longest, s.To-s.From)
	}
}

// State counts the time since the robot told its state last.
func (a *Analyst) State(at soccer.Time, by autoref.Player, state string) {
	t := a.track(by)
	if t == nil || state == "" {
		return
	}
	if dt := at.Sub(t.stated); t.stated != 0 && dt > 0 && dt <= longestGap && a.last.State.Running {
		i := slices.IndexFunc(t.states, func(d Doing) bool { return d.State == state })
		if i < 0 && len(t.states) < mostStates {
			i = len(t.states)
			t.states = append(t.states, Doing{State: state})
		}
		if i >= 0 {
			t.states[i].Share += dt.Seconds()
		}
	}
	t.stated = at
}

// doing returns what the robot did in play, the longest first.
func (t *track) doing() []Doing {
	all, sum := append([]Doing{}, t.states...), 0.0
	slices.SortStableFunc(all, func(x, y Doing) int { return cmp.Compare(y.Share, x.Share) })
	for _, d := range all {
		sum += d.Share
	}
	for i := range all {
		all[i].Share = share(all[i].Share, sum)
	}
	return all
}

// names follows in play which robots their mates name, by the beliefs of a frame.
func (a *Analyst) names(f *Frame) {
	if !f.State.Running { // robots are placed in breaks, and mates wonder
		return
	}
	at := a.seconds(f.At)
	counts := map[Naming]int{}
	for i := range f.Beliefs {
		b := &f.Beliefs[i]
		for _, n := range b.Named {
			key := Naming{Player: autoref.Player{Side: b.By.Side, Number: n.Number}, What: n.What}
			counts[key]++
			a.naming(key, at, counts[key], n.By)
		}
	}
}

// naming continues the newest naming of a robot, or begins one.
func (a *Analyst) naming(key Naming, at float64, mates int, by float64) {
	all := a.report.Namings
	i := len(all) - 1
	for i >= 0 && (all[i].Player != key.Player || all[i].What != key.What) {
		i--
	}
	if i < 0 || at-all[i].To > apart {
		if len(all) == mostNamings {
			return
		}
		key.From, i = at, len(all)
		a.report.Namings = append(all, key)
	}
	n := &a.report.Namings[i]
	n.To, n.Mates, n.By = at, max(n.Mates, mates), max(n.By, by)
}

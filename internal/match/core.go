package match

import (
	"time"

	"touchline/internal/watch"
	"touchline/sim"
	"touchline/soccer"
	"touchline/transport/traffic"
)

// core is what a session and a match are made of: the simulated field, its robots, one clock and one queue of events.
type core struct {
	engine *sim.Engine
	now    soccer.Time
	clock  func() soccer.Time // Now
	queue  traffic.Queue[event]
	over   bool            // no further event happens
	units  []*unit         // the robots in the order of the wall
	kicked func(*sim.Kick) // called with each kick of a robot
	marks  []watch.Mark    // of the timeline
	world  soccer.World    // scratch
}

// event is something that happens at a time. Events at the same time happen in the order in which they were scheduled.
type event struct {
	do func()
	// still: the field does not move up to it, so that what happens on the field is the same with and without the event
	still bool
}

// open sets the field and the clock, which starts at soccer.Epoch.
func (c *core) open(cfg sim.Config) {
	c.engine, c.now, c.clock = sim.New(cfg), soccer.Epoch, c.Now
}

// Now returns the time of the session or match.
func (c *core) Now() soccer.Time { return c.now }

// at schedules do for a time.
func (c *core) at(t soccer.Time, do func()) { c.queue.Push(t, event{do: do}) }

// after schedules do for d after now, in whole milliseconds.
func (c *core) after(d time.Duration, do func()) { c.at(c.now.Add(d.Round(time.Millisecond)), do) }

// afterStill schedules do for d after now, without moving the field up to then.
func (c *core) afterStill(d time.Duration, do func()) {
	c.queue.Push(c.now.Add(d), event{do: do, still: true})
}

// every does something at a time, and then in each period.
func (c *core) every(t soccer.Time, period time.Duration, do func()) {
	var again func()
	again = func() {
		do()
		c.at(c.now.Add(period), again)
	}
	c.at(t, again)
}

// run lets all events up to a time happen. Afterwards the field stands at the newest of them.
func (c *core) run(to soccer.Time) {
	for !c.over {
		at, e, ok := c.queue.First()
		if !ok || at > to {
			return
		}
		c.queue.Pop()
		if e.still {
			c.now = max(c.now, at)
		} else {
			c.move(at)
		}
		e.do()
	}
}

// move moves the field to a time.
func (c *core) move(to soccer.Time) {
	c.now = max(c.now, to)
	c.engine.Step(c.now.Sub(c.engine.Now()))
	kicks := c.engine.Kicks()
	for i := range kicks {
		c.kicked(&kicks[i])
	}
}

// Bounds of the timeline.
const (
	markFor  = 60 * time.Second
	maxMarks = 100
)

// Note puts an event on the timeline; number is the robot that it is about, 0 for none.
func (c *core) Note(kind string, number uint8, text string) {
	at := seconds(c.now)
	c.marks = append(c.marks, watch.Mark{Time: at, Kind: kind, Number: number, Text: text})
	for len(c.marks) > maxMarks || c.marks[0].Time < at-markFor.Seconds() {
		c.marks = append(c.marks[:0], c.marks[1:]...)
	}
}

// seconds returns the time since the start in s.
func seconds(at soccer.Time) float64 { return at.Sub(soccer.Epoch).Seconds() }

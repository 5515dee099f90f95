package refbox

import (
	"bytes"
	"slices"
	"time"

	"touchline/soccer"
	"touchline/wire/msl"
)

const (
	// Gap is the time between two messages. Clients read every 20 ms; the rest is for late timers.
	Gap = 25 * time.Millisecond
	// maxDelay is the time within which a burst leaves. A burst of more than seven messages has smaller gaps, but START
	// keeps a whole one: a team that misses it does not play.
	maxDelay = 150 * time.Millisecond
	timers   = 5 * time.Millisecond // the part of maxDelay for late timers
)

// QueuedMessage is one message to a base station.
type QueuedMessage struct {
	Data    []byte        // ends with its NUL
	Burst   int           // number given to Add
	Command string        // its command, with the robot's number where it has one: "IS_ALIVE 3"
	gap     time.Duration // time since the message before it
}

// SendQueue holds the messages to one base station that wait for their time. It spreads them, so that a client that parses
// one message a read receives each of them. The zero SendQueue is empty.
//
// Such clients exist: they read every 20 ms, or whenever data is there, and parse the first JSON object of what they
// read (MixedTeamProtocol). They lose a message that shares a read with the one before it. Messages therefore leave Gap
// apart, and a whole burst within maxDelay. STOP leaves at once, before everything that waits, and voids waiting messages
// that would move robots after it.
type SendQueue struct {
	waiting []QueuedMessage
	last    soccer.Time // departure of the newest message
	sent    bool        // a message has left
}

// Add appends the messages of a burst, which end with a NUL each. burst is the caller's number of the burst,
// different in each call. Add returns the waiting messages that a STOP makes void: they will not leave.
func (q *SendQueue) Add(now soccer.Time, burst int, data []byte) (void []QueuedMessage) {
	for text := range bytes.SplitAfterSeq(data, []byte{0}) {
		if len(text) == 0 {
			continue
		}
		m := QueuedMessage{Data: text, Burst: burst, Command: command(text)}
		if m.Command == msl.Stop {
			void = append(void, q.stop(m)...)
		} else {
			q.waiting = append(q.waiting, m)
		}
	}
	q.spread(now, burst)
	return void
}

// command returns the command of a message, with the number of its robot.
func command(message []byte) string {
	var c msl.Command
	if c.UnmarshalBinary(bytes.TrimSuffix(message, []byte{0})) != nil {
		return "?"
	}
	return c.Text()
}

// stop puts a STOP before everything that waits, except a WELCOME, which tells the client its own group.
func (q *SendQueue) stop(stop QueuedMessage) (void []QueuedMessage) {
	kept := q.waiting[:0]
	for _, m := range q.waiting {
		if moves(m.Command) {
			void = append(void, m)
		} else {
			kept = append(kept, m)
		}
	}
	at := 0
	if len(kept) > 0 && kept[0].Command == msl.Welcome {
		at, stop.gap = 1, Gap
	}
	q.waiting = slices.Insert(kept, at, stop)
	return void
}

// moves reports whether a command lets robots move, at once or to take their places: none may follow a STOP that was
// decided after it. Others, such as cards, goals and the part of the game, must arrive in any case.
func moves(command string) bool {
	switch command {
	case msl.Start, msl.KickOff, msl.FreeKick, msl.GoalKick, msl.ThrowIn, msl.Corner, msl.Penalty, msl.DropBall, msl.Park:
		return true
	}
	return false
}

// spread sets the gaps before the messages of a burst, which wait behind all others.
func (q *SendQueue) spread(now soccer.Time, burst int) {
	first := slices.IndexFunc(q.waiting, func(m QueuedMessage) bool { return m.Burst == burst && m.Command != msl.Stop })
	if first < 0 {
		return
	}
	own, after := q.waiting[first:], q.last // after is the departure of the message before
	for _, m := range q.waiting[:first] {
		if after = after.Add(m.gap); m.Command == msl.Stop || after < now {
			after = now
		}
	}
	if first == 0 && (!q.sent || now >= q.last.Add(Gap)) {
		own[0].gap = Gap // it leaves at once
		own, after = own[1:], now
	}
	starts := 0
	for i := range own {
		if own[i].Command == msl.Start {
			starts++
		}
	}
	gap := Gap
	if others := len(own) - starts; others > 0 {
		room := now.Add(maxDelay-timers).Sub(after) - time.Duration(starts)*Gap
		gap = min(Gap, max(0, room/time.Duration(others)))
	}
	for i := range own {
		if own[i].gap = gap; own[i].Command == msl.Start {
			own[i].gap = Gap
		}
	}
}

// Next removes and returns the next message if it leaves at now or earlier. The caller sends it and then calls Left.
func (q *SendQueue) Next(now soccer.Time) (QueuedMessage, bool) {
	due, ok := q.Due()
	if !ok || now < due {
		return QueuedMessage{}, false
	}
	m := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.last, q.sent = now, true
	return m, true
}

// Left reports that the last message of Next was in the socket at this time. The gap to the next one begins then.
func (q *SendQueue) Left(at soccer.Time) { q.last = max(q.last, at) }

// Due returns when the next message leaves; false if none waits.
func (q *SendQueue) Due() (soccer.Time, bool) {
	switch {
	case len(q.waiting) == 0:
		return 0, false
	case !q.sent:
		return 0, true
	}
	return q.last.Add(q.waiting[0].gap), true
}

// Clear removes and returns all waiting messages.
func (q *SendQueue) Clear() []QueuedMessage {
	all := q.waiting
	q.waiting = nil
	return all
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"touchline/internal/console"
	"touchline/matchlog"
	"touchline/soccer"
)

// Kinds of differences.
const (
	differs   = "contents"
	timed     = "time"
	ordered   = "order"
	missingIn = "missing" // in A or B
)

// logDifference is the first difference of two logs.
type logDifference struct {
	Kind    string  `json:"kind"`    // contents, time, order or missing
	In      string  `json:"in"`      // the log that lacks a missing message: a or b
	Channel string  `json:"channel"` // channel of the message
	Seconds float64 `json:"seconds"` // since the start of the logs
	Message uint64  `json:"message"` // its number in the channel, from 1
	contentDifference
	Text string `json:"text"` // the difference in a sentence

	ended bool // the log that lacks the message has ended
}

// metaDifference is an entry of the metadata that differs.
type metaDifference struct {
	Key string `json:"key"`
	A   string `json:"a"`
	B   string `json:"b"`
}

const (
	sameClock = time.Second // logs that start within this time of each other have one clock
	// Bounds of the messages that wait for their counterparts, and of those behind a difference that are looked at.
	mostWaiting      = 100_000
	mostWaitingBytes = 64 << 20
	lookAhead        = 64
)

// messageReader reads one of the logs that are compared.
type messageReader struct {
	name   string
	clock  soccer.Time // time that counts as 0
	next   func() (matchlog.Message, error, bool)
	head   matchlog.Message
	more   bool
	counts map[string]*uint64 // messages by channel, head included
	read   uint64
}

// heldMessage is a message that waits for its counterpart in the other log.
type heldMessage struct {
	at, published time.Duration // since the start of the logs
	number        uint64
	data          []byte
}

// backlog names the messages of a channel that one of the logs, 0 or 1, had first.
type backlog struct {
	channel string
	of      int
}

// logComparer finds the first difference of two logs. It walks them at the same pace and keeps only the messages that one
// log has before the other.
type logComparer struct {
	logs      [2]*messageReader
	skip      []string
	tolerance time.Duration
	waits     map[backlog][]heldMessage // none is empty
	held      int
	bytes     int
	equal     uint64
	progress  func(at time.Duration)
}

// compareLogs returns the first difference of the messages of two logs, nil if there is none, and the number of equal
// messages before it.
func (f *compareFlags) compareLogs(ctx context.Context, errs io.Writer, logs [2]*matchlog.Log, names [2]string) (*logDifference, uint64, error) {
	c := &logComparer{skip: f.skip, tolerance: f.tolerance, waits: map[backlog][]heldMessage{}}
	starts := [2]soccer.Time{logs[0].Info().Start, logs[1].Info().Start}
	from := soccer.Time(0)
	before, counts, all := matchlog.Common(logs[0], logs[1])
	if starts[0] == starts[1] && before > 0 {
		for channel, n := range counts {
			if !skips(f.skip, channel) {
				c.equal += n
			}
		}
		if from = before; all {
			return nil, c.equal, nil
		}
	} else {
		clear(counts)
	}
	if apart := starts[1].Sub(starts[0]); apart <= sameClock && apart >= -sameClock {
		starts[0] = min(starts[0], starts[1])
		starts[1] = starts[0]
	}
	for i, l := range logs {
		next, stop := iter.Pull2(l.Ahead(from, 0))
		defer stop()
		c.logs[i] = &messageReader{name: names[i], clock: starts[i], next: next, counts: map[string]*uint64{}}
		for channel, n := range counts {
			c.logs[i].counts[channel] = &n
		}
	}
	info := logs[0].Info()
	progress, span := console.NewProgress(errs), max(info.End.Sub(info.Start), 1)
	c.progress = func(at time.Duration) { progress.Say("comparing, %d %%", min(100*at/span, 100)) }
	d, err := c.run(ctx)
	progress.End()
	return d, c.equal, err
}

// advance reads the next message that is not skipped.
func (r *messageReader) advance(skip []string) error {
	for {
		m, err, ok := r.next()
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		if r.head, r.more = m, ok; !ok {
			return nil
		}
		if skips(skip, m.Channel) {
			continue
		}
		r.read++
		n := r.counts[m.Channel]
		if n == nil {
			n = new(uint64)
			r.counts[m.Channel] = n
		}
		*n++
		return nil
	}
}

// skips reports whether a channel is one of those, of which a * at the end stands for any rest.
func skips(skip []string, channel string) bool {
	for _, s := range skip {
		if prefix, any := strings.CutSuffix(s, "*"); s == channel || any && strings.HasPrefix(channel, prefix) {
			return true
		}
	}
	return false
}

// at returns the time of the head since the start.
func (r *messageReader) at() time.Duration { return r.head.Time.Sub(r.clock) }

// published returns the time that the head describes, since the start.
func (r *messageReader) published() time.Duration {
	return cmp.Or(r.head.Published, r.head.Time).Sub(r.clock)
}

// message returns the head without a copy of its bytes.
func (r *messageReader) message() heldMessage {
	return heldMessage{r.at(), r.published(), *r.counts[r.head.Channel], r.head.Data}
}

// ahead appends the messages of a channel up to a time.
func (r *messageReader) ahead(list []heldMessage, channel string, to time.Duration, skip []string) ([]heldMessage, error) {
	for r.more && r.at() <= to && len(list) < lookAhead {
		if r.head.Channel == channel {
			m := r.message()
			m.data = bytes.Clone(m.data)
			list = append(list, m)
		}
		if err := r.advance(skip); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// run walks both logs.
func (c *logComparer) run(ctx context.Context) (*logDifference, error) {
	a, b := c.logs[0], c.logs[1]
	if err := errors.Join(a.advance(c.skip), b.advance(c.skip)); err != nil {
		return nil, err
	}
	for n := 0; a.more || b.more; n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c.progress(max(a.at(), b.at()))
		}
		if a.more && b.more && len(c.waits) == 0 && a.head.Channel == b.head.Channel && a.at() == b.at() &&
			a.published() == b.published() && bytes.Equal(a.head.Data, b.head.Data) {
			c.equal++
			if err := errors.Join(a.advance(c.skip), b.advance(c.skip)); err != nil {
				return nil, err
			}
			continue
		}
		if d := c.late(); d != nil {
			return d, nil
		}
		if d, err := c.step(); d != nil || err != nil {
			return d, err
		}
	}
	return c.late(), nil
}

// step compares the earlier head with what waits for it, or lets it wait.
func (c *logComparer) step() (*logDifference, error) {
	i := 0
	switch a, b := c.logs[0], c.logs[1]; {
	case !a.more, a.more && b.more && (b.at() < a.at() || b.at() == a.at() && b.read < a.read):
		i = 1
	}
	r := c.logs[i]
	m, channel := r.message(), r.head.Channel
	counterparts := c.waits[backlog{channel, 1 - i}]
	k := slices.IndexFunc(counterparts, func(o heldMessage) bool { return bytes.Equal(o.data, m.data) })
	if k != 0 && c.tolerance == 0 && len(counterparts) > 0 { // the order counts
		return c.differ(i, channel, m)
	}
	if k < 0 {
		m.data = bytes.Clone(m.data)
		own := backlog{channel, i}
		c.waits[own] = append(c.waits[own], m)
		c.held, c.bytes = c.held+1, c.bytes+len(m.data)
		if c.held > mostWaiting || c.bytes > mostWaitingBytes {
			return nil, fmt.Errorf("at %s the logs hold more messages within the --tolerance than fit in %d MiB: make it shorter",
				clockText(m.at.Seconds()), mostWaitingBytes>>20)
		}
		return nil, r.advance(c.skip)
	}
	o := counterparts[k]
	if apart := o.published - m.published; apart > c.tolerance || apart < -c.tolerance {
		pair := inOrder(i, m, o)
		d := &logDifference{Kind: timed, Channel: channel, Seconds: o.at.Seconds(), Message: o.number}
		d.contentDifference = contentDifference{
			Byte: -1, Field: "published", A: pair[0].published.String(), B: pair[1].published.String(),
		}
		return d, nil
	}
	c.equal++
	c.held, c.bytes = c.held-1, c.bytes-len(o.data)
	if counterparts = slices.Delete(counterparts, k, k+1); len(counterparts) == 0 {
		delete(c.waits, backlog{channel, 1 - i})
	} else {
		c.waits[backlog{channel, 1 - i}] = counterparts
	}
	return nil, r.advance(c.skip)
}

// inOrder returns a message of log i and its counterpart in the order of the logs.
func inOrder(i int, m, other heldMessage) [2]heldMessage {
	if i == 0 {
		return [2]heldMessage{m, other}
	}
	return [2]heldMessage{other, m}
}

// late returns the difference of the first message that waits for one which the other log does not have.
func (c *logComparer) late() *logDifference {
	var key backlog
	var first *heldMessage
	for at, list := range c.waits {
		other := c.logs[1-at.of]
		if other.more && other.at() <= list[0].at+c.tolerance {
			continue
		}
		if first == nil || cmp.Or(cmp.Compare(list[0].at, first.at), cmp.Compare(at.channel, key.channel), cmp.Compare(at.of, key.of)) < 0 {
			key, first = at, &list[0]
		}
	}
	if first == nil {
		return nil
	}
	for _, o := range c.waits[backlog{key.channel, 1 - key.of}] {
		if apart := o.at - first.at; apart <= c.tolerance && apart >= -c.tolerance {
			return contentsOf(key.channel, first, inOrder(key.of, *first, o))
		}
	}
	return c.missing(key.of, key.channel, first)
}

// contentsOf is the difference of two messages of one time.
func contentsOf(channel string, m *heldMessage, pair [2]heldMessage) *logDifference {
	d := &logDifference{Kind: differs, Channel: channel, Seconds: m.at.Seconds(), Message: m.number}
	d.contentDifference = compareContents(channel, pair[0].data, pair[1].data)
	return d
}

// missing is the difference of a message that only one of the logs has.
func (c *logComparer) missing(has int, channel string, m *heldMessage) *logDifference {
	d := &logDifference{Kind: missingIn, In: [2]string{"b", "a"}[has], Channel: channel, Seconds: m.at.Seconds(), Message: m.number}
	d.contentDifference = describeContent(channel, m.data)
	d.ended = !c.logs[1-has].more
	return d
}

// differ tells how the head of log i differs from the messages of its channel and time that wait. It reads on in both logs.
func (c *logComparer) differ(i int, channel string, m heldMessage) (*logDifference, error) {
	m.data = bytes.Clone(m.data)
	held := c.waits[backlog{channel, 1 - i}]
	front := held[0]
	if err := c.logs[i].advance(c.skip); err != nil {
		return nil, err
	}
	mine, err := c.logs[i].ahead([]heldMessage{m}, channel, front.at, c.skip)
	theirs, err2 := c.logs[1-i].ahead(held, channel, front.at, c.skip)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	has := func(list []heldMessage, m *heldMessage) bool {
		return slices.ContainsFunc(list[1:], func(o heldMessage) bool { return bytes.Equal(o.data, m.data) })
	}
	switch later, earlier := has(mine, &front), has(theirs, &m); {
	case later && earlier:
		d := &logDifference{Kind: ordered, Channel: channel, Seconds: front.at.Seconds(), Message: front.number}
		d.contentDifference = contentDifference{Byte: -1}
		return d, nil
	case later:
		return c.missing(i, channel, &m), nil
	case earlier:
		return c.missing(1-i, channel, &front), nil
	}
	return contentsOf(channel, &front, inOrder(i, m, front)), nil
}

package matchlog

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

// maxFaults is how many lines a second describe faulty messages of a team; another line counts the rest.
const maxFaults = 10

// faults limits the lines about a team's faulty messages.
type faults struct {
	second  soccer.Time
	written int
	more    int
}

// isEvent reports whether a message is an event. For most messages a search in the text is enough.
func isEvent(b []byte) bool {
	return (bytes.Contains(b, []byte("event")) || bytes.Contains(b, []byte(`\u`))) && msl.KindOf(b) == msl.KindEvent
}

// lines writes the log of events: the RefBox's lines, the teams' events, and lines about messages that the teams' files
// do not hold as they were sent.
func (e *exporter) lines(b *bufio.Writer) error {
	var text []byte
	limits := map[string]*faults{Home: {}, Away: {}}
	for m, err := range e.l.Messages(0, 0, Lines, Home, Away, Omitted) {
		if err != nil {
			return err
		}
		text = text[:0]
		switch {
		case m.Channel == Lines:
			text = append(text, wire.Printable(string(bytes.TrimRight(m.Data, "\r\n")))...)
		case m.Channel == Omitted:
			text = e.omission(text, &m)
		case isEvent(m.Data):
			text = e.event(text, &m)
		default:
			text = e.fault(text, &m, limits[m.Channel])
		}
		if len(text) == 0 {
			continue
		}
		if _, err := b.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("matchlog: %w", err)
		}
	}
	for _, channel := range []string{Home, Away} {
		b.Write(e.more(text[:0], channel, limits[channel])) // Flush returns the error
	}
	return nil
}

// fault appends a line about a message that the team's file does not hold as it was sent.
func (e *exporter) fault(b []byte, m *Message, f *faults) []byte {
	fault := e.clean.fault(m.Data)
	if fault == "" {
		return b
	}
	if second := m.Time / soccer.Time(time.Second); second != f.second {
		b = e.more(b, m.Channel, f)
		*f = faults{second: second}
	}
	if f.written == maxFaults {
		f.more++
		return bytes.TrimSuffix(b, []byte("\n"))
	}
	f.written++
	return fmt.Appendf(b, "Message of %s at %d ms: %s", e.team(m.Channel, m.Time).short, millisOf(m.Time),
		wire.Printable(fault))
}

// more appends a line with the number of faulty messages beyond maxFaults.
func (e *exporter) more(b []byte, channel string, f *faults) []byte {
	if f.more == 0 {
		return b
	}
	at := f.second * soccer.Time(time.Second)
	return fmt.Appendf(b, "%d more messages of %s like these in the second from %d ms\n", f.more,
		e.team(channel, at).short, millisOf(at))
}

// event appends an event of a team as a line.
func (e *exporter) event(b []byte, m *Message) []byte {
	var v msl.Event
	if v.UnmarshalBinary(m.Data) != nil {
		return b
	}
	line := e.line(m.Channel, m.Time, "Event "+v.Event)
	if n := int(v.RobotID.Value); v.RobotID.Is(float64(n)) && n >= 1 && n <= msl.MaxNumber {
		line.RobotID = n
	} else if v.RobotID.Known {
		line.Description += fmt.Sprintf(" robotId %g", v.RobotID.Value)
	}
	return appendLine(b, &line)
}

// omission appends a line about the messages of a team that the log does not hold.
func (e *exporter) omission(b []byte, m *Message) []byte {
	var o game.Omission
	if json.Unmarshal(m.Data, &o) != nil {
		return b
	}
	line := e.line(string(o.Side), m.Time, omissionText(&o))
	return appendLine(b, &line)
}

// line returns a line of the log of events about a team.
func (e *exporter) line(channel string, t soccer.Time, description string) msl.Line {
	at := e.clock.At(t)
	return msl.Line{
		TimestampMillis: millisOf(t),
		TotalSeconds:    int(at.Total / time.Second), EffectiveSeconds: int(at.Effective / time.Second),
		State:       msl.LineText(game.PhaseOf(at.Part, at.Running).Name),
		Description: msl.LineText(description),
		Team:        msl.LineText(cmp.Or(e.team(channel, t).Name, channel)),
	}
}

// appendLine appends a line of the log of events.
func appendLine(b []byte, l *msl.Line) []byte {
	text, err := l.AppendBinary(b)
	if err != nil { // the clock shows a time that does not fit into a line
		return fmt.Appendf(b, "%s of %s at %d ms", l.Description, l.Team, l.TimestampMillis)
	}
	return text
}

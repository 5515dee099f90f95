package playback

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
)

// Bounds of a Course.
const (
	maxSeries  = 64   // series of one field: those of two teams with some to spare
	maxPointer = 200  // bytes of a field's pointer
	maxRerun   = 1000 // samples that are computed from packets
)

// Course is how a field of a page's topic changed over time.
type Course struct {
	Series []Series `json:"series"` // in the order in which they appear; at most 64
}

// Series is the course of the field of one robot, link or sender.
type Series struct {
	Name   string       `json:"name"`   // of the robot, link or sender; "" for a field that exists once
	Points [][2]float64 `json:"points"` // time in s since the session started, value
}

// errField refuses a request for the course of a field.
var errField = errors.New("topic is a topic of the page and field a JSON pointer to a number in it, with * for each element " +
	"of a list, for example topic=wall&field=/tiles/*/ballError")

// course returns the field of a topic between two times in s since the session started, in at most most samples that
// were recorded. key is the second team's, "away"; of topic messages, it names the sender and type of a message of the TCM.
// Fields of the topics packets and messages are those in the byte table. Topics that are not recorded have no series.
func (p *Player) course(topic, key, field string, from, to float64, most int) (Course, error) {
	c := collector{at: map[string]int{}, course: Course{Series: []Series{}}}
	if len(field) < 2 || len(field) > maxPointer || field[0] != '/' || len(topic) > maxPointer {
		return c.course, errField
	}
	path := splitPointer(field)
	moments := p.sampled(from, to, most)
	if len(moments) == 0 {
		return c.course, nil
	}
	switch {
	case topic == "packets":
		return c.course, c.packets(p, path[0], moments, most)
	case topic == "messages":
		return c.course, c.messages(p, key, path[0], moments, most)
	case p.rerun != nil:
		return c.course, c.rerun(p, topic, path, moments)
	}
	channel := of(matchlog.TopicPrefix+topic, key)
	var last soccer.Time
	for _, m := range moments {
		msg, ok, err := p.source.Last(channel, m.at)
		if err != nil {
			return c.course, err
		}
		if !ok || m.at.Sub(msg.Time) > current || msg.Time == last {
			continue
		}
		last = msg.Time
		c.add(m.t-m.at.Sub(msg.Time).Seconds(), msg.Data, path, "")
	}
	return c.course, nil
}

// splitPointer returns the names in a JSON pointer (RFC 6901).
func splitPointer(field string) []string {
	path := strings.Split(strings.TrimPrefix(field, "/"), "/")
	for i, name := range path {
		path[i] = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	}
	return path
}

// sampled returns at most most recorded walls between two times, evenly.
func (p *Player) sampled(from, to float64, most int) []moment {
	p.mu.Lock()
	defer p.mu.Unlock()
	begin := p.since(from)
	all := p.moments[begin:max(begin, p.since(to+SamplePeriod.Seconds()/2))]
	step := max(1, (len(all)+most-1)/most)
	var kept []moment
	for i := 0; i < len(all); i += step {
		kept = append(kept, all[i])
	}
	return kept
}

// collector gathers the series of a Course.
type collector struct {
	course Course
	at     map[string]int // index of each series by its name
}

// point adds the value of a series at a time. A time that is not later than the last one is a repetition.
func (c *collector) point(name string, t, value float64) {
	i, known := c.at[name]
	if !known {
		if len(c.course.Series) == maxSeries {
			return
		}
		i = len(c.course.Series)
		c.at[name] = i
		c.course.Series = append(c.course.Series, Series{Name: name, Points: [][2]float64{}})
	}
	s := &c.course.Series[i]
	if n := len(s.Points); n == 0 || t > s.Points[n-1][0] {
		s.Points = append(s.Points, [2]float64{t, value})
	}
}

// add adds the numbers of a JSON value to which a path leads. Anything else at its end is left out.
func (c *collector) add(t float64, data json.RawMessage, path []string, name string) {
	if len(path) == 0 {
		if v, err := strconv.ParseFloat(string(bytes.TrimSpace(data)), 64); err == nil {
			c.point(name, t, v)
		}
		return
	}
	if path[0] != "*" {
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) == nil && object[path[0]] != nil {
			c.add(t, object[path[0]], path[1:], name)
		}
		return
	}
	var elements []json.RawMessage
	if json.Unmarshal(data, &elements) != nil {
		return
	}
	for i, e := range elements {
		own := elementName(e, i)
		if name != "" {
			own = name + ", " + own
		}
		c.add(t, e, path[1:], own)
	}
}

// elementName names an element of a list by what tells it apart: static/shared/fields.js does the same.
func elementName(data json.RawMessage, i int) string {
	var e struct {
		Key, Entity, Name, Peer string
		Number, ID              *int
		Team                    json.RawMessage
	}
	_ = json.Unmarshal(data, &e) // what is no object has its index alone
	number := cmp.Or(e.Number, e.ID)
	var team string
	_ = json.Unmarshal(e.Team, &team)
	switch {
	case number != nil && team != "":
		return fmt.Sprintf("%s %d", team, *number)
	case number != nil:
		return strconv.Itoa(*number)
	}
	return cmp.Or(e.Key, e.Entity, e.Peer, e.Name, "#"+strconv.Itoa(i+1))
}

// rerun adds a field of the topics that a monitor computes from recorded packets.
func (c *collector) rerun(p *Player, topic string, path []string, moments []moment) error {
	run := p.rerun.before(moments[0].at)
	defer run.end()
	for _, m := range moments[:min(len(moments), maxRerun)] {
		wall, network, err := run.at(m.at)
		if err != nil {
			return err
		}
		var v any = wall
		if topic == "network" {
			v = network
		} else if topic != "wall" {
			return nil
		}
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("playback: %w", err)
		}
		c.add(m.t, data, path, "")
	}
	return nil
}

// packets adds a field of the packages of each sender.
func (c *collector) packets(p *Player, field string, moments []moment, most int) error {
	first, last := moments[0], moments[len(moments)-1]
	apart := time.Duration(float64(last.at.Sub(first.at)) / float64(most))
	next := map[string]soccer.Time{} // of each sender: when the next sample is due
	i := 0
	for packet, err := range p.datagrams(matchlog.Packets, first.at, last.at) {
		if err != nil {
			return err
		}
		name := watch.SenderKey(packet)
		if due, known := next[name]; packet.Time < due || !known && len(next) == maxSeries {
			continue
		}
		value, ok := watch.PackageNumber(packet, field)
		if !ok {
			continue
		}
		next[name] = packet.Time.Add(apart)
		for i+1 < len(moments) && moments[i+1].at <= packet.Time {
			i++
		}
		c.point(name, moments[i].t+packet.Time.Sub(moments[i].at).Seconds(), value)
	}
	return nil
}

// messages adds a field of the TCM's messages of one sender and type.
func (c *collector) messages(p *Player, key, field string, moments []moment, most int) error {
	first, last := moments[0], moments[len(moments)-1]
	apart := time.Duration(float64(last.at.Sub(first.at)) / float64(most))
	i := watch.NewInspector(first.at.Add(-seconds(first.t)))
	due := first.at
	for packet, err := range p.datagrams(matchlog.TCM, first.at, last.at) {
		if err != nil {
			return err
		}
		i.Receive(packet)
		if packet.Time < due {
			continue
		}
		due = packet.Time.Add(apart)
		view, _ := i.Messages(key)
		for _, m := range slices.Backward(view.Messages) { // newest first
			if value, ok := watch.NumberIn(m.Fields, field); ok {
				c.point("", m.Time, value)
			}
		}
	}
	return nil
}

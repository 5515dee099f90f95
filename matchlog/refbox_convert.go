package matchlog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/msl"
)

// sides are the teams' names, by which a line is assigned to a team.
type sides struct{ home, away string }

// of returns Home or Away for a line about that team, and "" for any other line. RefBox 2.x writes long names into
// lines and short names into records, so one name only has to contain the start of the other.
func (s *sides) of(l *msl.Line) string {
	switch {
	case strings.HasPrefix(l.Description, "CYAN "):
		return Home
	case strings.HasPrefix(l.Description, "MAGENTA "):
		return Away
	case l.Team == "":
		return ""
	}
	home, away := overlap(l.Team, s.home), overlap(l.Team, s.away)
	for _, t := range soccer.MSLTeams() { // TU/e is no part of Tech United Eindhoven
		if home+away == 0 && t.Name == l.Team {
			home, away = overlap(t.Short, s.home), overlap(t.Short, s.away)
		}
	}
	switch {
	case home > away:
		return Home
	case away > home:
		return Away
	}
	return ""
}

// overlap returns the length of the longest start of short that long contains; 0 below three letters.
func overlap(long, short string) int {
	long, short = plain(long), plain(short)
	for n := min(len(long), len(short)); n >= 3; n-- {
		if strings.Contains(long, short[:n]) {
			return n
		}
	}
	return 0
}

// plain returns the letters and digits of a name in lower case.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// clock tracks the game through the RefBox's files.
type clock struct {
	now    game.Moment
	logged bool        // the log has now
	record soccer.Time // time of the newest record
	teams  sides
}

// applyLine applies a line of the log of events.
func (c *clock) applyLine(it *item) {
	l := &it.line
	if l.Text != "" {
		return
	}
	now := c.now.At(it.time)
	now.Part, now.Running = game.ParsePhase(l.State)
	now.Total, now.Effective = refine(now.Total, l.TotalSeconds), refine(now.Effective, l.EffectiveSeconds)
	c.now, c.logged = now, false
	step := 0
	switch {
	case strings.HasSuffix(l.Description, "Goal+"):
		step = 1
	case strings.HasSuffix(l.Description, "Goal-"):
		step = -1
	}
	switch c.teams.of(l) {
	case Home:
		c.now.Home.Goals += step
	case Away:
		c.now.Away.Goals += step
	}
}

// refine returns fine if it agrees with the whole seconds of a line, or else the seconds.
func refine(fine time.Duration, seconds int) time.Duration {
	if whole := time.Duration(seconds) * time.Second; fine < whole || fine >= whole+time.Second {
		return whole
	}
	return fine
}

// applyRecord applies the gametimeMs of a record. RefBox reads its two clocks one after the other, so that the game's
// clock often deviates by a millisecond from that of the record before, even of one with the same time: that record
// moves on by a microsecond. An export repeats each gametimeMs exactly.
func (c *clock) applyRecord(it *item) {
	if late := c.record.Sub(it.time); late > 0 && late < time.Millisecond {
		it.time = c.record
	}
	game := max(min(it.game, 1e9), 0)
	if c.logged && c.now.At(it.time).Total.Milliseconds() == game && it.time.Sub(c.now.Time) < time.Second {
		c.record = it.time
		return
	}
	if c.record == it.time {
		it.time = it.time.Add(time.Microsecond)
	}
	c.record, c.now = it.time, c.now.At(it.time)
	c.now.Total, c.logged = time.Duration(game)*time.Millisecond, false
}

// convertRefBox merges the RefBox's three files in the order of time.
func (l *Log) convertRefBox(m *refboxFiles) error {
	l.mu.Lock()
	l.state.Finished = true
	if m.home.name != "" || m.away.name != "" {
		l.all.meta = map[string]string{metaReceipt: receiptComputed}
	}
	for _, n := range m.notes {
		l.note("%s", n)
	}
	l.mu.Unlock()
	files := [3]*source{l.openSource(&m.lines, Lines), l.openSource(&m.home, Home), l.openSource(&m.away, Away)}
	total := max(m.lines.size+m.home.size+m.away.size, 1)
	p := &packer{l: l, read: func() float64 {
		unpacked := files[0].unpacked.Load() + files[1].unpacked.Load() + files[2].unpacked.Load()
		return min(float64(unpacked)/total, 1)
	}}
	var next [3]func() *item
	var heads [3]*item
	for i, items := range []iter.Seq[*item]{files[0].eventLines(), files[1].records(), files[2].records()} {
		var stop func()
		next[i], stop = files[i].ahead(items)
		defer stop()
		heads[i] = next[i]()
	}
	c := &clock{now: game.Moment{Part: game.PreGame}, logged: true}
	for i, it := range heads[1:] { // the names assign lines to teams
		if it != nil {
			l.setName(c, i == 0, it.team)
		}
	}
	var newest soccer.Time // items before the first one with a time get its time
	for _, it := range heads {
		if it != nil && it.time != 0 && (newest == 0 || it.time < newest) {
			newest = it.time
		}
	}
	for {
		k := -1
		for i, it := range heads {
			if it != nil && (k < 0 || it.time < heads[k].time) {
				k = i
			}
		}
		if k < 0 {
			return p.flush()
		}
		it := heads[k]
		if it.time == 0 {
			it.time, it.published = newest, newest
		}
		newest = it.time
		if err := p.item(k, it, c, files[k].number); err != nil {
			return err
		}
		heads[k] = next[k]()
	}
}

// setName keeps the first name of a team.
func (l *Log) setName(c *clock, home bool, team string) {
	name, long, short := &c.teams.home, MetaHome, MetaHomeShort
	if !home {
		name, long, short = &c.teams.away, MetaAway, MetaAwayShort
	}
	if *name != "" || team == "" {
		return
	}
	*name = team
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all.meta == nil {
		l.all.meta = map[string]string{}
	}
	l.all.meta[long], l.all.meta[short] = team, team
}

// item writes a line (file 0) or a record (1: home, 2: away), after the state of the game if that is new. number is the
// file's in Log.files.
func (p *packer) item(file int, it *item, c *clock, number int) error {
	channel := [...]string{Lines, Home, Away}[file]
	if file > 0 {
		p.l.setName(c, file == 1, it.team)
	}
	switch {
	case file == 0:
		c.applyLine(it)
	case it.untimed:
		channel += "/untimed"
	default:
		c.applyRecord(it)
		if it.filled {
			channel += "/empty"
		}
	}
	if !c.logged {
		c.logged = true
		b, err := json.Marshal(&c.now)
		if err != nil {
			return fmt.Errorf("matchlog: %w", err)
		}
		if err := p.add(&Message{Time: it.time, Channel: States, Data: b}, 0); err != nil {
			return err
		}
	}
	if file == 0 {
		if m := cmp.Or(c.omission(it), c.event(it)); m != nil {
			m.Source = Source{Line: it.lineNumber, Offset: it.offset}
			return p.add(m, number)
		}
	}
	return p.add(&Message{
		Time: it.time, Published: it.published, Channel: channel, Data: it.data,
		Source: Source{Line: it.lineNumber, Offset: it.offset},
	}, number)
}

const omissionFormat = "%d of %d messages not kept (%d bytes)"

// omissionText describes the messages of a team that a log does not hold, as a line of the RefBox's log of events does.
func omissionText(o *game.Omission) string {
	return fmt.Sprintf(omissionFormat, o.Omitted, o.Kept+o.Omitted, o.Bytes)
}

// omission returns the message of the channel Omitted that a line of the log of events stands for, nil for any other
// line.
func (c *clock) omission(it *item) *Message {
	o := game.Omission{Time: it.time, Side: game.Side(c.teams.of(&it.line))}
	var all uint64
	n, err := fmt.Sscanf(it.line.Description, omissionFormat, &o.Omitted, &all, &o.Bytes)
	if n != 3 || err != nil || o.Side == "" || all < o.Omitted {
		return nil
	}
	o.Kept = all - o.Omitted
	o.Time -= o.Time % 1e9
	data, err := json.Marshal(o)
	if err != nil {
		return nil
	}
	return &Message{Time: it.time, Channel: Omitted, Data: data}
}

// event returns the message of a team that a line of the log of events stands for, nil for any other line.
func (c *clock) event(it *item) *Message {
	what, ok := strings.CutPrefix(it.line.Description, "Event ")
	side := c.teams.of(&it.line)
	if !ok || side == "" {
		return nil
	}
	e := msl.Event{Event: what}
	if it.line.RobotID > 0 {
		e.RobotID = msl.Num(float64(it.line.RobotID))
	}
	data, err := e.AppendBinary(nil)
	if err != nil {
		return nil
	}
	return &Message{Time: it.time, Published: it.published, Channel: side, Data: data}
}

package vss

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/sim"
	"touchline/wire/firasim"
)

// showEvery is how often the page is told.
const showEvery = time.Second / 30

// clientTime is how long a sender counts as a client after its last packet.
const clientTime = 10 * time.Second

// maxClients is how many senders are remembered; another one takes the place of the one that has been silent longest.
const maxClients = 32

// client is somebody who sends commands or placements.
type client struct {
	addr     netip.AddrPort
	last     time.Time
	packets  uint64 // since the last count
	rate     float64
	drives   [2]uint8 // robots, by id
	commands bool     // it has sent some
	places   int      // packets with placements since placed
	placed   time.Time
}

// client notes that a packet came.
func (l *Live) client(from netip.AddrPort, p *firasim.Packet, now time.Time) {
	oldest := 0
	i := slices.IndexFunc(l.clients, func(c client) bool { return c.addr == from })
	if i < 0 {
		for j := range l.clients {
			if l.clients[j].last.Before(l.clients[oldest].last) {
				oldest = j
			}
		}
		i = oldest
		if len(l.clients) < maxClients {
			i, l.clients = len(l.clients), append(l.clients, client{})
		}
		l.clients[i] = client{addr: from}
	}
	c := &l.clients[i]
	c.last = now
	c.packets++
	c.commands = c.commands || len(p.Commands) > 0
	for k := range p.Commands {
		team := 0
		if p.Commands[k].Yellow {
			team = 1
		}
		if p.Commands[k].ID < uint32(l.Config.Robots) {
			c.drives[team] |= 1 << p.Commands[k].ID
		}
	}
	if !p.HasReplacement {
		return
	}
	if now.Sub(c.placed) > foreignTime {
		c.places, c.placed = 0, now
	}
	c.places++
	if l.Config.Referee != nil && !c.commands && c.places >= foreignAfter && !l.referee.foreign.IsValid() {
		l.yield(from)
	}
}

// rates are what is counted each second.
type rates struct {
	at                 time.Time
	ticks, heard, sent uint64
	in, out, rate      float64
	refusals           [allReasons]uint64
}

// count renews the rates each second, and says what was refused.
func (l *Live) count(now time.Time) {
	r := &l.rates
	dt := now.Sub(r.at).Seconds()
	if dt < 1 {
		return
	}
	heard, sent, ticks := l.heard.Load(), l.sent.Load(), l.session.ticks
	r.in, r.out = float64(heard-r.heard)/dt, float64(sent-r.sent)/dt
	r.rate = float64(ticks-r.ticks) * sim.Tick.Seconds() / dt
	r.at, r.heard, r.sent, r.ticks = now, heard, sent, ticks
	for i := range l.clients {
		c := &l.clients[i]
		c.rate, c.packets = float64(c.packets)/dt, 0
	}
	for why := range r.refusals {
		now := &l.session.refused[why]
		if was := r.refusals[why]; now.count > was && (was == 0 || reason(why) == outside) {
			l.Log.Warn("refused: "+reasonTexts[why], "what", now.words(), "count", now.count)
		}
		r.refusals[why] = now.count
	}
}

// show tells the page how things are, until the context ends.
func (l *Live) show(ctx context.Context) error {
	ticker := time.NewTicker(showEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticker.C:
			l.mu.Lock()
			l.count(now)
			l.mu.Unlock()
			if l.Page == nil || !l.Page.Wanted("vss") {
				continue
			}
			if err := l.Page.Publish("vss", l.Show()); err != nil {
				return err
			}
		}
	}
}

// Show returns this moment as the page shows it.
func (l *Live) Show() *Show {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, now := l.session, time.Now()
	v := &Show{
		Field: s.field, Robots: l.Config.Robots, Physics: l.Config.Physics, Seed: strconv.FormatUint(l.Config.Seed, 10),
		Time: s.Now().Seconds(), Paused: l.paused, Speed: l.speed, Rate: l.rates.rate, Lockstep: l.step.on, Waiting: []string{},
		GoalsBlue: s.goals[0], GoalsYellow: s.goals[1], Referee: l.showReferee(), Vision: slices.Clone(l.Config.Vision),
		Commands: l.net.names, In: l.rates.in, Out: l.rates.out, Clients: l.showClients(now), Refused: s.Refused(),
		Marks: append([]ShowMark{}, s.marks...),
	}
	v.Ball.Position, v.Ball.Velocity = s.engine.Ball()
	v.Blue, v.Yellow = s.showTeam(0), s.showTeam(1)
	for team, name := range teams {
		if l.step.on && l.step.missing(team, s) {
			v.Waiting = append(v.Waiting, name)
		}
	}
	v.Trouble = l.troubles()
	return v
}

// troubles returns all that is wrong in one line.
func (l *Live) troubles() string {
	var all []string
	for _, e := range l.net.vision {
		if e.trouble != nil {
			all = append(all, e.trouble.Error())
		}
	}
	if o := &l.referee; o.own != nil && o.foreign.IsValid() {
		all = append(all, fmt.Sprintf("the referee at %s has the match and the built-in one is silent; the command resume takes it back", o.foreign))
	}
	if l.record != nil {
		if text := l.record.trouble(); text != "" {
			all = append(all, text)
		}
	}
	if l.broken != nil {
		all = append(all, l.broken.Error())
	}
	return strings.Join(all, "; ")
}

func (s *Session) showTeam(team int) []ShowRobot {
	all := make([]ShowRobot, s.cfg.Robots)
	for id := range all {
		r := &s.robots[id+team*s.cfg.Robots]
		v := &all[id]
		v.ID, v.On, v.Pose = uint8(id), r.on, r.pose
		if pose, twist, there := s.engine.Robot(uint8(id + team*s.cfg.Robots)); there {
			v.Pose, v.Twist = pose, twist
			v.Wheels, _ = s.engine.Wheels(uint8(id + team*s.cfg.Robots))
		}
		if r.obeyed {
			age := (time.Duration(s.ticks-r.lastTick) * sim.Tick).Seconds()
			v.Age, v.From = &age, sourceName(r.last.from)
		}
	}
	return all
}

func (l *Live) showReferee() *ShowReferee {
	o := &l.referee
	if !o.spoken && o.own == nil {
		return nil
	}
	v := &ShowReferee{Source: builtin, Foul: o.said.Foul.String(), Team: teamName(o.said.Team), Half: o.said.Half.String()}
	if o.source.IsValid() {
		v.Source = o.source.String()
	} else if o.foreign.IsValid() {
		v.Source = o.foreign.String()
	}
	if !o.silent() {
		_, v.Clock, v.Left = o.own.Clock()
	}
	return v
}

func (l *Live) showClients(now time.Time) []ShowClient {
	all := []ShowClient{}
	for i := range l.clients {
		c := &l.clients[i]
		if now.Sub(c.last) <= clientTime {
			all = append(all, ShowClient{c.addr.String(), c.rate, idsOf(c.drives[0]), idsOf(c.drives[1])})
		}
	}
	slices.SortFunc(all, func(a, b ShowClient) int { return strings.Compare(a.Address, b.Address) })
	return all
}

// idsOf returns the numbers of the bits that are set.
func idsOf(mask uint8) []int {
	ids := []int{}
	for id := range 8 {
		if mask>>id&1 == 1 {
			ids = append(ids, id)
		}
	}
	return ids
}

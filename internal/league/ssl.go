package league

import (
	"net/netip"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/sslgame"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/ssl"
)

// Times of the Small Size League. Its game controller sends at least once a second, its tracker and cameras 60 times.
const (
	sslStale  = 3 * time.Second
	sslChecks = 200 * time.Millisecond
	sslLonely = 5 * time.Second // the field is seen and nobody referees, or the other way round
)

// sslGame is what is known of a game of the Small Size League.
type sslGame struct {
	game  *sslgame.Game
	first soccer.Time // when the first packet arrived
	seen  soccer.Time // when ground truth last arrived; 0: never
	heard soccer.Time // when the referee was last heard; 0: never
}

// NewSSL returns a monitor of the Small Size League: yellow is home. Its field is that of the vision's packets.
func NewSSL(cfg Config) *Monitor {
	m := newMonitor(cfg, "SSL", sslgame.New().Field())
	m.receive, m.ssl.game = m.receiveSSL, sslgame.New()
	m.picture.stale, m.picture.checks = sslStale, sslChecks
	return m
}

// receiveSSL decodes and counts one packet.
func (m *Monitor) receiveSSL(p *soccer.Packet) {
	to, _ := netip.ParseAddrPort(p.Channel)
	to = netip.AddrPortFrom(to.Addr(), to.Port()-m.cfg.Shift)
	from := p.From.Addr().Unmap()
	kind, ok := ssl.KindOf(to, p.Data)
	if !ok {
		m.countOther(p, from)
		return
	}
	name := sslNames[kind]
	s := m.count(p, senderKey{addr: from, message: name}, from.String()+"/"+name,
		func(b []byte) []wire.Field { return ssl.Fields(kind, b) }, func(b []byte) []wire.Issue { return ssl.Check(kind, b) })
	if s != nil {
		s.foreign = true
	}
	g := &m.ssl
	if g.first == 0 {
		g.first = p.Time
	}
	_, truth := g.game.Apply(p.Time, kind, p.Data)
	if truth != nil {
		g.seen, m.picture.truth = p.Time, m.fromStart(truth)
		if m.cfg.Field.Length == 0 {
			m.picture.field = g.game.Field()
		}
	}
	if kind == ssl.KindReferee {
		m.applyReferee(p.Time)
	}
	m.checkSSL(p.Time)
}

// sslNames are the names of the senders of packets.
var sslNames = map[ssl.Kind]string{ssl.KindVision: "vision", ssl.KindTracker: "tracker", ssl.KindReferee: "referee"}

// fromStart returns a ground truth in the frame of the picture.
func (m *Monitor) fromStart(t *game.Truth) *game.Truth {
	if m.ssl.game.State().Part.Attack(game.Home) > 0 {
		return t
	}
	t.Ball = t.Ball.Turned()
	for i := range t.Robots {
		t.Robots[i].Pose = t.Robots[i].Pose.Turned()
	}
	return t
}

// applyReferee brings the picture to the state of the referee's message.
func (m *Monitor) applyReferee(now soccer.Time) {
	r, ok := m.ssl.game.Referee()
	if !ok {
		return
	}
	g, pic := &m.ssl, &m.picture
	g.heard, pic.heard = now, now
	was := pic.state
	pic.state = *m.ssl.game.State()
	names, _ := m.ssl.game.Names()
	for i, jersey := range []string{"yellow", "blue"} {
		pic.teams[i].name, pic.teams[i].jersey = names[i], jersey
	}
	pic.clock, pic.second = float64(r.StageTimeLeft)/1e6, nil
	if r.HasActionTime && r.ActionTimeLeft > 0 {
		second := float64(r.ActionTimeLeft) / 1e6
		pic.second = &second
	}
	phase := strings.ToLower(strings.ReplaceAll(r.Command.String(), "_", " "))
	if phase != pic.phase || was.Part != pic.state.Part || !pic.known {
		m.changed = true
		m.mark(now, "referee", 0, phase)
	}
	if was.Home.Goals != pic.state.Home.Goals || was.Away.Goals != pic.state.Away.Goals {
		m.changed = true
	}
	for i, side := range game.Sides {
		cards := pic.state.Team(side).Penalties
		if had := len(was.Team(side).Penalties); len(cards) > had && pic.known {
			m.changed = true
			m.mark(now, "referee", 0, strings.ToLower(strings.ReplaceAll(string(cards[had].Command), "_", " "))+" for "+names[i])
		}
	}
	pic.known, pic.phase = true, phase
}

// checkSSL notes what is missing on the network.
func (m *Monitor) checkSSL(now soccer.Time) {
	g := &m.ssl
	if now.Sub(g.first) < sslLonely {
		return
	}
	if now.Sub(g.heard) >= sslLonely {
		m.alarm(now, watch.Fault{Short: "no referee", Text: "nothing comes from a game controller to " + ssl.RefereeGroup +
			": score and state of play are unknown", Suspicion: true})
	}
	if now.Sub(g.seen) >= sslLonely {
		m.alarm(now, watch.Fault{Short: "no vision", Text: "neither a tracker sends to " + ssl.TrackerGroup +
			" nor SSL-Vision to " + ssl.VisionGroup + ": nobody knows where robots and ball are"})
	}
}

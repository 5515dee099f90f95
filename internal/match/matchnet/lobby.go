package matchnet

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/internal/station/stationnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// LobbyConfig describes a lobby on the network.
type LobbyConfig struct {
	Lobby match.LobbyConfig
	Match match.MatchConfig // of each match; its teams are those that joined. Default match.DefaultMatchConfig
	// Key is the secret of all teams of the lobby, at least 16 letters. Default "": NewLobby makes one
	Key      string
	Address  netip.Addr          // of this machine, for the fields. Default 127.0.0.1
	Patience time.Duration       // until a team that does not drive its robots loses. Default 15 s
	Silence  time.Duration       // of all robots of a team, after which it loses. Default 5 s
	Pause    time.Duration       // between matches. Default 3 s
	OnResult func(match.Fixture) // is called after each match. Default nil
}

// DefaultLobbyConfig returns the configuration of a lobby on this machine.
func DefaultLobbyConfig() LobbyConfig {
	cfg := match.DefaultMatchConfig()
	cfg.Localise = true
	return LobbyConfig{
		Lobby: match.DefaultLobbyConfig(), Match: cfg, Address: teamcomnet.Loopback(0).Addr(),
		Patience: 15 * time.Second, Silence: 5 * time.Second, Pause: 3 * time.Second,
	}
}

// Lobby admits teams that programs anywhere drive, and lets them play one match after the other (docs/lobby.md). Its methods
// may be called from any goroutine.
type Lobby struct {
	cfg   LobbyConfig
	log   *slog.Logger
	clock soccer.Clock
	run   string // identifies this start, for requests

	mu      sync.Mutex
	core    *match.Lobby
	playing *lobbyMatch // and after its end, until the next one begins; nil: there was none
	guard   *traffic.Guard
	refused match.LobbyRefused
}

// NewLobby returns a lobby without teams.
func NewLobby(cfg LobbyConfig, log *slog.Logger) (*Lobby, error) {
	if cfg.Key == "" {
		cfg.Key = newKey()
	}
	if _, err := tcm.NewKey([]byte(cfg.Key)); err != nil {
		return nil, fmt.Errorf("match: the lobby's key: want at least 16 letters, as in %s", newKey())
	}
	if err := cfg.Match.Validate(); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	core, err := match.NewLobby(cfg.Lobby)
	if err != nil {
		return nil, err
	}
	return &Lobby{
		cfg: cfg, log: stationnet.Warnings(log), clock: soccer.NewClock(time.Now()), run: rand.Text()[:8], core: core,
		guard: traffic.NewGuard(requestRate, requestBurst),
	}, nil
}

// newKey returns a key that people can copy from a wall: 80 random bits.
func newKey() string {
	t := strings.ToLower(rand.Text())
	return t[:4] + "-" + t[4:8] + "-" + t[8:12] + "-" + t[12:16]
}

// TeamKey returns the key with which a team and its field sign in a match, as text: that of the lobby makes it from the
// nonce of the team's program and the number of the match.
func TeamKey(lobby, nonce string, number int) string {
	return sign(lobby, fmt.Appendf(nil, "team %s %d", nonce, number))
}

// sign returns the HMAC-SHA-256 of data in hexadecimal digits.
func sign(key string, data []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil))
}

// Key returns the secret of all teams.
func (l *Lobby) Key() string { return l.cfg.Key }

func (l *Lobby) now() soccer.Time { return l.clock.At(time.Now()) }

// drawPeriod is the period in which the lobby looks whether a match can begin.
const drawPeriod = 200 * time.Millisecond

// Run plays matches until ctx ends or all are played.
func (l *Lobby) Run(ctx context.Context) error {
	ticker := time.NewTicker(drawPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		m, err := l.draw()
		if err == nil && m != nil {
			err = l.play(ctx, m)
		}
		if err != nil || l.Over() {
			return err
		}
	}
}

// Over reports whether all matches have been played.
func (l *Lobby) Over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.core.Over()
}

// lobbyMatch is one match of a lobby.
type lobbyMatch struct {
	*Match
	number int
	nonces [2]string // of the programs that may play it
	fields []*Field  // home, away
	keys   [2]verifier
	robots [2][]netip.AddrPort // requires the lobby's lock
	phase  string              // requires the lobby's lock; "": it is played
	ended  bool                // requires the lobby's lock
}

// draw begins the next match, if there is one.
func (l *Lobby) draw() (*lobbyMatch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.core.Draw(l.now())
	if f == nil {
		return nil, nil
	}
	cfg := l.cfg.Match
	cfg.Seed += uint64(f.Number) - 1
	m := &lobbyMatch{number: f.Number}
	var tap match.Tap
	for i, side := range game.Sides {
		t, external := f.Side(side), cfg.Team(side)
		external.Name, external.External, external.Booking = t.Name, true, "none"
		m.nonces[i], m.robots[i] = t.Nonce, t.Robots
		secret := []byte(TeamKey(l.cfg.Key, t.Nonce, f.Number))
		m.keys[i].key, _ = tcm.NewKey(secret) // it is long enough
		field, err := OpenField(side, netip.AddrPortFrom(l.cfg.Address, 0), secret, l.log)
		if err != nil {
			m.close()
			return nil, err
		}
		m.fields = append(m.fields, field)
		field.Tap(&tap)
		field.obey(fieldRules{
			directory: func(teamcom.From) (string, bool) {
				l.mu.Lock()
				defer l.mu.Unlock()
				return l.directory(m, side), true
			},
			debug: m.believe(side), scene: func(teamcom.From, *team.Scene) bool { return false },
		})
		field.Record = robotnet.RecordArrivals(field.Endpoint, m.inspect(side))
	}
	var err error
	if m.Match, err = VirtualMatch(cfg, tap); err != nil {
		m.close()
		return nil, err
	}
	m.watched = true
	l.playing = m
	return m, nil
}

// close closes the fields of a match that does not run.
func (m *lobbyMatch) close() {
	for _, f := range m.fields {
		f.Close()
	}
}

// believe returns the function that shows the belief of a robot.
func (m *lobbyMatch) believe(side game.Side) func(teamcom.From, *team.Debug) {
	return func(from teamcom.From, d *team.Debug) {
		m.Look(func(s *match.Show) { s.Believe(side, from.Entity.ID, from.Now.Sub(from.Captured), d) })
	}
}

// inspect returns the function that shows the datagrams of a team, and those of nobody else.
func (m *lobbyMatch) inspect(side game.Side) func(*soccer.Packet) {
	return func(p *soccer.Packet) {
		m.Look(func(s *match.Show) {
			if m.keys[side.Index()].valid(p.Data) {
				p.Time = s.Now()
				s.Receive(side, p)
			}
		})
	}
}

// directory returns the TCM.ini of a team: where its robots listen, if they told. It requires the lobby's lock.
func (l *Lobby) directory(m *lobbyMatch, side game.Side) string {
	d := teamcom.Directory{Team: TeamNumber(side)}
	robots := m.robots[side.Index()]
	for n := range l.cfg.Match.Team(side).Robots {
		e := teamcom.Entry{Entity: tcm.Entity{Kind: tcm.Robot, ID: uint8(n + 1)}, Learn: true}
		if n < len(robots) {
			e.Addr, e.Learn = robots[n], false
		}
		d.Entries = append(d.Entries, e)
	}
	field := m.fields[side.Index()]
	d.Entries = append(d.Entries, teamcom.Entry{Entity: robot.Field, Addr: field.Address()})
	return string(d.Append(nil))
}

// play plays a match and counts it. It returns when the next one may begin.
func (l *Lobby) play(ctx context.Context, m *lobbyMatch) error {
	running, stop := context.WithCancel(ctx)
	group, running := errgroup.WithContext(running)
	for _, f := range m.fields {
		group.Go(func() error { return f.Run(running) })
	}
	quit, reason := l.await(running, m)
	if reason == "" {
		quit, reason = l.playOut(running, m)
	}
	stop()
	if err := group.Wait(); err != nil {
		return fmt.Errorf("match: the field: %w", err)
	}
	if ctx.Err() != nil {
		return nil // it does not count
	}
	var goals [2]int
	m.Look(func(s *match.Show) { goals = score(s) })
	l.mu.Lock()
	m.ended = true
	home := l.core.Current().Side(game.Home)
	l.core.Finish(l.now(), goals, quit, reason)
	f := *l.core.Result(home)
	l.refused.Datagrams += m.strangers()
	l.mu.Unlock()
	if l.cfg.OnResult != nil {
		l.cfg.OnResult(f)
	}
	if l.Over() {
		return nil
	}
	select {
	case <-ctx.Done():
	case <-time.After(l.cfg.Pause):
	}
	return nil
}

// score returns the goals of home and away.
func score(s *match.Show) [2]int {
	var v match.View
	s.View(&v)
	return [2]int{v.Game.Home.Goals, v.Game.Away.Goals}
}

// strangers returns the number of datagrams that arrived without a team's key.
func (m *lobbyMatch) strangers() (n uint64) {
	for _, f := range m.fields {
		r := f.Report(f.Now()).Refused
		n += r.Foreign + r.Malformed + r.Checksum + r.Unsigned + r.Forged
	}
	return n
}

// missing says which teams do not play, and why.
func (m *lobbyMatch) missing(quit [2]bool, why string) string {
	cfg := m.cfg.Match
	switch {
	case quit[0] && quit[1]:
		return cfg.Home.Name + " and " + cfg.Away.Name + " " + why
	case quit[0]:
		return cfg.Home.Name + " " + why
	case quit[1]:
		return cfg.Away.Name + " " + why
	}
	return ""
}

// await waits until both teams drive robots. A reason says which team never did.
func (l *Lobby) await(ctx context.Context, m *lobbyMatch) (quit [2]bool, reason string) {
	patience := time.NewTimer(l.cfg.Patience)
	defer patience.Stop()
	over := false
	for i, f := range m.fields {
		l.setPhase(m, "waiting for the robots of "+m.cfg.Match.Team(f.Side()).Name)
		if over {
			select {
			case <-f.Arrived():
			default:
				quit[i] = true
			}
			continue
		}
		select {
		case <-ctx.Done():
			return quit, ""
		case <-f.Arrived():
		case <-patience.C:
			quit[i], over = true, true
		}
	}
	l.setPhase(m, "")
	return quit, m.missing(quit, fmt.Sprintf("drove no robot within %v", l.cfg.Patience))
}

func (l *Lobby) setPhase(m *lobbyMatch, phase string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.phase = phase
}

// playOut plays a match to its end, or until a team is silent.
func (l *Lobby) playOut(ctx context.Context, m *lobbyMatch) (quit [2]bool, reason string) {
	last := time.Now()
	err := each(ctx, liveTick, func(now time.Time) error {
		m.Look(func(s *match.Show) {
			for _, f := range m.fields {
				f.Execute(s.Match)
			}
		})
		err := m.advance(now.Sub(last))
		last = now
		for i, f := range m.fields {
			quit[i] = f.Silent(time.Now()) > l.cfg.Silence
		}
		over := false
		m.Look(func(s *match.Show) { over = s.Over() })
		if err == nil && (over || quit != [2]bool{}) {
			err = errEnd
		}
		return err
	})
	if err != nil && !errors.Is(err, errEnd) {
		l.log.Error("a match of the lobby failed", "match", m.number, "err", err)
		return [2]bool{}, "the match broke off: " + err.Error()
	}
	return quit, m.missing(quit, fmt.Sprintf("drove no robot for %v", l.cfg.Silence))
}

// errEnd ends the loop of a match.
var errEnd = errors.New("match: the end")

// Current returns the match that is being played or that was played last; nil without one.
func (l *Lobby) Current() *Match {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.playing == nil {
		return nil
	}
	return l.playing.Match
}

// View returns the topic "lobby", a *match.LobbyView.
func (l *Lobby) View(string) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.core.View(l.now())
	v.Lobby, v.Robots, v.Half = l.run, l.cfg.Match.Home.Robots, l.cfg.Match.Half.Seconds()
	v.Refused = l.refused
	if m := l.playing; m != nil && !m.ended {
		v.Phase = m.phase
		v.Refused.Datagrams += m.strangers()
		now := &v.Matches[len(v.Matches)-1]
		m.Look(func(s *match.Show) {
			now.Goals = score(s)
			if show := s.State(); v.Phase == "" {
				v.Phase = fmt.Sprintf("%s, %d:%02d: %s", show.Part, int(show.Clock)/60, int(show.Clock)%60, show.Phase)
			}
		})
	}
	return v
}

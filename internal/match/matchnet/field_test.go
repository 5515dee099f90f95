package matchnet_test

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/robot"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

var liveQuiet = slog.New(slog.DiscardHandler)

// background runs something until the test ends.
func background(t *testing.T, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// liveProgram is a liveProgram outside that drives a robot.
type liveProgram struct {
	*teamcomnet.Endpoint
	number uint8
	motor  team.Motor

	mu      sync.Mutex
	senses  []team.Sense
	referee team.Referee
}

// drive opens a program for a robot of a team at a field.
func drive(t *testing.T, field netip.AddrPort, teamNumber, number uint8) *liveProgram {
	t.Helper()
	self := tcm.Entity{Kind: tcm.Robot, ID: number}
	cfg := teamcomnet.DefaultConfig(self)
	cfg.Node.Directory = &teamcom.Directory{Team: teamNumber, Entries: []teamcom.Entry{
		{Entity: self, Addr: teamcomnet.Loopback(uint16(wiretest.FreePorts(t, "udp", tcm.Sockets)))},
		{Entity: robot.Field, Addr: field},
	}}
	e, err := teamcomnet.Open(cfg, liveQuiet)
	if err != nil {
		t.Fatal(err)
	}
	p := &liveProgram{Endpoint: e, number: number}
	teamcom.Handle(e.Module(tcm.Cmd), func(_ teamcom.From, m *team.Sense) {
		p.mu.Lock()
		defer p.mu.Unlock()
		s := *m
		s.Percepts.Balls, s.Percepts.Obstacles = nil, nil // they are the handler's
		p.senses = append(p.senses, s)
	})
	teamcom.Handle(e.Module(tcm.GM), func(_ teamcom.From, m *team.Referee) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.referee = *m
	})
	background(t, e.Run)
	return p
}

// send sends a motor command.
func (p *liveProgram) send(vx float32) {
	p.motor.Sequence++
	p.motor.VX = vx
	_ = p.Module(tcm.Cmd).Client().Send(p.Now(), robot.Field, &p.motor)
}

// heard returns what the program got.
func (p *liveProgram) heard() (senses []team.Sense, referee team.Referee) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]team.Sense{}, p.senses...), p.referee
}

// A program that drives a robot of a match over the TCM gets its senses and what its station says; its commands, and
// nobody else's, move the robot.
func TestField(t *testing.T) {
	t.Parallel()
	field, err := matchnet.OpenField(game.Away, teamcomnet.Loopback(0), nil, liveQuiet)
	if err != nil {
		t.Fatal(err)
	}
	background(t, field.Run)
	cfg := match.DefaultMatchConfig()
	cfg.Away.External = true
	var tap match.Tap
	others := 0
	tap.Sense = func(side game.Side, _ uint8, _ time.Duration, _ *team.Sense) { others++ }
	field.Tap(&tap)
	m, err := match.NewMatch(cfg, tap)
	if err != nil {
		t.Fatal(err)
	}
	stranger, ours := drive(t, field.Address(), matchnet.TeamNumber(game.Home), 3), drive(t, field.Address(), matchnet.TeamNumber(field.Side()), 3)
	stranger.send(2)
	pose := func() (x float64) {
		var v match.View
		m.View(&v)
		for _, r := range v.Robots {
			if r.Side == game.Away && r.Number == 3 {
				x = r.Pose.X
			}
		}
		return x
	}
	from := pose()
	wiretest.Eventually(t, "the robot drives 0.5 m to the goal of home", func() bool {
		ours.send(1)
		time.Sleep(5 * time.Millisecond)
		field.Execute(m)
		m.Advance(m.Now().Add(20 * time.Millisecond))
		return pose() < from-0.5
	})
	select {
	case <-field.Arrived():
	default:
		t.Error("the field does not say that the program is there")
	}
	wiretest.Eventually(t, "senses, and a message of the referee", func() bool {
		m.Advance(m.Now().Add(20 * time.Millisecond))
		senses, referee := ours.heard()
		return len(senses) > 10 && referee.Sequence > 0 && senses[len(senses)-1].Motor > 0
	})
	senses, _ := ours.heard()
	if first := senses[0].Percepts.Self; !first.Known || first.X > 0 {
		t.Errorf("the first sense is %+v: want a pose in the own half", first)
	}
	if senses, _ := stranger.heard(); len(senses) > 0 || others > 0 {
		t.Errorf("a program of home gets %d senses, and the tap %d of others", len(senses), others)
	}
	if m.Err() != nil {
		t.Error(m.Err())
	}
}

// Commands that no robot can execute, and those of a program that floods, do no harm.
func TestFieldRefuses(t *testing.T) {
	t.Parallel()
	field, err := matchnet.OpenField(game.Home, teamcomnet.Loopback(0), nil, liveQuiet)
	if err != nil {
		t.Fatal(err)
	}
	background(t, field.Run)
	cfg := match.DefaultMatchConfig()
	cfg.Home.External, cfg.Home.Robots = true, 2
	m, err := match.NewMatch(cfg, match.Tap{})
	if err != nil {
		t.Fatal(err)
	}
	absent, wild := drive(t, field.Address(), 1, 5), drive(t, field.Address(), 1, 2)
	for range 1000 {
		absent.send(1)
		wild.send(float32(1e30))
		wild.motor.KickSpeed = -1e30
	}
	wiretest.Eventually(t, "a command arrives", func() bool {
		select {
		case <-field.Arrived():
			return true
		default:
			return false
		}
	})
	for range 50 {
		field.Execute(m)
		m.Advance(m.Now().Add(20 * time.Millisecond))
	}
	var v match.View
	if m.View(&v); m.Err() != nil || !(v.Robots[1].Pose.X < 0) {
		t.Errorf("robot 2 is at %v: %v", v.Robots[1].Pose, m.Err())
	}
	if _, err := matchnet.OpenField(game.Away, field.Address(), nil, liveQuiet); err == nil {
		t.Error("two fields share a port")
	}
}

package robot

import (
	"errors"
	"math"
	"net/netip"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/team"
)

const ms = soccer.Time(time.Millisecond)

func start(t *testing.T, number uint8) *Robot {
	t.Helper()
	r, err := New(DefaultConfig(number, soccer.Cyan, 63), soccer.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func picture(at soccer.Time, pose soccer.Pose, balls ...soccer.Vec3) *soccer.Sense {
	s := &soccer.Sense{Time: at, Self: soccer.Localisation{Known: true, HasHeading: true, Pose: pose, Confidence: 0.9}}
	for _, b := range balls {
		s.Balls = append(s.Balls, soccer.Observation{Position: b, Confidence: 0.8})
	}
	return s
}

// content decodes a package.
func content(t *testing.T, b []byte) (mixedteam.Header, soccer.Percepts) {
	t.Helper()
	var h mixedteam.Header
	var p soccer.Percepts
	if _, err := mixedteam.Decode(b, &h, &p); err != nil {
		t.Fatal(err)
	}
	return h, p
}

func TestPicturesAreAnchoredAndSentOnce(t *testing.T) {
	r := start(t, 2)
	if _, err := r.AppendPacket(nil); !errors.Is(err, ErrNothingNew) {
		t.Fatalf("a robot without a picture: got %v, want ErrNothingNew", err)
	}
	// The robot at (1, 2) faces +y. A ball 3 m ahead and 1 m to its left is at (0, 5).
	pose := soccer.Pose{X: 1, Y: 2, Theta: math.Pi / 2}
	r.Sense(picture(soccer.Epoch.Add(1500*time.Millisecond), pose, soccer.Vec3{X: 3, Y: 1, Z: 0.11}))
	b, err := r.AppendPacket(nil)
	if err != nil {
		t.Fatal(err)
	}
	h, p := content(t, b)
	if h.TimestampMillis != 1500 || h.Robot != 2 || h.TeamID != 63 || h.Color != soccer.Cyan {
		t.Errorf("got header %+v, want 1500 ms, cyan robot 2 of team 63", h)
	}
	if len(p.Balls) != 1 || math.Hypot(p.Balls[0].Position.X-0, p.Balls[0].Position.Y-5) > 0.001 {
		t.Errorf("got balls %+v, want one at (0, 5)", p.Balls)
	}
	if _, err := r.AppendPacket(nil); !errors.Is(err, ErrNothingNew) {
		t.Errorf("the same picture again: got %v, want ErrNothingNew", err)
	}
}

// One robot sends a false ball. The other fuses it, and never sends it.
func TestReceivedBallsAreNotSent(t *testing.T) {
	liar, honest := start(t, 1), start(t, 2)
	now := soccer.Epoch.Add(time.Second)
	for range 50 {
		liar.Sense(picture(now, soccer.Pose{X: -4}, soccer.Vec3{X: 2, Y: 1}))
		lie, err := liar.AppendPacket(nil)
		if err != nil {
			t.Fatal(err)
		}
		honest.Receive(&soccer.Packet{Time: now + 60*ms, From: netip.MustParseAddrPort("127.0.0.1:4001"), Data: lie})
		honest.Sense(picture(now, soccer.Pose{X: 4, Theta: math.Pi}))
		b, err := honest.AppendPacket(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, p := content(t, b); len(p.Balls) > 0 || len(p.Obstacles) > 0 {
			t.Fatalf("a robot that sees nothing sent %+v, want no ball and no obstacle", p)
		}
		now += 40 * ms
	}
	var w soccer.World
	honest.World(now, &w)
	if !w.Ball.Known || math.Hypot(w.Ball.Position.X+2, w.Ball.Position.Y-1) > 0.05 {
		t.Errorf("got ball %+v, want the received one at (-2, 1)", w.Ball)
	}
	honest.OwnWorld(now, &w)
	if w.Ball.Known {
		t.Error("OwnWorld holds a ball that only another robot reported")
	}
}

// A robot that sees a ball at rest receives a fast one beside it. It sends the velocity of its own ball.
func TestReceivedVelocityIsNotSent(t *testing.T) {
	liar, honest := start(t, 1), start(t, 2)
	now := soccer.Epoch.Add(time.Second)
	for i := range 50 {
		fast := 4 * float64(i) * 0.01 // m: it moves to and fro at 4 m/s about the resting ball
		liar.Sense(picture(now, soccer.Pose{X: -2}, soccer.Vec3{X: 2 + math.Abs(math.Mod(fast, 0.4)-0.2)}))
		lie, err := liar.AppendPacket(nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			honest.Receive(&soccer.Packet{Time: now + 60*ms, From: netip.MustParseAddrPort("127.0.0.1:4001"), Data: lie})
		}
		honest.Sense(picture(now, soccer.Pose{X: -2}, soccer.Vec3{X: 2}))
		b, err := honest.AppendPacket(nil)
		if err != nil {
			t.Fatal(err)
		}
		_, p := content(t, b)
		if len(p.Balls) != 1 || i > 5 && !p.Balls[0].HasVelocity {
			t.Fatalf("sent %+v, want one ball with the velocity of its own filter", p.Balls)
		}
		if v := p.Balls[0].Velocity; math.Hypot(v.X, v.Y) > 0.001 {
			t.Fatalf("sent velocity %+v m/s of a resting ball", v)
		}
		now += 10 * ms
	}
}

func TestWithoutPoseOnlyTheRobotIsReported(t *testing.T) {
	r := start(t, 3)
	s := picture(soccer.Epoch.Add(time.Second), soccer.Pose{}, soccer.Vec3{X: 1})
	s.Self = soccer.Localisation{}
	r.Sense(s)
	b, err := r.AppendPacket(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, p := content(t, b); p.Self.Known || len(p.Balls) > 0 {
		t.Errorf("sent %+v, want neither pose nor ball", p)
	}
}

func TestRefusedConfigs(t *testing.T) {
	for _, number := range []uint8{0, 7, 255} {
		if _, err := New(DefaultConfig(number, soccer.Cyan, 63), soccer.Epoch); err == nil {
			t.Errorf("number %d was accepted, want 1 to 6", number)
		}
	}
	for _, trailer := range []int{-1, 1201} {
		cfg := DefaultConfig(1, soccer.Cyan, 63)
		cfg.Trailer = trailer
		if _, err := New(cfg, soccer.Epoch); err == nil {
			t.Errorf("a trailer of %d bytes was accepted, want 0 to 1200", trailer)
		}
	}
}

func TestTrailerFollowsThePackage(t *testing.T) {
	cfg := DefaultConfig(1, soccer.Cyan, 63)
	cfg.Trailer = 40
	r, err := New(cfg, soccer.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	r.Sense(picture(soccer.Epoch.Add(time.Second), soccer.Pose{}, soccer.Vec3{X: 1}))
	b, err := r.AppendPacket(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) != mixedteam.SizeV2+40 {
		t.Errorf("got %d bytes, want 169 and a trailer of 40", len(b))
	}
	if _, p := content(t, b); len(p.Balls) != 1 {
		t.Errorf("with a trailer: got %+v, want one ball", p)
	}
}

// A lean robot believes the same as one with a model of its own percepts; its beliefs have the ball of its picture.
func TestLeanRobot(t *testing.T) {
	cfg := DefaultConfig(2, soccer.Cyan, 39)
	full, err := New(cfg, soccer.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Lean, cfg.NoDebug = true, true
	lean, err := New(cfg, soccer.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	var sent [2]map[uint16]int
	var ball [2]team.Ball
	for k := range 50 {
		now := soccer.Epoch.Add(time.Duration(k) * 40 * time.Millisecond)
		picture := soccer.Sense{
			Time: now, Self: soccer.Localisation{Known: true, HasHeading: true, Confidence: 0.9}, View: soccer.View{Width: 6.28, Range: 7},
			Balls: []soccer.Observation{{Position: soccer.Vec3{X: 3, Y: 1, Z: soccer.BallRadius}, Confidence: 0.8}},
		}
		for i, r := range []*Robot{full, lean} {
			if sent[i] == nil {
				sent[i] = map[uint16]int{}
			}
			r.Sense(&picture)
			r.Messages(now, func(m *Message) {
				for _, d := range m.Data {
					sent[i][d.DataType()]++
					if b, ok := d.(*team.Belief); ok {
						ball[i] = b.Ball
					}
				}
			})
		}
	}
	var believed [2]soccer.World
	for i, r := range []*Robot{full, lean} {
		r.World(soccer.Epoch.Add(2*time.Second), &believed[i])
	}
	if believed[0].Ball != believed[1].Ball || !believed[0].Ball.Known {
		t.Errorf("the lean robot believes %+v, the other one %+v", believed[1].Ball, believed[0].Ball)
	}
	if !ball[1].Known || math.Abs(float64(ball[1].X)-3) > 0.01 || math.Abs(float64(ball[1].Y)-1) > 0.01 {
		t.Errorf("the belief of the lean robot has the ball %+v", ball[1])
	}
	if sent[1][team.TypeDebug] != 0 || sent[0][team.TypeDebug] == 0 || sent[1][team.TypeBelief] != sent[0][team.TypeBelief] {
		t.Errorf("the lean robot sent %v, the other one %v", sent[1], sent[0])
	}
	var own soccer.World
	if lean.OwnWorld(soccer.Epoch.Add(2*time.Second), &own); own.Ball.Known {
		t.Errorf("the lean robot has a world of its own percepts: %+v", own.Ball)
	}
}

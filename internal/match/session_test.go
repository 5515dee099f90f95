package match

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"net/netip"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
)

// quiet is a session without kick-ins and substitutions.
func quiet() Config {
	cfg := DefaultConfig()
	cfg.Kick, cfg.Substitute = [2]time.Duration{}, [2]time.Duration{}
	return cfg
}

func virtual(t *testing.T, cfg Config, d time.Duration) *Session {
	t.Helper()
	s, err := Virtual(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	advance(s, d)
	return s
}

func advance(s *Session, d time.Duration) { s.Advance(s.Now().Add(d)) }

func TestFiveRobotsAndASubstitute(t *testing.T) {
	s := virtual(t, quiet(), 2*time.Second)
	w := s.Wall()
	if len(w.Tiles) != 5 || len(w.Truth.Robots) != 5 || len(w.Waiting) != 1 || w.Waiting[0].Number != 6 {
		t.Fatalf("%d tiles, %d robots on the field, substitutes %+v", len(w.Tiles), len(w.Truth.Robots), w.Waiting)
	}
	if w.Field.Length != 18 || w.Field.Width != 12 {
		t.Errorf("field %+v, want 18 x 12 m", w.Field)
	}
	teams := map[uint8]bool{}
	for _, p := range Participants() {
		teams[p.TeamID] = true
		if p.Camera.Rate < 10 || p.Camera.Rate > 30 {
			t.Errorf("%s sends at %.1f Hz, want 10 to 30", p.Team, p.Camera.Rate)
		}
	}
	for _, id := range []uint8{39, 40, 53, 56, 63, 74} { // CAMBADA, Carpe Noctem, NuBot, VDL, Tech United, Falcons
		if !teams[id] {
			t.Errorf("team %d, %s, does not participate", id, soccer.MSLTeam(int(id)).Name)
		}
	}
	for _, tile := range w.Tiles {
		p := Participants()[tile.Number-1]
		if math.Abs(tile.Rate-p.Camera.Rate) > 2 {
			t.Errorf("%s is received at %.1f Hz, but sends at %.1f", tile.Team, tile.Rate, p.Camera.Rate)
		}
		if tile.BallError == nil || *tile.BallError > 0.6 {
			t.Errorf("%s: the error of a resting ball is %v m", tile.Team, tile.BallError)
		}
		if *tile.Found != 4 || len(tile.Belief.Robots) != 5 {
			t.Errorf("%s finds %d of 4 obstacles and %d of 5 robots", tile.Team, *tile.Found, len(tile.Belief.Robots))
		}
	}
}

func TestSubstitute(t *testing.T) {
	s := virtual(t, quiet(), 2*time.Second)
	before := s.Wall()
	place := before.Truth.Robots[1].Pose
	if err := s.Substitute(2); err != nil {
		t.Fatal(err)
	}
	advance(s, 2*time.Second)
	after := s.Wall()
	tile := after.Tiles[1]
	if tile.Number != 6 || tile.Team != "VDL Robot Sports" || tile.Key != before.Tiles[1].Key {
		t.Errorf("tile %q shows %d %s, want %q with 6 VDL Robot Sports", tile.Key, tile.Number, tile.Team,
			before.Tiles[1].Key)
	}
	if after.Truth.Robots[1].Pose != place {
		t.Errorf("the substitute is at %+v, want %+v", after.Truth.Robots[1].Pose, place)
	}
	if after.Waiting[0].Number != 2 {
		t.Errorf("got the substitutes %+v, want robot 2", after.Waiting)
	}
	if err := s.Substitute(2); err == nil {
		t.Error("a robot outside the field was substituted")
	}
	if last := after.Marks[len(after.Marks)-1]; last.Kind != "substitute" || last.Text != "6 replaces 2" {
		t.Errorf("mark %+v", last)
	}
}

func TestSwitchOffAndOn(t *testing.T) {
	s := virtual(t, quiet(), 2*time.Second)
	if err := s.Switch(3, false); err != nil {
		t.Fatal(err)
	}
	advance(s, 5*time.Second)
	w := s.Wall()
	if tile := w.Tiles[2]; tile.State != "off" || tile.Belief.Ball != nil {
		t.Errorf("tile of a robot that is off: %+v", tile)
	}
	for _, r := range w.Tiles[0].Belief.Robots {
		if r.Number == 3 {
			t.Error("robot 1 still lists robot 3")
		}
	}
	if found := w.Tiles[0].False; *found != 0 {
		t.Errorf("robot 1 has %d false obstacles, want none: the body of robot 3 is still there", *found)
	}
	if err := s.Switch(3, true); err != nil {
		t.Fatal(err)
	}
	advance(s, 2*time.Second)
	if tile := s.Wall().Tiles[2]; tile.State != "live" || tile.Belief.Ball == nil {
		t.Errorf("tile of a robot that is on again: %+v", tile)
	}
	if err := s.Switch(6, false); err == nil {
		t.Error("a robot outside the field was switched off")
	}
}

func TestSameSeedSameSession(t *testing.T) {
	run := func(seed uint64) [32]byte {
		cfg := DefaultConfig()
		cfg.Seed = seed
		cfg.Link = traffic.Link{Loss: 0.2, Burst: 3, Delay: 5 * time.Millisecond, Jitter: 20 * time.Millisecond,
			Duplicate: 0.01}
		b, err := json.Marshal(virtual(t, cfg, 30*time.Second).Wall())
		if err != nil {
			t.Fatal(err)
		}
		return sha256.Sum256(b)
	}
	once, again, other := run(3), run(3), run(4)
	if once != again {
		t.Error("the same seed gave different sessions")
	}
	if once == other {
		t.Error("different seeds gave the same session")
	}
}

// Loss that is imposed during the session cuts the robots off, and they find each other again without it.
func TestSetLink(t *testing.T) {
	s := virtual(t, quiet(), 3*time.Second)
	robots := func() (most int) {
		for _, tile := range s.Wall().Tiles {
			most = max(most, len(tile.Belief.Robots))
		}
		return most
	}
	if got := robots(); got != 5 {
		t.Fatalf("the tiles show up to %d robots, want 5", got)
	}
	if err := s.SetLink(traffic.Link{Loss: 1}); err != nil {
		t.Fatal(err)
	}
	advance(s, 5*time.Second)
	if got := robots(); got != 1 {
		t.Errorf("without any packet a tile shows %d robots, want only its own", got)
	}
	if err := s.SetLink(traffic.Link{Loss: 2}); err == nil || s.Link().Loss != 1 {
		t.Errorf("got error %v and loss %v, want an error and the loss unchanged", err, s.Link().Loss)
	}
	if err := s.SetLink(traffic.Link{}); err != nil {
		t.Fatal(err)
	}
	advance(s, 3*time.Second)
	if got := robots(); got != 5 {
		t.Errorf("with all packets again the tiles show up to %d robots, want 5", got)
	}
}

// The page of a robot shows what it perceived itself, what it received, and its world without packets.
func TestWhatARobotKnows(t *testing.T) {
	s := virtual(t, quiet(), 3*time.Second)
	tile := s.Wall().Tiles[0]
	v, ok := s.Packets(tile.Sender)
	if !ok || v.Own == nil || v.Alone == nil {
		t.Fatalf("got %+v and %t, want own percepts and a world without packets", v, ok)
	}
	var numbers []uint8
	for _, r := range v.Reports {
		numbers = append(numbers, r.Number)
		if r.Age < 0 || r.Age > 200 || len(r.Belief.Robots) > 1 {
			t.Errorf("robot %d: got %.0f ms and %d robots, want a new package with at most its sender", r.Number, r.Age,
				len(r.Belief.Robots))
		}
	}
	if want := []uint8{2, 3, 4, 5}; !slices.Equal(numbers, want) {
		t.Errorf("got packages of %v, want %v", numbers, want)
	}
	if got := len(v.Alone.Robots); got != 1 {
		t.Errorf("the world without packets has %d robots, want only its own", got)
	}
	if err := s.SetLink(traffic.Link{Loss: 1}); err != nil {
		t.Fatal(err)
	}
	advance(s, 3*time.Second)
	if v, _ = s.Packets(tile.Sender); len(v.Reports) != 0 || v.Own == nil {
		t.Errorf("after 3 s without any packet: got %d packages and own percepts %v, want none and its own",
			len(v.Reports), v.Own != nil)
	}
}

func TestRefusedConfigs(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no robots":          func(c *Config) { c.Robots = 0 },
		"six robots":         func(c *Config) { c.Robots = 6 },
		"too many obstacles": func(c *Config) { c.Obstacles = 13 },
		"loss above 1":       func(c *Config) { c.Link.Loss = 1.5 },
		"loss NaN":           func(c *Config) { c.Link.Loss = math.NaN() },
		"trailer":            func(c *Config) { c.Trailer = 5000 },
	} {
		cfg := quiet()
		change(&cfg)
		if _, err := Virtual(cfg, nil); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	for name, v := range map[string]soccer.Vec3{"NaN": {X: math.NaN()}, "too fast": {X: 13}} {
		s := virtual(t, quiet(), time.Second)
		if err := s.Kick(v); err == nil {
			t.Errorf("a kick was accepted: %s", name)
		}
	}
}

func TestEachVariantWorks(t *testing.T) {
	for i := range 6 {
		cfg := quiet()
		v := []mixedteam.Variant{mixedteam.V1, mixedteam.V2, mixedteam.V2Padded}[i/2]
		cfg.Variant, cfg.Trailer, cfg.NoTCM = v, 30, i%2 == 0
		for _, tile := range virtual(t, cfg, 3*time.Second).Wall().Tiles {
			if tile.Belief.Ball == nil || len(tile.Belief.Robots) != 5 {
				t.Errorf("%v: %s knows ball %v and %d of 5 robots", v, tile.Team, tile.Belief.Ball, len(tile.Belief.Robots))
			}
			for _, r := range tile.Belief.Robots {
				if r.Facing != (r.Self || v != mixedteam.V1 || !cfg.NoTCM) { // measurements have a heading
					t.Errorf("%v: %s knows the heading of %d: %t", v, tile.Team, r.Number, r.Facing)
				}
			}
		}
	}
}

// A robot outside the session gets a tile with the contents of its packets. One of the other side is turned and never
// fused.
func TestTileOfRealRobot(t *testing.T) {
	s := virtual(t, quiet(), 2*time.Second)
	from := netip.MustParseAddrPort("10.0.0.7:2005")
	for range 30 {
		p := soccer.Percepts{
			Self: soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: -3, Y: 1}, Confidence: 1},
			Balls: []soccer.Observation{{Position: soccer.Vec3{X: 4, Y: 2}, Velocity: soccer.Vec3{X: 1, Y: -2},
				HasVelocity: true, Confidence: 1}},
		}
		b, err := mixedteam.Append(nil, &mixedteam.Header{
			Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: uint32(s.Now().Sub(soccer.Epoch) / time.Millisecond),
			Color: soccer.Magenta, TeamID: 67, Robot: 4,
		}, &p)
		if err != nil {
			t.Fatal(err)
		}
		packet := soccer.Packet{Time: s.Now(), From: from, Data: b}
		for to := range uint8(7) {
			s.Deliver(to, &packet)
		}
		advance(s, 40*time.Millisecond)
	}
	w := s.Wall()
	if len(w.Tiles) != 6 {
		t.Fatalf("%d tiles, want five and one for the real robot", len(w.Tiles))
	}
	tile := w.Tiles[5]
	if !tile.Real || tile.Color != soccer.Magenta || tile.Number != 4 {
		t.Errorf("tile %+v", tile)
	}
	if ball := tile.Belief.Ball; ball == nil || math.Hypot(ball.X+4, ball.Y+2) > 0.01 {
		t.Errorf("its ball is drawn at %+v, want (-4, -2): turned into the field frame", ball)
	}
	if ball := tile.Belief.Ball; ball != nil && (ball.VX != -1 || ball.VY != 2) {
		t.Errorf("its ball moves at (%v, %v) m/s, want (-1, 2)", ball.VX, ball.VY)
	}
	if pose := tile.Belief.Robots[0].Pose; math.Hypot(pose.X-3, pose.Y+1) > 0.01 ||
		math.Abs(math.Abs(pose.Theta)-math.Pi) > 0.01 {
		t.Errorf("it is drawn at %+v, want (3, -1) facing -x", pose)
	}
	for _, own := range w.Tiles[:5] {
		if own.Left == nil || own.Left.OtherColor != 30 {
			t.Errorf("%s did not fuse %+v, want 30 packets of the other side", own.Team, own.Left)
		}
		if !own.Belief.SeesBall == slices.Contains(own.Belief.By, own.Number) {
			t.Errorf("%s sees the ball: %t, robots seeing it: %v", own.Team, own.Belief.SeesBall, own.Belief.By)
		}
		if own.Belief.Ball == nil || own.Belief.Ball.Cov == nil || own.Belief.Ball.Cov.XX <= 0 {
			t.Errorf("%s: the ball has no covariance: %+v", own.Team, own.Belief.Ball)
		}
		if shape := map[bool]string{false: "robot", true: "camera"}[own.Number == 5]; own.Shape != shape {
			t.Errorf("%s has the shape %s, want %s", own.Team, own.Shape, shape)
		}
		for _, r := range own.Belief.Robots {
			if r.Number == 4 && r.Color == soccer.Magenta {
				t.Errorf("%s lists the other side's robot as a teammate", own.Team)
			}
		}
		if own.Belief.Ball != nil && math.Hypot(own.Belief.Ball.X+4, own.Belief.Ball.Y+2) < 0.5 {
			t.Errorf("%s fused the other side's ball", own.Team)
		}
	}
	if w.Spread == nil || *w.Spread > 0.5 {
		t.Errorf("spread %v m, want at most 0.5 without the real robot, which sees another ball", w.Spread)
	}
	advance(s, 11*time.Second)
	tiles := s.Wall().Tiles
	if last := tiles[len(tiles)-1]; len(tiles) != 6 || !last.Real || last.State != "silent" || last.Silent < 10 {
		t.Errorf("%d tiles 11 s after the real robot fell silent, the last %+v; want 6, and it is silent", len(tiles), last)
	}
}

// A robot that is alone has no substitute.
func TestAlone(t *testing.T) {
	cfg := quiet()
	cfg.Robots, cfg.Alone = 1, true
	s := virtual(t, cfg, 0)
	if w := s.Wall(); len(w.Waiting) != 0 || w.Session != "one robot" {
		t.Errorf("%s with the substitutes %+v", w.Session, w.Waiting)
	}
	if err := s.Substitute(1); err == nil {
		t.Error("robot 1 is substituted")
	}
}

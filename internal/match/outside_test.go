package match

import (
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/wire/team"
)

// program is the software of a robot outside the session.
type program struct {
	*robot.Robot
	session  *Session
	number   uint8
	pictures int
}

func join(t *testing.T, s *Session, number uint8) *program {
	t.Helper()
	r, err := robot.New(robot.DefaultConfig(number, soccer.Cyan, 74), soccer.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Robot: r, session: s, number: number}
	if err := s.Join(number, p.picture); err != nil {
		t.Fatal(err)
	}
	return p
}

// picture fuses a picture, sends its package, and reports its belief to the field.
func (p *program) picture(captured soccer.Time, m *team.Sense) {
	p.pictures++
	b, err := m.AppendBinary(nil) // as over the TCM
	if err != nil {
		panic(err)
	}
	var sense team.Sense
	if err := sense.UnmarshalBinary(b); err != nil {
		panic(err)
	}
	if err := p.SenseMessage(captured, &sense); err != nil {
		panic(err)
	}
	b, err = p.AppendPacket(nil)
	if err != nil {
		panic(err)
	}
	packet := soccer.Packet{Time: p.session.Now(), From: netip.MustParseAddrPort("127.0.0.1:50003"), Data: b}
	for to := range uint8(7) {
		p.session.Deliver(to, &packet)
	}
	var w soccer.World
	p.World(p.session.Now(), &w)
	p.session.Believe(p.number, &w)
}

func TestProgramTakesARobotOver(t *testing.T) {
	s := virtual(t, quiet(), 2*time.Second)
	p := join(t, s, 3)
	advance(s, 2*time.Second)
	if want := 2 * Participants()[2].Camera.Rate; math.Abs(float64(p.pictures)-want) > 3 {
		t.Errorf("it got %d pictures in 2 s, want about %.0f", p.pictures, want)
	}
	w := s.Wall()
	tile := w.Tiles[2]
	if tile.State != "live" || tile.Sender == "" || tile.Rate < 10 || tile.Belief.Ball == nil || tile.BallError == nil {
		t.Errorf("tile %+v, want the belief and the packages of the program", tile)
	}
	if len(w.Tiles) != 5 {
		t.Errorf("%d tiles, want the program's packages in the tile of robot 3", len(w.Tiles))
	}
	for _, figure := range w.Tiles[0].Belief.Robots {
		if figure.Number == 3 && figure.Age != nil && *figure.Age > 200 {
			t.Errorf("robot 1 received robot 3 %.0f ms ago", *figure.Age)
		}
	}
	if score := s.Scores()[2]; score.Sent < 60 || score.Fused.Samples < 60 {
		t.Errorf("score %+v, want the packages and the belief of the program", score)
	}
	s.Leave(3)
	advance(s, 3*time.Second)
	if tile := s.Wall().Tiles[2]; tile.State != "off" || s.Joined(3) {
		t.Errorf("without the program: state %q, joined %t", tile.State, s.Joined(3))
	}
	if err := s.Switch(3, true); err != nil {
		t.Fatal(err)
	}
	advance(s, time.Second)
	if tile := s.Wall().Tiles[2]; tile.State != "live" || tile.Belief.Ball == nil {
		t.Errorf("switched on again: %+v", tile)
	}
}

func TestSwitchedOffRobotCannotJoin(t *testing.T) {
	s := virtual(t, quiet(), time.Second)
	p := join(t, s, 3)
	if err := s.Switch(3, false); err != nil {
		t.Fatal(err)
	}
	for _, number := range []uint8{3, 6, 99} { // switched off, the substitute, nobody
		if err := s.Join(number, p.picture); err == nil {
			t.Errorf("robot %d joined", number)
		}
	}
	if err := s.Switch(3, true); err != nil {
		t.Fatal(err)
	}
	join(t, s, 3)
	if err := s.Substitute(3); err != nil {
		t.Fatal(err)
	}
	before := p.pictures
	advance(s, time.Second)
	if p.pictures != before || s.Wall().Tiles[2].Number != 6 {
		t.Errorf("a substituted robot got %d pictures", p.pictures-before)
	}
}

// Without software of its own the session waits for programs.
func TestAllRobotsOutside(t *testing.T) {
	cfg := quiet()
	cfg.Outside = true
	s := virtual(t, cfg, time.Second)
	for _, tile := range s.Wall().Tiles {
		if tile.State != "off" {
			t.Errorf("%s is %q before a program joins", tile.Team, tile.State)
		}
	}
	p := join(t, s, 2)
	advance(s, time.Second)
	if p.pictures < 25 || s.Wall().Tiles[1].State != "live" {
		t.Errorf("got %d pictures and the state %q, want about 30 and live", p.pictures, s.Wall().Tiles[1].State)
	}
	if err := s.Substitute(2); err != nil {
		t.Fatal(err)
	}
	if s.Joined(2) || s.Wanted() != soccer.RobotSet(0).With(1).With(3).With(4).With(5).With(6) {
		t.Errorf("after the substitution robot 2 is part of the session: %t; it wants %b", s.Joined(2), s.Wanted())
	}
	if !p.Percepts().Self.Known {
		t.Error("the program got no self-localisation")
	}
}

// The session substitutes its own robots, and leaves one that a program outside runs on the field.
func TestNoSubstituteForRobotsOutside(t *testing.T) {
	s, err := New(DefaultConfig(), func(uint8, []byte) {})
	if err != nil {
		t.Fatal(err)
	}
	join(t, s, 3)
	substitutes := 0
	for range 60 {
		advance(s, 5*time.Second)
		for _, e := range s.Events() {
			if strings.HasPrefix(e.Text, "substitute") {
				substitutes++
			}
		}
		if !s.Joined(3) {
			t.Fatalf("robot 3 left after %d substitutions", substitutes)
		}
	}
	if substitutes < 3 {
		t.Errorf("%d substitutions in 5 min, want 3", substitutes)
	}
}

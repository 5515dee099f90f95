package station_test

import (
	"math"
	"testing"
	"time"

	"touchline/internal/station"
	"touchline/soccer"
	"touchline/wire/team"
)

// commanded is a station of group 224.16.32.39 that received commands, one each second.
func commanded(t *testing.T, commands ...string) (*station.Station, soccer.Time) {
	t.Helper()
	s, err := station.New(station.DefaultConfig(39))
	if err != nil {
		t.Fatal(err)
	}
	now := soccer.Epoch
	for _, c := range append([]string{`{"command":"WELCOME","targetTeam":"224.16.32.39"}`}, commands...) {
		for n := uint8(1); n <= 5; n++ {
			s.ReceiveStatus(n, now, &team.Status{Mode: team.Playing})
		}
		if _, err := s.Apply(now, []byte(c)); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	return s, now
}

const (
	ours   = `","targetTeam":"224.16.32.39"}`
	theirs = `","targetTeam":"224.16.32.63"}`
	all    = `","targetTeam":""}`
	c      = `{"command":"`
)

// The robots are told in the words of the TCM what the RefBox commanded.
func TestRefereeMessage(t *testing.T) {
	for _, e := range []struct {
		commands []string
		want     team.Referee
	}{
		{nil, team.Referee{State: team.Halted, Command: "WELCOME"}},
		{[]string{c + "KICKOFF" + ours}, team.Referee{State: team.Waiting, SetPiece: team.KickOff, Side: team.Ours, Command: "KICKOFF"}},
		{[]string{c + "KICKOFF" + theirs, c + "FIRST_HALF" + all, c + "START" + all},
			team.Referee{State: team.Running, Part: team.FirstHalf, SetPiece: team.KickOff, Side: team.Theirs, Command: "START"}},
		{[]string{c + "FIRST_HALF" + all, c + "START" + all, c + "GOAL" + theirs},
			team.Referee{State: team.Stop, Part: team.FirstHalf, Conceded: 1, Command: "GOAL"}},
		{[]string{c + "FIRST_HALF" + all, c + "DROP_BALL" + all},
			team.Referee{State: team.Waiting, Part: team.FirstHalf, SetPiece: team.DroppedBall, Command: "DROP_BALL"}},
		{[]string{c + "HALF_TIME" + all, c + "PARK" + all},
			team.Referee{State: team.Parking, Part: team.HalfTime, Command: "PARK"}},
		{[]string{c + "SECOND_HALF" + all, c + "END_GAME" + all},
			team.Referee{State: team.Halted, Part: team.GameOver, Command: "END_GAME"}},
	} {
		s, now := commanded(t, e.commands...)
		got := *s.Referee(now)
		e.want.Sequence = 1
		if got != e.want {
			t.Errorf("%v: got %+v, want %+v", e.commands, got, e.want)
		}
	}
}

// The sequence grows with each change, and only then.
func TestRefereeSequence(t *testing.T) {
	s, now := commanded(t, c+"FIRST_HALF"+all, c+"START"+all)
	first := s.Referee(now).Sequence
	if again := s.Referee(now.Add(time.Second)).Sequence; again != first {
		t.Errorf("without a command the sequence went from %d to %d", first, again)
	}
	if _, err := s.Apply(now, []byte(c+"STOP"+all)); err != nil {
		t.Fatal(err)
	}
	if m := s.Referee(now); m.Sequence != first+1 || m.State != team.Stop {
		t.Errorf("after STOP: %+v, want sequence %d", m, first+1)
	}
}

// REPAIR and cards name no robot: the station chooses, a faulty one first and the goalkeeper last.
func TestStationChoosesWhoLeaves(t *testing.T) {
	running := []string{c + "FIRST_HALF" + all, c + "START" + all}
	out := func(robots ...uint8) (set soccer.RobotSet) {
		for _, n := range robots {
			set = set.With(n)
		}
		return set
	}
	for _, e := range []struct {
		commands []string
		want     soccer.RobotSet
	}{
		{[]string{c + "REPAIR" + ours}, out(5)},
		{[]string{c + "REPAIR" + theirs}, out()},
		{[]string{c + "YELLOW_CARD" + ours}, out()},
		{[]string{c + "REPAIR" + ours, c + "RED_CARD" + ours}, out(5, 4)},
		{[]string{c + "REPAIR" + ours, c + "RED_CARD" + ours, c + "REPAIR_END" + ours}, out(4)},
		{[]string{c + "RED_CARD" + ours, c + "RED_CARD" + ours, c + "RED_CARD" + ours, c + "RED_CARD" + ours}, out(5, 4, 3, 2)},
		{[]string{c + "RED_CARD" + ours, c + "RESET" + all}, out()},
	} {
		s, now := commanded(t, append(running, e.commands...)...)
		if got := soccer.RobotSet(s.Referee(now).Out); got != e.want {
			t.Errorf("%v: robots %b leave, want %b", e.commands, got, e.want)
		}
	}
	s, now := commanded(t, running...)
	s.ReceiveStatus(2, now, &team.Status{Mode: team.Faulty})
	if _, err := s.Apply(now, []byte(c+"REPAIR"+ours)); err != nil {
		t.Fatal(err)
	}
	if got := soccer.RobotSet(s.Referee(now).Out); got != out(2) {
		t.Errorf("robots %b leave, want the faulty robot 2", got)
	}
}

// A second yellow card lasts 90 s of playing time, which a stop interrupts; a station that knows no robot yet chooses
// when one reports.
func TestDoubleYellowIsServed(t *testing.T) {
	s, now := commanded(t, c+"FIRST_HALF"+all, c+"START"+all, c+"DOUBLE_YELLOW"+ours, c+"STOP"+all)
	for _, e := range []struct {
		command string
		after   time.Duration
		out     bool
	}{{"START", 60 * time.Second, true}, {"STOP", 60 * time.Second, true}, {"START", 28 * time.Second, true}, {"STOP", time.Second, true},
		{"START", 1500 * time.Millisecond, false}} {
		if _, err := s.Apply(now, []byte(c+e.command+all)); err != nil {
			t.Fatal(err)
		}
		now = now.Add(e.after)
		if got := s.Referee(now).Out != 0; got != e.out {
			t.Errorf("%v after %s: a robot is out: %t, want %t", e.after, e.command, got, e.out)
		}
	}
	late, err := station.New(station.DefaultConfig(39))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{`{"command":"WELCOME","targetTeam":"224.16.32.39"}`, c + "RED_CARD" + ours} {
		if _, err := late.Apply(now, []byte(command)); err != nil {
			t.Fatal(err)
		}
	}
	if m := late.Referee(now); m.Out != 0 {
		t.Errorf("robots %b leave before any reported", m.Out)
	}
	late.ReceiveStatus(3, now, &team.Status{})
	if m := late.Referee(now); m.Out != 1<<3 {
		t.Errorf("robots %b leave, want robot 3", m.Out)
	}
}

// Robots that only report their status are listed with all that it tells; what no robot on a field reports is left out.
func TestWorldstateOfStatuses(t *testing.T) {
	s, err := station.New(station.DefaultConfig(39))
	if err != nil {
		t.Fatal(err)
	}
	now := soccer.Epoch
	if _, err := s.Apply(now, []byte(`{"command":"WELCOME","targetTeam":"224.16.32.39"}`)); err != nil {
		t.Fatal(err)
	}
	full := team.Status{Mode: team.Playing, BallEngaged: true, Battery: 80, Intention: "dribble"}
	full.Self.SetLocalisation(soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: 2, Y: -1, Theta: 0.5}})
	full.SetTarget(soccer.Pose{X: 5, Y: 1})
	s.ReceiveStatus(3, now, &full)
	s.ReceiveStatus(2, now, &team.Status{Mode: team.Idle, Battery: team.Unknown})
	wild := full
	wild.Self.X = float32(math.NaN())
	s.ReceiveStatus(4, now, &wild)
	for n := uint8(10); n < 20; n++ {
		s.ReceiveStatus(n, now, &team.Status{Battery: team.Unknown})
	}
	now = now.Add(100 * time.Millisecond)
	w := sent(t, s, now)
	if len(w.Robots) != 5 || w.Robots[0].ID.Value != 2 || w.Robots[1].ID.Value != 3 || w.AgeMillis.Value != 100 {
		t.Fatalf("the worldstate is %+v", w)
	}
	if self := w.Robots[0].Localisation(); self.Known {
		t.Errorf("a robot without a pose is at %v", self.Pose)
	}
	r := &w.Robots[1]
	self := r.Localisation()
	target, ok := r.Target()
	if !ok || target.X != 5 || math.Abs(self.Pose.X-2) > 1e-6 || math.Abs(self.Pose.Theta-0.5) > 1e-6 || r.Intention != "dribble" ||
		r.BatteryLevel.Value != 80 || r.BallEngaged.Value != 1 {
		t.Errorf("robot 3 is %+v", r)
	}
	if bad := &w.Robots[2]; bad.ID.Value != 4 || bad.Intention != "" || bad.TargetPose.Len != 0 {
		t.Errorf("a status with NaN gives %+v", bad)
	}
	if now = now.Add(2 * time.Second); len(sent(t, s, now).Robots) != 0 {
		t.Error("silent robots are listed")
	}
}

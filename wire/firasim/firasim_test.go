package firasim_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"touchline/wire"
	. "touchline/wire/firasim"
	"touchline/wire/firasim/firasimpb"
	"touchline/wire/wiretest"
)

// check runs Check for messages of kind k.
func check(k Kind) func([]byte) []wire.Issue {
	return func(b []byte) []wire.Issue { return Check(k, b) }
}

func TestEnvironment(t *testing.T) {
	wiretest.RunOpen(t, check(KindEnvironment), []wiretest.Case[Environment]{
		{Name: "short", Msg: Environment{HasFrame: true, HasField: true}, Hex: "12 00 # frame\n 1a 00 # field"},
		{
			Name: "three robots",
			Msg: Environment{
				Step: 160, HasFrame: true, HasField: true, GoalsBlue: 1, GoalsYellow: 300,
				Frame: Frame{
					HasBall: true, Ball: Ball{X: 1, Y: -0.5, Z: 0.25, VX: math.Copysign(0, -1), VZ: 2},
					Yellow: []Robot{{ID: 0, X: 1.5}, {ID: 4, Orientation: -2, VX: 1, VY: -1, VOrientation: 0.5}},
					Blue:   []Robot{{ID: 2, Y: 2}},
				},
				Field: Field{Width: 1, Length: 1.5, GoalWidth: 0.5, GoalDepth: 0.25, PenaltyPoint: 2},
			},
			Hex: `08 a001                      # step
				12 6f                          # frame
				 0a 2d                         # ball
				  09 000000000000f03f 11 000000000000e0bf 19 000000000000d03f # x y z
				  21 0000000000000080 31 0000000000000040 # vx, no vy, vz
				 12 09 11 000000000000f83f     # robots_yellow[0]: x
				 12 26 08 04                   # robots_yellow[1]: robot_id
				  21 00000000000000c0          # orientation
				  29 000000000000f03f 31 000000000000f0bf 39 000000000000e03f # vx vy vorientation
				 1a 0b 08 02                   # robots_blue[0]: robot_id
				  19 0000000000000040          # y
				1a 2d                          # field
				 09 000000000000f03f 11 000000000000f83f # width length
				 19 000000000000e03f 21 000000000000d03f # goal_width goal_depth
				 41 0000000000000040           # penalty_point
				20 01 28 ac02                  # goals_blue goals_yellow`,
		},
	})
}

func TestPacket(t *testing.T) {
	wiretest.RunOpen(t, check(KindPacket), []wiretest.Case[Packet]{
		{Name: "empty"},
		{Name: "empty parts", Msg: Packet{HasCommands: true, HasReplacement: true}, Hex: "0a 00 12 00"},
		{
			Name: "both",
			Msg: Packet{
				HasCommands: true, Commands: []Command{{ID: 3, Yellow: true, Left: 2, Right: -2}, {}},
				HasReplacement: true,
				Replacement: Replacement{
					HasBall: true, Ball: BallReplacement{X: 0.5, VY: -1},
					Robots: []RobotReplacement{
						{HasPosition: true, Position: Robot{ID: 1, X: 0.25, Orientation: 90}, Yellow: true,
							TurnOn: true},
						{HasPosition: true},
						{},
					},
				},
			},
			Hex: `0a 1a                  # cmd
				 0a 16                     # robot_commands[0]
				  08 03 10 01              # id yellowteam
				  31 0000000000000040 39 00000000000000c0 # wheel_left wheel_right
				 0a 00                     # robot_commands[1]: blue 0 stops
				12 36                      # replace
				 0a 12                     # ball
				  09 000000000000e03f 21 000000000000f0bf # x vy
				 12 1a                     # robots[0]
				  0a 14 08 01 11 000000000000d03f 21 0000000000805640 # position: robot_id x orientation
				  28 01 30 01              # yellowteam turnon
				 12 02 0a 00               # robots[1]: off, at the centre
				 12 00                     # robots[2]`,
		},
	})
}

func TestReferee(t *testing.T) {
	wiretest.RunOpen(t, check(KindRefereeCommand), []wiretest.Case[RefereeCommand]{
		{Name: "free kick for blue before the game"},
		{Name: "free ball", Msg: RefereeCommand{FreeBall, NoTeam, 4, 2, SecondHalf},
			Hex: "08 03 10 02 18 04 21 0000000000000040 28 02"},
		{Name: "last of each", Msg: RefereeCommand{Halt, NoTeam, 4, -1, PenaltyShootouts},
			Hex: "08 07 10 02 18 04 21 000000000000f0bf 28 05"},
	})
}

func TestPlacement(t *testing.T) {
	wiretest.RunOpen(t, check(KindPlacement), []wiretest.Case[Placement]{
		{Name: "nothing"},
		{Name: "blue without robots", Msg: Placement{HasWorld: true}, Hex: "0a 00"},
		{
			Name: "yellow",
			Msg: Placement{HasWorld: true, Team: Yellow,
				Robots: []Robot{{ID: 2, X: 0.5, Y: -0.5, Orientation: 180}, {}}},
			Hex: `0a 23          # world
				 08 01             # teamColor
				 12 1d 08 02       # robots[0]: robot_id
				  11 000000000000e03f 19 000000000000e0bf 21 0000000000806640 # x y orientation
				 12 00             # robots[1]: robot 0 at the centre`,
		},
	})
}

// A placement has no velocities, although reused memory may hold some of an earlier message.
func TestPlacementVelocities(t *testing.T) {
	fast := Placement{HasWorld: true, Robots: []Robot{{ID: 1, X: 1, VX: 2, VY: 3, VOrientation: 4}}}
	b, err := fast.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := fast.UnmarshalBinary(b); err != nil || fast.Robots[0] != (Robot{ID: 1, X: 1}) {
		t.Errorf("got %+v, %v; want no velocities", fast.Robots, err)
	}
}

// The largest packets, computed: a number has 9 bytes, step and goals 6 each, a ball 56, a field 74, a robot 58 and
// without its id 56, the frame's key and length 3.
func TestLargestVision(t *testing.T) {
	for n, want := range map[int]int{3: 18 + 3 + 56 + 74 + 2*(56+2*58), 5: 18 + 3 + 56 + 74 + 2*(56+4*58)} {
		m := busy(n)
		m.Step, m.GoalsBlue, m.GoalsYellow = math.MaxUint32, math.MaxUint32, math.MaxUint32
		b, err := m.AppendBinary(nil)
		if err != nil || len(b) != want || len(b) > MaxVision {
			t.Errorf("%d against %d: got %d bytes, want %d: %v", n, n, len(b), want, err)
		}
	}
}

// Elements beyond the bound of a list are counted and dropped, but an error in them is an error.
func TestBounds(t *testing.T) {
	var e firasimpb.Environment
	e.Frame = new(firasimpb.Frame)
	for i := range uint32(MaxRobots + 3) {
		e.Frame.RobotsYellow = append(e.Frame.RobotsYellow, &firasimpb.Robot{RobotId: i, X: 1})
	}
	data := environments.marshal(t, &e)
	var m Environment
	environments.decode(t, data, &m)
	if len(m.Frame.Yellow) != MaxRobots || m.Frame.Dropped != 3 {
		t.Errorf("got %d robots, %d dropped", len(m.Frame.Yellow), m.Frame.Dropped)
	}
	if _, err := m.AppendBinary(nil); err == nil {
		t.Error("AppendBinary encoded 64 robots")
	}
	data[len(data)-9] = 7 // the last robot's x: a wire type that does not exist
	environments.decode(t, data, &m)

	p := firasimpb.Packet{Cmd: new(firasimpb.Commands), Replace: new(firasimpb.Replacement)}
	for range MaxCommands + 5 {
		p.Cmd.RobotCommands = append(p.Cmd.RobotCommands, &firasimpb.Command{WheelLeft: 1})
	}
	for range MaxRobots + 7 {
		p.Replace.Robots = append(p.Replace.Robots, &firasimpb.RobotReplacement{Turnon: true})
	}
	data = packets.marshal(t, &p)
	var q Packet
	packets.decode(t, data, &q)
	if len(q.Commands) != MaxCommands || len(q.Replacement.Robots) != MaxRobots || q.Dropped != 12 {
		t.Errorf("got %d commands, %d robots, %d dropped", len(q.Commands), len(q.Replacement.Robots), q.Dropped)
	}
	if n := testing.AllocsPerRun(10, func() {
		if err := q.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
	packets.encode(t, &q) // its lengths have three bytes
	q.Commands = append(q.Commands, Command{})
	if b, err := q.AppendBinary(nil); err == nil || len(b) != 0 {
		t.Errorf("more than MaxCommands: got %v", err)
	}
}

// Groups may nest as deep as in google's runtime, and no deeper.
func TestGroups(t *testing.T) {
	for _, depth := range []int{1, 9_999, 10_000, 10_001, 10_002, 30_000} {
		group := append(bytes.Repeat([]byte{0x7b}, depth), bytes.Repeat([]byte{0x7c}, depth)...)
		environments.decode(t, group, new(Environment))
		commands := protowire.AppendBytes([]byte{0x0a}, group)
		packets.decode(t, commands, new(Packet))
		if depth > 1 {
			environments.decode(t, group[:len(group)-1], new(Environment))
		}
	}
	if err := new(Packet).UnmarshalBinary(bytes.Repeat([]byte{0x7b}, 65_000)); err == nil {
		t.Error("got no error for groups without an end")
	}
}

// The error of AppendBinary is the first issue of Check, and the bytes before the message stay.
func TestRefuse(t *testing.T) {
	m := busy(3)
	m.Frame.Blue[1].Orientation = 4
	b, err := m.AppendBinary([]byte("before"))
	if err == nil || string(b) != "before" || !strings.Contains(err.Error(),
		"frame.robots_blue[1].orientation: 4 rad is not in (-pi, pi]") {
		t.Errorf("got %q, %v", b, err)
	}
	p := Packet{HasCommands: true, Commands: []Command{{ID: 1, Right: math.Inf(1)}}}
	if _, err := p.AppendBinary(nil); err == nil || !strings.Contains(err.Error(),
		"cmd.robot_commands[0].wheel_right") {
		t.Error(err)
	}
}

func TestFields(t *testing.T) {
	b, err := wiretest.Bytes(`0a 0d 0a 0b 08 02 31 000000000000f83f # a command of robot 2
		12 04 12 02 30 01                                        # a replacement that turns robot 0 on
		48 05 7b 7c                                              # number 9, a group
		12 7f                                                    # a length beyond the end`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Fields(KindPacket, b) {
		got = append(got, fmt.Sprint(f.Offset, f.Len, " ", f.Name, " = ", f.Value, " ", f.Unit))
	}
	want := []string{
		"0 2 cmd = 13 bytes", "2 2 cmd.robot_commands[0] = 11 bytes", "4 2 cmd.robot_commands[0].id = 2 ",
		"6 9 cmd.robot_commands[0].wheel_left = 1.5 rad/s", "15 2 replace = 4 bytes",
		"17 2 replace.robots[0] = 2 bytes",
		"19 2 replace.robots[0].turnon = true ", "21 2 9 = unknown: a varint ", "23 2 15 = unknown: a group ",
		"25 2 unreadable = unexpected EOF ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b, err = new(RefereeCommand{GameOn, NoTeam, 0, 0, FirstHalf}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := Fields(KindRefereeCommand, b)
	if len(f) != 3 || f[0].Value != "6 (GAME_ON)" || f[1].Value != "2 (NONE)" || f[2].Value != "1 (first half)" {
		t.Errorf("got %+v", f)
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		Kickoff.String(): "KICKOFF", Foul(8).String(): "8", Yellow.String(): "YELLOW", Color(-1).String(): "-1",
		OvertimeFirst.String(): "overtime first half", KindPacket.String(): "Packet", Kind(9).String(): "9",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

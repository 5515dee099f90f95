package firasim_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"google.golang.org/protobuf/proto"

	"touchline/wire"
	. "touchline/wire/firasim"
	"touchline/wire/firasim/firasimpb"
	"touchline/wire/wiretest"
)

// oracle compares a message of this codec with google's runtime.
type oracle[T any, M wiretest.Message[T]] struct {
	kind    Kind
	empty   func() proto.Message
	theirs  func(*T) proto.Message
	trim    func(proto.Message) int // cuts lists to our bounds and returns how many elements that took
	dropped func(*T) int
	roll    func(*dice) T
}

var deterministic = proto.MarshalOptions{Deterministic: true}

// decode decodes data with both: they agree on validity and on every bit, and if Check finds nothing both encode the
// same bytes. used is memory that held another message before.
func (o oracle[T, M]) decode(t *testing.T, data []byte, used *T) {
	t.Helper()
	theirs := o.empty()
	theirErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, theirs)
	ours := new(T)
	for _, m := range []*T{ours, used} {
		if err := M(m).UnmarshalBinary(data); (err == nil) != (theirErr == nil) {
			t.Fatalf("% x\ngot %v, google %v", data, err, theirErr)
		}
	}
	bad := violation(Check(o.kind, data))
	if theirErr != nil {
		if bad == nil {
			t.Fatalf("% x\ngoogle: %v, but Check found nothing", data, theirErr)
		}
		return
	}
	dropped := o.trim(theirs)
	want := o.marshal(t, theirs)
	for _, m := range []*T{ours, used} {
		if got := o.marshal(t, o.theirs(m)); !bytes.Equal(got, want) {
			t.Fatalf("% x\ngot    %+v\ngoogle %v", data, m, theirs)
		}
		if n := o.dropped(m); n != dropped {
			t.Fatalf("% x\ngot %d dropped, want %d", data, n, dropped)
		}
	}
	if bad == nil {
		o.encode(t, ours)
	}
}

// encode encodes m with both: to the same bytes, or Check finds issues in google's bytes and AppendBinary refuses m.
func (o oracle[T, M]) encode(t *testing.T, m *T) {
	t.Helper()
	want := o.marshal(t, o.theirs(m))
	got, err := M(m).AppendBinary([]byte("x"))
	bad := violation(Check(o.kind, want))
	if (err != nil) != (bad != nil) {
		t.Fatalf("%+v\nappend: %v\ncheck: %v", m, err, bad)
	}
	if err != nil {
		if string(got) != "x" || err.Error() != "firasim: "+bad.String() {
			t.Fatalf("got % x, %v\nwant %v", got, err, bad)
		}
		return
	}
	if !bytes.Equal(got[1:], want) {
		t.Fatalf("%+v\ngot    % x\ngoogle % x", m, got[1:], want)
	}
}

func (o oracle[T, M]) marshal(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := deterministic.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fuzz uses bytes as a datagram, and as dice for a message.
func (o oracle[T, M]) fuzz(f *testing.F, seeds ...[]byte) {
	for _, b := range seeds {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rolled := o.roll(&dice{data})
		o.encode(t, &rolled)
		o.decode(t, data, &rolled)
		o.decode(t, o.marshal(t, o.theirs(&rolled)), new(T))
		covered(t, o.kind, data)
	})
}

// covered checks that the byte table has every byte once.
func covered(t *testing.T, k Kind, data []byte) {
	t.Helper()
	at := 0
	for _, field := range Fields(k, data) {
		if field.Offset != at || field.Len < 1 || field.Name == "" {
			t.Fatalf("% x\ngot %+v at byte %d", data, field, at)
		}
		at += field.Len
	}
	if at != len(data) {
		t.Fatalf("% x\ngot a table of %d bytes, want %d", data, at, len(data))
	}
	for _, issue := range Check(k, data) {
		if issue.Offset < 0 || issue.Offset > len(data) || issue.Source == "" || issue.Text == "" {
			t.Fatalf("% x\ngot issue %+v", data, issue)
		}
	}
}

func violation(issues []wire.Issue) *wire.Issue {
	for i := range issues {
		if !issues[i].Note {
			return &issues[i]
		}
	}
	return nil
}

// dice turns bytes into values, most of them plausible for robots; without bytes all values are zero.
type dice struct{ b []byte }

func (d *dice) byte() byte {
	if len(d.b) == 0 {
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *dice) yes() bool { return d.byte()&1 == 1 }

func (d *dice) integer() uint32 {
	return uint32(d.byte()) << (d.byte() % 32)
}

func (d *dice) double() float64 {
	switch k := d.byte(); {
	case k < 32:
		return 0
	case k < 64:
		return math.Copysign(0, -1)
	case k < 72:
		return math.SmallestNonzeroFloat64
	case k < 80:
		return math.MaxFloat64
	case k == 80:
		return math.NaN()
	case k == 81:
		return math.Inf(1)
	case k == 82:
		return -math.Pi
	case k < 90 && len(d.b) >= 8:
		v := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
		d.b = d.b[8:]
		return v
	default:
		return (float64(k) - 172) / 27 * (1 - float64(d.byte())/256)
	}
}

func (d *dice) robots() (list []Robot) {
	for id := range uint32(d.byte() % 6) {
		if k := d.byte(); k > 250 {
			id = d.integer()
		} else if k > 200 {
			continue
		}
		list = append(list, Robot{id, d.double(), d.double(), d.double(), d.double(), d.double(), d.double()})
	}
	return list
}

var environments = oracle[Environment, *Environment]{
	kind:   KindEnvironment,
	empty:  func() proto.Message { return new(firasimpb.Environment) },
	theirs: func(m *Environment) proto.Message { return environmentPB(m) },
	trim: func(p proto.Message) int {
		frame := p.(*firasimpb.Environment).Frame
		if frame == nil {
			return 0
		}
		return cut(&frame.RobotsYellow, MaxRobots) + cut(&frame.RobotsBlue, MaxRobots)
	},
	dropped: func(m *Environment) int { return m.Frame.Dropped },
	roll: func(d *dice) Environment {
		m := Environment{Step: d.integer(), GoalsBlue: d.integer(), GoalsYellow: d.integer(),
			HasFrame: d.byte() < 250, HasField: d.byte() < 250}
		if m.HasFrame {
			m.Frame = Frame{HasBall: d.yes(), Yellow: d.robots(), Blue: d.robots()}
			if m.Frame.HasBall {
				m.Frame.Ball = Ball{d.double(), d.double(), d.double(), d.double(), d.double(), d.double()}
			}
		}
		if m.HasField {
			m.Field = Field{d.double(), d.double(), d.double(), d.double(), d.double(), d.double(), d.double(),
				d.double()}
		}
		return m
	},
}

func environmentPB(m *Environment) *firasimpb.Environment {
	p := &firasimpb.Environment{Step: m.Step, GoalsBlue: m.GoalsBlue, GoalsYellow: m.GoalsYellow}
	if m.HasFrame {
		p.Frame = new(firasimpb.Frame)
		if m.Frame.HasBall {
			b := m.Frame.Ball
			p.Frame.Ball = &firasimpb.Ball{X: b.X, Y: b.Y, Z: b.Z, Vx: b.VX, Vy: b.VY, Vz: b.VZ}
		}
		for _, r := range m.Frame.Yellow {
			p.Frame.RobotsYellow = append(p.Frame.RobotsYellow, robotPB(r))
		}
		for _, r := range m.Frame.Blue {
			p.Frame.RobotsBlue = append(p.Frame.RobotsBlue, robotPB(r))
		}
	}
	if m.HasField {
		f := m.Field
		p.Field = &firasimpb.Field{Width: f.Width, Length: f.Length, GoalWidth: f.GoalWidth, GoalDepth: f.GoalDepth,
			CenterRadius: f.CenterRadius, PenaltyWidth: f.PenaltyWidth, PenaltyDepth: f.PenaltyDepth,
			PenaltyPoint: f.PenaltyPoint}
	}
	return p
}

func robotPB(r Robot) *firasimpb.Robot {
	return &firasimpb.Robot{RobotId: r.ID, X: r.X, Y: r.Y, Orientation: r.Orientation, Vx: r.VX, Vy: r.VY,
		Vorientation: r.VOrientation}
}

// cut shortens list to bound and returns the number of removed elements.
func cut[T any](list *[]T, bound int) int {
	n := max(0, len(*list)-bound)
	*list = (*list)[:len(*list)-n]
	return n
}

var packets = oracle[Packet, *Packet]{
	kind:   KindPacket,
	empty:  func() proto.Message { return new(firasimpb.Packet) },
	theirs: packetPB,
	trim: func(m proto.Message) (n int) {
		p := m.(*firasimpb.Packet)
		if p.Cmd != nil {
			n += cut(&p.Cmd.RobotCommands, MaxCommands)
		}
		if p.Replace != nil {
			n += cut(&p.Replace.Robots, MaxRobots)
		}
		return n
	},
	dropped: func(m *Packet) int { return m.Dropped },
	roll: func(d *dice) Packet {
		m := Packet{HasCommands: d.yes(), HasReplacement: d.yes()}
		if m.HasCommands {
			for range d.byte() % 8 {
				m.Commands = append(m.Commands, Command{uint32(d.byte() % 6), d.yes(), d.double(), d.double()})
			}
		}
		if m.HasReplacement {
			if m.Replacement.HasBall = d.yes(); m.Replacement.HasBall {
				m.Replacement.Ball = BallReplacement{d.double(), d.double(), d.double(), d.double()}
			}
			for _, r := range d.robots() {
				place := RobotReplacement{HasPosition: d.byte() < 240, Yellow: d.yes(), TurnOn: d.yes()}
				if place.HasPosition {
					place.Position = r
				}
				m.Replacement.Robots = append(m.Replacement.Robots, place)
			}
		}
		return m
	},
}

func packetPB(m *Packet) proto.Message {
	p := new(firasimpb.Packet)
	if m.HasCommands {
		p.Cmd = new(firasimpb.Commands)
		for _, c := range m.Commands {
			p.Cmd.RobotCommands = append(p.Cmd.RobotCommands,
				&firasimpb.Command{Id: c.ID, Yellowteam: c.Yellow, WheelLeft: c.Left, WheelRight: c.Right})
		}
	}
	if !m.HasReplacement {
		return p
	}
	p.Replace = new(firasimpb.Replacement)
	if m.Replacement.HasBall {
		b := m.Replacement.Ball
		p.Replace.Ball = &firasimpb.BallReplacement{X: b.X, Y: b.Y, Vx: b.VX, Vy: b.VY}
	}
	for _, r := range m.Replacement.Robots {
		place := &firasimpb.RobotReplacement{Yellowteam: r.Yellow, Turnon: r.TurnOn}
		if r.HasPosition {
			place.Position = robotPB(r.Position)
		}
		p.Replace.Robots = append(p.Replace.Robots, place)
	}
	return p
}

var refereeCommands = oracle[RefereeCommand, *RefereeCommand]{
	kind:  KindRefereeCommand,
	empty: func() proto.Message { return new(firasimpb.VSSRef_Command) },
	theirs: func(m *RefereeCommand) proto.Message {
		return &firasimpb.VSSRef_Command{Foul: firasimpb.Foul(m.Foul), Teamcolor: firasimpb.Color(m.Team),
			FoulQuadrant: firasimpb.Quadrant(m.Quadrant), Timestamp: m.Timestamp, GameHalf: firasimpb.Half(m.Half)}
	},
	trim:    func(proto.Message) int { return 0 },
	dropped: func(*RefereeCommand) int { return 0 },
	roll: func(d *dice) RefereeCommand {
		m := RefereeCommand{Foul(d.byte() % 9), Color(d.byte() % 4), int32(d.byte() % 6), d.double(),
			Half(d.byte() % 7)}
		if d.byte() > 240 {
			m.Half = -Half(d.integer())
		}
		return m
	},
}

var placements = oracle[Placement, *Placement]{
	kind:  KindPlacement,
	empty: func() proto.Message { return new(firasimpb.VSSRef_Placement) },
	theirs: func(m *Placement) proto.Message {
		p := new(firasimpb.VSSRef_Placement)
		if m.HasWorld {
			p.World = &firasimpb.VSSRef_Placement_Frame{TeamColor: firasimpb.Color(m.Team)}
			for _, r := range m.Robots {
				p.World.Robots = append(p.World.Robots,
					&firasimpb.VSSRef_Placement_Robot{RobotId: r.ID, X: r.X, Y: r.Y, Orientation: r.Orientation})
			}
		}
		return p
	},
	trim: func(m proto.Message) int {
		if p := m.(*firasimpb.VSSRef_Placement); p.World != nil {
			return cut(&p.World.Robots, MaxRobots)
		}
		return 0
	},
	dropped: func(m *Placement) int { return m.Dropped },
	roll: func(d *dice) Placement {
		if d.byte() > 240 {
			return Placement{}
		}
		return Placement{HasWorld: true, Team: Color(d.byte() % 3), Robots: d.robots()}
	},
}

func FuzzEnvironment(f *testing.F) { environments.fuzz(f, seeds(f, "firasim-environment.txt")...) }

func FuzzPacket(f *testing.F) { packets.fuzz(f, seeds(f, "firasim-packet.txt")...) }

func FuzzRefereeCommand(f *testing.F) { refereeCommands.fuzz(f, seeds(f, "firasim-referee.txt")...) }

func FuzzPlacement(f *testing.F) { placements.fuzz(f, seeds(f, "firasim-placement.txt")...) }

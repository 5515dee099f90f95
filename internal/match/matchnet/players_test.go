package matchnet_test

import (
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/robot"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// program is a robot's software in a process of its own, with one socket, as docs/teamcom.md describes it.
type program struct {
	t        *testing.T
	number   uint8
	conn     *net.UDPConn
	field    netip.AddrPort
	sequence uint64
	motor    uint32
	datagram tcm.Datagram
}

func newProgram(t *testing.T, s *matchnet.Session, number uint8) *program {
	t.Helper()
	_, field := s.TCM()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &program{t: t, number: number, conn: conn, field: field}
}

// send sends a message in a class. The field answers in the same class.
func (p *program) send(socket tcm.Socket, m teamcom.Data) {
	p.t.Helper()
	payload, err := m.AppendBinary(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.sequence++
	now := uint64(time.Now().UnixNano())
	d := tcm.Datagram{
		Header: tcm.Header{
			Team: match.TeamNumber, From: tcm.Entity{Kind: tcm.Robot, ID: p.number}, To: robot.Field, Socket: socket,
			Boot: uint32(time.Now().Unix()), Sequence: p.sequence, Sent: now,
		},
		Pieces: []tcm.Piece{{Module: tcm.Cmd, Type: tcm.Type(m.DataType()), Number: uint32(p.sequence), Captured: now, Data: payload}},
	}
	b, err := d.AppendBinary(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.conn.WriteToUDPAddrPort(b, teamcom.Port(p.field, socket)); err != nil {
		p.t.Fatal(err)
	}
}

// drive sends a motor command.
func (p *program) drive(m team.Motor) {
	p.t.Helper()
	p.motor++
	m.Sequence = p.motor
	p.send(tcm.Telemetry, &m)
}

// receive reads until a message of a type arrives; false after 100 ms without one.
func (p *program) receive(dataType tcm.Type, m interface{ UnmarshalBinary([]byte) error }) bool {
	p.t.Helper()
	buf := make([]byte, tcm.MaxDatagram)
	if err := p.conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		p.t.Fatal(err)
	}
	for {
		n, err := p.conn.Read(buf)
		if err != nil {
			return false
		}
		if err := p.datagram.UnmarshalBinary(buf[:n]); err != nil {
			p.t.Fatal(err)
		}
		for i := range p.datagram.Pieces {
			if piece := &p.datagram.Pieces[i]; piece.Type == dataType {
				if err := m.UnmarshalBinary(piece.Data); err != nil {
					p.t.Fatal(err)
				}
				return true
			}
		}
	}
}

// A program with one socket drives a robot: it sends motor commands and gets what the robot senses. Its robot stands and
// leaves when the program is silent.
func TestProgramDrivesARobot(t *testing.T) {
	cfg := quiet()
	cfg.Obstacles = 0
	var commands, senses atomic.Int64 // that the session records
	r := runTapped(t, cfg, func(p *soccer.Packet) {
		var d tcm.Datagram
		if err := d.UnmarshalBinary(p.Data); err != nil {
			t.Error(err)
		}
		for i := range d.Pieces {
			switch robot := (tcm.Entity{Kind: tcm.Robot, ID: 3}); {
			case d.Pieces[i].Type == tcm.Motor && d.From == robot:
				commands.Add(1)
			case d.Pieces[i].Type == tcm.Sense && d.To == robot:
				senses.Add(1)
			}
		}
	})
	r.command(t, "move-robot", `{"number":3,"x":-6,"y":4,"theta":0}`)
	p := newProgram(t, r.session, 3)
	var sense team.Sense
	wiretest.Eventually(t, "the robot drives 0.5 m, as its senses report", func() bool {
		p.drive(team.Motor{VX: 1})
		return p.receive(tcm.Sense, &sense) && sense.TravelX > 0.5
	})
	if c, s := commands.Load(), senses.Load(); c < 5 || s < 5 {
		t.Errorf("the session records %d commands and %d senses, want all", c, s)
	}
	self := &sense.Percepts.Self
	if !self.Known || !self.HasCov || self.X < -6 || self.Y < 3 || !sense.HasOdometry || sense.Motor == 0 ||
		sense.Percepts.View.Range != float32(match.Participants()[2].Camera.Range) {
		t.Errorf("got sense %+v, want the pose, the odometry and the newest command", sense)
	}
	if p.datagram.From != robot.Field || p.datagram.Socket != tcm.Telemetry || p.datagram.Echo.From.ID != 3 {
		t.Errorf("got header %+v, want telemetry of the field that echoes robot 3", p.datagram.Header)
	}
	next(t, r, "wall", "robot 3 on its way", func(w *watch.Wall) bool { return w.Truth.Robots[2].Pose.X > -5.4 })
	next(t, r, "wall", "robot 3 without software", func(w *watch.Wall) bool { return w.Tiles[2].State == "off" })
	marks := next(t, r, "wall", "wall", func(*watch.Wall) bool { return true }).Marks
	var texts []string
	for _, m := range marks {
		texts = append(texts, m.Text)
	}
	if all := strings.Join(texts, ", "); !strings.Contains(all, "3 joined, 3 is silent") {
		t.Errorf("got marks %q, want that robot 3 joined and is silent", all)
	}
	wiretest.Eventually(t, "the robot joins again", func() bool {
		p.drive(team.Motor{})
		return p.receive(tcm.Sense, &sense)
	})
}

// A request for the directory is answered with the text of TCM.ini, and the ports of the robot are available then.
func TestFieldSendsTheDirectory(t *testing.T) {
	r := run(t, quiet())
	ini, field := r.session.TCM()
	text, err := os.ReadFile(ini)
	if err != nil {
		t.Fatal(err)
	}
	d, err := teamcom.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if entry, _ := d.Entry(robot.Field); entry.Addr != field || len(d.Entries) != 8 {
		t.Errorf("TCM.ini has the field at %v and %d entries, want %v and 8", entry.Addr, len(d.Entries), field)
	}
	own, _ := d.Entry(tcm.Entity{Kind: tcm.Robot, ID: 4})
	p := newProgram(t, r.session, 4)
	var m team.Directory
	wiretest.Eventually(t, "the field answers", func() bool {
		p.send(tcm.Command, &team.Directory{})
		return p.receive(tcm.Directory, &m)
	})
	if m.Text != string(text) {
		t.Errorf("got the directory %q, want %q", m.Text, text)
	}
	for i := range uint16(tcm.Sockets) {
		conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(own.Addr.Addr(), own.Addr.Port()+i)))
		if err != nil {
			t.Errorf("port +%d of robot 4: %v", i, err)
			continue
		}
		conn.Close()
	}
	// The substitute is not on the field, and robot 5 is switched off: nobody answers them.
	r.command(t, "switch", `{"number":5,"on":false}`)
	for _, number := range []uint8{5, 6, 77} {
		p := newProgram(t, r.session, number)
		for range 3 {
			p.send(tcm.Command, &team.Directory{})
			if p.receive(tcm.Directory, &m) {
				t.Errorf("robot %d got the directory", number)
			}
		}
	}
	r.stop()
	if err := <-r.done; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ini); !os.IsNotExist(err) {
		t.Errorf("after the session TCM.ini remains: %v", err)
	}
}

// The camera of a program outside is told what lies before its robot; a program that drives no robot is told nothing.
func TestFieldTellsACamera(t *testing.T) {
	cfg := quiet()
	r := run(t, cfg)
	p, stranger := newProgram(t, r.session, 3), newProgram(t, r.session, 2)
	var m team.Scene
	wiretest.Eventually(t, "the field answers", func() bool {
		stranger.send(tcm.Telemetry, &team.Scene{})
		if stranger.receive(tcm.Scene, &m) {
			t.Error("the camera of a robot that the program does not drive is told what lies before it")
		}
		p.drive(team.Motor{})
		p.send(tcm.Telemetry, &team.Scene{})
		return p.receive(tcm.Scene, &m)
	})
	truth := r.session.Wall("").(*watch.Wall).Truth
	self := truth.Robots[2].Pose
	if !m.Known || m.Hall != cfg.Seed || math.Hypot(float64(m.X)-self.X, float64(m.Y)-self.Y) > 0.5 || m.Light != 1 ||
		len(m.Robots) != 4 || len(m.Obstacles) != cfg.Obstacles || !m.HasBall {
		t.Errorf("got %+v, want what lies before a robot at %v", m, self)
	}
}

// The nodes of the robots, the station and the field talk to each other.
func TestNodesOfTheSession(t *testing.T) {
	r := run(t, quiet())
	wiretest.Eventually(t, "all nodes receive messages", func() bool {
		reports := r.session.Teamcom()
		calls := 0
		for _, report := range reports {
			for _, h := range report.Handlers {
				if h.Calls > 20 {
					calls++
				}
			}
		}
		return len(reports) == 7 && calls == 7 // five robots, the station and the field
	})
	r.command(t, "substitute", `{"number":2}`)
	wiretest.Eventually(t, "the substitute's node receives messages, and that of robot 2 is gone", func() bool {
		received, gone := false, true
		for _, report := range r.session.Teamcom() {
			gone = gone && report.Entity != "robot:2"
			received = received || report.Entity == "robot:6" && len(report.Handlers) > 0 && report.Handlers[0].Calls > 20
		}
		return received && gone
	})
}

// The loss and the delay of the session's link also apply to the TCM, and its nodes measure them.
func TestLinkOfTheSessionImpairsTheTCM(t *testing.T) {
	cfg := quiet()
	cfg.Link = traffic.Link{Loss: 0.3, Delay: 40 * time.Millisecond}
	r := run(t, cfg)
	wiretest.Eventually(t, "a robot measures the loss and the latency of a teammate", func() bool {
		for _, report := range r.session.Teamcom() {
			for i := range report.Links {
				l := &report.Links[i]
				if report.Entity == "robot:1" && l.Peer == "robot:2" && l.Received > 100 {
					return l.LossPercent > 15 && l.LossPercent < 50 && l.RTTMillis > 70
				}
			}
		}
		return false
	})
	r.command(t, "link", `{"loss":1,"delay":0}`)
	wiretest.Eventually(t, "all links between robots are down", func() bool {
		for _, report := range r.session.Teamcom() {
			for i := range report.Links {
				if l := &report.Links[i]; l.Up && strings.HasPrefix(report.Entity, "robot") && strings.HasPrefix(l.Peer, "robot") {
					return false
				}
			}
		}
		return true
	})
}

// A computer that somebody adds to TCM.ini during a session is heard by the field, as by the station.
func TestFieldReadsTheChangedDirectory(t *testing.T) {
	r := run(t, quiet())
	ini, _ := r.session.TCM()
	text, err := os.ReadFile(ini)
	if err != nil {
		t.Fatal(err)
	}
	d, err := teamcom.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	bases, err := teamcomnet.FreeBases(1)
	if err != nil {
		t.Fatal(err)
	}
	computer := tcm.Entity{Kind: tcm.Computer, ID: 9}
	d.Entries = append(d.Entries, teamcom.Entry{Entity: computer, Addr: teamcomnet.Loopback(bases[0])})
	if err := os.WriteFile(ini, d.Append(nil), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := teamcomnet.DefaultConfig(computer)
	cfg.Ini = ini
	e, err := teamcomnet.Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	background(t, e.Run)
	hears := map[string]bool{}
	wiretest.Eventually(t, "field and station hear the new computer", func() bool {
		if err := e.Module(tcm.Manager).Client().Send(e.Now(), tcm.Entity{Kind: tcm.Computer}, &team.Status{}); err != nil {
			t.Fatal(err)
		}
		for _, report := range r.session.Teamcom() {
			for _, l := range report.Links {
				if l.Peer == computer.String() && l.Up {
					hears[report.Entity] = true
				}
			}
		}
		return hears[robot.Field.String()] && hears[robot.Station.String()]
	})
}

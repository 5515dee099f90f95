package league

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/ssl"
)

// sslSender makes packets as the league's programs do.
type sslSender struct {
	t   *testing.T
	m   *Monitor
	now soccer.Time
}

func (s *sslSender) send(group string, message interface{ AppendBinary([]byte) ([]byte, error) }) {
	s.t.Helper()
	b, err := message.AppendBinary(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.m.Receive(&soccer.Packet{Time: s.now, Channel: group, From: netip.MustParseAddrPort("10.0.0.9:4000"), Data: b})
}

func tracked(at soccer.Time, ball float32) *ssl.Tracker {
	robots := []ssl.TrackedRobot{{ID: 3, Team: ssl.Yellow, X: 1, Y: -1, Orientation: 0.5}, {ID: 5, Team: ssl.Blue, X: -2, Y: 1}}
	return &ssl.Tracker{UUID: []byte("t"), HasFrame: true, Frame: ssl.TrackedFrame{
		Timestamp: at.Sub(soccer.Time(0)).Seconds(), Balls: []ssl.TrackedBall{{X: ball, Y: 0.5}}, Robots: robots,
	}}
}

func TestSSL(t *testing.T) {
	start := soccer.Epoch
	m := NewSSL(Config{Start: start})
	s := &sslSender{t, m, start}
	for i := range 60 {
		s.now = start.Add(time.Duration(i) * 100 * time.Millisecond)
		s.send(ssl.TrackerGroup, tracked(s.now, 1.5))
	}
	w := m.Wall(s.now)
	if w.Truth == nil || len(w.Truth.Robots) != 2 || w.Truth.Ball.X != 1.5 || len(w.Tiles) != 0 || w.Game.Part != "" {
		t.Fatalf("%+v", w)
	}
	if notes := w.Game.Notes; len(notes) != 1 || notes[0].Short != "no referee" {
		t.Errorf("%v", notes)
	}
	if r := w.Truth.Robots[0]; r.Number != 3 || r.Color != soccer.Cyan || r.Pose.X != 1 {
		t.Errorf("%+v", r)
	}

	referee := &ssl.Referee{
		Stage: ssl.SecondHalf, Command: ssl.ForceStart, HasStageTime: true, StageTimeLeft: 61e6,
		Yellow: ssl.TeamInfo{Name: []byte("TIGERs"), Score: 2}, Blue: ssl.TeamInfo{Name: []byte("ER-Force"), Score: 1},
	}
	s.send(ssl.RefereeGroup, referee)
	s.now = s.now.Add(100 * time.Millisecond)
	s.send(ssl.TrackerGroup, tracked(s.now, 1.5))
	w = m.Wall(s.now)
	g := w.Game
	if g.Home.Name != "TIGERs" || g.Home.Score != 2 || g.Away.Jersey != "blue" || g.Clock != 61 || !g.Live || g.Phase != "force start" ||
		g.Part != string(game.SecondHalf) {
		t.Errorf("%+v", g)
	}
	// The referee does not tell on which side blue plays: the teams have changed ends at half-time.
	if w.Truth.Ball.X != -1.5 || w.Truth.Robots[0].Pose.X != -1 {
		t.Errorf("yellow attacks -x now, and is to be drawn attacking +x: %+v", w.Truth)
	}
	if st, ok := m.TakeState(s.now); !ok || st.Home.Goals != 2 || st.Part != game.SecondHalf || !st.Running {
		t.Errorf("%v, %+v", ok, st)
	}
	referee.HasBluePositive, referee.BluePositive = true, true // yellow attacks +x, as in the first half
	s.send(ssl.RefereeGroup, referee)
	s.now = s.now.Add(100 * time.Millisecond)
	s.send(ssl.TrackerGroup, tracked(s.now, 1.5))
	if w = m.Wall(s.now); w.Truth.Ball.X != 1.5 || w.Truth.Robots[0].Pose.X != 1 {
		t.Errorf("yellow attacks +x: %+v", w.Truth)
	}

	report := m.Report(s.now, 0)
	if len(report.Senders) != 2 {
		t.Errorf("%+v", report.Senders)
	}
	for _, row := range report.Senders {
		view, ok := m.Packets(row.Key)
		if !ok || len(view.Packets) == 0 || len(view.Packets[0].Fields) == 0 || !strings.Contains("tracker referee", row.Team) {
			t.Errorf("%+v: %+v", row, view)
		}
	}
	s.now = s.now.Add(hold + time.Second)
	s.send(ssl.RefereeGroup, referee)
	if w = m.Wall(s.now); w.Truth != nil || len(w.Game.Notes) != 1 || w.Game.Notes[0].Short != "no vision" {
		t.Errorf("%+v", w)
	}
	m.Receive(&soccer.Packet{Time: s.now, Channel: ssl.TrackerGroup, From: netip.MustParseAddrPort("10.0.0.9:4000"), Data: []byte{0xff, 1, 2}})
	if report = m.Report(s.now, 0); report.Senders[0].Issues+report.Senders[1].Issues != 1 {
		t.Errorf("%+v", report.Senders)
	}
}

func FuzzSSL(f *testing.F) {
	b, err := tracked(soccer.Epoch, 1).AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint8(0), b)
	f.Fuzz(func(t *testing.T, port uint8, data []byte) {
		m := NewSSL(Config{Start: soccer.Epoch})
		group := []string{ssl.TrackerGroup, ssl.RefereeGroup, ssl.VisionGroup, ssl.VisionSimGroup, "127.0.0.1:9"}[port%5]
		m.Receive(&soccer.Packet{Time: soccer.Epoch, Channel: group, From: netip.MustParseAddrPort("10.0.0.9:4000"), Data: data})
		m.Wall(soccer.Epoch)
		for _, row := range m.Report(soccer.Epoch, 0).Senders {
			m.Packets(row.Key)
		}
	})
}

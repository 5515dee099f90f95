package matchnet

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/robot"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// prepared returns a session whose robots send nothing.
func prepared(t *testing.T) *Session {
	t.Helper()
	s := unopened(t)
	var err error
	if s.core, err = match.New(match.DefaultConfig(), func(uint8, []byte) {}); err != nil {
		t.Fatal(err)
	}
	s.begin(time.Now())
	return s
}

func unopened(t *testing.T) *Session {
	t.Helper()
	s, err := New(DefaultConfig(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestClockStopsDuringPause(t *testing.T) {
	s := prepared(t)
	start := s.clock.Began
	at := func(d time.Duration) time.Duration { return s.at(start.Add(d)).Sub(soccer.Epoch) }
	if got := at(2 * time.Second); got != 2*time.Second {
		t.Errorf("after 2 s the session is at %v, want 2s", got)
	}
	s.pause(start.Add(2*time.Second), true)
	if got := at(7 * time.Second); got != 2*time.Second {
		t.Errorf("paused at 2 s, after 7 s the session is at %v, want 2s", got)
	}
	s.pause(start.Add(7*time.Second), true) // a second pause has no effect
	s.pause(start.Add(8*time.Second), false)
	if got := at(9 * time.Second); got != 3*time.Second {
		t.Errorf("after a pause of 6 s and 3 s of play the session is at %v, want 3s", got)
	}
}

// A session that falls behind again and again reports it once, a machine that slept does not.
func TestSlowMachine(t *testing.T) {
	var logged strings.Builder
	s := prepared(t)
	s.log = slog.New(slog.NewTextHandler(&logged, nil))
	now := s.clock.Began
	stall := func(d time.Duration) {
		now = now.Add(d)
		s.core.Advance(s.due(now))
	}
	stall(time.Hour)
	for range 4 {
		now = now.Add(slowWindow) // now and then
		s.core.Advance(s.at(now))
		stall(2 * maxCatchUp)
	}
	if logged.Len() > 0 {
		t.Errorf("logged %s", logged.String())
	}
	for range 20 {
		stall(2 * maxCatchUp)
	}
	if n := strings.Count(logged.String(), "too slow"); n != 1 {
		t.Errorf("logged %d times: %s", n, logged.String())
	}
}

// A change of speed takes effect at once, also during a pause, and the clock never leaps.
func TestClockInSlowMotion(t *testing.T) {
	s := prepared(t)
	start := s.clock.Began
	at := func(d time.Duration) time.Duration { return s.at(start.Add(d)).Sub(soccer.Epoch) }
	s.setSpeed(start.Add(2*time.Second), 0.25)
	if got := at(6 * time.Second); got != 3*time.Second {
		t.Errorf("after 2 s and 4 s at a quarter of the speed the session is at %v, want 3s", got)
	}
	s.pause(start.Add(6*time.Second), true)
	s.setSpeed(start.Add(8*time.Second), 1)
	if got := at(9 * time.Second); got != 3*time.Second {
		t.Errorf("paused at 3 s the session is at %v, want 3s", got)
	}
	s.pause(start.Add(10*time.Second), false)
	if got := at(11 * time.Second); got != 4*time.Second {
		t.Errorf("1 s after the pause the session is at %v, want 4s", got)
	}
}

// The page's sliders impair the packets of a running session. A value out of range changes nothing.
func TestLinkOfARunningSession(t *testing.T) {
	s := prepared(t)
	if _, err := s.Commands().Do("link", json.RawMessage(`{"loss":0.2,"delay":30}`)); err != nil {
		t.Fatal(err)
	}
	w := s.Wall("").(*watch.Wall)
	if got := s.core.Link(); got.Loss != 0.2 || got.Delay != 30*time.Millisecond || w.Link.Loss != 0.2 || w.Link.Delay != 30 {
		t.Errorf("got %+v and on the page %+v, want a loss of 0.2 and a delay of 30 ms", got, w.Link)
	}
	for name, body := range map[string]string{
		"link": `{"loss":1.1,"delay":30}`, "speed": `{"factor":0}`,
	} {
		if _, err := s.Commands().Do(name, json.RawMessage(body)); err == nil {
			t.Errorf("%s accepts %s", name, body)
		}
	}
	if _, err := s.Commands().Do("link", json.RawMessage(`{"loss":0,"delay":-1}`)); err == nil || s.core.Link().Loss != 0.2 {
		t.Errorf("got error %v and loss %v for a negative delay, want an error and the loss unchanged", err, s.core.Link().Loss)
	}
	if _, err := s.Commands().Do("speed", json.RawMessage(`{"factor":0.25}`)); err != nil || s.Wall("").(*watch.Wall).Speed != 0.25 {
		t.Errorf("got error %v and speed %v, want 0.25", err, s.speed)
	}
}

// A standstill of the machine delays the session; the field does not leap.
func TestNoLeapAfterStandstill(t *testing.T) {
	s := prepared(t)
	start := s.clock.Began
	s.core.Advance(s.due(start.Add(100 * time.Millisecond)))
	s.core.Advance(s.due(start.Add(time.Minute)))
	if now := s.core.Now().Sub(soccer.Epoch); now != 100*time.Millisecond+tick {
		t.Errorf("after a standstill of a minute the session is at %v, want one tick after 100ms", now)
	}
	s.core.Advance(s.due(start.Add(time.Minute + 50*time.Millisecond)))
	if now := s.core.Now().Sub(soccer.Epoch); now != 150*time.Millisecond+tick {
		t.Errorf("50 ms later it is at %v, want one tick after 150ms", now)
	}
}

// The log warns once about other senders, such as another demo on the same group.
func TestWarnsAboutOtherSenders(t *testing.T) {
	s := prepared(t)
	var logged strings.Builder
	s.log = slog.New(slog.NewTextHandler(&logged, nil))
	own := netip.MustParseAddrPort("127.0.0.1:50000")
	s.core.Bind(1, own)
	receive := func(from netip.AddrPort) {
		s.receive(&transport.Arrival{To: match.Monitor, At: s.clock.Began,
			Packet: soccer.Packet{From: from, Data: []byte("package")}})
	}
	receive(own)
	if logged.Len() > 0 {
		t.Errorf("a packet of its own robot is logged: %s", logged.String())
	}
	receive(netip.MustParseAddrPort("127.0.0.1:50001"))
	receive(netip.MustParseAddrPort("127.0.0.1:50002"))
	if text := logged.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "WARN") ||
		!strings.Contains(text, "--group") {
		t.Errorf("the log has %q, want one warning that names --group", text)
	}
}

// The first packet after a standstill may arrive before the first tick: its time is not ahead of the session.
func TestPacketAfterStandstill(t *testing.T) {
	s := prepared(t)
	start := s.clock.Began
	s.core.Advance(s.due(start.Add(100 * time.Millisecond)))
	a := &transport.Arrival{
		To: match.Monitor, At: start.Add(30 * time.Second),
		Packet: soccer.Packet{From: netip.MustParseAddrPort("10.0.0.9:1"), Data: []byte("other")},
	}
	s.receive(a)
	if ahead := a.Packet.Time.Sub(s.core.Now()); ahead > tick {
		t.Errorf("the packet's time is %v ahead of the session", ahead)
	}
}

// Without multicast the session runs in memory and reports why; at its end every socket is closed.
func TestRunsInMemory(t *testing.T) {
	s := unopened(t)
	if err := s.open(errors.New("no multicast here")); err != nil {
		t.Fatal(err)
	}
	if s.link.Interface != "memory" || s.link.Trouble != "no multicast here" {
		t.Errorf("link %+v", s.link)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, tile := range s.core.Wall().Tiles {
		if len(tile.Belief.Robots) != 5 {
			t.Errorf("%s received %d of 5 robots in memory", tile.Team, len(tile.Belief.Robots))
		}
	}
	for number, r := range s.receivers {
		if _, err := r.ReadPacket(make([]byte, 2048)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the socket of %d is not closed: %v", number, err)
		}
	}
	if _, err := s.Commands().Do("kick", nil); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("a command after the end: %v, want an error", err)
	}
}

// The page shows why sending fails until it works again.
func TestTroubleWithSending(t *testing.T) {
	s := unopened(t)
	if err := s.open(nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.send(1, make([]byte, transport.MaxDatagram+1))
	if s.link.Trouble == "" {
		t.Error("a datagram that could not be sent is not reported")
	}
	s.send(1, []byte("garbage"))
	if s.link.Trouble == "" {
		t.Error("one success right after a failure clears the report")
	}
	s.core.Advance(s.core.Now().Add(failingFor + time.Millisecond)) // its robots send
	s.send(1, []byte("garbage"))
	if s.link.Trouble != "" {
		t.Errorf("sending works again, but the page shows %q", s.link.Trouble)
	}
}

// A paused session drops what arrives.
func TestPauseDropsPackets(t *testing.T) {
	s := prepared(t)
	start := s.clock.Began
	a := &transport.Arrival{
		To: match.Monitor, At: start,
		Packet: soccer.Packet{From: netip.MustParseAddrPort("10.0.0.9:1"), Data: []byte("other")},
	}
	s.pause(start, true)
	s.receive(a)
	if n := len(s.core.Network(0).Senders); n != 0 {
		t.Errorf("got %d senders during a pause, want none", n)
	}
	s.pause(start.Add(time.Second), false)
	s.receive(a)
	if n := len(s.core.Network(0).Senders); n != 1 {
		t.Errorf("got %d senders after the pause, want 1", n)
	}
}

// So does a robot with what its teammates measured: its belief stands still with the session.
func TestPauseDropsMeasurements(t *testing.T) {
	s := prepared(t)
	start := s.clock.Began
	r, err := robot.New(robot.DefaultConfig(1, soccer.Cyan, 39), soccer.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	s.core.Advance(soccer.Epoch.Add(time.Second))
	node := func(number uint8) *teamcom.Node {
		n, err := teamcom.New(teamcom.DefaultConfig(tcm.Entity{Kind: tcm.Robot, ID: number}))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	mate, own := node(2), node(1)
	now := func() soccer.Time { return soccer.Epoch.Add(time.Minute) }
	robot.NewLink(r, own, s.linkConfig(now))
	peers := func() int {
		var m team.Measurements
		m.SetSense(&soccer.Sense{Self: soccer.Localisation{Known: true, HasHeading: true}})
		if err := mate.Module(tcm.GM).Client().Send(now(), tcm.Entity{Kind: tcm.Robot}, &m); err != nil {
			t.Fatal(err)
		}
		for buf := make([]byte, 0, tcm.OwnDatagram); ; {
			out, ok := mate.Next(now(), buf)
			if !ok {
				break
			}
			own.Receive(&soccer.Packet{Time: now(), Data: out.Data}, out.Socket)
		}
		own.Module(tcm.GM).Run(now, 64)
		var w soccer.World
		r.World(s.core.Now(), &w)
		return len(w.Peers)
	}
	s.pause(start, true)
	if n := peers(); n != 0 {
		t.Errorf("got %d peers during a pause, want none", n)
	}
	s.pause(start.Add(time.Second), false)
	if n := peers(); n != 1 {
		t.Errorf("got %d peers after the pause, want 1", n)
	}
}

// Without multicast the base station receives the robots in memory; the referee's commands are on the timeline.
func TestRefereedInMemory(t *testing.T) {
	s := unopened(t)
	box := refboxnet.DefaultConfig()
	box.Listen, box.Dir, box.ScoreClients = "127.0.0.1:0", t.TempDir(), nil
	s.cfg.RefBox = &box
	if err := s.open(errors.New("no multicast here")); err != nil {
		t.Fatal(err)
	}
	if err := s.openReferee(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if h := s.referee.station.Health(); h.Received == 0 || h.Sent == 0 {
		t.Errorf("the station's health is %+v", h)
	}
	var got []string
	for _, m := range s.core.Wall().Marks {
		if m.Kind == "referee" {
			got = append(got, m.Text)
		}
	}
	if want := []string{"kickoff home", "first half", "start"}; !slices.Equal(got, want) {
		t.Errorf("the timeline has %q, want %q", got, want)
	}
}

// Where nothing arrives because of the session itself the page says so, and asks for no other network.
func TestSilenceOfSession(t *testing.T) {
	s := prepared(t)
	silence := func() *watch.Silence {
		s.pause(time.Now(), false)
		return s.Wall("wall").(*watch.Wall).Silence
	}
	if err := s.changeLink(traffic.Change{Loss: new(1.0)}); err != nil {
		t.Fatal(err)
	}
	s.core.Advance(s.core.Now().Add(4 * time.Second))
	if got := silence(); got != nil {
		t.Errorf("after 4 s: %+v", got)
	}
	s.core.Advance(s.core.Now().Add(2 * time.Second))
	got := silence()
	if got == nil || got.Why != "The loss slider is at 100 %: nothing arrives." || len(got.Interfaces) != 0 || got.Command != "" {
		t.Errorf("with a loss of 100 %%: %+v", got)
	}
	if err := s.changeLink(traffic.Change{Loss: new(0.0)}); err != nil {
		t.Fatal(err)
	}
	for n := range uint8(6) {
		_ = s.core.Switch(n+1, false) // one of them is the substitute
	}
	if got := silence(); got == nil || got.Why != "No robot runs: switch one on." {
		t.Errorf("without a robot: %+v", got)
	}
}

// A robot's process that was killed is no robot that somebody switched off: its tile says why it ended and when it comes
// back, until somebody switches it off.
func TestCrashOfProcess(t *testing.T) {
	s := prepared(t)
	s.robots = newSupervisor(supervised{mark: func(string, uint8, string) {}}, slog.New(slog.DiscardHandler))
	_ = s.core.Switch(3, false) // as a robot outside that is silent
	tile := func() string { return s.Wall("wall").(*watch.Wall).Tiles[2].Crashed }
	if got := tile(); got != "" {
		t.Errorf("switched off: %q", got)
	}
	s.robots.crashed(3, time.Now(), time.Second, errors.New("signal: killed"))
	if got := tile(); got != "crashed (signal: killed), starts again in 3 s" {
		t.Errorf("killed: %q", got)
	}
	s.robots.crashed(3, time.Now().Add(-time.Minute), time.Second, errors.New("signal: killed"))
	if got := tile(); got != "crashed (signal: killed), starts again now" {
		t.Errorf("while it starts again: %q", got)
	}
	if s.robots.forget(3); tile() != "" {
		t.Errorf("switched off after the crash: %q", tile())
	}
}

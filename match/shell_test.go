package match

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/refbox"
	"touchline/soccer"
	"touchline/transport"
	"touchline/watch"
)

func prepared(t *testing.T) *Live {
	t.Helper()
	network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:2005"))
	l, err := NewLive(DefaultConfig(), network, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestClockStandsWhilePaused(t *testing.T) {
	l := prepared(t)
	l.began = time.Now()
	at := func(d time.Duration) time.Duration { return l.clock(l.began.Add(d)).Sub(soccer.Epoch) }
	if at(2*time.Second) != 2*time.Second {
		t.Errorf("after 2 s the session is at %v", at(2*time.Second))
	}
	l.pause(l.began.Add(2*time.Second), true)
	if at(7*time.Second) != 2*time.Second {
		t.Errorf("paused at 2 s, after 7 s the session is at %v", at(7*time.Second))
	}
	l.pause(l.began.Add(7*time.Second), true) // again: nothing changes
	l.pause(l.began.Add(8*time.Second), false)
	if at(9*time.Second) != 3*time.Second {
		t.Errorf("after 6 s of pause and 3 s besides the session is at %v", at(9*time.Second))
	}
}

// A machine that stood still makes the session late, not wild.
func TestNoLeapAfterAStandstill(t *testing.T) {
	l := prepared(t)
	l.session.send = func(uint8, []byte) {}
	l.began = time.Now()
	l.session.Advance(l.due(l.began.Add(100 * time.Millisecond)))
	l.session.Advance(l.due(l.began.Add(time.Minute)))
	if now := l.session.Now().Sub(soccer.Epoch); now != 100*time.Millisecond+tick {
		t.Errorf("after a minute of standstill the session went on to %v, want one tick", now)
	}
	l.session.Advance(l.due(l.began.Add(time.Minute + 50*time.Millisecond)))
	if now := l.session.Now().Sub(soccer.Epoch); now != 150*time.Millisecond+tick {
		t.Errorf("50 ms later it is at %v", now)
	}
}

// Who sends besides, perhaps another demo on the same group, is told of once.
func TestSomebodyElseSends(t *testing.T) {
	l := prepared(t)
	l.session.send = func(uint8, []byte) {}
	l.began = time.Now()
	var said strings.Builder
	l.Log = slog.New(slog.NewTextHandler(&said, nil))
	hear := func(from string) {
		l.hear(&watch.Heard{To: Monitor, At: l.began, Packet: soccer.Packet{From: netip.MustParseAddrPort(from), Data: []byte("package")}})
	}
	hear(l.session.addrs[1].String())
	if said.Len() > 0 {
		t.Errorf("of its own robot it says %s", said.String())
	}
	hear("127.0.0.1:50001")
	hear("127.0.0.1:50002")
	if text := said.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "WARN") || !strings.Contains(text, "--group") {
		t.Errorf("it says %q", text)
	}
}

// The first packet after a standstill may come before the first tick: it is not from the future.
func TestPacketAfterAStandstill(t *testing.T) {
	l := prepared(t)
	l.session.send = func(uint8, []byte) {}
	l.began = time.Now()
	l.session.Advance(l.due(l.began.Add(100 * time.Millisecond)))
	h := &watch.Heard{To: Monitor, At: l.began.Add(30 * time.Second), Packet: soccer.Packet{From: netip.MustParseAddrPort("10.0.0.9:1"), Data: []byte("other")}}
	l.hear(h)
	if ahead := h.Packet.Time.Sub(l.session.Now()); ahead > tick {
		t.Errorf("it is heard %v ahead of the session", ahead)
	}
}

// Without multicast the session runs in memory and says so; at its end every socket is closed.
func TestRunsInMemory(t *testing.T) {
	l := prepared(t)
	if err := l.open(errors.New("no multicast here")); err != nil {
		t.Fatal(err)
	}
	if l.link.Interface != "memory" || l.link.Trouble != "no multicast here" {
		t.Errorf("link %+v", l.link)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	if err := l.Run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, tile := range l.session.Wall().Tiles {
		if len(tile.Belief.Robots) != 5 {
			t.Errorf("%s heard %d of 5 robots in memory", tile.Team, len(tile.Belief.Robots))
		}
	}
	for number, r := range l.inbox {
		if _, err := r.ReadPacket(make([]byte, 2048)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the socket of %d is not closed: %v", number, err)
		}
	}
}

// What cannot be sent is said, until it can be again.
func TestTroubleWithSending(t *testing.T) {
	l := prepared(t)
	if err := l.open(nil); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	l.send(1, make([]byte, transport.MaxDatagram+1))
	if l.link.Trouble == "" {
		t.Error("a datagram that could not be sent is told nowhere")
	}
	l.send(1, []byte("no package"))
	if l.link.Trouble == "" {
		t.Error("one success among failures makes the page forget them")
	}
	l.session.now = l.session.now.Add(muteFor + time.Millisecond)
	l.send(1, []byte("no package"))
	if l.link.Trouble != "" {
		t.Errorf("sending works again, yet the page says %q", l.link.Trouble)
	}
}

// While the session stands still nothing from outside is taken in.
func TestPauseIsDeaf(t *testing.T) {
	l := prepared(t)
	l.session.send = func(uint8, []byte) {}
	l.began = time.Now()
	h := &watch.Heard{To: Monitor, At: l.began, Packet: soccer.Packet{From: netip.MustParseAddrPort("10.0.0.9:1"), Data: []byte("other")}}
	l.pause(l.began, true)
	l.hear(h)
	if n := len(l.session.watcher.Report(l.session.now, 0).Senders); n != 0 {
		t.Errorf("%d senders were heard during a pause", n)
	}
	l.pause(l.began.Add(time.Second), false)
	l.hear(h)
	if n := len(l.session.watcher.Report(l.session.now, 0).Senders); n != 1 {
		t.Errorf("%d senders were heard after it, want 1", n)
	}
}

// Where there is no multicast the base station hears the robots in memory, too; what the referee box says is on the strip.
func TestRefereedInMemory(t *testing.T) {
	l := prepared(t)
	referee := refbox.DefaultLiveConfig()
	referee.Listen, referee.Dir, referee.ScoreClients = "127.0.0.1:0", t.TempDir(), nil
	l.Referee = &referee
	if err := l.open(errors.New("no multicast here")); err != nil {
		t.Fatal(err)
	}
	if err := l.openBeside(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	if err := l.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if h := l.beside.station.Health(); h.Heard == 0 || h.Sent == 0 {
		t.Errorf("the station's health is %+v", h)
	}
	var said []string
	for _, m := range l.session.marks {
		if m.Kind == "referee" {
			said = append(said, m.Text)
		}
	}
	if want := []string{"kickoff home", "first half", "start"}; !slices.Equal(said, want) {
		t.Errorf("the strip has %q, want %q", said, want)
	}
}

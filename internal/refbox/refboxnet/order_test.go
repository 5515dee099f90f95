package refboxnet

import (
	"io"
	"log/slog"
	"net"
	"net/netip"
	"testing"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/soccer"
)

// opened returns a referee box whose loop does not run: the test is the loop. peer is the other end of its connection 1,
// of the team that is expected as home.
func opened(t *testing.T, configure ...func(*Config)) (l *Server, c *conn, peer net.Conn) {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Listen, cfg.Dir, cfg.ScoreClients = "127.0.0.1:0", t.TempDir(), nil
	cfg.Box.HomeID = 39
	for _, c := range configure {
		c(&cfg)
	}
	l, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	l.received = make(chan *conn, 1) // so that the test can put a piece there
	if peer, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	tcp, err := l.listener.AcceptTCP()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tcp.Close() })
	c = &conn{id: 1, tcp: tcp, addr: netip.MustParseAddrPort("127.0.39.1:5"), admitted: make(chan struct{}),
		turn: make(chan int, 1)}
	l.conns[1] = c
	return l, c, peer
}

// A STOP that does not wait for the disk still waits for the WELCOME.
func TestStopIsBehindWelcome(t *testing.T) {
	l, c, peer := opened(t)
	l.apply(l.box.Connect(l.Now(), 1, c.addr))
	if len(l.pending) != 1 {
		t.Fatalf("%d are held", len(l.pending))
	}
	d := &delivery{received: time.Now(), stop: true, done: make(chan struct{}), report: l.out}
	_, e, err := l.box.Decide(l.Now(), game.Decision{Command: game.Stop})
	if err != nil || e.Sync || len(e.Send) != 1 {
		t.Fatalf("%+v, %v", e, err)
	}
	l.applyDecision(e, d)
	<-d.done // no other connection is sent it
	if c.out != nil {
		t.Error("something was sent before the disk had the admission")
	}
	l.release(synced{journal: l.journal, mark: l.journal.written.Load()})
	want := "{\n  \"command\": \"WELCOME\",\n  \"targetTeam\": \"224.16.32.39\"\n}\x00{\n  \"command\": \"STOP\",\n  \"targetTeam\": \"\"\n}\x00"
	got := make([]byte, len(want))
	_ = peer.SetReadDeadline(time.Now().Add(20 * time.Second))
	if n, err := io.ReadFull(peer, got); string(got) != want {
		t.Errorf("%q, %v", got[:n], err)
	}
	l.hangUp(c)
	l.sockets.Wait()
}

// A message read in time counts in its window, however late the loop handles it.
func TestReadInTimeCounts(t *testing.T) {
	l, c, _ := opened(t)
	now := time.Now()
	l.clock = soccer.Clock{Start: l.box.Began(), Began: now.Add(-time.Second)} // it began a second ago
	l.apply(l.box.Connect(l.box.Began(), 1, c.addr))
	c.at, c.data = now.Add(-550*time.Millisecond), []byte(`{"type":"worldstate","teamName":"CAMBADA"}`+"\x00")
	l.received <- c
	l.tick()
	at, windows := l.clock.At(c.at), 0
	log, err := matchlog.Open(l.journal.path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for m, err := range log.Messages(0, 1<<62, matchlog.Home, matchlog.HomeEmpty) {
		if err != nil {
			t.Fatal(err)
		}
		end := m.Time
		if m.Channel == matchlog.Home {
			if end != at {
				t.Errorf("received %v late", end.Sub(at))
			}
			end = l.box.Began().Add(500 * time.Millisecond)
		}
		if want := l.box.Began().Add(time.Duration(windows+1) * 100 * time.Millisecond); end != want {
			t.Errorf("window %d of %s ends %v too late", windows, m.Channel, end.Sub(want))
		}
		windows++
	}
	if windows < 9 {
		t.Errorf("%d windows", windows)
	}
}

// Messages of a connection are not lost if the team's next one is accepted before the loop handles them.
func TestReadBeforeReplaced(t *testing.T) {
	// With a team expected on the other side it cannot be the second base station of one team.
	l, c, _ := opened(t, func(cfg *Config) { cfg.Box.AwayID = 63 })
	l.apply(l.box.Connect(l.Now(), 1, c.addr))
	l.release(synced{journal: l.journal, mark: l.journal.written.Load()})
	c.at, c.data = time.Now(), []byte(`{"type":"worldstate","teamName":"CAMBADA"}`+"\x00")
	l.apply(l.box.Connect(l.Now(), 2, netip.MustParseAddrPort("127.0.39.1:6")))
	l.receive(c)
	if team := l.box.Teams(l.Now(), true).Teams[0]; !c.closing || team.Messages != 1 {
		t.Fatalf("closing %t, %+v", c.closing, team)
	}
	l.sockets.Wait()
	l.disconnect(c)
	<-c.turn
	c.data = []byte("x\x00")
	if l.receive(c); l.box.Teams(l.Now(), true).Teams[0].Messages != 1 {
		t.Error("a message of the replaced connection counts after its end")
	}
}

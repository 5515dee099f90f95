package refbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// wire returns commands as a base station receives them: "KICKOFF 224.16.32.39".
func wire(words ...string) string {
	var s strings.Builder
	for _, w := range words {
		command, target, _ := strings.Cut(w, " ")
		fmt.Fprintf(&s, "{\n  \"command\": \"%s\",\n  \"targetTeam\": \"%s\"\n}\x00", command, target)
	}
	return s.String()
}

// playing returns a box with CAMBADA at home (connection 1) and Tech United away (2) in the first half, stopped. It
// forgets what was sent so far.
func playing(t testing.TB, cfg refbox.Config) (*rig, soccer.Time) {
	t.Helper()
	cfg.HomeID, cfg.AwayID = 39, 63
	now := epoch
	r := newRig(t, cfg, now)
	r.do(r.box.Connect(now, 1, netip.MustParseAddrPort("172.16.39.5:1000")))
	r.do(r.box.Connect(now, 2, netip.MustParseAddrPort("172.16.63.5:1000")))
	now = r.tick(now, time.Second)
	r.decide(now, game.Decision{Command: game.KickOff, Side: game.Home})
	r.decide(now, game.Decision{Command: game.Start})
	now = r.tick(now, time.Second)
	r.decide(now, game.Decision{Command: game.Stop})
	r.forget()
	return r, now
}

func (r *rig) forget() {
	clear(r.sent)
	clear(r.closed)
	r.score = nil
}

// want fails the test unless exactly these messages were sent since forget.
func (r *rig) want(sent map[refbox.ConnID]string) {
	r.t.Helper()
	for c, b := range r.sent {
		if sent[c] != string(b) {
			r.t.Errorf("connection %d was sent %q, want %q", c, b, sent[c])
		}
	}
	for c, s := range sent {
		if s != "" && r.sent[c] == nil {
			r.t.Errorf("connection %d was sent nothing, want %q", c, s)
		}
	}
}

// Events that disturb a game with RefBox 2.1 have no effect here: an unknown address, a third team, a connection while
// another one waits.
func TestStrangersDisturbNobody(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for i, addr := range []string{"10.1.2.3:5", "172.16.67.1:5", "172.16.90.1:5", "127.0.0.1:5", "[fe80::1%eth0]:5"} {
		c := refbox.ConnID(10 + i)
		r.do(r.box.Connect(now, c, netip.MustParseAddrPort(addr)))
		if !strings.Contains(r.closed[c], "CAMBADA and Tech United") {
			t.Errorf("%s: closed with %q", addr, r.closed[c])
		}
		r.do(r.box.Receive(now, c, []byte(`{"type":"event","robotId":2,"event":"kick"}`)))
		r.do(r.box.Disconnect(now, c))
	}
	r.tick(now, time.Second)
	r.want(nil)
	v := r.box.Referee(now.Add(time.Second))
	if len(v.Refused) != 5 || v.Refused[4].Addr != "10.1.2.3" || len(v.Waiting) != 0 {
		t.Errorf("%+v", v.Refused)
	}
	lines := ""
	for _, m := range r.logged(game.LinesChannel) {
		lines += string(m.Data) + "\n"
	}
	if !strings.Contains(lines, "ERR Unknteam (Attempt from 10.1.2.3)") || !strings.Contains(lines,
		"ERR Another team connecting (Water; Attempt from 172.16.67.1)") {
		t.Errorf("%s", lines)
	}
}

// A team that reconnects during a game replaces its connection at once, whether or not the old one is known to be dead.
func TestReconnection(t *testing.T) {
	for _, dead := range []bool{true, false} {
		r, now := playing(t, refbox.DefaultConfig())
		if dead {
			r.do(r.box.Disconnect(now, 2))
			if v := r.box.Show(now); v.Away.Connected || v.Away.ID != 63 {
				t.Errorf("%+v", v.Away)
			}
			// A command about the disconnected team has its group.
			r.decide(now, game.Decision{Command: game.FreeKick, Side: game.Away})
			r.want(map[refbox.ConnID]string{1: wire("FREEKICK 224.16.32.63")})
			r.forget()
		}
		r.do(r.box.Connect(now, 3, netip.MustParseAddrPort("172.16.63.77:1001")))
		r.want(map[refbox.ConnID]string{3: wire("WELCOME 224.16.32.63")})
		if (r.closed[2] != "") == dead {
			t.Errorf("dead: %t, closed: %v", dead, r.closed)
		}
		r.do(r.box.Disconnect(now, 2)) // the shell reports closing it
		r.forget()
		r.decide(now, game.Decision{Command: game.Stop})
		r.want(map[refbox.ConnID]string{1: wire("STOP "), 3: wire("STOP ")})
		if n := len(r.logged(game.AdmissionsChannel)); n != 2 {
			t.Errorf("%d admissions", n)
		}
	}
}

// With Resync a base station that reconnects receives the state of the game, and the other one nothing.
func TestResync(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.Resync = true
	r, now := playing(t, cfg)
	r.decide(now, game.Decision{Command: game.Goal, Side: game.Home})
	r.decide(now, game.Decision{Command: game.KickOff, Side: game.Away})
	r.decide(now, game.Decision{Command: game.YellowCard, Side: game.Away, Robot: 4})
	r.decide(now, game.Decision{Command: game.Start})
	r.forget()
	r.do(r.box.Connect(now, 3, netip.MustParseAddrPort("172.16.63.5:1001")))
	r.want(map[refbox.ConnID]string{3: wire("WELCOME 224.16.32.63", "GOAL 224.16.32.39", "YELLOW_CARD 224.16.32.63",
		"FIRST_HALF ", "START ")})
	r.forget()
	r.decide(now, game.Decision{Command: game.Stop})
	r.decide(now, game.Decision{Command: game.Corner, Side: game.Home})
	r.forget()
	r.do(r.box.Connect(now, 4, netip.MustParseAddrPort("172.16.39.5:1001")))
	r.want(map[refbox.ConnID]string{4: wire("WELCOME 224.16.32.39", "GOAL 224.16.32.39", "YELLOW_CARD 224.16.32.63",
		"FIRST_HALF ", "STOP ", "CORNER 224.16.32.39")})
	if n := len(r.logged(game.CommandsChannel)); n != 14 { // 4 WELCOMEs and the commands
		t.Errorf("%d commands in the log", n)
	}
}

// An unexpected base station, known or not, waits for the referee and receives no byte.
func TestWaiting(t *testing.T) {
	r := newRig(t, refbox.DefaultConfig(), epoch)
	r.do(r.box.Connect(epoch, 1, netip.MustParseAddrPort("10.0.0.5:1")))
	r.do(r.box.Connect(epoch, 2, netip.MustParseAddrPort("127.0.39.1:1")))
	r.do(r.box.Connect(epoch, 3, netip.MustParseAddrPort("[::1]:1")))
	now := r.tick(epoch, 2*time.Second)
	r.decide(now, game.Decision{Command: game.KickOff, Side: game.Home})
	r.want(nil)
	w := r.box.Referee(now).Waiting
	if len(w) != 3 || w[0].Name != "unknown" || w[1].Name != "CAMBADA" || w[1].ID != 39 || w[2].ID != 127 ||
		w[0].Since != 2 || len(w[0].Sides) != 2 {
		t.Fatalf("%+v", w)
	}
	for _, c := range r.logged(game.CommandsChannel) {
		if !strings.Contains(string(c.Data), `"224.16.32.0"`) { // side without a team
			t.Errorf("%s", c.Data)
		}
	}
	e, err := r.box.Admit(now, 1, game.Away)
	if err != nil || !e.Sync {
		t.Fatal(err)
	}
	r.do(e)
	r.want(map[refbox.ConnID]string{1: wire("WELCOME 224.16.32.254")})
	for _, c := range []struct {
		conn refbox.ConnID
		side game.Side
	}{{2, game.Away}, {1, game.Home}, {9, game.Home}, {2, game.Both}, {2, "middle"}} {
		if _, err := r.box.Admit(now, c.conn, c.side); err == nil {
			t.Errorf("%v was admitted", c)
		}
	}
	e, err = r.box.Refuse(now, 2)
	if err != nil {
		t.Fatal(err)
	}
	r.do(e)
	if _, err := r.box.Refuse(now, 2); err == nil {
		t.Error("refused twice")
	}
	e, err = r.box.Admit(now, 3, game.Home)
	if err != nil {
		t.Fatal(err)
	}
	r.do(e)
	r.want(map[refbox.ConnID]string{1: wire("WELCOME 224.16.32.254"), 3: wire("WELCOME 224.16.32.127")})
	r.do(r.box.Disconnect(now, 1))
	r.do(r.box.Connect(now, 4, netip.MustParseAddrPort("10.0.0.5:2"))) // the unknown one reconnects
	r.want(map[refbox.ConnID]string{1: wire("WELCOME 224.16.32.254"), 3: wire("WELCOME 224.16.32.127"),
		4: wire("WELCOME 224.16.32.254")})
	if r.closed[2] == "" {
		t.Error("not closed")
	}
}

// Waiting connections are closed when both sides are taken.
func TestWaitingIsClosed(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.HomeID, cfg.AwayID = 39, 63
	r := newRig(t, cfg, epoch)
	r.do(r.box.Connect(epoch, 1, netip.MustParseAddrPort("172.16.39.1:1")))
	r.do(r.box.Connect(epoch, 2, netip.MustParseAddrPort("172.16.67.1:1")))
	if len(r.box.Referee(epoch).Waiting) != 1 || len(r.closed) != 0 {
		t.Fatalf("%v", r.closed)
	}
	r.do(r.box.Connect(epoch, 3, netip.MustParseAddrPort("172.16.63.1:1")))
	if len(r.box.Referee(epoch).Waiting) != 0 || r.closed[2] == "" {
		t.Errorf("%v", r.closed)
	}
}

// A team against itself: the second side has ":1" behind its group, as with RefBox 2.1. If the team is expected on both
// sides, both connections are admitted automatically; otherwise the second one could be a reconnection, and the referee
// decides.
func TestTeamTwice(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.HomeID, cfg.AwayID = 127, 127
	r := newRig(t, cfg, epoch)
	r.do(r.box.Connect(epoch, 1, netip.MustParseAddrPort("127.0.0.1:1")))
	r.do(r.box.Connect(epoch, 2, netip.MustParseAddrPort("127.0.0.1:2")))
	r.want(map[refbox.ConnID]string{1: wire("WELCOME 224.16.32.127"), 2: wire("WELCOME 224.16.32.127:1")})
	if v := r.box.Show(epoch); v.Home.Name != "localhost" || v.Away.Name != "localhost B" ||
		v.Away.Short != "local B" || v.Away.ID != 127 {
		t.Errorf("%+v", v)
	}
	r.forget()
	r.decide(epoch, game.Decision{Command: game.KickOff, Side: game.Away})
	r.want(map[refbox.ConnID]string{1: wire("KICKOFF 224.16.32.127:1"), 2: wire("KICKOFF 224.16.32.127:1")})
	r.do(r.box.Disconnect(epoch, 2))
	r.forget()
	r.do(r.box.Connect(epoch, 3, netip.MustParseAddrPort("127.0.0.1:3"))) // to the side whose base station is disconnected
	r.want(map[refbox.ConnID]string{3: wire("WELCOME 224.16.32.127:1")})

	r = newRig(t, refbox.DefaultConfig(), epoch)
	r.do(r.box.Connect(epoch, 1, netip.MustParseAddrPort("127.0.39.1:1")))
	r.do2(r.box.Admit(epoch, 1, game.Away))
	r.do(r.box.Connect(epoch, 2, netip.MustParseAddrPort("127.0.39.1:2")))
	w := r.box.Referee(epoch).Waiting
	if len(w) != 1 || len(w[0].Sides) != 2 || len(r.closed) != 0 {
		t.Fatalf("%+v %v", w, r.closed)
	}
	r.do2(r.box.Admit(epoch, 2, game.Home))
	if v := r.box.Show(epoch); v.Home.Name != "CAMBADA A" || v.Home.Group != "224.16.32.39:1" ||
		v.Away.Name != "CAMBADA" {
		t.Errorf("%+v", v)
	}
}

func (r *rig) do2(e refbox.Effects, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	r.do(e)
}

// A side can be released before the first half and after the end, not during a game.
func TestRelease(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for _, side := range []game.Side{game.Home, game.Both} {
		if _, err := r.box.Release(now, side); err == nil {
			t.Errorf("%q was released in a game", side)
		}
	}
	r.decide(now, game.Decision{Command: game.Reset, Force: true})
	r.forget()
	r.do2(r.box.Release(now, game.Home))
	r.want(nil)
	if v := r.box.Show(now); v.Home.ID != 0 || v.Home.Name != "Home" || v.Home.Group != "224.16.32.0" ||
		r.closed[1] == "" {
		t.Errorf("%+v", v.Home)
	}
	if _, err := r.box.Release(now, game.Home); err == nil {
		t.Error("released twice")
	}
	r.do(r.box.Connect(now, 3, netip.MustParseAddrPort("172.16.39.5:1001"))) // it is not expected any more
	if w := r.box.Referee(now).Waiting; len(w) != 1 || w[0].ID != 39 {
		t.Errorf("%+v", w)
	}
	r.do2(r.box.Release(now, game.Away)) // before the first half
	all := r.logged(game.AdmissionsChannel)
	a, err := refbox.ParseAdmission(all[len(all)-1].Data)
	if err != nil || !a.Gone || a.Side != game.Away || a.ID != 63 {
		t.Errorf("%+v %v", a, err)
	}
}

// Many connections are limited: 4 of an address wait, 250 in all, and so are their lines in the journal.
func TestManyConnections(t *testing.T) {
	r := newRig(t, refbox.DefaultConfig(), epoch)
	for i := range 2000 {
		addr := netip.AddrFrom4([4]byte{10, 0, byte(i / 5 >> 8), byte(i / 5)})
		r.do(r.box.Connect(epoch, refbox.ConnID(i+1), netip.AddrPortFrom(addr, 9)))
	}
	v := r.box.Referee(epoch)
	if len(v.Waiting) != 250 || len(r.closed) != 1750 || len(v.Refused) != 10 {
		t.Errorf("%d wait, %d closed, %d listed", len(v.Waiting), len(r.closed), len(v.Refused))
	}
	if !strings.Contains(r.closed[5], "4 connections from this address") || !strings.Contains(r.closed[2000],
		"4 connections") && !strings.Contains(r.closed[2000], "250 connections") {
		t.Errorf("%q, %q", r.closed[5], r.closed[2000])
	}
	r.tick(epoch, 2*time.Second)
	if n := len(r.journal); n > 25 {
		t.Errorf("%d messages in the log", n)
	}
	last := string(r.logged(game.NotesChannel)[len(r.logged(game.NotesChannel))-1].Data)
	if !strings.Contains(last, "more lines about connections") {
		t.Errorf("%s", last)
	}
	r.want(nil)
	for i := range 2000 {
		r.do(r.box.Disconnect(epoch, refbox.ConnID(i+1)))
	}
	if n := len(r.box.Referee(epoch).Waiting); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// A refused decision sends and records nothing; a STOP that changes nothing does not wait for the disk.
func TestDecideEffects(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	before := len(r.journal)
	_, e, err := r.box.Decide(now, game.Decision{Command: game.Start})
	if err == nil || e.Send != nil || e.Log != nil || e.Sync {
		t.Errorf("%+v, %v", e, err)
	}
	e = r.decide(now, game.Decision{Command: game.Stop})
	r.want(map[refbox.ConnID]string{1: wire("STOP "), 2: wire("STOP ")})
	if e.Sync {
		t.Error("a repeated STOP waits for the disk")
	}
	var channels []string
	for _, m := range r.journal[before:] {
		channels = append(channels, m.Channel)
	}
	if !slices.Equal(channels, []string{"decisions", "commands", "lines", "states"}) {
		t.Errorf("%v", channels)
	}
	r.decide(now, game.Decision{Command: game.FreeKick, Side: game.Home})
	if e = r.decide(now, game.Decision{Command: game.Stop}); !e.Sync {
		t.Error("a STOP that cancels a set piece does not wait for the disk")
	}
}

// After a RESET the teams stay and UNDO restores the game. Any decision but STOP begins another game with its own journal.
func TestNewGame(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	r.decide(now, game.Decision{Command: game.Goal, Side: game.Home})
	e := r.decide(now, game.Decision{Command: game.Reset, Force: true})
	if !e.Over || r.games != 1 {
		t.Errorf("%+v", e)
	}
	r.decide(now, game.Decision{Command: game.Undo})
	if v := r.box.Show(now); v.Home.Goals != 1 || r.games != 1 {
		t.Errorf("%+v", v)
	}
	r.decide(now, game.Decision{Command: game.Redo})
	r.decide(now, game.Decision{Command: game.Stop})
	r.decide(now, game.Decision{Command: game.Undo})      // STOP
	e = r.decide(now, game.Decision{Command: game.Reset}) // a second RESET is sent, too
	if !e.Over || len(e.Send) != 2 || r.games != 1 {
		t.Errorf("%+v, %d games", e, r.games)
	}
	r.decide(now, game.Decision{Command: game.Undo})
	r.decide(now, game.Decision{Command: game.Undo}) // RESET
	if v := r.box.Show(now); v.Home.Goals != 1 || r.games != 1 {
		t.Errorf("%+v", v)
	}
	r.decide(now, game.Decision{Command: game.Redo})
	now = r.tick(now, time.Second)
	if p := r.box.Preview(game.Decision{Command: game.KickOff, Side: game.Home}); p.Why != "" ||
		!slices.Equal(p.Messages, []string{"KICKOFF CAMBADA"}) {
		t.Errorf("%+v", p)
	}
	if _, e, err := r.box.Decide(now, game.Decision{Command: game.Goal, Side: game.Home}); err == nil || e.NewGame {
		t.Errorf("%+v %v", e, err)
	}
	r.forget()
	e = r.decide(now, game.Decision{Command: game.KickOff, Side: game.Away})
	if !e.NewGame || r.games != 2 || r.box.Began() != now || len(r.box.Game().Log()) != 1 {
		t.Errorf("%+v", e)
	}
	r.want(map[refbox.ConnID]string{1: wire("KICKOFF 224.16.32.63"), 2: wire("KICKOFF 224.16.32.63")})
	if a := r.logged(game.AdmissionsChannel); len(a) != 2 || a[0].Time != now {
		t.Errorf("%v", a)
	}
	if v := r.box.Show(now); v.Home.Goals != 0 || !v.Home.Connected {
		t.Errorf("%+v", v)
	}
}

// Before the first half a check of a reader sends harmless messages to one team; its answers give the verdict, and are
// no finding of its report card.
func TestCheckReader(t *testing.T) {
	r := newRig(t, refbox.DefaultConfig(), soccer.Epoch)
	now := soccer.Epoch
	if _, err := r.box.CheckReader(now, game.Home); !errors.Is(err, game.ErrRefused) {
		t.Errorf("a check without a base station: %v", err)
	}
	r.do(r.box.Connect(now, 1, netip.MustParseAddrPort("172.16.39.2:1")))
	e, err := r.box.Admit(now, 1, game.Home)
	if err != nil {
		t.Fatal(err)
	}
	r.do(e)
	if e, err = r.box.CheckReader(now, game.Home); err != nil {
		t.Fatal(err)
	}
	if len(e.Send) != 1 || e.Send[0].To != 1 || !bytes.Equal(e.Send[0].Data, refbox.CheckBurst(1, refbox.CheckMessages)) {
		t.Fatalf("sent %+v", e.Send)
	}
	r.do(e)
	for i := range refbox.CheckMessages {
		now = now.Add(25 * time.Millisecond)
		r.box.Departed(now, game.Home, game.Departure{Message: fmt.Sprintf("IS_ALIVE %d", i+1)})
		r.do(r.box.Receive(now, 1, fmt.Appendf(nil, `{"type":"event","robotId":%d,"event":"IS_ALIVE"}`, i+1)))
	}
	home := r.box.Referee(now).Home
	if home.Check == nil || home.Check.Verdict != refbox.Reads || !home.Checkable {
		t.Errorf("the referee sees %+v", home)
	}
	team := r.box.Teams(now, true).Teams[0]
	if team.Events != refbox.CheckMessages || len(team.Findings) != 0 || len(team.Sent) != refbox.CheckMessages {
		t.Errorf("the team has %+v", team)
	}
	r.tick(now, time.Second)
	notes := r.logged(game.NotesChannel)
	if note := string(notes[len(notes)-1].Data); !strings.Contains(note, "reads each message") {
		t.Errorf("the last note is %q", note)
	}
	if e, err = r.box.TellReader(now, game.Home, false); err != nil {
		t.Fatal(err)
	}
	r.do(e)
	r.decide(now.Add(2*time.Second), game.Decision{Command: game.KickOff, Side: game.Home})
	r.decide(now.Add(3*time.Second), game.Decision{Command: game.Start})
	if _, err := r.box.CheckReader(now, game.Home); !errors.Is(err, game.ErrRefused) {
		t.Errorf("a check in the first half: %v", err)
	}
	if home := r.box.Referee(now).Home; home.Check != nil || home.Checkable {
		t.Errorf("in the first half the referee sees %+v", home)
	}
}

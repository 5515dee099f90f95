package refbox_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/gametest"
	"touchline/internal/check/checknet"
	"touchline/internal/refbox"
	"touchline/soccer"
	"touchline/wire/msl"
	"touchline/wire/wiretest"
)

// rig is a box and the results of its effects.
type rig struct {
	t       testing.TB
	box     *refbox.Box
	sent    map[refbox.ConnID][]byte
	closed  map[refbox.ConnID]string
	journal []refbox.Record // of the running game
	score   [][]byte
	games   int // begun
	over    int // how often the log was released
}

func newRig(t testing.TB, cfg refbox.Config, now soccer.Time) *rig {
	cfg.NewCard = checknet.NewRefBoxCard
	return &rig{t: t, box: refbox.New(cfg, now), sent: map[refbox.ConnID][]byte{}, closed: map[refbox.ConnID]string{},
		games: 1}
}

// do carries out effects.
func (r *rig) do(e refbox.Effects) {
	if e.NewGame {
		r.journal, r.games = nil, r.games+1
	}
	for _, m := range e.Log {
		m.Data = bytes.Clone(m.Data)
		r.journal = append(r.journal, m)
	}
	for _, s := range e.Send {
		r.sent[s.To] = append(r.sent[s.To], s.Data...)
	}
	for _, c := range e.Close {
		r.closed[c.Conn] = c.Why
	}
	r.score = append(r.score, e.Score...)
	if e.Over {
		r.over++
	}
}

// decide takes a decision and fails the test if it is refused.
func (r *rig) decide(now soccer.Time, d game.Decision) refbox.Effects {
	r.t.Helper()
	_, e, err := r.box.Decide(now, d)
	if err != nil {
		r.t.Fatalf("%+v: %v", d, err)
	}
	r.do(e)
	return e
}

// logged returns the records of a channel.
func (r *rig) logged(channel string) []refbox.Record {
	var all []refbox.Record
	for _, m := range r.journal {
		if m.Channel == channel {
			all = append(all, m)
		}
	}
	return all
}

// tick lets time pass in steps of 10 ms.
func (r *rig) tick(from soccer.Time, d time.Duration) soccer.Time {
	for end := from.Add(d); from < end; {
		from = from.Add(10 * time.Millisecond)
		r.do(r.box.Tick(from))
	}
	return from
}

// The captured game through the whole box: the base station of the left team receives the bytes that RefBox 2.1 sent it,
// from WELCOME to RESET, and the lines of the log of events and the score datagrams are equal, too.
func TestBoxCapturedGame(t *testing.T) {
	want, err := os.ReadFile(filepath.Join(wiretest.Data(t, "refbox-2.1-capture"), "falcons_left.rx.bin"))
	if err != nil {
		t.Fatal(err)
	}
	keys := gametest.Presses(t)
	cfg := refbox.DefaultConfig()
	cfg.HomeID, cfg.AwayID = 74, 67
	now := keys[0].Time.Add(-22 * time.Second)
	r := newRig(t, cfg, now)
	now = r.tick(now, 18*time.Second)
	r.do(r.box.Connect(now, 1, netip.MustParseAddrPort("172.16.74.10:40000")))
	now = r.tick(now, 2500*time.Millisecond)
	r.do(r.box.Connect(now, 2, netip.MustParseAddrPort("172.16.67.10:40000")))
	for _, k := range keys {
		r.tick(now, k.Decision.Time.Sub(now)-10*time.Millisecond)
		r.decide(k.Decision.Time, k.Decision)
		now = k.Decision.Time
	}
	if got := r.sent[1]; !bytes.Equal(got, want) {
		i := 0
		for i < len(got) && i < len(want) && got[i] == want[i] {
			i++
		}
		t.Fatalf("%d bytes, captured %d; from byte %d: %q, captured %q", len(got), len(want), i, got[i:min(i+200,
			len(got))], want[i:min(i+200, len(want))])
	}
	if n := bytes.Count(want, []byte{0}); n != 87 {
		t.Errorf("%d messages", n)
	}
	if r.over != 4 || r.games != 1 { // END_GAME twice, GAMEOVER, RESET
		t.Errorf("released %d times in %d games", r.over, r.games)
	}
	compareLines(t, r)
	compareEvents(t, r.score)
}

var clocks = regexp.MustCompile(`^\d+,\d\d:\d\d\(\d\d:\d\d\)`)

// compareLines compares with the RefBox's log of events. Clocks may differ by one second, because the RefBox counts frames
// of 40 ms. One line differs: the RefBox logs the right team as left on its admission.
func compareLines(t *testing.T, r *rig) {
	t.Helper()
	f, err := os.Open(filepath.Join(wiretest.Data(t, "refbox-2.1-capture"), "20261120_152324.msl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := r.logged(game.LinesChannel)
	sc := bufio.NewScanner(f)
	for i := 0; sc.Scan(); i++ {
		want := strings.Replace(sc.Text(), "172.16.67.10 accepted - Left", "172.16.67.10 accepted - Right", 1)
		if i >= len(got) {
			t.Fatalf("line %d is missing: %s", i+1, want)
		}
		if g, w := clocks.ReplaceAllString(string(got[i].Data), ""), clocks.ReplaceAllString(want, ""); g != w {
			t.Errorf("line %d: %s, captured %s", i+1, got[i].Data, want)
		}
		var g, w msl.Line
		g.UnmarshalBinary(got[i].Data)
		w.UnmarshalBinary([]byte(want))
		if abs(g.TotalSeconds-w.TotalSeconds) > 1 || abs(g.EffectiveSeconds-w.EffectiveSeconds) > 1 {
			t.Errorf("line %d: %s, captured %s", i+1, got[i].Data, want)
		}
	}
}

func abs(n int) int { return max(n, -n) }

// compareEvents compares with the datagrams that the RefBox sent to score clients.
func compareEvents(t *testing.T, got [][]byte) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(wiretest.Data(t, "refbox-2.1-capture"), "score_events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for dec := json.NewDecoder(bytes.NewReader(b)); dec.More(); i++ {
		var line struct{ Data string }
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if i >= len(got) || string(got[i]) != line.Data {
			t.Fatalf("event %d: %q, captured %q", i, got[i:min(i+1, len(got))], line.Data)
		}
	}
	if i != len(got) {
		t.Errorf("%d events, captured %d", len(got), i)
	}
}

// The score datagram has the RefBox's keys in its order and values of its types. With the same worldstates only the
// clocks differ.
func TestScoreAsCaptured(t *testing.T) {
	f, err := os.Open(filepath.Join(wiretest.Data(t, "refbox-2.1-capture"), "scoreclient_udp.first40.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	n := 0
	for ; sc.Scan(); n++ {
		var line struct{ Msg json.RawMessage }
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		want := structure(t, line.Msg)
		cfg := refbox.DefaultConfig()
		cfg.HomeID, cfg.AwayID = 74, 67
		r := newRig(t, cfg, epoch)
		r.do(r.box.Connect(epoch, 1, stationOf(74, 1)))
		r.do(r.box.Connect(epoch, 2, stationOf(67, 1)))
		for i, team := range []string{"teamA", "teamB"} {
			world, _ := json.Marshal(want[team].(map[string]any)["worldState"])
			if string(world) != "{}" {
				r.do(r.box.Receive(epoch, refbox.ConnID(i+1), world))
			}
		}
		if want["gameState"] != 0. {
			r.decide(epoch, game.Decision{Command: game.KickOff, Side: game.Home})
			r.decide(epoch, game.Decision{Command: game.Start})
		}
		if want["gameState"] == 1. {
			r.decide(epoch, game.Decision{Command: game.Stop})
		}
		score := r.box.Score(epoch)
		got := structure(t, bytes.TrimSuffix(score, []byte{0}))
		for _, clock := range []string{"gameTime", "gameRunTime"} {
			if len(got[clock].(string)) != len(want[clock].(string)) {
				t.Errorf("%s: %v, captured %v", clock, got[clock], want[clock])
			}
			delete(got, clock)
			delete(want, clock)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, captured %v", got, want)
		}
		if g, w := topKeys(t, score), topKeys(t, line.Msg); !reflect.DeepEqual(g, w) {
			t.Fatalf("keys %v, captured %v", g, w)
		}
	}
	if n != 40 {
		t.Errorf("%d datagrams", n)
	}
}

func structure(t *testing.T, b []byte) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return m
}

// topKeys returns the keys of an object and of the objects in it, except worldState, in their order.
func topKeys(t *testing.T, b []byte) []string {
	t.Helper()
	var all []string
	dec := json.NewDecoder(bytes.NewReader(b))
	var walk func(path string)
	walk = func(path string) {
		tok, err := dec.Token()
		if err != nil || tok != json.Delim('{') {
			return
		}
		for dec.More() {
			key, _ := dec.Token()
			all = append(all, path+key.(string))
			if strings.HasPrefix(key.(string), "team") {
				walk(path + key.(string) + ".")
				continue
			}
			var skip json.RawMessage
			if err := dec.Decode(&skip); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = dec.Token()
	}
	walk("")
	return all
}

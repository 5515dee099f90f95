package refboxnet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/monitor"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// journalOf returns a journal with n decisions and noise between them that depends on the seed.
func journalOf(t testing.TB, n int, seed uint64) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		noise := make([]byte, random.IntN(3000))
		for j := range noise {
			noise[j] = byte(random.Uint32())
		}
		decision := fmt.Appendf(nil, `{"command":"STOP","time":%d}`, i)
		err = errors.Join(err, w.Write(matchlog.Message{Time: soccer.Time(10 * i), Channel: matchlog.Home,
			Data: noise}),
			w.Write(matchlog.Message{Time: soccer.Time(10*i + 1), Channel: matchlog.Decisions, Data: decision}))
	}
	if err = errors.Join(err, w.Abandon()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// box is a referee box as its standbys see it: a folder and the written length of its journal.
type box struct {
	dir   string
	tail  *tail
	skew  atomic.Int64 // of its clock, in ns
	addr  string
	close func() error
}

func newTestBox(t *testing.T) *box {
	t.Helper()
	b := &box{dir: t.TempDir(), tail: newTail()}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /api/journal", journalHandler(b.dir, b.tail, b.now,
		monitor.NewGuard("right", nil).Authorised))
	server := &http.Server{Handler: mux}
	b.close = server.Close
	t.Cleanup(func() { server.Close() })
	go server.Serve(listener)
	b.addr = listener.Addr().String()
	return b
}

func (b *box) now() soccer.Time { return soccer.Time(time.Now().UnixNano() + b.skew.Load()) }

// put sets the bytes of a journal, which its file and its written length show, with zeros behind them.
func (b *box) put(t *testing.T, name string, bytes []byte) {
	t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, slices.Concat(bytes, make([]byte, 5000)), 0o644); err != nil {
		t.Fatal(err)
	}
	b.tail.set(path, int64(len(bytes)))
}

// follow runs a mirror until the test or the returned function ends it.
func follow(t *testing.T, addr, token, dir string) (*mirror, func()) {
	t.Helper()
	f := newMirror(addr, token, dir)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.run(ctx) }()
	var ended bool
	end := func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(end)
	return f, end
}

func same(path string, want []byte) func() bool {
	return func() bool {
		got, err := os.ReadFile(path)
		return err == nil && bytes.Equal(got, want)
	}
}

func TestMirrorCopies(t *testing.T) {
	b, dir := newTestBox(t), t.TempDir()
	all := journalOf(t, 300, 1)
	_, end := follow(t, b.addr, "right", dir)
	const name = "20260703_155014.mcap"
	b.put(t, name, all[:1000])
	wiretest.Eventually(t, "the beginning", same(filepath.Join(dir, name), all[:1000]))
	for n := 1000; n < len(all)/2; n += 7919 {
		b.put(t, name, all[:n])
	}
	b.put(t, name, all[:len(all)/2])
	wiretest.Eventually(t, "half", same(filepath.Join(dir, name), all[:len(all)/2]))

	// Another mirror continues where this one ended.
	end()
	b.put(t, name, all)
	f, _ := follow(t, b.addr, "right", dir)
	wiretest.Eventually(t, "all", same(filepath.Join(dir, name), all))
	f.mu.Lock()
	if n := len(f.scan.decisions); n != 300 || f.scan.Err() != nil {
		t.Errorf("%d decisions, %v", n, f.scan.Err())
	}
	f.mu.Unlock()
}

// The game is over and another one begins; its file is finished later, and the copy is equal to the last byte.
func TestMirrorFinishes(t *testing.T) {
	b, dir := newTestBox(t), t.TempDir()
	g := b.write(t, 0)
	g.decide(t, game.Decision{Command: game.KickOff, Side: game.Home})
	if err := g.w.Sync(); err != nil { // from here on zeros follow in the file
		t.Fatal(err)
	}
	g.decide(t, game.Decision{Command: game.Start})
	follow(t, b.addr, "right", dir)
	written := func() []byte {
		all, err := os.ReadFile(g.w.Path())
		if err != nil {
			t.Fatal(err)
		}
		return all[:g.w.Size()]
	}
	copied := filepath.Join(dir, filepath.Base(g.w.Path()))
	wiretest.Eventually(t, "the game", same(copied, written()))
	next := journalOf(t, 3, 2)
	b.put(t, "29990703_170000.mcap", next)
	wiretest.Eventually(t, "the next one", same(filepath.Join(dir, "29990703_170000.mcap"), next))
	if !same(copied, written())() {
		t.Error("more was copied than is written")
	}
	if err := g.w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(g.w.Path())
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the whole file", same(copied, whole))
}

// An answer of a server that is not a referee box writes nothing.
func TestMirrorOddAnswers(t *testing.T) {
	for _, headers := range []map[string]string{
		{}, {"Journal-Name": "../20260703_155014.mcap", "Journal-From": "0"},
		{"Journal-Name": "20260703_155014.mcap", "Journal-From": "-1"},
		{"Journal-Name": "20260703_155014.mcap"}, {"Journal-Name": "lock", "Journal-From": "0"},
		{"Location": "http://192.0.2.1/"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for k, v := range headers {
				w.Header().Set(k, v)
			}
			if headers["Location"] != "" {
				w.WriteHeader(http.StatusFound)
			}
			io.WriteString(w, "bytes")
		}))
		dir := t.TempDir()
		f, end := follow(t, strings.TrimPrefix(server.URL, "http://"), "right", dir)
		wiretest.Eventually(t, "the refusal in words", func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.trouble != ""
		})
		end()
		server.Close()
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("%v wrote %v, %v", headers, entries, err)
		}
	}
}

// A lost connection is reported briefly enough for a banner.
func TestMirrorTrouble(t *testing.T) {
	t.Parallel() // it waits for a timeout
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone := "127.0.0.1:" + wiretest.FreePort(t, "tcp")
	for addr, want := range map[string]string{
		silent.Addr().String(): " does not answer: nothing was received for 3s",
		gone:                   " does not answer: connect: connection refused",
	} {
		f, end := follow(t, addr, "right", t.TempDir())
		var trouble string
		wiretest.Eventually(t, want, func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			trouble = f.trouble
			return trouble != ""
		})
		if end(); runtime.GOOS == "linux" && trouble != addr+want {
			t.Errorf("%q, want %q", trouble, addr+want)
		}
	}
}

// After a power loss the other box has fewer or other bytes: the copy is renamed and copied again.
func TestMirrorDiverged(t *testing.T) {
	const name = "20260703_155014.mcap"
	first, second := journalOf(t, 100, 1), journalOf(t, 100, 2)
	for _, later := range [][]byte{first[:5000], second[:len(first)-20], slices.Concat(second, first)} {
		b, dir := newTestBox(t), t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), first, 0o644); err != nil {
			t.Fatal(err)
		}
		b.put(t, name, later)
		_, end := follow(t, b.addr, "right", dir)
		wiretest.Eventually(t, "the copy", same(filepath.Join(dir, name), later))
		end()
		kept, err := filepath.Glob(filepath.Join(dir, name+".other-*"))
		if err != nil || len(kept) != 1 || !same(kept[0], first)() {
			t.Errorf("kept %v, %v", kept, err)
		}
	}
}

func TestMirrorRefused(t *testing.T) {
	b := newTestBox(t)
	b.put(t, "20260703_155014.mcap", journalOf(t, 1, 1))
	err := newMirror(b.addr, "wrong", t.TempDir()).run(t.Context())
	if !errors.Is(err, ErrToken) || !strings.Contains(err.Error(),
		b.addr+" answers 403 Forbidden: following needs the referee's token") {
		t.Errorf("a wrong token at first: %v", err)
	}
	for query, status := range map[string]int{
		"?from=-1": 400, "?from=x": 400, "?name=../secret&from=99999999": 200,
		"?name=20260703_155014.mcap&from=99999999": 416,
	} {
		r, _ := http.NewRequest("GET", "http://"+b.addr+"/api/journal"+query, nil)
		r.Header.Set("Authorization", "Bearer right")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != status {
			t.Errorf("%s: %s", query, answer.Status)
		}
	}
}

// The page of a standby shows the copied game on the other box's clock, and every key is refused.
func TestMirrorShows(t *testing.T) {
	b, dir := newTestBox(t), t.TempDir()
	b.skew.Store(int64(90 * time.Second))
	clock := b.now
	rules := game.DefaultRules()
	rules.RepairSeconds = 33
	text, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	began := clock()
	cfg := refbox.DefaultConfig()
	cfg.Rules = rules
	one := refbox.New(cfg, began)
	w, err := matchlog.Create(filepath.Join(b.dir, matchlog.LogName(began)), map[string]string{
		matchlog.MetaBegan: strconv.FormatInt(int64(began), 10), matchlog.MetaRules: string(text),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	write := func(e refbox.Effects, err error) {
		t.Helper()
		for _, m := range e.Log {
			err = errors.Join(err, w.Write(message(m)))
		}
		if err != nil {
			t.Fatal(err)
		}
		b.tail.set(w.Path(), w.Size())
	}
	f, _ := follow(t, b.addr, "right", dir)
	write(one.Connect(clock(), 1, netip.MustParseAddrPort("127.0.39.1:5000")), nil)
	write(one.Admit(clock(), 1, game.Home))
	for _, d := range []game.Decision{
		{Command: game.KickOff, Side: game.Away}, {Command: game.Start}, {Command: game.Stop},
		{Command: game.Goal, Side: game.Home}, {Command: game.SetScore, Side: game.Away, Count: 7},
		{Command: game.KickOff, Side: game.Away}, {Command: game.Repair, Side: game.Home, Robot: 4, Count: 1},
	} {
		_, e, err := one.Decide(clock(), d)
		write(e, err)
	}
	var got refbox.Show
	var referee refbox.RefereeShow
	wiretest.Eventually(t, "the copy shows the game", func() bool {
		got, referee = f.show(refbox.DefaultConfig(), time.Now())
		return got.Away.Goals == 7 && len(referee.Pending) == 1
	})
	want := one.Show(clock())
	if got.Part != game.FirstHalf || got.Home.Goals != 1 || got.Home.Name != "CAMBADA" ||
		got.SetPiece != want.SetPiece || got.Game != matchlog.LogName(began)[:15] {
		t.Errorf("the standby shows %+v, want %+v", got, want)
	}
	if d := math.Abs(want.Total - got.Total); d > 2 || got.Follows != b.addr || len(got.Trouble) != 1 ||
		!strings.Contains(got.Trouble[0], "clock") {
		t.Errorf("total %.3f, want %.3f; follows %s, trouble %q", got.Total, want.Total, got.Follows, got.Trouble)
	}
	if f.box.Game().Rules().RepairSeconds != 33 {
		t.Error("the rules are not those of the journal")
	}
	for _, k := range referee.Keys {
		if k.Why == "" {
			t.Errorf("%s %s is allowed", k.Command, k.Side)
		}
	}
}

// The clock is that of the other box, not of its last message.
func TestMirrorClock(t *testing.T) {
	b := newTestBox(t)
	b.skew.Store(-int64(time.Hour))
	old := journalOf(t, 3, 1) // with times of 1970
	b.put(t, "20260703_155014.mcap", old)
	f, _ := follow(t, b.addr, "right", t.TempDir())
	wiretest.Eventually(t, "all is copied", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.size == int64(len(old))
	})
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.clockAhead(now) - time.Duration(b.skew.Load()); d.Abs() > time.Minute {
		t.Errorf("%v off the other box's clock", d)
	}
	f.clock = soccer.Clock{Start: soccer.Time(now.Add(-time.Hour).UnixNano()), Began: now.Add(-5 * time.Second)}
	if got := f.clockAhead(now); got != 5*time.Second-time.Hour {
		t.Errorf("5 s after an answer: %v", got)
	}
}

package refboxnet_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// shelf returns the public list of logs, newest first.
func (f *field) shelf() []matchlognet.Row {
	f.t.Helper()
	answer, err := http.Get(f.page.URL + "/api/logs")
	if err != nil {
		f.t.Fatal(err)
	}
	defer answer.Body.Close()
	var v struct{ Logs []matchlognet.Row }
	if err := json.NewDecoder(answer.Body).Decode(&v); err != nil {
		f.t.Fatal(err)
	}
	return v.Logs
}

// lie puts a journal of another time into a folder: finished, unfinished, or of another kind.
func lie(t *testing.T, dir string, in time.Duration, kind string) string {
	t.Helper()
	began := soccer.Time(time.Now().Add(in).UnixNano())
	path := filepath.Join(dir, matchlog.LogName(began))
	if kind == "foreign" {
		if err := os.WriteFile(path, []byte("no log at all"), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaBegan: fmt.Sprint(int64(began)), matchlog.MetaRules: `{}`})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(matchlog.Message{Time: began, Channel: matchlog.Decisions, Data: fmt.Appendf(nil, `{"v":1,"time":%d,"command":"KICKOFF","side":"home"}`, began)}); err != nil {
		t.Fatal(err)
	}
	end := w.Abandon
	if kind == "finished" {
		end = w.Close
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	return path
}

// After a crash a box resumes its game, even beside files with later names, and finishes older journals.
func TestResumesAmongOthers(t *testing.T) {
	dir := t.TempDir()
	older := lie(t, dir, -time.Hour, "unfinished")
	lie(t, dir, time.Hour, "finished")
	lie(t, dir, 2*time.Hour, "foreign")
	cfg := liveConfig(dir)
	cfg.New = true
	lie(t, dir, -2*time.Hour, "finished")
	if err := os.Rename(older, older+".aside"); err != nil {
		t.Fatal(err)
	}
	f := open(t, cfg)
	f.both()
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`, `{"command":"GOAL","side":"home"}`)
	f.stop()
	if err := os.Rename(older+".aside", older); err != nil {
		t.Fatal(err)
	}
	cfg.New = false
	f = open(t, cfg)
	if !strings.Contains(f.live.Resumed(), "CAMBADA 1 : 0 Tech United Eindhoven") {
		t.Errorf("resumes %q", f.live.Resumed())
	}
	wiretest.Eventually(t, "what is older is finished", func() bool { return matchlog.Finished(older) })
}

// Expected teams that differ from those of the resumed game are reported.
func TestResumesWithItsTeams(t *testing.T) {
	cfg := liveConfig(t.TempDir())
	f := open(t, cfg)
	f.both()
	f.stop()
	cfg.Box.HomeID, cfg.Box.AwayID = 63, 67
	f = open(t, cfg)
	var show refbox.Show
	f.topic("refbox", &show, func() bool { return len(show.Trouble) > 0 })
	if text := show.Trouble[0]; !strings.Contains(text, "CAMBADA as home, not with team 63") || !strings.Contains(text,
		"Tech United Eindhoven as away, not with team 67") {
		t.Errorf("%q", text)
	}
}

// Messages of a team are kept even if its side was released before the first half without any decision.
func TestReceivedIsKept(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	home, _ := f.both()
	home.sends(worldstate("CAMBADA", 1))
	log := journals(t, dir, ".mcap")[0]
	wiretest.Eventually(t, "it is in the journal", func() bool { return len(read(t, log, matchlog.Home)) == 1 })
	for _, side := range []string{"home", "away"} {
		if _, trouble := f.post("release", `{"side":"`+side+`"}`, f.live.Token()); trouble != "" {
			t.Fatal(trouble)
		}
	}
	f.stop()
	if got := journals(t, dir, ".mcap"); len(got) != 1 || len(read(t, log, matchlog.Home)) != 1 {
		t.Errorf("%v", got)
	}
}

// After the end other teams are admitted: the log of the game keeps its teams and its zip, and is public.
func TestNextTeams(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	f.both()
	name := filepath.Base(journals(t, dir, ".mcap")[0])
	if all := f.shelf(); len(all) != 1 || !all[0].Running || all[0].Home != "CAMBADA" {
		t.Errorf("%+v", all)
	}
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`, `{"command":"GOAL","side":"away"}`, `{"command":"SET_PART","part":"second half"}`, `{"command":"END_PART"}`)
	zipped := func() bool { return len(journals(t, dir, ".CAMBADA-TUe.zip")) == 1 }
	wiretest.Eventually(t, "the zip after the second half", zipped)
	wiretest.Eventually(t, "it is everybody's", func() bool { return !f.shelf()[0].Running })
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`)
	if !f.shelf()[0].Running {
		t.Error("the log of the overtime is public")
	}
	f.decide(`{"command":"STOP"}`, `{"command":"SET_PART","part":"end"}`)
	wiretest.Eventually(t, "it is everybody's again", func() bool { return !f.shelf()[0].Running })
	for _, side := range []string{"home", "away"} {
		if _, trouble := f.post("release", `{"side":"`+side+`"}`, f.live.Token()); trouble != "" {
			t.Fatal(trouble)
		}
	}
	f.dial("127.0.67.1")
	var desk refbox.RefereeShow
	f.topic("referee", &desk, func() bool { return len(desk.Waiting) == 1 })
	if _, trouble := f.post("admit", fmt.Sprintf(`{"conn":%d,"side":"home"}`, desk.Waiting[0].Conn), f.live.Token()); trouble != "" {
		t.Fatal(trouble)
	}
	f.decide(`{"command":"RESET"}`, `{"command":"KICKOFF","side":"home"}`)
	f.stop()
	if !zipped() {
		t.Errorf("%v", journals(t, dir, ""))
	}
	log, err := matchlog.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Wait(); err != nil {
		t.Fatal(err)
	}
	if i := log.Info(); i.Home != "CAMBADA" || i.Away != "Tech United Eindhoven" ||
		i.Meta[matchlog.MetaSize] != "22x14" || !i.Finished {
		t.Errorf("%+v", i)
	}
}

// Answers have lists instead of null, and decisions need exact keys, once each.
func TestAnswersAreLists(t *testing.T) {
	f := open(t, liveConfig(t.TempDir()))
	b, err := json.Marshal(f.decide(`{"command":"STOP"}`))
	if err != nil || strings.Contains(string(b), "null") {
		t.Errorf("%s, %v", b, err)
	}
	for _, body := range []string{`{"command":"STOP","command":"START"}`, `{"Command":"STOP"}`, `{"command":"STOP","FORCE":false}`} {
		if _, trouble := f.post("decide", body, f.live.Token()); !strings.HasPrefix(trouble, "refbox: the decision") {
			t.Errorf("%s: %q", body, trouble)
		}
	}
	if _, trouble := f.post("refuse", `{"conn":1,"conn":2}`, f.live.Token()); !strings.Contains(trouble, "duplicate") {
		t.Errorf("%q", trouble)
	}
}

// A damaged byte in the middle of the log discards the rest: the referee is told where it is kept.
func TestBrokenInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`, `{"command":"GOAL","side":"home"}`)
	f.stop()
	path := journals(t, dir, ".mcap")[0]
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(b), `"command":"STOP"`)
	b[at+3] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	unread := lie(t, dir, time.Hour, "foreign")
	f = open(t, liveConfig(dir))
	var show refbox.Show
	f.topic("refbox", &show, func() bool { return len(show.Trouble) == 1 })
	for _, part := range []string{"the log is damaged at byte ", filepath.Base(path) + ".torn; check score and clock",
		filepath.Base(unread) + " cannot be resumed"} {
		if !strings.Contains(show.Trouble[0], part) {
			t.Errorf("%q lacks %q", show.Trouble[0], part)
		}
	}
	if kept, err := os.ReadFile(path + ".torn"); err != nil || !strings.Contains(string(kept), `"command":"GOAL"`) {
		t.Errorf("%d bytes are kept, %v", len(kept), err)
	}
}

// A zip that could not be written at the end is written at the next start.
func TestZipLater(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"SET_PART","part":"end"}`)
	wiretest.Eventually(t, "the zip", func() bool { return len(journals(t, dir, ".zip")) == 1 })
	zip, log := journals(t, dir, ".zip")[0], journals(t, dir, ".mcap")[0]
	if err := os.Remove(zip); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(zip, 0o755); err != nil { // no file can replace it
		t.Fatal(err)
	}
	f.stop()
	if matchlog.Finished(log) {
		t.Error("the journal is finished without a zip")
	}
	if err := os.Remove(zip); err != nil {
		t.Fatal(err)
	}
	f = open(t, liveConfig(dir))
	wiretest.Eventually(t, "the zip", func() bool { return len(journals(t, dir, ".zip")) == 1 })
	f.stop()
	if !matchlog.Finished(log) {
		t.Error("the journal is not finished")
	}
}

package matchlognet_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/soccer"
)

const began = soccer.Time(1467550000e9)

// serve answers requests for logs.
func serve(t testing.TB, s *matchlognet.Logs) func(path, token string) (int, []byte) {
	mux := http.NewServeMux()
	for pattern, h := range s.Handlers() {
		mux.Handle(pattern, h)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.Close()
		s.Close()
	})
	return func(path, token string) (int, []byte) {
		t.Helper()
		r, err := http.NewRequest("GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, b
	}
}

type creator func(path string, meta map[string]string) (*matchlog.Writer, error)

// match writes a log of both teams to a folder.
func match(t testing.TB, dir string) (name string, w *matchlog.Writer) {
	return matchIn(t, dir, matchlog.Create)
}

func matchIn(t testing.TB, dir string, create creator) (name string, w *matchlog.Writer) {
	t.Helper()
	name = matchlog.LogName(began)
	w, err := create(filepath.Join(dir, name), map[string]string{matchlog.MetaAway: "Away Team", matchlog.MetaSize: "18x12"})
	if err != nil {
		t.Fatal(err)
	}
	robot := `{"type":"worldstate","teamName":"x","intention":"go","robots":[{"id":4,"pose":[1.0,2.0,0.5],"targetPose":[null,null,null],"batteryLevel":50,"ballEngaged":1}],"balls":[{"position":[1,2,null],"confidence":0.5}],"obstacles":[{"position":[3,4],"radius":null}],"ageMs":20}`
	var all []matchlog.Message
	for i := range 100 {
		at := began + soccer.Time(i)*1e8
		all = append(all,
			matchlog.Message{Time: at, Channel: matchlog.States, Data: fmt.Appendf(nil, `{"part":"first half","running":true,"total":%d,"effective":%d,"home":{"goals":%d}}`, i*1e8, i*5e7, i/50)},
			matchlog.Message{Time: at, Published: at - 2e7, Channel: matchlog.Home, Data: []byte(robot)},
			matchlog.Message{Time: at, Published: at - 2e7, Channel: matchlog.Away, Data: []byte(robot)},
			matchlog.Message{Time: at, Channel: matchlog.Truth, Data: []byte(`{"ball":null}`)},
		)
	}
	for i, line := range []string{"1467550001000,00:01(00:00),1st Half,Goal+,Away Team", "hello", "1467550002000,00:01(00:00),1st Half,Yellow Card,robotID:3,Home"} {
		all = append(all, matchlog.Message{Time: began + soccer.Time(i)*1e9, Channel: matchlog.Lines, Data: []byte(line)})
	}
	all = append(all, matchlog.Message{Time: began + 3e9, Channel: matchlog.Home, Data: []byte(`{"type":"event","robotId":2,"event":"kick"}`)})
	if _, err := w.WriteAll(all); err != nil {
		t.Fatal(err)
	}
	return name, w
}

func decode[T any](t testing.TB, status int, b []byte) (v T) {
	t.Helper()
	if status != http.StatusOK {
		t.Fatalf("got %d %s", status, b)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestServe serves a journal and a recording while they are written, and once they are finished.
func TestServe(t *testing.T) {
	t.Run("journal", func(t *testing.T) { serveLog(t, matchlog.Create) })
	t.Run("recording", func(t *testing.T) { serveLog(t, matchlog.CreatePacked) })
}

func serveLog(t *testing.T, create creator) {
	dir := t.TempDir()
	name, w := matchIn(t, dir, create)
	if err := w.WriteMeta(map[string]string{matchlog.MetaHome: "Home"}); err != nil { // known when the game is on
		t.Fatal(err)
	}
	get := serve(t, &matchlognet.Logs{Dir: dir})
	list := func() []matchlognet.Row {
		status, b := get("/api/logs", "")
		return decode[map[string][]matchlognet.Row](t, status, b)["logs"]
	}
	if rows := list(); len(rows) != 1 || rows[0].Name != name || !rows[0].Running || rows[0].Zip != "" ||
		rows[0].Home != "Home" || rows[0].Away != "Away Team" || rows[0].Bytes != w.Size() {
		t.Fatalf("got %+v", rows)
	}
	status, b := get("/api/logs/"+name, "")
	s := decode[matchlog.Summary](t, status, b)
	if s.Home != "Home" || s.Away != "Away Team" || s.Ready != 1 || s.Start != float64(began)/1e6 || s.Field.Length != 18 ||
		len(s.Rates.Home) != 10 || s.Rates.Home[3] != 11 || s.Rates.Away[3] != 10 {
		t.Errorf("got %+v", s)
	}
	var events []string
	for _, e := range s.Events {
		events = append(events, fmt.Sprint(e.T-s.Start, " ", e.Kind, " ", e.Side, " ", e.Text, " ", e.Robot))
	}
	if got := strings.Join(events, "; "); got != "0 goal away Goal+ 0; 1000 note  hello 0; 2000 card home Yellow Card 3; 3000 event home kick 2" {
		t.Errorf("events %s", got)
	}
	from := int64(began) / 1e6
	status, b = get(fmt.Sprintf("/api/logs/%s/frames?from=%d&to=%d&step=50", name, from+3000, from+4000), "")
	frames := decode[map[string][]matchlog.Frame](t, status, b)["frames"]
	if len(frames) != 21 {
		t.Fatalf("got %d frames", len(frames))
	}
	f := frames[1]
	if f.T != float64(from+3050) || f.Clock != 3.05 || f.Effective != 1.55 || f.Part != "first half" || !f.Running || f.GoalsHome != 0 ||
		string(f.Truth) != `{"ball":null}` || f.Home == nil || f.Away == nil {
		t.Fatalf("got %+v", f)
	}
	robot := func(v *matchlog.View) string {
		r, b, o := v.Robots[0], v.Balls[0], v.Obstacles[0]
		return fmt.Sprintf("%.3f %d %g %g %.3f %v %g %v ball %g %g %v obstacle %g %g %v", v.Age, r.Number, *r.X, *r.Y, *r.Theta, r.TX, *r.Battery, *r.Engaged, *b.X, *b.Y, b.Z, *o.X, *o.Y, o.Radius)
	}
	if got, want := robot(f.Home), "0.070 4 2 -1 0.500 <nil> 50 true ball 2 -1 <nil> obstacle 4 -3 <nil>"; got != want {
		t.Errorf("home %s, want %s", got, want)
	}
	if got, want := robot(f.Away), "0.070 4 -2 1 -2.642 <nil> 50 true ball -2 1 <nil> obstacle -4 3 <nil>"; got != want {
		t.Errorf("away %s, want %s", got, want)
	}
	for _, path := range []string{"/frames", "/frames?from=x&to=1&step=1", "/frames?from=NaN&to=1&step=1", "/frames?from=1&to=1e300&step=1"} {
		if status, b := get("/api/logs/"+name+path, ""); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", path, status, b)
		}
	}
	for _, other := range []string{"nothing.mcap", "..%2f" + name, "%2e%2e"} {
		if status, b := get("/api/logs/"+other, ""); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", other, status, b)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if rows := list(); rows[0].Running || rows[0].End != float64(began)/1e6+9900 {
		t.Errorf("got %+v", rows)
	}
	status, b = get("/api/logs/"+name+"/zip", "")
	if z, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); status != http.StatusOK || err != nil || len(z.File) != 3 {
		t.Errorf("got %d %v", status, err)
	}
	made := matchlog.FileName(began, "Home", "Away")
	if err := os.WriteFile(filepath.Join(dir, made), b, 0o644); err != nil {
		t.Fatal(err)
	}
	if rows := list(); len(rows) != 1 || rows[0].Zip != made {
		t.Errorf("got %+v", rows)
	}
	if _, again := get("/api/logs/"+name+"/zip", ""); !bytes.Equal(again, b) {
		t.Error("got another zip than the one beside the log")
	}
	if status, b := get("/api/logs/"+name+"/mcap", ""); status != http.StatusOK || !bytes.HasPrefix(b, []byte("\x89MCAP0\r\n")) || !bytes.HasSuffix(b, []byte("\x89MCAP0\r\n")) {
		t.Errorf("got %d, %d bytes", status, len(b))
	}
}

// TestServeAllowed checks that every handler refuses a log that Allowed refuses.
func TestServeAllowed(t *testing.T) {
	dir := t.TempDir()
	name, w := match(t, dir)
	defer w.Close()
	if err := w.Sync(); err != nil { // zeros stand ahead
		t.Fatal(err)
	}
	get := serve(t, &matchlognet.Logs{Dir: dir, Allowed: func(r *http.Request, log string) error {
		if r.Header.Get("Authorization") != "Bearer secret" || log != name {
			return errors.New("the game is on: it needs the referee's token")
		}
		return nil
	}})
	for _, path := range []string{"", "/frames?from=1&to=2&step=1", "/zip", "/mcap"} {
		for token, want := range map[string]int{"": http.StatusForbidden, "other": http.StatusForbidden, "secret": http.StatusOK} {
			status, b := get("/api/logs/"+name+path, token)
			if status != want {
				t.Errorf("%s with token %q: %d %.100s", path, token, status, b)
			}
			if path == "/mcap" && token == "secret" && (len(b) == 0 || len(b) > int(w.Size())) {
				t.Errorf("got %d bytes of a running log of %d", len(b), w.Size())
			}
		}
	}
}

// TestServeCutOff lists a log that was cut off with its newest teams and without the zeros behind it. A log whose game
// is over is not running although it is open.
func TestServeCutOff(t *testing.T) {
	dir := t.TempDir()
	name, w := match(t, dir)
	defer w.Close()
	if err := w.WriteMeta(map[string]string{matchlog.MetaHome: "Latest Team"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	cut := t.TempDir()
	if err := os.WriteFile(filepath.Join(cut, name), append(data, make([]byte, 1<<20)...), 0o644); err != nil {
		t.Fatal(err)
	}
	if rows := (&matchlognet.Logs{Dir: cut}).List(); len(rows) != 1 || rows[0].Running || rows[0].Home != "Latest Team" || rows[0].Bytes != w.Size() {
		t.Errorf("got %+v, written %d", rows, w.Size())
	}
	if rows := (&matchlognet.Logs{Dir: dir}).List(); !rows[0].Running {
		t.Errorf("got %+v", rows)
	}
	if rows := (&matchlognet.Logs{Dir: dir, Over: func(log string) bool { return log == name }}).List(); rows[0].Running || rows[0].Bytes != w.Size() {
		t.Errorf("got %+v", rows)
	}
}

// TestServeBeside lists a log and a zip of the same game if both are named, and refuses times out of range.
func TestServeBeside(t *testing.T) {
	dir := t.TempDir()
	name, w := match(t, dir)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var b bytes.Buffer
	if err := matchlog.Write(&b, l, matchlog.Options{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".mcap")+".A-B.zip")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	get := serve(t, &matchlognet.Logs{Files: []string{filepath.Join(dir, name), file}})
	status, list := get("/api/logs", "")
	rows := decode[map[string][]matchlognet.Row](t, status, list)["logs"]
	if len(rows) != 2 || rows[0].Zip+rows[1].Zip != filepath.Base(file) {
		t.Errorf("got %+v", rows)
	}
	ms := int64(began) / 1e6 // between two states the clock runs on
	status, frames := get(fmt.Sprintf("/api/logs/%s/frames?from=%d&to=%d&step=10", name, ms, ms+990), "")
	for i, f := range decode[map[string][]matchlog.Frame](t, status, frames)["frames"] {
		if f.Part != "first half" || f.Clock < float64(i)/100-1e-6 || f.Clock > float64(i)/100+1e-6 {
			t.Errorf("frame %d: %+v", i, f)
		}
	}
	if status, b := get("/api/logs/"+name+"/frames?from=9300000000000&to=9300000001000&step=100", ""); status != http.StatusBadRequest || !strings.Contains(string(b), "2261") {
		t.Errorf("got %d %s", status, b)
	}
}

// TestServeMany opens more logs than stay open, from several clients at once.
func TestServeMany(t *testing.T) {
	written := t.TempDir()
	name, w := match(t, written)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(written, name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range 8 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.mcap", i)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	get := serve(t, &matchlognet.Logs{Dir: dir})
	done := make(chan int)
	for p := range 4 {
		go func() {
			bad := 0
			for i := range 40 {
				if status, _ := get(fmt.Sprintf("/api/logs/%d.mcap", (i+p)%8), ""); status != http.StatusOK {
					bad++
				}
			}
			done <- bad
		}()
	}
	for range 4 {
		if bad := <-done; bad > 0 {
			t.Errorf("%d requests failed", bad)
		}
	}
}

// A damaged log does not hide the others: its row says what is wrong. The page lists them whatever bytes of the end of a log
// are damaged.
func TestServeDamaged(t *testing.T) {
	dir := t.TempDir()
	name, w := match(t, dir)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	index := bytes.LastIndex(whole, []byte("\x0d\x1d\x00\x00\x00\x00\x00\x00\x00")) // the metadata index
	if index < 0 {
		t.Fatal("the log has no metadata index")
	}
	const damaged = "20990101_000000.mcap"
	get := serve(t, &matchlognet.Logs{Dir: dir})
	list := func() (rows map[string]matchlognet.Row) {
		t.Helper()
		status, b := get("/api/logs", "")
		rows = map[string]matchlognet.Row{}
		for _, r := range decode[map[string][]matchlognet.Row](t, status, b)["logs"] {
			rows[r.Name] = r
		}
		if r := rows[name]; len(rows) != 2 || r.Away != "Away Team" || r.Error != "" {
			t.Fatalf("the list is %+v", rows)
		}
		return rows
	}
	damage := func(at int, bytes string) {
		t.Helper()
		b := append([]byte(nil), whole...)
		copy(b[at:], bytes)
		path := filepath.Join(dir, damaged)
		os.Remove(path)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, offset := range []string{"\xff\xff\xff\xff\xff\x00\x00\x00", "\xff\xff\xff\xff\xff\xff\xff\xff"} {
		damage(index+9, offset)
		if r := list()[damaged]; !strings.Contains(r.Error, "damaged") || r.Away != "Away Team" || r.Start == 0 {
			t.Errorf("the row of the damaged log is %+v", r)
		}
	}
	for at := index - 300; at < len(whole); at += 3 {
		damage(at, "\xff\xff\xff\xff\xff\xff\xff\xff")
		list()
	}
}

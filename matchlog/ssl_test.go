package matchlog_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"touchline/game"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/ssl"
)

const sslBegan = 1_790_000_000_000_000_000 // ns of Unix time

// sslFile is a log of the Small Size League as ssl-go-tools writes it.
type sslFile struct {
	t       testing.TB
	b       []byte
	offsets []int64
}

func newSSLFile(t testing.TB) *sslFile {
	return &sslFile{t: t, b: append([]byte("SSL_LOG_FILE"), 0, 0, 0, 1)}
}

func (f *sslFile) raw(ns int64, kind int32, data []byte) {
	f.offsets = append(f.offsets, int64(len(f.b)))
	f.b = binary.BigEndian.AppendUint64(f.b, uint64(ns))
	f.b = binary.BigEndian.AppendUint32(f.b, uint32(kind))
	f.b = binary.BigEndian.AppendUint32(f.b, uint32(len(data)))
	f.b = append(f.b, data...)
}

func (f *sslFile) say(ns int64, kind int32, m interface{ AppendBinary([]byte) ([]byte, error) }) {
	f.t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.raw(ns, kind, b)
}

func (f *sslFile) index() {
	b := []byte{}
	for _, off := range f.offsets {
		b = binary.BigEndian.AppendUint64(b, uint64(off))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(16+len(b)+8+7))
	f.raw(0, 6, append(b, "INDEXED"...))
}

func (f *sslFile) write(name string) string {
	f.t.Helper()
	path := filepath.Join(f.t.TempDir(), name)
	b := f.b
	if strings.HasSuffix(name, ".gz") {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(f.b)
		w.Close()
		b = z.Bytes()
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// sslMatch is three seconds of a match: blue's goal is at -x, so that yellow attacks -x in the first half.
func sslMatch(t testing.TB) *sslFile {
	f := newSSLFile(t)
	f.raw(sslBegan, 0, nil)
	r := ssl.Referee{PacketTime: sslBegan / 1000, Stage: ssl.FirstHalfPre, Command: ssl.KickoffBlue, HasBluePositive: true,
		Yellow: ssl.TeamInfo{Name: []byte("Sun")}, Blue: ssl.TeamInfo{Name: []byte("Sea")}}
	f.say(sslBegan+1e6, 3, &r)
	v := ssl.Vision{HasGeometry: true, Geometry: ssl.GeometryOf(&soccer.Field{Length: 9, Width: 6, GoalWidth: 1}, 0.0215)}
	f.say(sslBegan+2e6, 4, &v)
	for i := range int64(300) {
		at := sslBegan + 10e6 + i*10e6
		if i == 100 {
			r.Stage, r.Command = ssl.FirstHalf, ssl.NormalStart
		}
		switch i {
		case 150:
			r.Yellow.YellowCards, r.Yellow.YellowCardTimes = 1, []uint32{120e6}
		case 180:
			r.Blue.RedCards = 1
		case 200:
			r.Command, r.Blue.Score = ssl.Stop, 1
		}
		if i%10 == 0 {
			f.say(at, 3, &r)
		}
		f.say(at+1, 5, &ssl.Tracker{UUID: []byte("a"), HasFrame: true, Frame: ssl.TrackedFrame{Timestamp: float64(at) / 1e9,
			Balls:  []ssl.TrackedBall{{X: float32(i) / 100}},
			Robots: []ssl.TrackedRobot{{ID: 3, Team: ssl.Yellow, X: 1, Y: 2}, {ID: 4, Team: ssl.Blue, X: -1}}}})
	}
	return f
}

// rewritten returns the file that the writer makes of a log.
func rewritten(t testing.TB, l *matchlog.Log) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := matchlog.NewSSLWriter(&b, false)
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range l.Messages(0, 0) {
		if err == nil {
			_, err = w.Write(&m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSSLRoundTrip(t *testing.T) {
	for _, name := range []string{"match.log", "match.log.gz"} {
		f := sslMatch(t)
		f.raw(sslBegan+4e9, 1, []byte("anything"))
		f.raw(sslBegan+4e9-5e8, 7, []byte("of the future, and half a second late"))
		f.raw(sslBegan+5e9, 2, []byte{1, 2, 3})
		f.index()
		l, err := matchlog.Open(f.write(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Wait(); err != nil || len(l.Loss()) > 0 || l.Info().Torn != "" {
			t.Errorf("%v, %q, %q", err, l.Loss(), l.Info().Torn)
		}
		if got := rewritten(t, l); !bytes.Equal(got, f.b) {
			t.Errorf("%s: %d bytes, want the %d of the file", name, len(got), len(f.b))
		}
		l.Close()
	}
}

func TestSSLMatch(t *testing.T) {
	l, err := matchlog.Open(sslMatch(t).write("match.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	i := l.Info()
	var field soccer.Field
	if err := json.Unmarshal([]byte(i.Meta[matchlog.MetaMarkings]), &field); err != nil || field.Length != 9 || i.Home != "Sun" || i.Away != "Sea" {
		t.Errorf("%+v, %v, %q, %q", field, err, i.Home, i.Away)
	}
	var states []game.State
	truths := 0
	for m, err := range l.Messages(0, 0, matchlog.States, matchlog.Truth) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Channel == matchlog.States {
			var s game.State
			if err := json.Unmarshal(m.Data, &s); err != nil {
				t.Fatal(err)
			}
			states = append(states, s)
			continue
		}
		var u game.Truth
		if err := json.Unmarshal(m.Data, &u); err != nil || len(u.Robots) != 2 || u.Robots[0].Team != game.Home ||
			u.Robots[0].Number != 3 || u.Robots[0].Pose.X != -1 || u.Robots[0].Pose.Y != -2 || u.Ball.X > 0 {
			t.Fatalf("%s: %v", m.Data, err)
		}
		truths++
	}
	if truths < 55 || truths > 61 {
		t.Errorf("%d truths in 3 s, want 20 a second", truths)
	}
	first, last := states[0], states[len(states)-1]
	if first.Part != game.PreGame || first.SetPiece != (game.SetPiece{Command: game.KickOff, Side: game.Away}) || first.Running {
		t.Errorf("first state %+v", first)
	}
	if last.Part != game.FirstHalf || last.Running || last.Away.Goals != 1 || last.Goal != game.Away || last.FirstKick != game.Away ||
		last.Effective != 1e9 {
		t.Errorf("last state %+v", last)
	}
	yellow := game.Penalty{Number: 1, Command: game.YellowCard, Sent: true, Until: 5e8 + 120e9 + 5e8}
	if got := last.Home.Cards(); len(got) != 1 || got[0] != yellow {
		t.Errorf("home has the cards %+v, want %+v", got, yellow)
	}
	if got := last.Away.Cards(); len(got) != 1 || got[0] != (game.Penalty{Number: 2, Command: game.RedCard, Sent: true}) {
		t.Errorf("away has the cards %+v", got)
	}
}

// A damaged file loses what is damaged, and says how much.
func TestSSLDamage(t *testing.T) {
	whole := sslMatch(t)
	at := whole.offsets[50]
	count := func(name string, b []byte) (packets uint64, l *matchlog.Log) {
		f := &sslFile{t: t, b: b}
		l, err := matchlog.Open(f.write("match.log"))
		if err != nil {
			t.Fatal(name, err)
		}
		t.Cleanup(func() { l.Close() })
		l.Wait()
		for _, c := range l.Info().Channels {
			if c.Name == matchlog.Packets {
				packets = c.Count
			}
		}
		return packets, l
	}
	all, _ := count("whole", whole.b)
	for name, change := range map[string]func(b []byte){
		"huge":     func(b []byte) { binary.BigEndian.PutUint32(b[at+12:], 1<<31-1) },
		"negative": func(b []byte) { binary.BigEndian.PutUint32(b[at+12:], 1<<31) },
		"long":     func(b []byte) { binary.BigEndian.PutUint32(b[at+12:], 5000) },
		"short":    func(b []byte) { binary.BigEndian.PutUint32(b[at+12:], 3) },
		"zeros":    func(b []byte) { clear(b[at : at+100]) },
		"type":     func(b []byte) { binary.BigEndian.PutUint32(b[at+8:], 1<<20) },
	} {
		b := bytes.Clone(whole.b)
		change(b)
		n, l := count(name, b)
		if n < all-3 || n > all || len(l.Loss()) == 0 || !strings.Contains(strings.Join(l.Loss(), " "), "damaged") {
			t.Errorf("%s: %d of %d packets, %q", name, n, all, l.Loss())
		}
	}
	for _, cut := range []int{1, 15, 17} {
		n, l := count("cut", whole.b[:len(whole.b)-cut])
		if n != all-1 || l.Info().Torn == "" {
			t.Errorf("cut by %d: %d of %d packets, torn %q", cut, n, all, l.Info().Torn)
		}
	}
	for name, b := range map[string]string{"version": "SSL_LOG_FILE\x00\x00\x00\x02", "head": "SSL_LOG_FILE\x00"} {
		f := &sslFile{t: t, b: []byte(b)}
		if l, err := matchlog.Open(f.write("x.log")); err == nil {
			l.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzSSLLog(f *testing.F) {
	whole := sslMatch(f)
	f.Add(whole.b[:whole.offsets[20]])
	small := newSSLFile(f)
	small.raw(sslBegan, 3, []byte{8, 1})
	small.index()
	f.Add(small.b)
	f.Fuzz(func(t *testing.T, b []byte) {
		file := &sslFile{t: t, b: append([]byte("SSL_LOG_FILE\x00\x00\x00\x01"), b...)}
		l, err := matchlog.Open(file.write("x.log"))
		if err != nil {
			return
		}
		defer l.Close()
		l.Wait()
		rewritten(t, l)
	})
}

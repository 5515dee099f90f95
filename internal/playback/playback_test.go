package playback

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/match"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom"
)

// session runs a session in virtual time. It passes its messages to write and returns its walls, one each 100 ms.
func session(t testing.TB, length time.Duration, write func(matchlog.Message)) (walls []*watch.Wall) {
	t.Helper()
	var pending []matchlog.Message // under way at the time of a wall
	s, err := match.Virtual(match.DefaultConfig(), func(p *soccer.Packet) {
		pending = append(pending, matchlog.Message{Time: p.Time, Channel: matchlog.PacketChannel(p), Data: matchlog.AppendPacket(nil, p)})
	})
	if err != nil {
		t.Fatal(err)
	}
	team := teamcom.NewOverview(soccer.Epoch)
	for at := SamplePeriod; at <= length; at += SamplePeriod {
		s.Advance(soccer.Epoch.Add(at))
		arrived := 0
		for arrived < len(pending) && pending[arrived].Time <= s.Now() {
			write(pending[arrived])
			arrived++
		}
		pending = slices.Delete(pending, 0, arrived)
		w := s.Wall()
		walls = append(walls, w)
		write(matchlog.Message{Time: s.Now(), Channel: WallChannel, Data: encode(t, w)})
		if at%watch.NetworkPeriod == 0 {
			write(matchlog.Message{Time: s.Now(), Channel: NetworkChannel, Data: encode(t, s.Network(0))})
			view := team.View(s.Now(), s.Reports())
			write(matchlog.Message{Time: s.Now(), Channel: TCMChannel, Data: encode(t, view)})
		}
	}
	return walls
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// recording writes a log with those channels of a session that keep accepts, and opens it.
func recording(t testing.TB, length time.Duration, keep func(channel string) bool) (*matchlog.Log, []*watch.Wall) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	walls := session(t, length, func(m matchlog.Message) {
		if keep(m.Channel) {
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, walls
}

func open(t testing.TB, l *matchlog.Log) *Player {
	t.Helper()
	p, err := openRecording(l)
	if err == nil {
		err = p.index(l, func() bool { return true })
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func all(string) bool              { return true }
func packetsOnly(name string) bool { return name == matchlog.Packets }

// frame returns the frame at a time.
func frame(t testing.TB, p *Player, at float64) Frame {
	t.Helper()
	frames, err := p.frames(at, at, 1)
	if err != nil || len(frames) != 1 || frames[0].Wall == nil {
		t.Fatalf("at %v s: %d frames, %v", at, len(frames), err)
	}
	return frames[0]
}

// checkWall compares a frame with a live wall, which had controls.
func checkWall(t *testing.T, got Frame, want *watch.Wall) {
	t.Helper()
	live := *want
	live.Controls = false
	if got, want := encode(t, got.Wall), encode(t, &live); string(got) != string(want) {
		t.Errorf("at %v s the wall shows\n%.300s, want\n%.300s", live.Time, got, want)
	}
}

// A recording shows what the live wall showed, at any time and in any order.
func TestRecording(t *testing.T) {
	l, walls := recording(t, 20*time.Second, all)
	p := open(t, l)
	if from, to, ready := p.bounds(); from != 0.1 || to != 20 || ready != 1 {
		t.Errorf("it lasts from %v to %v s, read to %v", from, to, ready)
	}
	for _, i := range []int{150, 3, 199, 77} {
		f := frame(t, p, walls[i].Time)
		checkWall(t, f, walls[i])
		if i > 5 && (f.Network == nil || len(f.Network.Senders) < 5) {
			t.Errorf("at %v s the network is %+v", walls[i].Time, f.Network)
		}
	}
	checkWall(t, frame(t, p, 5.04), walls[49])
	checkWall(t, frame(t, p, -7), walls[0])
	checkWall(t, frame(t, p, 1e9), walls[199])
	strip := p.strip(0, 20, 10)
	marks := slices.Clone(walls[199].Marks)
	if len(strip.Samples) < 10 || len(strip.Samples) > 11 || len(marks) == 0 || !slices.Equal(strip.Marks, marks) {
		t.Errorf("the strip has %d samples and marks %v, want 10 and %v", len(strip.Samples), strip.Marks, marks)
	}
	most := 0.0
	for _, w := range walls[100:120] {
		if w.Spread != nil {
			most = max(most, *w.Spread)
		}
	}
	if s := p.strip(walls[100].Time, walls[119].Time, 1).Samples; len(s) < 1 || float32(*s[0].Spread) > float32(most) {
		t.Errorf("the greatest spread is %v, want %v", *s[0].Spread, most)
	}
	view, err := p.packets(walls[150].Tiles[0].Sender, walls[150].Time)
	if err != nil || len(view.Packets) != 8 || view.Own == nil || len(view.Reports) != 4 {
		t.Fatalf("packets of %s: %d, those of %d others, %v", walls[150].Tiles[0].Sender, len(view.Packets),
			len(view.Reports), err)
	}
	if other, err := p.packets("nobody", walls[150].Time); err != nil || other.Key != "nobody" || len(other.Packets) != 0 {
		t.Errorf("packets of nobody: %+v, %v", other, err)
	}
	if age := walls[150].Time - view.Packets[0].Time; age < 0 || age > 0.2 {
		t.Errorf("the newest packet is %v s old", age)
	}
}

// A recording shows the links and the messages of the TCM at any time.
func TestTCM(t *testing.T) {
	l, _ := recording(t, 15*time.Second, all)
	p := open(t, l)
	v, err := p.tcm("", 12.4)
	if err != nil || v == nil || v.Time != 12 || len(v.Nodes) != 6 {
		t.Fatalf("got %+v, %v, want the view of 12 s with 6 nodes", v, err)
	}
	station := v.Nodes[slices.IndexFunc(v.Nodes, func(r teamcom.Report) bool { return r.Entity == "computer:1" })]
	if len(station.Links) != 5 || station.Links[0].Received < 50 || len(v.Alarms) != 0 || v.Silence != nil {
		t.Errorf("got links %+v, alarms %q, silence %+v", station.Links, v.Alarms, v.Silence)
	}
	traffic, err := p.traffic(12.4)
	if err != nil || len(traffic.Senders) != 6 {
		t.Fatalf("got %d senders, %v, want 6", len(traffic.Senders), err)
	}
	for _, sender := range traffic.Senders {
		for _, f := range sender.Faults {
			t.Errorf("%s has a fault: %s", sender.Entity, f.Issue)
		}
	}
	for _, row := range traffic.Senders[0].Types {
		view, err := p.messages(row.Key, 12.4)
		if err != nil || view.Key != row.Key || len(view.Messages) == 0 {
			t.Fatalf("%s: got %d messages, %v", row.Key, len(view.Messages), err)
		}
		newest, event := view.Messages[0], strings.Contains(row.Key, "booking claim") || strings.Contains(row.Key, "booking release")
		if newest.Time > 12.4 || newest.Time < 11 && !event || len(newest.Fields) < 5 {
			t.Errorf("%s: got a message of %v s with %d fields", row.Key, newest.Time, len(newest.Fields))
		}
	}
	if got := len(traffic.Senders[0].Types); got < 3 {
		t.Errorf("robot 1 sent %d types, want belief, status and debug record", got)
	}
	packets, _ := recording(t, 2*time.Second, packetsOnly)
	if v, err := open(t, packets).tcm("", 1); v != nil || err != nil {
		t.Errorf("a recording of packets alone: got %+v, %v", v, err)
	}
}

// The history of a live session shows the same.
// The charts of a page have the minute before a time: the load of the network, and the totals of the TCM's links.
func TestCharts(t *testing.T) {
	h := newHistory(mostTopics)
	p := newPlayer(h, h)
	if c, err := p.charts("", 65); err != nil || len(c.Networks) != 0 {
		t.Errorf("an empty session has %+v, %v", c, err)
	}
	for i := range 140 { // 70 s
		at, n := soccer.Epoch.Add(time.Duration(i)*watch.NetworkPeriod), uint64(i)
		p.Observe(at, &watch.Wall{Time: float64(i) / 2})
		h.add(matchlog.Message{Time: at, Channel: NetworkChannel, Data: encode(t, watch.Network{
			BitsPerS: 1000 * float64(n), Senders: []watch.SenderRow{{Key: "a", Packets: 10 * n, Rate: 20}},
		})})
		h.add(matchlog.Message{Time: at, Channel: TCMChannel + ".away", Data: encode(t, teamcom.View{Nodes: []teamcom.Report{{
			Entity: "robot:2", Links: []teamcom.LinkReport{{Peer: "robot:1", Traffic: teamcom.Traffic{Received: n, Lost: 1}}},
		}}})})
	}
	h.add(matchlog.Message{Time: soccer.Epoch.Add(65 * time.Second), Channel: NetworkChannel, Data: []byte("damaged")})
	c, err := p.charts(away, 65)
	if err != nil || len(c.Networks) != 121 || len(c.Links) != 121 {
		t.Fatalf("%d networks and %d links in a minute, want 121; %v", len(c.Networks), len(c.Links), err)
	}
	want := NetworkSample{T: 5, BitsPerS: 10_000, Senders: []SenderRate{{"a", 100, 20}}}
	if got := c.Networks[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("the first network is %+v, want %+v", got, want)
	}
	links := LinkSample{T: 65, Links: []LinkTotal{{"robot:1", "robot:2", 130, 1}}}
	if got := c.Links[120]; !reflect.DeepEqual(got, links) {
		t.Errorf("the last links are %+v, want %+v", got, links)
	}
	if c, err := p.charts("", 65); err != nil || len(c.Links) != 0 {
		t.Errorf("the first team has %d links, %v", len(c.Links), err)
	}
}

func TestHistory(t *testing.T) {
	h := newHistory(mostTopics)
	p := newPlayer(h, h)
	n := 0
	walls := session(t, 30*time.Second, func(m matchlog.Message) {
		h.add(m)
		if m.Channel == WallChannel {
			var w watch.Wall
			if err := json.Unmarshal(m.Data, &w); err != nil {
				t.Fatal(err)
			}
			p.Observe(m.Time, &w)
			if n++; n%10 == 0 {
				h.pack()
			}
		}
	})
	for _, i := range []int{299, 10, 150, 11} {
		checkWall(t, frame(t, p, walls[i].Time), walls[i])
	}
	if view, err := p.packets(walls[250].Tiles[0].Sender, walls[250].Time); err != nil || len(view.Packets) != 8 {
		t.Errorf("packets: %d, %v", len(view.Packets), err)
	}
}

// A history is bounded in time and in memory, whatever arrives, and Forget drops what it no longer holds.
func TestHistoryIsBounded(t *testing.T) {
	const limit = 40 << 20
	h := newHistory(mostTopics)
	p := newPlayer(h, h)
	random := rand.NewChaCha8([32]byte{})
	noise := make([]byte, 8<<10)
	for i := range 9000 { // 15 minutes: first small messages, then 80 kB/s that cannot be compressed
		at := soccer.Epoch.Add(time.Duration(i) * SamplePeriod)
		if i > 6500 {
			random.Read(noise)
			h.add(matchlog.Message{Time: at, Channel: matchlog.Packets, Data: noise})
		}
		w := watch.Wall{Time: float64(i) / 10}
		h.add(matchlog.Message{Time: at, Channel: WallChannel, Data: encode(t, w)})
		p.Observe(at, &w)
		h.pack()
		p.forget(h.first())
		if got := h.bytes(); got > limit {
			t.Fatalf("after %d s the history takes %d bytes", i/10, got)
		}
		if from, to, _ := p.bounds(); to-from > 621 {
			t.Fatalf("the history lasts from %v to %v s", from, to)
		}
		if i == 6500 {
			if from, to, _ := p.bounds(); to-from < 590 {
				t.Errorf("the history of ten minutes lasts from %v to %v s", from, to)
			}
		}
	}
	if f := frame(t, p, 899); f.Wall.Time != 899 {
		t.Errorf("got the wall of %v s", f.Wall.Time)
	}
}

// A recording of packets alone shows what a monitor would have shown.
func TestRecordingOfPackets(t *testing.T) {
	l, _ := recording(t, 20*time.Second, packetsOnly)
	p := open(t, l)
	start := l.Info().Start
	cfg := watch.DefaultConfig()
	cfg.Start, cfg.Field = start, soccer.MSL18x12()
	m := watch.NewMonitor(cfg, watch.Link{Group: cfg.Group, Interface: "recording"})
	at := start.Add(12 * time.Second)
	for msg, err := range l.Messages(0, at+1, matchlog.Packets) {
		packet, broken := matchlog.ParsePacket(msg)
		if err = errors.Join(err, broken); err != nil {
			t.Fatal(err)
		}
		m.Receive(&packet)
	}
	want := m.Wall(at)
	if len(want.Tiles) != 5 || want.Fused.Ball == nil {
		t.Fatalf("the monitor shows %d tiles and ball %v", len(want.Tiles), want.Fused.Ball)
	}
	frames, err := p.frames(2, 12, 2)
	if err != nil || len(frames) != 6 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	checkWall(t, frames[5], want)
	if n := frames[5].Network; n == nil || len(n.Senders) != 5 || n.Senders[0].Rate < 10 {
		t.Errorf("the network is %+v", n)
	}
}

// A damaged wall is left out; the others are shown.
func TestDamagedRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range []string{
		`{"time":1}`, `{"time":2,"tiles":7}`, `{"time":3`, `null`, `{"time":1e300}`, `{"time":-5}`, `{"time":"6"}`, `{"time":7}`,
	} {
		m := matchlog.Message{Time: soccer.Epoch.Add(time.Duration(i) * time.Second), Channel: WallChannel}
		m.Data = []byte(data)
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := open(t, l)
	if from, to, _ := p.bounds(); from != 1 || to != 7 {
		t.Errorf("it lasts from %v to %v s", from, to)
	}
	frames, err := p.frames(1, 7, 1)
	if err != nil || len(frames) != 7 || frames[0].Wall == nil || frames[1].Wall != nil || frames[6].Wall.Time != 7 {
		t.Errorf("%+v, %v", frames, err)
	}
}

func TestOtherLogs(t *testing.T) {
	l, _ := recording(t, 2*time.Second, func(name string) bool { return name == NetworkChannel })
	if _, err := openRecording(l); !errors.Is(err, ErrNoSession) {
		t.Errorf("got %v, want ErrNoSession", err)
	}
}

// BenchmarkSeek jumps to random times of a session of ten minutes, with and without recorded beliefs.
func BenchmarkSeek(b *testing.B) {
	for name, keep := range map[string]func(string) bool{"beliefs": all, "packets": packetsOnly} {
		b.Run(name, func(b *testing.B) {
			l, _ := recording(b, 10*time.Minute, keep)
			began := time.Now()
			p := open(b, l)
			opened := time.Since(began).Seconds()
			random := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				frame(b, p, random.Float64()*600)
			}
			b.ReportMetric(opened, "s/open")
		})
	}
}

// BenchmarkHistory keeps ten minutes of a session and reports the memory.
func BenchmarkHistory(b *testing.B) {
	for b.Loop() {
		h := newHistory(mostTopics)
		n := 0
		session(b, 10*time.Minute, func(m matchlog.Message) {
			h.add(m)
			if n++; n%100 == 0 {
				h.pack()
			}
		})
		b.ReportMetric(float64(h.bytes())/1e6, "MB")
	}
}

// Notes of a recording have the times of its session, which stands still in a pause.
func TestNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(ms int64) soccer.Time { return soccer.Epoch + soccer.Time(ms)*1e6 }
	for i := range int64(40) { // from 2 s of the session on; it pauses for 10 s at 4 s
		recorded := 100 * i
		if i > 20 {
			recorded += 10_000
		}
		wall := watch.Wall{Time: float64(20+i) / 10}
		if err := w.Write(matchlog.Message{Time: at(recorded), Channel: WallChannel, Data: encode(t, wall)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReplay(path)
	if err == nil {
		err = r.Run(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, n := range []SessionNote{
		{From: 3, To: 3, Text: "before the pause"}, {From: 3.5, To: 5.05, Text: "around it"}, {From: -7, To: 99, Text: "all of it"},
	} {
		if err := r.Annotate(n); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := matchlog.Annotate(path, matchlog.Annotation{From: at(7000), To: at(7000), Text: "in the pause"}); err != nil {
		t.Fatal(err)
	}
	list, err := matchlog.Annotations(path)
	if err != nil || len(list) != 4 || list[1].From != at(1000) || list[2].From != at(1500) || list[2].To != at(13_050) {
		t.Errorf("%+v, %v", list, err)
	}
	want := []SessionNote{
		{3, 2, 5.9, "all of it"}, {1, 3, 3, "before the pause"}, {2, 3.5, 5.05, "around it"}, {4, 4.1, 4.1, "in the pause"},
	}
	got := r.notes(true)
	if !slices.Equal(got.Notes, want) || got.Why != "" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if shown := r.notes(false); len(shown.Notes) != 4 || shown.Why == "" {
		t.Errorf("of a page that only shows them: %+v", shown)
	}
}

package watch_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/tcm"
)

// usual is a v2 package of robot 1 (cyan, Tech United), which sees one ball.
var usual = unhex("7b02 00000000 00 3f 01  d2043cf66e00f4014ef30000e5"+strings.Repeat(strings.Repeat("0080", 6)+"00",
	2)) +
	unhex(strings.Repeat(strings.Repeat("0080", 4)+"00", 12)+"48f42be42306008000800080e5")

func unhex(s string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// pack returns a robot's package with a timestamp.
func pack(color soccer.Color, robot uint8, millis uint32) []byte {
	b := []byte(usual)
	binary.LittleEndian.PutUint32(b[2:], millis)
	b[6], b[8] = byte(color), robot
	return b
}

func at(d time.Duration) soccer.Time { return soccer.Epoch.Add(d) }

func addr(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// robot is a sender of packages.
type robot struct {
	addr     string
	color    soccer.Color
	number   uint8
	hz       int
	from, to time.Duration
	send     func(i int, b []byte) []byte // changes packet i; nil leaves it out
}

// play sends the robots' packages until end and calls each, if not nil, twice a second.
func play(w *watch.Watcher, end time.Duration, each func(now soccer.Time, n watch.Network),
	robots ...robot) watch.Network {
	for now := time.Duration(0); now <= end; now += time.Millisecond {
		for _, r := range robots {
			period := time.Second / time.Duration(r.hz) / time.Millisecond * time.Millisecond
			if now < r.from || now >= r.to || (now-r.from)%period != 0 {
				continue
			}
			b := pack(r.color, r.number, uint32(now/time.Millisecond)+1)
			if r.send != nil {
				b = r.send(int((now-r.from)/period), b)
			}
			if b != nil {
				w.Receive(&soccer.Packet{Time: at(now), From: addr(r.addr), Data: b})
			}
		}
		if each != nil && now%(500*time.Millisecond) == 0 {
			each(at(now), w.Report(at(now), 0))
		}
	}
	return w.Report(at(end), 0)
}

func row(t *testing.T, n watch.Network, key string) watch.SenderRow {
	t.Helper()
	i := slices.IndexFunc(n.Senders, func(r watch.SenderRow) bool { return r.Key == key })
	if i < 0 {
		t.Fatalf("no row %s among %+v", key, n.Senders)
	}
	return n.Senders[i]
}

func TestReceive(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	s := w.Receive(&soccer.Packet{Time: at(0), From: addr("[::ffff:10.0.0.3]:4000"), Data: pack(soccer.Magenta, 4, 1500)})
	if s.Key != "10.0.0.3:4000/magenta/4" || s.Foreign || s.Header.Robot != 4 || s.Header.TeamID != 63 ||
		s.Header.TimestampMillis != 1500 {
		t.Errorf("got %+v", s)
	}
	// X 1234 mm to the right and Y -2500 mm in the MSL frame is x -2.5 m, y -1.234 m in the team frame.
	if b := s.Percepts.Balls; len(b) != 1 || math.Abs(b[0].Position.X+2.5) > 1e-9 ||
		math.Abs(b[0].Position.Y+1.234) > 1e-9 {
		t.Errorf("balls %+v", b)
	}
	s = w.Receive(&soccer.Packet{Time: at(1), From: addr("10.0.0.9:5000"), Data: []byte("hello")})
	if s.Key != "10.0.0.9:5000" || !s.Foreign || s.Percepts != nil {
		t.Errorf("got %+v", s)
	}
	n := 0
	for s, rate := range w.Senders(at(time.Second)) {
		n++
		if s.Key != "10.0.0.3:4000/magenta/4" || len(s.Percepts.Balls) != 1 || rate != 1 {
			t.Errorf("got %+v at %v Hz", s, rate)
		}
	}
	if n != 1 {
		t.Errorf("%d senders, want 1", n)
	}
}

func TestRow(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	n := play(w, 20*time.Second, nil,
		robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, nil},
		robot{"10.0.0.2:1", soccer.Cyan, 2, 20, 0, time.Hour, func(i int, b []byte) []byte {
			if i%10 == 3 {
				return nil
			}
			return append(b, "own"...)
		}},
		robot{"10.0.0.3:1", soccer.Cyan, 3, 5, 0, time.Hour, nil},
	)
	steady := row(t, n, "10.0.0.1:1/cyan/1")
	if math.Abs(steady.Rate-20) > 0.1 || *steady.GapP99 != 50 || *steady.Jitter != 0 || *steady.Missing != 0 ||
		steady.Packets != 401 ||
		steady.Variant != "v2" || steady.Team != "Tech United Eindhoven" || steady.Note != "" || steady.Issues != 0 ||
		steady.Age != 0 {
		t.Errorf("steady: %+v", steady)
	}
	// 169 bytes, UDP 8, IP 20, Ethernet 14.
	if want := 20.0 * (169 + 42); math.Abs(steady.BytesPerS-want) > 0.01*want {
		t.Errorf("%v bytes a second, want %v", steady.BytesPerS, want)
	}
	lossy := row(t, n, "10.0.0.2:1/cyan/2")
	if math.Abs(*lossy.Missing-0.1) > 0.01 || *lossy.GapP99 != 100 || lossy.Trailing != 3 || *lossy.Jitter != 0 {
		t.Errorf("lossy: %+v, missing %v, p99 %v", lossy, *lossy.Missing, *lossy.GapP99)
	}
	if slow := row(t, n, "10.0.0.3:1/cyan/3"); !strings.Contains(slow.Note, "5.0 packets a second") {
		t.Errorf("slow: note %q", slow.Note)
	}
	if want := 8 * (20.0*(169+42) + 18*(172+42) + 5*(169+42)); math.Abs(n.BitsPerS-want) > 0.05*want {
		t.Errorf("%v bit/s, want %v", n.BitsPerS, want)
	}
	if n.OverBudget || len(n.Alarms) != 0 || n.BudgetBits != 2.2e6 || n.Group != "224.16.32.75:2005" {
		t.Errorf("network: %v over budget, alarms %q", n.OverBudget, n.Alarms)
	}
	// Losses more than 10 s ago do not count.
	n = play(w, 0, nil)
	for now := 20 * time.Second; now < 31*time.Second; now += 50 * time.Millisecond {
		w.Receive(&soccer.Packet{Time: at(now), From: addr("10.0.0.2:1"),
			Data: pack(soccer.Cyan, 2, uint32(now/time.Millisecond)+1)})
	}
	if r := row(t, w.Report(at(31*time.Second), 0), "10.0.0.2:1/cyan/2"); *r.Missing != 0 {
		t.Errorf("missing %v after 11 s without a loss", *r.Missing)
	}
	// A silent sender is listed for a minute.
	if r := w.Report(at(85*time.Second), 0); len(r.Senders) != 1 {
		t.Errorf("%d rows after a minute", len(r.Senders))
	}
}

func TestDuplicates(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	n := play(w, 5*time.Second, nil, robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, func(i int, b []byte) []byte {
		if i%5 == 0 {
			for range 2 { // three times in all
				w.Receive(&soccer.Packet{Time: at(time.Duration(i) * 50 * time.Millisecond), From: addr("10.0.0.1:1"), Data: b})
			}
		}
		return b
	}})
	r := row(t, n, "10.0.0.1:1/cyan/1")
	if r.Duplicates != 2*21 || *r.GapP99 != 50 || *r.Missing != 0 {
		t.Errorf("%d duplicates, gap %v, missing %v", r.Duplicates, *r.GapP99, *r.Missing)
	}
}

func TestIssues(t *testing.T) {
	other, err := (&tcm.Datagram{Header: tcm.Header{Team: 1, From: tcm.Entity{Kind: tcm.Robot, ID: 1},
		To: tcm.Entity{Kind: tcm.Robot}, Boot: 1, Sequence: 1}}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := watch.New(watch.DefaultConfig())
	n := play(w, 10*time.Second, nil,
		robot{"10.0.0.7:1", soccer.Cyan, 7, 20, 0, time.Hour, nil},
		robot{"10.0.0.9:1", soccer.Cyan, 1, 20, 0, time.Hour,
			func(i int, b []byte) []byte { return []byte("{\"type\": 1}") }},
		robot{"10.0.0.8:1", soccer.Cyan, 1, 20, 0, time.Hour, func(i int, b []byte) []byte { return other }},
	)
	r := row(t, n, "10.0.0.7:1/cyan/7")
	if r.Issues < 45 || r.Issues > 55 || !strings.Contains(r.LastIssue, "mixed_team_robot_id") {
		t.Errorf("%d issues in 201 packets, of which five a second are checked; last %q", r.Issues, r.LastIssue)
	}
	if f := row(t, n, "10.0.0.9:1"); f.Issues == 0 || !strings.Contains(f.LastIssue, "123") || !f.Foreign ||
		f.GapP99 != nil {
		t.Errorf("foreign traffic that starts with the flag: %+v", f)
	}
	f := row(t, n, "10.0.0.8:1")
	v, _ := w.Packets(f.Key)
	if f.Variant != "TCM datagram" || !f.Foreign || len(v.Packets) == 0 || v.Packets[0].Variant != f.Variant ||
		len(v.Packets[0].Fields) == 0 {
		t.Errorf("a TCM datagram on the channel is %+v, %+v", f, v)
	}
}

func TestPackets(t *testing.T) {
	cfg := watch.DefaultConfig()
	cfg.Start = at(-time.Minute)
	w := watch.New(cfg)
	play(w, time.Second, nil, robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, nil})
	big := bytes.Repeat([]byte{9}, 5000)
	w.Receive(&soccer.Packet{Time: at(0), From: addr("10.0.0.9:1"), Data: big})
	v, ok := w.Packets("10.0.0.1:1/cyan/1")
	if !ok || len(v.Packets) != 8 || v.Packets[0].Time != 61 || v.Packets[1].Time != 60.95 {
		t.Fatalf("got %+v", v)
	}
	p := v.Packets[0]
	if p.Variant != "v2" || p.Hex != hex.EncodeToString(pack(soccer.Cyan, 1, 1001)) || p.Len != 169 || len(p.Issues) != 0 {
		t.Errorf("got %+v", p)
	}
	if f := p.Fields[2]; f.Name != "timestamp" || f.Offset != 2 || f.Value != "1001" {
		t.Errorf("field %+v", f)
	}
	f, ok := w.Packets("10.0.0.9:1")
	if !ok || len(f.Packets) != 1 || f.Packets[0].Len != 5000 || len(f.Packets[0].Hex) != 2*2048 ||
		f.Packets[0].Fields == nil || f.Packets[0].Issues == nil {
		t.Errorf("foreign: %d packets", len(f.Packets))
	}
	if _, ok := w.Packets("10.0.0.8:1"); ok {
		t.Error("packets of an unknown sender")
	}
	// The panel is sent as JSON: no figure may be NaN or infinite.
	if _, err := json.Marshal([]any{w.Report(at(time.Second), 3), v}); err != nil {
		t.Error(err)
	}
}

func TestManyIDs(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	changes := func(i int, b []byte) []byte {
		b[6], b[8] = byte(i/256%2), byte(i)
		return b
	}
	worst := 20.0
	n := play(w, 10*time.Second, func(now soccer.Time, n watch.Network) {
		if now > at(2*time.Second) {
			worst = min(worst, row(t, n, "10.0.0.1:1/cyan/1").Rate)
		}
		if len(n.Senders) > 64 {
			t.Fatalf("%d rows", len(n.Senders))
		}
	}, robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, nil}, robot{"10.0.0.9:1", soccer.Cyan, 0, 1000, 0, time.Hour, changes})
	if worst < 19 {
		t.Errorf("the rate of the steady robot fell to %v Hz", worst)
	}
	if !slices.ContainsFunc(n.Alarms, func(a string) bool {
		return strings.Contains(a, "10.0.0.9:1") && strings.Contains(a, "change its robot ID")
	}) {
		t.Errorf("alarms %q", n.Alarms)
	}
	if len(n.Senders) != 1+8 {
		t.Errorf("got %d rows, want that of the steady robot and eight of the other", len(n.Senders))
	}
}

func TestEviction(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	receive := func(now time.Duration, k int) string {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(k >> 8), byte(k)}), 1)
		return w.Receive(&soccer.Packet{Time: at(now), From: from, Data: pack(soccer.Cyan, 1, 0)}).Key
	}
	for k := range 64 {
		receive(time.Duration(k)*time.Millisecond, k)
	}
	receive(100*time.Millisecond, 0) // number 1 is the oldest now
	if key := receive(900*time.Millisecond, 64); key != "" {
		t.Errorf("%s got a row while all senders are active", key)
	}
	if n := w.Report(at(900*time.Millisecond), 0); len(n.Senders) != 64 ||
		!slices.ContainsFunc(n.Alarms, func(a string) bool { return strings.Contains(a, "64 senders") }) {
		t.Errorf("%d rows, alarms %q", len(n.Senders), n.Alarms)
	}
	for i, gone := range []int{1, 2, 3} {
		if key := receive(1100*time.Millisecond, 64+i); key == "" {
			t.Fatalf("no row for sender %d although others are idle", 64+i)
		}
		for k := range 64 + i + 1 {
			key := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(k >> 8), byte(k)}), 1).String() + "/cyan/1"
			if _, kept := w.Packets(key); kept == (k >= 1 && k <= gone) {
				t.Errorf("after new sender %d: sender %d has a row: %v", i, k, kept)
			}
		}
	}
}

func TestGarbageFlood(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	garbage := []byte("no mixed team package, but as long as one: " + strings.Repeat("x", 126))
	flood := robot{"10.0.0.9:1", soccer.Cyan, 0, 1000, 5 * time.Second, 10 * time.Second, func(i int, b []byte) []byte {
		for range 9 {
			w.Receive(&soccer.Packet{Time: at(5*time.Second + time.Duration(i)*time.Millisecond), From: addr("10.0.0.9:1"),
				Data: garbage})
		}
		return garbage
	}}
	alarms := 0
	play(w, 20*time.Second, func(now soccer.Time, n watch.Network) {
		if now < at(2*time.Second) {
			return
		}
		for k, key := range []string{"10.0.0.1:1/cyan/1", "10.0.0.2:1/cyan/2"} {
			r := row(t, n, key)
			if math.Abs(r.Rate-[]float64{20, 25}[k]) > 0.3 || *r.Missing != 0 {
				t.Errorf("%v: %s has %v Hz, missing %v", now.Sub(at(0)), key, r.Rate, *r.Missing)
			}
		}
		if now > at(7*time.Second) && now < at(10*time.Second) {
			if r := row(t, n, "10.0.0.9:1"); r.Rate < 1900 {
				t.Errorf("the rate of the flood is %v packets a second", r.Rate)
			}
			if !n.OverBudget || !slices.ContainsFunc(n.Alarms,
				func(a string) bool { return strings.Contains(a, "10.0.0.9:1 floods") }) {
				t.Errorf("over %v, alarms %q", n.OverBudget, n.Alarms)
			}
			alarms++
		}
		if now > at(12*time.Second) && len(n.Alarms) > 0 {
			t.Errorf("%v: alarms %q", now.Sub(at(0)), n.Alarms)
		}
	}, robot{"10.0.0.1:1", soccer.Cyan, 1, 20, 0, time.Hour, nil}, robot{"10.0.0.2:1", soccer.Cyan, 2, 25, 0, time.Hour, nil}, flood)
	if alarms == 0 {
		t.Error("the flood was not checked")
	}
	// A foreign datagram does not allocate.
	w.Receive(&soccer.Packet{Time: at(21 * time.Second), From: addr("10.0.0.9:1"), Data: garbage})
	if n := testing.AllocsPerRun(100, func() {
		w.Receive(&soccer.Packet{Time: at(21 * time.Second), From: addr("10.0.0.9:1"), Data: garbage})
	}); n != 0 {
		t.Errorf("%v allocations a foreign packet", n)
	}
}

// Only the first 2 KiB of a long datagram are passed on, but all its bytes count on the air.
func TestLongDatagrams(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	kept := bytes.Repeat([]byte{9}, 2048)
	own := append(pack(soccer.Cyan, 1, 0), kept[169:]...)
	for i := range 900 { // 300 a second
		now := at(time.Duration(i) * time.Second / 300)
		w.Receive(&soccer.Packet{Time: now, From: addr("10.0.0.9:1"), Data: kept, Size: 60000})
		if i%30 == 0 {
			binary.LittleEndian.PutUint32(own[2:], uint32(i*1000/300))
			w.Receive(&soccer.Packet{Time: now, From: addr("10.0.0.1:1"), Data: own, Size: 3000})
		}
	}
	n := w.Report(at(3*time.Second), 0)
	// UDP 8 bytes; each fragment of up to 1480 bytes IP 20, Ethernet 14: 41 fragments, and 3.
	long, short := 300.0*(60000+8+41*34), 10.0*(3000+8+3*34)
	if math.Abs(n.BitsPerS-8*(long+short)) > 0.01*8*long || !n.OverBudget {
		t.Errorf("%.0f bit/s, want %.0f; over budget %v", n.BitsPerS, 8*(long+short), n.OverBudget)
	}
	for _, want := range []string{"10.0.0.9:1 sends most of it", "10.0.0.9:1 floods"} {
		if !slices.ContainsFunc(n.Alarms, func(a string) bool { return strings.Contains(a, want) }) {
			t.Errorf("no alarm contains %q: %q", want, n.Alarms)
		}
	}
	if r := row(t, n, "10.0.0.9:1"); math.Abs(r.BytesPerS-long) > 0.1*long || r.Packets != 900 {
		t.Errorf("row %+v, want %.0f bytes a second", r, long)
	}
	if r := row(t, n, "10.0.0.1:1/cyan/1"); r.Trailing != 3000-169 || math.Abs(r.BytesPerS-short) > 0.1*short {
		t.Errorf("row %+v, want %d trailing, %.0f bytes a second", r, 3000-169, short)
	}
	if v, _ := w.Packets("10.0.0.9:1"); v.Packets[0].Len != 60000 || len(v.Packets[0].Hex) != 2*2048 {
		t.Errorf("got %d bytes, %d of them shown", v.Packets[0].Len, len(v.Packets[0].Hex)/2)
	}
}

func BenchmarkReceivePackage(b *testing.B) {
	w := watch.New(watch.DefaultConfig())
	var ms uint32
	data := pack(soccer.Cyan, 1, 0)
	p := soccer.Packet{From: addr("10.0.0.1:1"), Data: data}
	b.ReportAllocs()
	for b.Loop() {
		ms += 33
		binary.LittleEndian.PutUint32(data[2:], ms)
		p.Time = at(time.Duration(ms) * time.Millisecond)
		w.Receive(&p)
	}
}

// A sender that changes its robot ID with each packet.
func BenchmarkReceiveChangingID(b *testing.B) {
	w := watch.New(watch.DefaultConfig())
	data := pack(soccer.Cyan, 1, 0)
	p := soccer.Packet{From: addr("10.0.0.1:1"), Data: data}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		data[8] = byte(i)
		p.Time = at(time.Duration(i) * 100 * time.Microsecond)
		w.Receive(&p)
	}
}

func BenchmarkReceiveForeign(b *testing.B) {
	for _, c := range []struct {
		name string
		data []byte
	}{{"169", bytes.Repeat([]byte{9}, 169)}, {"1400", bytes.Repeat([]byte{9}, 1400)}, {"flag",
		append([]byte{mixedteam.Flag}, bytes.Repeat([]byte{9, 200}, 84)...)}} {
		b.Run(c.name, func(b *testing.B) {
			w := watch.New(watch.DefaultConfig())
			p := soccer.Packet{From: addr("10.0.0.9:1"), Data: c.data}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p.Time = at(time.Duration(i) * 100 * time.Microsecond)
				w.Receive(&p)
			}
		})
	}
}

func BenchmarkReport(b *testing.B) {
	w := watch.New(watch.DefaultConfig())
	for i := range 64 * 100 {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i % 64)}), 1)
		w.Receive(&soccer.Packet{Time: at(time.Duration(i) * time.Millisecond), From: from,
			Data: pack(soccer.Cyan, uint8(i%64), uint32(i))})
	}
	b.ReportAllocs()
	for b.Loop() {
		w.Report(at(6400*time.Millisecond), 0)
	}
}

// The statistics of a sender that was away restart when it returns.
func TestSenderReturns(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	now := soccer.Epoch
	send := func(d time.Duration) {
		for end := now.Add(d); now < end; now = now.Add(50 * time.Millisecond) {
			w.Receive(&soccer.Packet{Time: now, From: addr("10.0.0.3:4000"),
				Data: pack(soccer.Cyan, 1, uint32(now.Sub(soccer.Epoch)/time.Millisecond))})
		}
	}
	send(5 * time.Second)
	now = now.Add(8 * time.Second)
	send(3 * time.Second)
	row := w.Report(now, 0).Senders[0]
	if row.Rate < 19 || row.GapP99 == nil || *row.GapP99 > 60 || row.Missing == nil || *row.Missing > 0.01 ||
		row.Packets != 160 {
		t.Errorf("rate %.1f Hz, longest pause %v ms, missing %v, %d packets: want 20 Hz, 50 ms, none, 160",
			row.Rate, *row.GapP99, *row.Missing, row.Packets)
	}
}

// The tile of a robot carries the faults in the meaning of its packages, and its values in the frame of the package.
func TestTileOfFaultyRobot(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	from := netip.MustParseAddrPort("10.0.0.3:4000")
	percepts := soccer.Percepts{
		Self:  soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: -0.5, Y: -1.2, Theta: -math.Pi / 2}},
		Balls: []soccer.Observation{{Position: soccer.Vec3{X: 2, Y: 1}}},
	}
	header := mixedteam.Header{Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: 1000, TeamID: 39, Robot: 3}
	now := soccer.Epoch
	for range 100 {
		percepts.Self.Pose.X += 0.001
		b, err := mixedteam.Append(nil, &header, &percepts)
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(50 * time.Millisecond)
		w.Receive(&soccer.Packet{Time: now, From: from, Data: b})
	}
	tiles := w.Tiles(now, func(netip.AddrPort) bool { return false })
	if len(tiles) != 1 || len(tiles[0].Faults) != 1 || tiles[0].Faults[0].Short != "time frozen" || tiles[0].Faults[0].Suspicion {
		t.Fatalf("got tiles %+v", tiles)
	}
	if v := tiles[0].Values; *v.X != 1.2 || *v.Y != -0.4 || *v.Heading != 270 || *v.BallX != -1 || *v.BallY != 2 {
		t.Errorf("got values %v %v %v %v %v", *v.X, *v.Y, *v.Heading, *v.BallX, *v.BallY)
	}
	if row := w.Report(now, 0).Senders[0]; len(row.Faults) != 1 || row.Faults[0] != tiles[0].Faults[0] {
		t.Errorf("got row %+v", row)
	}
}

// A robot that left the field has lost nothing: its estimate ends with its packets.
func TestRobotThatLeftHasNoLoss(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	from := netip.MustParseAddrPort("10.0.0.3:4000")
	now := soccer.Epoch
	for i := range 100 {
		b, err := mixedteam.Append(nil, &mixedteam.Header{
			Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: uint32(1000 + 50*i), TeamID: 39, Robot: 3,
		}, &soccer.Percepts{})
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(50 * time.Millisecond)
		w.Receive(&soccer.Packet{Time: now, From: from, Data: b})
	}
	for quiet := time.Duration(0); quiet < 50*time.Second; quiet += 250 * time.Millisecond {
		row := w.Report(now.Add(quiet), 0).Senders[0]
		if row.Missing != nil && *row.Missing != 0 || row.Missing == nil && quiet < time.Second {
			t.Fatalf("after %v of silence: got missing %v", quiet, row.Missing)
		}
	}
}

// A robot that falls silent keeps its tile with its last belief, as long as none with its number sends from another
// address; of robots that come and go the newest twelve do.
func TestSilentRobotKeepsItsTile(t *testing.T) {
	w := watch.New(watch.DefaultConfig())
	now := soccer.Epoch
	send := func(addr string, number uint8) {
		t.Helper()
		b, err := mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V2, TeamID: 39, Robot: number}, &soccer.Percepts{
			Self: soccer.Localisation{Known: true, Pose: soccer.Pose{X: 2}},
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Receive(&soccer.Packet{Time: now, From: netip.MustParseAddrPort(addr), Data: b})
	}
	tiles := func() []watch.Tile { return w.Tiles(now, func(netip.AddrPort) bool { return false }) }
	send("10.0.0.6:4000", 6)
	for _, later := range []time.Duration{12 * time.Second, 10 * time.Minute} {
		now = soccer.Epoch.Add(later)
		got := tiles()
		if len(got) != 1 || got[0].State != "silent" || got[0].Silent != later.Seconds() || len(got[0].Belief.Robots) != 1 {
			t.Fatalf("after %v: got tiles %+v, want robot 6, silent, with its belief", later, got)
		}
	}
	send("10.0.0.6:4001", 6) // restarted
	if got := tiles(); len(got) != 1 || got[0].State != "live" || got[0].Silent != 0 {
		t.Errorf("after a restart: got %d tiles, the first %+v", len(got), got[0])
	}
	for i := range 30 {
		now = now.Add(time.Second)
		send(fmt.Sprintf("10.0.1.%d:4000", i), uint8(1+i%6))
		send(fmt.Sprintf("10.0.2.%d:4000", i), 1)
	}
	for number := range uint8(6) {
		send("10.0.3.1:4000", number+1)
	}
	now = now.Add(time.Minute)
	if got := tiles(); len(got) > 12 {
		t.Errorf("%d tiles of robots that are silent, want 12 at most", len(got))
	}
}

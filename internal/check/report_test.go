package check_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/mixedteam"
)

var from = netip.MustParseAddrPort("10.0.0.3:4000")

// pack returns a v2 package of Tech United's robot that sees one ball.
func pack(t testing.TB, robot uint8, millis uint32) []byte {
	t.Helper()
	m := mixedteam.PackageV2{TimestampMillis: millis, OriginalTeamID: 63, RobotID: robot}
	for i := range m.Balls {
		m.Balls[i] = mixedteam.Ball{XMillimetres: mixedteam.Unused, YMillimetres: mixedteam.Unused,
			ZMillimetres:           mixedteam.Unused,
			VXMillimetresPerSecond: mixedteam.Unused, VYMillimetresPerSecond: mixedteam.Unused, VZMillimetresPerSecond: mixedteam.Unused}
	}
	for i := range m.Obstacles {
		m.Obstacles[i] = mixedteam.Obstacle{XMillimetres: mixedteam.Unused, YMillimetres: mixedteam.Unused,
			VXMillimetresPerSecond: mixedteam.Unused, VYMillimetresPerSecond: mixedteam.Unused}
	}
	m.Balls[0] = mixedteam.Ball{XMillimetres: 1234, YMillimetres: -2500, ZMillimetres: 110, VXMillimetresPerSecond: 500,
		VYMillimetresPerSecond: -3250, Confidence: 229}
	m.Self = mixedteam.Self{XMillimetres: -3000, YMillimetres: -7125, ThetaMilliradians: 1571, Confidence: 200}
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func at(d time.Duration) soccer.Time { return soccer.Epoch.Add(d) }

func TestReportOfGoodStream(t *testing.T) {
	var c check.Checker
	for i := range 200 {
		ms := uint32(i * 50)
		c.Add(&soccer.Packet{Time: at(time.Duration(ms) * time.Millisecond), From: from, Data: pack(t, 2, ms)})
	}
	// Other traffic may share the channel.
	c.Add(&soccer.Packet{Time: at(10 * time.Second), From: netip.MustParseAddrPort("10.0.0.9:1"), Data: []byte("hello")})
	r := c.Report()
	if !r.OK || r.Packets != 201 || r.Packages != 200 || r.Foreign != 1 || r.Wrong != 0 || len(r.Senders) != 2 {
		t.Fatalf("got %+v", r)
	}
	s := r.Senders[0]
	if s.Addr != "10.0.0.3:4000" || s.Color != "cyan" || s.Number != 2 || s.Team != "Tech United Eindhoven" ||
		s.Variant != "v2" || s.Packets != 200 || len(s.Findings) != 0 {
		t.Errorf("got %+v", s)
	}
	if math.Abs(*s.Rate-20) > 1e-9 || *s.GapP50 != 50 || *s.GapP99 != 50 || *s.GapMax != 50 || *s.Jitter != 0 ||
		*s.Missing != 0 {
		t.Errorf("rate %v, gaps %v %v %v, jitter %v, missing %v", *s.Rate, *s.GapP50, *s.GapP99, *s.GapMax, *s.Jitter,
			*s.Missing)
	}
	if f := r.Senders[1]; !f.Foreign || f.Variant != "unrecognised" || len(f.Findings) != 0 {
		t.Errorf("other traffic: got %+v", f)
	}
}

func TestReportOfFaults(t *testing.T) {
	var c check.Checker
	for i := range 100 {
		b := pack(t, 2, uint32(i*50))
		if i >= 40 {
			b[8] = 7 + uint8(i%2) // mixed_team_robot_id
		}
		c.Add(&soccer.Packet{Time: at(time.Duration(i) * 50 * time.Millisecond), From: from, Data: append(b, "our own"...)})
	}
	r := c.Report()
	if r.OK || r.Wrong != 60 || len(r.Senders) != 3 {
		t.Fatalf("got %+v", r)
	}
	var found *check.Finding
	for i, f := range r.Senders[1].Findings {
		if !f.Note {
			found = &r.Senders[1].Findings[i]
		}
	}
	if found == nil || found.Offset != 8 || found.Field != "mixed_team_robot_id" || found.Count != 30 ||
		found.Packet != 41 ||
		found.Time != 2 || !strings.HasPrefix(found.Hex, "7b02d0070000003f07") || !strings.Contains(found.Source,
		"Specification") {
		t.Errorf("got %+v", found)
	}
	if r.Senders[0].Trailing != 7 {
		t.Errorf("got %d trailing bytes, want 7", r.Senders[0].Trailing)
	}
}

func TestReportMergesSimilarFindings(t *testing.T) {
	var c check.Checker
	for i := range 50 {
		b := pack(t, 2, 0)
		b[6] = 2 + uint8(i) // team_color: 2, 3, 4 ...
		c.Add(&soccer.Packet{Data: b})
	}
	s := c.Report().Senders
	if len(s) != 1 || len(s[0].Findings) != 1 || s[0].Findings[0].Count != 50 || s[0].Findings[0].Field != "team_color" {
		t.Errorf("got %+v", s)
	}
	if s[0].Rate != nil || s[0].GapP99 != nil || s[0].Missing != nil {
		t.Error("packets without a time have a rate")
	}
}

func TestReportOfClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		ms    []uint32 // 100 ms apart
		wrong uint64
	}{
		{"regular", []uint32{1000, 1100, 1200, 1300}, 0},
		{"jumps ahead, then back", []uint32{1000, 1100, 61200, 61300, 1400}, 1}, // 1400 may be a new part
		{"jumps back", []uint32{91000, 91100, 31200, 31300}, 1},
		{"before the start and a new part", []uint32{0, 0, 0, 20, 120, 900000, 900100, 0, 0, 50}, 1},
		{"back to 0 at half-time", []uint32{899900, 900000, 0, 0, 80, 180}, 0},
		{"never set", []uint32{5000, 5000, 5000}, 0},
		{"overtaken in the network", []uint32{1000, 1200, 1100, 1300}, 0},
	} {
		var check check.Checker
		for i, ms := range c.ms {
			b := pack(t, 2, ms)
			b[9] = byte(i)
			check.Add(&soccer.Packet{Time: at(time.Duration(i) * 100 * time.Millisecond), From: from, Data: b})
		}
		if r := check.Report(); r.Wrong != c.wrong {
			t.Errorf("%s: got %d wrong, want %d: %+v", c.name, r.Wrong, c.wrong, r.Senders)
		}
	}
}

func TestReportOfSlowSender(t *testing.T) {
	var c check.Checker
	for i := range 20 {
		c.Add(&soccer.Packet{Time: at(time.Duration(i) * 200 * time.Millisecond), From: from, Data: pack(t, 2,
			uint32(i*200))})
	}
	r := c.Report()
	if f := r.Senders[0].Findings; !r.OK || len(f) != 1 || !f[0].Note || !strings.Contains(f[0].Text,
		"5.0 packets a second") {
		t.Errorf("got ok %v, %+v", r.OK, f)
	}
}

func TestReportWithoutPackages(t *testing.T) {
	var c check.Checker
	if c.Report().OK {
		t.Error("a report without packets is OK")
	}
	c.Add(&soccer.Packet{Data: []byte("hello")})
	if r := c.Report(); r.OK || r.Wrong != 0 {
		t.Errorf("got %+v", r)
	}
	c.Add(&soccer.Packet{Data: []byte("{}")}) // begins with the flag
	if r := c.Report(); r.Wrong != 1 || r.Senders[0].Findings[0].Field != "mixed_team_flag" {
		t.Errorf("got %+v", r)
	}
}

func TestReportIsBounded(t *testing.T) {
	var c check.Checker
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		b := pack(t, 2, 0)
		for k := 9; k < len(b); k++ {
			b[k] = byte(rnd.Uint32())
		}
		c.Add(&soccer.Packet{Time: at(time.Duration(i)), From: netip.AddrPortFrom(from.Addr(), uint16(i)), Data: b})
	}
	r := c.Report()
	if len(r.Senders) != 257 || !r.Senders[256].Others {
		t.Fatalf("%d rows", len(r.Senders))
	}
	var sum uint64
	for _, s := range r.Senders {
		sum += s.Packets
		if len(s.Findings) > 65 {
			t.Errorf("got %d kinds of findings, want at most 65", len(s.Findings))
		}
	}
	if sum != 2000 {
		t.Errorf("got %d packets, want 2000", sum)
	}
}

// TestReportJSON keeps the JSON, which scripts rely on.
func TestReportJSON(t *testing.T) {
	var c check.Checker
	b := pack(t, 2, 0)
	b[8] = 9
	c.Add(&soccer.Packet{Data: b})
	got, err := json.Marshal(c.Report())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"ok":false,"packets":1,"packages":1,"firasim":0,"tcm":0,"hsl":0,"ssl":0,"formats":{"mixedteam":1},"foreign":0,"wrong":1,"senders":[{"addr":"","color":"cyan","number":9,` +
		`"team":"Tech United Eindhoven","message":"","foreign":false,"others":false,"variant":"v2","sure":`
	end := fmt.Sprintf(`,"packets":1,"wrong":1,"trailing":0,"rate":null,"gapP50":null,"gapP99":null,"gapMax":null,"jitter":null,`+
		`"missing":null,"repeated":0,"findings":[{"offset":8,"field":"mixed_team_robot_id","source":"Mixed Team Package v2, Specification",`+
		`"text":"9 is no jersey number of a mixed team: write 1 to 6","note":false,"count":1,"packet":1,"time":0,"value":"9","hex":"%x"}],"further":0,"tcm":null}]}`, b)
	if s := string(got); !strings.HasPrefix(s, want) || !strings.HasSuffix(s, end) {
		t.Errorf("got  %s\nwant %s...%s", s, want, end)
	}
}

func BenchmarkAdd(b *testing.B) {
	var c check.Checker
	data := pack(b, 2, 0)
	p := soccer.Packet{From: from, Data: data}
	b.ReportAllocs()
	for i := uint32(0); b.Loop(); i += 33 {
		binary.LittleEndian.PutUint32(data[2:], i)
		p.Time = at(time.Duration(i) * time.Millisecond)
		c.Add(&p)
	}
}

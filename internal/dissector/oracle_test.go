package dissector_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"touchline/internal/capture"
	"touchline/internal/dissector"
	"touchline/internal/formats"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/firasim"
	"touchline/wire/hsl"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
	"touchline/wire/ssl"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// tool returns the path of a program. Without it the test is skipped; it fails where ./check has installed it, which the
// environment variable TOUCHLINE_CHECK tells.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("TOUCHLINE_CHECK") != "" {
		t.Fatalf("%s is missing: ./check installs it", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// script writes the dissector and returns its path.
func script(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if err := dissector.Lua(&b, "test"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "touchline.lua")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// protocol is how a test makes packets of one protocol, and what Go knows of them.
type protocol struct {
	name    string // of its fields in Wireshark
	vectors []string
	to      netip.AddrPort
	fields  func(b []byte) []wire.Field
	issues  func(b []byte) []wire.Issue
	mend    func(rng *rand.Rand, b []byte) // makes a changed packet plausible again; nil: nothing
	from    uint16                         // port; 0: any
}

var protocols = []protocol{
	{"mixedteam", []string{"mixedteam-v1", "mixedteam-v2", "mixedteam-v2-padded"},
		netip.MustParseAddrPort("127.0.0.1:2005"),
		mixedteam.Fields, mixedteam.Check, nil, 0},
	{"tcm", []string{"tcm-plain", "tcm-fragments", "tcm-signed", "tcm-faults"}, netip.MustParseAddrPort("127.0.0.1:5555"),
		datagramFields, datagramIssues, mendDatagram, 0},
	simulator(firasim.KindEnvironment, firasim.Vision, "firasim-environment"),
	simulator(firasim.KindPacket, "127.0.0.1:20011", "firasim-packet"),
	simulator(firasim.KindRefereeCommand, firasim.Referee, "firasim-referee"),
	simulator(firasim.KindPlacement, firasim.Placements, "firasim-placement"),
	simulator(firasim.KindSSL, firasim.SSLVisionVSS, "ssl-vision"),
	simulator(firasim.KindGrSim, "127.0.0.1:20011", "grsim-packet"),
	small(ssl.KindVision, ssl.VisionGroup, 0, "ssl-vision"),
	small(ssl.KindTracker, ssl.TrackerGroup, 0, "ssl-tracker"),
	small(ssl.KindReferee, ssl.RefereeGroup, 0, "ssl-referee"),
	small(ssl.KindSimulatorCommand, "127.0.0.1:10300", 0, "ssl-simulator-command"),
	small(ssl.KindRobotControl, "127.0.0.1:10301", 0, "ssl-robot-control"),
	small(ssl.KindSyncRequest, "127.0.0.1:10302", 0, "ssl-sync-request"),
	small(ssl.KindSimulatorResponse, "127.0.0.1:40001", ssl.ControlPort, "ssl-simulator-response"),
	small(ssl.KindRobotControlResponse, "127.0.0.1:40001", ssl.BluePort, "ssl-robot-control-response"),
	{"tcm", []string{"team-*", "b3p-*"}, netip.MustParseAddrPort("127.0.0.1:5555"),
		datagramFields, datagramIssues, mendDatagram, 0},
}

// shared returns the kind of a packet to the port that FIRASim and grSim share.
func shared(k firasim.Kind, b []byte) firasim.Kind {
	switch {
	case k != firasim.KindPacket && k != firasim.KindGrSim:
		return k
	case firasim.IsGrSim(b):
		return firasim.KindGrSim
	}
	return firasim.KindPacket
}

func simulator(k firasim.Kind, to string, vectors ...string) protocol {
	return protocol{"firasim", vectors, netip.MustParseAddrPort(to),
		func(b []byte) []wire.Field { return firasim.Fields(shared(k, b), b) },
		func(b []byte) []wire.Issue { return firasim.Check(shared(k, b), b) }, nil, 0}
}

// small is a message of the Small Size League: to its port, or an answer from the port of a simulator.
func small(k ssl.Kind, to string, from uint16, vectors string) protocol {
	at := netip.MustParseAddrPort(to)
	kind := func(b []byte) ssl.Kind { // a changed packet may be another message to the same port
		if known, ok := ssl.KindOf(at, b); ok {
			return known
		}
		return k
	}
	return protocol{"smallsize", []string{vectors}, at,
		func(b []byte) []wire.Field { return ssl.Fields(kind(b), b) },
		func(b []byte) []wire.Issue { return ssl.Check(kind(b), b) }, nil, from}
}

func datagramFields(b []byte) []wire.Field {
	if !tcm.Is(b) {
		return tcm.Fields(b)
	}
	return formats.Dissect(&soccer.Packet{Data: b}).Fields
}

// datagramIssues returns the issues of a datagram and of the messages in it.
func datagramIssues(b []byte) []wire.Issue {
	issues := tcm.Check(b)
	var d tcm.Datagram
	if d.UnmarshalBinary(b) != nil {
		return issues
	}
	at := tcm.HeaderSize
	for _, p := range d.Pieces {
		if at += tcm.PieceHeader; p.Fragment {
			at += tcm.FragmentHeader - tcm.PieceHeader
		} else if len(p.Data) > 0 && formats.Contents(p.Type, p.Data) != nil || len(p.Data) > 0 && p.Data[0] != 1 {
			found := b3p.Check(uint16(p.Type), p.Data)
			if p.Type < tcm.BookingClaim || p.Type > tcm.BookingBelief {
				found = team.Check(uint16(p.Type), p.Data)
			}
			for _, i := range found {
				if !strings.HasPrefix(i.Text, "type ") {
					i.Offset += at
					issues = append(issues, i)
				}
			}
		}
		at += len(p.Data)
	}
	return issues
}

// mendDatagram writes the checksum of most datagrams.
func mendDatagram(rng *rand.Rand, b []byte) {
	if n := len(b) - tcm.SumSize; n > 3 && rng.IntN(4) > 0 {
		binary.LittleEndian.PutUint32(b[n:], tcm.Sum(b[:n]))
	}
}

// payload puts the vector of a message into a datagram.
func payload(name string, data []byte) []byte {
	kind, _, _ := strings.Cut(strings.TrimPrefix(name, "team-"), ".")
	types := map[string]tcm.Type{
		"belief": tcm.Belief, "measurements": tcm.Measurements, "status": tcm.Status, "debug": tcm.Debug,
		"referee": tcm.Referee, "sense": tcm.Sense, "motor": tcm.Motor, "directory": tcm.Directory, "image": tcm.Image,
		"file": tcm.File, "parameters": tcm.CameraParameter, "drive": tcm.Teleoperation, "kickcheck": tcm.KickCheck,
		"locomotioncheck": tcm.LocomotionCheck, "attend": tcm.Attend, "management": tcm.Management,
		"challenge": tcm.Challenge, "request": tcm.Request, "answer": tcm.Answer, "overlay": tcm.Overlay,
		"scene": tcm.Scene, "b3p-claim": tcm.BookingClaim, "b3p-release": tcm.BookingRelease,
		"b3p-belief": tcm.BookingBelief,
	}
	h := tcm.Header{Team: 74, From: tcm.Entity{Kind: tcm.Robot, ID: 3}, To: tcm.Entity{Kind: tcm.Robot}, Boot: 7,
		Sequence: 1}
	p := tcm.Piece{Module: tcm.PAM, Type: types[kind], Number: 1, Data: data}
	b := p.Append(h.Append(nil))
	return binary.LittleEndian.AppendUint32(b, tcm.Sum(b))
}

// seeds returns the vectors of a protocol.
func seeds(t testing.TB, p *protocol) [][]byte {
	t.Helper()
	var all [][]byte
	for _, pattern := range p.vectors {
		files, err := filepath.Glob("../../wire/vectors/" + pattern + ".txt")
		if err != nil || len(files) == 0 {
			t.Fatalf("no vectors %s", pattern)
		}
		for _, file := range files {
			for _, v := range wiretest.Vectors(t, file) {
				data := v.Data
				if strings.HasPrefix(pattern, "team-") || strings.HasPrefix(pattern, "b3p-") {
					if len(data) > 1400 {
						continue // no datagram holds it
					}
					data = payload(strings.TrimSuffix(filepath.Base(file), ".txt"), data)
				}
				if len(data) > 0 {
					all = append(all, data)
				}
			}
		}
	}
	return all
}

// mutate returns a changed copy of a packet.
func mutate(rng *rand.Rand, p *protocol, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + rng.IntN(4) {
		at := rng.IntN(len(b))
		switch rng.IntN(9) {
		case 0:
			b[at] ^= 1 << rng.IntN(8)
		case 1:
			b[at] = []byte{0, 1, 2, 127, 128, 255}[rng.IntN(6)]
		case 2:
			b[at] = byte(rng.Uint32())
		case 3:
			b = b[:max(1, at)]
		case 4:
			b = append(b, make([]byte, rng.IntN(20))...)
		case 5:
			b = append(b, b[at:min(len(b), at+30)]...)
		case 6:
			copy(b[at:], []byte{0, 0x80, 0, 0x80})
		case 7:
			copy(b[at:], []byte{0, 0, 0xc0, 0x7f})
		case 8:
			copy(b[at:], b[rng.IntN(len(b)):])
		}
	}
	if len(b) > 1500 {
		b = b[:1500]
	}
	if p.mend != nil {
		p.mend(rng, b)
	}
	return b
}

// shown is a field or a fault as Wireshark shows it.
type shown struct {
	name      string
	pos, size int
	label     string
	value     string // the bytes in hexadecimal
}

// dissected is what Wireshark shows of a packet.
type dissected struct {
	protocols []string
	fields    []shown
	faults    []shown
}

var attribute = regexp.MustCompile(` (name|showname|size|pos|value)="([^"]*)"`)

// readPDML reads what tshark prints of packets, one element a line.
func readPDML(t testing.TB, r io.Reader) []dissected {
	t.Helper()
	var all []dissected
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	base := 0
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		for strings.HasPrefix(line, "<field ") && !strings.HasSuffix(line, ">") && lines.Scan() { // a text with line breaks
			line += "\n" + lines.Text()
		}
		switch {
		case line == "<packet>":
			all, base = append(all, dissected{}), -1
			continue
		case !strings.HasPrefix(line, "<proto ") && !strings.HasPrefix(line, "<field "):
			continue
		}
		var f shown
		for _, m := range attribute.FindAllStringSubmatch(line, -1) {
			switch v := html.UnescapeString(m[2]); m[1] {
			case "name":
				f.name = v
			case "showname":
				f.label = v
			case "size":
				f.size, _ = strconv.Atoi(v)
			case "pos":
				f.pos, _ = strconv.Atoi(v)
			case "value":
				f.value = v
			}
		}
		d := &all[len(all)-1]
		prefix, rest, _ := strings.Cut(f.name, ".")
		if !slices.Contains(prefixes, prefix) {
			continue
		}
		if rest == "" {
			d.protocols = append(d.protocols, prefix)
			if base < 0 {
				base = f.pos
			}
			continue
		}
		f.pos -= base
		switch {
		case rest == "expert":
			d.faults = append(d.faults, f)
		case !strings.HasPrefix(rest, "expert."):
			d.fields = append(d.fields, f)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

var prefixes = []string{"mixedteam", "tcm", "b3p", "msl", "firasim", "hsl", "smallsize"}

// tshark runs it on a capture and returns what it prints.
func tshark(t testing.TB, args ...string) []byte {
	t.Helper()
	c := exec.Command(tool(t, "tshark"), append([]string{"-X", "lua_script:" + script(t), "-n"}, args...)...)
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if text := errs.String(); err != nil || strings.Contains(text, "Lua") {
		t.Fatalf("tshark: %v\n%.2000s", err, text)
	}
	return out
}

// packet is a datagram of a test.
type packet struct {
	to   netip.AddrPort
	data []byte
	from uint16 // port; 0: any
}

// write writes packets into a new capture and returns its path.
func write(t testing.TB, packets []packet) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "packets.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := capture.NewPcapWriter(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range packets {
		from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), cmp.Or(p.from, 40000))
		if err := w.WritePacket(&soccer.Packet{Time: soccer.Time(i) * 1000, From: from, Data: p.data}, p.to); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// label returns the text of a field in Wireshark.
func label(text string) string {
	if len(text) > 200 {
		n := 200
		for n > 0 && text[n]&0xc0 == 0x80 {
			n--
		}
		text = text[:n] + "..."
	}
	return wire.Printable(text)
}

var indexes = regexp.MustCompile(`\[[0-9]+\]`)
var others = regexp.MustCompile(`[^a-z0-9_.]`)

// filter returns the name of a field in Wireshark's filters.
func filter(protocol, name string) string {
	if protocol == "msl" { // other spellings of keys have the filters of the right ones
		name = strings.NewReplacer("target pose", "targetPose", "targetPos[", "targetPose[", "Ball[", "balls[").Replace(name)
	}
	if rest, ok := strings.CutPrefix(name, "booking "); ok {
		_, rest, _ = strings.Cut(rest, ".")
		return "b3p." + rest
	}
	return protocol + "." + others.ReplaceAllString(indexes.ReplaceAllString(strings.ToLower(name), ""), "_")
}

// general are the ends of the names of fields that no table lists.
var general = []string{"unreadable", "trailing", "unknown", "data", "image.byte", "image.number"}

// compareFields reports the first difference between what Wireshark shows and what Fields returns.
func compareFields(p *protocol, b []byte, got []shown) string {
	want := p.fields(b)
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%d fields, want %d: %q is missing", len(got), len(want), want[i].Name)
		case i >= len(want):
			return fmt.Sprintf("%d fields, want %d: %q is too many", len(got), len(want), got[i].label)
		}
		g, w := &got[i], &want[i]
		text := w.Name + ": " + w.Value
		if w.Unit != "" {
			text += " " + w.Unit
		}
		if g.pos != w.Offset || g.size != w.Len || g.label != label(text) {
			return fmt.Sprintf("field %d:\ngot  %d+%d %q\nwant %d+%d %q",
				i, g.pos, g.size, g.label, w.Offset, w.Len, label(text))
		}
		if bytes := hex.EncodeToString(b[w.Offset : w.Offset+w.Len]); g.value != bytes {
			return fmt.Sprintf("%s has the bytes %s, want %s", w.Name, g.value, bytes)
		}
		if want := filter(p.name, w.Name); g.name != want && !slices.ContainsFunc(general, func(end string) bool {
			return strings.HasSuffix(g.name, "."+end)
		}) {
			return fmt.Sprintf("%s has the name %s, want %s", w.Name, g.name, want)
		}
	}
	return ""
}

// compareFaults reports a difference between the faults that Wireshark shows and the issues of Check.
func compareFaults(p *protocol, b []byte, got []shown) string {
	if p.issues == nil {
		return ""
	}
	var want []shown
	for _, i := range p.issues(b) {
		want = append(want, shown{pos: min(i.Offset, len(b)), label: "Fault: " + label(i.Text)})
	}
	order := func(a, b shown) int { return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.label, b.label)) }
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if slices.EqualFunc(got, want, func(a, b shown) bool { return order(a, b) == 0 }) {
		return ""
	}
	var text strings.Builder
	for name, list := range map[string][]shown{"got ": got, "want": want} {
		for _, f := range list {
			fmt.Fprintf(&text, "\n%s %d %s", name, f.pos, f.label)
		}
	}
	return "faults:" + text.String()
}

// TestOracle compares what Wireshark shows of each vector, and of 10,000 changed ones, with Fields and Check: names,
// places, values, and texts of faults.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 0))
	var packets []packet
	var of []*protocol
	add := func(p *protocol, b []byte) {
		packets = append(packets, packet{p.to, b, p.from})
		of = append(of, p)
	}
	mutated := 10_000
	if testing.Short() {
		mutated = 1000
	}
	// Wireshark knows no port of this answer: a preference names it.
	synced := small(ssl.KindSyncResponse, "127.0.0.1:5556", 0, "ssl-sync-response")
	known := append(slices.Clone(protocols), synced)
	for i := range known {
		p := &known[i]
		all := seeds(t, p)
		for _, b := range all {
			add(p, b)
		}
		for range mutated / len(known) {
			add(p, mutate(rng, p, all[rng.IntN(len(all))]))
		}
	}
	args := []string{"-r", write(t, packets), "-T", "pdml", "-j", strings.Join(prefixes, " "), "-d", "udp.port==5555,tcm",
		"-d", "udp.port==5556,smallsize", "-o", "smallsize.kind:SimulationSyncResponse"}
	for _, p := range []string{"mixedteam", "firasim", "tcm", "smallsize"} {
		args = append(args, "-o", p+".always:TRUE")
	}
	all := readPDML(t, bytes.NewReader(tshark(t, args...)))
	if len(all) != len(packets) {
		t.Fatalf("%d packets, want %d", len(all), len(packets))
	}
	failed, fields := 0, 0
	for i, d := range all {
		p, b := of[i], packets[i].data
		difference := ""
		if want := p.fields(b); want != nil {
			difference = compareFields(p, b, d.fields)
			fields += len(want)
		}
		difference = cmp.Or(difference, compareFaults(p, b, d.faults))
		if difference == "" {
			continue
		}
		if failed++; failed <= 8 {
			t.Errorf("packet %d, %s: %s\n%x", i+1, p.name, difference, b)
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d packets differ", failed, len(all))
	}
	t.Logf("%d packets with %d fields", len(all), fields)
}

// TestHSL compares what Wireshark shows of the messages of the Humanoid Soccer League with Fields, and the faults of its
// single integers with those of Check by their places.
func TestHSL(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 0))
	var packets []packet
	var kinds []hsl.Kind
	for _, f := range [...]struct {
		kind hsl.Kind
		file string
	}{ // in one order, so that the changes are the same each time
		{hsl.KindControl, "control"}, {hsl.KindTrueState, "true-state"}, {hsl.KindReturn, "return"},
		{hsl.KindForward, "forward"}, {hsl.KindRequest, "request"},
	} {
		kind := f.kind
		p := protocol{name: "hsl", vectors: []string{"hsl-" + f.file}, to: netip.MustParseAddrPort("127.0.0.1:3838")}
		for _, vector := range seeds(t, &p) {
			for i := range 60 {
				b := slices.Clone(vector)
				if i > 0 {
					b[rng.IntN(len(b))] = byte(rng.Uint32())
				}
				if known, ok := hsl.Identify(hsl.ForwardPort, b); ok && known == kind {
					packets, kinds = append(packets, packet{p.to, b, 0}), append(kinds, kind)
				}
			}
		}
	}
	all := readPDML(t, bytes.NewReader(tshark(t, "-r", write(t, packets), "-T", "pdml", "-j", "hsl", "-o", "hsl.always:TRUE")))
	compared := 0
	for i, d := range all {
		kind, b := kinds[i], packets[i].data
		p := protocol{name: "hsl", fields: func(b []byte) []wire.Field {
			fields := hsl.Fields(kind, b)
			if kind == hsl.KindForward { // Wireshark shows the address as bytes
				fields[0].Value = hex.EncodeToString(b[:4])
			}
			return fields
		}}
		fields := p.fields(b)
		rows := hsl.Describe().Messages[kind].Rows
		if len(fields) != len(rows) || len(b) != wire.Size(rows) { // another version, or another size
			continue
		}
		compared++
		if text := compareFields(&p, b, d.fields); text != "" {
			t.Errorf("%v %x: %s", kind, b, text)
		}
		for _, f := range d.faults {
			at := func(issue wire.Issue) bool { return issue.Offset == f.pos && !issue.Note }
			if !slices.ContainsFunc(hsl.Check(kind, b), at) {
				t.Errorf("%v %x: %q at %d is no fault", kind, b, f.label, f.pos)
			}
		}
	}
	if compared < 500 {
		t.Errorf("%d messages compared", compared)
	}
}

// TestLuac compiles the dissector with the versions of Lua that Wireshark has, 5.2 up to 4.2 and 5.4 from 4.4 on.
func TestLuac(t *testing.T) {
	for _, name := range []string{"luac5.2", "luac5.4"} {
		t.Run(name, func(t *testing.T) {
			if out, err := exec.Command(tool(t, name), "-p", script(t)).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestDocument compares the rules that docs/dissector.md lists with those of the codecs.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/dissector.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	rows := regexp.MustCompile("(?m)^\\| `([a-z0-9]+)\\.expert\\.([a-z_]*)` \\| (.*)$")
	for _, m := range rows.FindAllSubmatch(page, -1) {
		listed[string(m[1])+" "+string(m[2])] = string(m[3])
	}
	for name, d := range map[string]wire.Description{
		"mixedteam ": mixedteam.Describe(), "tcm ": tcm.Describe(), "tcm message_": team.Describe(), "b3p ": b3p.Describe(),
		"msl ": msl.Describe(), "firasim ": firasim.Describe(), "hsl ": hsl.Describe(),
		"smallsize ": ssl.Describe(),
	} {
		for _, r := range d.Rules {
			if !strings.Contains(listed[name], "`"+strings.ReplaceAll(r.Key, "-", "_")+"`") {
				t.Errorf("docs/dissector.md lists no rule %s of %s", r.Key, name)
			}
		}
	}
}

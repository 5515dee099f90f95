package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"touchline/internal/capture"
	"touchline/internal/check"
	"touchline/internal/vss"
	"touchline/internal/vss/vssnet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// recordOf runs a command with --record and returns the path of the record, and its messages by channel.
func recordOf(t *testing.T, args ...string) (path string, counts map[string]uint64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.mcap")
	if out, errs, code := touchline(t, append(args, "--record", path)...); code != 0 {
		t.Fatalf("%v: exit %d, printed %s%s", args, code, out, errs)
	}
	return path, channels(t, path)
}

// channels returns how many messages each channel of a finished log has.
func channels(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	info := l.Info()
	if !info.Finished || info.Torn != "" || len(info.Notes) > 0 {
		t.Errorf("the record is not whole: %+v", info)
	}
	counts := map[string]uint64{}
	for _, c := range info.Channels {
		counts[c.Name] = c.Count
	}
	return counts
}

// replays checks that replay sends want messages of a record to an address.
func replays(t *testing.T, path, group string, want uint64) {
	t.Helper()
	out, errs, code := touchline(t, "replay", path, "--to", group, "--speed", "64")
	if code != 0 || !strings.Contains(out, check.Plural(want, "message")) {
		t.Errorf("replay --to %s: exit %d, printed %s%s, want %d messages", group, code, out, errs, want)
	}
}

func TestRecordDemo(t *testing.T) {
	path, counts := recordOf(t, "demo", "--headless", "--duration", "5s", "--group", freeGroup(t))
	for _, channel := range []string{
		matchlog.Packets, matchlog.TCM, "topic/wall", "topic/network", "foxglove/scene", "foxglove/tf", matchlog.Home, matchlog.Commands,
		matchlog.Decisions, matchlog.Truth,
	} {
		if counts[channel] == 0 {
			t.Errorf("channel %s has no message; the record has %v", channel, counts)
		}
	}
	report, code := wantChecks(t, "", "--json", path)
	if code > 1 || !strings.Contains(report, `"variant": "v2"`) || !strings.Contains(report, `"worldstates":`) {
		t.Errorf("check: exit %d, printed %s", code, report)
	}
	checkSendsNoFaults(t, report)
	replays(t, path, freeGroup(t), counts[matchlog.Packets])
	for to, want := range sentTo(t, path) {
		replays(t, path, to, want)
	}
}

// checkSendsNoFaults checks that a report has senders of TCM datagrams, and that they have no fault: touchline sends
// nothing that check calls wrong.
func checkSendsNoFaults(t *testing.T, text string) {
	t.Helper()
	var report checkReport
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	senders := 0
	for _, s := range report.Inputs[0].Report.Senders {
		if s.TCM == nil {
			continue
		}
		senders++
		for _, f := range s.Findings {
			t.Errorf("%s: %s", s.TCM.Entity, f.Issue)
		}
	}
	if senders < 6 {
		t.Errorf("%d senders of TCM datagrams, want 5 robots and a computer", senders)
	}
}

// sentTo returns one address to which TCM datagrams of a log were sent, with their number.
func sentTo(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	to, n := "", uint64(0)
	for m, err := range l.Messages(0, 0, matchlog.TCM) {
		p, broken := matchlog.ParsePacket(m)
		if err = errors.Join(err, broken); err != nil {
			t.Fatal(err)
		}
		if to == "" {
			to = p.Channel
		}
		if p.Channel == to {
			n++
		}
	}
	return map[string]uint64{to: n}
}

// The record of a monitor has its wall, and is replayed on it.
func TestRecordMonitor(t *testing.T) {
	path, counts := recordOf(t, "monitor", "--duration", "2s", "--group", freeGroup(t), "--http", "127.0.0.1:0")
	if counts["topic/wall"] == 0 || counts["topic/network"] == 0 || counts["foxglove/field"] != 1 {
		t.Errorf("the record has %v", counts)
	}
	out, errs, code := touchline(t, "replay", path, "--http", "127.0.0.1:0", "--duration", "300ms")
	if code != 0 || !strings.HasPrefix(out, "session: ") {
		t.Errorf("replay: exit %d, printed %s%s", code, out, errs)
	}
	cut := filepath.Join(t.TempDir(), "cut.mcap")
	if out, errs, code := touchline(t, "log", "cut", path, "--from", "100ms", "-o", cut); code != 0 {
		t.Fatalf("log cut: exit %d, printed %s%s", code, out, errs)
	}
	if got := channels(t, cut); got["foxglove/field"] != 1 {
		t.Errorf("the record without its beginning has %v, want the field's lines", got)
	}
}

func TestRecordSimVSS(t *testing.T) {
	vision := freeGroup(t)
	placement := filepath.Join(t.TempDir(), "shot.json")
	if err := os.WriteFile(placement, []byte(`{"ball":{"x":0.6,"y":0.12,"vx":3}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	path, counts := recordOf(t, "sim", "vss", "-H", "--duration", "1s", "--placement", placement, "--commands", "127.0.0.1:0", "--vision", vision,
		"--referee-group", freeGroup(t), "--placement-group", freeGroup(t), "--yellow", "builtin")
	if counts[matchlog.Packets] < 50 || counts["topic/vss"] == 0 {
		t.Errorf("got %v", counts)
	}
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var sent, commands uint64
	for m, err := range l.Messages(0, 0, matchlog.Packets) {
		if err != nil {
			t.Fatal(err)
		}
		switch p, err := matchlog.ParsePacket(m); {
		case err != nil:
			t.Fatal(err)
		case p.Channel == vision:
			sent++
		default:
			commands++
		}
	}
	if sent < 50 || commands < 50 {
		t.Errorf("got %d packets of vision, %d others", sent, commands)
	}
	s, err := l.Summary(path)
	if err != nil || len(s.Events) == 0 || s.Events[0].Kind != "goal" || s.Events[0].T < s.Start || s.Events[0].T > s.End {
		t.Errorf("got the events %+v, %v, want a goal from %g to %g", s.Events, err, s.Start, s.End)
	}
	replays(t, path, vision, sent)
}

// A station and its referee box record the same worldstates and commands.
func TestRecordStation(t *testing.T) {
	dir := t.TempDir()
	boxes := filepath.Join(dir, "box.mcap")
	f := referee(t, filepath.Join(dir, "games"), "--json", "--home", "39", "--record", boxes)
	var at struct{ BaseStations string }
	if err := json.Unmarshal([]byte(f.line(t)), &at); err != nil {
		t.Fatal(err)
	}
	path, sent := recordOf(t, "station", "--team", "39", "--refbox", at.BaseStations, "--group", freeGroup(t), "--event", "2:kick", "--duration", "3s")
	f.interrupt()
	if code := <-f.code; code != 0 {
		t.Fatalf("the referee box ended with %d", code)
	}
	received := channels(t, boxes)
	if n := sent[matchlog.Home]; n == 0 || received[matchlog.Home] != n || sent[matchlog.Commands] < 1 || received[matchlog.Admissions] < 1 {
		t.Errorf("sent %v, received %v", sent, received)
	}
	for _, name := range []string{path, boxes} {
		if report, code := wantChecks(t, "", "--json", name); code > 1 || !strings.Contains(report, `"side": "A"`) || !strings.Contains(report, `"events": 1`) {
			t.Errorf("check %s: exit %d, printed %s", name, code, report)
		}
	}
	again := referee(t, filepath.Join(dir, "again"), "--json", "--home", "39")
	if err := json.Unmarshal([]byte(again.line(t)), &at); err != nil {
		t.Fatal(err)
	}
	replays(t, path, at.BaseStations, sent[matchlog.Home])
	again.interrupt()
	<-again.code
}

// Recording into a file that exists is refused, since it may be the last match's log.
func TestRecordExists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	_, errs, code := touchline(t, "monitor", "--http", "127.0.0.1:0", "--duration", "1s", "--record", path)
	if code != 2 || !strings.Contains(errs, "--record "+path) || !strings.Contains(errs, "new file") {
		t.Errorf("exit %d, printed %s", code, errs)
	}
}

// A pcap file has the datagrams with their addresses.
func TestPcapRecord(t *testing.T) {
	for _, pairs := range [][][2]string{
		{{"127.0.0.1:4000", "127.0.0.1:20011"}, {"127.0.0.1:20011", "224.0.0.1:10002"}, {"127.0.0.1:4000", "0.0.0.0:0"}},
		{{"[::1]:4000", "[::1]:20011"}, {"[::]:0", "[::1]:9"}},
	} {
		name := filepath.Join(t.TempDir(), "all.pcap")
		r, err := openPcap(name, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range pairs {
			r.datagram(soccer.Epoch, netip.MustParseAddrPort(pair[0]), netip.MustParseAddrPort(pair[1]), []byte{byte(i), 1, 2})
		}
		if err := r.close(); err != nil {
			t.Fatal(err)
		}
		for i, pair := range pairs {
			all := udpPackets(t, name, netip.MustParseAddrPort(pair[1]))
			if len(all) != 1 || all[0].From.String() != pair[0] || !bytes.Equal(all[0].Data, []byte{byte(i), 1, 2}) {
				t.Errorf("packets to %s: %+v", pair[1], all)
			}
		}
		if strings.HasPrefix(pairs[0][0], "127.") {
			checkReads(t, name, pairs[0])
		}
	}
}

// checkReads reads the packet from one address to the other as touchline check does.
func checkReads(t *testing.T, name string, pair [2]string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c, err := capture.NewReader(file, func(to netip.AddrPort, _ []byte) bool { return to.String() == pair[1] })
	if err != nil {
		t.Fatal(err)
	}
	packet, err := c.Next()
	if err != nil || packet.Time != soccer.Epoch || packet.From.String() != pair[0] {
		t.Errorf("touchline check reads %+v, %v", packet, err)
	}
	for err == nil {
		_, err = c.Next()
	}
	if !errors.Is(err, io.EOF) || c.Skipped.Unknown > 0 || c.Skipped.Torn {
		t.Errorf("%v, %+v", err, c.Skipped)
	}
}

// udpPackets returns the datagrams to an address in a pcap file of IP packets.
func udpPackets(t *testing.T, name string, to netip.AddrPort) (all []soccer.Packet) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := pcapgo.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for {
		b, _, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		first := layers.LayerTypeIPv4
		if b[0]>>4 == 6 {
			first = layers.LayerTypeIPv6
		}
		p := gopacket.NewPacket(b, first, gopacket.Default)
		udp, ok := p.TransportLayer().(*layers.UDP)
		if !ok {
			t.Fatalf("recorded %v", p)
		}
		address := func(ip gopacket.Endpoint, port layers.UDPPort) netip.AddrPort {
			a, _ := netip.AddrFromSlice(ip.Raw())
			return netip.AddrPortFrom(a, uint16(port))
		}
		flow := p.NetworkLayer().NetworkFlow()
		if address(flow.Dst(), udp.DstPort) == to {
			all = append(all, soccer.Packet{From: address(flow.Src(), udp.SrcPort), Data: udp.Payload})
		}
	}
}

// The page shows that a full disk keeps packets from the record; the simulator runs on.
func TestSimVSSFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Logf("no /dev/full here: %v", err)
		return
	}
	f := simFlags{config: vssnet.DefaultConfig(), headless: true, record: recordFlag{file: "/dev/full"}}
	f.config.Commands, f.config.Vision = "127.0.0.1:0", []string{"127.0.0.1:1"}
	f.config.RefereeGroup, f.config.PlacementGroup = "224.5.23.2:20103", "224.5.23.2:20104"
	sim, err := f.open(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- sim.play(ctx) }()
	shown := func() *vss.Show { return sim.show("vss").(*vss.Show) }
	wiretest.Eventually(t, "the page shows that packets are missing", func() bool { return strings.Contains(shown().Trouble, "are not recorded") })
	then := shown().Time
	wiretest.Eventually(t, "the simulation continues", func() bool { return shown().Time > then })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := sim.close(); err == nil || !strings.Contains(err.Error(), "--record /dev/full: ") || !strings.Contains(err.Error(), "no space") {
		t.Errorf("got the error %v", err)
	}
}

// A pcap file ends with a whole packet when its disk is full, and packets are recorded again once there is room.
func TestPcapFullDisk(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "all.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for room := range int64(200) { // bytes of the first packets
		_, err := file.Seek(0, io.SeekStart)
		if err = errors.Join(err, file.Truncate(0)); err != nil {
			t.Fatal(err)
		}
		disk := &fullDisk{File: file, room: room}
		f, err := newPcapFile(disk)
		if err != nil {
			t.Fatal(err)
		}
		var messages []matchlog.Message
		for i := range 3 {
			p := soccer.Packet{Time: soccer.Epoch, Channel: "127.0.0.1:20011", From: netip.MustParseAddrPort("127.0.0.1:4000"), Data: []byte{byte(i)}}
			messages = append(messages, matchlog.Message{Time: p.Time, Channel: matchlog.Packets, Data: matchlog.AppendPacket(nil, &p)})
		}
		n, err := f.WriteAll(messages)
		if (err == nil) != (n == 3) {
			t.Fatalf("room for %d bytes: %d packets, %v", room, n, err)
		}
		disk.room = 1 << 20
		if last, err := f.WriteAll(messages[n:]); err != nil || n+last != 3 {
			t.Fatalf("room for %d bytes: %d packets, then %d, %v", room, n, last, err)
		}
		all := udpPackets(t, file.Name(), netip.MustParseAddrPort("127.0.0.1:20011"))
		if len(all) != 3 || all[0].Data[0] != 0 || all[1].Data[0] != 1 || all[2].Data[0] != 2 {
			t.Fatalf("room for %d bytes: got %+v", room, all)
		}
	}
}

// fullDisk is a file on a disk with little room.
type fullDisk struct {
	*os.File
	room int64 // bytes
}

func (d *fullDisk) Write(b []byte) (int, error) {
	n, err := d.File.Write(b[:min(int64(len(b)), d.room)])
	if d.room -= int64(n); n < len(b) && err == nil {
		err = errors.New("no space left on device")
	}
	return n, err
}

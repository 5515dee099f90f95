package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/capture"
	"touchline/internal/check"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport"
	"touchline/wire"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// beliefs returns n datagrams of a robot with a belief each, 50 ms apart. scale multiplies X of its pose.
func beliefs(t *testing.T, n int, scale float32, key *tcm.Key) (packets []soccer.Packet) {
	t.Helper()
	for i := range n {
		now := soccer.Epoch.Add(time.Duration(i) * 50 * time.Millisecond)
		m := team.Belief{Self: team.Self{Known: true, X: 2, Y: float32(i) * 0.02, Confidence: 0.9}}
		data, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		x := slices.IndexFunc(team.Fields(team.TypeBelief, data), func(f wire.Field) bool { return f.Name == "self.x" })
		binary.LittleEndian.PutUint32(data[team.Fields(team.TypeBelief, data)[x].Offset:], math.Float32bits(2*scale))
		h := tcm.Header{
			Team: 1, From: tcm.Entity{Kind: tcm.Robot, ID: 3}, To: tcm.Entity{Kind: tcm.Robot}, Boot: 5, Sequence: uint64(i + 1),
			Sent: uint64(now),
		}
		p := tcm.Piece{Module: tcm.GM, Type: tcm.Belief, Number: uint32(i), Captured: uint64(now) - 30e6, Data: data}
		packets = append(packets, soccer.Packet{
			Time: now.Add(time.Millisecond), From: netip.MustParseAddrPort("10.0.0.3:23000"), Channel: "239.255.42.1:23000",
			Data: tcm.Seal(p.Append(h.Append(nil)), key),
		})
	}
	return packets
}

// files writes packets as pcap, as a burst in a pcap, as hex and as a log, and returns the paths.
func tcmFiles(t *testing.T, packets []soccer.Packet) map[string]string {
	t.Helper()
	dir := t.TempDir()
	paths := map[string]string{}
	create := func(name string) *os.File {
		paths[name] = filepath.Join(dir, name)
		f, err := os.Create(paths[name])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	single, err := capture.NewPcapWriter(create("single.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	bursts, err := capture.NewPcapWriter(create("bursts.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	text := create("text.hex")
	log, err := matchlog.Create(filepath.Join(dir, "log.mcap"), nil)
	paths["log.mcap"] = filepath.Join(dir, "log.mcap")
	var burst soccer.Packet
	for i := range packets {
		p := &packets[i]
		to := netip.MustParseAddrPort(p.Channel)
		burst.Time, burst.From, burst.Data = p.Time, p.From, append(burst.Data, p.Data...)
		if i%10 == 9 {
			err = errors.Join(err, bursts.WritePacket(&burst, to))
			burst.Data = nil
		}
		fmt.Fprintln(text, hex.EncodeToString(p.Data))
		err = errors.Join(err, single.WritePacket(p, to), log.Write(matchlog.Message{
			Time: p.Time, Channel: matchlog.PacketChannel(p), Data: matchlog.AppendPacket(nil, p),
		}))
	}
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	return paths
}

// tcmReport checks a file and returns what the report says of its only sender.
func tcmReport(t *testing.T, args ...string) (check.Sender, int) {
	t.Helper()
	out, code := wantChecks(t, "", append(args, "--json")...)
	var report checkReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if len(report.Inputs) != 1 || len(report.Inputs[0].Report.Senders) != 1 {
		t.Fatalf("got %s, want one sender", out)
	}
	return report.Inputs[0].Report.Senders[0], code
}

// A robot's datagrams are one stream in every kind of file; a loss is counted and is no fault.
func TestCheckTCM(t *testing.T) {
	packets := slices.Delete(beliefs(t, 101, 1, nil), 50, 51)
	for name, path := range tcmFiles(t, packets) {
		s, code := tcmReport(t, path)
		if code != 0 || s.TCM == nil || s.TCM.Entity != "robot:3" || s.TCM.Team != 1 || s.Packets != 100 || len(s.Findings) > 0 {
			t.Errorf("%s: exit %d, got %+v", name, code, s)
			continue
		}
		if st := s.TCM.Streams[0]; st.To != "robots" || st.Received != 100 || st.Lost != 1 {
			t.Errorf("%s: got %+v", name, st)
		}
		if ty := s.TCM.Types[0]; ty.Type != "belief" || ty.Module != "GM" || ty.Received != 100 || ty.Lost != 1 {
			t.Errorf("%s: got %+v", name, ty)
		}
		out, _ := wantChecks(t, "", path)
		if !strings.Contains(out, "to robots, socket robots: 100 datagrams, 1 lost") || !strings.Contains(out, "OK: no faults in 100 TCM") {
			t.Errorf("%s: printed\n%s", name, out)
		}
	}
}

// A fault is reported with its first bytes and the fix.
func TestCheckTCMFault(t *testing.T) {
	for name, path := range tcmFiles(t, beliefs(t, 20, 1000, nil)) {
		s, code := tcmReport(t, path)
		if code != 1 || len(s.Findings) != 1 || s.Findings[0].Field != "belief.self.x" || s.Findings[0].Count != 20 ||
			s.Findings[0].Value != "2000 m" || s.Findings[0].Packet != 1 || !strings.Contains(s.Findings[0].Text, "millimetres") {
			t.Errorf("%s: exit %d, got %+v", name, code, s.Findings)
		}
		if out, _ := wantChecks(t, "", path); !strings.Contains(out, "write metres") || !strings.Contains(out, "[00] 00 fa 44") {
			t.Errorf("%s: printed\n%s", name, out)
		}
	}
}

// With TCM.ini the team, the entities and the signatures are compared, too.
func TestCheckTCMDirectory(t *testing.T) {
	dir := t.TempDir()
	ini, secret := filepath.Join(dir, "TCM.ini"), []byte("0123456789abcdef")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(ini, "[team]\nnumber = 1\ngroup = 239.255.42.1:23000\nkey = team.key\n[robots]\n3 = 10.0.0.3:23000\n")
	write(filepath.Join(dir, "team.key"), string(secret))
	key, err := tcm.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	signed, unsigned := tcmFiles(t, beliefs(t, 10, 1, key)), tcmFiles(t, beliefs(t, 10, 1, nil))
	if s, code := tcmReport(t, "--tcm", ini, signed["single.pcap"]); code != 0 || len(s.Findings) > 0 {
		t.Errorf("signed: exit %d, got %+v", code, s.Findings)
	}
	if s, code := tcmReport(t, "--tcm", ini, unsigned["single.pcap"]); code != 1 || len(s.Findings) != 1 {
		t.Errorf("unsigned: exit %d, got %+v", code, s.Findings)
	}
	for args, want := range map[string]string{
		"--tcm " + filepath.Join(dir, "none") + " x":          "--tcm",
		"--live 1s --as robot:3":                              "--as needs --live and --tcm",
		"--live 1s --tcm " + ini + " --group 239.0.0.1:5":     "remove --group or --tcm",
		"--live 1s --tcm " + ini + " --as robot:9":            "gives it no address",
		"--live 1s --tcm " + ini + " --as referee":            "--as",
		"--live 1s --listen 127.0.0.1:1 --tcm " + ini:         "remove one of them",
		"--tcm " + filepath.Join(dir, "team.key") + " x.pcap": "line 1",
	} {
		if out, code := wantChecks(t, "", strings.Fields(args)...); code != 2 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, printed %s, want %q", args, code, out, want)
		}
	}
}

// A live check receives the broadcasts of a team, and with --as what is sent to one robot.
func TestCheckTCMLive(t *testing.T) {
	base := wiretest.FreePorts(t, "udp", tcm.Sockets)
	group := netip.MustParseAddrPort(fmt.Sprintf("224.16.32.75:%d", wiretest.FreePorts(t, "udp", tcm.Sockets)))
	ini := filepath.Join(t.TempDir(), "TCM.ini")
	text := fmt.Sprintf("[team]\nnumber = 1\ngroup = %s\n[robots]\n3 = 127.0.0.1:%d\n", group, base)
	if err := os.WriteFile(ini, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	packets := beliefs(t, 20, 1, nil)
	own := teamcom.Port(netip.MustParseAddrPort(fmt.Sprintf("127.0.0.1:%d", base)), tcm.Robots)
	for _, v := range []struct{ as, want string }{{"", group.String()}, {"robot:3", own.String()}} {
		f := checkFlags{live: 2 * time.Second, tcm: ini, as: v.as}
		report, err := f.check(t.Context(), nil, nil, onText(func(string) { // it listens now
			if v.as == "" {
				sender, err := transport.Dial(transport.DefaultConfig(group))
				if err != nil {
					t.Error(err)
					return
				}
				defer sender.Close()
				for i := range packets {
					if err := sender.Send(packets[i].Data); err != nil {
						t.Error(err)
					}
				}
				return
			}
			conn, err := net.Dial("udp", own.String())
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			for i := range packets {
				if _, err := conn.Write(packets[i].Data); err != nil {
					t.Error(err)
				}
			}
		}))
		if err != nil || !report.OK || report.Inputs[0].Report.TCM != 20 || !strings.Contains(report.Inputs[0].Name, v.want) {
			t.Errorf("--as %q: got %+v, %v", v.as, report, err)
		}
	}
}

// A recording or capture that was cut off says so, as text and as JSON.
func TestCheckTorn(t *testing.T) {
	files := tcmFiles(t, beliefs(t, 100, 1, nil))
	for _, name := range []string{"log.mcap", "single.pcap"} {
		b, err := os.ReadFile(files[name])
		if err != nil {
			t.Fatal(err)
		}
		torn := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(torn, b[:len(b)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		if out, _ := wantChecks(t, "", torn); !strings.Contains(out, "\n  torn: ") {
			t.Errorf("%s: printed %s", name, out)
		}
		out, _ := wantChecks(t, "", "--json", torn)
		var r checkReport
		if err := json.Unmarshal([]byte(out), &r); err != nil || !r.Inputs[0].Skipped.Torn || len(r.Inputs[0].Notes) != 1 {
			t.Errorf("%s: %v in %s", name, err, out)
		}
	}
}

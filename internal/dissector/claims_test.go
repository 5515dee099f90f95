package dissector_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"touchline/wire"
	"touchline/wire/ssl"
)

// stranger makes packets of another protocol.
type stranger struct {
	name string
	to   []string
	make func(rng *rand.Rand) []byte
	of   string // the protocol that may claim them, too; "" for none
}

var strangers = []stranger{
	{"DNS", []string{"127.0.0.1:53", "127.0.0.1:5555"}, func(rng *rand.Rand) []byte {
		return query(rng, uint16(rng.Uint32()), 0x0100)
	}, ""},
	{"mDNS", []string{"224.0.0.251:5353", "224.5.23.2:10010"}, func(rng *rand.Rand) []byte { return query(rng, 0, 0x8400) }, ""},
	{"RTPS", []string{"239.255.0.1:7400", "127.0.0.1:7411", "127.0.0.1:2005", "127.0.0.1:10300"}, rtps, ""},
	{"SSL referee", []string{"224.5.23.1:10003", "127.0.0.1:10003", "224.5.23.1:11003"}, sslReferee, "smallsize"},
	{"SSL tracker", []string{"224.5.23.2:10010", "224.5.23.2:10006"}, sslTracker, "smallsize"},
	{"text", []string{"127.0.0.1:2005", "127.0.0.1:10002", "127.0.0.1:1900", "127.0.0.1:10301"}, text, ""},
	{"random", []string{
		"127.0.0.1:2005", "224.16.32.75:2005", "224.0.0.1:10002", "224.0.0.1:10020", "127.0.0.1:20011", "224.5.23.2:10003",
		"224.5.23.2:10004", "224.5.23.2:10015", "127.0.0.1:40001", "224.5.23.2:10006", "224.5.23.2:10010", "224.5.23.1:10003",
		"127.0.0.1:10300", "127.0.0.1:10301", "127.0.0.1:10302",
	}, random, ""},
}

// query is a question of DNS, with a name of a few words.
func query(rng *rand.Rand, id, flags uint16) []byte {
	b := binary.BigEndian.AppendUint16(nil, id)
	b = binary.BigEndian.AppendUint16(b, flags)
	b = append(b, 0, 1, 0, 0, 0, 0, 0, 0)
	for range 1 + rng.IntN(4) {
		word := make([]byte, 1+rng.IntN(15))
		for i := range word {
			word[i] = byte('a' + rng.IntN(26))
		}
		b = append(append(b, byte(len(word))), word...)
	}
	return append(b, 0, 0, byte(1+rng.IntN(28)), 0, 1)
}

// rtps is a message of DDS: header, an INFO_TS and a DATA submessage.
func rtps(rng *rand.Rand) []byte {
	b := append([]byte("RTPS"), 2, byte(1+rng.IntN(4)), 1, 0x0f)
	for range 12 {
		b = append(b, byte(rng.Uint32()))
	}
	b = binary.LittleEndian.AppendUint64(append(b, 9, 1, 8, 0), rng.Uint64())
	n := 4 * (6 + rng.IntN(40))
	b = binary.LittleEndian.AppendUint16(append(b, 0x15, 5), uint16(n))
	for range n {
		b = append(b, byte(rng.Uint32()))
	}
	return b
}

// sslReferee is the Referee of the Small Size League: packet_timestamp, stage, command and two teams.
func sslReferee(rng *rand.Rand) []byte {
	number := func(b []byte, num protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
	}
	team := func(name string) []byte {
		b := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		for num := protowire.Number(2); num < 8; num++ {
			b = number(b, num, uint64(rng.IntN(300)))
		}
		return b
	}
	b := number(nil, 1, 1_600_000_000_000_000+uint64(rng.IntN(1e9)))
	b = number(b, 2, uint64(rng.IntN(14)))
	b = number(b, 3, uint64(rng.IntN(300_000_000)))
	b = number(b, 4, uint64(rng.IntN(19)))
	b = number(b, 5, uint64(rng.IntN(100)))
	b = number(b, 6, 1_600_000_000_000_000+uint64(rng.IntN(1e9)))
	b = protowire.AppendBytes(protowire.AppendTag(b, 7, protowire.BytesType), team("Yellow"))
	return protowire.AppendBytes(protowire.AppendTag(b, 8, protowire.BytesType), team("Blue"))
}

// sslTracker is a TrackerWrapperPacket: the source's uuid and name, and a frame with robots.
func sslTracker(rng *rand.Rand) []byte {
	float := func(b []byte, num protowire.Number) []byte {
		return protowire.AppendFixed32(protowire.AppendTag(b, num, protowire.Fixed32Type), 0x3f000000+uint32(rng.IntN(1<<20)))
	}
	frame := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(rng.IntN(1e6)))
	frame = protowire.AppendFixed64(protowire.AppendTag(frame, 2, protowire.Fixed64Type), rng.Uint64())
	for range 1 + rng.IntN(12) {
		place := float(float(nil, 1), 2)
		robot := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), place)
		robot = float(robot, 3)
		frame = protowire.AppendBytes(protowire.AppendTag(frame, 4, protowire.BytesType), robot)
	}
	b := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "0b9fbc68-3c4e-4c3e-8a9b-7d1f1c2d3e4f")
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), "TIGERs")
	return protowire.AppendBytes(protowire.AppendTag(b, 3, protowire.BytesType), frame)
}

func text(rng *rand.Rand) []byte {
	words := []string{"{", "}", "hello", "NOTIFY * HTTP/1.1\r\n", "\"ball\":", "12.5", " ", "\n", "{\"id\": 3}"}
	var b strings.Builder
	for range 1 + rng.IntN(60) {
		b.WriteString(words[rng.IntN(len(words))])
	}
	return []byte(b.String())
}

// random are random bytes, which often begin like a packet of ours.
func random(rng *rand.Rand) []byte {
	b := make([]byte, 1+rng.IntN(300))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	switch rng.IntN(4) {
	case 0:
		b[0] = 123
	case 1:
		copy(b, []byte{123, 2})
	case 2:
		copy(b, "TC")
	}
	return b
}

// TestClaims: of 100,000 packets of other protocols none is claimed, and of the vectors all are.
func TestClaims(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	n := 100_000
	if testing.Short() {
		n = 5000
	}
	packets := make([]packet, n)
	for i := range packets {
		s := &strangers[i%len(strangers)]
		packets[i] = packet{netip.MustParseAddrPort(s.to[rng.IntN(len(s.to))]), s.make(rng), 0}
	}
	var ours []string
	known := append(slices.Clone(protocols), small(ssl.KindSyncResponse, "127.0.0.1:40001", ssl.YellowPort, "ssl-sync-response"))
	for i := range known {
		p := &known[i]
		for _, b := range seeds(t, p) {
			if len(b) < 4 || p.fields(b) == nil || slices.ContainsFunc(p.issues(b), func(i wire.Issue) bool { return !i.Note }) {
				continue
			}
			packets = append(packets, packet{p.to, b, p.from})
			ours = append(ours, p.name)
		}
	}
	out := tshark(t, "-r", write(t, packets), "-T", "fields", "-e", "frame.protocols")
	lines := strings.Split(strings.TrimSpace(string(bytes.ToLower(out))), "\n")
	if len(lines) != len(packets) {
		t.Fatalf("%d packets, want %d", len(lines), len(packets))
	}
	wrong := 0
	for i, line := range lines {
		claimed := slices.ContainsFunc(strings.Split(line, ":"), func(name string) bool {
			return slices.Contains(prefixes, name) && (i >= n || name != strangers[i%len(strangers)].of)
		})
		switch {
		case i < n && claimed:
			if wrong++; wrong <= 5 {
				t.Errorf("a packet of %s to %v is claimed: %s\n%x",
					strangers[i%len(strangers)].name, packets[i].to, line, packets[i].data)
			}
		case i >= n && !strings.Contains(line, ours[i-n]):
			if wrong++; wrong <= 5 {
				t.Errorf("a packet of %s is not claimed: %s\n%x", ours[i-n], line, packets[i].data)
			}
		}
	}
	t.Logf("%d packets of others, %d of ours, %d wrong", n, len(ours), wrong)
}

// BenchmarkTshark dissects 100,000 packets, half of them mixed team packages and half TCM datagrams.
func BenchmarkTshark(b *testing.B) {
	const n = 100_000
	all := [][][]byte{seeds(b, &protocols[0]), seeds(b, &protocols[1])}
	packets := make([]packet, n)
	for i := range packets {
		p := i % 2
		packets[i] = packet{protocols[p].to, all[p][i/2%len(all[p])], 0}
	}
	file := write(b, packets)
	for b.Loop() {
		tshark(b, "-r", file)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "packets/s")
}

package dissector_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"touchline/wire/msl"
)

// TestLua54 runs the dissector with the Lua of Wireshark 4.4 and newer, on a mock of Wireshark's interface: Debian's tshark
// has an older one, in which whole numbers are floats.
func TestLua54(t *testing.T) {
	lua := tool(t, "lua5.4")
	rng := rand.New(rand.NewPCG(31, 4))
	stations := station
	stations.to = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), msl.Port)
	var of []*protocol
	var packets [][]byte
	var in strings.Builder
	add := func(p *protocol, b []byte) {
		of, packets = append(of, p), append(packets, b)
		if p.name == "msl" {
			b = append(b[:len(b):len(b)], 0)
		}
		fmt.Fprintf(&in, "%s %v %d %d %x\n", p.name, p.to.Addr(), p.to.Port(), p.from, b)
	}
	for _, p := range append([]protocol{stations}, protocols...) {
		all := seeds(t, &p)
		for _, b := range all {
			if p.name == "msl" && (msl.Fields(b) == nil || strings.Contains(string(b), "\x00")) {
				continue
			}
			add(&p, b)
		}
		for range 100 {
			if p.name != "msl" {
				add(&p, mutate(rng, &p, all[rng.IntN(len(all))]))
			}
		}
	}
	c := exec.Command(lua, "testdata/mock.lua", script(t))
	c.Stdin = strings.NewReader(in.String())
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out[max(0, len(out)-2000):])
	}
	all := strings.Split(string(out), "end\n")
	if len(all) != len(packets)+1 {
		t.Fatalf("%d answers, want %d", len(all)-1, len(packets))
	}
	failed := 0
	for i, b := range packets {
		var d dissected
		for line := range strings.SplitSeq(strings.TrimSpace(all[i]), "\n") {
			parts := strings.SplitN(line, " ", 5)
			if len(parts) < 5 {
				continue
			}
			f := shown{name: parts[0], value: strings.TrimPrefix(parts[3], "-"), label: parts[4]}
			f.pos, _ = strconv.Atoi(parts[1])
			f.size, _ = strconv.Atoi(parts[2])
			if strings.HasSuffix(f.name, ".expert") {
				d.faults = append(d.faults, f)
			} else {
				d.fields = append(d.fields, f)
			}
		}
		difference := ""
		if of[i].fields(b) != nil {
			difference = compareFields(of[i], b, d.fields)
		}
		if difference == "" {
			difference = compareFaults(of[i], b, d.faults)
		}
		if difference != "" {
			if failed++; failed <= 5 {
				t.Errorf("packet %d, %s: %s\n%x", i+1, of[i].name, difference, b)
			}
		}
	}
	t.Logf("%d packets, %d differ", len(packets), failed)
}

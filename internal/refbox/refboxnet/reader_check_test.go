package refboxnet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/wire/msl"
	"touchline/wire/wiretest"
)

// asProgram is the first argument that turns this program into a base station; its kind and the address follow.
const asProgram = "base-station"

func TestMain(m *testing.M) {
	if len(os.Args) != 4 || os.Args[1] != asProgram {
		os.Exit(m.Run())
	}
	conn, err := net.Dial("tcp", os.Args[3])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	programs[os.Args[2]](conn)
}

// programs are base stations of teams.
var programs = map[string]func(net.Conn){
	"splits": func(conn net.Conn) {
		var split msl.Splitter
		each(conn, func(b []byte) { split.Split(b, show) })
	},
	// As MixedTeamProtocol's, which also sleeps.
	"first": func(conn net.Conn) {
		each(conn, func(b []byte) {
			first, _, _ := bytes.Cut(b, []byte{0})
			show(first)
		})
	},
	"silent": func(conn net.Conn) { each(conn, func([]byte) {}) },
	"answers": func(conn net.Conn) {
		var split msl.Splitter
		each(conn, func(b []byte) {
			split.Split(b, func(message []byte) {
				var c msl.Command
				if c.UnmarshalBinary(message) == nil && c.Name == msl.IsAlive {
					fmt.Fprintf(conn, "{\"type\":\"event\",\"robotId\":%d,\"event\":\"received IS_ALIVE\"}\x00", c.RobotID)
				}
			})
		})
	},
	"leaves": func(conn net.Conn) { conn.Close() },
}

// each reads until the connection ends.
func each(conn net.Conn, take func([]byte)) {
	for b := make([]byte, 4096); ; {
		n, err := conn.Read(b)
		if err != nil {
			return
		}
		take(b[:n])
	}
}

// show prints a message that is one JSON object.
func show(message []byte) {
	var m struct {
		Command string
		RobotID int
	}
	if json.Unmarshal(message, &m) == nil {
		fmt.Println(m.Command, "robot", m.RobotID)
	}
}

// check checks a program.
func check(t *testing.T, kind string) (refboxnet.ReaderReport, error) {
	t.Helper()
	cfg := refboxnet.DefaultReaderConfig()
	cfg.Listen = "127.0.0.1:" + wiretest.FreePort(t, "tcp")
	cfg.Program = []string{os.Args[0], asProgram, kind, cfg.Listen}
	if kind != "first" { // it alone needs a read for each of the first messages
		cfg.Apart = 20 * time.Millisecond
	}
	cfg.Settle = time.Second
	return refboxnet.CheckReader(t.Context(), cfg)
}

// Each program is read as it is. TestVerdicts has further outputs.
func TestPrograms(t *testing.T) {
	for _, test := range []struct {
		program, verdict, how string
		read                  []int // by stage, at most; nil: unknown
	}{
		{"splits", refbox.Reads, "output", []int{6, 6, 6, 2}},
		{"answers", refbox.Reads, "answers", []int{6, 6, 6, 2}},
		{"first", refbox.Loses, "output", []int{6, 6, 1, 1}},
		{"silent", refbox.Unknown, "", nil},
	} {
		t.Run(test.program, func(t *testing.T) {
			t.Parallel()
			r, err := check(t, test.program)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != test.verdict || len(r.Stages) != 4 {
				t.Fatalf("got %+v", r)
			}
			for i, s := range r.Stages {
				if s.How != test.how || (s.Read == nil) != (test.read == nil) {
					t.Errorf("stage %s: %+v", s.Name, s)
				} else if s.Read != nil && *s.Read > test.read[i] {
					t.Errorf("stage %s: %d messages read, want at most %d", s.Name, *s.Read, test.read[i])
				}
			}
		})
	}
}

func TestProgramEnds(t *testing.T) {
	if r, err := check(t, "leaves"); err == nil || !strings.Contains(err.Error(), "closed its connection") {
		t.Errorf("got %+v, %v", r, err)
	}
	cfg := refboxnet.DefaultReaderConfig()
	cfg.Listen, cfg.Program = "127.0.0.1:0", []string{"/no/such/program"}
	if _, err := refboxnet.CheckReader(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Errorf("a missing program: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cfg.Program = nil
	if _, err := refboxnet.CheckReader(ctx, cfg); err == nil {
		t.Error("an interrupted check has no error")
	}
}

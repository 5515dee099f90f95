package match

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"
	"time"

	"touchline/game"

	"touchline/soccer"
	"touchline/transport/traffic"
)

// A match gives the same bytes on every processor, however it is built, and twice in one program: datagrams with their
// times, and the commands of the referee box. ./check also runs this test built with GOAMD64=v3.
func TestGoldenMatch(t *testing.T) {
	for name, c := range map[string]struct {
		golden string
		change func(*MatchConfig)
	}{
		"drawn poses": {"18e1e715757ea012", func(*MatchConfig) {}},
		"poses that the robots find": {"fe66b0104abd5c24", func(c *MatchConfig) {
			c.Localise, c.Mixed, c.Debug = true, true, true
		}},
	} {
		cfg := DefaultMatchConfig()
		cfg.Half = 5 * time.Second
		cfg.Seed, cfg.Link = 7, traffic.Link{Loss: 0.1, Jitter: 5 * time.Millisecond}
		c.change(&cfg)
		got := digest(t, cfg)
		if again := digest(t, cfg); again != got {
			t.Errorf("%s: the same seed gave %s, then %s", name, got, again)
		}
		if got != c.golden {
			t.Errorf("%s: got %q, want %q. After an intended change of what robots do, replace the constant in "+
				"golden_test.go by what this prints: go test ./internal/match -run TestGoldenMatch", name, got, c.golden)
		}
	}
}

// digest plays a match to its end and returns a hash of all that it put out.
func digest(t *testing.T, cfg MatchConfig) string {
	t.Helper()
	h := sha256.New()
	note := func(at soccer.Time, data []byte) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(at)))
		h.Write(data)
	}
	m := open(t, cfg, Tap{
		Packet:  func(side game.Side, p *soccer.Packet) { note(p.Time+soccer.Time(side.Index()), p.Data) },
		Command: note,
	})
	for range 300 {
		if m.Over() {
			break
		}
		matchAdvance(m, time.Second)
	}
	if !m.Over() {
		t.Fatal("the match does not end")
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

package refbox_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/refbox"
	"touchline/soccer"
)

const (
	ms   = time.Millisecond
	read = 20 * ms // between two reads of a client
)

// burst returns messages as the referee box sends them: "REPAIR START".
func burst(commands string) []byte {
	var b []byte
	for c := range strings.FieldsSeq(commands) {
		b = fmt.Appendf(b, "{\n  \"command\": %q,\n  \"targetTeam\": \"\"\n}\x00", c)
	}
	return b
}

// left is a message that has left.
type left struct {
	after   time.Duration // since soccer.Epoch
	command string
}

func (l left) String() string { return fmt.Sprintf("%s %d", l.command, l.after/ms) }

// bench runs a queue in virtual time.
type bench struct {
	queue  refbox.SendQueue
	now    soccer.Time
	bursts int
	left   []left
	void   []string
}

func newBench() *bench { return &bench{now: soccer.Epoch} }

func (b *bench) add(commands string) {
	b.bursts++
	for _, m := range b.queue.Add(b.now, b.bursts, burst(commands)) {
		b.void = append(b.void, m.Command)
	}
	b.send()
}

func (b *bench) send() {
	for {
		m, ok := b.queue.Next(b.now)
		if !ok {
			return
		}
		b.left = append(b.left, left{b.now.Sub(soccer.Epoch), m.Command})
	}
}

func (b *bench) run(d time.Duration) {
	end := b.now.Add(d)
	for due, ok := b.queue.Due(); ok && due <= end; due, ok = b.queue.Due() {
		b.now = max(b.now, due)
		b.send()
	}
	b.now = end
}

func TestQueue(t *testing.T) {
	type step struct {
		after time.Duration
		add   string
	}
	for _, test := range []struct {
		name       string
		steps      []step
		want, void string
	}{
		{"one message leaves at once", []step{{0, "FREEKICK"}}, "FREEKICK 0", ""},
		{"a burst leaves apart, START last", []step{{0, "REPAIR FIRST_HALF START"}}, "REPAIR 0, FIRST_HALF 25, START 50", ""},
		{"seven messages leave within the bound", []step{{0, "A B C D E F START"}},
			"A 0, B 24, C 48, D 72, E 96, F 120, START 145", ""},
		{"a long burst has smaller gaps, but START a whole one", []step{{0, "A B C D E F G H I J START"}},
			"A 0, B 13, C 26, D 39, E 53, F 66, G 79, H 93, I 106, J 119, START 144", ""},
		{"a second burst waits for the first one", []step{{0, "A B"}, {10, "C D"}}, "A 0, B 25, C 50, D 75", ""},
		{"STOP leaves at once", []step{{0, "FREEKICK"}, {1, "STOP"}}, "FREEKICK 0, STOP 1", ""},
		{"STOP overtakes cards, which still leave", []step{{0, "REPAIR YELLOW_CARD RED_CARD START"}, {10, "STOP"}},
			"REPAIR 0, STOP 10, YELLOW_CARD 35, RED_CARD 60", "START"},
		{"STOP makes waiting set pieces void, not the part",
			[]step{{0, "GOAL"}, {1, "KICKOFF"}, {2, "FIRST_HALF START"}, {3, "STOP"}},
			"GOAL 0, STOP 3, FIRST_HALF 28", "KICKOFF START"},
		{"STOP right after START leaves at once", []step{{0, "FIRST_HALF START"}, {30, "STOP"}, {31, "CORNER"}},
			"FIRST_HALF 0, START 25, STOP 30, CORNER 55", ""},
		{"START after a STOP leaves", []step{{0, "A B START"}, {1, "STOP"}, {2, "START"}},
			"A 0, STOP 1, B 26, START 51", "START"},
		{"WELCOME is the first", []step{{0, "WELCOME FIRST_HALF STOP"}}, "WELCOME 0, STOP 25, FIRST_HALF 50", ""},
		{"PARK does not follow a STOP", []step{{0, "HALF_TIME"}, {1, "PARK"}, {2, "STOP"}}, "HALF_TIME 0, STOP 2", "PARK"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench()
			for _, s := range test.steps {
				b.run(soccer.Epoch.Add(s.after * ms).Sub(b.now))
				b.add(s.add)
			}
			b.run(time.Second)
			var got []string
			for _, l := range b.left {
				got = append(got, l.String())
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("left %s, want %s", got, test.want)
			}
			if got := strings.Join(b.void, " "); got != test.void {
				t.Errorf("void %q, want %q", got, test.void)
			}
		})
	}
}

// TestClients sends the bursts of games to clients that read every 20 ms. Each message has a read of its own, whenever
// the client reads and however the referee presses the keys.
func TestClients(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	cards := []string{"REPAIR", "YELLOW_CARD", "RED_CARD", "DOUBLE_YELLOW"}
	for game := range 60 {
		b := newBench()
		for range 40 {
			pending := ""
			for range rng.IntN(6) {
				pending += cards[rng.IntN(len(cards))] + " "
			}
			b.add([]string{"FREEKICK", "KICKOFF", "GOAL"}[rng.IntN(3)])
			b.run(time.Duration(30+rng.IntN(400)) * ms)
			b.add(pending + "SECOND_HALF START")
			b.run(time.Duration(180+rng.IntN(600)) * ms) // a referee needs longer to see a reason for STOP
			b.add("STOP")
			b.run(time.Duration(30+rng.IntN(400)) * ms)
		}
		b.run(time.Second)
		if len(b.void) > 0 {
			t.Fatalf("game %d: void %v", game, b.void)
		}
		for phase := range read / ms {
			if merged := mergedReads(b.left, phase*ms); merged != nil {
				t.Fatalf("game %d, reading at %v: read together %v", game, phase*ms, merged)
			}
		}
	}
}

// mergedReads returns the messages that a client, reading every 20 ms from a time, reads together with another one.
func mergedReads(all []left, from time.Duration) (merged []left) {
	at, before := from, left{}
	for i, l := range all {
		if i > 0 && l.after <= at {
			merged = append(merged, before, l)
		}
		for at < l.after {
			at += read
		}
		before = l
	}
	return merged
}

// TestOvertaking adds random bursts at random times. A STOP leaves at once, and no message is lost or doubled, except
// those that a STOP makes void.
func TestOvertaking(t *testing.T) {
	commands := []string{"START", "STOP", "FREEKICK", "GOAL", "REPAIR", "YELLOW_CARD", "HALF_TIME", "PARK", "STOP"}
	for seed := range uint64(300) {
		rng, b := rand.New(rand.NewPCG(seed, 2)), newBench()
		added := map[string][]time.Duration{}
		for range 30 {
			var all []string
			for range 1 + rng.IntN(3) {
				all = append(all, commands[rng.IntN(len(commands))])
			}
			if slices.Contains(all, "STOP") {
				all = []string{"STOP"} // as the referee box sends it
			}
			at := b.now.Sub(soccer.Epoch)
			for _, c := range all {
				added[c] = append(added[c], at)
			}
			before, void := len(b.left), len(b.void)
			b.add(strings.Join(all, " "))
			if all[0] == "STOP" {
				if len(b.left) == before || b.left[before].command != "STOP" || b.left[before].after != at {
					t.Fatalf("seed %d: STOP at %v did not leave at once: %v", seed, at, b.left)
				}
			} else if len(b.void) > void {
				t.Fatalf("seed %d: %v made %v void", seed, all, b.void[void:])
			}
			b.run(time.Duration(rng.IntN(120)) * ms)
		}
		b.run(time.Second)
		count := map[string]int{}
		for _, l := range b.left {
			count[l.command]++
		}
		for _, c := range b.void {
			if !slices.Contains([]string{"START", "FREEKICK", "PARK"}, c) {
				t.Fatalf("seed %d: %s is void", seed, c)
			}
			count[c]++
		}
		for _, c := range commands {
			n := len(added[c])
			if count[c] != n {
				t.Errorf("seed %d: %d %s, want %d", seed, count[c], c, n)
			}
		}
	}
}

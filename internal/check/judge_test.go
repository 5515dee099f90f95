package check_test

import (
	"encoding/binary"
	"math"
	"net/netip"
	"os"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/wiretest"
)

// turnFrame applies a function to all positions and velocities of a package.
func turnFrame(f func(x, y float64) (float64, float64)) func([]byte, float64) []byte {
	return func(b []byte, _ float64) []byte {
		vectors(b, func(at int, _ bool) {
			x, y := f(get(b, at), get(b, at+2))
			put(b, at, x)
			put(b, at+2, y)
		})
		return b
	}
}

func heading(f func(mrad float64) float64) func([]byte, float64) []byte {
	return func(b []byte, _ float64) []byte {
		const turn = 2000 * pi
		put(b, theta, math.Trunc(math.Mod(f(get(b, theta))+2*turn, turn)))
		return b
	}
}

func clock(f func(t float64) float64) func([]byte, float64) []byte {
	return func(b []byte, t float64) []byte {
		binary.LittleEndian.PutUint32(b[stamp:], uint32(f(t)))
		return b
	}
}

// Each fault of a moving robot is found within 5 s, and no other robot is blamed. `go test -v` prints the times.
func TestFaultsAreFoundWithin5Seconds(t *testing.T) {
	negated := func(x, y float64) (float64, float64) { return -x, -y }
	for _, c := range []struct {
		name   string
		short  string
		note   bool
		silent bool // the robot leaves its velocity at 0
		mutate func([]byte, float64) []byte
	}{
		{"metres", "metres", false, false, func(b []byte, _ float64) []byte {
			vectors(b, func(at int, _ bool) {
				put(b, at, math.Trunc(get(b, at)/1000))
				put(b, at+2, math.Trunc(get(b, at+2)/1000))
			})
			return b
		}},
		{"own pose in metres", "metres", false, false, func(b []byte, _ float64) []byte {
			for _, at := range []int{self, self + 2, vx, vy} {
				put(b, at, math.Trunc(get(b, at)/1000))
			}
			return b
		}},
		{"own pose in metres, velocity in mm/s", "metres", false, false, func(b []byte, _ float64) []byte {
			put(b, self, math.Trunc(get(b, self)/1000))
			put(b, self+2, math.Trunc(get(b, self+2)/1000))
			return b
		}},
		{"velocities in m/s", "m/s", false, false, func(b []byte, _ float64) []byte {
			put(b, vx, math.Round(get(b, vx)/1000))
			put(b, vy, math.Round(get(b, vy)/1000))
			return b
		}},
		{"degrees", "degrees", false, false, func(b []byte, _ float64) []byte {
			put(b, theta, math.Trunc(get(b, theta)*180/pi/1000))
			return b
		}},
		{"degrees, no velocity", "degrees?", true, true, func(b []byte, _ float64) []byte {
			put(b, theta, math.Trunc(get(b, theta)*180/pi/1000))
			return b
		}},
		{"degrees a second", "degrees/s", false, false, func(b []byte, _ float64) []byte {
			put(b, vtheta, get(b, vtheta)*180/pi/1000)
			return b
		}},
		{"thousandths of a degree a second", "vtheta scale", false, false, func(b []byte, _ float64) []byte {
			put(b, vtheta, max(-32000, min(32000, get(b, vtheta)*180/pi)))
			return b
		}},
		{"heading from X", "theta from X?", true, false, heading(func(a float64) float64 { return a + 500*pi })},
		{"heading from -X", "theta from -X?", true, true, heading(func(a float64) float64 { return a - 500*pi })},
		{"clockwise heading", "turn direction", false, false, heading(func(a float64) float64 { return -a })},
		{"clockwise heading, no velocity", "clockwise?", true, true, heading(func(a float64) float64 { return -a })},
		{"X and Y swapped", "X/Y swapped?", true, true, turnFrame(func(x, y float64) (float64, float64) { return y, x })},
		{"mirrored in X", "clockwise?", true, true, turnFrame(func(x, y float64) (float64, float64) { return -x, y })},
		{"mirrored in Y", "Y mirrored?", true, true, turnFrame(func(x, y float64) (float64, float64) { return x, -y })},
		{"mirrored at the centre", "mirrored?", true, true, turnFrame(negated)},
		{"turned frame, heading too", "frame?", true, false, func(b []byte, t float64) []byte {
			return heading(func(a float64) float64 { return a + 1000*pi })(turnFrame(negated)(b, t), t)
		}},
		{"positions mirrored, velocities not", "velocity frame", false, false, func(b []byte, _ float64) []byte {
			vectors(b, func(at int, position bool) {
				if position {
					put(b, at, -get(b, at))
					put(b, at+2, -get(b, at+2))
				}
			})
			return b
		}},
		{"frozen timestamp", "time frozen", false, false, clock(func(float64) float64 { return 61234 })},
		{"timestamp restarts each second", "time restarts", false, false, clock(func(t float64) float64 {
			return math.Mod(t*1000, 1000)
		})},
		{"timestamp restarted once", "time restarts", false, false, clock(func(t float64) float64 {
			if t < 1.5 {
				return t*1000 + 61000
			}
			return (t - 1.5) * 1000
		})},
		{"timestamp in seconds", "seconds", false, false, clock(func(t float64) float64 { return t + 61 })},
		{"timestamp in microseconds", "time unit", false, false, clock(func(t float64) float64 { return t * 1e6 })},
		{"pose never updated", "pose frozen", false, false, func(b []byte, _ float64) []byte {
			put(b, self, 1200)
			put(b, self+2, -500)
			put(b, theta, 1571)
			return b
		}},
		{"pose never updated, no velocity", "pose frozen", true, true, func(b []byte, _ float64) []byte {
			put(b, self, 1200)
			put(b, self+2, -500)
			put(b, theta, 1571)
			return b
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				cfg := match.DefaultConfig()
				cfg.Seed, cfg.Obstacles, cfg.Substitute = seed+1, 2, [2]time.Duration{}
				cfg.Kick = [2]time.Duration{time.Second, 2 * time.Second}
				s := newSession(t, cfg)
				s.twist, s.silent = !c.silent, c.silent
				faulty := []uint8{2, 3, 4}[seed] // which send 30, 20 and 12.5 packages a second
				s.drives[faulty] = circle(-2, 1, 1.5, []float64{1, 1.4, 0.7}[seed])
				s.drives[1] = circle(3, -1.5, 1.5, 1.2)
				s.mutate[faulty] = c.mutate
				found := time.Duration(0)
				s.run(5*time.Second, func(now soccer.Time, from soccer.Sender) {
					for _, f := range s.judge.Faults(from, now) {
						switch {
						case from.Robot != faulty:
							t.Errorf("seed %d: robot %d is blamed: %s: %s", cfg.Seed, from.Robot, f.Short, f.Text)
						case f.Short == c.short && f.Note == c.note && found == 0:
							found = now.Sub(soccer.Epoch)
							t.Logf("seed %d: found after %.1f s: %s", cfg.Seed, found.Seconds(), f.Text)
						}
					}
				})
				if found == 0 {

					t.Errorf("seed %d: %q not found; got %+v", cfg.Seed, c.short, s.judge.Faults(
						soccer.Sender{Addr: s.addr[faulty], Color: soccer.Cyan, Robot: faulty}, s.match.Now()))
				}
			}
		})
	}
}

// A robot that turns on the spot, with headings in degrees and no velocity, is found once they begin again. One that
// turns back and forth by less than 360 mrad, in the right unit, is not blamed.
func TestDegreesOnTheSpot(t *testing.T) {
	degrees := func(b []byte, _ float64) []byte {
		put(b, theta, math.Trunc(get(b, theta)*180/pi/1000))
		return b
	}
	for _, c := range []struct {
		name    string
		mutate  func([]byte, float64) []byte
		heading func(t float64) float64
		found   bool
	}{
		{"in degrees", degrees, func(t float64) float64 { return 2 * t }, true},
		{"in degrees, clockwise", degrees, func(t float64) float64 { return 3 - 2*t }, true},
		{"in mrad", func(b []byte, _ float64) []byte { return b }, func(t float64) float64 { return 2 * t }, false},
		{"jumps back in mrad", func(b []byte, _ float64) []byte { return b }, func(t float64) float64 { return math.Mod(t/4, 0.3) }, false},
	} {
		s := newSession(t, match.DefaultConfig())
		s.silent = true
		s.drives[2] = func(t float64, _ soccer.Vec) (soccer.Pose, bool) {
			return soccer.Pose{X: -2, Y: 1, Theta: soccer.WrapAngle(c.heading(t))}, true
		}
		s.mutate[2] = c.mutate
		found := false
		s.run(10*time.Second, func(now soccer.Time, from soccer.Sender) {
			for _, f := range s.judge.Faults(from, now) {
				found = found || from.Robot == 2 && f.Short == "degrees" && now.Sub(soccer.Epoch) <= 5*time.Second
				if from.Robot != 2 || !c.found {
					t.Errorf("%s: robot %d is blamed: %s", c.name, from.Robot, f.Text)
				}
			}
		})
		if found != c.found {
			t.Errorf("%s: found %t", c.name, found)
		}
	}
}

// The sender that came later with a number in use is at fault; the other one is told.
func TestSharedNumber(t *testing.T) {
	s := newSession(t, match.DefaultConfig())
	later := netip.MustParseAddrPort("10.0.0.77:5000")
	s.addr[9] = later
	shorts := map[netip.AddrPort]string{}
	s.mutate[3] = func(b []byte, at float64) []byte {
		if at > 1 {
			s.pending = append(s.pending, packet{s.match.Now(), later, b})
		}
		return b
	}
	s.run(3*time.Second, func(now soccer.Time, from soccer.Sender) {
		for _, f := range s.judge.Faults(from, now) {
			shorts[from.Addr] = f.Short
		}
	})
	if len(shorts) != 2 || shorts[later] != "number in use" || shorts[s.addr[3]] != "number shared" {
		t.Errorf("got %v", shorts)
	}
}

// An hour of clean sessions: robots of all behaviours, standing robots, kicks, substitutions, loss and delay.
func TestNoFalseAlarms(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			cfg := match.DefaultConfig()
			cfg.Seed = seed + 1
			if seed%2 == 1 {
				cfg.Field = soccer.MSL22x14()
			}
			cfg.Link.Loss = []float64{0, 0.1, 0.3, 0.05, 0, 0.2}[seed]
			cfg.Link.Delay = []time.Duration{0, 20, 50, 0, 200, 0}[seed] * time.Millisecond
			cfg.Link.Jitter = []time.Duration{0, 30, 100, 250, 0, 5}[seed] * time.Millisecond
			s := newSession(t, cfg)
			s.twist = seed%3 > 0
			w, l := cfg.Field.Width, cfg.Field.Length
			s.drives[1] = zigzag(seed*10+1, 1.5, 0, false)
			s.drives[2] = zigzag(seed*10+2, 2.5, 0, true)
			s.drives[3] = facing(zigzag(seed*10+3, 1, 0, false), 0)
			s.drives[4] = func(t float64, ball soccer.Vec) (soccer.Pose, bool) { // a keeper
				return soccer.Pose{X: -l/2 + 0.5, Y: max(-1, min(1, ball.Y)) * math.Abs(math.Sin(t/3))}, true
			}
			if seed%2 == 0 {
				s.drives[4] = func(t float64, ball soccer.Vec) (soccer.Pose, bool) { // it circles around the ball
					sin, cos := math.Sincos(t)
					return soccer.Pose{X: ball.X + cos, Y: ball.Y + sin, Theta: soccer.WrapAngle(t + pi)}, true
				}
			}
			if seed == 5 { // a robot waits beside the field
				s.drives[1] = func(t float64, _ soccer.Vec) (soccer.Pose, bool) {
					return soccer.Pose{X: 2, Y: w/2 + 0.6, Theta: -pi / 2}, true
				}
			}
			s.run(10*time.Minute, func(now soccer.Time, from soccer.Sender) {
				for _, f := range s.judge.Faults(from, now) {
					if f.First == now {
						t.Errorf("%v: robot %d: %s", now.Sub(soccer.Epoch), from.Robot, f.Text)
					}
				}
			})
			if s.packets < 40_000 {
				t.Errorf("only %d packets were judged", s.packets)
			}
		})
	}
}

// A half that starts restarts the timestamps of all robots, which is right; a single robot's restart is suspicious.
func TestStartOfHalf(t *testing.T) {
	for _, robots := range []int{1, 5} {
		s := newSession(t, match.DefaultConfig())
		for n := range uint8(7) {
			number := n
			s.mutate[n] = func(b []byte, at float64) []byte {
				if robots == 1 && number != 2 {
					return nil // off
				}
				return clock(func(at float64) float64 { return max(0, math.Mod(at, 20)-2) * 1000 })(b, at)
			}
		}
		found := map[string]bool{}
		s.run(35*time.Second, func(now soccer.Time, from soccer.Sender) {
			for _, f := range s.judge.Faults(from, now) {
				found[f.Short] = f.Note
			}
		})
		if note := found["time restarts"]; robots == 5 && len(found) > 0 || robots == 1 && (len(found) != 1 || !note) {
			t.Errorf("%d robots: got %v", robots, found)
		}
	}
}

// One packet of each recorded sender proves nothing.
func TestRecordedPackets(t *testing.T) {
	for i, file := range []string{"spec_packed_169.bin", "falcons_natural_align_188.bin", "cnc_v1_96.bin"} {
		data, err := os.ReadFile(wiretest.Data(t, "mixed-team-packets", file))
		if err != nil {
			t.Fatal(err)
		}
		var p check.Package
		var percepts soccer.Percepts
		if _, err := mixedteam.Decode(data, &p.Header, &percepts); err != nil {
			t.Fatal(err)
		}
		p.From, p.Percepts = soccer.Sender{Color: p.Header.Color, Robot: p.Header.Robot}, &percepts
		var j check.Judge
		j.Observe(soccer.Epoch.Add(time.Duration(i)), &p)
		if f := j.Faults(p.From, soccer.Epoch.Add(time.Second)); len(f) > 0 {
			t.Errorf("%s: got %+v", file, f)
		}
	}
}

package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Source says where games come from.
type Source string

// The sources.
const (
	Generator Source = "generator" // of this package
	Simulator Source = "simulator" // the practical session in virtual time, as touchline demo plays it
)

// Scenario describes the games of one kind. Lengths are in metres, angles in radians.
type Scenario struct {
	Name  string
	About string // in one line

	KickRate           float64 // kicks a second
	KickLeast, KickTop float64 // m/s, speeds of kicks
	Friction           float64 // m/s^2, deceleration of the rolling ball
	Loft               float64 // share of the kicks that go through the air, 20 to 46 degrees up
	Bounce             float64 // vertical speed after a bounce off the floor relative to before
	Placements         float64 // a second: the referee places the ball elsewhere
	HiddenEvery        float64 // s: period after which nobody sees the ball for 0.8 s; 0: never
	Dribbling          bool    // a game: robots hold the ball, bodies hide it, and teammates are seen as obstacles
	HoldLeast, HoldTop float64 // s, for which a robot holds the ball

	Loss        float64       // share of packages lost
	Burst       float64       // mean length of a burst of lost packages; 0: independent losses
	DelayLeast  time.Duration // of a package
	DelayTop    time.Duration
	Late        int           // number of peers whose packages are 200 to 500 ms late
	ClockSpread time.Duration // clocks of peers are off by up to this
	ClockJump   time.Duration // of one peer's clock after 20 s

	Camera       TrialsCamera
	UnequalNoise bool  // three peers with half, twice and three times the noise, and confidences that do not say so
	Fault        Fault // of one or two peers, from faultFrom to faultTo
}

// TrialsCamera holds the errors of a robot's observations and of its pose.
type TrialsCamera struct {
	Rate        float64       // pictures a second
	Delay       time.Duration // from a picture to its percepts
	Packages    float64       // packages a second that a robot sends
	BallRange   float64
	BodyRange   float64 // at which other robots are seen
	BodySeen    float64 // probability that a robot in range is seen
	SigmaBase   float64 // noise along the ray: SigmaBase + SigmaAlong * distance
	SigmaAlong  float64
	SigmaAngle  float64 // noise across it
	RangeBias   float64 // each robot's distances are wrong by a constant factor of up to this
	FalseBalls  float64 // probability of a false ball in a picture
	FalseBodies float64 // probability of a false obstacle in a picture
	PoseSigma   float64 // error of a pose, an Ornstein-Uhlenbeck process
	PoseAngle   float64
	PoseTau     float64 // s, its correlation time

	// The cameras of the first Flat robots measure no heights: they see a flying ball where their ray to it meets the
	// floor, from a height of 0.75 m.
	Flat int
}

// Fault is what is wrong with a robot.
type Fault int

// The faults.
const (
	healthy    Fault = iota
	liar             // sees a mirrored ball in every picture
	millimetre       // takes metres for millimetres
	twoLiars         // two robots see different false balls
	twoAgree         // two robots see the same false ball
	biased           // a pose that is off by 0.9 m
	frozen           // the camera repeats its last picture
	mirrored         // the pose is mirrored
)

// faultFrom and faultTo bound the time in which a fault lasts.
const (
	faultFrom = 20 * time.Second
	faultTo   = 40 * time.Second
)

// nominal is the base of all scenarios.
func nominal() Scenario {
	return Scenario{
		Name: "nominal", About: "10 % loss, 5 to 40 ms delay, kicks of 0.5 to 4.5 m/s",
		KickRate: 0.25, KickLeast: 0.5, KickTop: 4.5, Friction: 0.5, Bounce: 0.6,
		HoldLeast: 0.5, HoldTop: 4,
		Loss: 0.1, DelayLeast: 5 * time.Millisecond, DelayTop: 40 * time.Millisecond,
		Camera: TrialsCamera{
			Rate: 25, Delay: 60 * time.Millisecond, Packages: 20, BallRange: 7, BodyRange: 5, BodySeen: 0.85,
			SigmaBase: 0.02, SigmaAlong: 0.03, SigmaAngle: 0.015, FalseBalls: 0.02, FalseBodies: 0.05,
			PoseSigma: 0.08, PoseAngle: 0.0192, PoseTau: 3,
		},
	}
}

// Scenarios returns all scenarios of a source in their order.
func Scenarios(source Source) []Scenario {
	if source == Simulator {
		return simulated()
	}
	return generated()
}

// generated returns the scenarios of the generator.
func generated() []Scenario {
	var all []Scenario
	add := func(name, about string, change func(s *Scenario)) {
		s := nominal()
		s.Name, s.About = name, about
		change(&s)
		all = append(all, s)
	}
	loss := func(share, burst float64) func(*Scenario) {
		return func(s *Scenario) { s.Loss, s.Burst = share, burst }
	}
	clock := func(spread, jump time.Duration) func(*Scenario) {
		return func(s *Scenario) { s.ClockSpread, s.ClockJump = spread, jump }
	}
	late := func(peers int) func(*Scenario) { return func(s *Scenario) { s.Late = peers } }
	fault := func(f Fault) func(*Scenario) { return func(s *Scenario) { s.Fault = f } }
	const ms = time.Millisecond
	all = append(all, nominal())
	add("match", "robots hold and dribble the ball, bodies hide it, range errors of 3 %, slow pose errors, placements",
		func(s *Scenario) {
			s.Dribbling, s.Placements = true, 0.02
			s.Camera.RangeBias, s.Camera.PoseTau = 0.03, 8
		})
	add("fastkicks", "kicks of 2 to 8 m/s", func(s *Scenario) { s.KickLeast, s.KickTop = 2, 8 })
	add("loss30", "30 % loss", loss(0.3, 0))
	add("loss60", "60 % loss", loss(0.6, 0))
	add("burst30", "30 % loss in bursts of 8 packages", loss(0.3, 8))
	add("burst60", "60 % loss in bursts of 12 packages", loss(0.6, 12))
	add("clock100", "clocks off by up to 100 ms", clock(100*ms, 0))
	add("clock300", "clocks off by up to 300 ms", clock(300*ms, 0))
	add("jump+400", "the clock of one peer jumps forward by 400 ms", clock(0, 400*ms))
	add("jump-400", "the clock of one peer jumps back by 400 ms", clock(0, -400*ms))
	add("lateone", "the packages of one peer are 200 to 500 ms late", late(1))
	add("lateall", "all packages are 200 to 500 ms late", late(robots))
	add("mixed3", "three peers whose noise and confidence differ", func(s *Scenario) { s.UnequalNoise = true })
	add("teleport", "the referee places the ball elsewhere every 6 s", func(s *Scenario) { s.Placements = 1.0 / 6 })
	add("occlusion", "nobody sees the ball for 0.8 s every 8 s", func(s *Scenario) { s.HiddenEvery = 8 })
	add("liar", "a peer sees a mirrored ball in every picture", fault(liar))
	add("mm", "a peer takes metres for millimetres", fault(millimetre))
	add("twoliars", "two peers see different false balls", fault(twoLiars))
	add("twoagree", "two peers see the same false ball", fault(twoAgree))
	add("bias", "the pose of a peer is off by 0.9 m", fault(biased))
	add("frozen", "the camera of a peer repeats its last picture", fault(frozen))
	add("kidnap", "the pose of a peer is mirrored", fault(mirrored))
	loft := func(flat int) func(*Scenario) {
		return func(s *Scenario) {
			s.Loft, s.KickLeast, s.KickTop, s.Camera.Flat = 0.6, 4, 9, flat
		}
	}
	add("dribble", "as match, but nobody places the ball, and robots hold it for 2 to 8 s", func(s *Scenario) {
		s.Dribbling, s.HoldLeast, s.HoldTop = true, 2, 8
		s.Camera.RangeBias, s.Camera.PoseTau = 0.03, 8
	})
	add("loft", "60 % of the kicks, of 4 to 9 m/s, go through the air; cameras measure heights", loft(0))
	add("loftmixed", "the same, but two robots, the own one among them, measure no heights", loft(2))
	add("loftflat", "the same, but no robot measures heights", loft(robots))
	return all
}

// simulated returns the scenarios of the simulator. They have the names of those of the generator that differ from
// nominal in the same way. The simulator's own cameras, poses and friction hold in all of them.
func simulated() []Scenario {
	about := map[string]string{
		"nominal":   "robots stand, and helpers kick the ball in: touchline demo with 10 % loss, 5 to 40 ms delay",
		"match":     "robots drive, dribble and kick, opponents walk, the referee places the ball",
		"fastkicks": "kicks of 2 to 8 m/s in place of kick-ins",
		"dribble":   "as match, but nobody places the ball, and robots hold it for 2 to 8 s",
		"loft":      "60 % of the kicks, of 4 to 9 m/s, go through the air, in place of kick-ins",
		"loss30":    "", "loss60": "", "burst30": "", "burst60": "", "lateall": "", "teleport": "", "kidnap": "",
	}
	var all []Scenario
	for _, s := range generated() {
		text, played := about[s.Name]
		if !played {
			continue
		}
		if s.About = cmp.Or(text, s.About); s.Name != "fastkicks" && s.Loft == 0 {
			s.KickRate = 0 // robots or helpers kick
		}
		all = append(all, s)
	}
	return all
}

// Find returns the scenarios of a source with these names, all without names.
func Find(source Source, names []string) ([]Scenario, error) {
	all := Scenarios(source)
	if len(names) == 0 {
		return all, nil
	}
	var found []Scenario
	for _, name := range names {
		i := slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name })
		if i < 0 {
			known := make([]string, len(all))
			for j, s := range all {
				known[j] = s.Name
			}
			return nil, fmt.Errorf("the %s has no scenario %q; it has %s", source, name, strings.Join(known, ", "))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// Other changes a scenario to other noise, range, friction and delays, to which no default was tuned.
func Other(s Scenario) Scenario {
	c := &s.Camera
	c.Rate, c.Delay, c.Packages = 30, 90*time.Millisecond, 15
	c.BallRange, c.BodyRange, c.BodySeen = 6, 6, 0.75
	c.SigmaBase, c.SigmaAlong, c.SigmaAngle = 0.01, 0.05, 0.026
	c.FalseBalls, c.FalseBodies = 0.04, 0.1
	c.PoseSigma, c.PoseAngle, c.PoseTau = 0.12, 0.03, 5
	s.Friction, s.KickRate, s.Bounce = 0.3, 0.35, 0.7
	s.DelayLeast, s.DelayTop = 10*time.Millisecond, 80*time.Millisecond
	s.KickTop *= 1.3
	return s
}

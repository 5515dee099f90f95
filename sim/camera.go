package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Camera is the quality of a robot's camera and self-localisation.
type Camera struct {
	Range        float64       // m, range of view; default 7
	FOV          float64       // rad, field of view, half to each side of straight ahead; default 2 pi, omnivision
	Rate         float64       // pictures a second, for the caller of Look; default 25
	Latency      time.Duration // time from the picture to its Sense, for the caller of Look; default 60 ms
	SigmaBase    float64       // m, noise along the ray at distance 0; default 0.02
	SigmaRange   float64       // additional noise along the ray, relative to the distance; default 0.03
	SigmaBearing float64       // rad, noise across the ray; default 0.86 degrees

	Miss           float64 // probability to miss a body at full range; it falls to 0 at the robot; default 0.15
	FalseBalls     float64 // mean number of false balls in a picture, 0..8; default 0.02
	FalseObstacles float64 // mean number of false obstacles in a picture, 0..8; default 0.02

	PoseSigma        float64       // m, drift of self-localisation in x and in y; default 0.08
	PoseSigmaHeading float64       // rad, drift of the heading; default 1.1 degrees
	PoseTau          time.Duration // time constant of both drifts, first-order Ornstein-Uhlenbeck processes; default 3 s
	PoseNoise        float64       // m, white noise of x and y in addition to the drift; default 0.01

	// SeesThrough simulates a stand-in that only shares the situation, like the one on CAMBADA's laptop (Practical
	// Session 2014): bodies hide nothing, and Range and FOV limit only where false observations appear and how Miss and
	// confidence depend on the distance. Default false.
	SeesThrough bool
}

// DefaultCamera returns the camera that fusion methods were compared with (Fusion baselines), with misses and white
// pose noise added.
func DefaultCamera() Camera {
	const degree = math.Pi / 180
	return Camera{
		Range: 7, FOV: 2 * math.Pi, Rate: 25, Latency: 60 * time.Millisecond,
		SigmaBase: 0.02, SigmaRange: 0.03, SigmaBearing: 0.86 * degree,
		Miss: 0.15, FalseBalls: 0.02, FalseObstacles: 0.02,
		PoseSigma: 0.08, PoseSigmaHeading: 1.1 * degree, PoseTau: 3 * time.Second, PoseNoise: 0.01,
	}
}

// check names the field of c that is out of range. Rate and Latency belong to the caller.
func (c *Camera) check() error {
	for _, f := range [...]struct {
		name      string
		value, to float64
	}{
		{"Range", c.Range, 1000}, {"FOV", c.FOV, 2 * math.Pi},
		{"SigmaBase", c.SigmaBase, 10}, {"SigmaRange", c.SigmaRange, 10}, {"SigmaBearing", c.SigmaBearing, math.Pi},
		{"Miss", c.Miss, 1}, {"FalseBalls", c.FalseBalls, 8}, {"FalseObstacles", c.FalseObstacles, 8},
		{"PoseSigma", c.PoseSigma, 100}, {"PoseSigmaHeading", c.PoseSigmaHeading, math.Pi},
		{"PoseTau", c.PoseTau.Seconds(), 1e6}, {"PoseNoise", c.PoseNoise, 100},
	} {
		if !(f.value >= 0 && f.value <= f.to) {
			return fmt.Errorf("%w: camera: %s is %g: want 0 to %g", ErrRange, f.name, f.value, f.to)
		}
	}
	return nil
}

// eye is the state of a robot's sensors between pictures, and of its kicker between kicks.
type eye struct {
	sight random
	drift random
	kicks random // errors of its kicker
	// Errors of self-localisation in x, y and heading in units of their sigmas, and their time.
	off  [3]float64
	time soccer.Time
}

func newEye(seed uint64, id uint8, now soccer.Time) *eye {
	y := &eye{sight: stream(seed, id, sight), drift: stream(seed, id, drift), kicks: stream(seed, id, kicking), time: now}
	for i := range y.off {
		y.off[i] = exact.Normal(y.drift.Rand)
	}
	return y
}

// driftTo advances the errors to now. The discretisation is exact: their statistics do not depend on the intervals.
func (y *eye) driftTo(now soccer.Time, tau time.Duration) {
	if now == y.time {
		return
	}
	var keep float64
	if tau > 0 {
		keep = exact.Exp(-now.Sub(y.time).Seconds() / tau.Seconds())
	}
	fresh := math.Sqrt(1 - float64(keep*keep))
	for i := range y.off {
		y.off[i] = float64(keep*y.off[i]) + float64(fresh*exact.Normal(y.drift.Rand))
	}
	y.time = now
}

// Look takes a picture with the camera of robot id and writes the observations to dst, whose slices are reused.
//
// dst.Time is now: the caller delivers dst at dst.Time + cam.Latency. Balls and Obstacles are in the frame of the
// robot's true pose, most confident first, without velocities. Obstacles are centres at height 0 and include other
// robots, because a camera cannot tell teammates. A ball less than three sigmas (of SigmaBearing) above the floor is
// reported on the floor. A robot or an obstacle in front of a body's centre hides the body; it never hides a ball above
// BodyHeight. Confidence falls from about 0.9 to half of that at Range, and is lower for false observations.
//
// dst.Self is the drifting self-localisation in the field frame; for a team that attacks -x the caller turns it.
//
// The error is ErrUnknown for a robot that is not on the field, and ErrRange for a field of cam out of range.
func (e *Engine) Look(id uint8, cam *Camera, dst *soccer.Sense) error {
	i, there := e.find(id)
	if !there {
		return fmt.Errorf("%w: robot %d is not on the field; add it first", ErrUnknown, id)
	}
	if err := cam.check(); err != nil {
		return err
	}
	v := view{e: e, cam: cam, r: e.eyes[id].sight.Rand, pose: e.robots[i].pose, self: i}
	v.sin, v.cos = exact.Sincos(v.pose.Theta)
	dst.Time = e.now
	dst.Self = e.localise(i, cam)

	dst.Balls = dst.Balls[:0]
	if o, ok := v.observe(e.position, -1, -1); ok {
		dst.Balls = append(dst.Balls, o)
	}
	dst.Balls = v.appendFalse(dst.Balls, cam.FalseBalls, soccer.BallRadius)

	dst.Obstacles = dst.Obstacles[:0]
	for k := range e.robots {
		if k == i {
			continue
		}
		p := &e.robots[k].pose
		if o, ok := v.observe(soccer.Vec3{X: p.X, Y: p.Y}, k, -1); ok {
			dst.Obstacles = append(dst.Obstacles, o)
		}
	}
	for k, p := range e.obstacles {
		if o, ok := v.observe(soccer.Vec3{X: p.X, Y: p.Y}, -1, k); ok {
			dst.Obstacles = append(dst.Obstacles, o)
		}
	}
	dst.Obstacles = v.appendFalse(dst.Obstacles, cam.FalseObstacles, 0)
	byConfidence(dst.Balls)
	byConfidence(dst.Obstacles)
	return nil
}

// Describe adds to a picture how exact it is and what it covers: a robot knows its camera and its self-localisation.
func (c *Camera) Describe(picture *soccer.Sense) {
	pose, heading := float64(c.PoseSigma*c.PoseSigma)+float64(c.PoseNoise*c.PoseNoise), c.PoseSigmaHeading
	picture.Self.Cov = soccer.PoseCov{0: pose, 3: pose, 5: float64(heading * heading)}
	picture.View = soccer.View{Width: c.FOV, Range: c.Range}
	for _, seen := range [...][]soccer.Observation{picture.Balls, picture.Obstacles} {
		for i := range seen {
			at := seen[i].Position.XY()
			d := at.Len()
			if d == 0 {
				continue
			}
			along, across := c.SigmaBase+float64(c.SigmaRange*d), float64(c.SigmaBearing*d)
			ray := soccer.Cov{XX: float64(along * along), YY: float64(across * across)}
			seen[i].Cov = ray.Rotated(at.Y/d, at.X/d)
		}
	}
}

// localise returns the self-localisation of robot i.
func (e *Engine) localise(i int, cam *Camera) soccer.Localisation {
	robot := &e.robots[i]
	y := e.eyes[robot.id]
	y.driftTo(e.now, cam.PoseTau)
	return soccer.Localisation{
		Known: true,
		Pose: soccer.Pose{
			X:     robot.pose.X + float64(cam.PoseSigma*y.off[0]) + float64(cam.PoseNoise*exact.Normal(y.sight.Rand)),
			Y:     robot.pose.Y + float64(cam.PoseSigma*y.off[1]) + float64(cam.PoseNoise*exact.Normal(y.sight.Rand)),
			Theta: soccer.WrapAngle(robot.pose.Theta + float64(cam.PoseSigmaHeading*y.off[2])),
		},
		HasHeading: true,
		HasTwist:   true, // robots with cameras stand still
		Confidence: 0.9,
	}
}

// view is the picture that Look takes.
type view struct {
	e        *Engine
	cam      *Camera
	r        *rand.Rand
	pose     soccer.Pose // the camera's pose
	sin, cos float64     // sine and cosine of its heading
	self     int         // index of the robot
}

// observe returns the observation of a body at p, and whether there is one. robot or obstacle is the index of the body;
// a ball has neither.
func (v *view) observe(p soccer.Vec3, robot, obstacle int) (soccer.Observation, bool) {
	cam := v.cam
	d := p.XY().Sub(v.pose.XY())
	distance := d.Len()
	if !cam.SeesThrough && (distance > cam.Range || v.hidden(p, robot, obstacle)) {
		return soccer.Observation{}, false
	}
	bearing := d.Rotated(-v.sin, v.cos).Angle()
	if !cam.SeesThrough && math.Abs(bearing) > float64(cam.FOV*0.5) {
		return soccer.Observation{}, false
	}
	if exact.Uniform(v.r) < cam.Miss*v.relativeRange(distance) {
		return soccer.Observation{}, false
	}
	z := p.Z
	if z > 0 { // a ball
		sigma := cam.SigmaBearing * distance
		if z += float64(sigma * exact.Normal(v.r)); z < soccer.BallRadius+float64(3*sigma) {
			z = soccer.BallRadius
		}
	}
	seen := distance + float64((cam.SigmaBase+float64(cam.SigmaRange*distance))*exact.Normal(v.r))
	bearing += float64(cam.SigmaBearing * exact.Normal(v.r))
	confidence := float64(v.confidence(distance) * (1 - float64(0.2*exact.Uniform(v.r))))
	return observationAt(max(seen, 0), bearing, z, confidence), true
}

// appendFalse appends false observations at height z, rate of them on average.
func (v *view) appendFalse(dst []soccer.Observation, rate, z float64) []soccer.Observation {
	for range int(math.Floor(rate + exact.Uniform(v.r))) {
		distance := v.cam.Range * math.Sqrt(exact.Uniform(v.r)) // evenly over the area in view
		bearing := v.cam.FOV * (exact.Uniform(v.r) - 0.5)
		confidence := float64(v.confidence(distance) * (0.2 + float64(0.6*exact.Uniform(v.r))))
		dst = append(dst, observationAt(distance, bearing, z, confidence))
	}
	return dst
}

// relativeRange returns a distance relative to the camera's range, at most 1.
func (v *view) relativeRange(distance float64) float64 {
	if distance >= v.cam.Range {
		return 1
	}
	return distance / v.cam.Range
}

func (v *view) confidence(distance float64) float64 {
	return 1 - float64(0.5*v.relativeRange(distance))
}

func observationAt(distance, bearing, z, confidence float64) soccer.Observation {
	sin, cos := exact.Sincos(bearing)
	return soccer.Observation{Position: soccer.Vec3{X: distance * cos, Y: distance * sin, Z: z}, Confidence: confidence}
}

// hidden reports whether a body hides p, except the robot of the camera and the body at p itself. Cameras are as high
// as bodies: a ray to a lower point passes over no body.
func (v *view) hidden(p soccer.Vec3, robot, obstacle int) bool {
	if p.Z > BodyHeight {
		return false
	}
	for i := range v.e.robots {
		if i != v.self && i != robot && inTheWay(v.pose.XY(), p.XY(), v.e.robots[i].pose.XY(), soccer.RobotRadius) {
			return true
		}
	}
	for i, o := range v.e.obstacles {
		if i != obstacle && inTheWay(v.pose.XY(), p.XY(), o, ObstacleRadius) {
			return true
		}
	}
	return false
}

// inTheWay reports whether the segment from a to b passes within radius of c.
func inTheWay(a, b, c soccer.Vec, radius float64) bool {
	ab, ac := b.Sub(a), c.Sub(a)
	length2, along := ab.Dot(ab), ac.Dot(ab)
	if along <= 0 || along >= length2 {
		return false // beside or beyond one of the ends, which lie outside of bodies
	}
	across := ab.Cross(ac)
	return float64(across*across) < float64(float64(radius*radius)*length2)
}

func byConfidence(o []soccer.Observation) {
	slices.SortStableFunc(o, func(a, b soccer.Observation) int { return cmp.Compare(b.Confidence, a.Confidence) })
}

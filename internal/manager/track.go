package manager

import (
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/team"
)

// ballSample is the ball in one picture, in the frame of the robot: x ahead, y to its left, m.
type ballSample struct {
	Time     soccer.Time
	Position soccer.Vec
	Cov      soccer.Cov // zero: unknown
}

// Assumptions about a kicked ball.
const (
	contact      = soccer.RobotRadius + soccer.BallRadius // m, of the ball at the kicker from the robot's centre
	brake        = 0.5                                    // m/s^2, of a ball that rolls on carpet (Fusion baselines) ...
	brakeSigma   = 0.5                                    // ... and how well that is known on another floor
	launchFor    = 1500 * time.Millisecond                // of samples that tell the speed of a launch
	leastSamples = 4
	leastSpeed   = 0.3 // m/s and m: a ball that is slower or stays nearer was not kicked
)

// launch measures a kick of a robot that stands: speed, angle and delay of the ball with their standard deviations, from
// the samples before and after the command to kick, oldest first. asked is the speed asked for in m/s. Without enough
// samples of a ball that rolls away OK is false.
func launch(kicked soccer.Time, asked float64, samples []ballSample) (t team.KickTry) {
	window := min(launchFor, time.Duration(float64(asked*1e9)))
	var moving []ballSample
	for _, s := range samples {
		if age := s.Time.Sub(kicked); age > 0 && age <= window && s.Position.Len() > contact+0.1 {
			moving = append(moving, s)
		}
	}
	if len(moving) < leastSamples || moving[len(moving)-1].Position.Len() < contact+leastSpeed {
		return t
	}
	angle, sigma := direction(samples, moving[len(moving)-1])
	var along quadratic
	along.prior(2, float64(-0.5*brake), float64(0.5*brakeSigma))
	sin, cos := exact.Sincos(angle)
	for i := range moving {
		s := &moving[i]
		way, variance := s.split(sin, cos)
		along.add(s.Time.Sub(kicked).Seconds(), way.X, variance.X)
	}
	c, cov, ok := along.solve()
	if !ok {
		return t
	}
	launch := c.reaches(contact)
	speed := c[1] + float64(2*c[2]*launch)
	if !(speed >= leastSpeed && speed < 100) {
		return t
	}
	variance := cov[3] + float64(4*launch*launch*cov[5]) + float64(4*launch*cov[4])
	return team.KickTry{
		OK: true, Speed: float32(speed), Angle: float32(angle), Delay: float32(max(0, launch)),
		SpeedSigma: float32(math.Sqrt(max(0, variance))), AngleSigma: float32(sigma),
	}
}

// split returns a sample along and across a direction, and the variances of both.
func (s *ballSample) split(sin, cos float64) (at, variance soccer.Vec) {
	cov := s.Cov
	if cov == (soccer.Cov{}) {
		sigma := 0.03 + float64(0.03*s.Position.Len())
		cov = soccer.Cov{XX: float64(sigma * sigma), YY: float64(sigma * sigma)}
	}
	cov = cov.Rotated(-sin, cos)
	const least = 1e-8 // m^2
	return s.Position.Rotated(-sin, cos), soccer.Vec{X: max(cov.XX, least), Y: max(cov.YY, least)}
}

// direction returns the direction of a line through the samples, and its standard deviation.
func direction(samples []ballSample, last ballSample) (angle, sigma float64) {
	angle = last.Position.Angle()
	for range 3 {
		sin, cos := exact.Sincos(angle)
		var w, wx, wy, wxx, wxy float64
		for i := range samples {
			if samples[i].Time > last.Time {
				break
			}
			at, variance := samples[i].split(sin, cos)
			weight := 1 / variance.Y
			w += weight
			wx += float64(weight * at.X)
			wy += float64(weight * at.Y)
			wxx += float64(weight * at.X * at.X)
			wxy += float64(weight * at.X * at.Y)
		}
		spread := wxx - wx*wx/w
		if !(spread > 0) {
			return angle, 1
		}
		slope := (wxy - float64(wx*wy)/w) / spread
		angle += exact.Atan2(slope, 1)
		sigma = 1 / math.Sqrt(spread)
	}
	return soccer.WrapAngle(angle), sigma
}

// rest returns where a ball that rolled away lies still, from its samples: the mean of the last second, if that of the
// second before is the same within its error. sigma is that of the place in m.
func rest(samples []ballSample) (at soccer.Vec, sigma float64, ok bool) {
	if len(samples) == 0 {
		return at, 0, false
	}
	end := samples[len(samples)-1].Time
	var before, now mean
	for i := len(samples) - 1; i >= 0; i-- {
		switch age := end.Sub(samples[i].Time); {
		case age <= time.Second:
			now.add(&samples[i])
		case age <= 2*time.Second:
			before.add(&samples[i])
		}
	}
	if now.n < leastSamples || before.n < leastSamples {
		return at, 0, false
	}
	p, s := now.at()
	q, u := before.at()
	return p, s, p.Sub(q).Len() < 0.04+float64(1.5*math.Sqrt(float64(s*s)+float64(u*u)))
}

// mean is the mean of samples.
type mean struct {
	n, x, y, variance float64
}

func (m *mean) add(s *ballSample) {
	_, variance := s.split(0, 1)
	m.n++
	m.x += s.Position.X
	m.y += s.Position.Y
	m.variance += max(variance.X, variance.Y)
}

func (m *mean) at() (soccer.Vec, float64) {
	return soccer.Vec{X: m.x / m.n, Y: m.y / m.n}, math.Sqrt(m.variance) / m.n
}

// curve is c0 + c1 t + c2 t^2.
type curve [3]float64

// reaches returns the first time at which the curve has a value, 0 if it never does.
func (c *curve) reaches(value float64) float64 {
	root := float64(c[1]*c[1]) - float64(4*c[2]*(c[0]-value))
	if root < 0 || c[1] <= 0 {
		return 0
	}
	return -2 * (c[0] - value) / (c[1] + math.Sqrt(root))
}

// quadratic fits a curve by weighted least squares.
type quadratic struct {
	a soccer.PoseCov // the normal matrix: its upper triangle
	b curve
}

// upper are the places of a symmetric matrix in its upper triangle.
var upper = [3][3]int{{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}

// prior says what is known of a coefficient.
func (q *quadratic) prior(i int, value, sigma float64) {
	weight := 1 / float64(sigma*sigma)
	q.a[upper[i][i]] += weight
	q.b[i] += float64(weight * value)
}

func (q *quadratic) add(t, value, variance float64) {
	powers := curve{1, t, float64(t * t)}
	for i := range 3 {
		for j := i; j < 3; j++ {
			q.a[upper[i][j]] += powers[i] * powers[j] / variance
		}
		q.b[i] += powers[i] * value / variance
	}
}

// solve returns the coefficients and their covariance.
func (q *quadratic) solve() (c curve, cov soccer.PoseCov, ok bool) {
	cov, determinant := q.a.Inverse()
	for i := range 3 {
		for j := range 3 {
			c[i] += float64(cov[upper[i][j]] * q.b[j])
		}
	}
	return c, cov, determinant > 0
}

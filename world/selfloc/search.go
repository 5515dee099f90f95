package selfloc

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Random poses that one picture tries.
const (
	calmPoses    = 60  // while the pose fits the lines
	searchPoses  = 700 // while none does
	refined      = 3   // number of them that are fitted
	roughPoints  = 24  // points of the picture that judge them
	newcomer     = 8.0 // logarithm by which a found pose is less likely than the believed one
	nearOldHalf  = 0.7 // side of a found pose: a robot is rather carried over a short way
	calmFitShare = 0.75
	better       = 3.0 // points that a found pose explains beyond those of the believed one
)

// candidate is a random pose and its score.
type candidate struct {
	pose  soccer.Pose
	score float64
}

// search tries random poses, fits the best ones to the picture and adds those as hypotheses that fit as well as the
// believed one. Half of the headings suffice: the others are the same places turned by pi.
func (l *Locator) search() {
	n := calmPoses
	lost := l.n == 0 || l.fit < l.chance+float64(calmFitShare*(l.normal-l.chance)) || l.share() < 0.9
	if lost {
		n = searchPoses
	}
	k := max(1, l.picture.n/roughPoints)
	var best [refined]candidate
	sum := 0.0
	for range n {
		c := candidate{pose: l.draw()}
		c.score = l.roughScore(c.pose, k)
		sum += c.score
		insert(&best, c)
	}
	l.chance += float64(0.02 * float64(n) / searchPoses * 5 * (sum/float64(n) - l.chance))
	least := 0.0
	if l.n > 0 {
		least = l.score(l.all[0].pose) + better/float64(l.picture.n)
	}
	for _, c := range best {
		l.offer(c.pose, least)
	}
	if lost && l.n > 0 {
		l.searchNear(least)
	}
	l.rank()
}

// searchNear tries poses around the believed one, where wheels that slipped or an opponent may have brought the robot.
func (l *Locator) searchNear(least float64) {
	const tries, reach, reachTurn = 60, 1.2, 0.8 // m, rad
	k := max(1, l.picture.n/roughPoints)
	var best candidate
	for range tries {
		x, y, h := l.random()
		pose := moved(l.all[0].pose, vector{float64(reach * (2*x - 1)), float64(reach * (2*y - 1)), float64(reachTurn * (2*h - 1))})
		if s := l.roughScore(pose, k); s > best.score {
			best = candidate{pose, s}
		}
	}
	l.offer(best.pose, least)
}

// roughScore returns the score of a pose from every k-th point, to the nearest cell of the map.
func (l *Locator) roughScore(pose soccer.Pose, k int) float64 {
	sin, cos := exact.Sincos(pose.Theta)
	reach := float64(l.cfg.Outlier * l.cfg.Outlier)
	sum, n := 0.0, 0
	for i := 0; i < l.picture.n; i += k {
		d2 := float64(l.lines.rough[l.lines.cell(l.picture.points[i].from(pose, sin, cos))])
		sum += reach / (reach + d2)
		n++
	}
	return sum / float64(max(n, 1))
}

// insert keeps the best candidates, best first.
func insert(best *[refined]candidate, c candidate) {
	for i := range best {
		if c.score > best[i].score {
			best[i], c = c, best[i]
		}
	}
}

// draw returns the next random pose on the field or a little beside it.
func (l *Locator) draw() soccer.Pose {
	const beside = 0.7 // m
	x, y, h := l.random()
	f := &l.cfg.Field
	return soccer.Pose{
		X: float64((f.Length + 2*beside) * (x - 0.5)), Y: float64((f.Width + 2*beside) * (y - 0.5)),
		Theta: float64(math.Pi * (h - 0.5)),
	}
}

// random returns three numbers from 0 to 1 of a sequence that fills the cube evenly: multiples of the inverse powers of
// the root of x^4 = x + 1.
func (l *Locator) random() (x, y, z float64) {
	l.drawn++
	n := float64(l.drawn & (1<<32 - 1))
	fraction := func(a float64) float64 {
		v := float64(n * a)
		return v - math.Floor(v)
	}
	return fraction(0.8191725133961645), fraction(0.6710436067037893), fraction(0.5497004779019703)
}

// offer fits a pose to the picture and adds it as a hypothesis if its score is at least least.
func (l *Locator) offer(pose soccer.Pose, least float64) {
	weak := diagonal(1/(0.5*0.5), 1/(0.3*0.3))
	for _, wide := range [...]float64{2, 2, 1, 1} {
		information, gradient, _ := l.normalEquations(pose, wide, nil)
		total := plus(information, weak)
		m, ok := inverse(&total)
		if !ok {
			return
		}
		step := times(&m, gradient)
		pose = moved(pose, limited(vector{-step[0], -step[1], -step[2]}))
	}
	if math.Abs(pose.X) > float64(0.5*l.cfg.Field.Length)+2 || math.Abs(pose.Y) > float64(0.5*l.cfg.Field.Width)+2 ||
		l.score(pose) < least || l.near(pose, l.n) {
		return
	}
	h := hypothesis{pose: pose, cov: diagonal(0.15*0.15, 0.1*0.1)}
	if l.n > 0 {
		h.weight, h.side = -newcomer, nearOldHalf
		if was := l.all[0].pose.XY(); pose.Turned().XY().Sub(was).Len() < pose.XY().Sub(was).Len() {
			h.pose = pose.Turned()
		}
	}
	if l.n == maxHypotheses {
		if l.all[l.n-1].weight > h.weight {
			return
		}
		l.n--
	}
	l.all[l.n] = h
	l.n++
}

package lab

import (
	"slices"

	"touchline/soccer"
)

// Naming counts how well an estimator says which robots contradict the others. It judges each robot of each game.
type Naming struct {
	Robots   int
	Innocent int       // named before their fault, again after it, or without one
	Faulty   int       // robots with a fault
	Named    []float64 // s from the beginning of a fault until the robot was named
	Seen     int       // robots with a fault that a healthy one could see (evidence.go)
	Soon     int       // of these, named within 3 s of the first contradiction that a healthy one could see
	Cleared  []float64 // s from the end of a fault until the robot was named no longer, or until the game ended
}

func (n *Naming) add(o *Naming) {
	n.Robots += o.Robots
	n.Innocent += o.Innocent
	n.Faulty += o.Faulty
	n.Named = append(n.Named, o.Named...)
	n.Seen += o.Seen
	n.Soon += o.Soon
	n.Cleared = append(n.Cleared, o.Cleared...)
}

// NamingFigures are what a Naming amounts to. Times are in seconds.
type NamingFigures struct {
	Robots       int       `json:"robots"`       // of all games
	Innocent     int       `json:"healthyNamed"` // robots that were named at a time when they were healthy
	Faulty       int       `json:"faultyRobots"`
	Share        float64   `json:"faultyNamedPercent"`
	Within       float64   `json:"namedWithin3sPercent"`                // of the faulty robots
	Soon         float64   `json:"namedWithin3sOfContradictionPercent"` // of the following
	Contradicted int       `json:"contradictedRobots"`                  // faulty robots that a healthy one could see to be wrong; 0: not known
	Named        Quantiles `json:"namedAfter"`                          // since the fault began, of those that were named
	TakenBack    Quantiles `json:"takenBackAfter"`                      // since the fault ended
}

// Quantiles are the median, the 90 % quantile and the maximum of times, in seconds. They are 0 without any.
type Quantiles struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Most   float64 `json:"max"`
}

// soon is within how many seconds a faulty robot should be named.
const soon = 3

// figures returns what n amounts to.
func (n *Naming) figures() NamingFigures {
	within := 0
	for _, after := range n.Named {
		if after <= soon {
			within++
		}
	}
	all := max(1, float64(n.Faulty))
	return NamingFigures{
		Robots: n.Robots, Innocent: n.Innocent, Faulty: n.Faulty, Share: 100 * float64(len(n.Named)) / all,
		Within: 100 * float64(within) / all, Contradicted: n.Seen, Soon: 100 * float64(n.Soon) / max(1, float64(n.Seen)),
		Named: quantiles(n.Named), TakenBack: quantiles(n.Cleared),
	}
}

func quantiles(times []float64) Quantiles {
	if len(times) == 0 {
		return Quantiles{}
	}
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return Quantiles{Median: sorted[n/2], P90: sorted[n*9/10], Most: sorted[n-1]}
}

// suspect is what an estimator says of one robot in one game.
type suspect struct {
	accused bool    // named without a fault
	failed  bool    // it has had a fault
	broken  bool    // it has one now
	named   bool    // during the fault
	waiting bool    // the fault is over; it is still named
	from    float64 // s, when the fault began
	visible float64 // s, when a healthy robot could first see it; 0: never
	at      float64 // s, when it was named
	until   float64 // s, when the fault ended
}

// late is how long after the end of a fault packages that were sent during it may have their effect, in s.
const late = 1

// follow compares what is said of a robot with what is true. now is in seconds.
func (s *suspect) follow(now float64, broken, named bool, n *Naming) {
	switch {
	case broken && !s.broken:
		s.failed, s.from = true, now
	case !broken && s.broken:
		s.until, s.waiting = now, named
	}
	s.broken = broken
	switch {
	case broken:
		if named && !s.named {
			s.named, s.at = true, now
		}
	case s.waiting:
		if !named {
			n.Cleared = append(n.Cleared, now-s.until)
			s.waiting = false
		}
	case named && s.failed && now-s.until < late:
		s.waiting = true
	default:
		s.accused = s.accused || named
	}
}

// finish adds the robot's game to n.
func (s *suspect) finish(now float64, n *Naming) {
	n.Robots++
	if s.accused {
		n.Innocent++
	}
	if s.failed {
		n.Faulty++
		if s.named {
			n.Named = append(n.Named, s.at-s.from)
		}
		if s.visible > 0 {
			n.Seen++
			if s.named && s.at-s.visible <= soon {
				n.Soon++
			}
		}
	}
	if s.waiting {
		n.Cleared = append(n.Cleared, now-s.until)
	}
}

// naming follows what a belief says of each robot.
func (j *judge) naming(t *truth, w *soccer.World) {
	var named [robots]bool
	named[j.self] = w.SelfDisagrees.Since != 0
	for i := range w.Peers {
		p := &w.Peers[i]
		k := int(p.Sender.Robot) - 1
		if p.Disagrees.Since == 0 || k < 0 || k >= robots {
			continue
		}
		if !j.numbered {
			k = (k + j.self) % robots
		}
		named[k] = true
	}
	for i := range named {
		s := &j.suspects[i]
		s.follow(t.now, t.faulty[i], named[i], &j.Naming)
		if s.broken {
			s.visible = t.contradicted[i]
		}
	}
	j.last = t.now
}

package teamcom

import (
	"slices"
	"time"

	"touchline/soccer"
)

// OverviewPeriod is how often pages receive a View and recordings keep one.
const OverviewPeriod = time.Second

// Times without a datagram.
const (
	silentAfter = 3 * time.Second // a View explains the silence
	goneAfter   = time.Minute     // a View leaves the peer out
)

// Overview shows people what the nodes of one program measured, and raises alarms in plain words. It is not safe for
// concurrent use.
type Overview struct {
	start  soccer.Time
	hints  []string
	growth map[counter]growth
}

// NewOverview returns an Overview without alarms. Times of the page are in s since start. hints tell a user who receives
// nothing where the nodes listen and what to check, a sentence each.
func NewOverview(start soccer.Time, hints ...string) *Overview {
	return &Overview{start: start, hints: hints, growth: map[counter]growth{}}
}

// View is the topic "teamcom".
type View struct {
	Time    float64  `json:"time"` // s since the session started
	Nodes   []Report `json:"nodes"`
	Alarms  []string `json:"alarms"`  // sentences: what happened, and what to do
	Silence *Silence `json:"silence"` // nil while datagrams arrive
}

// Silence explains why no node has received a datagram for 3 s.
type Silence struct {
	Seconds float64  `json:"seconds"`
	Hints   []string `json:"hints"`
}

// View returns the view of the nodes. Alarms stay for ten seconds: call View at least once a second.
func (o *Overview) View(now soccer.Time, nodes []Report) View {
	v := View{
		Time: now.Sub(o.start).Seconds(), Nodes: append([]Report{}, nodes...), Alarms: o.alarms(now, nodes),
		Silence: o.silence(now, nodes),
	}
	for i := range v.Nodes {
		leaveOutGone(&v.Nodes[i])
	}
	return v
}

// leaveOutGone leaves out the links of peers that are silent for long, and their types.
func leaveOutGone(r *Report) {
	links, types := r.Links, r.Types
	r.Links, r.Types = []LinkReport{}, []TypeReport{}
	for _, l := range links {
		if l.SilentMillis > float64(goneAfter.Milliseconds()) {
			continue
		}
		r.Links = append(r.Links, l)
		for _, t := range types {
			if t.Peer == l.Peer {
				r.Types = append(r.Types, t)
			}
		}
	}
}

func (o *Overview) silence(now soccer.Time, nodes []Report) *Silence {
	silent := now.Sub(o.start).Seconds()
	for i := range nodes {
		for _, l := range nodes[i].Links {
			silent = min(silent, l.SilentMillis/1e3)
		}
	}
	if silent < silentAfter.Seconds() {
		return nil
	}
	return &Silence{Seconds: silent, Hints: slices.Clone(o.hints)}
}

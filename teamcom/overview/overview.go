// Package overview shows people what the nodes of a program measured, and raises alarms in plain words.
package overview

import (
	"slices"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
)

// silentAfter is the time without a datagram after which a View explains the silence.
const silentAfter = 3 * time.Second

// Config describes an Overview.
type Config struct {
	Start soccer.Time // of the session; times of the page are in s since then. Default 0
	// Hints tell a user who receives nothing where the nodes listen and what to check, a sentence each. Default none
	Hints []string
}

// Overview makes the page's view of the nodes of one program. It is not safe for concurrent use.
type Overview struct {
	cfg    Config
	growth map[counter]growth
}

// New returns an Overview without alarms.
func New(cfg Config) *Overview { return &Overview{cfg: cfg, growth: map[counter]growth{}} }

// View is the topic "teamcom".
type View struct {
	Time    float64          `json:"time"` // s since the session started
	Nodes   []teamcom.Report `json:"nodes"`
	Alarms  []string         `json:"alarms"`  // sentences: what happened, and what to do
	Silence *Silence         `json:"silence"` // nil while datagrams arrive
}

// Silence explains why no node received a datagram lately.
type Silence struct {
	Seconds float64  `json:"seconds"`
	Hints   []string `json:"hints"`
}

// View returns the view of the nodes. Alarms stay for ten seconds: call View at least once a second.
func (o *Overview) View(now soccer.Time, nodes []teamcom.Report) View {
	return View{
		Time: now.Sub(o.cfg.Start).Seconds(), Nodes: append([]teamcom.Report{}, nodes...), Alarms: o.alarms(now, nodes),
		Silence: o.silence(now, nodes),
	}
}

func (o *Overview) silence(now soccer.Time, nodes []teamcom.Report) *Silence {
	silent := now.Sub(o.cfg.Start).Seconds()
	for i := range nodes {
		for _, l := range nodes[i].Links {
			silent = min(silent, l.SilentMillis/1e3)
		}
	}
	if silent < silentAfter.Seconds() {
		return nil
	}
	return &Silence{Seconds: silent, Hints: slices.Clone(o.cfg.Hints)}
}

package batch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"touchline/internal/exact"
	"touchline/internal/robot/hfsm"
)

// Parameter is a number of a state machine that may be tuned: the time for which the first state must be active before a
// transition is taken.
type Parameter struct {
	Transition int           `json:"-"`
	Name       string        `json:"name"` // "approach>shoot", and "approach>shoot#2" for the second transition between them
	From       time.Duration `json:"from"` // ns
	To         time.Duration `json:"to"`   // ns
}

// Range of a parameter without one. A time that is there stays above defaultFrom: without any, two states can take turns.
const (
	defaultFrom = 50 * time.Millisecond
	defaultTo   = 2 * time.Second
)

// Parameters returns the parameters that texts name: "approach>shoot", or "approach>shoot=0s..1s" with its range. Without
// texts these are the times of all transitions that have one. The default range is 50ms..2s, and begins at 0s for a
// transition without a time.
func Parameters(m *hfsm.Machine, texts []string) (all []Parameter, err error) {
	names := parameterNames(m)
	if len(texts) == 0 {
		for i := range m.Transitions {
			if m.Transitions[i].After > 0 {
				all = append(all, defaultRange(m, i, names[i]))
			}
		}
	}
	for _, text := range texts {
		name, limits, ranged := strings.Cut(text, "=")
		i := slices.Index(names, strings.TrimSpace(name))
		if i < 0 {
			return nil, fmt.Errorf("%.60q: the state machine has no such transition: want FROM>TO, for example %s", text, names[0])
		}
		p := defaultRange(m, i, names[i])
		if ranged {
			from, to, both := strings.Cut(limits, "..")
			var errs [2]error
			p.From, errs[0] = time.ParseDuration(strings.TrimSpace(from))
			p.To, errs[1] = time.ParseDuration(strings.TrimSpace(to))
			if !both || errs[0] != nil || errs[1] != nil || p.From < 0 || p.To <= p.From || p.To > time.Minute {
				return nil, fmt.Errorf("%.60q: want a range of times from 0s to 1m, for example %s=0s..1s", text, names[i])
			}
		}
		if slices.ContainsFunc(all, func(o Parameter) bool { return o.Transition == i }) {
			return nil, fmt.Errorf("%.60q is listed twice: remove one", names[i])
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the state machine has no transition with a time: name some with --parameters, for example %s=0s..1s", names[0])
	}
	return all, nil
}

func defaultRange(m *hfsm.Machine, transition int, name string) Parameter {
	return Parameter{transition, name, min(m.Transitions[transition].After, defaultFrom), defaultTo}
}

// Shortest returns a machine with all parameters at the begins of their ranges. If it passes Check, all others do.
func Shortest(m *hfsm.Machine, parameters []Parameter) *hfsm.Machine {
	short := *m
	short.Transitions = slices.Clone(m.Transitions)
	for _, p := range parameters {
		short.Transitions[p.Transition].After = p.From
	}
	return &short
}

// parameterNames returns the names of the transitions' times.
func parameterNames(m *hfsm.Machine) (names []string) {
	for i := range m.Transitions {
		t := &m.Transitions[i]
		name := t.From + ">" + t.To
		if n := 1 + count(names, name); n > 1 {
			name = fmt.Sprintf("%s#%d", name, n)
		}
		names = append(names, name)
	}
	return names
}

func count(names []string, name string) (n int) {
	for _, other := range names {
		if other == name || strings.HasPrefix(other, name+"#") {
			n++
		}
	}
	return n
}

// Tuner looks for parameters that win more, by simultaneous perturbation (SPSA, Spall 1992): in each step two machines, which
// differ from the present one by a random step forth and back in all parameters at once, play each other, and the present
// one moves towards the winner.
type Tuner struct {
	machine    *hfsm.Machine
	parameters []Parameter
	random     *rand.Rand
	steps      int // in all
	step       int
	at         []float64 // shares of the ranges
	sum        []float64 // of at in the last half of the steps
	summed     int
	signs      []float64
}

// Sizes of steps, in shares of a parameter's range, and how they shrink (Spall 1998). Smaller ones gained less on simulated
// machines with 6 or 18 parameters and 500 or 1,500 pairs of matches: a match says too little about a small change.
const (
	probe, probeShrinks = 0.3, 0.101
	move, moveShrinks   = 2.0, 0.602
)

// unit is the time below which a parameter's scale is that of times, and above which it is that of their logarithms.
const unit = 100 * time.Millisecond

// scale returns a time on the scale on which the tuner moves, and timeAt the time of a point of the scale.
func scale(t time.Duration) float64 { return exact.Log(1 + float64(t)/float64(unit)) }

func timeAt(point float64) time.Duration {
	return time.Duration(math.Round((exact.Exp(point)-1)*float64(unit/time.Millisecond))) * time.Millisecond
}

// NewTuner returns a tuner of a machine for a number of steps.
func NewTuner(m *hfsm.Machine, parameters []Parameter, steps int, seed uint64) *Tuner {
	t := &Tuner{
		machine: m, parameters: parameters, random: rand.New(rand.NewPCG(seed, 0x5b5a)), steps: steps,
		sum: make([]float64, len(parameters)), signs: make([]float64, len(parameters)),
	}
	for _, p := range parameters {
		share := (scale(m.Transitions[p.Transition].After) - scale(p.From)) / (scale(p.To) - scale(p.From))
		t.at = append(t.at, min(max(share, 0), 1))
	}
	return t
}

// Step returns the two machines of the next step.
func (t *Tuner) Step() (plus, minus *hfsm.Machine) {
	for i := range t.signs {
		t.signs[i] = 1
		if t.random.Uint64()&1 == 0 {
			t.signs[i] = -1
		}
	}
	forth, back := slices.Clone(t.at), slices.Clone(t.at)
	for i, sign := range t.signs {
		d := float64(sign * shrunk(probe, t.step, probeShrinks))
		forth[i], back[i] = min(max(t.at[i]+d, 0), 1), min(max(t.at[i]-d, 0), 1)
	}
	return t.with(forth), t.with(back)
}

// Tell tells the mean points of a match that plus got, 0 to 1; an estimate from its goals may lie outside.
func (t *Tuner) Tell(score float64) {
	slope := (float64(2*score) - 1) / (2 * shrunk(probe, t.step, probeShrinks))
	rate := shrunk(move*probe, t.step+t.steps/10, moveShrinks)
	for i, sign := range t.signs {
		t.at[i] = min(max(t.at[i]+float64(rate*slope*sign), 0), 1)
	}
	if t.step++; 2*t.step > t.steps {
		t.summed++
		for i, v := range t.at {
			t.sum[i] += v
		}
	}
}

// Machine returns the machine with the mean of the parameters over the last half of the steps.
func (t *Tuner) Machine() *hfsm.Machine {
	if t.summed == 0 {
		return t.with(t.at)
	}
	mean := make([]float64, len(t.sum))
	for i, v := range t.sum {
		mean[i] = v / float64(t.summed)
	}
	return t.with(mean)
}

// with returns the machine with these shares of the ranges, in whole milliseconds.
func (t *Tuner) with(shares []float64) *hfsm.Machine {
	m := *t.machine
	m.Transitions = slices.Clone(m.Transitions)
	for i, p := range t.parameters {
		from := scale(p.From)
		after := timeAt(from + float64(shares[i]*(scale(p.To)-from)))
		m.Transitions[p.Transition].After = min(max(after, p.From), p.To)
	}
	return &m
}

// shrunk returns first / (1 + step) ^ power.
func shrunk(first float64, step int, power float64) float64 {
	return first * exact.Exp(-power*exact.Log(1+float64(step)))
}

package check

import "math"

// StationReport is the report card of one team for a page or as JSON: figures, then findings. Its JSON is stable: fields are
// added, none change. A nil pointer stands for an unknown figure.
type StationReport struct {
	Side        string           `json:"side"` // "A" (home) or "B" (away); "" if the input does not tell
	Team        string           `json:"team"`
	OK          bool             `json:"ok"`          // there are messages, all readable, without faults; notes do not count
	Messages    uint64           `json:"messages"`    // all that were received
	Worldstates uint64           `json:"worldstates"` // messages that are worldstates
	Events      uint64           `json:"events"`      // messages that are events
	Commands    uint64           `json:"commands"`    // messages that only a referee box sends
	Broken      uint64           `json:"broken"`      // unreadable messages
	Filled      uint64           `json:"filled"`      // windows without a worldstate, logged as empty
	Bytes       uint64           `json:"bytes"`       // length of all messages but events
	Seconds     float64          `json:"seconds"`     // from the first worldstate to the last
	Silent      float64          `json:"silent"`      // seconds of them in gaps of a second and more
	BoxAway     float64          `json:"boxAway"`     // seconds in which there was no referee box, so that no gap is the team's
	Rate        *float64         `json:"rate"`        // Hz, without these gaps
	GapP50      *float64         `json:"gapP50"`      // ms
	GapP99      *float64         `json:"gapP99"`      // ms
	GapMax      *float64         `json:"gapMax"`      // ms
	AgeP50      *float64         `json:"ageP50"`      // ms, reported ageMs
	AgeMax      *float64         `json:"ageMax"`      // ms
	Empty       float64          `json:"empty"`       // 0..1 of the windows of 100 ms have no worldstate
	Rates       []float64        `json:"rates"`       // worldstates a second; at most 600 figures, 10 of a long silence
	RateStep    int              `json:"rateStep"`    // s that each figure of Rates is the mean of
	Torn        bool             `json:"torn"`        // the input ends within a message
	Error       string           `json:"error"`       // why the rest of the input could not be read; "" if all was
	Findings    []StationFinding `json:"findings"`    // the most severe first
}

// Report returns the figures and findings so far.
func (c *Card) Report() StationReport {
	r := &c.rhythm
	report := StationReport{
		Team: c.team, Messages: c.messages, Worldstates: c.worldstates, Events: c.events, Commands: c.commands,
		Broken: c.broken, Filled: c.filled, Bytes: c.bytes, Seconds: (r.active + r.silent).Seconds(), Silent: r.silent.Seconds(),
		Torn: c.torn, Error: c.failure, Findings: c.Findings(),
	}
	report.OK = c.messages > 0 && c.failure == ""
	report.BoxAway = c.boxAway(0, math.MaxInt64).Seconds()
	for i := range report.Findings {
		report.OK = report.OK && report.Findings[i].Note
	}
	report.Rate = Figure(r.mean(), r.mean() > 0)
	report.GapP50 = Figure(r.gaps.quantile(0.5))
	report.GapP99 = Figure(r.gaps.quantile(0.99))
	report.GapMax = Figure(float64(r.gapMax.Microseconds())/1000, r.timed > 0)
	report.AgeP50 = Figure(r.ages.quantile(0.5))
	report.AgeMax = Figure(r.ageMax, report.AgeP50 != nil)
	if r.window > 0 {
		report.Empty = float64(r.holes) / float64(r.window)
	}
	report.Rates, report.RateStep = means(r.rates, 600)
	return report
}

// means returns at most most means of all, and how many figures each is the mean of.
func means(all []uint16, most int) ([]float64, int) {
	step := max((len(all)+most-1)/most, 1)
	out := make([]float64, 0, len(all)/step+1)
	for i := 0; i < len(all); i += step {
		sum := 0
		part := all[i:min(i+step, len(all))]
		for _, n := range part {
			sum += int(n)
		}
		out = append(out, float64(sum)/float64(len(part)))
	}
	return out, step
}

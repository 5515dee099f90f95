package reportcard

import "strings"

// Report is the report card of one team for a page or as JSON: the figures, then what is wrong. Its JSON is stable:
// fields are added, none change. A pointer that is nil is not known.
type Report struct {
	Side        string    `json:"side"` // "A" (left) or "B"; "" where the input does not say
	Team        string    `json:"team"`
	OK          bool      `json:"ok"`          // there was a message, all could be read, and none broke a rule; notes do not count
	Messages    uint64    `json:"messages"`    // all that came
	Worldstates uint64    `json:"worldstates"` // of them
	Events      uint64    `json:"events"`      //
	Broken      uint64    `json:"broken"`      // neither
	Filled      uint64    `json:"filled"`      // empty structures that the RefBox wrote for windows without a worldstate
	Bytes       uint64    `json:"bytes"`       // of the messages
	Seconds     float64   `json:"seconds"`     // from the first worldstate to the last
	Silent      float64   `json:"silent"`      // of them in silences of a second and more
	Rate        *float64  `json:"rate"`        // Hz, without these
	GapP50      *float64  `json:"gapP50"`      // ms
	GapP99      *float64  `json:"gapP99"`      // ms
	GapMax      *float64  `json:"gapMax"`      // ms
	AgeP50      *float64  `json:"ageP50"`      // ms: what ageMs says
	AgeMax      *float64  `json:"ageMax"`      // ms
	Empty       float64   `json:"empty"`       // 0..1: of the windows of 100 ms that no worldstate came in
	Rates       []float64 `json:"rates"`       // worldstates a second, at most 600 figures; of a long silence 10 s are kept
	RateStep    int       `json:"rateStep"`    // s that a figure of Rates is the mean of
	Torn        bool      `json:"torn"`        // the input ends within a message
	Error       string    `json:"error"`       // why the rest of the input could not be read; "" where it could
	Findings    []Finding `json:"findings"`    // worst first
}

// Report returns the card with its figures.
func (c *Card) Report() Report {
	r := &c.rhythm
	report := Report{
		Team: c.team, Messages: c.messages, Worldstates: c.worldstates, Events: c.events, Broken: c.broken, Filled: c.fills, Bytes: c.bytes,
		Seconds: (r.active + r.silent).Seconds(), Silent: r.silent.Seconds(), OK: c.messages > 0 && c.failed == "", Torn: c.torn, Error: c.failed, Findings: c.Findings(),
	}
	for i := range report.Findings {
		report.OK = report.OK && report.Findings[i].Note
	}
	known := func(v float64, ok bool) *float64 {
		if !ok {
			return nil
		}
		return &v
	}
	report.Rate = known(r.mean(), r.mean() > 0)
	report.GapP50 = known(r.gaps.Quantile(0.5))
	report.GapP99 = known(r.gaps.Quantile(0.99))
	report.GapMax = known(float64(r.gapMax.Microseconds())/1000, r.timed > 0)
	report.AgeP50 = known(r.ages.Quantile(0.5))
	report.AgeMax = known(r.ageMax, report.AgeP50 != nil)
	if r.window > 0 {
		report.Empty = float64(r.holes) / float64(r.window)
	}
	report.Rates, report.RateStep = means(r.rates, 600)
	return report
}

// OwnName returns what the team last called itself; "" where it never did.
func (c *Card) OwnName() string { return c.own }

// SetTeam names the team, where its name stands in what was read.
func (c *Card) SetTeam(name string) { c.team = name }

// Tear says that the input ends within a message.
func (c *Card) Tear() { c.torn = true }

// Fail says why the rest of the input could not be read.
func (c *Card) Fail(why string) { c.failed = strings.ToValidUTF8(why, "?") }

// Unclosed says how many bytes at the end of a stream have no NUL behind them, and how many were lost before because no
// NUL came in time.
func (c *Card) Unclosed(pending, lost int64) {
	if pending > 0 || lost > 0 {
		c.unclosed = max(pending, 0) + max(lost, 0)
	}
}

// means returns at most most means of all, and of how many each is one.
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

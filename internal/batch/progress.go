package batch

import (
	"math"
	"slices"
	"strings"

	"touchline/game"
	"touchline/internal/bounded"
	"touchline/internal/stat"
)

// Progress is a batch while it runs: the one value that the page of a batch shows, whoever plays its matches.
type Progress struct {
	Name    string   `json:"name"`
	Jobs    int      `json:"jobs"`   // of the plan
	AtMost  bool     `json:"atMost"` // a verdict may end the batch before all jobs are played
	Done    int      `json:"done"`   // that have a result, failures included
	Failed  int      `json:"failed"` // of them, matches that did not end
	Rate    float64  `json:"rate"`   // matches a minute, lately; 0: none
	Left    *float64 `json:"left"`   // s to the end at this rate; null: unknown
	Quiet   *float64 `json:"quiet"`  // s since the newest result; null: there is none
	Damaged []string `json:"damaged"`
	Workers []Worker `json:"workers"` // none: a folder does not tell who fills it
	Newest  []Played `json:"newest"`  // the newest first, at most 40
	Again   []Again  `json:"again"`   // matches that a page wanted to see
	CanOpen bool     `json:"canOpen"` // this program plays a match again for the page
	Report  *Report  `json:"report"`  // some seconds old at most; null: none yet
	Trial   *Trial   `json:"trial"`   // of the same age; null unless two teams play
}

// Worker is a machine that plays matches.
type Worker struct {
	Name    string  `json:"name"`
	Cores   int     `json:"cores"`
	Running int     `json:"running"` // matches that it plays now
	Done    int     `json:"done"`    // matches that it played
	Seen    float64 `json:"seen"`    // s since it was heard of
}

// Played is a match that has a result.
type Played struct {
	ID      string  `json:"id"` // of its job
	Home    string  `json:"home"`
	Away    string  `json:"away"`
	Goals   [2]int  `json:"goals"`
	Seed    uint64  `json:"seed"`
	Where   string  `json:"where"`   // field, network and faults, as far as the plan has several of them
	Trouble string  `json:"trouble"` // why it did not end; "": it ended
	Age     float64 `json:"age"`     // s since the result came
}

// Again is a match that is played again and recorded, to be looked at.
type Again struct {
	ID    string     `json:"id"` // of its job
	State AgainState `json:"state"`
	Share float64    `json:"share"` // that is played, 0 to 1
	Page  string     `json:"page"`  // address of its recording, relative to the page; "": it is not ready
	Text  string     `json:"text"`  // trouble
}

// AgainState is how far a match is that is played again.
type AgainState string

// The states of a match that is played again.
const (
	AgainWaits  AgainState = "waiting"
	AgainPlays  AgainState = "playing"
	AgainReady  AgainState = "ready"
	AgainFailed AgainState = "failed"
)

// Trial is what a sequential test says so far about two teams. B is the one that is tested.
type Trial struct {
	A        string         `json:"a"`
	B        string         `json:"b"`
	Test     stat.SPRT      `json:"test"`
	Lower    float64        `json:"lower"` // bounds of the likelihood ratio, logarithms
	Upper    float64        `json:"upper"`
	LLR      float64        `json:"llr"`      // after all pairs
	Verdict  stat.Verdict   `json:"verdict"`  // at the first bound that the ratio reached
	After    int            `json:"after"`    // pairs until then; 0: undecided
	Pairs    stat.Pairs     `json:"pairs"`    // by the points of B in both matches: 0, 0.5, 1, 1.5, 2
	Failed   int            `json:"failed"`   // pairs with a match that did not end; they do not count
	Score    float64        `json:"score"`    // mean points of B in a match
	Elo      *float64       `json:"elo"`      // of B above A; null: all was won or lost, or nothing is played
	Interval *stat.Interval `json:"interval"` // 95 %, of the Elo; null: too few pairs, or it has no end
	Curve    [][2]float64   `json:"curve"`    // pairs, and the ratio after them; at most 402 points
}

// Bounds of a Progress.
const (
	mostNewest = 40
	mostPaced  = 1000 // results of which the rate is made
	mostCurve  = 400  // points besides the first and the last one
)

// Running collects the results of a batch as they come. Times are seconds since the program began to look; results from
// before have negative ones.
type Running struct {
	plan    *Plan
	jobs    []Job
	index   map[string]int // of jobs, by id
	results []*Result      // of jobs; nil: none yet
	done    int
	failed  int
	total   float64 // expected core-seconds of all jobs
	played  float64 // of those that are done
	recent  bounded.Ring[arrival]
	newest  bounded.Ring[arrival]
}

// arrival is when a result came.
type arrival struct {
	job int
	at  float64
}

// NewRunning returns a batch without results. jobs are those of the plan in its order, or a beginning of them.
func NewRunning(p *Plan, jobs []Job) *Running {
	r := &Running{
		plan: p, jobs: jobs, index: make(map[string]int, len(jobs)), results: make([]*Result, len(jobs)),
		total: Total(jobs),
	}
	for i := range jobs {
		r.index[jobs[i].ID] = i
	}
	return r
}

// Missing returns the job with an id, and nil if it has a result or is none of the batch.
func (r *Running) Missing(id string) *Job {
	i, ok := r.index[id]
	if !ok || r.results[i] != nil {
		return nil
	}
	return &r.jobs[i]
}

// Job returns the job with an id.
func (r *Running) Job(id string) (job Job, ok bool) {
	i, ok := r.index[id]
	if ok {
		job = r.jobs[i]
	}
	return job, ok
}

// Add adds a result that came at a time. A job's first result counts, and those of other jobs do not.
func (r *Running) Add(result *Result, at float64) {
	job := r.Missing(result.ID)
	if job == nil {
		return
	}
	own := *result
	own.ID, own.Program, own.Flags = job.ID, r.plan.Program, job.Flags // equal, and already in memory
	i := r.index[job.ID]
	r.results[i] = &own
	r.played += job.Cost
	if r.done++; own.Trouble != "" {
		r.failed++
	}
	*r.recent.Push(mostPaced), *r.newest.Push(mostNewest) = arrival{i, at}, arrival{i, at}
}

// Done returns how many jobs have a result.
func (r *Running) Done() int { return r.done }

// Results returns the results by job, nil for jobs without one. They stay as they are when more come.
func (r *Running) Results() []*Result { return slices.Clone(r.results) }

// Progress returns how far the batch is at a time. Report, trial, workers and matches that are played again are for the
// caller to fill in.
func (r *Running) Progress(now float64) Progress {
	p := Progress{
		Name: r.plan.Matrix.Name, Jobs: len(r.jobs), Done: r.done, Failed: r.failed,
		Damaged: []string{}, Workers: []Worker{}, Newest: []Played{}, Again: []Again{},
	}
	p.Rate, p.Left = r.pace(now)
	for k := r.newest.Len() - 1; k >= 0; k-- {
		p.Newest = append(p.Newest, r.match(r.newest.At(k), now))
	}
	if len(p.Newest) > 0 {
		p.Quiet = &p.Newest[0].Age
	}
	return p
}

// match returns a match that has a result.
func (r *Running) match(a *arrival, now float64) Played {
	job, result := &r.jobs[a.job], r.results[a.job]
	m := Played{
		ID: job.ID, Home: job.Flags.Home, Away: job.Flags.Away, Goals: [2]int{result.Home.Goals, result.Away.Goals},
		Seed: job.Flags.Seed, Trouble: result.Trouble, Age: max(now-a.at, 0),
	}
	of := &r.plan.Matrix
	var where []string
	for _, part := range []struct {
		name string
		many int
	}{{job.Flags.Field, len(of.Fields)}, {job.Network, len(of.Networks)}, {job.Faults, len(of.Faults)}} {
		if part.many > 1 {
			where = append(where, part.name)
		}
	}
	m.Where = strings.Join(where, ", ")
	return m
}

// pace returns the matches a minute and the seconds to the end: over the last minute, or over a longer time in which at
// least a few results came.
func (r *Running) pace(now float64) (rate float64, left *float64) {
	const few, shortest, longest = 5, 60.0, 4 * 3600.0
	oldest := math.Inf(-1) // before it the ring has forgotten results
	if r.recent.Len() == mostPaced {
		oldest = r.recent.At(0).at
	}
	for window := shortest; window <= longest; window *= 2 {
		from, n, cost, first := max(now-window, oldest), 0, 0.0, math.Inf(1)
		for k := range r.recent.Len() {
			if a := r.recent.At(k); a.at > from {
				n++
				cost += r.jobs[a.job].Cost
				first = min(first, a.at)
			}
		}
		if first >= 0 {
			from = max(from, 0) // nobody played before the program looked
		}
		if n == 0 || n < few && from <= now-window && 2*window <= longest {
			continue
		}
		if r.done < len(r.jobs) {
			seconds := (r.total - r.played) * (now - from) / cost
			left = &seconds
		}
		return float64(n) * 60 / (now - from), left
	}
	return 0, nil
}

// Standing returns what results say: their report, and the trial if two teams play. results are those of the jobs, by
// Results; test judges the trial.
func Standing(p *Plan, jobs []Job, results []*Result, test stat.SPRT) (*Report, *Trial) {
	next := 0
	report := NewReport(p, jobs, func(*Job) *Result {
		next++
		return results[next-1]
	})
	names := p.Matrix.All()
	if len(names) != 2 {
		return report, nil
	}
	t := &Trial{A: names[0], B: names[1], Test: test, Verdict: stat.GoOn, Curve: [][2]float64{{0, 0}}}
	if len(p.Matrix.Against) > 0 { // a new team against an old one
		t.A, t.B = names[1], names[0]
	}
	t.Lower, t.Upper = test.Bounds()
	complete := 0
	for i := 0; i+1 < len(jobs); i += 2 {
		if results[i] != nil && results[i+1] != nil {
			complete++
		}
	}
	step := max((complete+mostCurve-1)/mostCurve, 1)
	for i := 0; i+1 < len(jobs); i += 2 {
		pair := results[i : i+2]
		switch {
		case pair[0] == nil || pair[1] == nil:
			continue
		case pair[0].Trouble != "" || pair[1].Trouble != "":
			t.Failed++
			continue
		}
		t.add(pair)
		t.judge(step)
	}
	t.finish()
	return report, t
}

// add adds the two matches of a pair.
func (t *Trial) add(pair []*Result) {
	points := 0.0
	for _, r := range pair {
		side := 0
		if r.Flags.Home != t.B {
			side = 1
		}
		points += r.Points(game.Sides[side])
	}
	t.Pairs[int(2*points)]++
}

// judge notes the ratio after the pairs so far in each step of the curve, and the verdict at the first bound that it
// reached.
func (t *Trial) judge(step int) {
	n := t.Pairs.Count()
	if t.Verdict != stat.GoOn && n%step != 0 {
		return
	}
	verdict, llr := t.Test.Judge(&t.Pairs)
	t.LLR = llr
	if last := t.Curve[len(t.Curve)-1]; n%step == 0 && last[0] < float64(n) {
		t.Curve = append(t.Curve, [2]float64{float64(n), llr})
	}
	if verdict != stat.GoOn && t.Verdict == stat.GoOn {
		t.Verdict, t.After = verdict, n
	}
}

// finish fills in what follows from all pairs.
func (t *Trial) finish() {
	if t.Pairs.Count() == 0 {
		return
	}
	t.judge(1)
	t.Score, _ = t.Pairs.Score()
	elo, in, known := t.Pairs.Elo()
	if !math.IsInf(elo, 0) {
		t.Elo = &elo
	}
	if known && !math.IsInf(in.From, 0) && !math.IsInf(in.To, 0) {
		t.Interval = &in
	}
}

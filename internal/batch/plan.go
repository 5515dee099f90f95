// Package batch plans many matches, plays each of them, and tells what they say about the teams.
//
//   - matrix.go, toml.go: what to play, as a user writes it
//   - plan.go: the jobs that follow, their slices, and the file of a plan
//   - programs.go: which files the programs of teams are
//   - play.go: one job becomes a result, which is a file of its own
//   - report.go, rows.go: results become tables, whatever the order in which they came
//   - tune.go: numbers of a state machine that win more
//
// A match is a pure function of its flags, of its teams' state machines or programs, and of touchline. The id of a job stands for all
// three: a result is played once, on whichever machine, and never used for another program's match.
package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"touchline/internal/match"
	"touchline/internal/robot/hfsm"
	"touchline/wire"
)

// planFormat is the version of the file of a plan.
const planFormat = 1

// MaxPlan is the size limit of the file of a plan, in bytes.
const MaxPlan = 32 << 20

// Plan is a batch: its matrix, all that its matches depend on, and the program for which it was made. The jobs follow from
// it. Its JSON is stable.
type Plan struct {
	Format   int       `json:"format"` // 1
	Program  Program   `json:"program"`
	Matrix   Matrix    `json:"matrix"`
	Machines []Machine `json:"machines"` // state machines of teams "play:FILE"
	// Programs are those of teams "program:COMMAND", which run in Folder; see Locate.
	Programs []TeamProgram `json:"programs,omitempty"`
	Folder   string        `json:"folder,omitempty"` // absolute path

	sums map[string]string // hashes of Machines and Programs by the team's name
}

// Program identifies what a match's course depends on besides its flags: the version of the build, and a hash of what its
// robots do in a short match, which differs when a rebuilt program without a version behaves otherwise.
type Program struct {
	Version   string `json:"version"`
	Behaviour string `json:"behaviour"`
}

// String returns the program in one line.
func (p Program) String() string { return fmt.Sprintf("%s, behaviour %s", p.Version, p.Behaviour) }

// Machine is the state machine of a team.
type Machine struct {
	Team    string        `json:"team"`
	Machine *hfsm.Machine `json:"machine"` // as docs/robot.md writes it
}

// Job is a match to play.
type Job struct {
	ID      string      `json:"id"` // 32 hexadecimal digits
	Flags   match.Flags `json:"flags"`
	Network string      `json:"network"`
	Faults  string      `json:"faults"`
	Cost    float64     `json:"cost"` // expected core-seconds
}

// NewPlan returns the plan of a matrix. read reads the files of state machines, which the plan then holds. The error names
// what is wrong with a team.
func NewPlan(m Matrix, program Program, read func(path string) ([]byte, error)) (*Plan, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	p := &Plan{Format: planFormat, Program: program, Matrix: m, Machines: []Machine{}}
	for _, name := range m.All() {
		team, err := match.FindTeam(name, read)
		switch {
		case err != nil:
			return nil, fmt.Errorf("teams: %w", err)
		case team.Program != nil:
			p.Programs = append(p.Programs, TeamProgram{Team: name})
		case team.External:
			return nil, fmt.Errorf("teams: %s: programs outside play in real time, and no seed repeats their match: "+
				"play it with touchline match, or give its command as %sCOMMAND", name, match.ProgramPrefix)
		case team.Machine != nil:
			p.Machines = append(p.Machines, Machine{name, team.Machine})
		}
	}
	p.prepare()
	return p, nil
}

// ParsePlan reads the file of a plan and checks it.
func ParsePlan(b []byte) (*Plan, error) {
	p := new(Plan)
	if err := wire.DecodeJSONUpTo(MaxPlan, b, "the plan", p); err != nil {
		return nil, err
	}
	if p.Format != planFormat {
		return nil, fmt.Errorf("the plan has format %d, and this program reads %d: plan the matrix again", p.Format, planFormat)
	}
	if err := p.Matrix.Validate(); err != nil {
		return nil, fmt.Errorf("the plan: %w", err)
	}
	if len(p.Machines) > 2*maxTeams {
		return nil, fmt.Errorf("the plan has %d state machines: want at most %d", len(p.Machines), 2*maxTeams)
	}
	if err := p.checkPrograms(); err != nil {
		return nil, err
	}
	p.prepare()
	for _, name := range p.Matrix.All() {
		if team, err := match.FindTeam(name, p.Read); err != nil || team.Live() || team.Program != nil && !p.holdsProgram(name) {
			return nil, fmt.Errorf("the plan: team %q cannot play: plan the matrix again", name)
		}
	}
	return p, nil
}

// prepare hashes state machines and programs.
func (p *Plan) prepare() {
	p.sums = map[string]string{}
	for i := range p.Machines {
		sum := sha256.Sum256(p.Machines[i].text())
		p.sums[p.Machines[i].Team] = hex.EncodeToString(sum[:])
	}
	for i := range p.Programs {
		sum := sha256.Sum256(p.Programs[i].text())
		p.sums[p.Programs[i].Team] = hex.EncodeToString(sum[:])
	}
}

func (m *Machine) text() []byte {
	b, err := json.Marshal(m.Machine)
	if err != nil {
		panic(err) // a machine has only texts and numbers
	}
	return b
}

// Read returns the state machine of a file "FILE" of a team "play:FILE".
func (p *Plan) Read(path string) ([]byte, error) {
	for i := range p.Machines {
		if p.Machines[i].Team == match.MachinePrefix+path {
			return p.Machines[i].text(), nil
		}
	}
	return nil, fmt.Errorf("the plan does not hold the state machine of %s", path)
}

// Text returns the file of the plan.
func (p *Plan) Text() []byte {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(err) // texts and finite numbers; the machines were parsed
	}
	return append(b, '\n')
}

// Jobs returns all jobs: seed by seed, the two matches of a pair with swapped sides beside each other.
func (p *Plan) Jobs() []Job {
	jobs := make([]Job, 0, p.Matrix.Count())
	for n := range p.Matrix.Seeds {
		jobs = p.AppendSeed(jobs, n)
	}
	return jobs
}

// Seeds yields the jobs of the first n seeds, in the order of Jobs.
func (p *Plan) Seeds(n int) iter.Seq[*Job] {
	return func(yield func(*Job) bool) {
		for seed := range n {
			for job := range Each(p.AppendSeed(nil, seed)) {
				if !yield(job) {
					return
				}
			}
		}
	}
}

// Each yields the jobs of a list in turn.
func Each(jobs []Job) iter.Seq[*Job] {
	return func(yield func(*Job) bool) {
		for i := range jobs {
			if !yield(&jobs[i]) {
				return
			}
		}
	}
}

// AppendSeed appends the jobs of the nth seed, from 0.
func (p *Plan) AppendSeed(jobs []Job, n int) []Job {
	m := &p.Matrix
	all := m.All()
	for _, pair := range m.pairings() {
		for i := range m.Networks {
			for k := range m.Faults {
				for _, field := range m.Fields {
					link := &m.Networks[i].Link
					j := Job{Network: m.Networks[i].Name, Faults: m.Faults[k].Name, Flags: match.Flags{
						Seed: m.First + uint64(n), Half: m.Half, Home: all[pair[0]], Away: all[pair[1]],
						HomeRobots: m.Robots, AwayRobots: m.Robots, Field: field, Loss: link.Loss, Burst: link.Burst,
						Delay: link.Delay, Jitter: link.Jitter, Mixed: m.Mixed, Localise: m.Localise, Faults: m.Faults[k].Faults,
					}}
					jobs = append(jobs, p.complete(j))
					j.Flags.Home, j.Flags.Away = j.Flags.Away, j.Flags.Home
					jobs = append(jobs, p.complete(j))
				}
			}
		}
	}
	return jobs
}

// complete sets the id and the cost of a job.
func (p *Plan) complete(j Job) Job {
	text, err := json.Marshal(struct {
		Program  Program
		Flags    *match.Flags
		Machines [2]string // hashes, also of programs; "": a built-in team
	}{p.Program, &j.Flags, [2]string{p.sums[j.Flags.Home], p.sums[j.Flags.Away]}})
	if err != nil {
		panic(err) // texts and finite numbers
	}
	sum := sha256.Sum256(text)
	j.ID = hex.EncodeToString(sum[:16])
	j.Cost = cost(&j.Flags)
	return j
}

// Holds reports whether the plan could have made a job: its id is that of its flags.
func (p *Plan) Holds(job *Job) bool { return job.ID != "" && p.complete(*job).ID == job.ID }

// Costs in core-seconds of a second of a match, measured on a processor of 2024. Only their ratio decides the slices.
const (
	costSecond   = 0.006
	costPauses   = 12.0 // s of a match besides its halves, in which the ball is out of play
	costLocalise = 4.0  // times, with poses that robots find themselves
	costProgram  = 0.02 // more for each team that is a program: docs/team.py; another one may take more or less
	costStart    = 0.01
)

// cost returns the expected cost of a match.
func cost(f *match.Flags) float64 {
	long := float64(2*f.Half.Seconds()) + costPauses
	seconds := float64(long * costSecond)
	if f.Localise {
		seconds *= costLocalise
	}
	if f.Home == still || f.Away == still {
		seconds *= 0.8
	}
	for _, team := range []string{f.Home, f.Away} {
		if strings.HasPrefix(team, match.ProgramPrefix) {
			seconds += float64(long * costProgram)
		}
	}
	return costStart + seconds
}

// still is the team that never moves.
const still = "still"

// Slice returns the jobs of the nth of some slices, from 1, costliest first. Each job is in one slice. The jobs are dealt
// out by their cost, forth and back, so that slices cost the same.
func Slice(jobs []Job, n, of int) ([]Job, error) {
	if of < 1 || of > MaxJobs || n < 1 || n > of {
		return nil, fmt.Errorf("slice %d/%d: want N/M with N from 1 to M, and M from 1 to %d, for example 7/100", n, of, MaxJobs)
	}
	sorted := slices.Clone(jobs)
	slices.SortStableFunc(sorted, func(a, b Job) int {
		switch {
		case a.Cost > b.Cost:
			return -1
		case a.Cost < b.Cost:
			return 1
		}
		return 0
	})
	var slice []Job
	for begin := 0; begin < len(sorted); begin += of {
		at := begin + n - 1
		if begin/of%2 == 1 {
			at = begin + of - n
		}
		if at < len(sorted) {
			slice = append(slice, sorted[at])
		}
	}
	return slice, nil
}

// Total returns the expected core-seconds of jobs.
func Total(jobs []Job) (seconds float64) {
	for i := range jobs {
		seconds += jobs[i].Cost
	}
	return seconds
}

package batch

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// never stops no match.
func never() bool { return false }

// plan returns the plan of a matrix.
func plan(t testing.TB, text string) *Plan {
	t.Helper()
	m, err := ParseMatrix([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(m, Program{"test", "0"}, func(string) ([]byte, error) { return os.ReadFile("../../docs/play.json") })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const small = `
name = "keeper"
half = "2s"
seeds = 3
teams = ["touchline", "still", "play:new.json"]
fields = ["18x12", "22x14"]

[[network]]
name = "perfect"

[[network]]
name = "lossy"
loss = 0.1
jitter = "5ms"

[[faults]]
name = "none"

[[faults]]
name = "crash"
list = ["crash home 1 1s 2s", "silent 1s 2s"]
`

// A matrix gives each pairing under each condition with each seed, twice with swapped sides; ids are unique, and the same
// when the plan comes back from its file.
func TestPlan(t *testing.T) {
	p := plan(t, small)
	jobs := p.Jobs()
	if want := 3 * 3 * 2 * 2 * 2 * 2; len(jobs) != want || p.Matrix.Count() != want {
		t.Fatalf("%d jobs, Count %d, want %d", len(jobs), p.Matrix.Count(), want)
	}
	seen := map[string]bool{}
	for i := range jobs {
		if seen[jobs[i].ID] || len(jobs[i].ID) != 32 {
			t.Fatalf("job %d has the id %q", i, jobs[i].ID)
		}
		seen[jobs[i].ID] = true
		if k := i ^ 1; jobs[i].Flags.Seed != jobs[k].Flags.Seed || jobs[i].Flags.Home != jobs[k].Flags.Away {
			t.Fatalf("jobs %d and %d are no pair", i, k)
		}
	}
	back, err := ParsePlan(p.Text())
	if err != nil {
		t.Fatal(err)
	}
	if again := back.Jobs(); !slices.EqualFunc(jobs, again, func(a, b Job) bool { return a.ID == b.ID && a.Cost == b.Cost }) {
		t.Error("the plan from its file has other jobs")
	}
	other := *p
	other.Program.Behaviour = "1"
	if other.Jobs()[0].ID == jobs[0].ID {
		t.Error("a program that behaves otherwise has the same ids")
	}
	p.Machines[0].Machine.Transitions[0].After += time.Second
	p.prepare()
	changed := p.Jobs()
	for i := range jobs {
		plays := strings.Contains(jobs[i].Flags.Home+jobs[i].Flags.Away, "play:")
		if plays == (changed[i].ID == jobs[i].ID) {
			t.Fatalf("a changed state machine: job %s against %s has the id %s, before %s", jobs[i].Flags.Home, jobs[i].Flags.Away,
				changed[i].ID, jobs[i].ID)
		}
	}
}

// Each job is in one slice, and slices cost the same but for one job.
func TestSlices(t *testing.T) {
	jobs := plan(t, small).Jobs()
	largest := slices.MaxFunc(jobs, func(a, b Job) int { return cmp.Compare(a.Cost, b.Cost) }).Cost
	for _, of := range []int{1, 2, 7, 8, len(jobs), len(jobs) + 5} {
		seen, least, most := map[string]int{}, 1e9, 0.0
		for n := 1; n <= of; n++ {
			slice, err := Slice(jobs, n, of)
			if err != nil {
				t.Fatal(err)
			}
			for i := range slice {
				seen[slice[i].ID]++
			}
			least, most = min(least, Total(slice)), max(most, Total(slice))
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("%d slices: job %s is in %d", of, id, n)
			}
		}
		if len(seen) != len(jobs) || most-least > 1.01*largest {
			t.Errorf("%d slices hold %d of %d jobs and cost %v to %v", of, len(seen), len(jobs), least, most)
		}
	}
	for _, c := range [][2]int{{0, 1}, {2, 1}, {1, 0}, {1, MaxJobs + 1}, {-1, 3}} {
		if _, err := Slice(jobs, c[0], c[1]); err == nil {
			t.Errorf("slice %d/%d is accepted", c[0], c[1])
		}
	}
}

// A wrong matrix gives the line, what is wrong and what is accepted.
func TestMatrixErrors(t *testing.T) {
	for text, want := range map[string]string{
		"teams = [\"touchline\"]":                                                         "line 1: teams: one team alone",
		"\nteams = \"touchline\"":                                                         "line 2: teams: want texts in brackets",
		"teams = [\"a\", \"b\"]\nhalf = 60":                                               "line 2: half: want",
		"teams = [\"a\", \"b\"]\nhalf = \"1ms\"":                                          "line 2: half: 1ms: want whole seconds",
		"teams = [\"a\", \"b\"]\n\nseeds = 2.5":                                           "line 3: seeds: want a whole number from 1",
		"teams = [\"a\", \"b\"]\nseeds = 900000":                                          "line 2: seeds: the matrix gives 1800000 matches",
		"teams = [\"a\", \"a\"]":                                                          "line 1: teams: \"a\" is listed twice",
		"teams = [\"a\", \"b\"]\nfields = [\"9x6\"]":                                      "line 2: fields: \"9x6\": want 18x12 or 22x14",
		"teams = [\"a\", \"b\"]\nseed = x":                                                "line 2",
		"teams = [\"a\", \"b\"]\ncolour = 1":                                              "line 2: colour: unknown key: want one of name, teams",
		"teams = [\"a\", \"b\"]\n[[network]]\nname=\"x\"\nloss = 2":                       "line 4: network, loss: loss 2",
		"teams = [\"a\", \"b\"]\n[[network]]\nname=\"x\"\n[[network]]\nname = \"x\"":      "line 5: network, name: \"x\" is listed twice",
		"teams = [\"a\", \"b\"]\n[[faults]]\nname=\"x\"\nlist = [\"boom\"]":               "line 4: faults, list: \"boom\"",
		"teams = [\"a\", \"b\"]\n[[faults]]\nname=\"x\"\nlist = [\"crash home 9 1s 2s\"]": "line 4: faults, list: fault",
		"teams = [\"a\", \"b\"]\nnetwork = 3":                                             "line 2: network: want a table",
		"teams = [[[[1]]]]":                                                               "line 1",
		"":                                                                                "teams",
	} {
		if _, err := ParseMatrix([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	for name, want := range map[string]string{
		"external": "in real time", "nobody": "want touchline", "play:none.json": "gone",
	} {
		m := DefaultMatrix()
		m.Teams = []string{"touchline", name}
		if _, err := NewPlan(m, Program{}, func(string) ([]byte, error) { return nil, errors.New("gone") }); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("team %s: got %v, want %q", name, err, want)
		}
	}
}

// A job gives the same result twice, which comes back from its file; a torn, changed or foreign file is none.
func TestPlay(t *testing.T) {
	p := plan(t, small)
	jobs := p.Jobs()
	job := &jobs[5] // with a crash
	r, played := p.Play(job, never, nil)
	if !played || r.Trouble != "" || r.Seconds < 4 || r.Digest == "" {
		t.Fatalf("played %t: %+v", played, r)
	}
	if again, _ := p.Play(job, never, nil); string(again.Text()) != string(r.Text()) {
		t.Errorf("twice the same job gave\n%s%s", r.Text(), again.Text())
	}
	back, err := ParseResult(r.Text())
	if err != nil || string(back.Text()) != string(r.Text()) || !p.Answers(job, back) {
		t.Errorf("from its file it is %+v, %v", back, err)
	}
	if p.Answers(&jobs[6], back) {
		t.Error("it answers another job")
	}
	text := r.Text()
	for n := range len(text) - 2 {
		if _, err := ParseResult(text[:n]); err == nil {
			t.Fatalf("a result torn after %d bytes is accepted", n)
		}
	}
	if _, err := ParseResult([]byte(strings.Replace(string(text), `"goals":`, `"goals":1`, 1))); err == nil {
		t.Error("a changed result is accepted")
	}
	if _, played := p.Play(job, func() bool { return true }, nil); played {
		t.Error("a stopped match gave a result")
	}
}

// The program's behaviour is a constant of the program.
func TestBehaviour(t *testing.T) {
	if a, b := Behaviour(), Behaviour(); a != b || len(a) != 12 {
		t.Errorf("got %q and %q", a, b)
	}
}

func FuzzMatrix(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("teams = [\"touchline\", \"still\"]\nseeds = 1"))
	f.Add([]byte("teams = [\"touchline\", \"program:./mine x\"]\nseeds = 1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseMatrix(b)
		if err != nil {
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("read, but not valid: %v", err)
		}
		p, err := NewPlan(m, Program{"test", "0"}, func(string) ([]byte, error) { return nil, errors.New("none") })
		if err != nil || m.Count() > 1000 || p.Locate("/", func(string) (string, error) { return "", nil }) != nil {
			return
		}
		jobs := p.Jobs()
		back, err := ParsePlan(p.Text())
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		for i, j := range back.Jobs() {
			if j.ID != jobs[i].ID {
				t.Fatalf("job %d has another id", i)
			}
		}
	})
}

func FuzzResult(f *testing.F) {
	p := plan(f, small)
	job := p.Jobs()[0]
	r, _ := p.Play(&job, never, nil)
	f.Add(r.Text())
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := ParseResult(b); err == nil {
			if _, err := ParseResult(r.Text()); err != nil {
				t.Fatalf("read, but its own file is not: %v", err)
			}
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add(plan(f, small).Text())
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := ParsePlan(b); err == nil && p.Matrix.Count() <= 1000 {
			p.Jobs()
		}
	})
}

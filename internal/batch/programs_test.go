package batch

import (
	"fmt"
	"strings"
	"testing"

	"touchline/internal/match"
)

// programPlan plans a batch with a program whose file has a hash.
func programPlan(t *testing.T, folder, hash string) *Plan {
	t.Helper()
	m := DefaultMatrix()
	m.Teams, m.Seeds = []string{"touchline", "program:python3 mine.py {team}", "program:./own"}, 1
	p, err := NewPlan(m, Program{"test", "0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(path string) (string, error) {
		switch path {
		case "mine.py":
			return hash, nil
		case "./own":
			return "0123", nil
		}
		return "", fmt.Errorf("%s: %w", path, ErrNoFile)
	}
	if err := p.Locate(folder, sum); err != nil {
		t.Fatal(err)
	}
	if err := p.Changed(sum); err != nil {
		t.Error(err)
	}
	return p
}

// A changed file of a program makes its jobs others, and no more: where the program runs changes none.
func TestPrograms(t *testing.T) {
	a, b, moved := programPlan(t, "/here", "aa").Jobs(), programPlan(t, "/here", "bb").Jobs(), programPlan(t, "/there", "aa").Jobs()
	for i := range a {
		plays := strings.Contains(a[i].Flags.Home+a[i].Flags.Away, "mine.py")
		if (a[i].ID != b[i].ID) != plays || a[i].ID != moved[i].ID {
			t.Errorf("%s against %s: id %s, with another file %s, in another folder %s", a[i].Flags.Home, a[i].Flags.Away, a[i].ID,
				b[i].ID, moved[i].ID)
		}
	}
	one, two := a[0].Cost, a[len(a)-1].Cost // touchline against a program, and a program against another one
	if base := plan(t, small).Jobs()[0].Cost; one < 2*base || two < 1.5*one {
		t.Errorf("a match with a program costs %v, with two %v, without %v", one, two, base)
	}
	p := programPlan(t, "/here", "aa")
	if len(p.Programs) != 2 || len(p.Programs[0].Files) != 1 || p.Programs[0].Files[0] != (ProgramFile{"mine.py", "aa"}) {
		t.Errorf("the files are %+v", p.Programs)
	}
	err := p.Changed(func(path string) (string, error) { return "cc", nil })
	if err == nil || !strings.Contains(err.Error(), "mine.py has changed since the plan was made") {
		t.Error(err)
	}
	back, err := ParsePlan(p.Text())
	if err != nil || back.Jobs()[2].ID != p.Jobs()[2].ID {
		t.Errorf("%v; read again, the jobs are others", err)
	}
	for was, is := range map[string]string{`"folder": "/here"`: `"folder": ""`, `"team": "program:./own"`: `"team": "program:./x"`} {
		if _, err := ParsePlan([]byte(strings.Replace(string(p.Text()), was, is, 1))); err == nil {
			t.Errorf("a plan with %s is read", is)
		}
	}
	missing := *p
	missing.Programs = []TeamProgram{{Team: "program:./gone"}}
	if err := missing.Locate("/here", func(string) (string, error) { return "", ErrNoFile }); err == nil {
		t.Error("a program that is not there is planned")
	}
}

// A job cannot bring a program that its plan does not name, whatever its id says.
func TestForgedProgram(t *testing.T) {
	for _, p := range []*Plan{plan(t, small), programPlan(t, "/here", "aa")} {
		job := p.Jobs()[0]
		job.Flags.Home = "program:touch /tmp/forged"
		if job = p.complete(job); !p.Holds(&job) {
			t.Fatal("the id is not that of the flags")
		}
		r, played := p.Play(&job, never, func(*match.MatchConfig, *match.Tap) (func(), error) {
			t.Error("the program starts")
			return func() {}, nil
		})
		if !played || !r.Outside || !strings.Contains(r.Trouble, "is not a program in the plan") {
			t.Errorf("played %v: %q", played, r.Trouble)
		}
	}
}

package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"touchline/internal/match"
)

// TeamProgram is the program of a team "program:COMMAND", and what tells one version of it from another.
type TeamProgram struct {
	Team  string        `json:"team"`
	Files []ProgramFile `json:"files"` // words of the command that name files, relative to the plan's folder
}

// ProgramFile is a file of a program.
type ProgramFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// ErrNoFile is the error for a word of a command that names no file.
var ErrNoFile = errors.New("there is no such file")

// mostFiles is the most words of a command that are files.
const mostFiles = 64

// text is what the ids of jobs stand for.
func (t *TeamProgram) text() []byte {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err) // texts
	}
	return b
}

// Locate says in which folder the programs of teams run, as an absolute path, and notes which of their words are files
// there. sum returns the SHA-256 of a file, "" for one that is not noted, or ErrNoFile. The ids of jobs change: a changed
// program plays other matches. The error names a program that is not there. Without programs nothing happens.
func (p *Plan) Locate(folder string, sum func(path string) (string, error)) error {
	if len(p.Programs) == 0 {
		return nil
	}
	p.Folder = folder
	for i := range p.Programs {
		t := &p.Programs[i]
		team, err := match.FindTeam(t.Team, nil)
		if err != nil {
			return fmt.Errorf("teams: %w", err)
		}
		t.Files = []ProgramFile{}
		for k, word := range team.Program {
			if k == 0 && !strings.ContainsAny(word, `/\`) {
				continue // the system looks for it
			}
			hash, err := sum(word)
			switch {
			case errors.Is(err, ErrNoFile) && k > 0:
				continue
			case err != nil:
				return fmt.Errorf("teams: %s: %w", t.Team, err)
			case hash != "":
				t.Files = append(t.Files, ProgramFile{word, hash})
			}
		}
	}
	p.prepare()
	return nil
}

// Changed returns an error that names a file of a program that is not the one that was planned.
func (p *Plan) Changed(sum func(path string) (string, error)) error {
	for i := range p.Programs {
		for _, f := range p.Programs[i].Files {
			switch hash, err := sum(f.Path); {
			case err != nil:
				return fmt.Errorf("%s: %w", p.Programs[i].Team, err)
			case hash != f.SHA256:
				return fmt.Errorf("%s: %s has changed since the plan was made, so its matches would differ: plan the matrix again",
					p.Programs[i].Team, f.Path)
			}
		}
	}
	return nil
}

// checkPrograms checks what a plan that was read says of programs.
func (p *Plan) checkPrograms() error {
	if len(p.Programs) > 2*maxTeams || len(p.Programs) > 0 && p.Folder == "" {
		return fmt.Errorf("the plan has %d programs in the folder %q: want at most %d, and the folder", len(p.Programs), p.Folder,
			2*maxTeams)
	}
	for i := range p.Programs {
		if t := &p.Programs[i]; len(t.Files) > mostFiles {
			return fmt.Errorf("the plan has %d files of %.80q: want at most %d", len(t.Files), t.Team, mostFiles)
		}
	}
	return nil
}

// holdsProgram reports whether the program of a team is one of the plan.
func (p *Plan) holdsProgram(name string) bool {
	return p.Folder != "" && slices.ContainsFunc(p.Programs, func(t TeamProgram) bool { return t.Team == name })
}

// Opener starts the programs that play teams of a match: it completes the match's tap. end ends them.
type Opener func(cfg *match.MatchConfig, tap *match.Tap) (end func(), err error)

// open starts the programs of a match; none may play that the plan does not name, whatever the flags of a job say.
func (p *Plan) open(cfg *match.MatchConfig, tap *match.Tap, open Opener) (end func(), err error) {
	for _, team := range []*match.Team{&cfg.Home, &cfg.Away} {
		if team.Program != nil && !p.holdsProgram(team.Name) {
			return nil, fmt.Errorf("%s is not a program in the plan", team.Name)
		}
	}
	return open(cfg, tap)
}

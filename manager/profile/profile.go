// Package profile keeps the parameters of robots as named TOML files: a robot, a venue (docs/manager.md).
package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"touchline/manager"
	"touchline/wire/team"
)

// Version is the version of the files.
const Version = 1

// Bounds of a file.
const (
	maxFile  = 128 << 10 // bytes
	maxFiles = 200       // of a folder that are listed
	maxName  = team.MaxName
)

// Profile is the parameters of a robot under a name.
type Profile struct {
	Version    int            `toml:"version"`
	Robot      uint8          `toml:"robot"` // from which it was saved
	Parameters map[string]any `toml:"parameters"`
}

// Difference is a parameter whose value in a profile is not the robot's.
type Difference struct {
	Name string  `json:"name"`
	Have float32 `json:"have"` // of the robot
	Want float32 `json:"want"` // of the profile
}

// Of returns the profile of a robot's parameters, without those that are read-only. A choice is kept by its name, so
// that it means the same on a robot that orders its choices otherwise.
func Of(v *manager.View) *Profile {
	p := &Profile{Version: Version, Robot: v.Robot, Parameters: map[string]any{}}
	for i := range v.Parameters {
		at := &v.Parameters[i]
		switch {
		case at.ReadOnly:
		case at.Kind == team.Switch.String():
			p.Parameters[at.Name] = at.Value != 0
		case at.Kind == team.Choice.String() && int(at.Value) < len(at.Choices):
			p.Parameters[at.Name] = at.Choices[int(at.Value)]
		case at.Kind == team.Integer.String():
			p.Parameters[at.Name] = int64(at.Value)
		default:
			p.Parameters[at.Name] = at.Value
		}
	}
	return p
}

// Parse reads a profile. It refuses unknown keys and values that no parameter can have.
func Parse(b []byte) (*Profile, error) {
	if len(b) > maxFile {
		return nil, fmt.Errorf("profile: %d bytes: want at most %d", len(b), maxFile)
	}
	p := new(Profile)
	meta, err := toml.Decode(string(b), p)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("profile: unknown key %.40q: want version, robot and the table parameters", unknown[0].String())
	}
	if p.Version != Version {
		return nil, fmt.Errorf("profile: version %d: want %d", p.Version, Version)
	}
	if len(p.Parameters) > manager.MaxParameters {
		return nil, fmt.Errorf("profile: %d parameters: want at most %d", len(p.Parameters), manager.MaxParameters)
	}
	for name, value := range p.Parameters {
		switch v := value.(type) {
		case bool, string, int64:
			continue
		case float64:
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				continue
			}
		}
		return nil, fmt.Errorf("profile: parameter %.40q: want a number, true, false, or the name of a choice", name)
	}
	return p, nil
}

// Compare returns what the profile would change on a robot, in the robot's order, and the names in it that mean nothing
// to this robot: parameters that it does not have or cannot set, and choices that it does not know.
func (p *Profile) Compare(v *manager.View) (changes []Difference, foreign []string) {
	known := map[string]bool{}
	for i := range v.Parameters {
		at := &v.Parameters[i]
		value, there := p.Parameters[at.Name]
		want, ok := valueOf(value, at)
		if !there || !ok || at.ReadOnly {
			continue
		}
		if known[at.Name] = true; want != at.Value {
			changes = append(changes, Difference{at.Name, at.Value, want})
		}
	}
	for name := range p.Parameters {
		if !known[name] {
			foreign = append(foreign, name)
		}
	}
	slices.Sort(foreign)
	return changes, foreign
}

// valueOf returns a value of a profile as the robot's parameter has it.
func valueOf(value any, at *manager.ParameterView) (float32, bool) {
	switch v := value.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case string:
		i := slices.Index(at.Choices, v)
		return float32(i), i >= 0
	case int64:
		return float32(v), true
	case float32:
		return v, true
	case float64:
		return float32(v), true
	}
	return 0, false
}

// Shelf is a folder of profiles.
type Shelf struct{ Dir string }

const suffix = ".toml"

var errShelf = errors.New("profile: no folder for profiles: start with --profiles DIR")

// path returns the file of a name.
func (s Shelf) path(name string) (string, error) {
	plain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_", r) }
	switch {
	case s.Dir == "":
		return "", errShelf
	case name == "" || len(name) > maxName || strings.TrimSpace(name) != name ||
		strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }):
		return "", fmt.Errorf("profile: name %.40q: want 1 to %d letters, digits, blanks, - and _", name, maxName)
	}
	return filepath.Join(s.Dir, name+suffix), nil
}

// Save writes the profile of a name, in place of an earlier one.
func (s Shelf) Save(name string, p *Profile) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(p); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if err := os.WriteFile(path+".part", b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return nil
}

// Load reads the profile of a name.
func (s Shelf) Load(name string) (*Profile, error) {
	path, err := s.path(name)
	if err != nil {
		return nil, err
	}
	if at, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("profile: there is no profile %q", name)
	} else if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	} else if at.Size() > maxFile {
		return nil, fmt.Errorf("profile: %s has %d bytes: want at most %d", path, at.Size(), maxFile)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return Parse(b)
}

// Row is a profile of the folder beside a robot.
type Row struct {
	Name    string       `json:"name"`
	Robot   uint8        `json:"robot"`   // from which it was saved
	Changes []Difference `json:"changes"` // what it would change on this robot
	Foreign []string     `json:"foreign"` // names in it that mean nothing to this robot
	Fault   string       `json:"fault"`   // why it cannot be read; "": it can
}

// Rows returns the profiles of the folder by name, compared with a robot.
func (s Shelf) Rows(v *manager.View) []Row {
	rows := []Row{}
	files, err := os.ReadDir(s.Dir)
	if err != nil || s.Dir == "" {
		return rows
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), suffix)
		if !ok || len(rows) == maxFiles {
			continue
		}
		row := Row{Name: name, Changes: []Difference{}, Foreign: []string{}}
		if p, err := s.Load(name); err != nil {
			row.Fault = err.Error()
		} else {
			changes, foreign := p.Compare(v)
			row.Robot, row.Changes, row.Foreign = p.Robot, append(row.Changes, changes...), append(row.Foreign, foreign...)
		}
		rows = append(rows, row)
	}
	return rows
}

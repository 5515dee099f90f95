package managernet

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/BurntSushi/toml"

	"touchline/internal/bounded"
	"touchline/internal/manager"
	"touchline/wire/team"
)

// profileVersion is the version of the files.
const profileVersion = 1

// Bounds of a file.
const (
	maxFile  = 32 << 10 // bytes
	maxFiles = 200      // files of a folder that are kept and listed
	maxName  = team.MaxName
)

// profile is the parameters of a robot under a name.
type profile struct {
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

// profileOf returns the profile of a robot's parameters, without those that are read-only. A choice is kept by its name, so
// that it means the same on a robot that orders its choices otherwise.
func profileOf(v *manager.View) *profile {
	p := &profile{Version: profileVersion, Robot: v.Robot, Parameters: map[string]any{}}
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

// parseProfile reads a profile. It refuses unknown keys and values that no parameter can have.
func parseProfile(b []byte) (*profile, error) {
	if len(b) > maxFile {
		return nil, fmt.Errorf("profile: %d bytes: want at most %d", len(b), maxFile)
	}
	if err := bounded.CheckTOML(b); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	p := new(profile)
	meta, err := toml.Decode(string(b), p)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("profile: unknown key %.40q: want version, robot and the table parameters", unknown[0].String())
	}
	if p.Version != profileVersion {
		return nil, fmt.Errorf("profile: version %d: want %d", p.Version, profileVersion)
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

// compare returns what the profile would change on a robot, in the robot's order, and the names in it that mean nothing
// to this robot: parameters that it does not have or cannot set, and choices that it does not know.
func (p *profile) compare(v *manager.View) (changes []Difference, foreign []string) {
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

// profileFolder is a folder with the parameters of robots as named TOML files, for a robot or a venue, and their colour
// tables beside these (docs/manager.md).
type profileFolder struct {
	Dir   string
	cache *profileCache // nil: each file is read each time
}

// profileCache keeps what the files of a folder hold until they change.
type profileCache struct {
	mu    sync.Mutex
	files map[string]cached // by path
}

// cached is a file that was read.
type cached struct {
	changed time.Time
	size    int64
	profile *profile // profile with the parameters
	err     error    // why there is none
	sum     [sha256.Size]byte
}

// Ends of the names of files: the parameters, and the colour table.
const (
	suffix = ".toml"
	table  = "." + manager.ColorsFile
)

var errNoFolder = errors.New("profile: no folder for profiles: start with --profiles DIR")

// path returns the path of a name, without the end of a file.
func (s profileFolder) path(name string) (string, error) {
	plain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_", r) }
	switch {
	case s.Dir == "":
		return "", errNoFolder
	case name == "" || len(name) > maxName || strings.TrimSpace(name) != name ||
		strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }):
		return "", fmt.Errorf("profile: name %.40q: want 1 to %d letters, digits, blanks, - and _", name, maxName)
	}
	return filepath.Join(s.Dir, name), nil
}

// save writes the profile of a name in place of an earlier one, with the file of a colour table; nil: without one.
func (s profileFolder) save(name string, p *profile, colors []byte) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(p); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if b.Len() > maxFile {
		return fmt.Errorf("profile: %d bytes of parameters: a file has at most %d", b.Len(), maxFile)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if _, err := os.Stat(path + suffix); err != nil { // a new one
		kept, err := filepath.Glob(filepath.Join(s.Dir, "*"+suffix))
		if err == nil && len(kept) >= maxFiles {
			err = fmt.Errorf("%q was not saved: its folder has %d profiles, the most that are kept: delete one there", name, maxFiles)
		}
		if err != nil {
			return fmt.Errorf("profile: %w", err)
		}
	}
	if err := write(path+suffix, b.Bytes()); err != nil {
		return err
	}
	if colors != nil {
		return write(path+table, colors)
	}
	if err := os.Remove(path + table); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("profile: %w", err)
	}
	return nil
}

// write writes a file in place of an earlier one.
func write(path string, b []byte) error {
	if err := os.WriteFile(path+".part", b, 0o644); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return nil
}

// load reads the profile of a name.
func (s profileFolder) load(name string) (*profile, error) {
	path, err := s.path(name)
	if err != nil {
		return nil, err
	}
	c, err := s.read(path+suffix, maxFile, func(b []byte, c *cached) { c.profile, c.err = parseProfile(b) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("profile: there is no profile %q", name)
	}
	if err != nil {
		return nil, err
	}
	return c.profile, c.err
}

// colors reads the file of the colour table of a name; nil: it has none.
func (s profileFolder) colors(name string) (colors []byte, err error) {
	path, err := s.path(name)
	if err != nil {
		return nil, err
	}
	colors, err = readRegular(path+table, manager.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return colors, err
}

// read returns what parse finds in a regular file of at most most bytes, from the cache if the file did not change.
func (s profileFolder) read(path string, most int64, parse func([]byte, *cached)) (cached, error) {
	at, err := os.Stat(path)
	if err != nil {
		return cached{}, fmt.Errorf("profile: %w", err)
	}
	if s.cache != nil {
		s.cache.mu.Lock()
		c, known := s.cache.files[path]
		s.cache.mu.Unlock()
		if known && c.changed.Equal(at.ModTime()) && c.size == at.Size() {
			return c, nil
		}
	}
	b, err := readRegular(path, most)
	if err != nil {
		return cached{}, err
	}
	c := cached{changed: at.ModTime(), size: at.Size()}
	parse(b, &c)
	if s.cache != nil {
		s.cache.keep(path, c)
	}
	return c, nil
}

// keep keeps a file. Those of a folder that is listed fit; where there are more, all are read again.
func (k *profileCache) keep(path string, c cached) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files == nil || len(k.files) >= 2*maxFiles {
		k.files = map[string]cached{}
	}
	k.files[path] = c
}

// readRegular reads a regular file of at most most bytes. It opens no device and no pipe, also not through a link.
func readRegular(path string, most int64) ([]byte, error) {
	at, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("profile: %w", err)
	case !at.Mode().IsRegular():
		return nil, fmt.Errorf("profile: %s is no regular file", path)
	case at.Size() > most:
		return nil, fmt.Errorf("profile: %s has %d bytes: want at most %d", path, at.Size(), most)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return b, nil
}

// Row is a profile of the folder beside a robot.
type Row struct {
	Name    string       `json:"name"`
	Robot   uint8        `json:"robot"`   // from which it was saved
	Changes []Difference `json:"changes"` // what it would change on this robot
	Foreign []string     `json:"foreign"` // names in it that mean nothing to this robot
	Colors  string       `json:"colors"`  // its colour table: "none", "same" as the robot's, "other", or "unknown"
	Fault   string       `json:"fault"`   // why it cannot be read; "": it can
}

// rows returns the profiles of the folder by name, compared with a robot and the file of its colour table; nil: that is
// not known.
func (s profileFolder) rows(v *manager.View, colors []byte) []Row {
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
		p, err := s.load(name)
		if err == nil {
			row.Colors, err = s.compareColors(name, colors)
		}
		if err != nil {
			row.Fault = err.Error()
		} else {
			changes, foreign := p.compare(v)
			row.Robot, row.Changes, row.Foreign = p.Robot, append(row.Changes, changes...), append(row.Foreign, foreign...)
		}
		rows = append(rows, row)
	}
	return rows
}

// compareColors returns Row.Colors.
func (s profileFolder) compareColors(name string, colors []byte) (string, error) {
	path, err := s.path(name)
	if err != nil {
		return "", err
	}
	kept, err := s.read(path+table, manager.MaxFile, func(b []byte, c *cached) { c.sum = sha256.Sum256(b) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "none", nil
	case err != nil:
		return "", err
	case colors == nil:
		return "unknown", nil
	case kept.sum != sha256.Sum256(colors):
		return "other", nil
	}
	return "same", nil
}

package batch

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"touchline/internal/match"
)

// reader reads a matrix and notes the first thing that is wrong.
type reader struct {
	text string
	err  error
}

// table is a table of the text: the whole, or one of the tables of a section.
type table struct {
	r       *reader
	section string
	at      int // which one of the section
	values  map[string]any
}

// keys are the keys of each section.
var keys = map[string][]string{
	"":        {"name", "teams", "against", "half", "seed", "seeds", "robots", "fields", "mixed", "localise", "network", "faults"},
	"network": {"name", "loss", "burst", "delay", "jitter"},
	"faults":  {"name", "list"},
}

// known refuses keys that a matrix does not have.
func (r *reader) known(all []toml.Key) {
	for _, k := range all {
		section, name := "", k[0]
		if len(k) > 1 {
			section, name = k[0], k[1]
		}
		if list := keys[section]; len(k) > 2 || !slices.Contains(list, name) {
			r.fail(section, -1, name, "unknown key: want one of %s", strings.Join(keys[section], ", "))
		}
	}
}

// fail notes what is wrong with the value of a key.
func (r *reader) fail(section string, at int, key, format string, args ...any) {
	if r.err != nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if section != "" {
		section += ", "
	}
	r.err = fmt.Errorf("line %d: %s%.40s: %s", r.line(strings.TrimSuffix(section, ", "), at, key), section, key, text)
}

// line returns the line of a key in the nth table of a section, or in any for -1; that of the table if it has no such key.
func (r *reader) line(section string, nth int, key string) int {
	now, seen, of, n := "", -1, 1, 0
	for line := range strings.Lines(r.text) {
		n++
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			now, _, _ = strings.Cut(strings.TrimLeft(name, "["), "]")
			if now = strings.TrimSpace(now); now == section {
				if seen++; seen == nth {
					of = n
				}
			}
		}
		if now != section || section != "" && nth >= 0 && seen != nth {
			continue
		}
		if rest, ok := strings.CutPrefix(strings.Trim(line, `"'`), key); ok && strings.HasPrefix(strings.TrimLeft(rest, ` "'`), "=") {
			return n
		}
		if name, ok := strings.CutPrefix(line, "["); ok && strings.HasPrefix(strings.TrimLeft(name, "[ "), key) {
			return n
		}
	}
	return of
}

func (t *table) wrong(key, format string, args ...any) {
	t.r.fail(t.section, t.at, key, format, args...)
}

func (t *table) text(key, otherwise string) string {
	v, there := t.values[key]
	text, ok := v.(string)
	switch {
	case !there:
		return otherwise
	case !ok:
		t.wrong(key, "want a text in quotes, for example %s = \"lossy\"", key)
	}
	return text
}

func (t *table) texts(key string, otherwise []string) []string {
	v, there := t.values[key]
	if !there {
		return otherwise
	}
	list, ok := v.([]any)
	texts := make([]string, 0, len(list))
	for _, v := range list {
		text, is := v.(string)
		ok = ok && is
		texts = append(texts, text)
	}
	if !ok {
		t.wrong(key, "want texts in brackets, for example %s = [\"a\", \"b\"]", key)
	}
	return texts
}

func (t *table) time(key string, otherwise time.Duration) time.Duration {
	if _, there := t.values[key]; !there {
		return otherwise
	}
	d, err := time.ParseDuration(t.text(key, ""))
	if err != nil {
		t.wrong(key, "want a time with its unit in quotes, for example %s = \"60s\"", key)
	}
	return d
}

func (t *table) whole(key string, otherwise, least, most int64) int64 {
	v, there := t.values[key]
	n, ok := v.(int64)
	switch {
	case !there:
		return otherwise
	case !ok || n < least || n > most:
		t.wrong(key, "want a whole number from %d to %d", least, most)
		return otherwise
	}
	return n
}

func (t *table) number(key string, otherwise float64) float64 {
	v, there := t.values[key]
	f, ok := v.(float64)
	n, whole := v.(int64)
	switch {
	case !there:
		return otherwise
	case whole:
		return float64(n)
	case !ok || math.IsNaN(f) || math.IsInf(f, 0):
		t.wrong(key, "want a number, for example %s = 0.1", key)
		return otherwise
	}
	return f
}

func (t *table) truth(key string) bool {
	v, there := t.values[key]
	b, ok := v.(bool)
	if there && !ok {
		t.wrong(key, "want true or false")
	}
	return b
}

// tables returns the tables of a section.
func (t *table) tables(section string) (all []table) {
	v, there := t.values[section]
	list, ok := v.([]map[string]any)
	switch {
	case !there:
	case !ok:
		t.wrong(section, "want a table that begins with [[%s]]", section)
	case len(list) > maxSets:
		t.wrong(section, "%d tables: want at most %d", len(list), maxSets)
	default:
		for i, values := range list {
			all = append(all, table{t.r, section, i, values})
		}
	}
	return all
}

// faults returns the faults of a list.
func (t *table) faults(key string) []match.Fault {
	faults := []match.Fault{}
	for _, text := range t.texts(key, nil) {
		f, err := match.ParseFault(text)
		if err != nil {
			t.wrong(key, "%v", err)
			break
		}
		faults = append(faults, f)
	}
	return faults
}

package refbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// mostJSON is the longest text of rules or of a decision that is read, in bytes.
const mostJSON = 64 << 10

// ParseDecision reads one decision as json.Marshal writes it. It refuses what Decision has no field for, and another
// version; what a game refuses, Apply does.
func ParseDecision(b []byte) (Decision, error) {
	var d Decision
	if len(b) > mostJSON {
		return d, fmt.Errorf("refbox: a decision of %d bytes: %d are the most", len(b), mostJSON)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Decision{}, fmt.Errorf("refbox: decision: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Decision{}, errors.New("refbox: decision: something follows it: one JSON object is one decision")
	}
	if d.Version != 0 && d.Version != Version {
		return Decision{}, fmt.Errorf("refbox: decision of version %d: this program knows %d", d.Version, Version)
	}
	return d, nil
}

// ParseRules reads a file of rules: one JSON object of Rules' keys. A key that is not given keeps its default; one that is
// unknown, given twice or out of range is an error with its line.
func ParseRules(b []byte) (Rules, error) {
	r := DefaultRules()
	if len(b) > mostJSON {
		return Rules{}, fmt.Errorf("refbox: rules of %d bytes: %d are the most", len(b), mostJSON)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	fail := func(format string, args ...any) (Rules, error) {
		line := 1 + bytes.Count(b[:dec.InputOffset()], []byte{'\n'})
		return Rules{}, fmt.Errorf("refbox: rules, line %d: %w", line, fmt.Errorf(format, args...))
	}
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fail("one JSON object is expected, as --print-rules shows it")
	}
	given := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return fail("%w", err)
		}
		key := t.(string) // a decoder gives nothing else here
		if given[key] {
			return fail("key %q is given twice", key)
		}
		given[key] = true
		if t, err = dec.Token(); err != nil {
			return fail("key %q: %w", key, err)
		}
		if why := r.set(key, t); why != "" {
			return fail("key %q %s", key, why)
		}
	}
	if _, err := dec.Token(); err != nil {
		return fail("%w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fail("something follows the object")
	}
	if r.LeastRobots > r.Robots {
		return fail("keys \"leastRobots\" and \"robots\": %d are to stay of %d", r.LeastRobots, r.Robots)
	}
	return r, nil
}

// set sets one key of the rules, or says why not.
func (r *Rules) set(key string, value json.Token) string {
	if key == "name" {
		name, ok := value.(string)
		if !ok || name == "" || len(name) > 80 {
			return "takes a text of 1 to 80 bytes"
		}
		r.Name = name
		return ""
	}
	for _, f := range [...]struct {
		key         string
		to          *int
		least, most int
	}{
		{"halfSeconds", &r.HalfSeconds, 1, 7200},
		{"halfTimeSeconds", &r.HalfTimeSeconds, 1, 7200},
		{"overtimeSeconds", &r.OvertimeSeconds, 1, 7200},
		{"repairSeconds", &r.RepairSeconds, 1, 7200},
		{"doubleYellowSeconds", &r.DoubleYellowSeconds, 1, 7200},
		{"setPieceSeconds", &r.SetPieceSeconds, 1, 600},
		{"substitutionSeconds", &r.SubstitutionSeconds, 1, 600},
		{"substitutions", &r.Substitutions, 0, 99},
		{"robots", &r.Robots, 1, 11},
		{"leastRobots", &r.LeastRobots, 0, 11},
	} {
		if f.key != key {
			continue
		}
		n, _ := value.(json.Number)
		v, err := n.Int64()
		if err != nil || v < int64(f.least) || v > int64(f.most) {
			return fmt.Sprintf("takes a whole number from %d to %d, not %v", f.least, f.most, value)
		}
		*f.to = int(v)
		return ""
	}
	return "is not known: the keys are those that --print-rules shows"
}

// journalJSON returns a decision, an admission or a state as the journal holds it.
func journalJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // these types hold nothing that JSON has not
	}
	return b
}

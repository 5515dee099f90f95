package refbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/game"
	"touchline/wire"
)

// maxFile is the size limit of a file of rules or teams, in bytes.
const maxFile = 64 << 10

// ParseDecision reads one decision as the journal holds it. It refuses unknown keys and other versions; whether the
// decision is allowed now is for Apply.
func ParseDecision(b []byte) (game.Decision, error) {
	var d game.Decision
	if err := wire.DecodeJSON(b, "the decision", &d); err != nil {
		return game.Decision{}, fmt.Errorf("refbox: %w", err)
	}
	if d.Version != 0 && d.Version != game.Version {
		return game.Decision{}, fmt.Errorf("refbox: the decision has version %d; this program reads version %d",
			d.Version, game.Version)
	}
	return d, nil
}

// ParseAdmission reads one admission as the journal holds it. It refuses unknown keys; Restore checks the values.
func ParseAdmission(b []byte) (Admission, error) {
	var a Admission
	if err := wire.DecodeJSON(b, "the admission", &a); err != nil {
		return Admission{}, fmt.Errorf("refbox: %w", err)
	}
	return a, nil
}

// ParseVerdict reads one verdict as the journal holds it. It refuses unknown keys; Judge and Restore check the values.
func ParseVerdict(b []byte) (game.Verdict, error) {
	var v game.Verdict
	if err := wire.DecodeJSON(b, "the verdict", &v); err != nil {
		return game.Verdict{}, fmt.Errorf("refbox: %w", err)
	}
	return v, nil
}

// journalJSON returns a decision, a verdict, an admission or a state as the journal holds it.
func journalJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // these types hold nothing that JSON cannot
	}
	return b
}

// fileParser reads a file of rules or teams token by token, so that its errors can name the line.
type fileParser struct {
	dec  *jsontext.Decoder
	text []byte
	what string // "rules" or "teams"
}

func newFileParser(b []byte, what string) (*fileParser, error) {
	if len(b) > maxFile {
		return nil, fmt.Errorf("refbox: the %s file has %d bytes; the limit is %d", what, len(b), maxFile)
	}
	// A repeated key is an error of ours, with its name and line.
	return &fileParser{jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true)), b, what}, nil
}

// at adds the file and the line to an error: the line of a syntax error, otherwise of the last token.
func (p *fileParser) at(err error) error {
	offset := p.dec.InputOffset()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, err = syntax.ByteOffset, syntax.Err
	}
	line := 1 + bytes.Count(p.text[:min(offset, int64(len(p.text)))], []byte{'\n'})
	return fmt.Errorf("refbox: %s, line %d: %w", p.what, line, err)
}

// begin reads the token that opens an object or a list; want is the error if another one comes.
func (p *fileParser) begin(kind jsontext.Kind, want string) error {
	if p.dec.PeekKind() != kind {
		return errors.New(want)
	}
	_, err := p.dec.ReadToken()
	return err
}

// object reads one object and calls set for each key; set's error continues the sentence that the key begins.
func (p *fileParser) object(want string, set func(key string, value jsontext.Value) error) error {
	if err := p.begin('{', want); err != nil {
		return err
	}
	var keys []string
	for {
		token, err := p.dec.ReadToken()
		if err != nil || token.Kind() == '}' {
			return err
		}
		key := token.String()
		if slices.Contains(keys, key) {
			return fmt.Errorf("key %q is given twice", key)
		}
		keys = append(keys, key)
		value, err := p.dec.ReadValue()
		if err != nil {
			return err
		}
		if err := set(key, value); err != nil {
			return fmt.Errorf("key %q %w", key, err)
		}
	}
}

// end makes sure that nothing follows.
func (p *fileParser) end() error {
	_, err := p.dec.ReadToken()
	if _, syntax := errors.AsType[*jsontext.SyntacticError](err); err == nil || syntax { // else it is io.EOF
		return errors.New("something follows its end: remove it")
	}
	return nil
}

// wholeNumber returns a JSON value as a whole number within bounds.
func wholeNumber(value jsontext.Value, least, most int) (int, error) {
	n, err := strconv.Atoi(string(value))
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("takes a whole number from %d to %d, not %.40s", least, most, value)
	}
	return n, nil
}

// text returns a JSON value as a text; ok reports whether it is one.
func text(value jsontext.Value) (s string, ok bool) {
	if value.Kind() != '"' {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, value)
	return string(b), err == nil
}

// ParseRules reads a file of rules: one JSON object with the keys of game.Rules. A missing key keeps its default; an
// unknown, repeated or out-of-range key is an error with its line.
func ParseRules(b []byte) (game.Rules, error) {
	p, err := newFileParser(b, "rules")
	if err != nil {
		return game.Rules{}, err
	}
	r := game.DefaultRules()
	err = p.object("want one JSON object, as --print-rules prints it", func(key string, value jsontext.Value) error {
		return setRule(&r, key, value)
	})
	if err == nil {
		err = p.end()
	}
	if err == nil && r.LeastRobots > r.Robots {
		err = fmt.Errorf(`"leastRobots" is %d, more than "robots", %d`, r.LeastRobots, r.Robots)
	}
	if err != nil {
		return game.Rules{}, p.at(err)
	}
	return r, nil
}

// setRule sets one key of the rules.
func setRule(r *game.Rules, key string, value jsontext.Value) error {
	if key == "name" {
		name, ok := text(value)
		if !ok || name == "" || len(name) > 80 {
			return errors.New("takes a text of 1 to 80 bytes")
		}
		r.Name = name
		return nil
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
		n, err := wholeNumber(value, f.least, f.most)
		if err == nil {
			*f.to = n
		}
		return err
	}
	return errors.New("is not known: --print-rules prints the keys")
}

// PrintRules returns rules as ParseRules reads them.
func PrintRules(r game.Rules) string {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic(err) // texts and whole numbers
	}
	return string(b) + "\n"
}

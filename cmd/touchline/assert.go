package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"touchline/internal/console"
	"touchline/wire"
)

// assertion compares a number of the result with another one.
type assertion struct {
	text, field, operator string
	value                 float64
}

// operators compare the number of the result with that of the assertion.
var operators = map[string]func(a, b float64) bool{
	">=": func(a, b float64) bool { return a >= b }, "<=": func(a, b float64) bool { return a <= b },
	"==": func(a, b float64) bool { return a == b }, "!=": func(a, b float64) bool { return a != b },
	">": func(a, b float64) bool { return a > b }, "<": func(a, b float64) bool { return a < b },
}

var assertionText = regexp.MustCompile(`^\s*([A-Za-z.]+)\s*(>=|<=|==|!=|>|<)\s*(\S+)\s*$`)

// numbers returns the numbers of a result by the names of their fields.
func numbers(r *Result) map[string]float64 {
	data, err := json.Marshal(r)
	if err != nil {
		panic(err) // a Result has no number that JSON lacks
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		panic(err)
	}
	found := map[string]float64{}
	for name, v := range all {
		switch v := v.(type) {
		case float64:
			found[name] = v
		case map[string]any:
			for part, v := range v {
				if n, ok := v.(float64); ok {
					found[name+"."+part] = n
				}
			}
		}
	}
	return found
}

// parseAssertions parses the values of --assert. The error names the first one that means nothing, and what is allowed.
func parseAssertions(texts []string) ([]assertion, error) {
	known := numbers(&Result{})
	var list []assertion
	for _, text := range texts {
		parts := assertionText.FindStringSubmatch(text)
		if parts == nil {
			return nil, fmt.Errorf("--assert %s: want a field, one of >= <= > < == != and a number, for example 'goals.home>=1'",
				quoted(text))
		}
		if _, ok := known[parts[1]]; !ok {
			return nil, fmt.Errorf("--assert %s: the result has no number %q: want one of %s", quoted(text), parts[1],
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		value, err := strconv.ParseFloat(parts[3], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("--assert %s: %q is no number: want one such as 1 or 0.25", quoted(text), parts[3])
		}
		list = append(list, assertion{text: strings.TrimSpace(text), field: parts[1], operator: parts[2], value: value})
	}
	return list, nil
}

func quoted(text string) string { return fmt.Sprintf("%.80q", wire.Printable(text)) }

// matchCheck prints the assertions that do not hold, and returns for each what is wrong with it; "" if nothing is.
func matchCheck(list []assertion, r *Result, errs io.Writer) []string {
	found := numbers(r)
	failures := make([]string, len(list))
	for i, a := range list {
		if is := found[a.field]; !operators[a.operator](is, a.value) {
			failures[i] = fmt.Sprintf("expected %s %s %v, found %v", a.field, a.operator, a.value, is)
			fmt.Fprintln(errs, "assertion failed:", failures[i])
		}
	}
	return failures
}

// suite is a test suite in JUnit's XML.
type suite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Time     string     `xml:"time,attr"` // s of the match
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Failure *trouble `xml:"failure"`
	Error   *trouble `xml:"error"`
}

type trouble struct {
	Message string `xml:"message,attr"`
}

// writeJUnit writes a test case for the match, which fails if it did not end, and one for each assertion.
func writeJUnit(path string, list []assertion, failures []string, r *Result, played error) error {
	name := fmt.Sprintf("%s against %s, seed %d", r.Home, r.Away, r.Seed)
	s := suite{Name: "touchline match: " + name, Tests: len(list) + 1, Time: fmt.Sprintf("%.3f", r.Seconds)}
	whole := testcase{Class: "match", Name: name, Time: s.Time}
	if played != nil {
		s.Errors, whole.Error = 1, &trouble{played.Error()}
	}
	s.Cases = append(s.Cases, whole)
	for i, a := range list {
		c := testcase{Class: "match", Name: a.text, Time: "0"}
		if failures[i] != "" {
			s.Failures++
			c.Failure = &trouble{failures[i]}
		}
		s.Cases = append(s.Cases, c)
	}
	data, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	if err := os.WriteFile(path, append([]byte(xml.Header), append(data, '\n')...), 0o644); err != nil {
		return console.Usage(fmt.Errorf("--junit: %w", err))
	}
	return nil
}

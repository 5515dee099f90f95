package msl_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"touchline/wire"
	. "touchline/wire/msl"
	"touchline/wire/wiretest"
)

// TestLogs decodes logs of real teams and counts their deviations. Another program counted the wanted numbers in these
// logs (RefBox 2016).
func TestLogs(t *testing.T) {
	type figures struct {
		messages, robots, balls, obstacles, backwards int
		broken, notes                                 map[string]int
	}
	for i, want := range []figures{
		{323, 1615, 323, 0, 30, map[string]int{RuleKey: 1615, RuleConfidence: 323, RuleBattery: 533}, nil},
		{885, 4425, 4425, 4425, 0, map[string]int{RuleHeading: 4425}, map[string]int{RuleVectorSize: 8850}},
		{1028, 6168, 1028, 3734, 11, map[string]int{RuleCount: 1028, RuleKey: 6168, RuleConfidence: 1028, RuleBattery: 137,
			RuleHeading: 4152}, nil},
		{2000, 10000, 10000, 10000, 0, map[string]int{RuleHeading: 4812}, map[string]int{RuleVectorSize: 20000}},
	} {
		l := logs[i]
		t.Run(l.team, func(t *testing.T) {
			got := figures{broken: map[string]int{}, notes: map[string]int{}}
			before := int64(0)
			for _, r := range records(t, l.zip, l.file) {
				var w Worldstate
				if err := w.UnmarshalBinary(r.Worldstate); err != nil {
					t.Fatal(err)
				}
				if w.Dropped != 0 {
					t.Errorf("%d elements were dropped", w.Dropped)
				}
				if r.TimestampMillis < before {
					got.backwards++
				}
				before = r.TimestampMillis
				got.messages++
				got.robots += len(w.Robots)
				got.balls += len(w.Balls)
				got.obstacles += len(w.Obstacles)
				for _, f := range AppendFindings(nil, r.Worldstate) {
					if f.Note {
						got.notes[f.Rule]++
					} else {
						got.broken[f.Rule]++
					}
				}
			}
			if got.messages != want.messages || got.robots != want.robots || got.balls != want.balls ||
				got.obstacles != want.obstacles || got.backwards != want.backwards ||
				!maps.Equal(got.broken, want.broken) || !maps.Equal(got.notes, want.notes) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestRecord(t *testing.T) {
	const state = `{"type": "worldstate", "teamName": "TUE" }`
	wiretest.RunOpen(t, unwritable, []wiretest.Case[Record]{
		{Name: "as the RefBox writes it", Msg: Record{TeamName: "Tech Uni", TimestampMillis: 1467553851531, GameMillis: 37164,
			Worldstate: []byte(state)},
			Hex: inHex(`{"teamName": "Tech Uni","timestamp": 1467553851531,"gametimeMs": 37164,"worldstate": ` + state + `}`)},
		{Name: "a team called worldstate", Msg: Record{TeamName: "worldstate", TimestampMillis: -1,
			Worldstate: []byte(`{"worldstate":{}}`)},
			Hex: inHex(`{"teamName": "worldstate","timestamp": -1,"gametimeMs": 0,"worldstate": {"worldstate":{}}}`)},
	})
}

// unwritable returns an issue for a record whose worldstate is not JSON: decoding accepts it, as the RefBox writes it.
func unwritable(b []byte) []wire.Issue {
	var r Record
	if r.UnmarshalBinary(b) == nil {
		if _, err := r.AppendBinary(nil); err != nil {
			return []wire.Issue{{Text: err.Error()}}
		}
	}
	return nil
}

func TestRecordReads(t *testing.T) {
	for text, want := range map[string]string{
		"{\"teamName\": \"Water\",\"timestamp\": 5,\"gametimeMs\": 6,\"worldstate\": {\r\n \"ageMs\": 50\r\n}\r\n}": "{\r\n \"ageMs\": 50\r\n}",
		`{"gametimeMs":6,"timestamp":5,"teamName":"Water","worldstate":{"x":NaN,}}`:                                 `{"x":NaN,}`,
		`{"teamName":"Water","timestamp":5,"gametimeMs":6,"worldstate":}`:                                           ``,
	} {
		var r Record
		if err := r.UnmarshalBinary([]byte(text)); err != nil || r.TeamName != "Water" || r.TimestampMillis != 5 ||
			r.GameMillis != 6 ||
			string(r.Worldstate) != want {
			t.Errorf("%q: %v, %+v, worldstate %q", text, err, r, r.Worldstate)
		}
	}
	for _, text := range []string{``, `[]`, `{}`, `{"teamName":"T","worldstate":{}}`, `{"timestamp":null,"worldstate":{}}`,
		`{"timestamp":1e300,"worldstate":{}}`, `{"timestamp":1,"gametimeMs":-1e300,"worldstate":{}}`, `{"timestamp":1,"worldstate":`,
		`{"timestamp":1,"timestamp":2,"worldstate":{}}`, `{"timestamp":1 "worldstate":{}}`, `"worldstate":}`} {
		var r Record
		if err := r.UnmarshalBinary([]byte(text)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v, want ErrMalformed", text, err)
		}
	}
	for _, bad := range []Record{{Worldstate: []byte(`{"x":NaN}`)}, {Worldstate: []byte(`{} {}`)}, {}, {TeamName: "\xff",
		Worldstate: []byte(`{}`)}} {
		if b, err := bad.AppendBinary([]byte("before")); err == nil || string(b) != "before" {
			t.Errorf("%+v is not JSON in a log: %q", bad, b)
		}
	}
}

// scan splits a log into records, reading byte by byte.
func scan(log string) (all []string, err error) {
	s := bufio.NewScanner(iotest.OneByteReader(strings.NewReader(log)))
	s.Split(SplitRecords)
	for s.Scan() {
		all = append(all, s.Text())
	}
	return all, s.Err()
}

func TestSplitRecords(t *testing.T) {
	const a, b = `{"teamName": "A{","x":[{"\"":1}]}`, "{\"teamName\": \"B\",\"worldstate\": {\r\n}\r\n}"
	const open = `{"teamName": "B","worldstate": {"intention":"one " alone"}}` // an unescaped quote
	for log, want := range map[string][]string{
		"[\n" + a + ",\n" + b + "\r\n]":  {a, b},
		a + b:                            {a, b},
		"[\n]":                           nil,
		"]":                              nil, // the whole file of a team that sent nothing
		"":                               nil,
		"[\n" + open + ",\n" + a + "\n]": {open, a},
		"[\n" + open + ",\n" + open + ",\n" + a + ",\n" + a + "]": {open, open, a, a},
	} {
		if got, err := scan(log); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v\ngot  %q\nwant %q", log, err, got, want)
		}
	}
	if got, err := scan("[\n" + a + ",\n" + b[:len(b)-1]); !errors.Is(err, wire.ErrShort) || !slices.Equal(got,
		[]string{a}) {
		t.Errorf("torn: got %v, %q", err, got)
	}
}

// TestLines decodes the RefBox's logs of events and encodes the same bytes; only lines about connections are not
// events.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		zip, file           string
		events, texts, goal int
	}{
		{"refbox-2016-excerpt/test_log2.zip", "20160703_155014.msl", 113, 15, 2},
		{"refbox-2.1-capture/20261120_152324.Falcons-Water.zip", "20261120_152324.msl", 88, 4, 2},
	} {
		t.Run(c.file, func(t *testing.T) {
			events, texts, goals := 0, 0, 0
			for line := range bytes.Lines(unzipped(t, c.zip, c.file)) {
				var l Line
				if err := l.UnmarshalBinary(line); err != nil {
					t.Fatal(err)
				}
				again, err := l.AppendBinary(nil)
				if err != nil || string(again) != strings.TrimRight(string(line), "\r\n") {
					t.Errorf("%v\ngot  %q\nwant %q", err, again, line)
				}
				events++
				if l.Text != "" {
					events--
					texts++
				}
				if strings.HasSuffix(l.Description, "Goal+") {
					goals++
				}
			}
			if events != c.events || texts != c.texts || goals != c.goal {
				t.Errorf("got %d events, %d texts, %d goals; want %d, %d, %d", events, texts, goals, c.events, c.texts, c.goal)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]Line{
		"1795188269257,00:42(00:17),1st Half,Repair,ASML Falcons": {TimestampMillis: 1795188269257, TotalSeconds: 42,
			EffectiveSeconds: 17,
			State:            "1st Half", Description: "Repair", Team: "ASML Falcons"},
		"1795188276185,15:49(01:19),1st Half - STOP,Substitution,robotID:3,A, B": {TimestampMillis: 1795188276185,
			TotalSeconds:     949,
			EffectiveSeconds: 79, State: "1st Half - STOP", Description: "Substitution", RobotID: 3, Team: "A, B"},
		"1795188235914,100:08(00:04),1st Half,START,": {TimestampMillis: 1795188235914, TotalSeconds: 6008,
			EffectiveSeconds: 4,
			State:            "1st Half", Description: "START"},
		"1467554130955,00:30(00:20),1st Half - STOP,T,CYAN Throw In": {TimestampMillis: 1467554130955, TotalSeconds: 30,
			EffectiveSeconds: 20, State: "1st Half - STOP", Code: "T", Description: "CYAN Throw In"},
		"New BaseStation @ 172.16.63.114":          {Text: "New BaseStation @ 172.16.63.114"},
		"1467554130955,00:30,1st Half,START,":      {Text: "1467554130955,00:30,1st Half,START,"},
		"1467554130955,00:60(00:20),1st,START,":    {Text: "1467554130955,00:60(00:20),1st,START,"},
		"1467554130955,00:30(00:20),1st Half,STOP": {Text: "1467554130955,00:30(00:20),1st Half,STOP"},
		"": {},
	} {
		var got Line
		if err := got.UnmarshalBinary([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %v\ngot  %+v\nwant %+v", text, err, got, want)
		}
	}
	for _, bad := range []Line{{Text: "a\nb"}, {State: "a,b", Description: "START"}, {Description: "S"},
		{TotalSeconds: -1},
		{Description: "x",
			Team: "a\nb"}, {RobotID: 100}, {Code: "KK"}, {Text: "1795188235914,00:08(00:04),1st Half,START,"}} {
		if b, err := bad.AppendBinary([]byte("before")); err == nil || string(b) != "before" {
			t.Errorf("%+v is encoded as %q", bad, b)
		}
	}
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"teamName": "T","timestamp": 5,"gametimeMs": 6,"worldstate": {"x":NaN,}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r, back Record
		if r.UnmarshalBinary(b) != nil {
			return
		}
		again, err := r.AppendBinary(nil)
		if err != nil {
			return // an invalid worldstate cannot be encoded
		}
		if !json.Valid(again) {
			t.Fatalf("%s is not JSON", again)
		}
		if err := back.UnmarshalBinary(again); err != nil || back.TeamName != r.TeamName ||
			back.TimestampMillis != r.TimestampMillis ||
			back.GameMillis != r.GameMillis || !bytes.Equal(back.Worldstate, r.Worldstate) {
			t.Fatalf("%v\n%+v\n%+v", err, r, back)
		}
	})
}

func FuzzSplitRecords(f *testing.F) {
	f.Add("[\n{\"teamName\": \"A\"},\n{\"teamName\": \"B\",{\"}\n{\"teamName\"")
	f.Fuzz(func(t *testing.T, log string) {
		var all []string
		for rest := []byte(log); len(rest) > 0; { // as bufio.Scanner does with the whole file in memory
			n, token, err := SplitRecords(rest, true)
			if err != nil {
				break
			}
			if n <= 0 {
				t.Fatalf("%q: advances by %d", rest, n)
			}
			if token != nil {
				all = append(all, string(token))
			}
			rest = rest[n:]
		}
		if got, _ := scan(log); !slices.Equal(got, all) {
			t.Fatalf("%q\nbyte by byte %q\nat once      %q", log, got, all)
		}
	})
}

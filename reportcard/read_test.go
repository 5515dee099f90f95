package reportcard_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "touchline/reportcard"
	"touchline/wire"
)

func TestReadTeamLog(t *testing.T) {
	const log = "[\n" +
		`{"teamName": "A","timestamp": 1000,"gametimeMs": 5,"worldstate": {"type": "worldstate", "teamName": "x"} }` + "\n,\n" +
		`{"teamName": "A","timestamp": 9000000000000000,"gametimeMs": -5,"worldstate": {"type": "worldstate"` + "\n}},\n" +
		`{"type": "event"}` + "\n" + `{"teamName": "A"`
	var all []Message
	var teams []string
	err := ReadTeamLog(strings.NewReader(log), func(s *Message, team string) {
		if !strings.HasPrefix(log[s.Offset:], string(s.Data)) {
			t.Errorf("byte %d is not where %q is", s.Offset, s.Data)
		}
		if want := 1 + strings.Count(log[:s.Offset], "\n"); s.Line != int64(want) {
			t.Errorf("line %d, want %d", s.Line, want)
		}
		kept := *s
		kept.Data = bytes.Clone(s.Data)
		all, teams = append(all, kept), append(teams, team)
	})
	if !errors.Is(err, wire.ErrShort) || !Torn(err) {
		t.Errorf("got %v", err)
	}
	if len(all) != 3 || all[0].Published != 1e9 || all[0].Game != 5*time.Millisecond || all[1].Published != 0 || all[1].Game != 0 ||
		string(all[2].Data) != `{"type": "event"}` || strings.Join(teams, " ") != "A A " {
		t.Errorf("got %+v of %q", all, teams)
	}
}

// TestReadSorted reads a log that is sorted by the moments that its worldstates hold, and one that is not: both come in
// the order of receipt, and what has no time stays where it is.
func TestReadSorted(t *testing.T) {
	record := func(timestamp, age int) string {
		return fmt.Sprintf(`{"teamName": "A","timestamp": %d,"gametimeMs": 0,"worldstate": {"ageMs": %d}}`, timestamp, age)
	}
	var sorted, plain []string
	for i := range 600 { // every tenth is 300 ms late
		at, age := 1_783_000_000_000+20*i, 30
		if i%10 == 0 {
			age = 330
		}
		plain = append(plain, record(at-age, age))
	}
	sorted = slices.Sorted(slices.Values(plain))
	for _, all := range [][]string{plain, sorted, append(slices.Clone(sorted), "{}", record(5, 0))} {
		var got []string
		err := ReadTeamLog(strings.NewReader("["+strings.Join(all, ",\n")+"]"), func(s *Message, _ string) {
			got = append(got, fmt.Sprint(int64(s.Published)/1e6, string(s.Data)))
		})
		if err != nil || len(got) != len(all) {
			t.Fatalf("%d of %d, %v", len(got), len(all), err)
		}
		for i, text := range plain {
			var at, age int
			fmt.Sscanf(text, `{"teamName": "A","timestamp": %d,"gametimeMs": 0,"worldstate": {"ageMs": %d}}`, &at, &age)
			if want := fmt.Sprintf(`%d{"ageMs": %d}`, at, age); got[i] != want {
				t.Fatalf("message %d is %s, want %s", i, got[i], want)
			}
		}
		if len(all) > 600 && got[600] != "0{}" {
			t.Errorf("got %s", got[600])
		}
	}
}

func TestPlain(t *testing.T) {
	if got := Plain("a\u202eb\x1b[2J\u200f\u2066\u2028é\u00ad"); got != "a.b.[2J...é." {
		t.Errorf("got %q", got)
	}
}

func TestReadStream(t *testing.T) {
	const in = "{1}\x00\x00 \n{2}\n\x00{3}\n"
	var got []string
	err := ReadStream(strings.NewReader(in), func(s *Message) {
		if !strings.HasPrefix(in[s.Offset:], string(s.Data)) || s.Line != int64(1+strings.Count(in[:s.Offset], "\n")) {
			t.Errorf("byte %d, line %d: %q", s.Offset, s.Line, s.Data)
		}
		got = append(got, string(s.Data))
	})
	if err != nil || strings.Join(got, " ") != "{1} {2} {3}" {
		t.Errorf("got %q, %v", got, err)
	}
	err = ReadStream(strings.NewReader(strings.Repeat("x", 3<<20)), func(*Message) { t.Error("too long for a message") })
	if err == nil || !strings.Contains(err.Error(), "is there a NUL") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadTeamLog(f *testing.F) {
	f.Add([]byte("[\n{\"teamName\": \"A\",\"timestamp\": 1,\"gametimeMs\": 5,\"worldstate\": {\"type\": \"worldstate\"} }\n,\n]"))
	f.Add([]byte("{\"type\":\"event\"}\x00{\"worldstate\":{}}\x00{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		where := func(s *Message) {
			if s.Offset < 0 || s.Offset+int64(len(s.Data)) > int64(len(b)) || !bytes.HasPrefix(b[s.Offset:], s.Data) {
				t.Errorf("byte %d of %q is not %q", s.Offset, b, s.Data)
			}
		}
		_ = ReadTeamLog(bytes.NewReader(b), func(s *Message, _ string) { where(s) })
		_ = ReadStream(bytes.NewReader(b), where)
	})
}

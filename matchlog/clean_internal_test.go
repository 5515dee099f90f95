package matchlog

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"touchline/wire"
	"touchline/wire/msl"
)

// FuzzClean makes records of any bytes: each is one line of JSON that encoding/json reads, without control characters,
// and cleaning it again changes nothing.
func FuzzClean(f *testing.F) {
	for _, text := range []string{
		`{"type":"worldstate","ageMs":1}`, "{\r\n\"a\"\t:1e400}", "{\"a\":\"\xff\u202e\"}", `{"a":"\ud800\udc00\udc00"}`, `[1,2`,
		`{"a":1,"a":[-0,1E5,0.10000000000000000000000000000000001]}`, "null", "\"\u0085\"", "{\"a\":\n{\"teamName\":1}}", "\ufeff1",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c cleaner
		r := msl.Record{TeamName: "T"}
		b, err := c.appendRecord(nil, &r, &Message{Channel: Home, Data: data}, "Team")
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil || !utf8.Valid(b) {
			t.Fatalf("%v in %q", err, b)
		}
		if at := bytes.IndexFunc(b, wire.IsControl); at >= 0 {
			t.Fatalf("a control character at byte %d of %q", at, b)
		}
		cleaned := bytes.Clone(r.Worldstate)
		again, err := c.clean(cleaned)
		if err != nil || !bytes.Equal(again, cleaned) {
			t.Fatalf("%q becomes %q, %v", cleaned, again, err)
		}
	})
}

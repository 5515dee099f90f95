package analysislog

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

var texts = []string{
	`{"a":1,"b":[{"c":"x\\\"}]"},null,true,-1.5e3],"n":{"deep":{"s":"ü"}},"z":""}`,
	" { \"a\" : [ ] , \"b\" : { } ,\n\"n\":\t[ 1 , [2,[3]] ] } ",
	`{"b":[[],{},"",0],"n":"]"}`, `{}`, `{"n":null}`,
}

// skip takes the values that jsontext takes, wherever they stand.
func TestTextSkips(t *testing.T) {
	for _, s := range texts {
		seen := 0
		w := text{b: []byte(s)}
		w.object(func(member []byte) {
			name := string(member)
			value := w.skip()
			d := jsontext.NewDecoder(bytes.NewReader([]byte(s)))
			for d.PeekKind() != 0 {
				if token, err := d.ReadToken(); err != nil {
					t.Fatal(err)
				} else if d.StackDepth() == 1 && token.Kind() == '"' && token.String() == name {
					break
				}
			}
			if want, err := d.ReadValue(); err != nil || !bytes.Equal(value, want) {
				t.Errorf("%s: %s is %s, want %s (%v)", s, name, value, want, err)
			}
			seen++
		})
		if w.bad || seen == 0 != (s == "{}") {
			t.Errorf("%s: bad %t, %d members", s, w.bad, seen)
		}
	}
}

// A text that ends early, or has other bytes, ends the walk.
func TestTextBroken(t *testing.T) {
	walk := func(b []byte) bool {
		w, n := text{b: b}, 0
		w.member("b", func() {
			w.list(func() {
				n++
				w.object(func([]byte) { w.skip() })
			})
		})
		if n > len(b) {
			t.Fatalf("%q: %d elements", b, n)
		}
		return w.bad
	}
	for _, s := range []string{`{"b":[{"c":1},null,{"d":[2]}]}`, `{"x":[],"b":[]}`, `null`} {
		if walk([]byte(s)) {
			t.Errorf("%s is refused", s)
		}
		for i := range s {
			if !walk([]byte(s[:i])) && s != "null" {
				t.Errorf("%s is not refused", s[:i])
			}
			for _, c := range "\"\\{}[],:1n " {
				b := []byte(s)
				b[i] = byte(c)
				walk(b)
			}
		}
	}
}

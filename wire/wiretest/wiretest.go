// Package wiretest holds the checks that every codec passes. A codec's test is a table of cases and a call of Run; its
// fuzz target is a call of Fuzz; Vectors reads the files of wire/vectors, which other teams read too.
package wiretest

import (
	"bytes"
	"encoding"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"touchline/wire"
)

// Message is a codec's type T by pointer.
type Message[T any] interface {
	*T
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Case is a message beside its bytes, which are the ones that the codec writes.
type Case[T any] struct {
	Name string
	Msg  T
	Hex  string // spaces, line breaks and "# comments" to the end of the line are skipped
}

// Run checks each case: the golden bytes both ways, every truncation refused, no allocation when memory is used again,
// nothing of the input kept, and no violation found by check.
func Run[T any, M Message[T]](t *testing.T, check func([]byte) []wire.Issue, cases []Case[T]) {
	run[T, M](t, check, cases, func(t *testing.T, data []byte) {
		if err := M(new(T)).UnmarshalBinary(data); err == nil {
			t.Errorf("the first %d bytes were taken for a whole message", len(data))
		}
	})
}

// RunOpen is Run for messages that may end after any of their fields: a truncation is refused, or it is what the codec
// writes for what it reads, or check complains about it.
func RunOpen[T any, M Message[T]](t *testing.T, check func([]byte) []wire.Issue, cases []Case[T]) {
	run[T, M](t, check, cases, func(t *testing.T, data []byte) {
		msg := new(T)
		if err := M(msg).UnmarshalBinary(data); err != nil {
			return
		}
		switch again, err := M(msg).AppendBinary(nil); {
		case err != nil && violation(check(data)) == nil:
			t.Errorf("the first %d bytes are refused though check finds nothing: %v", len(data), err)
		case err == nil && !bytes.Equal(again, data):
			t.Errorf("the first %d bytes are written as % x", len(data), again)
		}
	})
}

func run[T any, M Message[T]](t *testing.T, check func([]byte) []wire.Issue, cases []Case[T], truncated func(*testing.T, []byte)) {
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			data, err := Bytes(c.Hex)
			if err != nil {
				t.Fatal(err)
			}
			golden[T, M](t, c.Msg, data)
			reuse[T, M](t, c.Msg, data)
			for n := range data {
				truncated(t, data[:n:n])
			}
			if issue := violation(check(data)); issue != nil {
				t.Errorf("check: %v", issue)
			}
		})
	}
}

func golden[T any, M Message[T]](t *testing.T, msg T, data []byte) {
	t.Helper()
	const before = "before"
	got, err := M(&msg).AppendBinary([]byte(before))
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	if !bytes.Equal(got, append([]byte(before), data...)) {
		t.Errorf("append:\ngot  % x\nwant % x", got[len(before):], data)
	}
	input := bytes.Clone(data)
	back := new(T)
	if err := M(back).UnmarshalBinary(input); err != nil {
		t.Fatalf("unmarshal: %v", err)
	}
	clear(input)
	if !reflect.DeepEqual(*back, msg) {
		t.Errorf("unmarshal:\ngot  %+v\nwant %+v", *back, msg)
	}
	again, err := M(back).AppendBinary(nil)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("appended again: %v\ngot  % x\nwant % x", err, again, data)
	}
}

func reuse[T any, M Message[T]](t *testing.T, msg T, data []byte) {
	t.Helper()
	buf := make([]byte, 0, len(data))
	var back T
	allocs := testing.AllocsPerRun(100, func() {
		var err error
		if buf, err = M(&msg).AppendBinary(buf[:0]); err != nil {
			t.Fatal(err)
		}
		if err = M(&back).UnmarshalBinary(buf); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations for an append and an unmarshal into used memory", allocs)
	}
}

// Fuzz runs the property of every codec: when check finds no violation, the decoded message can be appended, and its
// bytes decode to themselves. Otherwise decoding must only not panic. Bytes are compared, not messages: a NaN is unlike
// itself.
func Fuzz[T any, M Message[T]](f *testing.F, check func([]byte) []wire.Issue, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var msg, back T
		err := M(&msg).UnmarshalBinary(data)
		if violation(check(data)) != nil {
			return
		}
		if err != nil {
			t.Fatalf("check finds nothing, unmarshal: %v", err)
		}
		first, err := M(&msg).AppendBinary(nil)
		if err != nil {
			t.Fatalf("check finds nothing, append: %v", err)
		}
		if err := M(&back).UnmarshalBinary(first); err != nil {
			t.Fatalf("unmarshal of appended bytes: %v", err)
		}
		second, err := M(&back).AppendBinary(nil)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("appended again: %v\nfirst  % x\nsecond % x", err, first, second)
		}
	})
}

// violation returns the first issue that is no note, or nil.
func violation(issues []wire.Issue) *wire.Issue {
	for i := range issues {
		if !issues[i].Note {
			return &issues[i]
		}
	}
	return nil
}

// Bytes returns the bytes of hexadecimal text with spaces, line breaks and "# comments" in it.
func Bytes(text string) ([]byte, error) {
	var digits strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for _, field := range strings.Fields(line) {
			digits.WriteString(field)
		}
	}
	return hex.DecodeString(digits.String())
}

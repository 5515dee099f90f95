// Package wiretest supports tests. It holds the properties of every codec: a codec's test is a table of cases and a
// call of Run, its fuzz target a call of Fuzz, and Vectors reads the files of wire/vectors. Eventually and Data serve
// tests of all packages.
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

// Message is a pointer to a message type T of a codec.
type Message[T any] interface {
	*T
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Case is a message and the bytes that the codec writes for it.
type Case[T any] struct {
	Name string
	Msg  T
	Hex  string // may hold spaces, line breaks and "# comments" to the end of the line
}

// Run checks each case: it encodes to its bytes and decodes from them, each truncation is refused, reused memory
// suffices, the decoded message keeps no reference to the input, and check finds no violation.
func Run[T any, M Message[T]](t *testing.T, check func([]byte) []wire.Issue, cases []Case[T]) {
	run[T, M](t, check, cases, func(t *testing.T, data []byte) {
		if err := M(new(T)).UnmarshalBinary(data); err == nil {
			t.Errorf("the first %d bytes were accepted as a whole message", len(data))
		}
	})
}

// RunOpen is Run for messages that may end after any field: a truncation is refused, or decodes to a message with these
// bytes, or has a violation.
func RunOpen[T any, M Message[T]](t *testing.T, check func([]byte) []wire.Issue, cases []Case[T]) {
	run[T, M](t, check, cases, func(t *testing.T, data []byte) {
		msg := new(T)
		if err := M(msg).UnmarshalBinary(data); err != nil {
			return
		}
		switch again, err := M(msg).AppendBinary(nil); {
		case err != nil && violation(check(data)) == nil:
			t.Errorf("the first %d bytes decode without a violation, but cannot be encoded: %v", len(data), err)
		case err == nil && !bytes.Equal(again, data) && violation(check(data)) == nil:
			t.Errorf("the first %d bytes encode as % x", len(data), again)
		}
	})
}

func run[T any, M Message[T]](
	t *testing.T, check func([]byte) []wire.Issue, cases []Case[T], truncated func(*testing.T, []byte),
) {
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
		t.Errorf("%v allocations to encode and decode with reused memory, want 0", allocs)
	}
}

// Fuzz checks the property of every codec: a message without a violation decodes, its contents encode, and encoding is
// stable from then on. Decoding of other bytes must not panic. Fuzz compares bytes, not messages, since NaN differs
// from NaN.
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
			t.Fatalf("no violation, but it does not decode: %v", err)
		}
		first, err := M(&msg).AppendBinary(nil)
		if err != nil {
			t.Fatalf("no violation, but it does not encode: %v", err)
		}
		if err := M(&back).UnmarshalBinary(first); err != nil {
			t.Fatalf("encoded bytes do not decode: %v", err)
		}
		second, err := M(&back).AppendBinary(nil)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("encoded again: %v\nfirst  % x\nsecond % x", err, first, second)
		}
	})
}

// violation returns the first issue that is not a note, or nil.
func violation(issues []wire.Issue) *wire.Issue {
	for i := range issues {
		if !issues[i].Note {
			return &issues[i]
		}
	}
	return nil
}

// Bytes decodes hexadecimal text that may hold spaces, line breaks and "# comments".
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

package wire

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxJSON is the size limit of DecodeJSON in bytes.
const maxJSON = 64 << 10

// DecodeJSON decodes one JSON object of at most 64 KiB into the struct that v points to. It refuses unknown keys,
// duplicate keys, keys in other letter case, and data after the object. what names the object in errors ("decision");
// they also name the key and the accepted value, and never a Go identifier.
func DecodeJSON(b []byte, what string, v any) error { return DecodeJSONUpTo(maxJSON, b, what, v) }

// DecodeJSONUpTo decodes an object of at most most bytes, like DecodeJSON.
func DecodeJSONUpTo(most int, b []byte, what string, v any) error {
	if len(b) > most {
		return fmt.Errorf("%s has %d bytes; the limit is %d", what, len(b), most)
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // editors of Windows write it
	if jsontext.Value(b).Kind() != '{' {
		return fmt.Errorf("%s is not a JSON object: write it in braces, like {\"key\": 1}", what)
	}
	err := json.Unmarshal(b, v, json.RejectUnknownMembers(true), durations)
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		where := line(b, int(syntax.ByteOffset)) + at(syntax.JSONPointer)
		return fmt.Errorf("%s is not valid JSON at byte %d%s: %w", what, syntax.ByteOffset, where, syntax.Err)
	}
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fmt.Errorf("%s: %w", what, err)
	}
	switch {
	case errors.Is(semantic, json.ErrUnknownName):
		return fmt.Errorf("%s: unknown key %.40q", what, semantic.JSONPointer.LastToken())
	case semantic.Err != nil && !isNumberError(semantic.GoType):
		return fmt.Errorf("%s%s: %w", what, at(semantic.JSONPointer), semantic.Err)
	}
	return fmt.Errorf("%s%s: want %s", what, at(semantic.JSONPointer), accepted(semantic.GoType))
}

// durations reads a time.Duration as a number of nanoseconds, as encoding/json writes it.
var durations = json.WithUnmarshalers(json.UnmarshalFunc(func(b []byte, d *time.Duration) error {
	return json.Unmarshal(b, (*int64)(d))
}))

// line returns the line of a byte of an object in several lines, as part of an error text; "" for an object in one line.
func line(b []byte, offset int) string {
	if !bytes.Contains(bytes.TrimSpace(b), []byte("\n")) {
		return ""
	}
	return fmt.Sprintf(", line %d", 1+bytes.Count(b[:min(offset, len(b))], []byte("\n")))
}

// at returns the key that a JSON pointer leads to, as part of an error text; "" for the whole object.
func at(p jsontext.Pointer) string {
	if p == "" {
		return ""
	}
	return fmt.Sprintf(", key %.60q", strings.ReplaceAll(strings.TrimPrefix(string(p), "/"), "/", "."))
}

// isNumberError reports whether a value of type t can fail as no number or as out of range.
func isNumberError(t reflect.Type) bool {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != nil && t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64
}

// accepted describes the JSON values that type t accepts.
func accepted(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "a JSON value"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text in quotes"
	case reflect.Float32:
		return "a number up to 3.4e38"
	case reflect.Float64:
		return "a number up to 1e308"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("a whole number from 0 to %d", ^uint64(0)>>(64-t.Bits()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Slice, reflect.Array:
		return "a list in brackets"
	}
	return "an object in braces"
}

package wire_test

import (
	"strings"
	"testing"

	"touchline/wire"
)

// DecodeJSON accepts each key once, in its own letter case, and names the key that is wrong.
func TestDecodeJSON(t *testing.T) {
	type body struct {
		Conn  int      `json:"conn"`
		Robot uint8    `json:"robot"`
		Speed *float64 `json:"speed"`
		Value float32  `json:"value"`
		On    bool     `json:"on"`
		Name  string   `json:"name"`
		At    struct {
			X float64 `json:"x"`
		} `json:"at"`
	}
	for _, c := range []struct{ in, wanted string }{
		{`{"conn":7,"robot":3,"speed":1.5,"on":true,"name":"x","at":{"x":2}}`, ""},
		{` {} `, ""},
		{"\ufeff{}", ""},
		{`{"conn":"7"}`, `command, key "conn": want a whole number`},
		{`{"conn":1.5}`, `command, key "conn": want a whole number`},
		{`{"robot":300}`, `command, key "robot": want a whole number from 0 to 255`},
		{`{"robot":-1}`, `command, key "robot": want a whole number from 0 to 255`},
		{`{"speed":"fast"}`, `command, key "speed": want a number`},
		{`{"speed":1e999}`, `command, key "speed": want a number`},
		{`{"value":1e39}`, `command, key "value": want a number up to 3.4e38`},
		{`{"on":1}`, `command, key "on": want true or false`},
		{`{"name":1}`, `command, key "name": want a text in quotes`},
		{`{"at":{"x":[]}}`, `command, key "at.x": want a number`},
		{`{"at":5}`, `command, key "at": want an object in braces`},
		{`{"colour":1}`, `command: unknown key "colour"`},
		{`{"Conn":1}`, `command: unknown key "Conn"`},
		{`{"conn":1,"conn":2}`, `command is not valid JSON at byte`},
		{`{"conn":1} {}`, `command is not valid JSON at byte`},
		{`{"conn":1`, `command is not valid JSON at byte`},
		{`null`, `command is not a JSON object`},
		{`[1]`, `command is not a JSON object`},
		{``, `command is not a JSON object`},
		{`{"name":"` + strings.Repeat("x", 65<<10) + `"}`, `command has 66571 bytes; the limit is 65536`},
	} {
		var b body
		err := wire.DecodeJSON([]byte(c.in), "command", &b)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (c.wanted == "") != (got == "") || !strings.Contains(got, c.wanted) {
			t.Errorf("%.60s: %q, want %q", c.in, got, c.wanted)
		}
		if strings.Contains(got, "Go ") || strings.Contains(got, "strconv") {
			t.Errorf("%.60s: the error shows a Go identifier: %s", c.in, got)
		}
	}
}

package wire_test

import (
	"encoding/json"
	"math"
	"testing"

	"touchline/wire"
)

func TestRoundNumbers(t *testing.T) {
	for in, want := range map[string]string{
		`{"x":1.2345678901,"y":-0.0000124567,"n":3}`:   `{"x":1.235,"y":-1.2e-05,"n":3}`,
		`[12.5,0.25,100.00004,-0.5,0.1,7e21,0.0,-0.0]`: `[12.5,0.25,100,-0.5,0.1,7e21,0,0]`,
		`[1.23456e-07,-9.8765e+21,10.00009,0.9999999]`: `[1.2e-07,-9.9e+21,10,1]`,
		`[0.10999999979821344,0.00999999,0.0045678]`:   `[0.11,0.01,0.0046]`,
		`{"1.2345678":"a 3.1415926 \" 2.7182818"}`:     `{"1.2345678":"a 3.1415926 \" 2.7182818"}`,
		`1415926535897932384`:                          `1415926535897932384`,
		`"open \`:                                      `"open \`,
		`1.2.3`:                                        `1.2.3`,
		`2.`:                                           `2`,
		``:                                             ``,
	} {
		if got := string(wire.RoundNumbers([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// FuzzRoundNumbers: valid JSON stays valid, and a number moves by half a unit of its last digit at most.
func FuzzRoundNumbers(f *testing.F) {
	f.Add([]byte(`{"x":[1.23456789e-7,-0.01,9.99951,"1.23456"],"y":null}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		valid := json.Valid(in)
		var before, after float64
		number := json.Unmarshal(in, &before) == nil
		out := wire.RoundNumbers(in)
		if valid && !json.Valid(out) {
			t.Fatalf("%q is not valid JSON", out)
		}
		if !number || !valid {
			return
		}
		if err := json.Unmarshal(out, &after); err != nil {
			t.Fatal(err)
		}
		if allowed := math.Max(0.000501, 0.0501*math.Abs(before)); math.Abs(after-before) > allowed {
			t.Errorf("%v became %v", before, after)
		}
	})
}

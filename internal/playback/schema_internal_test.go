package playback

import "testing"

// Members that are null are removed, wherever they are, and texts stay.
func TestDropNulls(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: `{}`, `null`: `null`, `{"a":null}`: `{}`, `{"a":null,"b":1}`: `{"b":1}`, `{"b":1,"a":null}`: `{"b":1}`,
		`{"a":null,"b":null,"c":[null,{"d":null}],"e":{"f":null,"g":null}}`: `{"c":[null,{}],"e":{}}`,
		`{"b":1,"a":null,"c":null}`:                                         `{"b":1}`,
		`{"a":"x\":null,","b":"\\","c":null}`:                               `{"a":"x\":null,","b":"\\"}`,
		`{"a":":null,b","b":[":null"]}`:                                     `{"a":":null,b","b":[":null"]}`,
		`{"a":":null","b":"null"}`:                                          `{"a":":null","b":"null"}`,
	} {
		if got := string(dropNulls([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

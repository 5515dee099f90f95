package tcm_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "touchline/wire/tcm"
)

// bytesOfLine matches the bytes of a line of an example, before two blanks and its explanation.
var bytesOfLine = regexp.MustCompile(`^[0-9a-f]{2}( [0-9a-f]{2})*`)

// TestDocument decodes the datagrams of docs/teamcom.md and docs/join.md, encodes them from their fields, and repeats the
// arithmetic of the example.
func TestDocument(t *testing.T) {
	var pages string
	for _, name := range []string{"teamcom.md", "join.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		pages += string(page)
	}
	var datagrams []Datagram
	for _, block := range strings.Split(pages, "\n```text\n54 43 4d")[1:] {
		block, _, _ = strings.Cut("54 43 4d"+block, "```")
		var data []byte
		for line := range strings.Lines(block) {
			data = append(data, unhex(t, bytesOfLine.FindString(line))...)
		}
		var d Datagram
		if err := d.UnmarshalBinary(data); err != nil {
			t.Fatalf("%v\n%s", err, block)
		}
		if issues := Check(data); len(issues) > 0 {
			t.Errorf("got issues %v\n%s", issues, block)
		}
		if b := encode(t, &d); !bytes.Equal(b, data) || d.Signed && !key(t).Valid(data) {
			t.Errorf("got\n% x\nwant\n% x", b, data)
		}
		datagrams = append(datagrams, d)
	}
	if len(datagrams) != 5 {
		t.Fatalf("got %d datagrams, want 5", len(datagrams))
	}
	message := make([]byte, 1203)
	for i := range message {
		message[i] = byte(i)
	}
	if p := datagrams[2].Pieces[0]; p.Sum != Sum(message) || !bytes.Equal(p.Data, message[1200:]) {
		t.Errorf("the fragment is not of the message that the page describes: %+v", p)
	}
	beacon, answer, arrival := datagrams[0], datagrams[1], int64(10_006_500_000)
	echoed, held, sent := int64(answer.Echo.Sent), 1000*int64(answer.Echo.Held), int64(answer.Sent)
	rtt, offset := arrival-echoed-held, ((sent-held-echoed)+(sent-arrival))/2
	if answer.Echo.Sent != beacon.Sent || rtt != 5_000_000 || offset != 59_999_500_000 {
		t.Errorf("got a round trip of %d ns and an offset of %d ns, want 5 ms and 59.9995 s", rtt, offset)
	}
}

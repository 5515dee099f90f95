package matchlog

import (
	"bytes"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
)

// FuzzAnnotation reads arbitrary bytes as a metadata record: what is taken for a note is one that a log may hold, and
// is written as the same keys.
func FuzzAnnotation(f *testing.F) {
	add := func(meta map[string]string) {
		b, err := appendMetadata(nil, annotationName, meta)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[recordHead:])
		f.Add(b[recordHead : len(b)-3])
	}
	a := Annotation{7, 1467550000e9, 1467550001e9, "schön — <b>\u200b"}
	add(a.metadata())
	a.Text = "pressing"
	add(a.metadata())
	for key, value := range map[string]string{
		"id": "99999999999", "from": "-1", "to": "9223372036854775808", "text": "\x00\xff", "crc": "0", "": "",
	} {
		meta := a.metadata()
		meta[key] = value
		add(meta)
		if key != "crc" {
			meta["crc"] = checksumOf(meta)
			add(meta)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var c contents
		taken := c.apply(mcap.OpMetadata, body, 3)
		list := c.annotations.list()
		if len(list) > 1 || !taken && len(c.annotations) > 0 {
			t.Fatalf("%+v, of a record that is broken: %t", list, !taken)
		}
		for _, a := range list {
			if err := a.check(); err != nil || a.ID < 1 || a.Text == "" {
				t.Fatalf("%+v: %v", a, err)
			}
			b, err := appendMetadata(nil, annotationName, a.metadata())
			_, meta, ok := parseMetadata(body)
			if err != nil || !ok {
				t.Fatal(err)
			}
			again, good := parseAnnotation(meta)
			if !good || again != a || !bytes.Contains(b, []byte(a.Text)) {
				t.Fatalf("%+v became %+v", a, again)
			}
		}
	})
}

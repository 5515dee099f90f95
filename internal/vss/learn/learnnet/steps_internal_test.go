package learnnet

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// FuzzStepsRequest checks that any bytes are refused or give whole numbers, and that a list in two parts is one.
func FuzzStepsRequest(f *testing.F) {
	f.Add([]byte{0x0a, 2, '{', '}', // config, actions twice, mask, seeds
		0x12, 4, 0, 0, 0x80, 0x3f, 0x15, 0, 0, 0, 0xbf, 0x1a, 1, 1, 0x21, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var q, twice stepsRequest
		if (stepsCodec{}).Unmarshal(b, &q) != nil {
			return
		}
		if len(q.config)+len(q.actions)+len(q.mask)+len(q.seeds) > len(b) {
			t.Errorf("got %d bytes of numbers from %d", len(q.actions)+len(q.mask)+len(q.seeds), len(b))
		}
		again := protowire.AppendBytes(protowire.AppendTag(bytes.Clone(b), 2, protowire.BytesType), q.actions)
		want := append(q.actions, q.actions...)
		if err := (stepsCodec{}).Unmarshal(again, &twice); err != nil || !bytes.Equal(twice.actions, want) {
			t.Errorf("got %v, % x", err, twice.actions)
		}
	})
}

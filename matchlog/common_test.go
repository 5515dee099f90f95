package matchlog_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"touchline/matchlog"
)

// fourChunks writes a packed log with four chunks of three messages; change changes one of them.
func fourChunks(t *testing.T, change func(n int, m *matchlog.Message)) *matchlog.Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.CreatePacked(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for chunk := range 4 {
		var all []matchlog.Message
		for i := range 3 {
			n := 3*chunk + i
			at := began.Add(time.Duration(n) * time.Second)
			m := matchlog.Message{Time: at, Published: at, Channel: []string{"x", "x", "y"}[i], Data: fmt.Appendf(nil, "message %d", n)}
			change(n, &m)
			all = append(all, m)
		}
		if _, err := w.WriteAll(all); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// Logs have in common what lies in chunks before the first one that differs.
func TestCommon(t *testing.T) {
	a := fourChunks(t, func(int, *matchlog.Message) {})
	for name, c := range map[string]struct {
		change func(n int, m *matchlog.Message)
		chunks int
	}{
		"equal":   {func(int, *matchlog.Message) {}, 4},
		"last":    {func(n int, m *matchlog.Message) { m.Data = m.Data[:len(m.Data)-n/11] }, 3},
		"third":   {func(n int, m *matchlog.Message) { m.Data[0] += byte(n / 7) }, 2},
		"channel": {func(n int, m *matchlog.Message) { m.Channel += "z"[:n/11] }, 3},
		"time":    {func(n int, m *matchlog.Message) { m.Time = m.Time.Add(time.Duration(n / 8)) }, 2},
		"first":   {func(n int, m *matchlog.Message) { m.Data[0]++ }, 0},
	} {
		b := fourChunks(t, c.change)
		before, counts, all := matchlog.Common(a, b)
		want := map[string]uint64{"x": uint64(2 * c.chunks), "y": uint64(c.chunks)}
		if c.chunks == 0 {
			clear(want)
		}
		if all != (c.chunks == 4) || !maps.Equal(counts, want) || !all && before > began.Add(time.Duration(3*c.chunks+2)*time.Second) ||
			before < began.Add(time.Duration(3*c.chunks)*time.Second) {
			t.Errorf("%s: before %v, %v, all %t; want %v", name, before.Sub(began), counts, all, want)
		}
	}
	plain := filepath.Join(t.TempDir(), "plain.mcap")
	w, err := matchlog.Create(plain, nil)
	if err == nil {
		err = w.Write(matchlog.Message{Time: began, Published: began, Channel: "x", Data: []byte("message 0")})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if before, counts, all := matchlog.Common(l, l); before > began || len(counts) != 0 || all {
		t.Errorf("without chunks: before %v, %v, all %t", before, counts, all)
	}
}

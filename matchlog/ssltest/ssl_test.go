// Package ssltest checks the logs of the Small Size League with the league's own Go tools: they read what touchline
// writes, and touchline writes the bytes that they wrote. It is a module of its own, because only it needs them.
package ssltest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/RoboCup-SSL/ssl-go-tools/pkg/index"
	"github.com/RoboCup-SSL/ssl-go-tools/pkg/persistence"
)

// touchline returns the program: that of $TOUCHLINE, or a new one.
func touchline(t *testing.T) string {
	t.Helper()
	if program := os.Getenv("TOUCHLINE"); program != "" {
		return program
	}
	program := filepath.Join(t.TempDir(), "touchline")
	build := exec.Command("go", "build", "-o", program, "./cmd/touchline")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// messages are what the league's recorder would write: trackers, a referee, vision, an unknown and a blank message.
func messages() (all []persistence.Message) {
	tracker := []byte("\x0a\x01a\x1a\x0b\x08\x00\x11\x00\x00\x00\x00\x00\x00\x00\x00")
	for i := range 500 {
		all = append(all, persistence.Message{Timestamp: 1790000000000000000 + int64(i)*10e6,
			MessageType: persistence.MessageType{Id: persistence.MessageId([]int{5, 5, 4, 3, 1, 0}[i%6])}, Message: tracker})
	}
	return all
}

func write(t *testing.T, path string, all []persistence.Message) {
	t.Helper()
	w, err := persistence.NewWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if err := w.Write(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) (all []persistence.Message) {
	t.Helper()
	r, err := persistence.NewReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.HasMessage() {
		m, err := r.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *m)
	}
	return all
}

func TestLeagueReadsWhatTouchlineWrites(t *testing.T) {
	program, dir := touchline(t), t.TempDir()
	want := messages()
	for _, end := range []string{".log", ".log.gz"} {
		source := filepath.Join(dir, "source"+end)
		write(t, source, want)
		if end == ".log" {
			if err := index.WriteIndex(source); err != nil {
				t.Fatal(err)
			}
		}
		middle, copied := filepath.Join(dir, "middle"+end+".mcap"), filepath.Join(dir, "copy"+end)
		for _, args := range [][]string{{"log", "cut", source, "-o", middle}, {"log", "cut", middle, "-o", copied}} {
			if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		if end == ".log" { // gzip may pack the same bytes in another way
			a, err := os.ReadFile(source)
			b, err2 := os.ReadFile(copied)
			if err != nil || err2 != nil || !bytes.Equal(a, b) {
				t.Errorf("%d bytes, want the %d of the source: %v, %v", len(b), len(a), err, err2)
			}
			r, err := persistence.NewReader(copied)
			if err != nil || !r.IsIndexed() {
				t.Errorf("the index is lost: %v", err)
			} else if offsets, err := r.ReadIndex(); err != nil || len(offsets) != len(want) {
				t.Errorf("%d offsets, %v", len(offsets), err)
			}
		}
		got := read(t, copied)
		if end == ".log" {
			got = got[:len(got)-1] // the index
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d messages, want the %d of the source", end, len(got), len(want))
		}
	}
}

// vector returns a message that the league's program wrote.
func vector(t *testing.T, file, name string) (b []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../wire/vectors", file))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key == "name" {
			found = strings.TrimSpace(value) == name
		}
		if key != "hex" || !found {
			continue
		}
		part, err := hex.DecodeString(strings.ReplaceAll(value, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, part...)
	}
	if b == nil {
		t.Fatalf("no vector %s", name)
	}
	return b
}

// TestCards: the report and the decisions of a log of the league's recorder have the cards of the referee's messages.
func TestCards(t *testing.T) {
	program, path := touchline(t), filepath.Join(t.TempDir(), "cards.log.gz")
	none, all := vector(t, "ssl-referee.txt", "least"), vector(t, "ssl-referee.txt", "placement")
	three := append(slices.Clone(none), 7<<3|2, 2, 5<<3, 3) // and a part of yellow: three yellow cards
	var messages []persistence.Message
	for i := range 600 {
		m := persistence.Message{Timestamp: 1790000000000000000 + int64(i)*20e6,
			MessageType: persistence.MessageType{Id: persistence.MessageId(5)}, Message: vector(t, "ssl-tracker.txt", "kick")}
		if i%5 == 0 {
			m.MessageType.Id, m.Message = 3, [][]byte{none, three, all}[i/200] // the last one has a red card of yellow, too
		}
		messages = append(messages, m)
	}
	write(t, path, messages)
	run := func(v any, args ...string) {
		t.Helper()
		out, err := exec.Command(program, args...).Output()
		if err == nil {
			err = json.Unmarshal(out, v)
		}
		if err != nil {
			t.Fatalf("%v: %v\n%.500s", args, err, out)
		}
	}
	var reports []struct {
		Teams  []struct{ YellowCards, RedCards int }
		Events []struct {
			Kind, Result string
			By           struct{ Side string }
		}
	}
	run(&reports, "report", path, "--json")
	cards := fmt.Sprint(reports[0].Teams)
	for _, e := range reports[0].Events {
		if e.Kind == "card" {
			cards += fmt.Sprintf(" %s %s", e.By.Side, e.Result)
		}
	}
	if want := "[{3 1} {0 0}] home YELLOW_CARD home YELLOW_CARD home YELLOW_CARD home RED_CARD"; cards != want {
		t.Errorf("got  %s\nwant %s", cards, want)
	}
	var log struct {
		Decisions []struct {
			Time          int64
			Command, Side string
		}
	}
	run(&log, "log", "decisions", path, "--json")
	decisions := ""
	for _, d := range log.Decisions {
		if strings.HasSuffix(d.Command, "CARD") {
			decisions += fmt.Sprintf("%s %s %d ", d.Side, d.Command, d.Time-1790000000000)
		}
	}
	if want := strings.Repeat("home YELLOW_CARD 4000 ", 3) + "home RED_CARD 8000 "; decisions != want {
		t.Errorf("got  %q\nwant %q", decisions, want)
	}
}

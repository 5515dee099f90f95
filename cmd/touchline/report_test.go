package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/matchlog"
	"touchline/wire"
)

// The report of a record has the figures that the match printed, to the digit.
func TestReport(t *testing.T) {
	single(t)
	record := filepath.Join(t.TempDir(), "m.mcap")
	out, errs, code := touchline(t, "match", "--seed", "3", "--half", "30s", "--loss", "0.1", "--home-name", "Lions", "--json", "--record", record)
	var want matchResult
	if err := json.Unmarshal([]byte(out), &want); err != nil || code != 0 {
		t.Fatalf("exit %d %s: %v", code, errs, err)
	}
	out, errs, code = touchline(t, "report", record, "--json")
	var got []reported
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || len(got) != 1 {
		t.Fatalf("exit %d %s, %d reports: %v", code, errs, len(got), err)
	}
	r := got[0]
	v := &r.Figures
	if v.Home.Possession != want.Share.Home || v.Away.Possession != want.Share.Away || v.Home.Distance != want.Way.Home ||
		v.Home.Passes != want.Passes.Home || v.Away.PassesLost != want.Lost.Away || v.Home.Shots != want.Shots.Home ||
		v.Home.Coverage != want.Cover.Home || v.Away.Crowding != want.Crowd.Away || v.Home.SetPieces.ThrowIns != want.ThrowIn.Home ||
		v.Played != want.Played || v.Home.Goals != want.Goals.Home || v.Away.Goals != want.Goals.Away {
		t.Errorf("the report has %+v, the match %+v", v, want)
	}
	if !r.Told || r.Seed != "3" || r.Names[0] != "Lions" || len(r.Robots) != 10 || len(r.Links) == 0 || len(r.Partial) != 0 || r.Page != "" {
		t.Errorf("told %t, seed %q, names %v, %d robots, %d links, partial %q, page %q",
			r.Told, r.Seed, r.Names, len(r.Robots), len(r.Links), r.Partial, r.Page)
	}
	for k := range r.Teams {
		if e := &r.Teams[k].BallError; e.Samples == 0 || e.Mean <= 0 || e.Mean > 2 {
			t.Errorf("team %d: the error of the ball is %+v", k, *e)
		}
		if loss := r.Teams[k].RadioLoss; loss < 0.05 || loss > 0.15 {
			t.Errorf("team %d: %.3f of the datagrams were lost, want about 0.1", k, loss)
		}
	}
	if _, errs, code := touchline(t, "log", "note", record, "--at", "12.5s", "--to", "15s", "a <good> pass"); code != 0 {
		t.Fatal(errs)
	}
	out, _, _ = touchline(t, "report", record, "--json")
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got[0].Notes) != 1 || got[0].Notes[0].Start != 12.5 {
		t.Errorf("%+v: %v", got[0].Notes, err)
	}
	page, errs, code := touchline(t, "report", record, "-o", "-")
	if !strings.Contains(page, `#match&amp;t=12.5&amp;note=1">0:12 to 0:15</a> a &lt;good&gt; pass</li>`) {
		t.Error("the page lacks the note")
	}
	if code != 0 || !strings.HasPrefix(page, "<!doctype html>") || !strings.Contains(page, "Lions") || len(page) > 3<<20 {
		t.Errorf("exit %d %s, a page of %d bytes", code, errs, len(page))
	}
	if !strings.Contains(page, `href="http://127.0.0.1:8014/#match&amp;t=`) || strings.Contains(page, "<script") {
		t.Error("the page does not link to the match, or has a script")
	}
}

// The match page shows the figures of the report of its record, to the digit: totals, goals, passes, shots, heatmaps and the
// course of possession. TOUCHLINE_MATCHES is the number of matches, default 2.
func TestPageAndReport(t *testing.T) {
	single(t)
	matches := 2
	if text := os.Getenv("TOUCHLINE_MATCHES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("TOUCHLINE_MATCHES=%s: want a number of matches", text)
		}
		matches = n
	}
	random := rand.New(rand.NewPCG(31, 29))
	for n := range matches {
		half := time.Duration(5+random.IntN(15)) * time.Second
		args := []string{
			"--seed", fmt.Sprint(random.IntN(1000)), "--half", half.String(), "--field", []string{"18x12", "22x14"}[random.IntN(2)],
			"--loss", fmt.Sprintf("%.2f", 0.2*random.Float64()), "--away-robots", fmt.Sprint(3 + random.IntN(3)), "--quiet",
		}
		for i := range random.IntN(3) {
			side, robot := []string{"home", "away"}[random.IntN(2)], 1+2*i
			args = append(args, "--fault", []string{
				fmt.Sprintf("crash %s %d 2s 4s", side, robot), "silent 1s 3s", fmt.Sprintf("partition %s %d 2s 6s", side, robot),
				fmt.Sprintf("mirror %s %d 3s 5s", side, robot),
			}[random.IntN(4)])
		}
		record := filepath.Join(t.TempDir(), "m.mcap")
		if _, errs, code := touchline(t, append([]string{"match", "--record", record}, args...)...); code != 0 {
			t.Fatalf("%v: exit %d %s", args, code, errs)
		}
		l, err := openLog(record)
		if err != nil {
			t.Fatal(err)
		}
		last, _, err := l.Last(matchlog.TopicPrefix+"match", l.Info().End)
		l.Close()
		var page match.ShowView
		if err = errors.Join(err, json.Unmarshal(last.Data, &page)); err != nil || !page.Over {
			t.Fatalf("%v: %v, over: %t", args, err, page.Over)
		}
		out, errs, code := touchline(t, "report", record, "--json")
		var got []reported
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || len(got) != 1 {
			t.Fatalf("%v: exit %d %s: %v", args, code, errs, err)
		}
		text := func(v match.ShowView) string {
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(wire.RoundNumbers(data)) // as topics are recorded
		}
		want := text(page)
		if page.Count(&got[0].Figures, half); text(page) != want {
			at := max(firstByte([]byte(want), []byte(text(page)))-100, 0)
			t.Errorf("match %d, %v: the page has\n%.300s\nand the report\n%.300s", n, args, want[at:], text(page)[at:])
		}
	}
}

func TestReportRefusals(t *testing.T) {
	single(t)
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("kept.txt", []byte("not a report"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("empty.mcap", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	record := "m.mcap"
	if _, errs, code := touchline(t, "match", "--half", "1s", "--record", record); code != 0 {
		t.Fatal(errs)
	}
	data, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("torn.mcap", data[:len(data)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"report", 2, "arg"},
		{"report missing.mcap", 2, "no such file"},
		{"report empty.mcap", 1, "neither ground truth nor worldstates"},
		{"report kept.txt", 2, "kept.txt"},
		{"report " + record + " -o kept.txt", 2, "not an earlier report"},
		{"report " + record + " -o " + record, 2, "not an earlier report"},
		{"report " + record + " " + record + " -o x.html", 2, "2 logs"},
		{"report " + record + " -o - --json", 2, "leave out one"},
		{"report " + record + " -o no/such/folder.html", 2, "no/such"},
		{"report torn.mcap", 0, ""},
		{"report " + record, 0, ""},
		{"report " + record, 0, ""}, // an earlier report is replaced
	} {
		_, errs, code := touchline(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, printed %q, want %d and %q", c.args, code, errs, c.code, c.want)
		}
	}
	if kept, _ := os.ReadFile("kept.txt"); string(kept) != "not a report" {
		t.Error("a file that is no report was replaced")
	}
	if again, _ := os.ReadFile(record); string(again) != string(data) {
		t.Error("the log was changed")
	}
}

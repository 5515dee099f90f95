package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"touchline/internal/lab"
	"touchline/wire/wiretest"
)

// prepared returns the batches that a command line asks for.
func prepared(t *testing.T, args ...string) ([]lab.RivalsConfig, error) {
	t.Helper()
	f := flags{cfg: lab.DefaultRivalsConfig()}
	f.protocol, f.scene, f.seconds = string(f.cfg.Protocol), string(f.cfg.Scene), f.cfg.Length.Seconds()
	set := pflag.NewFlagSet("booking", pflag.ContinueOnError)
	f.add(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f.prepare(set)
}

// The page compares four protocols at four losses with 100 seeds, or what the flags name.
func TestPageBatches(t *testing.T) {
	batches, err := prepared(t, "--page")
	if err != nil || len(batches) != 16 || batches[0].Seeds != 100 || batches[15].Loss != 0.5 {
		t.Errorf("--page: got %d batches, %v", len(batches), err)
	}
	batches, err = prepared(t, "--page", "--seeds", "7", "--loss", "0.2", "--burst", "5", "--protocol", "literal")
	if err != nil || len(batches) != 1 || batches[0].Seeds != 7 || batches[0].Loss != 0.2 || batches[0].Burst != 5 ||
		batches[0].Protocol != lab.Literal {
		t.Errorf("got %+v, %v", batches, err)
	}
	if _, err := prepared(t, "--page", "--json"); err == nil || !strings.Contains(err.Error(), "want one of them") {
		t.Errorf("--page --json: got error %v", err)
	}
}

// The page is served while the games are played; its reports are those of the batches, in order.
func TestPage(t *testing.T) {
	batches, err := prepared(t, "--page", "--seeds", "1", "--seconds", "5", "--loss", "0.3")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- serveChart(ctx, batches, write) }()
	line := make([]byte, 200)
	n, err := read.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	url := regexp.MustCompile(`http://\S+/`).FindString(string(line[:n]))
	get := func(path string) string {
		t.Helper()
		answer, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", path, answer.Status, err)
		}
		return string(b)
	}
	if page := get(""); !strings.Contains(page, "chart/chart.js") {
		t.Errorf("the page is %.300s", page)
	}
	var reports []lab.RivalsReport
	wiretest.Eventually(t, "reports of all batches", func() bool {
		reports = nil
		if err := json.Unmarshal([]byte(get("api/chart")), &reports); err != nil {
			t.Fatal(err)
		}
		return len(reports) == len(batches)
	})
	for i, r := range reports {
		if r.Protocol != batches[i].Protocol || r.Seeds != 1 || r.Seconds != 5 {
			t.Errorf("report %d is %+v, want %s", i, r, batches[i].Protocol)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("the page ended with %v", err)
	}
}

// A batch that is interrupted ends the page without an error; the chart shows what was complete.
func TestInterruptedPage(t *testing.T) {
	batches, err := prepared(t, "--page", "--seeds", "1000", "--loss", "0.3")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := serveChart(ctx, batches, io.Discard); err != nil {
		t.Errorf("got %v", err)
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"touchline/internal/console"
	"touchline/internal/lab/explore"
)

// checked is an exploration of the lease as JSON.
type checked struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	*explore.Result
	Broken []string `json:"broken"` // guarantees that it refutes
}

// proof is what --check prints as JSON.
type proof struct {
	Cases   []checked       `json:"cases"`
	Literal *explore.Result `json:"literal"` // the protocol as the paper prints it, which may never settle
}

// check explores the lease and the printed protocol, and prints what holds.
func check(ctx context.Context, robots int, asJSON bool, out, errs io.Writer) error {
	p := proof{Cases: []checked{}}
	broken := 0
	if !asJSON {
		fmt.Fprintf(out, "%d robots; times in ticks of one renewal; docs/booking.md explains the model\n", robots)
		fmt.Fprintf(out, "%-28s %9s %10s %8s %9s %12s\n", "", "states", "no booker", "several", "a farther", "all agree in")
	}
	cases := explore.Cases(robots)
	for i, c := range cases {
		began := time.Now()
		last := began
		r, err := explore.Lease(c.Bound, func(states int) error {
			if time.Since(last) > 2*time.Second {
				last = time.Now()
				fmt.Fprintf(errs, "%s: %d states\n", c.Name, states)
			}
			return ctx.Err()
		})
		if errors.Is(err, context.Canceled) {
			return console.Interrupted(err, i, len(cases), "explorations")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		all := r.Broken()
		broken += len(all)
		p.Cases = append(p.Cases, checked{c.Name, time.Since(began).Seconds(), r, append([]string{}, all...)})
		if asJSON {
			continue
		}
		fmt.Fprintf(out, "%-28s %9d %10s %8s %9s %12d\n", c.Name, r.States, explore.Ticks(r.Nobody),
			explore.Ticks(r.Several), explore.Ticks(r.Wrong), r.Settle)
		for _, text := range all {
			fmt.Fprintln(out, "  BROKEN", text)
		}
	}
	r, err := explore.Literal(explore.Bounds{Robots: min(robots, 3), Distances: []float64{1, 1.2, 2}, Lease: 4}, nil)
	if err != nil {
		return err
	}
	p.Literal = r
	if asJSON {
		err = json.NewEncoder(out).Encode(p)
	} else {
		fmt.Fprintf(out, "\nthe protocol as the paper prints it may never settle, from %d of %d states, without any loss:\n  %s\n",
			r.Stuck, r.States, strings.Join(r.StuckTrace, "\n  "))
	}
	if broken > 0 {
		err = errors.Join(err, fmt.Errorf("%d guarantees do not hold", broken))
	}
	return err
}

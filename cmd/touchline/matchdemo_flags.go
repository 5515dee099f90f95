package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"touchline/internal/match"
)

// Flags are the flags of demo that only a match has.
type Flags struct {
	Match   bool // play a match at all
	Virtual bool // in virtual time
	home    string
	away    string
	half    time.Duration
}

// Add adds the flags.
func (f *Flags) Add(set *pflag.FlagSet) {
	cfg := match.DefaultMatchConfig()
	set.BoolVar(&f.Match, "match", false, "play five against five instead, in real time, with the page of the match")
	set.BoolVar(&f.Virtual, "virtual", false,
		"with --match: in virtual time without sockets; the page pauses, steps and sets the speed, and a seed is always the same match")
	set.StringVar(&f.home, "home", cfg.Home.Name, "with --match: home team; touchline match --help lists the teams")
	set.StringVar(&f.away, "away", cfg.Away.Name, "with --match: away team")
	set.DurationVar(&f.half, "half", cfg.Half, "with --match: length of each half, 1s to 1h in whole seconds")
}

// Flags of demo that a match does not have, and those that it has in real time only.
var (
	notInMatch = []string{
		"robots", "package", "trailer", "speed", "no-tcm", "drawn-poses", "booking", "story", "auto", "group", "interface",
		"ttl", "vision", "profiles", "record-pictures",
	}
	onlyInRealTime = []string{"dir", "headless", "json", "processes"}
)

// Check returns an error that names flags of demo that contradict each other.
func (f *Flags) Check(set *pflag.FlagSet) error {
	changed := func(name string) bool {
		flag := set.Lookup(name)
		return flag != nil && flag.Changed
	}
	if !f.Match {
		for _, name := range []string{"virtual", "home", "away", "half"} {
			if changed(name) {
				return fmt.Errorf("--%s is for a match: add --match", name)
			}
		}
		return nil
	}
	for _, name := range notInMatch {
		if changed(name) {
			return fmt.Errorf("--match plays five against five and has no --%s: leave it out", name)
		}
	}
	for _, name := range onlyInRealTime {
		if f.Virtual && changed(name) {
			return fmt.Errorf("--virtual plays in virtual time, for the page: leave out --%s", name)
		}
	}
	if changed("headless") && changed("http") {
		return errors.New("--http: with --headless there is no page: leave out one of them")
	}
	if changed("json") && !changed("headless") {
		return errors.New("--json needs --headless: it prints what the match was like without a page")
	}
	return nil
}

// Configure sets what the flags say of a match.
func (f *Flags) Configure(cfg *match.MatchConfig, processes bool) (err error) {
	cfg.Half, cfg.Localise = f.half, true
	if cfg.Home, err = match.FindTeam(f.home, os.ReadFile); err != nil {
		return fmt.Errorf("--home %w", err)
	}
	if cfg.Away, err = match.FindTeam(f.away, os.ReadFile); err != nil {
		return fmt.Errorf("--away %w", err)
	}
	switch external := cfg.Home.External || cfg.Away.External; {
	case external && f.Virtual:
		return errors.New("--virtual: programs outside play in real time: leave it out")
	case processes && cfg.Home.External && cfg.Away.External:
		return errors.New("--processes: no team has robots of touchline: leave it out")
	}
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("--match: %w", err)
	}
	return nil
}

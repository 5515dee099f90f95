package vssnet

import (
	"fmt"
	"time"

	"touchline/internal/vss"
	"touchline/wire/firasim"
)

// Config is a game, its addresses and its time. DefaultConfig returns it filled; zero means zero.
type Config struct {
	Game vss.Config // field, robots, physics, start positions and disturbances

	Commands  string   // address for UDP commands; localhost is 127.0.0.1 and ::1. Default "localhost:20011"
	Vision    []string // addresses that vision is sent to: multicast groups or machines. Default the two groups of FIRASim
	SSLVision []string // addresses of vision in SSL-Vision's format; with one, grSim's commands are read. Default none
	Interface string   // network interface for multicast. Default "", the loopback interface

	Speed          float64       // simulated seconds a second; 0: as fast as possible. Default 1
	Lockstep       [2]bool       // ticks wait for commands of blue, of yellow. Default neither
	LockstepWait   time.Duration // longest wait after the first commands of a tick; 0: no limit. Default 1 s
	Duration       time.Duration // stop after this simulated time; 0: never. Default 0
	Builtin        [2]string     // rung (vss.Rungs) that plays blue, yellow; in process with Speed 0 or Lockstep
	Referee        bool          // the built-in referee. Default none
	RefereeGroup   string        // group and port of referees' commands. Default "224.5.23.2:10003"
	PlacementGroup string        // group and port of the teams' placements. Default "224.5.23.2:10004"
}

// DefaultConfig returns FIRASim's 3 against 3 on its usual addresses, on the loopback interface.
func DefaultConfig() Config {
	return Config{
		Game: vss.DefaultConfig(), Commands: "localhost:20011", Vision: []string{firasim.Vision, firasim.VisionWiki},
		Speed: 1, LockstepWait: time.Second, RefereeGroup: firasim.Referee, PlacementGroup: firasim.Placements,
	}
}

// validate names the first field whose value is out of range; vss.New checks the game.
func (c *Config) validate() error {
	for _, f := range []struct {
		name  string
		value time.Duration
		most  time.Duration
	}{{"--duration", c.Duration, 1e6 * time.Hour}, {"--lockstep-wait", c.LockstepWait, time.Hour}} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("vss: %s %v: want 0 to %v", f.name, f.value, f.most)
		}
	}
	return checkSpeed(c.Speed)
}

// checkSpeed refuses speeds at which a tick would take hours, or no time.
func checkSpeed(x float64) error {
	if x == 0 || x >= 1e-3 && x <= 1e6 {
		return nil
	}
	return fmt.Errorf("vss: speed %g: want 0.001 to 1e6 times real time, or 0 for as fast as possible", x)
}

package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"touchline/booking"
	"touchline/transport/traffic"
)

// RivalsConfig says what Run plays.
type RivalsConfig struct {
	Protocol RivalsName
	Loss     float64       // share of datagrams that a receiver loses. Default 0.3
	Burst    float64       // mean run of losses on the link from one robot to another; up to 1 they are independent. Default 0
	Robots   int           // Default 4
	First    uint64        // seed. Default 1
	Seeds    int           // games. Default 1000
	Length   time.Duration // of a game. Default 120 s
	Scene    Scene         // Default Match
}

// RivalsName is the name of a protocol.
type RivalsName string

// The protocols.
const (
	Lease   RivalsName = "lease"   // booking.State
	Budget  RivalsName = "budget"  // booking.State with booking.BudgetConfig
	Literal RivalsName = "literal" // booking.Literal
	Nearest RivalsName = "nearest" // booking.Nearest
	Auction RivalsName = "auction" // booking.Auction
)

// Names returns the names of all protocols.
func Names() []RivalsName { return []RivalsName{Lease, Literal, Nearest, Auction, Budget} }

// Scene is what happens in a game.
type Scene string

// The scenes.
const (
	Match    Scene = "match"    // the ball is kicked now and then, and the booker crashes
	LockStep Scene = "lockstep" // as match, but all robots start at once and their control periods coincide
	Equal    Scene = "equal"    // two robots stand at equal distances from a ball that lies still
)

// Scenes returns all scenes.
func Scenes() []Scene { return []Scene{Match, LockStep, Equal} }

// maxRobots is the largest number of robots.
const maxRobots = booking.MaxMembers

// DefaultRivalsConfig returns 1,000 games with 30 % loss.
func DefaultRivalsConfig() RivalsConfig {
	return RivalsConfig{
		Protocol: Lease, Loss: 0.3, Robots: 4, First: 1, Seeds: 1000, Length: 120 * time.Second, Scene: Match,
	}
}

// Validate returns an error that names the first value out of range and the range.
func (c RivalsConfig) Validate() error {
	switch link := c.link(); {
	case c.Robots < 2 || c.Robots > maxRobots:
		return fmt.Errorf("robots %d: want 2 to %d", c.Robots, maxRobots)
	case c.Seeds < 1 || c.Seeds > 1e6:
		return fmt.Errorf("seeds %d: want 1 to 1000000", c.Seeds)
	case c.Length < time.Second || c.Length > time.Hour:
		return fmt.Errorf("length %v: want 1s to 1h", c.Length)
	case !(c.Loss < 1):
		return fmt.Errorf("loss %v: want a share from 0 to below 1, for example 0.3", c.Loss)
	default:
		return link.Validate()
	}
}

// link returns the link from each robot to each other one. The delays are those of a Wi-Fi network in a hall: a few
// milliseconds; a datagram in a hundred arrives twice, and one in a thousand is held back until others have overtaken it.
func (c RivalsConfig) link() traffic.Link {
	return traffic.Link{
		Loss: c.Loss, Burst: c.Burst,
		Delay: time.Millisecond, Jitter: 6 * time.Millisecond, Duplicate: 0.01, Reorder: 0.001,
	}
}

// RivalsRun plays the games, several at a time. After each one it calls progress, from one goroutine at a time, with the number
// of games that are done. When ctx ends, it returns the figures of the games that are done, and the cause.
func RivalsRun(ctx context.Context, cfg RivalsConfig, progress func(done int)) (RivalsReport, error) {
	if err := cfg.Validate(); err != nil {
		return RivalsReport{}, errors.New("lab: " + err.Error())
	}
	scores := make([]rivalsScore, cfg.Seeds)
	next := make(chan int)
	var workers sync.WaitGroup
	var lock sync.Mutex
	done := 0
	for range min(runtime.GOMAXPROCS(0), cfg.Seeds) {
		workers.Go(func() {
			var g rivalsGame
			for n := range next {
				g.play(&cfg, cfg.First+uint64(n), &scores[n])
				lock.Lock()
				done++
				progress(done)
				lock.Unlock()
			}
		})
	}
	fed := 0
	for ; fed < cfg.Seeds && ctx.Err() == nil; fed++ {
		next <- fed
	}
	close(next)
	workers.Wait()
	return rivalsNewReport(cfg, scores[:fed]), ctx.Err()
}

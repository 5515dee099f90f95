package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire"
)

// Result is what one job gave. Its JSON is stable.
type Result struct {
	ID      string      `json:"id"` // of the job
	Program Program     `json:"program"`
	Flags   match.Flags `json:"flags"`
	Trouble string      `json:"trouble,omitempty"` // why the match did not end; "": it ended
	// Outside: the trouble is that of a team's program, which may be mended. batch run plays the match again
	Outside bool    `json:"outside,omitempty"`
	Digest  string  `json:"digest"`  // hash of the referee's decisions and of the truth, ten times a second
	Seconds float64 `json:"seconds"` // of the match, stoppages included
	Played  float64 `json:"played"`  // s with the ball in play
	Stuck   int     `json:"stuck"`   // dropped balls because the ball did not move
	Home    Side    `json:"home"`
	Away    Side    `json:"away"`
	Cost    float64 `json:"cost"` // s that it took to play, on whichever machine: no report shows it
}

// Side is what one team did.
type Side struct {
	analysis.TallyTeam
	Broken []RuleCount `json:"broken"` // rules that its robots broke
}

// RuleCount is how often a rule was broken.
type RuleCount struct {
	Rule  autoref.Rule `json:"rule"`
	Count int          `json:"count"`
}

// Side returns what the team of a side did.
func (r *Result) Side(side game.Side) *Side {
	if side == game.Home {
		return &r.Home
	}
	return &r.Away
}

// Overtime is the time after the end of its halves at which a match that is not over counts as failed.
const Overtime = time.Minute

// Play plays a job. Every second of the match it asks stop, and ends without a result when that reports true. A match that
// fails or does not end is a result with its trouble; the caller turns a panic into one with Failed. open starts the
// programs of a plan that has some.
func (p *Plan) Play(job *Job, stop func() bool, open Opener) (r Result, played bool) {
	r = p.Failed(job, "")
	cfg, err := job.Flags.Config(p.Read)
	if err != nil {
		r.Trouble = err.Error()
		return r, true
	}
	h := sha256.New()
	tap, outside := truthInto(h), cfg.Home.Program != nil || cfg.Away.Program != nil
	if outside {
		end, err := p.open(&cfg, &tap, open)
		if err != nil {
			r.Trouble, r.Outside = err.Error(), true
			return r, true
		}
		defer end()
	}
	m, err := match.NewMatch(cfg, tap)
	if err != nil {
		r.Trouble = err.Error()
		return r, true
	}
	for end := m.Now().Add(2*cfg.Half + Overtime); !m.Over() && m.Err() == nil; m.Advance(m.Now().Add(time.Second)) {
		if stop() {
			return r, false
		}
		if m.Now() > end {
			r.Trouble = "it was not over a minute after its time"
			break
		}
	}
	if err := m.Err(); err != nil {
		r.Trouble, r.Outside = err.Error(), outside
	}
	var v match.View
	m.View(&v)
	for i, side := range game.Sides {
		s := r.Side(side)
		s.TallyTeam = *v.Tally.Team(side)
		for _, rule := range autoref.Rules() {
			if n := m.Referee().Count(side, rule); n > 0 {
				s.Broken = append(s.Broken, RuleCount{rule, n})
			}
		}
		goals := []int{v.Game.Home.Goals, v.Game.Away.Goals}[i]
		if r.Trouble == "" && s.Goals != goals {
			r.Trouble = fmt.Sprintf("the referee counts %d goals of %s, and the tally %d", goals, side, s.Goals)
		}
	}
	r.Seconds, r.Played, r.Stuck = m.Now().Sub(soccer.Epoch).Seconds(), v.Tally.Played, m.Referee().Stuck()
	r.Digest = hex.EncodeToString(h.Sum(nil)[:16])
	return r, true
}

// Failed returns the result of a job that gave none, with its trouble.
func (p *Plan) Failed(job *Job, trouble string) Result {
	return Result{
		ID: job.ID, Program: p.Program, Flags: job.Flags, Trouble: trouble,
		Home: Side{Broken: []RuleCount{}}, Away: Side{Broken: []RuleCount{}},
	}
}

// truthInto returns a tap that hashes the decisions of a match and its truth.
func truthInto(h hash.Hash) match.Tap {
	var b []byte
	return match.Tap{
		Decision: func(d *game.Decision, _ *game.Outcome) {
			text, err := json.Marshal(d)
			if err != nil {
				panic(err) // a decision has texts and numbers
			}
			h.Write(text)
		},
		Sample: func(now soccer.Time, s *autoref.Scene, _ *game.State) {
			b = binary.LittleEndian.AppendUint64(b[:0], uint64(now))
			b = appendBits(b, s.Ball.X, s.Ball.Y, s.Ball.Z)
			for i := range s.Robots {
				if r := &s.Robots[i]; r.There {
					b = appendBits(b, r.Pose.X, r.Pose.Y, r.Pose.Theta)
				}
			}
			h.Write(b)
		},
	}
}

// BehaviourCost is what Behaviour takes where a second of a match takes costSecond, in core-seconds.
const BehaviourCost = 20*costSecond + 4*costSecond*costLocalise + 2*costStart

// Behaviour returns a hash of what robots, referee and field do in a short match and at the begin of another one, with a
// lossy network, faults, and poses that robots find.
func Behaviour() string {
	h := sha256.New()
	for _, c := range []struct {
		localise bool
		until    time.Duration
	}{{false, 20 * time.Second}, {true, 4 * time.Second}} {
		cfg := match.DefaultMatchConfig()
		cfg.Seed, cfg.Half, cfg.Localise, cfg.Mixed = 7, 6*time.Second, c.localise, c.localise
		cfg.Link = traffic.Link{Loss: 0.1, Burst: 1, Jitter: 5 * time.Millisecond}
		cfg.Faults = []match.Fault{
			{From: time.Second, To: 3 * time.Second, What: match.Crash, Side: game.Home, Robot: 2},
			{From: 2 * time.Second, To: 4 * time.Second, What: match.Mirror, Side: game.Away, Robot: 3},
		}
		m, err := match.NewMatch(cfg, truthInto(h))
		if err != nil {
			panic(err) // the configuration is valid
		}
		m.Advance(soccer.Epoch.Add(c.until))
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// MaxResult is the size limit of the file of a result, in bytes.
const MaxResult = 64 << 10

// sealed is the file of a result.
type sealed struct {
	Result jsontext.Value `json:"result"`
	SHA256 string         `json:"sha256"` // of the bytes of result
}

// Text returns the file of the result, with a hash by which a reader knows that it is whole.
func (r *Result) Text() []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // texts and finite numbers
	}
	sum := sha256.Sum256(text)
	return fmt.Appendf(nil, "{\"result\":%s,\"sha256\":\"%s\"}\n", text, hex.EncodeToString(sum[:]))
}

// ParseResult reads the file of a result. The error says that it is torn, changed, or no result.
func ParseResult(b []byte) (*Result, error) {
	var s sealed
	if err := wire.DecodeJSONUpTo(MaxResult, b, "the result", &s); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(s.Result); hex.EncodeToString(sum[:]) != s.SHA256 {
		return nil, errors.New("the result has changed since it was written: its SHA-256 differs")
	}
	r := new(Result)
	if err := wire.DecodeJSONUpTo(MaxResult, s.Result, "the result", r); err != nil {
		return nil, err
	}
	return r, nil
}

// Answers reports whether a result is that of a job of this plan.
func (p *Plan) Answers(job *Job, r *Result) bool {
	return r.ID == job.ID && r.Program == p.Program && p.Holds(&Job{ID: job.ID, Flags: r.Flags})
}

func appendBits(b []byte, values ...float64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

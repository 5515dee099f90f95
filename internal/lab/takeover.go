package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// TakeoverReport is the report of Takeover.
type TakeoverReport struct {
	Takeovers  int    `json:"takeovers"`
	Decisions  int    `json:"decisions"`  // acknowledged
	Unanswered int    `json:"unanswered"` // interrupted by a kill
	Lost       int    `json:"lost"`       // decisions acknowledged within 50 ms that the copy lacks
	Uncopied   int    `json:"uncopied"`   // other acknowledged decisions that it lacks: it was more than 50 ms behind
	failures          // everything else that went wrong
	OpenMillis Spread `json:"openMillis"` // from the kill to the open port of the standby
	BackMillis Spread `json:"backMillis"` // from the kill to the admission of both base stations
}

// copyWait is how long a referee box waits for its standby's copy before it acknowledges a decision.
const copyWait = 50 * time.Millisecond

// Takeover plays one game on a chain of referee boxes: each is killed while the next one, its standby, takes over.
// Kills is the number of takeovers; PerGame is ignored. When ctx ends, it returns the report so far, and the cause.
func Takeover(ctx context.Context, cfg KillConfig, progress func(*TakeoverReport)) (*TakeoverReport, error) {
	report := &TakeoverReport{failures: failures{Failures: []string{}}}
	dir, err := cfg.folder("refbox-takeover")
	if err != nil {
		return report, err
	}
	if dir != cfg.Dir {
		defer os.RemoveAll(dir)
	}
	k := &killing{cfg: &cfg, report: &KillReport{}, random: rand.New(rand.NewPCG(cfg.Seed, 1<<32))}
	err = k.takeovers(ctx, dir, report, progress)
	if err != nil && !ended(ctx) {
		return report, fmt.Errorf("takeover %d, seed %d, folder %s: %w", report.Takeovers+1, cfg.Seed, dir, err)
	}
	if report.Failed+report.Lost > 0 {
		return report, errors.New("something was lost or broken: see the failures in the report")
	}
	if report.Takeovers < cfg.Kills {
		return report, ctx.Err()
	}
	return report, nil
}

func (k *killing) takeovers(ctx context.Context, dir string, report *TakeoverReport,
	progress func(*TakeoverReport)) error {
	listen, err := freeAddress()
	if err != nil {
		return err
	}
	defer k.connectStations(ctx, listen)()
	k.dir = filepath.Join(dir, "box-0000")
	page, err := freeAddress()
	if err != nil {
		return err
	}
	if k.box, err = startBox(k.cfg.Program, k.dir, listen, page); err != nil {
		return err
	}
	defer func() { k.box.kill() }()
	if err := k.box.waitFor(ctx, bothConnected); err != nil {
		return err
	}
	k.game = game.New(game.DefaultRules(), soccer.Time(time.Now().UnixNano()))
	var open, back []float64
	for report.Takeovers < k.cfg.Kills && ctx.Err() == nil {
		opened, there, err := k.takeover(ctx, filepath.Join(dir, fmt.Sprintf("box-%04d", report.Takeovers+1)), report)
		if err != nil {
			return err
		}
		report.Takeovers++
		open, back = append(open, opened), append(back, there)
		report.OpenMillis, report.BackMillis = spread(open), spread(back)
		report.Decisions, report.Unanswered = k.report.Decisions, k.report.Unanswered
		progress(report)
	}
	return nil
}

// bothConnected reports whether both base stations are admitted.
func bothConnected(s refbox.Show, _ refbox.RefereeShow) bool {
	return s.Follows == "" && s.Home.Connected && s.Away.Connected
}

// takeover starts a standby, plays, kills the running box and lets the standby take over. It returns the ms from the
// kill to the open port and to both base stations.
func (k *killing) takeover(ctx context.Context, dir string, report *TakeoverReport) (opened, back float64, err error) {
	page, err := freeAddress()
	if err != nil {
		return 0, 0, err
	}
	next, err := startBox(k.cfg.Program, dir, k.box.listen, page, "--follow", k.box.page)
	if err != nil {
		return 0, 0, err
	}
	dead, old := k.box, k.dir
	defer dead.kill()
	if err := next.waitFor(ctx, func(s refbox.Show, r refbox.RefereeShow) bool {
		return s.Follows != "" && len(s.Trouble) == 0 && (len(k.acked) == 0 || len(r.Entries) > 0)
	}); err != nil {
		next.kill()
		return 0, 0, fmt.Errorf("the standby: %w", err)
	}
	if err := k.play(ctx); err != nil {
		next.kill()
		return 0, 0, err
	}
	dead.kill()
	killed := time.Now()
	k.box, k.dir = next, dir
	if err := next.post("promote", []byte("{}")); err != nil {
		return 0, 0, fmt.Errorf("taking over: %w", err)
	}
	opened = time.Since(killed).Seconds() * 1000
	if err := next.waitFor(ctx, bothConnected); err != nil {
		return 0, 0, err
	}
	back = time.Since(killed).Seconds() * 1000
	if back > k.cfg.Takeover.Seconds()*1000 {
		report.fail("%s: %.0f ms from the kill to both base stations", dir, back)
	}
	if err := k.compareCopy(ctx, report); err != nil {
		return 0, 0, err
	}
	return opened, back, os.RemoveAll(old)
}

// compareCopy compares the log of the new box with the acknowledged decisions, and its pages with its log.
func (k *killing) compareCopy(ctx context.Context, report *TakeoverReport) error {
	j, err := k.read()
	if err != nil {
		report.fail("%s: %v", k.dir, err)
		return err
	}
	k.journal = j
	for i := range min(len(k.acked), len(j.decisions)) {
		if !sameDecision(k.acked[i], j.decisions[i]) {
			report.fail("%s: decision %d is %+v, acknowledged was %+v", k.dir, i+1, j.decisions[i], k.acked[i])
			break
		}
	}
	switch more := len(j.decisions) - len(k.acked); {
	case more < 0:
		lost := max(0, k.copied-len(j.decisions))
		report.Lost += lost
		report.Uncopied -= more + lost
	case more > 1 || more == 1 && (k.unanswered == nil || !sameDecision(*k.unanswered,
		j.decisions[len(j.decisions)-1])):
		report.fail("%s: %d decisions were acknowledged, the copy has %d", k.dir, len(k.acked), len(j.decisions))
	}
	k.unanswered = nil
	k.acked, k.copied = j.decisions, len(j.decisions)
	if k.game, err = game.Replay(game.DefaultRules(), j.began, j.decisions); err != nil {
		return err
	}
	show, referee, err := k.box.show(ctx)
	if err != nil {
		return err
	}
	before := k.report.Failed
	k.compare(show, referee)
	if n := len(k.report.Failures); k.report.Failed > before {
		report.fail("%s", k.report.Failures[n-1])
	}
	return nil
}

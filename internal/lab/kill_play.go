package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"touchline/game"
	"touchline/soccer"
)

// play makes decisions until a random time during one of them or soon after. The box may still be alive afterwards.
func (k *killing) play(ctx context.Context) error {
	k.unanswered = nil
	for n := k.random.IntN(12); ; n-- {
		d, ok := k.choose()
		if !ok {
			return errors.New("no key is possible")
		}
		d.Version, d.Time = 0, 0
		if n == 0 {
			return k.interruptDecision(ctx, d)
		}
		if err := k.decide(d); err != nil {
			return err
		}
	}
}

// interruptDecision requests a decision and kills the box at a random time, mostly before the answer.
func (k *killing) interruptDecision(ctx context.Context, d game.Decision) error {
	latest := 2_500 // µs: usually before the answer
	if k.random.IntN(4) == 0 {
		latest = 40_000
	}
	killTime := time.After(time.Duration(k.random.IntN(latest)) * time.Microsecond)
	answered := make(chan error, 1)
	sent := time.Now()
	go func() { answered <- k.box.decide(d) }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-killTime:
		k.box.kill()
		k.note(d, sent, <-answered)
	case err := <-answered:
		k.note(d, sent, err)
		<-killTime
	}
	return nil
}

// decide makes one decision, which must be answered.
func (k *killing) decide(d game.Decision) error {
	sent := time.Now()
	err := k.box.decide(d)
	if err != nil && !errors.Is(err, errRefused) {
		return fmt.Errorf("%s: %w", d.Command, err)
	}
	k.note(d, sent, err)
	return nil
}

// note counts the result of a decision.
func (k *killing) note(d game.Decision, sent time.Time, err error) {
	now := time.Now()
	d.Time = soccer.Time(now.UnixNano())
	switch {
	case err == nil:
		k.report.Decisions++
		k.answers = append(k.answers, now.Sub(sent).Seconds()*1000)
		k.acked = append(k.acked, d)
		if now.Sub(sent) < copyWait {
			k.copied = len(k.acked)
		}
		_, _ = k.game.Apply(d) // only to know the possible keys: the journal has the exact times
	case errors.Is(err, errRefused):
		k.report.Refused++
	default:
		k.report.Unanswered++
		k.unanswered = &d
	}
}

// choose chooses one of the possible keys, preferring those that advance the game.
func (k *killing) choose() (game.Decision, bool) {
	var possible []game.Decision
	for _, key := range k.game.Keys() {
		weight := 2
		switch key.Command {
		case game.Reset, game.SetPart, game.Park:
			continue
		case game.EndPart:
			if p := k.game.State().Part; p == game.ShootOut || p == game.PreOvertime {
				continue // the game must not end before the last kill
			}
			weight = 1
		case game.Start, game.Stop:
			weight = 12
		}
		d := game.Decision{Command: key.Command, Side: key.Side}
		switch key.Command {
		case game.IsAlive, game.Substitution:
			d.Robot = 1 + k.random.IntN(99)
		case game.YellowCard, game.RedCard:
			d.Robot = k.random.IntN(6)
		case game.Repair:
			d.Count = 1
		case game.SetScore:
			d.Count = k.random.IntN(10)
		case game.SetClock:
			d.Total = time.Duration(k.random.IntN(900)) * time.Second
			d.Effective = d.Total / 2
		}
		if k.game.Refusal(d) == "" {
			for range weight {
				possible = append(possible, d)
			}
		}
	}
	if len(possible) == 0 {
		return game.Decision{}, false
	}
	return possible[k.random.IntN(len(possible))], true
}

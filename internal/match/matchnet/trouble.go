package matchnet

import (
	"errors"
	"fmt"

	"touchline/game"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/transport/traffic"
)

// SetLink changes the loss or the delay of what the robots and base stations of both teams receive from now on, except
// the senses. Bursts and jitter stay as they are.
func (l *Live) SetLink(c traffic.Change) error {
	if err := l.setLink(c); err != nil {
		return err
	}
	return l.breathe()
}

func (l *Live) setLink(c traffic.Change) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	link, err := c.Apply(l.show.Config().Link)
	if err != nil {
		return err
	}
	for _, c := range l.clubs {
		clear(c.links[:])
	}
	return l.show.SetLink(link)
}

// Cut cuts robots of a team off from its other robots and its base station; an empty set connects all again.
func (l *Live) Cut(side game.Side, robots soccer.RobotSet) error {
	l.mu.Lock()
	l.show.Cut(side, robots)
	l.mu.Unlock()
	return l.breathe()
}

// breathe tells the robots of this program how the network impairs what they receive.
func (l *Live) breathe() (err error) {
	for _, c := range l.clubs {
		for _, r := range c.runners {
			err = errors.Join(err, r.breathe())
		}
	}
	return err
}

// Air returns how the network impairs what a robot receives.
func (l *Live) Air(side game.Side, number uint8) robotnet.Air {
	l.mu.Lock()
	defer l.mu.Unlock()
	air := robotnet.Air{Link: l.show.Config().Link, Apart: l.show.Apart(side)}
	if air.Apart.Has(number) {
		air.Apart = ^air.Apart
	}
	return air
}

// Crash ends the software of a robot without a word to its teammates. It starts again after three seconds.
func (l *Live) Crash(side game.Side, number uint8) error {
	if side != game.Home && side != game.Away || number < 1 || int(number) > l.cfg.Match.Team(side).Robots {
		return fmt.Errorf("crash of robot %d of %.40q: want home or away, and a robot of the match", number, side)
	}
	c := l.clubs[side.Index()]
	l.mu.Lock()
	robots := l.robots
	l.mu.Unlock()
	switch {
	case c.external:
		return fmt.Errorf("robot %d of %s runs in a program that the match did not start: end it there", number, side)
	case robots != nil:
		robots.Kill(side, number) // one that is down is down
	case c.runners != nil && c.runners[number-1].kill():
		l.Note("crash", number, fmt.Sprintf("%s %d crashed", side, number))
	}
	return nil
}

// Silence interrupts the connections of the base stations to the referee box, or lets them connect again.
func (l *Live) Silence(silent bool) {
	if !l.connections.set(silent) {
		return
	}
	text := "the referee box is back"
	if silent {
		text = "the referee box is silent"
	}
	l.Note("referee", 0, text)
}

package matchlog

import (
	"cmp"
	"encoding/json"
	"slices"

	"touchline/game"
	"touchline/soccer"
)

// Clock is the game's clock and score over the time of a log, by its channel States.
type Clock struct {
	moments []game.Moment // by time
	over    soccer.Time   // when the game ended for good; 0: it has not
}

// Clock reads the log's States. It waits until the log is indexed.
func (l *Log) Clock() (*Clock, error) {
	c := &Clock{}
	for m, err := range l.Messages(0, 0, States) {
		if err != nil {
			return nil, err
		}
		var s struct {
			game.Moment
			Resets int `json:"resets"`
		}
		if json.Unmarshal(m.Data, &s) != nil {
			continue
		}
		s.Time = m.Time
		if n := len(c.moments); n > 0 && c.moments[n-1].Part == s.Part {
			s.Part = c.moments[n-1].Part // one string for all
		}
		c.moments = append(c.moments, s.Moment)
		switch ended := s.Part == game.End || s.Resets > 0; {
		case !ended: // an undo may have taken back the end
			c.over = 0
		case c.over == 0:
			c.over = s.Time
		}
	}
	return c, nil
}

// At returns what the clock shows at a time; before the first State it shows 0.
func (c *Clock) At(at soccer.Time) game.Moment {
	n, found := slices.BinarySearchFunc(c.moments, at, func(m game.Moment, t soccer.Time) int { return cmp.Compare(m.Time, t) })
	for found && n+1 < len(c.moments) && c.moments[n+1].Time == at {
		n++
	}
	if !found {
		n--
	}
	if n < 0 {
		return game.Moment{Time: at, Part: game.PreGame}
	}
	return c.moments[n].At(at)
}

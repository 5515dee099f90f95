package matchlog

import (
	"cmp"
	"encoding/json"
	"slices"

	"touchline/game"
	"touchline/soccer"
)

// Clock is the game's clock and score over time, from the channel States.
type Clock struct {
	moments []game.Moment // sorted by time
	over    soccer.Time   // end of the game; 0: it has not ended
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
		if n := len(c.moments); n == 0 || c.moments[n-1].At(s.Time) != s.Moment { // else it follows
			c.moments = append(c.moments, s.Moment)
		}
		switch ended := s.Part == game.End || s.Resets > 0; {
		case !ended: // an undo may have cancelled the end
			c.over = 0
		case c.over == 0:
			c.over = s.Time
		}
	}
	return c, nil
}

// Over returns the end of the game; 0: it has not ended.
func (c *Clock) Over() soccer.Time { return c.over }

// At returns the clock and score at a time. Before the first State the clock shows 0.
func (c *Clock) At(at soccer.Time) game.Moment {
	byTime := func(m game.Moment, t soccer.Time) int { return cmp.Compare(m.Time, t) }
	n, found := slices.BinarySearchFunc(c.moments, at, byTime)
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

// Package tally counts the figures of a match from the truth: possession, passes, shots, saves, goals with their
// scorers, how many robots crowd around the ball, how much of the field a team covers, and how far robots drive.
package tally

import (
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// View holds the figures at one time. Its slices are read-only and valid until the next Step.
type View struct {
	Time    soccer.Time `json:"time"`
	Elapsed float64     `json:"elapsed"` // s of the match, stoppages included
	Played  float64     `json:"played"`  // s of it with the ball in play
	Loose   float64     `json:"loose"`   // share of Played in which neither team had the ball
	Home    Team        `json:"home"`
	Away    Team        `json:"away"`
	Spans   []Span      `json:"spans"` // of possession, oldest first: the newest 2,048
	Goals   []Goal      `json:"goals"` // oldest first
}

// Team holds the figures of one team.
type Team struct {
	Goals      int       `json:"goals"`
	Possession float64   `json:"possession"` // share of the time in play
	Passes     int       `json:"passes"`     // kicks after which a mate was the next to touch the ball
	PassesLost int       `json:"passesLost"` // kicks, other than shots, after which an opponent was
	Shots      int       `json:"shots"`      // kicks towards the opponents' goal
	OnTarget   int       `json:"onTarget"`   // of them between the posts
	Saves      int       `json:"saves"`      // shots on target that the goalkeeper stopped
	SetPieces  SetPieces `json:"setPieces"`  // taken
	Crowding   float64   `json:"crowding"`   // mean number of robots within 1 m of the ball in play
	Coverage   float64   `json:"coverage"`   // mean share of the field within 3 m of a robot, in play
	Distance   float64   `json:"distance"`   // m, mean that a robot drove
}

// SetPieces counts those that a team took.
type SetPieces struct {
	KickOffs  int `json:"kickOffs"`
	FreeKicks int `json:"freeKicks"`
	GoalKicks int `json:"goalKicks"`
	ThrowIns  int `json:"throwIns"`
	Corners   int `json:"corners"`
	Penalties int `json:"penalties"`
}

// Span is a time in which one team had the ball, or none.
type Span struct {
	From float64   `json:"from"` // s of the match
	To   float64   `json:"to"`
	Side game.Side `json:"side"` // Both: neither
}

// Goal is one goal.
type Goal struct {
	At     float64        `json:"at"`   // s of the match
	Part   game.Part      `json:"part"` // in which it was scored
	Clock  time.Duration  `json:"clock"`
	Side   game.Side      `json:"side"`   // whose goal it is
	Scorer autoref.Player `json:"scorer"` // who touched the ball last
	Own    bool           `json:"own"`    // a robot of the other team scored
}

// Tally counts the figures of one match. It is not safe for concurrent use.
type Tally struct {
	field soccer.Field
	view  View
}

// New returns the tally of a match that begins.
func New(field soccer.Field) *Tally { return &Tally{field: field} }

// Step counts what happened until now. st is the state of the game at now.
func (t *Tally) Step(now soccer.Time, s *autoref.Scene, st *game.State) {
	t.view.Time = now
	t.view.Home.Goals, t.view.Away.Goals = st.Home.Goals, st.Away.Goals
}

// View returns the figures.
func (t *Tally) View() View { return t.view }

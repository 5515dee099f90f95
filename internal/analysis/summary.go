package analysis

import (
	"math"
	"slices"

	"touchline/game"
	"touchline/soccer"
)

// summarise sums up the events of one team.
func (a *Analyst) summarise(k int, side game.Side) {
	t := &a.report.Teams[k]
	for i := range t.Thirds {
		t.Thirds[i] = share(a.thirds[k][i], a.played)
	}
	c := &a.crowd[k]
	t.AtBall = Crowd{share(c.None, a.played), share(c.One, a.played), share(c.More, a.played)}
	t.Control, t.Hull = a.space.control(k), a.space.hull(k)
	t.Network, t.Pieces, t.Losses = []PassPair{}, []PieceRow{}, []LossRow{}
	a.chains(k, side)
	for i := range a.report.Events {
		if e := &a.report.Events[i]; e.By.Side == side {
			a.count(t, e, i)
		}
	}
	slices.SortFunc(t.Network, func(x, y PassPair) int {
		if x.From != y.From {
			return int(x.From) - int(y.From)
		}
		return int(x.To) - int(y.To)
	})
	slices.SortFunc(t.Losses, func(x, y LossRow) int { return y.Count - x.Count })
	var ball errorsOf
	for _, p := range a.players {
		if p.Side == side {
			ball.join(&p.ball)
		}
	}
	t.BallError = ball.sum()
	if b := a.bookings[k]; b != nil {
		t.Booking = &b.Booking
	}
	received, lost := uint64(0), uint64(0)
	for _, l := range a.report.Links {
		if l.Side == side {
			received += l.Received
			lost += l.Lost
		}
	}
	if t.RadioLoss = -1; received+lost > 0 {
		t.RadioLoss = float64(lost) / float64(received+lost)
	}
}

// count counts an event of a team.
func (a *Analyst) count(t *Team, e *Event, i int) {
	by := a.tracks[e.By]
	switch e.Kind {
	case Passed:
		a.pass(t, e, by)
	case Shot:
		t.XG += e.XG
		if by != nil {
			by.Shots++
			by.XG += e.XG
		}
	case Scored:
		if by != nil && e.Success {
			by.Goals++
		}
	case Lost:
		n := slices.IndexFunc(t.Losses, func(r LossRow) bool { return r.Cause == e.Result })
		if n < 0 {
			n = len(t.Losses)
			t.Losses = append(t.Losses, LossRow{Cause: e.Result})
		}
		t.Losses[n].Count++
		if by != nil {
			by.Lost++
		}
		if to := a.tracks[e.To]; to != nil && e.To.Side == e.By.Side.Opponent() {
			to.Won++
		}
	case SetPiece:
		a.piece(t, e, i)
	}
}

func (a *Analyst) pass(t *Team, e *Event, by *track) {
	if e.Result == Untouched {
		return
	}
	direction := e.End.Sub(e.From)
	if e.By.Side == game.Away {
		direction = direction.Scale(-1)
	}
	d := &t.Directions[octant(direction)]
	d.Tried++
	if by != nil {
		by.Tried++
	}
	if !e.Success {
		return
	}
	d.Arrived++
	if by != nil {
		by.Passes++
		by.passing, by.passes = by.passing.Add(e.From), by.passes+1
	}
	if to := a.tracks[e.To]; to != nil {
		to.passing, to.passes = to.passing.Add(e.End), to.passes+1
	}
	n := slices.IndexFunc(t.Network, func(p PassPair) bool { return p.From == e.By.Number && p.To == e.To.Number })
	if n < 0 {
		n = len(t.Network)
		t.Network = append(t.Network, PassPair{From: e.By.Number, To: e.To.Number})
	}
	t.Network[n].Count++
}

// octant returns the eighth of a circle in which a vector points: 0 is +x, then counter-clockwise.
func octant(v soccer.Vec) int {
	const steep = 0.41421356237309503 // tan(pi / 8)
	x, y := math.Abs(v.X), math.Abs(v.Y)
	switch {
	case y <= steep*x && v.X >= 0:
		return 0
	case y <= steep*x:
		return 4
	case x <= steep*y && v.Y >= 0:
		return 2
	case x <= steep*y:
		return 6
	case v.X > 0 && v.Y > 0:
		return 1
	case v.Y > 0:
		return 3
	case v.X < 0:
		return 5
	}
	return 7
}

// piece counts a set piece and what came of it.
func (a *Analyst) piece(t *Team, e *Event, i int) {
	n := slices.IndexFunc(t.Pieces, func(p PieceRow) bool { return p.Command == e.Result })
	if n < 0 {
		n = len(t.Pieces)
		t.Pieces = append(t.Pieces, PieceRow{Command: e.Result})
	}
	row, shot, goal, lost := &t.Pieces[n], false, false, false
	row.Taken++
	for _, next := range a.report.Events[i+1:] {
		after := next.At.Sub(e.At)
		if next.Kind == SetPiece || after > pieceWithin || after < 0 {
			break
		}
		ours := next.By.Side == e.By.Side
		shot = shot || ours && next.Kind == Shot
		goal = goal || ours && next.Kind == Scored && next.Success
		lost = lost || ours && next.Kind == Lost && after <= lostWithin
	}
	for _, c := range []struct {
		is bool
		n  *int
	}{{shot, &row.Shots}, {goal, &row.Goals}, {lost, &row.Lost}} {
		if c.is {
			*c.n++
		}
	}
}

// chains sums up the times in which a team had the ball without a break.
func (a *Analyst) chains(k int, side game.Side) {
	c := &a.report.Teams[k].Chains
	seconds, passes := 0.0, 0
	for i := range a.report.Figures.Spans {
		if s := &a.report.Figures.Spans[i]; s.Side == side {
			c.Count++
			seconds += s.To - s.From
		}
	}
	shot := -1
	for i := range a.report.Events {
		switch e := &a.report.Events[i]; {
		case e.By.Side != side:
		case e.Kind == Passed && e.Success:
			passes++
		case e.Kind == Shot && e.Chain != shot:
			shot = e.Chain
			c.Shots++
		}
	}
	c.Seconds, c.Passes = share(seconds, float64(c.Count)), share(float64(passes), float64(c.Count))
}

// sortRobots lists the robots, home before away, by number. Base stations, which only believe, are none.
func (a *Analyst) sortRobots() {
	a.report.Robots = []Robot{}
	for _, t := range a.players {
		if t.Number != Station {
			a.report.Robots = append(a.report.Robots, t.Robot)
		}
	}
	slices.SortFunc(a.report.Robots, func(x, y Robot) int { return Compare(x.Player, y.Player) })
}

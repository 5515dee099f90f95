package analysis

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// says compares what was measured with the decision.
func (r *Reviewer) says(out *Review) Says {
	switch r.about.Command {
	case game.Goal, game.SubGoal:
		return r.saysOfGoal(out.Line)
	case game.ThrowIn, game.Corner, game.GoalKick:
		return r.saysOfExit(out.Line)
	case game.Start:
		return r.saysOfStart(out.Distances)
	}
	return SaysNothing
}

func (r *Reviewer) saysOfGoal(c *Crossing) Says {
	if c == nil {
		return SaysOpen
	}
	v := &c.Views[0]
	was := v.certain()
	if was > 0 && !v.Inside {
		was = -1
		if v.Sigma != 0 { // the posts have the same doubt
			was = 0
		}
	}
	if r.about.Command == game.SubGoal {
		was = -was
	}
	return [...]Says{SaysAgainst, SaysOpen, SaysFor}[was+1]
}

// saysOfExit judges a set piece after the ball left the field: it was over the line, and the other team touched it
// last.
func (r *Reviewer) saysOfExit(c *Crossing) Says {
	if c == nil {
		return SaysOpen
	}
	switch c.Views[0].certain() {
	case -1:
		return SaysAgainst
	case 0:
		return SaysOpen
	}
	t, between := r.lastTouch(c.Views[0].From)
	switch {
	case t == nil, between:
		return SaysOpen
	case t.By.Side != r.about.Side:
		return SaysFor
	case r.told:
		return SaysAgainst
	}
	return SaysOpen // a touch that was found from the motion may be wrong
}

func (r *Reviewer) saysOfStart(d *Distances) Says {
	if d == nil {
		return SaysNothing
	}
	for i := range d.Robots {
		switch {
		case !d.Robots[i].Broken:
		case r.Origin == FromTruth:
			return SaysAgainst
		default:
			return SaysOpen // the robots tell their own places
		}
	}
	return SaysFor
}

// sampled is the time in s between two samples: a touch and a crossing that are nearer to each other have no order.
const sampled = 0.12

// lastTouch returns the last touch at or before a time; nil: none is known. between: the other team began to touch the
// ball so near to that time that the touch may be the last one.
func (r *Reviewer) lastTouch(t float64) (last *Touch, between bool) {
	for i := range r.touches {
		q := &r.touches[i]
		if q.From > t+sampled {
			break
		}
		if last != nil && q.By.Side != last.By.Side && q.From >= t-sampled {
			between = true
		}
		if last == nil || q.From <= t {
			last = q
		}
	}
	return last, between
}

// words writes what was measured in sentences.
func (r *Reviewer) words(out *Review) {
	say := func(format string, args ...any) { out.Measured = append(out.Measured, fmt.Sprintf(format, args...)) }
	if len(r.samples) == 0 && out.Distances == nil {
		return
	}
	before := 0.0
	if c := out.Line; c != nil {
		say("%s", r.lineWords(out, c, &c.Views[0]))
		if c.Views[0].Wholly {
			before = c.Views[0].From
		}
	} else if edges, _ := r.edges(); len(edges) > 2 {
		say("The ball was not near a line.")
	} else if len(edges) > 0 {
		say("Nobody saw the ball: whether it was over the line is not known.")
	}
	if out.Line == nil {
		r.distanceWords(out, say)
		r.touchWords(out, before, say)
	} else {
		r.touchWords(out, before, say)
		r.distanceWords(out, say)
	}
	if d := out.Duel; d != nil {
		say("%s and %s came as near as %s, from centre to centre, %s; robots of the largest size touch at %s.",
			r.name(out, d.A), r.name(out, d.B), length(d.Away), when(d.T), length(2*soccer.RobotRadius))
	}
	if a := out.Apart; a != nil {
		say("The balls of the two teams were %s apart on average, and %s at most, %s.", length(a.Mean),
			length(a.Largest), when(a.T))
	}
	if c := r.about.Command; c == game.Goal || c == game.FreeKick {
		say("Offside is not judged: the rules of this match, %s, have none.", cmp.Or(r.Rules, game.DefaultRules().Name))
	}
}

// lineWords tells how far the ball was over a line by one view of it.
func (r *Reviewer) lineWords(out *Review, c *Crossing, v *LineView) string {
	line := "the lower touch line"
	switch {
	case c.Goal && c.End > 0:
		line = "the goal line of " + out.Names[1]
	case c.Goal:
		line = "the goal line of " + out.Names[0]
	case c.End > 0:
		line = "the upper touch line"
	}
	ball := "The ball"
	switch v.Of {
	case "both":
		ball = "By the beliefs of both teams the ball"
	case "home", "away":
		ball = "By the beliefs of " + out.Names[game.Side(v.Of).Index()] + " the ball"
	}
	var b strings.Builder
	switch {
	case !v.Wholly:
		fmt.Fprintf(&b, "%s was never wholly over %s: %s were missing %s", ball, line, length(-v.Over), when(v.T))
	case v.Stays:
		fmt.Fprintf(&b, "%s was wholly over %s from %s on, by %s at most", ball, line, at(v.From), length(v.Over))
	default:
		fmt.Fprintf(&b, "%s was wholly over %s for %.2f s, from %s on, by %s at most", ball, line, v.For, at(v.From),
			length(v.Over))
	}
	if c.Mouth && v.Wholly && v.Inside {
		b.WriteString(", between the posts and under the bar")
	} else if c.Mouth && v.Wholly {
		b.WriteString(", not between the posts and under the bar")
	}
	switch {
	case v.Sigma > 0 && v.certain() == 0:
		fmt.Fprintf(&b, "; one standard deviation is %s: nobody can tell", length(v.Sigma))
	case v.Sigma > 0:
		fmt.Fprintf(&b, "; one standard deviation is %s: that is more than two of them", length(v.Sigma))
	case v.Sigma < 0:
		b.WriteString("; nothing tells how exact that is")
	}
	return b.String() + "."
}

// touchWords tells who touched the ball last before a time, and which team gets the ball for that.
func (r *Reviewer) touchWords(out *Review, before float64, say func(string, ...any)) {
	if len(r.samples) == 0 {
		return
	}
	t, between := r.lastTouch(before)
	if t == nil {
		if out.Line != nil {
			say("Nobody is known to have touched the ball before that.")
		}
		return
	}
	that := "the decision"
	if out.Line != nil && out.Line.Views[0].Wholly {
		that = "that"
	}
	text := fmt.Sprintf("%s touched the ball last before %s, at %s (%s)", r.name(out, t.By), that,
		at(min(t.To, before)), out.Evidence)
	switch r.about.Command {
	case game.ThrowIn, game.Corner, game.GoalKick:
		if between {
			text += ", and another team's robot within a tenth of a second: nobody can tell which one was last"
			break
		}
		text += fmt.Sprintf(": the ball is for %s", out.Names[t.By.Side.Opponent().Index()])
	}
	say("%s.", text)
}

// distanceWords tells which robots stood too near to the ball at a set piece.
func (r *Reviewer) distanceWords(out *Review, say func(string, ...any)) {
	d := out.Distances
	switch {
	case r.piece.Command == "":
		return
	case d == nil && r.restart == 0:
		say("No START followed within a minute, as far as the log goes: there are no distances.")
		return
	case d == nil:
		say("The log does not show the field at START: there are no distances.")
		return
	}
	var broken []string
	var nearest *Distance
	for i := range d.Robots {
		q := &d.Robots[i]
		switch name := r.name(out, q.Player); {
		case q.Broken && q.Half > autoref.Slack:
			broken = append(broken, fmt.Sprintf("%s stood %s in the other half", name, length(q.Half)))
		case q.Broken:
			broken = append(broken, fmt.Sprintf("%s stood %s from the ball and has to keep %s", name,
				length(q.Away), length(q.Required)))
		case q.Required > 0 && q.Side != d.Piece.Side && (nearest == nil || q.Away < nearest.Away):
			nearest = q
		}
	}
	start := "At START, " + when(d.T)
	switch {
	case len(broken) > 0:
		say("%s, %s (%s).", start, strings.Join(broken, ", "), d.Source)
	case nearest != nil:
		say("%s, all robots kept their distances: the nearest opponent, %s, stood %s from the ball and has to keep "+
			"%s (%s).", start, r.name(out, nearest.Player), length(nearest.Away), length(nearest.Required), d.Source)
	default:
		say("%s, no robot stood too near to the ball (%s).", start, d.Source)
	}
}

// name returns a robot as sentences name it.
func (r *Reviewer) name(out *Review, p autoref.Player) string {
	return fmt.Sprintf("%s %d", out.Names[p.Side.Index()], p.Number)
}

// length returns a length in words: centimetres below a metre.
func length(m float64) string {
	if math.Abs(m) < 0.995 {
		return fmt.Sprintf("%.0f cm", 100*m)
	}
	return fmt.Sprintf("%.2f m", m)
}

// at returns a time of a review.
func at(t float64) string {
	return strings.Replace(fmt.Sprintf("%+.2f s", math.Round(100*t)/100+0), "-", "−", 1)
}

// when returns a time of a review in words.
func when(t float64) string {
	switch {
	case math.Abs(t) < 0.005:
		return "at the decision"
	case t < 0:
		return fmt.Sprintf("%.2f s before the decision", -t)
	}
	return fmt.Sprintf("%.2f s after the decision", t)
}

package analysislog

import (
	"fmt"
	"math"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/soccer"
)

// pitch begins the drawing of a field in m, y up. The caller ends it with </g></svg>.
func (h *page) pitch(label string) {
	f := &h.Field
	l, w, b := f.Length/2, f.Width/2, math.Max(f.GoalDepth, 0.3)+0.2
	h.Printf(`<svg viewBox="%.2f %.2f %.2f %.2f" role="img" `, -l-b, -w-0.3, 2*(l+b), 2*w+0.6)
	h.Put(`aria-label="%s"><g transform="scale(1,-1)">`, label)
	h.Printf(`<rect class="pitch" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, -l-b, -w-0.3, 2*(l+b), 2*w+0.6)
	h.Printf(`<g class="lines"><rect x="%.2f" y="%.2f" width="%.2f" height="%.2f"/><path d="M0 %.2fV%.2f"/>`, -l, -w, 2*l, 2*w, -w, w)
	h.Printf(`<circle r="%.2f"/>`, f.CircleRadius)
	for _, s := range []float64{-1, 1} {
		box := func(depth, wide float64) {
			if depth > 0 && wide > 0 {
				h.Printf(`<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, math.Min(s*l, s*(l-depth)), -wide/2, depth, wide)
			}
		}
		box(f.PenaltyAreaLength, f.PenaltyAreaWidth)
		box(f.GoalAreaLength, f.GoalAreaWidth)
		box(-f.GoalDepth, f.GoalWidth)
		if f.GoalDepth > 0 {
			h.Printf(`<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, math.Min(s*l, s*(l+f.GoalDepth)), -f.GoalWidth/2, f.GoalDepth, f.GoalWidth)
		}
	}
	h.WriteString("</g>")
}

// unit is the length in m of a hundredth of the field: glyphs keep their share of a small field.
func (h *page) unit() float64 { return h.Field.Length / 100 }

// text writes a number on a field.
func (h *page) text(p soccer.Vec, class, text string) {
	h.Printf(`<text transform="translate(%.2f %.2f) scale(%.4f -%.4f)" text-anchor="middle" dy="4" `, p.X, p.Y, h.unit()/6.2, h.unit()/6.2)
	h.Put(`class="%s">%s</text>`, class, text)
}

// fields draws shots, and where each team had the ball.
func (h *page) fields() {
	h.WriteString(`<div class="third"><section><h2>Shots <small>home attacks to the right</small></h2><div class="body">`)
	h.pitch("map of the shots")
	h.shots()
	h.WriteString(`</g></svg><p class="keys">The area is the expected goals. Filled: goal. Ring: on target or saved. Cross: wide. ` +
		`Numbers: shooters.</p></div></section>`)
	for k := range game.Sides {
		h.Put(`<section><h2><span class="%s">%s</span> with the ball</h2><div class="body">`, classes[k], h.name(k))
		h.pitch("where " + h.name(k) + " had the ball")
		h.heat(k)
		h.WriteString(`</g></svg><p class="keys">Darker: the team had the ball longer in this square.</p></div></section>`)
	}
	h.WriteString("</div>\n")
}

func (h *page) shots() {
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind != analysis.Shot {
			continue
		}
		k := e.By.Side.Index()
		class := [2]string{"hs", "as"}[k]
		r := h.unit() * (0.9 + 2.6*math.Sqrt(math.Max(e.XG, 0)))
		stop := h.link(h.at(e), h.sentence(e))
		switch e.Result {
		case "goal":
			h.Printf(`<circle class="%s full" cx="%.2f" cy="%.2f" r="%.3f"/>`, class, e.From.X, e.From.Y, r)
		case "wide":
			h.Printf(`<path class="%s" stroke-width="%.3f" d="M%.2f %.2fl%.2f %.2fm0 %.2fl%.2f %.2f"/>`, class, h.unit()*0.35,
				e.From.X-r*0.7, e.From.Y-r*0.7, r*1.4, r*1.4, -r*1.4, -r*1.4, r*1.4)
		default:
			h.Printf(`<circle class="%s" fill="transparent" stroke-width="%.3f" cx="%.2f" cy="%.2f" r="%.3f"/>`, class, h.unit()*0.35, e.From.X, e.From.Y, r)
		}
		h.text(soccer.Vec{X: e.From.X + r + h.unit()*1.1, Y: e.From.Y}, "", fmt.Sprint(e.By.Number))
		h.WriteString(stop)
	}
}

// heat draws for each square how long a team had the ball there. The darkest is the longest time of both teams.
func (h *page) heat(k int) {
	v := &h.Figures
	if v.Columns == 0 || v.Rows == 0 {
		return
	}
	most := float32(0)
	for _, one := range v.Heat {
		for _, s := range one {
			most = max(most, s)
		}
	}
	wide, high := h.Field.Length/float64(v.Columns), h.Field.Width/float64(v.Rows)
	for i, s := range v.Heat[k] {
		if s > 0 {
			h.Printf(`<rect class="%s" opacity="%.2f" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, [2]string{"hm", "aw"}[k],
				0.9*math.Sqrt(float64(s/most)), float64(i/v.Rows)*wide-h.Field.Length/2, float64(i%v.Rows)*high-h.Field.Width/2, wide, high)
		}
	}
}

// passes draws the mean places with the passes between them, and the directions of passes.
func (h *page) passes() {
	h.WriteString(`<div class="half">`)
	for k, side := range game.Sides {
		t := &h.Teams[k]
		h.Put(`<section><h2>Passes of <span class="%s">%s</span> <small>each robot at the mean position of its passes; lines: completed passes</small></h2><div class="body">`, classes[k], h.name(k))
		h.pitch("passes of " + h.name(k))
		at := map[uint8]soccer.Vec{}
		for i := range h.Robots {
			if r := &h.Robots[i]; r.Side == side {
				at[r.Number] = r.Passing
			}
		}
		for _, p := range t.Network {
			a, b := at[p.From], at[p.To]
			d := b.Sub(a)
			if d.Len() < 1e-6 {
				continue
			}
			off := soccer.Vec{X: -d.Y, Y: d.X}.Scale(h.unit() * 0.6 / d.Len()) // the way back is beside it
			h.Printf(`<path class="%s" stroke-width="%.3f" opacity=".75" d="M%.2f %.2fL%.2f %.2f"><title>`, [2]string{"hs", "as"}[k],
				h.unit()*math.Min(0.25*float64(p.Count), 2.5), a.X+off.X, a.Y+off.Y, b.X+off.X, b.Y+off.Y)
			h.Put("%s</title></path>", fmt.Sprintf("%d passes from %d to %d", p.Count, p.From, p.To))
		}
		for i := range h.Robots {
			r := &h.Robots[i]
			if r.Side != side || r.Passes+r.Tried == 0 && r.Number != soccer.Goalkeeper {
				continue
			}
			h.Printf(`<circle class="%s" cx="%.2f" cy="%.2f" r="%.3f"/>`, [2]string{"hm", "aw"}[k], r.Passing.X, r.Passing.Y, h.unit()*2.2)
			h.text(r.Passing, "on", fmt.Sprint(r.Number))
		}
		h.WriteString("</g></svg>")
		h.directions(t)
		h.WriteString("</div></section>")
	}
	h.WriteString("</div>\n")
}

var directionNames = [8]string{"forward", "forward left", "left", "back left", "back", "back right", "right", "forward right"}

func (h *page) directions(t *analysis.Team) {
	h.WriteString(`<div class="scroll"><table><tr><th>passes</th>`)
	for _, n := range directionNames {
		h.Put("<th>%s</th>", n)
	}
	h.WriteString("</tr><tr><td>arrived/tried</td>")
	for _, d := range t.Directions {
		if d.Tried == 0 {
			h.WriteString("<td>–</td>")
			continue
		}
		h.Printf("<td>%d/%d</td>", d.Arrived, d.Tried)
	}
	c := &t.Chains
	h.Printf("</tr></table></div><p class=\"keys\">%d possessions of %.1f s with %.1f passes each; %d had a shot. The robots without the goalkeeper span %.0f m².</p>",
		c.Count, c.Seconds, c.Passes, c.Shots, t.Hull)
}

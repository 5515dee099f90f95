package analysislog

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/wire"
)

// tables writes what came of set pieces, and how balls were lost.
func (h *page) tables() {
	h.WriteString(`<div class="half"><section><h2>Set pieces <small>and their outcome within 15 s</small></h2><div class="body scroll"><table>` +
		`<tr><th>set piece</th><th>taken</th><th>shots</th><th>goals</th><th>lost within 5 s</th></tr>`)
	for k := range h.Teams {
		for _, p := range h.Teams[k].Pieces {
			h.Put(`<tr><td class="%s">%s</td>`, classes[k], h.name(k)+", "+pieceName(p.Command))
			h.Printf("<td>%d</td><td>%d</td><td>%d</td><td>%d</td></tr>", p.Taken, p.Shots, p.Goals, p.Lost)
		}
	}
	h.WriteString(`</table></div></section><section><h2>Lost balls <small>and their causes</small></h2><div class="body scroll"><table>` +
		`<tr><th>cause</th>`)
	h.Put(`<th>%s</th><th>%s</th></tr>`, h.name(0), h.name(1))
	for _, cause := range []string{analysis.Intercepted, analysis.Tackled, analysis.OutOfPlay, analysis.Fouled} {
		h.Put(`<tr><td>%s</td>`, cause)
		for k := range h.Teams {
			n := 0
			for _, l := range h.Teams[k].Losses {
				if l.Cause == cause {
					n = l.Count
				}
			}
			h.Printf("<td>%d</td>", n)
		}
		h.WriteString("</tr>")
	}
	h.WriteString("</table>")
	for k := range h.Teams {
		t := &h.Teams[k]
		c := &t.AtBall
		h.Put(`<p class="keys"><span class="%s">%s</span>`, classes[k], h.name(k))
		h.Printf(`: in play no robot within 1 m of the ball for %.0f %% of the time, one for %.0f %%, more for %.0f %%.`, 100*c.None, 100*c.One, 100*c.More)
		if t.Judged > 0 {
			h.Printf(` At %d of %d lost balls the robot's own ball was more than half a metre off, or it knew none.`, t.Blind, t.Judged)
		}
		if b := t.Booking; b != nil {
			h.Printf(` Its robots booked the ball %d times; two had booked it %s, and none had, although one saw it, %s.`, b.Balls, times(&b.Two), times(&b.None))
		}
		h.WriteString("</p>")
	}
	h.WriteString("</div></section></div>\n")
	h.namings()
}

// times tells how often and how long something was the case.
func times(t *analysis.Times) string {
	if t.Count == 0 {
		return "never"
	}
	return fmt.Sprintf("%d times for %s in all, %s at most", t.Count, duration(t.Seconds), duration(t.Longest))
}

// duration writes a time of seconds, or of milliseconds below a second.
func duration(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.0f ms", 1000*s)
	}
	return fmt.Sprintf("%.1f s", s)
}

// namings lists the robots that their mates named.
func (h *page) namings() {
	if len(h.Namings) == 0 {
		return
	}
	h.WriteString(`<section><h2>Doubted by teammates <small>reports that contradict the other robots</small></h2><div class="body"><ul class="plain">`)
	for i := range h.Namings[:min(len(h.Namings), mostListed)] {
		n := &h.Namings[i]
		mates := "one mate"
		if n.Mates > 1 {
			mates = fmt.Sprintf("%d mates", n.Mates)
		}
		h.moment(n.From, fmt.Sprintf("%s %s, its %s up to %s off, said by %s for %.0f s", clock(n.From), h.player(n.Player),
			wire.Printable(n.What), metres(n.By), mates, math.Max(n.To-n.From, 1)))
	}
	h.WriteString("</ul></div></section>\n")
}

// moment writes a line of a list, which opens its moment.
func (h *page) moment(at float64, text string) {
	if h.Link == nil {
		h.Put("<li>%s</li>", text)
		return
	}
	h.Put(`<li><a href="%s">%s</a></li>`, h.Link(math.Max(at-3, 0)), text)
}

// robots writes a row for each robot.
func (h *page) robots() {
	if len(h.Robots) == 0 {
		return
	}
	believed, did := false, false
	for i := range h.Robots {
		believed, did = believed || h.Robots[i].BallError.Samples > 0, did || len(h.Robots[i].Doing) > 0
	}
	h.WriteString(`<section><h2>Robots</h2><div class="body scroll"><table><tr><th>robot</th><th>on the field</th><th>driven</th><th>fastest</th>` +
		`<th>passes arrived</th><th>shots</th><th>xG</th><th>goals</th><th>balls lost</th><th>balls won</th>`)
	if believed {
		h.WriteString(`<th>ball error, mean</th><th>95 %</th><th>knew a ball</th><th>own pose, mean error</th>`)
	}
	if did {
		h.WriteString(`<th class="text">what it did most</th>`)
	}
	h.WriteString("</tr>")
	for i := range h.Robots {
		r := &h.Robots[i]
		h.Put(`<tr><td class="name %s">%s</td><td>%s</td>`, classes[r.Side.Index()], h.player(r.Player), clock(r.Seconds))
		h.Printf(`<td>%.0f m</td><td>%.1f m/s</td><td>%d of %d</td><td>%d</td><td>%.2f</td><td>%d</td><td>%d</td><td>%d</td>`,
			r.Distance, r.TopSpeed, r.Passes, r.Tried, r.Shots, r.XG, r.Goals, r.Lost, r.Won)
		if believed {
			h.errors(&r.BallError, true)
			if r.SelfError.Known > 0 {
				h.Put("<td>%s</td>", metres(r.SelfError.Mean))
			} else {
				h.WriteString("<td>–</td>")
			}
		}
		if did {
			h.Put(`<td class="text">%s</td>`, doing(r.Doing))
		}
		h.WriteString("</tr>\n")
	}
	h.WriteString("</table></div></section>\n")
}

// doing tells the three states in which a robot spent most of its time in play.
func doing(all []analysis.Doing) string {
	var text []string
	for _, d := range all[:min(len(all), 3)] {
		text = append(text, fmt.Sprintf("%s %.0f %%", wire.Printable(d.State), 100*d.Share))
	}
	return strings.Join(text, ", ")
}

func (h *page) errors(e *analysis.Errors, shares bool) {
	if e.Samples == 0 || e.Known == 0 {
		h.WriteString("<td>–</td><td>–</td>")
	} else {
		class := ""
		if e.Mean > 0.5 {
			class = "bad"
		}
		h.Put(`<td class="%s">%s</td><td>%s</td>`, class, metres(e.Mean), metres(e.P95))
	}
	if shares {
		h.Printf("<td>%.0f %%</td>", 100*e.Known)
	}
}

// beliefs draws the error of the believed ball over time, with lost balls and lost datagrams beside it.
func (h *page) beliefs() {
	any := false
	for i := range h.Moments {
		any = any || h.Moments[i].Error[0] >= 0 || h.Moments[i].Error[1] >= 0
	}
	if !any {
		return
	}
	what := "error of the ball position that the robots believe, mean over 10 s"
	if h.Origin != analysis.FromTruth {
		what = "worldstates hold no ground truth, so the two teams' ball positions are compared"
	}
	h.Put(`<section><h2>Beliefs <small>%s</small></h2><div class="body">`, what)
	h.chart("error of the believed ball", metres, func(m *analysis.Moment) [2]float64 { return m.Error }, 1)
	lossy := false
	for i := range h.Moments {
		lossy = lossy || h.Moments[i].Loss[0] > 0 || h.Moments[i].Loss[1] > 0
	}
	h.WriteString(`<h3>Lost balls <small>in each 10 s</small></h3>`)
	h.chart("lost balls", func(v float64) string { return fmt.Sprintf("%.0f", v) },
		func(m *analysis.Moment) [2]float64 { return [2]float64{float64(m.Failed[0]), float64(m.Failed[1])} }, 2)
	if lossy {
		h.WriteString(`<h3>Lost datagrams <small>of the robots' messages, in each 10 s</small></h3>`)
		h.chart("lost datagrams", func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }, func(m *analysis.Moment) [2]float64 { return m.Loss }, 0.05)
	}
	h.WriteString("</div></section>\n")
}

// chart draws two lines over the time of the log; negative values are gaps. The axis reaches at least to least.
func (h *page) chart(label string, text func(float64) string, value func(*analysis.Moment) [2]float64, least float64) {
	const width, height = 1200.0, 96.0
	top := least
	for i := range h.Moments {
		for _, v := range value(&h.Moments[i]) {
			top = math.Max(top, v)
		}
	}
	end := math.Max(h.Seconds, analysis.MomentStep)
	h.Printf(`<svg viewBox="0 0 %.0f %.0f" role="img" `, width, height+16)
	h.Put(`aria-label="%s"><text class="soft" x="2" y="11">%s</text>`, label, text(top))
	h.Printf(`<line class="axisline" x1="0" x2="%.0f" y1="%.0f" y2="%.0f"/><line class="axisline" x1="0" x2="%.0f" y1=".5" y2=".5"/>`, width, height, height, width)
	for k := range 2 {
		path, pen := "", "M"
		for i := range h.Moments {
			m := &h.Moments[i]
			v := value(m)[k]
			if v < 0 || m.Play == 0 {
				pen = "M"
				continue
			}
			path += fmt.Sprintf("%s%.1f %.1f", pen, width*math.Min((m.At+analysis.MomentStep/2)/end, 1), height*(1-v/top))
			pen = "L"
		}
		dash := ""
		if k == 1 {
			dash = `stroke-dasharray="7 3" `
		}
		h.Printf(`<path class="%s" stroke-width="2" %sd="%s"/>`, [2]string{"hs", "as"}[k], dash, path)
	}
	h.Printf(`<text class="soft" text-anchor="end" x="%.0f" y="%.0f">%s</text></svg>`, width, height+13, clock(h.Seconds))
}

// links writes what the radio lost between the robots.
func (h *page) links() {
	if len(h.Links) == 0 {
		return
	}
	h.WriteString(`<div class="half">`)
	for k, side := range game.Sides {
		h.Put(`<section><h2>Links of <span class="%s">%s</span>`, classes[k], h.name(k))
		if loss := h.Teams[k].RadioLoss; loss >= 0 {
			h.Printf(` <small>%.1f %% of the datagrams were lost</small>`, 100*loss)
		}
		h.WriteString(`</h2><div class="body scroll"><table><tr><th>from</th><th class="text">to</th><th>arrived</th><th>lost</th><th>share</th><th>latency, median</th></tr>`)
		for _, l := range h.Links {
			if l.Side != side || l.Received+l.Lost == 0 {
				continue
			}
			share := float64(l.Lost) / float64(l.Received+l.Lost)
			class := ""
			if share > 0.2 {
				class = "bad"
			}
			h.Put(`<tr><td>%s</td><td class="text">%s</td>`, l.From, l.To)
			h.Printf(`<td>%d</td><td>%d</td><td class="%s">%.1f %%</td><td>%.1f ms</td></tr>`, l.Received, l.Lost, class, 100*share, l.Latency)
		}
		h.WriteString("</table></div></section>")
	}
	h.WriteString("</div>\n")
}

// mostListed is the number of events that a page lists: it stays below 3 MB.
const mostListed = 4000

// events lists the events.
// notes lists what persons wrote; each note opens in replay.
func (h *page) notes() {
	if len(h.Notes) == 0 {
		return
	}
	h.WriteString(`<section><h2>Notes</h2><div class="body"><ul class="plain">`)
	for i := range h.Notes {
		n := &h.Notes[i]
		start := n.From.Sub(h.Start).Seconds()
		when, text := clock(start), wire.Printable(n.Text)
		if n.To > n.From {
			when += " to " + clock(n.To.Sub(h.Start).Seconds())
		}
		if h.Link == nil {
			h.Put("<li>%s %s</li>", when, text)
			continue
		}
		h.Put(`<li><a href="%s">%s</a> %s</li>`, fmt.Sprintf("%s&note=%d", h.Link(start), n.ID), when, text)
	}
	h.WriteString("</ul></div></section>\n")
}

func (h *page) events() {
	if len(h.Events) == 0 {
		return
	}
	h.WriteString(`<section><h2>Events`)
	if h.Link != nil {
		h.Put(` <small>each opens its moment while touchline replay %s runs</small>`, filepath.Base(h.File))
	}
	h.WriteString(`</h2><div class="body"><ul class="plain">`)
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == analysis.Scored || e.Kind == analysis.Shot {
			h.event(e)
		}
	}
	h.Printf(`</ul><details><summary>all %d events</summary><ul class="plain">`, len(h.Events))
	for i := range h.Events[:min(len(h.Events), mostListed)] {
		h.event(&h.Events[i])
	}
	if extra := len(h.Events) - mostListed; extra > 0 {
		h.Printf("<li>%d more are in the JSON of the report, --json</li>", extra)
	}
	h.WriteString("</ul></details></div></section>\n")
}

func (h *page) event(e *analysis.Event) {
	h.moment(h.at(e), h.sentence(e))
}

package analysislog

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	_ "embed"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/sheet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

//go:embed report.css
var style string

// Page is a report as a self-contained page.
type Page struct {
	*analysis.Report
	File  string // name of the log, for the reader
	Flags string // command that made the record; "" if it is not known
	// Link returns the address that shows a time, in s since the start of the log. nil: figures link nowhere.
	Link func(seconds float64) string
	// Notes are what persons wrote about moments and spans; empty without any.
	Notes []matchlog.Annotation
	// Cards are the report cards of the teams' messages, a line each; empty where the log has none.
	Cards []Card
}

// Card sums up a report card.
type Card struct {
	Team    string `json:"team"`
	Verdict string `json:"verdict"`
	OK      bool   `json:"ok"`
}

// page is a Page while it is written.
type page struct {
	sheet.Sheet
	*Page
}

// HTML returns the page.
func (p *Page) HTML() string {
	h := &page{Page: p}
	v := &p.Figures
	h.Begin(fmt.Sprintf("%s %d:%d %s", h.name(0), v.Home.Goals, v.Away.Goals, h.name(1)), style)
	h.head()
	h.WriteString(`<div class="two">`)
	h.timeline()
	h.summary()
	h.WriteString(`</div>`)
	h.notes()
	h.fields()
	h.passes()
	h.tables()
	h.robots()
	h.beliefs()
	h.links()
	h.events()
	h.End()
	return h.String()
}

func (h *page) name(k int) string {
	switch n := h.Names[k]; {
	case n == "":
		return string(game.Sides[k])
	case h.Names[0] == h.Names[1]:
		return wire.Printable(n) + " " + string(game.Sides[k])
	default:
		return wire.Printable(n)
	}
}

var classes = [2]string{"home", "away"}

func (h *page) head() {
	v := &h.Figures
	h.Put(`<div class="score"><h1><span class="home">%s</span><b>%s</b><span class="away">%s</span></h1></div>`, h.name(0),
		fmt.Sprintf("%d : %d", v.Home.Goals, v.Away.Goals), h.name(1))
	told := "the simulator says which robot touched the ball"
	if !h.Told {
		told = "the ball's motion shows which robot touched it"
	}
	h.Put("<p class=\"sub\">%s · %s · %s from %s · %s", wire.Printable(filepath.Base(h.File)), date(h.Start), clock(h.Seconds), string(h.Origin), told)
	if shots, ok := h.ShootOut(); ok {
		h.Put(" · %s", fmt.Sprintf("with %d : %d in the penalty shoot-out", shots[0], shots[1]))
	}
	if h.Seed != "" {
		h.Put(" · seed %s", wire.Printable(h.Seed))
	}
	if h.Flags != "" {
		h.Put(" · %s", wire.Printable(h.Flags))
	}
	h.WriteString("</p>\n")
	if len(h.Partial) > 0 {
		h.WriteString("<section><h2>Limits of these figures</h2><div class=\"body\"><ul class=\"plain\">")
		for _, s := range h.Partial {
			h.Put("<li>%s</li>", s)
		}
		h.WriteString("</ul></div></section>\n")
	}
}

func date(t soccer.Time) string {
	return time.Unix(0, int64(t)).UTC().Format("2006-01-02 15:04 UTC")
}

// clock returns a time in s as minutes and seconds.
func clock(s float64) string {
	n := int(math.Max(s, 0))
	if n >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
	}
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}

// at returns the time of an event in s of the log.
func (h *page) at(e *analysis.Event) float64 { return e.Logged.Sub(h.Start).Seconds() }

// link begins a link to a time of the log, if there is one; a label is for readers of the screen.
func (h *page) link(seconds float64, label string) (end string) {
	if h.Link == nil {
		h.Put("<g><title>%s</title>", label)
		return "</g>"
	}
	h.Put(`<a href="%s"><title>%s</title>`, h.Link(math.Max(seconds-3, 0)), label)
	return "</a>"
}

// timeline draws where the ball was, goals, set pieces and parts over time.
func (h *page) timeline() {
	const width, top, height = 640.0, 26.0, 330.0
	h.WriteString("<section><h2>Course <small>the ball's mean position in each 10 s; above the line: home attacks, below: away attacks</small></h2><div class=\"body\">")
	if len(h.Moments) == 0 {
		h.WriteString("<p>The log has no time in play.</p></div></section>\n")
		return
	}
	end := math.Max(h.Seconds, analysis.MomentStep)
	x := func(s float64) float64 { return math.Min(math.Max(s/end, 0), 1) * width }
	y := func(ball float64) float64 { return top + height*(0.5-ball/h.Field.Length) }
	h.Printf(`<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="course of the match">`, width, top+height+34)
	for i := range h.Parts {
		p := &h.Parts[i]
		if p.Name.IsInterval() {
			h.Printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="var(--panel)"/>`, x(p.From), top, x(p.To)-x(p.From), height)
		} else if x(p.To)-x(p.From) > 60 {
			h.Printf(`<text class="soft" x="%.1f" y="%.1f">%s</text>`, x(p.From)+3, top+height+26, p.Name)
		}
	}
	step := width * analysis.MomentStep / end
	for i := range h.Moments {
		m := &h.Moments[i]
		if m.Play == 0 {
			continue
		}
		class, from, to := "hm", y(m.Ball), y(0)
		if m.Ball < 0 {
			class, from, to = "aw", y(0), y(m.Ball)
		}
		h.Printf(`<rect class="%s" opacity="%.2f" x="%.1f" y="%.1f" width="%.2f" height="%.1f"/>`, class, 0.35+0.65*m.Play, x(m.At), from,
			math.Max(step*0.9, 0.5), math.Max(to-from, 0.5))
	}
	h.Printf(`<line class="axisline" x1="0" x2="%.0f" y1="%.1f" y2="%.1f"/>`, width, y(0), y(0))
	h.Put(`<text class="soft" x="2" y="%s">goal of %s</text>`, fmt.Sprintf("%.0f", top+10), h.name(1))
	h.Put(`<text class="soft" x="2" y="%s">goal of %s</text>`, fmt.Sprintf("%.0f", top+height-3), h.name(0))
	for _, kind := range []analysis.Kind{analysis.Shot, analysis.Scored} { // goals lie over their shots
		for i := range h.Events {
			if e := &h.Events[i]; e.Kind == kind {
				h.mark(e, x(h.at(e)), [2]float64{9, top + height + 9})
			}
		}
	}
	h.Printf(`<text class="soft" text-anchor="end" x="%.0f" y="%.1f">%s</text></svg>`, width, top+height+26, clock(h.Seconds))
	h.WriteString("<p class=\"keys\">Discs: goals with the scorer's number. Ticks: shots. Darker bars: in play for more of the 10 s.</p><ul class=\"plain\">")
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == analysis.Scored {
			h.event(e)
		}
	}
	h.WriteString("</ul></div></section>\n")
}

// mark draws a shot or a goal at x on the row of its team.
func (h *page) mark(e *analysis.Event, x float64, rows [2]float64) {
	side := e.By.Side
	if e.Kind == analysis.Scored && !e.Success {
		side = side.Opponent()
	}
	k := side.Index()
	class, row := [2]string{"hm", "aw"}[k], rows[k]
	stop := h.link(h.at(e), h.sentence(e))
	if e.Kind == analysis.Scored {
		h.Printf(`<circle class="%s" cx="%.1f" cy="%.1f" r="7"/><text class="on" text-anchor="middle" x="%.1f" y="%.1f">%d</text>`,
			class, x, row, x, row+4, e.By.Number)
	} else {
		h.Printf(`<rect class="%s" x="%.1f" y="%.1f" width="2.5" height="9"/>`, class, x-1, row-4)
	}
	h.WriteString(stop)
}

// summary compares the teams.
func (h *page) summary() {
	h.WriteString("<section><h2>The teams</h2><div class=\"body\"><dl class=\"bars\">")
	v := &h.Figures
	for i := range analysis.Metrics {
		if m := &analysis.Metrics[i]; m.Summary {
			h.bar(m)
		}
	}
	h.WriteString("</dl>")
	h.Put("<p class=\"keys\">Ball in play: %s of %s. Neither team had the ball for %s of that.</p>", clock(v.Played), clock(v.Elapsed), fmt.Sprintf("%.0f %%", 100*v.Loose))
	for _, c := range h.Cards {
		class := "warn"
		if c.OK {
			class = ""
		}
		h.Put("<p class=\"keys\">Report card of %s: <b class=\"%s\">%s</b></p>", wire.Printable(c.Team), class, c.Verdict)
	}
	if len(h.Cards) > 0 {
		h.Put("<p class=\"keys\">Run touchline check %s to see what is wrong.</p>", filepath.Base(h.File))
	}
	h.WriteString("</div></section>\n")
}

// bar compares a figure of the teams; it is left out where the log has it of neither.
func (h *page) bar(m *analysis.Metric) {
	a, has := m.Value(h.Report, game.Home)
	b, also := m.Value(h.Report, game.Away)
	text := m.Text
	if m.Rare && a == 0 && b == 0 {
		return
	}
	if m.Beliefs {
		if !has && !also {
			return
		}
		text = h.errorName()
	}
	most := math.Max(math.Max(a, b), 1e-9)
	h.Put("<div><dt>%s</dt><dd class=\"home\">%s</dd><span class=\"bar\">", text, m.Format(a, 0))
	h.Printf(`<i><s style="width:%.1f%%"></s></i><i><s style="width:%.1f%%"></s></i></span>`, 100*math.Max(a, 0)/most, 100*math.Max(b, 0)/most)
	h.Put("<dd class=\"away\">%s</dd></div>\n", m.Format(b, 0))
}

func (h *page) errorName() string {
	if h.Origin == analysis.FromTruth {
		return "error of the ball position that the robots believe"
	}
	return "distance between the two teams' ball positions"
}

func metres(x float64) string {
	if x < 1 {
		return fmt.Sprintf("%.0f cm", 100*x)
	}
	return fmt.Sprintf("%.1f m", x)
}

// sentence tells an event.
func (h *page) sentence(e *analysis.Event) string {
	who := h.player(e.By)
	text := ""
	switch e.Kind {
	case analysis.Scored:
		text = "goal by " + who
		if !e.Success {
			text = "own goal by " + who
		}
	case analysis.Shot:
		text = fmt.Sprintf("shot by %s, %s, xG %.2f", who, e.Result, e.XG)
	case analysis.Passed:
		text = "pass by " + who + ", " + e.Result
		if e.Success {
			text = fmt.Sprintf("pass from %s to %d", who, e.To.Number)
		}
	case analysis.SetPiece:
		text = pieceName(e.Result) + " for " + h.name(e.By.Side.Index())
	case analysis.Lost:
		text = who + " lost the ball, " + e.Result
	case analysis.Carded:
		if e.By.Number == 0 {
			who = h.name(e.By.Side.Index())
		}
		text = pieceName(e.Result) + " for " + who
		if !e.Success {
			text += ", taken back"
		}
	}
	return clock(h.at(e)) + " " + text
}

// pieceName returns a command of the referee in words.
func pieceName(command string) string {
	if name := map[string]string{
		string(game.KickOff): "kick-off", string(game.ThrowIn): "throw-in", string(game.FreeKick): "free kick",
		string(game.GoalKick): "goal kick", string(game.Corner): "corner", string(game.PenaltyKick): "penalty",
	}[command]; name != "" {
		return name
	}
	return strings.ToLower(strings.ReplaceAll(command, "_", " "))
}

func (h *page) player(p autoref.Player) string {
	if p.Side != game.Home && p.Side != game.Away {
		return "an unknown robot"
	}
	return fmt.Sprintf("%s %d", h.name(p.Side.Index()), p.Number)
}

package check

import (
	"fmt"
	"io"
	"math"
	"strings"

	"touchline/internal/sheet"
	"touchline/wire"
)

// Page is the content of a report page.
type Page struct {
	Title   string
	Cards   []PageCard
	Packets string // findings in inputs of packets, as text
}

// PageCard is the card of one team in an input.
type PageCard struct {
	Input string
	StationReport
}

// WriteHTML writes a self-contained page without scripts. It escapes all text from inputs.
func WriteHTML(w io.Writer, p *Page) error {
	_, err := io.WriteString(w, p.html())
	return err
}

// card is a page of cards while it is written.
type card struct{ sheet.Sheet }

// html returns the page.
func (p *Page) html() string {
	var h card
	h.Begin(p.Title, "")
	h.Put("<h1>%s</h1>\n", p.Title)
	for i := range p.Cards {
		h.card(&p.Cards[i])
	}
	if p.Packets != "" {
		h.Put("<section><header><h2>Packets</h2></header><pre>%s</pre></section>", p.Packets)
	}
	h.End()
	return h.String()
}

// card writes the card of a team.
func (h *card) card(r *PageCard) {
	h.Put("<section>\n<header><h2>")
	if r.Side != "" {
		h.Put("%s ", r.Side)
	}
	class, sign := "bad", "✗"
	if r.OK {
		class, sign = "ok", "✓"
	}
	h.Put("%s</h2><span class=\"input\">%s</span>\n", wire.Printable(r.Team), r.Input)
	h.Put("<span class=\"verdict %s\">%s %s</span></header>\n", class, sign, r.verdict())
	h.figures(r)
	h.chart(r)
	for i := range r.Findings {
		h.finding(&r.Findings[i])
	}
	if r.Error != "" {
		h.Put(`<article><div><span class="tag bad">error</span></div>
<div>The rest of the input could not be read: %s</div></article>
`, wire.Printable(r.Error))
	}
	if r.Torn {
		h.Put(`<article><div><span class="tag note">note</span></div>
<div>The input ends in the middle of a message.</div></article>
`)
	}
	h.Put("</section>\n")
}

// figures writes the numbers of a card.
func (h *card) figures(r *PageCard) {
	one := func(value, name string) { h.Put("<div><dd>%s</dd><dt>%s</dt></div>\n", value, name) }
	bad := func(value, name string) { h.Put("<div><dd class=\"low\">%s</dd><dt>%s</dt></div>\n", value, name) }
	h.Put("<dl>\n")
	one(fmt.Sprint(r.Worldstates), "worldstates")
	if r.Events != 0 {
		one(fmt.Sprint(r.Events), "events")
	}
	if r.Commands != 0 {
		one(fmt.Sprint(r.Commands), "commands")
	}
	if r.Broken != 0 {
		bad(fmt.Sprint(r.Broken), "unreadable")
	}
	if r.Filled != 0 {
		one(fmt.Sprint(r.Filled), "filled by the box")
	}
	if r.BoxAway > 0 {
		one(clockText(int64(r.BoxAway)), "without a box")
	}
	one(byteCount(r.Bytes), "received")
	if r.Rate != nil {
		one(clockText(int64(r.Seconds)), "duration")
		rate := one
		if *r.Rate < (1-rateError)*leastRate {
			rate = bad
		}
		rate(figure(r.Rate, "%.1f", "Hz"), "mean rate")
		one(figure(r.GapP50, "%.0f", "ms"), "pause, median")
		one(figure(r.GapP99, "%.0f", "ms"), "longest pause (99 %)")
		one(figure(r.GapMax, "%.0f", "ms"), "longest pause of all")
		one(percent(r.Empty), "empty windows")
	}
	if r.AgeP50 != nil {
		one(figure(r.AgeP50, "%.0f", "ms"), "ageMs, median")
		one(figure(r.AgeMax, "%.0f", "ms"), "ageMs, largest")
	}
	h.Put("</dl>\n")
}

// finding writes a finding with its excerpt.
func (h *card) finding(f *StationFinding) {
	class := "bad"
	if f.Note {
		class = "note"
	}
	h.Put("<article>\n<div><span class=\"tag %s\">%s</span>\n", class, severity(f.Note))
	h.Put("<div class=\"rule\">%s</div><div class=\"count\">%s ×, %s</div></div>\n", f.Rule, fmt.Sprint(f.Count), percent(f.Share))
	h.Put("<div><p>%s</p>\n", f.Text)
	if f.Excerpt != "" {
		at := min(max(f.At, 0), len(f.Excerpt))
		end := min(at+max(f.Len, 0), len(f.Excerpt))
		h.Put("<pre>%s<mark>%s</mark>%s</pre>\n", f.Excerpt[:at], f.Excerpt[at:end], f.Excerpt[end:])
	}
	h.Put("<p class=\"fix\">%s</p><div class=\"small\">First at %s. Source: %s</div></div>\n</article>\n", f.Fix, where(f), f.Source)
}

// chart draws the rates of a card as SVG, stretched to the width of the page.
func (h *card) chart(r *PageCard) {
	const width, height = 600.0, 72.0
	if len(r.Rates) < 2 {
		return
	}
	top := 20.0
	for _, v := range r.Rates {
		top = max(top, min(v, 60))
	}
	y := func(v float64) float64 { return height - (height-4)*min(v, top)/top }
	// The last figure may be of a part of its step. A long silence is shorter here than it was.
	end := min(max(r.Seconds, float64((len(r.Rates)-1)*r.RateStep)), float64(len(r.Rates)*r.RateStep))
	bar := width * float64(r.RateStep) / end
	h.Printf(`<svg viewBox="0 0 %.0f %.0f" preserveAspectRatio="none" role="img" `, width, height)
	h.Put(`aria-label="worldstates per second">`)
	for i, v := range r.Rates {
		class := "good"
		if v < leastRate {
			class = "low"
		}
		h.Printf(`<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`,
			class, float64(i)*bar, y(v), max(min(bar*0.86, width-float64(i)*bar), 0.5), max(height-y(v), 0.7))
	}
	h.Printf(`<line class="least" x1="0" x2="%.0f" y1="%.1f" y2="%.1f"/></svg>`, width, y(leastRate), y(leastRate))
	h.Put(`<p class="axis"><span>0:00</span><span>worldstates per second; line: 10 per second</span>`)
	h.Printf(`<span>%s</span></p>`, clockText(int64(end)))
}

func figure(v *float64, format, unit string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v) + " " + unit
}

// percent rounds a share down, and never to 0 % or 100 % if it is more or less.
func percent(v float64) string {
	switch p := 100 * v; {
	case p > 0 && p < 0.1:
		return "< 0.1 %"
	case p < 10 || p > 99.9 && p < 100:
		return fmt.Sprintf("%.1f %%", math.Floor(p*10)/10)
	default:
		return fmt.Sprintf("%.0f %%", math.Floor(p))
	}
}

func byteCount(n uint64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
}

// verdict sums up a card.
func (r *StationReport) verdict() string {
	switch n := r.Faults(); {
	case r.Messages == 0:
		return "no messages"
	case n == 0:
		return "no faults"
	default:
		return Plural(n, "fault")
	}
}

// where returns the first place of a finding.
func where(f *StationFinding) string {
	var b strings.Builder
	if f.Time < 60 {
		fmt.Fprintf(&b, "%.2f s", f.Time)
	} else {
		b.WriteString(clockText(int64(f.Time)))
	}
	if f.Game > 0 {
		fmt.Fprintf(&b, ", game clock %s", clockText(int64(f.Game)))
	}
	if f.Line > 0 || f.Excerpt != "" {
		fmt.Fprintf(&b, ", %s", f.place())
	}
	return b.String()
}

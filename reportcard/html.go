package reportcard

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

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
	Report
}

// WriteHTML writes a self-contained page without scripts. It escapes all text from inputs.
func WriteHTML(w io.Writer, p *Page) error { return page.Execute(w, p) }

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"ms":      func(v *float64) string { return figure(v, "%.0f", "ms") },
	"hz":      func(v *float64) string { return figure(v, "%.1f", "Hz") },
	"percent": percent,
	"text":    wire.Printable,
	"verdict": verdict,
	"mark":    mark,
	"chart":   chart,
	"where":   where,
	"bytes":   byteCount,
	"clock":   func(s float64) string { return clockText(int64(s)) },
	"low":     func(v *float64) bool { return v != nil && *v < (1-rateError)*minRate },
}).Parse(pageText))

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
func verdict(r PageCard) string {
	n := 0
	for _, f := range r.Findings {
		if !f.Note {
			n++
		}
	}
	switch {
	case r.Messages == 0:
		return "no messages"
	case n == 0:
		return "no faults"
	}
	return plural(uint64(n), "fault")
}

// parts is an excerpt, split around its fault.
type parts struct{ Before, Fault, After string }

func mark(f Finding) parts {
	at := min(max(f.At, 0), len(f.Excerpt))
	end := min(at+max(f.Len, 0), len(f.Excerpt))
	return parts{f.Excerpt[:at], f.Excerpt[at:end], f.Excerpt[end:]}
}

// where returns the first place of a finding.
func where(f Finding) string {
	var b strings.Builder
	if f.Time < 60 {
		fmt.Fprintf(&b, "%.2f s", f.Time)
	} else {
		b.WriteString(clockText(int64(f.Time)))
	}
	if f.Game > 0 {
		fmt.Fprintf(&b, ", game clock %d:%02d", int(f.Game)/60, int(f.Game)%60)
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, ", line %d, byte %d", f.Line, f.First+int64(f.Offset))
	} else if f.Excerpt != "" {
		fmt.Fprintf(&b, ", message %d, byte %d", f.First, f.Offset)
	}
	return b.String()
}

// chart draws the rates of a card as SVG, stretched to the width of the page.
func chart(r PageCard) template.HTML {
	const width, height = 600.0, 72.0
	if len(r.Rates) < 2 {
		return ""
	}
	top := 20.0
	for _, v := range r.Rates {
		top = max(top, min(v, 60))
	}
	y := func(v float64) float64 { return height - (height-4)*min(v, top)/top }
	bar := width / float64(len(r.Rates))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %.0f %.0f" preserveAspectRatio="none" role="img" `, width, height)
	b.WriteString(`aria-label="worldstates per second">`)
	for i, v := range r.Rates {
		class := "good"
		if v < minRate {
			class = "low"
		}
		fmt.Fprintf(&b, `<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`,
			class, float64(i)*bar, y(v), max(bar*0.86, 0.5), max(height-y(v), 0.7))
	}
	fmt.Fprintf(&b, `<line class="least" x1="0" x2="%.0f" y1="%.1f" y2="%.1f"/></svg>`, width, y(minRate), y(minRate))
	b.WriteString(`<p class="axis"><span>0:00</span><span>worldstates per second; line: 10 per second</span>`)
	fmt.Fprintf(&b, `<span>%s</span></p>`, clockText(int64(len(r.Rates)*r.RateStep)))
	return template.HTML(b.String()) // numbers only
}

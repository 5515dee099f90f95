package reportcard

import (
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
	"clock":   func(s float64) string { return fmt.Sprintf("%d:%02d", int(s)/60, int(s)%60) },
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
	fmt.Fprintf(&b, "%.2f s", f.Time)
	if f.Game > 0 {
		fmt.Fprintf(&b, ", game clock %d:%02d", int(f.Game)/60, int(f.Game)%60)
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, ", line %d, byte %d", f.Line, f.First+int64(f.Offset))
	} else {
		fmt.Fprintf(&b, ", message %d, byte %d", f.First, f.Offset)
	}
	return b.String()
}

// chart draws the rates of a card as SVG.
func chart(r PageCard) template.HTML {
	const width, height, foot = 640.0, 88.0, 14.0
	if len(r.Rates) < 2 {
		return ""
	}
	top := 20.0
	for _, v := range r.Rates {
		top = max(top, min(v, 60))
	}
	y := func(v float64) float64 { return height - foot - (height-foot-8)*min(v, top)/top }
	bar := width / float64(len(r.Rates))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="worldstates per second">`, width, height)
	for i, v := range r.Rates {
		class := "good"
		if v < minRate {
			class = "low"
		}
		fmt.Fprintf(&b, `<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, class, float64(i)*bar, y(v), max(bar*0.86, 0.5), max(height-foot-y(v), 0.7))
	}
	fmt.Fprintf(&b, `<line class="least" x1="0" x2="%.0f" y1="%.1f" y2="%.1f"/>`, width, y(minRate), y(minRate))
	end := len(r.Rates) * r.RateStep
	fmt.Fprintf(&b, `<text x="0" y="%.0f">0:00</text><text x="%.0f" y="%.0f" text-anchor="middle">worldstates per second; line: 10 per second</text>`,
		height-2, width/2, height-2)
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="end">%d:%02d</text></svg>`, width, height-2, end/60, end%60)
	return template.HTML(b.String()) // numbers only
}

const pageText = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; --ink: #17202a; --soft: #5b6672; --line: #d9dee3; --paper: #fff; --panel: #f5f7f8; --bad: #b3261e; --badbg: #fde9e7; --good: #2e7d4f; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf1; --soft: #9ba7b2; --line: #333c45; --paper: #14181c; --panel: #1c2227; --bad: #ff9a90; --badbg: #4a2320; --good: #63c48d; --warn: #e5b35a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 24px 16px 48px; background: var(--paper); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 20px; margin: 0 0 16px; overflow-wrap: anywhere; }
section { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 24px; overflow: hidden; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; padding: 12px 16px; background: var(--panel); border-bottom: 1px solid var(--line); }
h2 { font-size: 18px; margin: 0; overflow-wrap: anywhere; }
header .input { color: var(--soft); overflow-wrap: anywhere; }
.verdict { margin-left: auto; font-weight: 600; }
.verdict.bad { color: var(--bad); } .verdict.ok { color: var(--good); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(104px, 1fr)); gap: 12px 16px; margin: 0; padding: 16px; }
dl div { min-width: 0; }
dd { margin: 0; font-size: 19px; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
dd.low { color: var(--bad); }
dt { color: var(--soft); font-size: 12px; }
svg { display: block; width: calc(100% - 32px); margin: 0 16px 12px; }
svg text { font: 10px system-ui, sans-serif; fill: var(--soft); }
svg .good { fill: var(--good); } svg .low { fill: var(--bad); }
svg .least { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 4 3; }
article { border-top: 1px solid var(--line); padding: 12px 16px; display: grid; grid-template-columns: 148px minmax(0, 1fr); gap: 2px 16px; }
article .rule { font-weight: 600; overflow-wrap: anywhere; } article .count { color: var(--soft); font-variant-numeric: tabular-nums; }
.tag { display: inline-block; font-size: 11px; font-weight: 600; border: 1px solid currentColor; border-radius: 4px; padding: 0 5px; margin-bottom: 2px; }
.tag.bad { color: var(--bad); } .tag.note { color: var(--warn); }
article p { margin: 0 0 6px; overflow-wrap: anywhere; }
pre { margin: 0 0 6px; padding: 8px 10px; background: var(--panel); border-radius: 4px; font: 12.5px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
mark { background: var(--badbg); color: var(--bad); font-weight: 600; border-bottom: 2px solid var(--bad); }
.small { color: var(--soft); font-size: 12px; }
.fix::before { content: "Fix: "; font-weight: 600; }
@media (max-width: 600px) { article { grid-template-columns: 1fr; } .verdict { margin-left: 0; } }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Cards}}<section>
<header><h2>{{if .Side}}{{.Side}} {{end}}{{text .Team}}</h2><span class="input">{{.Input}}</span>
<span class="verdict {{if .OK}}ok{{else}}bad{{end}}">{{if .OK}}✓{{else}}✗{{end}} {{verdict .}}</span></header>
<dl>
<div><dd>{{.Worldstates}}</dd><dt>worldstates</dt></div>
{{if .Events}}<div><dd>{{.Events}}</dd><dt>events</dt></div>{{end}}
{{if .Broken}}<div><dd class="low">{{.Broken}}</dd><dt>unreadable</dt></div>{{end}}
<div><dd>{{bytes .Bytes}}</dd><dt>received</dt></div>
{{if .Rate}}<div><dd>{{clock .Seconds}}</dd><dt>duration</dt></div>
<div><dd{{if low .Rate}} class="low"{{end}}>{{hz .Rate}}</dd><dt>mean rate</dt></div>
<div><dd>{{ms .GapP50}}</dd><dt>gap, median</dt></div>
<div><dd>{{ms .GapP99}}</dd><dt>gap, p99</dt></div>
<div><dd>{{ms .GapMax}}</dd><dt>gap, longest</dt></div>
<div><dd>{{percent .Empty}}</dd><dt>empty 100 ms windows</dt></div>{{end}}
{{if .AgeP50}}<div><dd>{{ms .AgeP50}}</dd><dt>ageMs, median</dt></div>
<div><dd>{{ms .AgeMax}}</dd><dt>ageMs, largest</dt></div>{{end}}
</dl>
{{chart .}}
{{range .Findings}}<article>
<div><span class="tag {{if .Note}}note">note{{else}}bad">fault{{end}}</span><div class="rule">{{.Rule}}</div><div class="count">{{.Count}} ×, {{percent .Share}}</div></div>
<div><p>{{.Text}}</p>
{{with mark .}}<pre>{{.Before}}<mark>{{.Fault}}</mark>{{.After}}</pre>{{end}}
<p class="fix">{{.Fix}}</p><div class="small">First at {{where .}}. Source: {{.Source}}</div></div>
</article>
{{end}}{{with .Error}}<article><div><span class="tag bad">error</span></div><div>The rest of the input could not be read: {{text .}}</div></article>{{end}}{{if .Torn}}<article><div><span class="tag note">note</span></div><div>The input ends in the middle of a message.</div></article>{{end}}</section>
{{end}}{{if .Packets}}<section><header><h2>Packets</h2></header><pre>{{.Packets}}</pre></section>{{end}}
</body>
</html>
`

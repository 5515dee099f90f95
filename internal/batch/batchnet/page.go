package batchnet

import (
	"fmt"
	"math"

	"touchline/internal/batch"
	"touchline/internal/sheet"
	"touchline/internal/stat"
)

// pageStyle follows the common style sheet.
const pageStyle = `
table { border-collapse: collapse; margin: 12px 16px 16px; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th { text-align: right; font-weight: 600; padding: 4px 10px; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td { text-align: right; padding: 4px 10px; border-top: 1px solid var(--line); white-space: nowrap; }
td .small { display: block; }
td.self { background: var(--panel); }
svg.plot { height: auto; max-width: 720px; margin: 8px 16px 16px; }
.plot text { fill: var(--ink); font-size: 13px; }
.plot .soft { fill: var(--soft); }
.plot line { stroke: var(--line); }
.plot .bar { stroke: var(--good); stroke-width: 3; }
.plot circle { fill: var(--good); }
`

// Page returns the report as a page without scripts.
func Page(r *batch.Report) string {
	s := new(sheet.Sheet)
	s.Begin("Batch: "+r.Name, pageStyle)
	s.Put("<h1>Batch: %s</h1>\n<section><header><h2>Matches</h2><span class=\"input\">touchline %s</span></header><dl>",
		r.Name, r.Program.String())
	for _, d := range [][2]string{
		{fmt.Sprintf("%d of %d", r.Done, r.Jobs), "played"}, {fmt.Sprint(r.Failed), "did not end"}, {fmt.Sprint(len(r.Teams)), "teams"},
		{fmt.Sprint(len(r.Conditions)), "conditions"}, {fmt.Sprintf("2 × %g s", r.Half), "length"},
	} {
		s.Put("<div><dd>%s</dd><dt>%s</dt></div>", d[0], d[1])
	}
	s.Put("</dl>")
	for _, f := range r.Failures {
		s.Put("<p class=\"small\" style=\"margin: 0 16px 8px\">%s: %s</p>", f.ID, f.Text)
	}
	if r.Failed > 0 {
		s.Put("<p class=\"small\" style=\"margin: 0 16px 12px\">touchline match --job ID --plan DIR plays such a match again.</p>")
	}
	s.Put("</section>\n")
	ratings(s, r)
	cross(s, r)
	figures(s, r)
	conditions(s, r)
	s.Put("<p class=\"small\">Intervals are 95 %, over pairs of matches with one seed and swapped sides. A rating is in points of Elo " +
		"against the mean of all teams: 100 points more are 64 % of the points.</p>")
	s.End()
	return s.String()
}

// ratings writes the table and the plot of the ratings.
func ratings(s *sheet.Sheet, r *batch.Report) {
	s.Put("<section><header><h2>Ratings</h2></header>\n<div class=\"wide\"><table><tr><th>team</th><th>Elo</th><th>points of a match</th>" +
		"<th>matches</th><th>won</th><th>drawn</th><th>lost</th></tr>\n")
	reach := 10.0
	for i := range r.Teams {
		t := &r.Teams[i]
		in := &t.Rating.Interval
		reach = max(reach, math.Abs(in.From), math.Abs(in.To))
		s.Put("<tr><td>%s</td><td>%s<span class=\"small\">%s</span></td><td>%s<span class=\"small\">%s</span></td>", t.Name,
			fmt.Sprintf("%+.0f", t.Rating.Elo), fmt.Sprintf("%+.0f to %+.0f", in.From, in.To), fmt.Sprintf("%.3f", t.Points.Mean),
			between(t.Points.Interval))
		s.Printf("<td>%d</td><td>%d</td><td>%d</td><td>%d</td></tr>\n", t.Games, t.Won, t.Drawn, t.Lost)
	}
	s.Put("</table></div>\n")
	reach = 50 * math.Ceil(reach/50) // round numbers at the axis
	const left, width, row = 220, 480, 28
	x := func(elo float64) float64 { return left + float64(width)*(0.5+0.5*min(max(elo/reach, -1), 1)) }
	height := row*len(r.Teams) + 34
	s.Printf("<svg class=\"plot\" viewBox=\"0 0 720 %d\" role=\"img\" aria-label=\"ratings with their intervals\">", height)
	for _, v := range []float64{-reach, -reach / 2, 0, reach / 2, reach} {
		s.Printf("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"4\" y2=\"%d\"/><text class=\"soft\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
			x(v), x(v), height-26, x(v), height-8, signed(v))
	}
	for i := range r.Teams {
		t := &r.Teams[i]
		y := row*i + 20
		s.Put("<text x=\"0\" y=\""+fmt.Sprint(y+5)+"\">%s</text>", shorten(t.Name, 30))
		s.Printf("<line class=\"bar\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><circle cx=\"%.1f\" cy=\"%d\" r=\"6\"/>",
			x(t.Rating.Interval.From), x(t.Rating.Interval.To), y, y, x(t.Rating.Elo), y)
	}
	s.Put("</svg></section>\n")
}

// signed returns a number with its sign; 0 has none.
func signed(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%+.0f", v)
}

func shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// between returns an interval as text.
func between(in *stat.Interval) string {
	if in == nil {
		return "too few"
	}
	return fmt.Sprintf("%.3f to %.3f", in.From, in.To)
}

// cross writes the cross table.
func cross(s *sheet.Sheet, r *batch.Report) {
	s.Put("<section><header><h2>Cross table</h2><span class=\"input\">won – drawn – lost of the row's team, and goals</span></header>\n" +
		"<div class=\"wide\"><table><tr><th></th>")
	for i := range r.Teams {
		s.Put("<th>%s</th>", r.Teams[i].Name)
	}
	s.Put("</tr>\n")
	for i := range r.Teams {
		s.Put("<tr><td>%s</td>", r.Teams[i].Name)
		for k := range r.Teams {
			switch c := &r.Cross[i][k]; {
			case i == k:
				s.Put("<td class=\"self\"></td>")
			case c.Games == 0:
				s.Put("<td>–</td>")
			default:
				s.Printf("<td>%d – %d – %d<span class=\"small\">%d : %d</span></td>", c.Won, c.Drawn, c.Lost, c.Goals, c.Conceded)
			}
		}
		s.Put("</tr>\n")
	}
	s.Put("</table></div></section>\n")
}

// figures writes the means of the figures.
func figures(s *sheet.Sheet, r *batch.Report) {
	s.Put("<section><header><h2>Figures of a match</h2></header>\n<div class=\"wide\"><table><tr><th>mean</th>")
	for i := range r.Teams {
		s.Put("<th>%s</th>", r.Teams[i].Name)
	}
	s.Put("</tr>\n")
	for k := range r.Teams[0].Figures {
		s.Put("<tr><td>%s</td>", r.Teams[0].Figures[k].Text)
		for i := range r.Teams {
			f := &r.Teams[i].Figures[k]
			in := "too few"
			if f.Interval != nil {
				in = f.Metric.Format(f.Interval.From, 2) + " to " + f.Metric.Format(f.Interval.To, 2)
			}
			s.Put("<td>%s<span class=\"small\">%s</span></td>", f.Metric.Format(f.Mean.Mean, 2), in)
		}
		s.Put("</tr>\n")
	}
	s.Put("</table></div></section>\n")
}

// conditions writes how the teams did under each condition.
func conditions(s *sheet.Sheet, r *batch.Report) {
	if len(r.Conditions) < 2 {
		return
	}
	s.Put("<section><header><h2>Conditions</h2><span class=\"input\">points of a match</span></header>\n" +
		"<div class=\"wide\"><table><tr><th>field, network, faults</th><th>matches</th><th>goals</th>")
	for i := range r.Teams {
		s.Put("<th>%s</th>", r.Teams[i].Name)
	}
	s.Put("</tr>\n")
	for i := range r.Conditions {
		c := &r.Conditions[i]
		s.Put("<tr><td>%s</td><td>%s</td><td>%s</td>", c.Field+", "+c.Network+", "+c.Faults, fmt.Sprint(c.Games),
			fmt.Sprintf("%.2f", c.Goals))
		for _, p := range c.Points {
			s.Put("<td>%s<span class=\"small\">%s</span></td>", fmt.Sprintf("%.3f", p.Mean), between(p.Interval))
		}
		s.Put("</tr>\n")
	}
	s.Put("</table></div></section>\n")
}

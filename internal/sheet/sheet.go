// Package sheet writes self-contained pages without scripts, such as report cards and reports of matches. It is a package of
// its own because several packages write one.
package sheet

import (
	"fmt"
	"html"
	"strings"

	_ "embed"
)

//go:embed sheet.css
var style string

// Sheet is a page while it is written. Package html/template would do the same, but it keeps the linker from dropping
// unused methods: the program would be 3 MB larger.
type Sheet struct{ strings.Builder }

// Begin writes the head of a page with a title and a style sheet that follows the common one.
func (s *Sheet) Begin(title, more string) {
	s.Put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title>
<style>
`, title)
	s.WriteString(style + more)
	s.Put("</style>\n</head>\n<body>\n")
}

// End writes the end of a page.
func (s *Sheet) End() { s.Put("\n</body>\n</html>\n") }

// Printf writes markup with numbers.
func (s *Sheet) Printf(markup string, numbers ...any) { fmt.Fprintf(s, markup, numbers...) }

// Put writes markup in which each %s stands for a text, which it escapes.
func (s *Sheet) Put(markup string, texts ...string) {
	for _, text := range texts {
		before, after, _ := strings.Cut(markup, "%s")
		s.WriteString(before)
		s.WriteString(html.EscapeString(text))
		markup = after
	}
	s.WriteString(markup)
}

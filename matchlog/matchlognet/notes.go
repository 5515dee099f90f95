package matchlognet

import (
	"math"
	"net/http"
	"strings"

	"touchline/matchlog"
	"touchline/soccer"
)

// Notes are the notes of a log as pages show them.
type Notes struct {
	Notes []Note `json:"notes"` // sorted by From
	Why   string `json:"why"`   // why the page cannot write notes; "": it can
}

// Note is a matchlog.Annotation.
type Note struct {
	ID   int     `json:"id"`   // 0: a new one
	From float64 `json:"from"` // ms since 1970
	To   float64 `json:"to"`   // ms since 1970; equal to From: a moment
	Text string  `json:"text"`
}

// serveNotes reads the notes from the file, where another program may have written some.
func (s *Logs) serveNotes(w http.ResponseWriter, _ *http.Request, row Row) error {
	list, err := matchlog.Annotations(row.path)
	n := Notes{Notes: []Note{}}
	switch {
	case err != nil:
		n.Why = strings.TrimPrefix(err.Error(), "matchlog: ")
		l, done, err := s.acquire(row.path)
		if err != nil {
			return err
		}
		defer done()
		list = l.Annotations()
	case !s.Annotates:
		n.Why = "this page only shows notes: touchline log note writes them"
	}
	for _, a := range list {
		n.Notes = append(n.Notes, Note{a.ID, matchlog.Millis(a.From), matchlog.Millis(a.To), a.Text})
	}
	answer(w, n)
	return nil
}

// Annotate writes a note into the log of a name: see matchlog.Annotate. A page's times are not exact: those before
// the log or behind it become its ends.
func (s *Logs) Annotate(name string, n Note) error {
	row, err := s.row(name)
	if err != nil {
		return err
	}
	i, _ := matchlog.Glance(row.path)
	within := func(ms float64) soccer.Time {
		at := soccer.Time(ms)*1e6 + soccer.Time((ms-math.Floor(ms))*1e6)
		return min(max(at, i.Start), i.End)
	}
	a := matchlog.Annotation{ID: n.ID, From: within(n.From), To: within(n.To), Text: strings.TrimSpace(n.Text)}
	_, err = matchlog.Annotate(row.path, a)
	return err
}

package playback

import (
	"net/http"
	"sort"
	"strings"

	"touchline/matchlog"
	"touchline/soccer"
)

// SessionNotes are the notes of a recording as pages show them.
type SessionNotes struct {
	Notes []SessionNote `json:"notes"` // sorted by From
	Why   string        `json:"why"`   // why the page cannot write notes; "": it can
}

// SessionNote is a matchlog.Annotation.
type SessionNote struct {
	ID   int     `json:"id"`   // 0: a new one
	From float64 `json:"from"` // s since the session started
	To   float64 `json:"to"`   // s; equal to From: a moment
	Text string  `json:"text"`
}

// NoteHandlers returns the handlers of the notes, as Handlers does. annotates says that pages may write notes: the program has
// a command that calls Annotate.
//
//	GET /api/session/notes     SessionNotes
func (r *Replay) NoteHandlers(annotates bool) map[string]http.Handler {
	return map[string]http.Handler{"GET /api/session/notes": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reply(w, r.notes(annotates), nil)
	})}
}

// notes reads the notes from the file, where another program may have written some.
func (r *Replay) notes(annotates bool) SessionNotes {
	list, err := matchlog.Annotations(r.path)
	n := SessionNotes{Notes: []SessionNote{}}
	switch {
	case err != nil:
		n.Why = strings.TrimPrefix(err.Error(), "matchlog: ")
		list = r.log.Annotations()
	case !annotates:
		n.Why = "this page only shows notes: touchline log note writes them"
	}
	for _, a := range list {
		n.Notes = append(n.Notes, SessionNote{a.ID, r.session(a.From), r.session(a.To), a.Text})
	}
	return n
}

// Annotate writes a note into the recording: see matchlog.Annotate. Times before the recording or behind it become
// its ends.
func (r *Replay) Annotate(n SessionNote) error {
	i := r.log.Info()
	within := func(t float64) soccer.Time { return min(max(r.record(t), i.Start), i.End) }
	a := matchlog.Annotation{ID: n.ID, From: within(n.From), To: within(n.To), Text: strings.TrimSpace(n.Text)}
	_, err := matchlog.Annotate(r.path, a)
	return err
}

// session converts a time of the record to one of the session, in s. In a pause the session's time stands still.
func (p *Player) session(at soccer.Time) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.moments)
	if n == 0 {
		return 0
	}
	i := sort.Search(n, func(i int) bool { return p.moments[i].at > at })
	m := p.moments[max(0, i-1)]
	t := m.t + at.Sub(m.at).Seconds()
	if i > 0 && i < n {
		t = min(t, p.moments[i].t)
	}
	return max(0, t)
}

// record converts a time of the session to one of the record.
func (p *Player) record(t float64) soccer.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.moments)
	if n == 0 {
		return 0
	}
	i := sort.Search(n, func(i int) bool { return p.moments[i].t > t })
	m := p.moments[max(0, i-1)]
	return m.at.Add(seconds(min(max(t-m.t, -maxTime), maxTime)))
}

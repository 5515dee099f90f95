package main

import (
	"errors"
	"fmt"
	"maps"

	"touchline/internal/control"
	"touchline/internal/playback"
	"touchline/matchlog/matchlognet"
)

// errNoNotes is why other programs than replay write no notes.
var errNoNotes = errors.New("this page cannot write notes: open the log with touchline replay, or use touchline log note")

// logNote is the body of the command note: a note of the log with a name.
type logNote struct {
	Log string `json:"log"`
	matchlognet.Note
}

// annotated lets the pages of a log write notes into its file, unless they are view-only: the command note of the
// page log, and session-note of the others. Where other machines reach the pages the commands need the token, which
// annotated returns, because they write files.
func (s *shownLog) annotated(f *pageFlags) (token string) {
	s.logs.Annotates = !f.viewOnly
	if s.replay != nil {
		maps.Copy(s.pages.Handlers, s.replay.NoteHandlers(!f.viewOnly))
	}
	if f.viewOnly {
		return ""
	}
	commands := control.Table{"note": control.Handle(func(n logNote) error { return s.logs.Annotate(n.Log, n.Note) })}
	if s.replay != nil {
		commands["session-note"] = control.Handle(func(n playback.SessionNote) error { return s.replay.Annotate(n) })
	}
	s.pages.Commands = f.guarded("writing a note", commands.Around(plainErrors))
	return f.guard(&s.pages)
}

// notesAddress returns the line with the address of the page that writes notes, where that needs a token.
func notesAddress(url, token string) string {
	if token == "" {
		return ""
	}
	return fmt.Sprintf("to write notes from the page: %s&token=%s\n", url, token)
}

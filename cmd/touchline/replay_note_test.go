package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"touchline/internal/monitor"
	"touchline/matchlog"
)

// A page of replay writes notes into the log: never one of another origin, not one that is view-only, and one that other
// machines reach only with the token.
func TestReplayNotes(t *testing.T) {
	path := twoTeams(t)
	post := func(f pageFlags, token, origin string) (status int, answer string) {
		t.Helper()
		s, err := openShown([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		if given := s.annotated(&f); token == "given" {
			token = given
		}
		s.pages.ViewOnly = f.viewOnly // as pageFlags.open does
		server := monitor.New(s.pages)
		defer server.Close()
		body := `{"log":"` + filepath.Base(path) + `","id":0,"from":1467550000100,"to":1467550000100,"text":"a note"}`
		r := httptest.NewRequest("POST", "http://127.0.0.1:8014/api/command/note", strings.NewReader(body))
		r.Header.Set("Sec-Fetch-Site", origin)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		a := httptest.NewRecorder()
		server.ServeHTTP(a, r)
		return a.Code, a.Body.String()
	}
	everywhere := pageFlags{http: "0.0.0.0:0"}
	for i, c := range []struct {
		flags         pageFlags
		token, origin string
		status        int
	}{
		{pageFlags{}, "", "same-origin", http.StatusNoContent},
		{pageFlags{}, "", "cross-site", http.StatusForbidden},
		{pageFlags{viewOnly: true}, "", "same-origin", http.StatusForbidden},
		{everywhere, "", "same-origin", http.StatusForbidden},
		{everywhere, "given", "same-origin", http.StatusNoContent},
	} {
		if status, answer := post(c.flags, c.token, c.origin); status != c.status {
			t.Errorf("request %d: %d %s, want %d", i, status, answer, c.status)
		}
	}
	if list, err := matchlog.Annotations(path); err != nil || len(list) != 2 || list[0].Text != "a note" {
		t.Errorf("%+v, %v, want the notes of two requests", list, err)
	}
}

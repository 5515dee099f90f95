package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"touchline/internal/control"
	"touchline/internal/match"
	"touchline/internal/watch"
)

// With --view-only the pages send no commands and have no controls, and the referee's page is not among them.
func TestViewOnly(t *testing.T) {
	did := false
	commands := control.Table{"pause": control.Handle(func(control.Pause) error { did = true; return nil })}
	for _, viewOnly := range []bool{true, false} {
		f := pageFlags{http: "127.0.0.1:0", viewOnly: viewOnly}
		p, err := f.open(commanded(commands, "wall", "referee"))
		if err != nil {
			t.Fatal(err)
		}
		p.listener.Close()
		answer := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, p.url+"api/command/pause", strings.NewReader(`{"paused":true}`))
		p.server.ServeHTTP(answer, r)
		if did == viewOnly || viewOnly != (answer.Code == http.StatusForbidden) {
			t.Errorf("view only %t: the command is carried out: %t, status %d", viewOnly, did, answer.Code)
		}
		pages := httptest.NewRecorder()
		p.server.ServeHTTP(pages, httptest.NewRequest(http.MethodGet, p.url+"api/pages", nil))
		if strings.Contains(pages.Body.String(), "referee") == viewOnly {
			t.Errorf("view only %t: the pages are %s", viewOnly, pages.Body)
		}
	}
	for _, v := range []any{&watch.Wall{Controls: true}, &match.ShowView{Controls: true}} {
		switch v := withoutControls(func(string) any { return v })("").(type) {
		case *watch.Wall:
			did = v.Controls
		case *match.ShowView:
			did = v.Controls
		}
		if did {
			t.Errorf("%T has controls", v)
		}
	}
}

// A page on every interface has all addresses of this machine that others may reach, and the first one as a square code.
func TestSquareCode(t *testing.T) {
	every := &net.TCPAddr{IP: net.IPv4zero, Port: 8014}
	urls := pageURLs("0.0.0.0", every, []netip.Prefix{
		netip.MustParsePrefix("127.0.0.1/8"), netip.MustParsePrefix("192.0.2.7/24"), netip.MustParsePrefix("fe80::1/64"),
		netip.MustParsePrefix("198.51.100.2/24"),
	})
	if want := []string{"http://192.0.2.7:8014/", "http://198.51.100.2:8014/"}; !slices.Equal(urls, want) {
		t.Fatalf("the addresses are %q, want %q", urls, want)
	}
	lines := strings.Split(strings.TrimSpace(codeText(urls[0])), "\n")
	if width := strings.Count(lines[2], "") - 1; len(lines) != 17 || width != 33+len("\x1b[30;107m")+len("\x1b[0m") {
		t.Errorf("the code has %d lines, the third of %d letters", len(lines), width)
	}
	if finder := "    █▀▀▀▀▀█"; !strings.Contains(lines[2], finder) {
		t.Errorf("the code begins with %q, want a finder pattern", lines[2])
	}
	answer := httptest.NewRecorder()
	codePicture(urls[0]).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/api/code.svg", nil))
	if body, _ := io.ReadAll(answer.Body); !strings.Contains(string(body), `viewBox="-4 -4 33 33"`) {
		t.Errorf("the picture is %s", body)
	}
}

package monitor

import (
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"testing"
)

// Only a page of this server on this machine, of the same user, gets the token.
func TestLocalToken(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Guard = NewGuard("secret", nil)
	cfg.Hosts = []string{"field.example"}
	cfg.Handlers = map[string]http.Handler{"GET /api/token": cfg.Guard.Local()}
	_, h := serve(t, cfg)
	for name, c := range map[string]struct {
		headers []string
		given   bool
	}{
		"own page":         {[]string{"Sec-Fetch-Site", "same-origin"}, runtime.GOOS == "linux"},
		"no browser":       {nil, false},
		"other page":       {[]string{"Sec-Fetch-Site", "cross-site"}, false},
		"same site":        {[]string{"Sec-Fetch-Site", "same-site"}, false},
		"address bar":      {[]string{"Sec-Fetch-Site", "none"}, false},
		"name of a router": {[]string{"Sec-Fetch-Site", "same-origin", "Host", "field.example"}, false},
		"a proxy":          {[]string{"Sec-Fetch-Site", "same-origin", "X-Forwarded-For", "10.0.0.7"}, false},
	} {
		resp, body := ask(t, "GET", h.URL+"/api/token", "", c.headers...)
		if resp.StatusCode != 200 || strings.Contains(body, "secret") != c.given {
			t.Errorf("%s: %s %s", name, resp.Status, body)
		}
		if resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: it may be kept", name)
		}
	}
}

// A connection of another machine is none of this one's.
func TestForeignConnection(t *testing.T) {
	if ownsConnection(netip.MustParseAddrPort("10.1.2.3:4000"), netip.MustParseAddrPort("127.0.0.1:80")) {
		t.Error("a connection that does not exist has the same user")
	}
}

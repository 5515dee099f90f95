package monitor

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Local answers a page on this machine with the token, so that its user need not paste it: {"token":"…"}. Everybody else
// gets an empty one. A request gets it if all of this holds:
//   - it comes from a loopback address, and no proxy has passed it on;
//   - the page was opened by a name of loopback: no name of another machine leads here;
//   - the browser says that a page of this server asks, which no other page can forge;
//   - the program that asks belongs to the user who runs this one, or to root where this one does, as the system's table
//     of connections tells. Systems without such a table give no token.
func (g *Guard) Local() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var token string
		if g != nil && isLocal(r) {
			token = g.token
		}
		answer(w, http.StatusOK, struct {
			Token string `json:"token"`
		}{token})
	})
}

// isLocal reports whether a request comes from a page of this server in a browser of the user who runs it.
func isLocal(r *http.Request) bool {
	for _, passed := range []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"} {
		if r.Header.Get(passed) != "" {
			return false
		}
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().Unmap().IsLoopback() || !isLoopbackName(r.Host) || r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return false
	}
	here, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	to, err := netip.ParseAddrPort(here.String())
	return err == nil && ownsConnection(plain(from), plain(to))
}

// plain returns an address without the form of IPv4 in IPv6.
func plain(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// isLoopbackName reports whether the host of a request is a name of loopback.
func isLoopbackName(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.IsLoopback()
}

package monitor

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Forbidden is the error of a command that needs the token. The page shows it with status 403.
type Forbidden string

func (f Forbidden) Error() string { return string(f) }

// errPrivate is the reason for closing a stream that asks for a private topic without the token.
const errPrivate = Forbidden("this page needs the token: open it with the link that was printed at the start")

const (
	// Wrong tokens of one address are answered one after the other, each after this time.
	wrongTokenTime = 500 * time.Millisecond
	// No answer waits longer.
	maxWrongWait = 30 * time.Second
	// Further addresses share one queue.
	maxGuessers = 1024
)

// Guard checks the token. It slows down guesses: a wrong token is answered late, and the next one of the same address
// later. The right token is accepted at once, also from that address. A nil Guard authorises nobody.
type Guard struct {
	token   string
	trusted func(*http.Request)

	mu  sync.Mutex
	due map[netip.Prefix]time.Time // of the next answer to a wrong token
}

// NewGuard returns the guard of a token; "" authorises nobody. trusted, if not nil, is called with each request that has
// the token.
func NewGuard(token string, trusted func(*http.Request)) *Guard {
	return &Guard{token: token, trusted: trusted, due: map[netip.Prefix]time.Time{}}
}

// Authorised reports whether a request carries the token, as "Authorization: Bearer TOKEN". After a wrong token it
// returns late.
func (g *Guard) Authorised(r *http.Request) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && g.check(r.Context(), r, given)
}

// check reports whether the token given with a request is right. It returns late if not, or when ctx ends.
func (g *Guard) check(ctx context.Context, r *http.Request, given string) bool {
	switch {
	case given == "" || g == nil || g.token == "":
		return false
	case subtle.ConstantTimeCompare([]byte(given), []byte(g.token)) == 1: // its duration reveals nothing
		if g.trusted != nil {
			g.trusted(r)
		}
		return true
	}
	wait := time.NewTimer(g.delay(addressOf(r), time.Now()))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	return false
}

// delay returns how long the answer to a wrong token of an address waits.
func (g *Guard) delay(from netip.Prefix, now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.due[from]; !known && len(g.due) >= maxGuessers {
		for a, due := range g.due {
			if due.Before(now) {
				delete(g.due, a)
			}
		}
		if len(g.due) >= maxGuessers {
			from = netip.Prefix{}
		}
	}
	due := g.due[from]
	if due.Before(now) {
		due = now
	}
	due = due.Add(wrongTokenTime)
	if last := now.Add(maxWrongWait); due.After(last) {
		due = last
	}
	g.due[from] = due
	return due.Sub(now)
}

// addressOf returns the address of a request's client; of IPv6 the network, because a client has all addresses of it.
func addressOf(r *http.Request) netip.Prefix {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	addr, bits := from.Addr().Unmap().WithZone(""), 32
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // both lengths are valid
	return p
}

// private reports whether a topic needs the token.
func (s *Server) private(topic string) bool { return s.cfg.Private != nil && s.cfg.Private(topic) }

package monitor

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// given returns a request from an address with a token.
func given(from, token string) *http.Request {
	r := httptest.NewRequest("POST", "/api/command/decide", nil)
	r.RemoteAddr = from + ":1234"
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// Wrong tokens of an address are answered one after the other, 0.5 s apart and at most 30 s late, those of another
// address and the right token meanwhile.
func TestWrongTokensAreSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trusted := 0
		g := NewGuard("right", func(*http.Request) { trusted++ })
		start := time.Now()
		var answers sync.WaitGroup
		var mu sync.Mutex
		var last time.Duration
		for i := range 40 {
			answers.Go(func() {
				if g.Authorised(given("10.0.0.1", fmt.Sprint("guess ", i))) {
					t.Error("a guess was accepted")
				}
				mu.Lock()
				defer mu.Unlock()
				last = max(last, time.Since(start))
			})
		}
		synctest.Wait()
		if !g.Authorised(given("10.0.0.1", "right")) || time.Since(start) != 0 || trusted != 1 {
			t.Errorf("the right token was accepted after %v, trusted %d", time.Since(start), trusted)
		}
		if g.Authorised(given("10.0.0.2", "wrong")) || time.Since(start) != 500*time.Millisecond {
			t.Errorf("another address was answered after %v, want 0.5 s", time.Since(start))
		}
		answers.Wait()
		if last != 20*time.Second {
			t.Errorf("40 guesses took %v, want 20 s", last)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		if g.Authorised(given("10.0.0.1", "wrong").WithContext(ctx)) || time.Since(began) != 0 {
			t.Error("a guess whose client is gone still waits")
		}
	})
}

// Requests without a token do not wait, and guesses of many addresses need bounded memory.
func TestGuardBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGuard("right", nil)
		start := time.Now()
		if g.Authorised(httptest.NewRequest("GET", "/", nil)) || (*Guard)(nil).Authorised(given("10.0.0.1", "")) ||
			NewGuard("", nil).Authorised(given("10.0.0.1", "x")) || time.Since(start) != 0 {
			t.Errorf("a request without a token waited %v or was accepted", time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nobody waits for the answers
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range 20_000 {
			g.Authorised(given(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "wrong").WithContext(ctx))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
			t.Errorf("20,000 addresses need %d bytes", grown)
		}
		runtime.KeepAlive(g)
	})
}

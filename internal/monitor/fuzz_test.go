package monitor

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/internal/control"
)

// FuzzSubscription parses arbitrary messages: accepted subscriptions are within the bounds.
func FuzzSubscription(f *testing.F) {
	f.Add([]byte(`{"subscribe":["wall","network","packets/127.0.0.1:4000/cyan/3"]}`))
	f.Add([]byte(`{"subscribe":["wall"],"most":{"wall":5,"network":0.5}}`))
	f.Add([]byte(`{"subscribe":[]}`))
	f.Add([]byte(`{"subscribe":null}`))
	f.Fuzz(func(t *testing.T, msg []byte) {
		wish, err := parseSubscription(websocket.MessageText, msg)
		if err != nil {
			if len(err.Error()) > 123 {
				t.Errorf("the error %q does not fit into a close frame", err)
			}
			return
		}
		topics := wish.Subscribe
		for topic, rate := range wish.Most {
			if period := float64(time.Second) / rate; !(period >= 1e6 && period <= 1e12) {
				t.Errorf("accepted %v values a second of %q", rate, topic)
			}
		}
		if len(topics) > maxTopics || len(wish.Most) > maxTopics || !slices.IsSorted(topics) || len(slices.Compact(slices.Clone(topics))) != len(topics) {
			t.Errorf("accepted %q", topics)
		}
		for _, topic := range topics {
			if len(topic) > maxTopic {
				t.Errorf("accepted a topic of %d bytes", len(topic))
			}
		}
	})
}

// FuzzRequest sends arbitrary requests. Only requests with a known Host get content, only pages of the same origin send
// commands, and every error is JSON.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "/", "localhost:8014", "", []byte(nil))
	f.Add("POST", "/api/command/kick", "127.0.0.1:8014", "http://127.0.0.1:8014", []byte(`{"vx":1}`))
	f.Add("POST", "/api/command/kick", "evil.example", "http://evil.example", []byte(`{}`))
	f.Add("GET", "/api/stream", "[::1]:8014", "null", []byte(nil))
	f.Fuzz(func(t *testing.T, method, path, host, origin string, body []byte) {
		carriedOut := false
		cfg := DefaultConfig()
		cfg.Commands = control.Table{"kick": {Do: func(control.Request) (any, error) {
			carriedOut = true
			return nil, errors.New("not now")
		}}}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
		r.Method, r.URL, r.Host = method, &url.URL{Path: "/" + strings.TrimPrefix(path, "/")}, host
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		New(cfg).ServeHTTP(w, r)
		name, _, err := net.SplitHostPort(host)
		if err != nil {
			name = strings.Trim(host, "[]")
		}
		addr, err := netip.ParseAddr(name)
		if local := strings.EqualFold(name, "localhost") || err == nil && addr.IsLoopback(); !local && w.Code == http.StatusOK {
			t.Errorf("host %q got %d bytes, want an error", host, w.Body.Len())
		}
		if from, err := url.Parse(origin); carriedOut && origin != "" && (err != nil || from.Host != host) {
			t.Errorf("a page of %q sent a command to %q", origin, host)
		}
		if w.Code >= 400 && method != http.MethodHead && !json.Valid(w.Body.Bytes()) {
			t.Errorf("status %d: the error %q is not JSON", w.Code, w.Body)
		}
	})
}

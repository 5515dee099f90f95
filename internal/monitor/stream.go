package monitor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"touchline/wire"
)

// Bounds of a subscription and of a page's stream.
const (
	maxTopics        = 16
	maxTopic         = 256              // bytes
	maxMessage       = 8 << 10          // bytes; enough for 16 quoted topics of 256 bytes
	maxReason        = 123              // bytes of the reason in a close frame (RFC 6455, section 5.5)
	writeTimeout     = 2 * time.Second  // for one message to a page
	subscribeTimeout = 5 * time.Second  // for the first subscription of a stream
	maxPerAddr       = 20               // streams of one address of another machine
	repeatPeriod     = time.Second / 2  // between equal values of a topic of Every
	fewPages         = 4                // up to so many each page gets every value
	classPeriod      = time.Second / 20 // between values of a topic for each of more pages
)

// client is one page. All but wake and cancel is guarded by Server.mu.
type client struct {
	topics     []string                 // subscribed, sorted
	periods    map[string]time.Duration // by topic: the shortest time between its values that the page wants
	latest     map[string][]byte        // by topic: the newest value not sent yet
	queued     map[string]queued        // by topic: the newest value
	due        map[string]time.Time     // by topic: when the next value may be sent
	wake       chan struct{}            // holds one token while latest is not empty
	cancel     context.CancelFunc
	from       netip.Addr
	number     uint64 // in the order of admission
	spare      bool   // admitted above MaxClients: it needs the token to stay
	authorised bool   // it has the token
}

// queued is a value of a topic, and when it came into the queue of a page.
type queued struct {
	msg []byte
	at  time.Time
}

// Publish sends v to every page that has subscribed to topic. It never waits for a page: a slow one receives the newest
// value when it is ready and misses those in between. v is encoded once, and only if some page wants it. The caller keeps
// the calls for one topic in order.
func (s *Server) Publish(topic string, v any) error { return s.publish(topic, v, 0) }

// publish is Publish, except for pages that got an equal value in the last period.
func (s *Server) publish(topic string, v any, period time.Duration) error {
	if !s.wanted(topic) {
		return nil
	}
	msg, err := json.Marshal(struct {
		Run   string `json:"run"`
		Topic string `json:"topic"`
		Value any    `json:"value"`
	}{s.run, topic, v})
	if err != nil {
		return fmt.Errorf("monitor: topic %s: %w", topic, err)
	}
	msg = wire.RoundNumbers(msg)
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		last := c.queued[topic]
		if !slices.Contains(c.topics, topic) || now.Sub(last.at) < period && bytes.Equal(last.msg, msg) {
			continue
		}
		c.latest[topic], c.queued[topic] = msg, queued{msg, now}
		c.rouse()
	}
	return nil
}

// rouse wakes the goroutine that sends to a page.
func (c *client) rouse() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// wanted reports whether some page is subscribed to topic.
func (s *Server) wanted(topic string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		if slices.Contains(c.topics, topic) {
			return true
		}
	}
	return false
}

// Every publishes what snapshot returns for topic once a period, until ctx ends. A page gets a value that equals its last
// one twice a second: each message costs a browser work. snapshot is called only while a page watches the topic, and may
// return nil to publish nothing. A topic that ends in "/" stands for all watched topics with that prefix.
func (s *Server) Every(ctx context.Context, topic string, period time.Duration, snapshot func(topic string) any) error {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	s.mu.Lock()
	refresh := s.refresh(topic)
	s.mu.Unlock()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-refresh:
		case <-ticker.C:
		}
		for _, t := range s.watched(topic) {
			if v := snapshot(t); v != nil {
				if err := s.publish(t, v, repeatPeriod); err != nil {
					return err
				}
			}
		}
	}
}

// watched returns the topics that pages watch among those that topic stands for.
func (s *Server) watched(topic string) []string {
	if !strings.HasSuffix(topic, "/") {
		if s.wanted(topic) {
			return []string{topic}
		}
		return nil
	}
	return slices.DeleteFunc(s.topics(), func(t string) bool { return !strings.HasPrefix(t, topic) })
}

// Refresh publishes a topic of Every at once, without waiting for the rest of its period.
func (s *Server) Refresh(topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.refresh(topic) <- struct{}{}:
	default: // a refresh is due already
	}
}

// refresh returns the channel that wakes a topic's Every; the caller holds mu.
func (s *Server) refresh(topic string) chan struct{} {
	if s.refreshes[topic] == nil {
		s.refreshes[topic] = make(chan struct{}, 1)
	}
	return s.refreshes[topic]
}

// topics returns the topics to which pages are subscribed, sorted.
func (s *Server) topics() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for c := range s.clients {
		all = append(all, c.topics...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// stream serves one page until it disconnects, is too slow, exceeds a bound, or the Server closes.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	// websocket.Accept refuses other origins too, but without JSON.
	origin, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || origin.String() != "" && !strings.EqualFold(origin.Host, r.Host) {
		fail(w, http.StatusForbidden, "pages of other origins may not read the stream")
		return
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		fail(w, http.StatusUpgradeRequired, "the stream needs a WebSocket")
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionContextTakeover})
	if err != nil {
		return // Accept has sent the answer
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &client{
		latest: make(map[string][]byte), queued: make(map[string]queued), due: make(map[string]time.Time),
		wake: make(chan struct{}, 1), cancel: cancel,
	}
	if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		c.from = from.Addr().Unmap().WithZone("")
	}
	if err := s.admit(c); err != nil {
		_ = conn.Close(websocket.StatusTryAgainLater, err.Error())
		return
	}
	defer s.remove(c)
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		defer cancel()
		s.readSubscriptions(ctx, c, conn, r)
	}()
	for s.send(ctx, c, conn) == nil {
	}
	cancel()
	<-reading // it may still send the reason of a close
}

func (s *Server) admit(c *client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the server is stopping")
	}
	same := 0
	for o := range s.clients {
		if o.from == c.from {
			same++
		}
	}
	switch {
	case same >= maxPerAddr && c.from.IsValid() && !c.from.IsLoopback():
		return fmt.Errorf("%d pages are already open on %v; close one of them", same, c.from)
	case len(s.clients) >= 2*s.cfg.MaxClients, s.cfg.Guard == nil && len(s.clients) >= s.cfg.MaxClients:
		return s.full()
	}
	s.admitted++
	c.number, c.spare = s.admitted, len(s.clients) >= s.cfg.MaxClients
	s.clients[c] = struct{}{}
	s.streams.Add(1)
	return nil
}

func (s *Server) full() error {
	return fmt.Errorf("%d pages are already open; close one of them", s.cfg.MaxClients)
}

// subscribe subscribes a page to topics. A page above MaxClients stays only with the token: then the oldest page without
// the token is closed.
func (s *Server) subscribe(c *client, wish subscription, authorised bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.authorised = c.authorised || authorised
	if c.spare {
		if !c.authorised {
			return s.full()
		}
		var oldest *client
		for o := range s.clients {
			if !o.authorised && !o.spare && (oldest == nil || o.number < oldest.number) {
				oldest = o
			}
		}
		if oldest == nil {
			return s.full()
		}
		oldest.cancel()
		oldest.spare, c.spare = true, false // nobody picks the closing one again
	}
	c.topics, c.periods = wish.Subscribe, map[string]time.Duration{}
	for topic, rate := range wish.Most {
		c.periods[topic] = time.Duration(float64(time.Second) / rate)
	}
	clear(c.latest)
	clear(c.queued)
	clear(c.due)
	return nil
}

func (s *Server) remove(c *client) {
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	s.streams.Done()
}

// readSubscriptions reads subscriptions until the page disconnects, sends none in time, or sends something else. r is
// the request that began the stream.
func (s *Server) readSubscriptions(ctx context.Context, c *client, conn *websocket.Conn, r *http.Request) {
	timeout := time.AfterFunc(subscribeTimeout, c.cancel)
	defer timeout.Stop()
	for {
		kind, msg, err := conn.Read(ctx)
		if err != nil {
			return
		}
		timeout.Stop() // a wrong token is answered late
		wish, err := parseSubscription(kind, msg)
		authorised := s.cfg.Guard.check(ctx, r, wish.Token)
		if err == nil && !authorised && slices.ContainsFunc(wish.Subscribe, s.private) {
			err = errPrivate
		}
		code := websocket.StatusPolicyViolation
		if err == nil {
			err, code = s.subscribe(c, wish, authorised), websocket.StatusTryAgainLater
		}
		if err != nil {
			reason := err.Error()
			_ = conn.Close(code, reason[:min(len(reason), maxReason)])
			return
		}
	}
}

// subscription is what a page wants.
type subscription struct {
	Subscribe []string           `json:"subscribe"` // topics; sorted after parsing
	Most      map[string]float64 `json:"most"`      // by topic: values a second at most. Default: each value
	Token     string             `json:"token"`
}

// Bounds of the values a second that a page may ask for: the period fits into a duration.
const minRate, maxRate = 0.01, 1000

// parseSubscription parses {"subscribe":["wall",…],"most":{"wall":5},"token":"…"}. Its errors fit into the reason of a
// close frame.
func parseSubscription(kind websocket.MessageType, msg []byte) (subscription, error) {
	var m subscription
	if kind != websocket.MessageText || json.Unmarshal(msg, &m) != nil || m.Subscribe == nil {
		return m, errors.New(`send {"subscribe":["wall"]}`)
	}
	slices.Sort(m.Subscribe)
	m.Subscribe = slices.Compact(m.Subscribe)
	if len(m.Subscribe) > maxTopics || len(m.Most) > maxTopics {
		return m, fmt.Errorf("%[2]d topics are too many: a page may subscribe to %[1]d", maxTopics,
			max(len(m.Subscribe), len(m.Most)))
	}
	for _, t := range m.Subscribe {
		if len(t) > maxTopic {
			return m, fmt.Errorf("a topic of %[2]d bytes is too long: at most %[1]d", maxTopic, len(t))
		}
	}
	for _, rate := range m.Most {
		if !(rate >= minRate && rate <= maxRate) {
			return m, fmt.Errorf("most: %v values a second are out of range: %v to %v", rate, minRate, maxRate)
		}
	}
	return m, nil
}

// send waits for new values and writes them.
func (s *Server) send(ctx context.Context, c *client, conn *websocket.Conn) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.wake:
	}
	msgs, wait := s.take(c, time.Now())
	if wait > 0 {
		time.AfterFunc(wait, c.rouse)
	}
	for _, msg := range msgs {
		writeCtx, cancel := context.WithTimeout(ctx, writeTimeout)
		err := conn.Write(writeCtx, websocket.MessageText, msg)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// take takes the values that may be sent to a page now, and returns the time until the next of the others; 0 without one.
func (s *Server) take(c *client, now time.Time) (msgs [][]byte, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	least := time.Duration(0)
	if len(s.clients) > fewPages {
		least = classPeriod
	}
	for _, t := range c.topics {
		msg, ok := c.latest[t]
		if !ok {
			continue
		}
		due := c.due[t]
		if early := due.Sub(now); early > 0 {
			if wait == 0 || early < wait {
				wait = early
			}
			continue
		}
		msgs = append(msgs, msg)
		delete(c.latest, t)
		// A late value does not delay those after it: the rate is kept on average.
		period := max(least, c.periods[t])
		if c.due[t] = due.Add(period); c.due[t].Before(now) {
			c.due[t] = now.Add(period)
		}
	}
	return msgs, wait
}

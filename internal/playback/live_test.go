package playback

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/playback/foxglovenet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// viewer is a client of Foxglove that keeps all messages.
type viewer struct {
	conn *websocket.Conn

	mu       sync.Mutex
	topics   map[uint32]string // by channel
	messages []matchlog.Message
	states   []string // of the playback, without their time
	now      soccer.Time
}

// view connects a client to a server; subscribe subscribes it to all topics.
func view(t *testing.T, s *foxglovenet.Server) *viewer {
	t.Helper()
	h := httptest.NewServer(s)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		h.Close()
	})
	conn, _, err := websocket.Dial(t.Context(), h.URL, &websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	v := &viewer{conn: conn, topics: map[uint32]string{}}
	go v.read(t)
	return v
}

func (v *viewer) read(t *testing.T) {
	for {
		kind, b, err := v.conn.Read(t.Context())
		if err != nil {
			return
		}
		v.mu.Lock()
		switch {
		case kind == websocket.MessageText:
			var m struct {
				Channels []struct {
					ID    uint32
					Topic string
				}
			}
			_ = json.Unmarshal(b, &m) // other messages have no channels
			for _, c := range m.Channels {
				v.topics[c.ID] = c.Topic
			}
		case b[0] == 1:
			v.messages = append(v.messages, matchlog.Message{
				Channel: v.topics[binary.LittleEndian.Uint32(b[1:])], Time: soccer.Time(binary.LittleEndian.Uint64(b[5:])), Data: b[13:],
			})
		case b[0] == 2:
			v.now = soccer.Time(binary.LittleEndian.Uint64(b[1:]))
		case b[0] == 5:
			v.states = append(v.states, fmt.Sprintf("%d %s", b[1], b[19:]))
		}
		v.mu.Unlock()
	}
}

// look calls see with the viewer at rest, and reports what it returns.
func (v *viewer) look(see func() bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return see()
}

// walls returns how many walls came, with the viewer at rest.
func (v *viewer) walls() (n int) {
	for i := range v.messages {
		if v.messages[i].Channel == WallChannel {
			n++
		}
	}
	return n
}

// subscribe subscribes to all topics once they are known; the number of a subscription is that of its channel.
func (v *viewer) subscribe(t *testing.T, topics ...string) {
	t.Helper()
	wiretest.Eventually(t, fmt.Sprint(topics), func() bool {
		return v.look(func() bool {
			known := slices.Collect(maps.Values(v.topics))
			return !slices.ContainsFunc(topics, func(name string) bool { return !slices.Contains(known, name) })
		})
	})
	type subscription struct {
		ID      uint32 `json:"id"`
		Channel uint32 `json:"channelId"`
	}
	var all []subscription
	v.look(func() bool {
		for id := range v.topics {
			all = append(all, subscription{id, id})
		}
		return true
	})
	v.send(t, map[string]any{"op": "subscribe", "subscriptions": all})
}

func (v *viewer) send(t *testing.T, m any) {
	t.Helper()
	b, err := json.Marshal(m)
	if err == nil {
		err = v.conn.Write(t.Context(), websocket.MessageText, b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// control sends a request about the playback.
func (v *viewer) control(t *testing.T, paused bool, seek soccer.Time, id string) {
	t.Helper()
	b := []byte{3, 0, 0, 0, 0x80, 0x3f, 0}
	if paused {
		b[1] = 1
	}
	if seek != 0 {
		b[6] = 1
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(seek))
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(id))), id...)
	if err := v.conn.Write(t.Context(), websocket.MessageBinary, b); err != nil {
		t.Fatal(err)
	}
}

// live runs a tape of a session with a recording and a viewer, and returns what the viewer saw and the recording.
func live(t *testing.T) (seen []matchlog.Message, path string) {
	dir := t.TempDir()
	tape, session := newTape(dir), new(clock)
	cfg := foxglovenet.DefaultConfig()
	cfg.Schema, cfg.First = Schema, tape.First
	server := foxglovenet.New(cfg)
	tape.Serve(server)
	v := view(t, server)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tape.Run(ctx, session) }()
	path = filepath.Join(dir, "live.mcap")
	if err := tape.Start(path); err != nil {
		t.Fatal(err)
	}
	tape.Packet(&soccer.Packet{Time: soccer.Epoch, Channel: "224.16.32.75:2005", Data: []byte("robot")})
	tape.Message(matchlog.Message{Time: soccer.Epoch, Channel: matchlog.Lines, Data: []byte("line")})
	tape.Figures(soccer.Epoch, &autoref.Scene{}, &game.State{})
	v.subscribe(t, WallChannel, NetworkChannel, SceneChannel, FieldChannel, TransformsChannel, matchlog.Packets, matchlog.Lines,
		matchlog.Truth, matchlog.States)
	wiretest.Eventually(t, "the first wall", func() bool { return v.look(func() bool { return len(v.messages) > 3 }) })
	data := []byte("again")
	tape.Message(matchlog.Message{Time: soccer.Epoch + 1, Channel: matchlog.Lines, Data: data})
	copy(data, "other") // the caller may use its memory again
	tape.Packet(&soccer.Packet{Time: soccer.Epoch + 1, Channel: "224.16.32.75:2005", Data: []byte("robot")})
	tape.Figures(soccer.Epoch.Add(time.Second), &autoref.Scene{}, &game.State{})
	wiretest.Eventually(t, "12 walls", func() bool {
		return v.look(func() bool { return v.walls() > 12 })
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := tape.Stop(); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "all topics", func() bool {
		return v.look(func() bool {
			topics := map[string]bool{}
			for _, m := range v.messages {
				topics[m.Channel] = true
			}
			return len(topics) == 9 // a session without a field has its lines, too
		})
	})
	v.look(func() bool { seen = slices.Clone(v.messages); return true })
	return seen, path
}

// All messages that a client of Foxglove gets live are in the recording of the same samples, byte for byte.
func TestLiveIsRecorded(t *testing.T) {
	seen, path := live(t)
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	recorded := map[string]bool{}
	key := func(m *matchlog.Message, data []byte) string { return fmt.Sprint(m.Channel, m.Time, string(data)) }
	for m, err := range l.Messages(0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		recorded[key(&m, matchlog.AppendData(nil, &m))] = true
	}
	for _, m := range seen {
		if m.Channel != FieldChannel && !recorded[key(&m, m.Data)] { // the lines come with the subscription
			t.Errorf("%s of %d is not in the recording: %.100q", m.Channel, m.Time, m.Data)
		}
	}
}

// A client controls the playback of a recording: the messages come in order, a seek brings the newest of each topic, and the
// end is told.
func TestReel(t *testing.T) {
	_, path := live(t)
	r, err := OpenReplay(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	reel, cfg := NewReel(r), foxglovenet.DefaultConfig()
	reel.Configure(&cfg)
	server := foxglovenet.New(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- reel.Run(ctx, server) }()
	v := view(t, server)
	start, end := r.log.Info().Start, r.log.Info().End
	middle := end.Add(-300 * time.Millisecond)
	v.control(t, true, middle, "seek") // before a subscription: the recording does not start to play
	v.subscribe(t, WallChannel, SceneChannel, matchlog.Packets)
	wiretest.Eventually(t, "the wall before the time", func() bool { return v.look(func() bool { return v.walls() > 0 }) })
	v.look(func() bool {
		for _, m := range v.messages {
			if m.Time >= middle {
				t.Errorf("%s of %v is after the time of the seek, %v", m.Channel, m.Time, middle)
			}
		}
		return true
	})
	v.control(t, false, 0, "play")
	wiretest.Eventually(t, "the end", func() bool {
		return v.look(func() bool { return len(v.states) > 0 && v.states[len(v.states)-1] == "3 " && v.now > end })
	})
	v.look(func() bool {
		if states := fmt.Sprintf("%q", v.states); states != `["1 " "1 seek" "0 play" "3 "]` && states != `["1 seek" "0 play" "3 "]` {
			t.Errorf("the states are %s", states)
		}
		v.messages = nil
		return true
	})
	v.control(t, false, 0, "again") // at the end: from the start
	wiretest.Eventually(t, "the start", func() bool { return v.look(func() bool { return len(v.messages) > 0 && v.now < end }) })
	v.control(t, true, start, "stop")
	wiretest.Eventually(t, "the answer", func() bool { return v.look(func() bool { return v.states[len(v.states)-1] == "1 stop" }) })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

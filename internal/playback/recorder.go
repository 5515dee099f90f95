package playback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"touchline/internal/playback/foxglovenet"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/tcm"
)

// Bounds of what a Recorder keeps of the packets: a flood does not shorten the history of the beliefs.
const (
	maxRate        = 500 // packets a second
	maxDatagrams   = 500 // datagrams of the TCM a second
	maxPacketBytes = 2 << 10
)

// Config describes a Recorder.
type Config struct {
	Dir  string            // folder of the files of Start without a name. Default "": the working directory
	Meta map[string]string // metadata of the files. Default none
}

// State is the topic "session".
type State struct {
	Live      bool       `json:"live"` // false: the recording File is replayed
	File      string     `json:"file"` // name of the replayed recording
	From      float64    `json:"from"` // s since the session started: the first time that can be shown
	To        float64    `json:"to"`
	Ready     float64    `json:"ready"`     // share of the recording that is read, 0 to 1
	Memory    int        `json:"memory"`    // bytes that the last minutes of a live session take
	Recording *Recording `json:"recording"` // the running recording, or the last one; nil: none yet
}

// Recording describes a recording of a live session.
type Recording struct {
	File    string  `json:"file"` // its name
	Running bool    `json:"running"`
	Seconds float64 `json:"seconds"` // time since it started
	Bytes   int64   `json:"bytes"`   // length of the file
	Dropped uint64  `json:"dropped"` // messages missing in it
	Error   string  `json:"error"`   // why; "" if none is missing
}

// Recorder keeps the last ten minutes of a live session in memory, and records the session when asked to. Its methods may be
// called from any goroutine.
type Recorder struct {
	cfg      Config
	log      *slog.Logger
	clock    soccer.Clock
	history  *history
	pictures *history // pictures of robots' cameras
	player   *Player

	starting sync.Mutex // one Start or Stop at a time
	mu       sync.Mutex
	record   *openRecord // the running recording; nil if there is none
	last     Recording   // the last finished one
	live     audience    // the clients of Foxglove
	second   int64       // second of the clock that the next two counts are for

	packets, datagrams int // datagrams outside of the TCM, and in it
}

// openRecord is a running recording.
type openRecord struct {
	*matchlog.Recorder
	file    *matchlog.Writer
	samples int     // samples of the scene
	logged  float64 // see SampleSession; for Recorder.sample alone
	figures figures
	began   time.Time
}

// audience is what clients of Foxglove get of a live session.
type audience struct {
	*foxglovenet.Server         // nil: none
	logged              float64 // see sampleSession; for Recorder.sample alone
	figures             figures
	wall                *watch.Wall // the newest one; nil: none yet
	at                  soccer.Time // when it was sampled
}

// New returns a Recorder.
func New(cfg Config, log *slog.Logger) *Recorder {
	r := &Recorder{
		cfg: cfg, log: log, clock: soccer.NewClock(time.Now()),
		history: newHistory(mostTopics), pictures: newHistory(mostPictures),
	}
	r.player = newPlayer(r.history, r.pictures)
	return r
}

// Player returns the Player of the last ten minutes.
func (r *Recorder) Player() *Player { return r.player }

// Serve shows the session to the clients of a server, too. It is to be called once.
func (r *Recorder) Serve(s *foxglovenet.Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live.Server = s
}

// First returns what a client of Foxglove gets of a channel as soon as it subscribes: its part of the newest sample. The lines
// of the field come each ten seconds, and no sample comes while a session is paused.
func (r *Recorder) First(channel string) (m matchlog.Message, ok bool) {
	r.mu.Lock()
	wall, at := r.live.wall, r.live.at
	r.mu.Unlock()
	if wall == nil {
		return m, false
	}
	var v any
	switch channel {
	case FieldChannel:
		v = field(at, wall.Field)
	case SceneChannel:
		v = Scene(at, wall)
	case TransformsChannel:
		v = transforms(at, wall)
	default:
		if strings.HasPrefix(channel, matchlog.TopicPrefix) {
			m, ok, _ = r.history.Last(channel, at) // a block that cannot be read has none
		}
		m.Data = bytes.Clone(m.Data)
		return m, ok
	}
	m, err := message(at, channel, v)
	return m, err == nil
}

// Packet keeps a received datagram. It is the Tap of a transport.Receiver.
func (r *Recorder) Packet(p *soccer.Packet) {
	now := r.clock.At(time.Now())
	r.mu.Lock()
	if r.record != nil {
		r.record.Packet(p)
	}
	if second := int64(now) / int64(time.Second); second != r.second {
		r.second, r.packets, r.datagrams = second, 0, 0
	}
	channel, count, most := matchlog.PacketChannel(p), &r.packets, maxRate
	if r.live.Wants(channel) {
		r.live.Put(matchlog.Message{Time: p.Time, Channel: channel, Data: matchlog.AppendPacket(nil, p)})
	}
	if channel == matchlog.TCM {
		if bulk(p.Data) {
			r.mu.Unlock()
			return
		}
		count, most = &r.datagrams, maxDatagrams
	}
	*count++
	full := *count > most
	r.mu.Unlock()
	if full {
		return
	}
	kept := *p
	kept.Size, kept.Data = p.FullSize(), p.Data[:min(len(p.Data), maxPacketBytes)]
	r.history.add(matchlog.Message{Time: now, Channel: channel, Data: matchlog.AppendPacket(nil, &kept)})
}

// bulk reports whether a datagram of the TCM carries pictures or files. They would take the place of the robots' messages
// in the last ten minutes; recordings have them.
func bulk(b []byte) bool {
	const socket = 10 // offset in the header (docs/teamcom.md)
	return len(b) > socket && tcm.Socket(b[socket]) == tcm.Bulk
}

// Message records a copy of another message, if a recording runs, and shows it to clients of Foxglove that want it.
func (r *Recorder) Message(m matchlog.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.live.Wants(m.Channel) && r.record == nil {
		return
	}
	m.Data = bytes.Clone(m.Data)
	if m.Channel == matchlog.Truth || m.Channel == matchlog.States {
		m = withoutNulls(m)
	}
	r.keep(m)
}

// keep records a message, if a recording runs, and shows it to clients that want it. m.Data stays as it is. It requires
// r.mu.
func (r *Recorder) keep(m matchlog.Message) {
	if r.record != nil {
		r.record.Record(m)
	}
	r.live.Put(m)
}

// WhileRecording returns n while a recording runs, and 0 otherwise.
func (r *Recorder) WhileRecording(n uint8) uint8 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.record == nil {
		return 0
	}
	return n
}

// Session is a live session.
type Session interface {
	Wall(topic string) any    // a *watch.Wall
	Network(topic string) any // a watch.Network
}

// team is a Session whose robots talk over the TCM.
type team interface {
	Session
	Nodes(topic string) any     // a teamcom.View, or nil without a TCM
	Booking(topic string) any   // a watch.BookingView, or nil without a TCM
	Behaviour(topic string) any // a watch.BehaviourView, or nil without a TCM
}

// twoTeams is a team that plays against another one.
type twoTeams interface {
	team                    // the topics with the suffix ".away" are those of the other team
	Match(topic string) any // a match.ShowView
}

// Run keeps what the session shows until ctx ends. The session may be a team.
func (r *Recorder) Run(ctx context.Context, session Session) error {
	ticker := time.NewTicker(SamplePeriod)
	defer ticker.Stop()
	last := -1.0 // time of the last wall
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		wall, ok := session.Wall("wall").(*watch.Wall)
		if !ok || wall.Time == last { // paused
			continue
		}
		last = wall.Time
		now := r.clock.At(time.Now())
		if err := r.sample(n, now, wall, session); err != nil {
			return err
		}
	}
}

// sample adds the n-th sample to the history and to the recording, and shows it to clients of Foxglove.
func (r *Recorder) sample(n int, now soccer.Time, wall *watch.Wall, session Session) error {
	e := encoder{now: now, encoded: map[string]matchlog.Message{}}
	samplePage(n, wall, session, func(channel string, v any) {
		if m, ok := e.encode(channel, v); ok {
			r.history.add(m)
			r.mu.Lock()
			r.keep(m)
			r.mu.Unlock()
		}
	})
	r.player.Observe(now, wall)
	if n%networkPeriod == 0 {
		r.history.pack()
		r.pictures.pack()
		r.player.forget(r.history.first())
	}
	r.mu.Lock()
	record, recorded, live := r.record, 0, r.live.Server
	if record != nil {
		recorded = record.samples
		record.samples++
	}
	r.live.wall, r.live.at = wall, now
	r.mu.Unlock()
	if record != nil {
		sampleScene(recorded, now, wall, &record.logged, func(channel string, v any) {
			if m, ok := e.once(channel, v); ok {
				record.Record(m)
			}
		})
	}
	if live != nil {
		sampleScene(n, now, wall, &r.live.logged, func(channel string, v any) {
			if !live.Wants(channel) {
				return
			}
			if m, ok := e.once(channel, v); ok {
				live.Put(m)
			}
		})
	}
	return e.failed
}

// encoder encodes the messages of a sample, each once for the recording and for the clients of Foxglove.
type encoder struct {
	now     soccer.Time
	encoded map[string]matchlog.Message
	failed  error
}

// encode returns the message of a channel with a value.
func (e *encoder) encode(channel string, v any) (m matchlog.Message, ok bool) {
	m, err := message(e.now, channel, v)
	e.failed = errors.Join(e.failed, err)
	return m, err == nil
}

// once is encode for a channel with one message a sample. A sample may have several events.
func (e *encoder) once(channel string, v any) (m matchlog.Message, ok bool) {
	if m, ok = e.encoded[channel]; ok && channel != LogChannel {
		return m, true
	}
	if m, ok = e.encode(channel, v); ok {
		e.encoded[channel] = m
	}
	return m, ok
}

// Start starts a recording in a new file; "" stands for a file in Config.Dir that is named by date and time.
func (r *Recorder) Start(path string) error {
	r.starting.Lock()
	defer r.starting.Unlock()
	r.mu.Lock()
	running := r.record != nil
	r.mu.Unlock()
	if running {
		return errors.New("playback: a recording is already running")
	}
	now := time.Now()
	w, err := r.create(path, now)
	if err != nil {
		return err
	}
	path = w.Path()
	declare(w)
	record := &openRecord{file: w, began: now, Recorder: matchlog.NewRecorder(w, func(why string) {
		r.log.Error("the record has gaps", "file", path, "why", why)
	})}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record = record
	return nil
}

// create creates the file of a recording; "" stands for one that is named by date and time, with a number if there is
// one of this second already.
func (r *Recorder) create(path string, now time.Time) (*matchlog.Writer, error) {
	if path != "" {
		return matchlog.CreatePacked(path, r.cfg.Meta)
	}
	name := "session_" + strings.TrimSuffix(matchlog.LogName(r.clock.At(now)), ".mcap")
	for n := 1; ; n++ {
		file := name + ".mcap"
		if n > 1 {
			file = fmt.Sprintf("%s_%d.mcap", name, n)
		}
		w, err := matchlog.CreatePacked(filepath.Join(r.cfg.Dir, file), r.cfg.Meta)
		if n == 100 || !errors.Is(err, fs.ErrExist) {
			return w, err
		}
	}
}

// Stop finishes the running recording, if there is one. The error describes its gaps.
func (r *Recorder) Stop() error {
	r.starting.Lock()
	defer r.starting.Unlock()
	r.mu.Lock()
	record := r.record
	r.record = nil
	r.mu.Unlock()
	if record == nil {
		return nil
	}
	err := record.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = record.describe()
	r.last.Running = false
	return err
}

// describe describes a running recording.
func (r *openRecord) describe() Recording {
	h := r.Health()
	return Recording{
		File: filepath.Base(r.file.Path()), Running: true, Seconds: time.Since(r.began).Seconds(), Bytes: r.file.Size(),
		Dropped: h.Dropped, Error: h.Error,
	}
}

// State returns the topic "session", a *State.
func (r *Recorder) State(string) any {
	s := &State{Live: true, Memory: r.history.bytes() + r.pictures.bytes()}
	s.From, s.To, s.Ready = r.player.bounds()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.record != nil:
		running := r.record.describe()
		s.Recording = &running
	case r.last.File != "":
		last := r.last
		s.Recording = &last
	}
	return s
}

// Package playback goes back in time: it returns what the wall showed at any time of a recorded session, or of the last
// ten minutes of a live one. A Player finds it in a matchlog.Log or in a History.
//
// Times of a session are in seconds since it started, as in watch.Wall; they stand still while the session is paused. A
// recording with beliefs (channel topic/wall) shows the recorded ones. In a recording of packets alone the Player
// computes them from the packets, as touchline monitor does.
package playback

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"touchline/internal/league"
	"touchline/internal/match"
	"touchline/internal/robot/hfsm"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
)

// Channels of the wall's topics.
const (
	WallChannel    = matchlog.TopicPrefix + "wall"
	NetworkChannel = matchlog.TopicPrefix + "network"
	TCMChannel     = matchlog.TopicPrefix + "teamcom"
	BookingChannel = matchlog.TopicPrefix + "booking"

	BehaviourChannel = matchlog.TopicPrefix + "behaviour"
	matchChannel     = matchlog.TopicPrefix + "match"
)

// machineChannel returns the channel of the state machine with a checksum: its messages are the machine as JSON, always
// the same.
func machineChannel(checksum uint32) string { return fmt.Sprintf("machine/%08x", checksum) }

// SamplePeriod is the period of the recorded topics wall and, as it never changes faster, of frames.
const SamplePeriod = 100 * time.Millisecond

// Bounds of a Player.
const (
	maxFrames  = 100
	maxBytes   = 32 << 20 // bytes of the topics in the frames of one request
	maxTime    = 1e7      // s: 115 days; later times are damaged
	maxMarks   = 10_000
	maxMoments = 1 << 20          // 29 hours, 24 MB
	maxAge     = 10 * time.Second // age of the oldest packet that a page shows
	current    = 2 * time.Second  // a recorded topic is shown no longer than this
	// warmUp is the time whose packets make up a monitor's state: a silent sender keeps its row for that long.
	warmUp       = time.Minute
	reportPeriod = watch.NetworkPeriod
)

// source holds the messages of a session: a matchlog.Log or a History.
type source interface {
	Last(channel string, at soccer.Time) (matchlog.Message, bool, error)
	Messages(from, to soccer.Time, channels ...string) iter.Seq2[matchlog.Message, error]
}

// Frame is what the wall shows at one time.
type Frame struct {
	T       float64         `json:"t"` // ms since the session started
	Wall    *watch.Wall     `json:"wall"`
	Network *watch.Network  `json:"network"` // nil: not recorded
	Match   *match.ShowView `json:"match"`   // nil: without a match
}

// Sample is the disagreement at one time.
type Sample struct {
	T      float64  `json:"t"`      // s since the session started
	Spread *float64 `json:"spread"` // m; see watch.Spread
}

// Strip is the disagreement over a whole session.
type Strip struct {
	From    float64      `json:"from"` // s since the session started: the first time that can be shown
	To      float64      `json:"to"`
	Ready   float64      `json:"ready"` // share of the recording that is read, 0 to 1
	Samples []Sample     `json:"samples"`
	Marks   []watch.Mark `json:"marks"` // oldest first
}

// Player returns what the wall showed. Its methods may be called from any goroutine.
type Player struct {
	source source
	rerun  *rerun // computes the beliefs of a recording without them; else nil

	pictures    source // pictures of robots' cameras
	hasPictures bool
	hasTCM      bool
	hasMatch    bool

	mu      sync.Mutex
	moments []moment // sorted by time
	marks   []watch.Mark
	ready   float64

	machines map[uint32]*hfsm.Machine // that were found
}

// moment is a recorded wall.
type moment struct {
	t      float64     // time of the session
	at     soccer.Time // time of the record
	spread float32     // NaN: none
}

// newPlayer returns a Player of a live session, whose walls are passed to Observe. pictures has those of robots' cameras.
func newPlayer(source, pictures source) *Player {
	return &Player{source: source, pictures: pictures, ready: 1}
}

// HasPictures reports whether a recording holds pictures of robots' cameras.
func (p *Player) HasPictures() bool { return p.hasPictures }

// HasTCM reports whether a recording shows the TCM.
func (p *Player) HasTCM() bool { return p.hasTCM }

// HasMatch reports whether a recording shows a match.
func (p *Player) HasMatch() bool { return p.hasMatch }

// Observe notes that a wall was recorded at a time.
func (p *Player) Observe(at soccer.Time, w *watch.Wall) {
	p.observe(at, &wallHead{w.Time, w.Spread, w.Marks})
}

// wallHead is the part of a wall that the strip shows.
type wallHead struct {
	Time   float64
	Spread *float64
	Marks  []watch.Mark
}

func (p *Player) observe(at soccer.Time, w *wallHead) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.moments)
	if n > 0 && w.Time <= p.moments[n-1].t || n == maxMoments || !(w.Time >= 0 && w.Time < maxTime) {
		return // paused, or damaged
	}
	m := moment{w.Time, at, float32(math.NaN())}
	if w.Spread != nil {
		m.spread = float32(*w.Spread)
	}
	p.moments = append(p.moments, m)
	for _, mark := range w.Marks {
		// A wall repeats the marks of the last minute.
		i := len(p.marks)
		for i > 0 && p.marks[i-1].Time > mark.Time {
			i--
		}
		for k := i; k > 0 && p.marks[k-1].Time == mark.Time; k-- {
			if p.marks[k-1] == mark {
				i = -1
			}
		}
		if i >= 0 && len(p.marks) < maxMarks {
			p.marks = slices.Insert(p.marks, i, mark)
		}
	}
}

// forget drops what lies before a time of the record.
func (p *Player) forget(first soccer.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := 0
	for i < len(p.moments) && p.moments[i].at < first {
		i++
	}
	if i == 0 || i == len(p.moments) {
		return
	}
	p.moments = slices.Delete(p.moments, 0, i)
	k := 0
	for k < len(p.marks) && p.marks[k].Time < p.moments[0].t {
		k++
	}
	p.marks = slices.Delete(p.marks, 0, k)
}

// bounds returns the first and last time that can be shown, and which share of the recording is read.
func (p *Player) bounds() (from, to, ready float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.moments); n > 0 {
		from, to = p.moments[0].t, p.moments[n-1].t
	}
	return from, to, p.ready
}

// since returns the index of the first recorded wall that is not before a time. It requires p.mu.
func (p *Player) since(t float64) int {
	return sort.Search(len(p.moments), func(i int) bool { return p.moments[i].t >= t })
}

// moment returns the recorded wall that is nearest to a time, and whether there is one.
func (p *Player) moment(t float64) (moment, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.moments)
	if n == 0 {
		return moment{}, false
	}
	i := p.since(t)
	if i == n || i > 0 && t-p.moments[i-1].t < p.moments[i].t-t {
		i--
	}
	return p.moments[i], true
}

// frames returns the frames at from, from+step and so on up to to, in seconds: at most 100, and fewer of long ones. There
// are none before the first time is recorded.
func (p *Player) frames(from, to, step float64) ([]Frame, error) {
	frames, left := []Frame{}, maxBytes
	if !(step >= 0.001) {
		step = 0.001
	}
	var run *running
	for i := range maxFrames {
		t := from + float64(i)*step
		m, ok := p.moment(t)
		if t > to || !ok || left < 0 {
			break
		}
		if p.rerun != nil && run == nil {
			run = p.rerun.before(m.at)
			defer run.end()
		}
		f := Frame{T: t * 1e3}
		var err error
		if run != nil {
			f.Wall, f.Network, err = run.at(m.at)
		} else {
			err = p.recorded(m, &f, &left)
		}
		if err != nil {
			return nil, err
		}
		frames = append(frames, f)
	}
	return frames, nil
}

// recorded fills in the topics of a recorded wall and subtracts their length from left. A topic that is damaged is nil.
func (p *Player) recorded(m moment, f *Frame, left *int) error {
	w, network, show := new(watch.Wall), new(watch.Network), new(match.ShowView)
	n, err := p.decode(WallChannel, m.at, w)
	if *left -= n; err != nil || n == 0 {
		return err
	}
	w.Controls, w.Paused, w.Silence = false, false, nil // there is nothing to control in the past
	f.Wall = w
	n, err = p.decode(matchChannel, m.at, show)
	if *left -= n; err != nil {
		return err
	}
	if n > 0 {
		f.Match = show
	}
	n, err = p.decode(NetworkChannel, m.at, network)
	if *left -= n; n > 0 {
		f.Network = network
	}
	return err
}

// decode decodes the newest message of a topic at or before a time of the record, and returns its length; 0 if there is
// none, or a damaged one.
func (p *Player) decode(channel string, at soccer.Time, v any) (n int, err error) {
	m, ok, err := p.source.Last(channel, at)
	if err != nil || !ok || at.Sub(m.Time) > current || json.Unmarshal(m.Data, v) != nil {
		return 0, err
	}
	return len(m.Data), nil
}

// topicAt returns what the page showed of a topic at a time of the session; nil if it was not recorded.
func topicAt[T any](p *Player, channel string, t float64) (*T, error) {
	m, ok := p.moment(t)
	if !ok {
		return nil, nil
	}
	v := new(T)
	if n, err := p.decode(channel, m.at, v); err != nil || n == 0 {
		return nil, err
	}
	return v, nil
}

// packets returns the last packets that a sender sent within the ten seconds before a time, as topic packets/KEY. What
// its robot knew without packets is not recorded.
func (p *Player) packets(key string, t float64) (watch.PacketView, error) {
	none := watch.PacketView{Key: key, Packets: []watch.PacketEntry{}, Reports: []watch.Report{}}
	m, ok := p.moment(t)
	if !ok {
		return none, nil
	}
	start := m.at.Add(-seconds(m.t))
	var head struct{ Game *struct{ League string } }
	if _, err := p.decode(WallChannel, m.at, &head); err != nil {
		return none, err
	}
	if head.Game != nil {
		if game := league.New(head.Game.League, league.Config{Start: start}); game != nil {
			return p.packetsOf(game, key, m.at, none)
		}
	}
	cfg := watch.DefaultConfig()
	cfg.Start = start
	w := watch.New(cfg)
	for packet, err := range p.datagrams(matchlog.Packets, m.at.Add(-maxAge), m.at) {
		if err != nil {
			return none, err
		}
		w.Receive(packet)
	}
	w.Report(m.at, 0) // ages count up to there
	if view, ok := w.Packets(key); ok {
		return view, nil
	}
	return none, nil
}

// packetsOf is packets of a game of another league.
func (p *Player) packetsOf(m *league.Monitor, key string, at soccer.Time, none watch.PacketView) (watch.PacketView, error) {
	for packet, err := range p.datagrams(matchlog.Packets, at.Add(-maxAge), at) {
		if err != nil {
			return none, err
		}
		m.Receive(packet)
	}
	if view, ok := m.Packets(key); ok {
		return view, nil
	}
	return none, nil
}

// datagrams yields the datagrams of a channel between two times of the record, both included. Damaged ones are left out.
func (p *Player) datagrams(channel string, from, to soccer.Time) iter.Seq2[*soccer.Packet, error] {
	return func(yield func(*soccer.Packet, error) bool) {
		for msg, err := range p.source.Messages(from, to+1, channel) {
			if err != nil {
				yield(nil, err)
				return
			}
			if packet, err := matchlog.ParsePacket(msg); err == nil && !yield(&packet, nil) {
				return
			}
		}
	}
}

// seconds converts seconds to a duration.
func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// strip returns the disagreement between two times in at most most samples; each is the greatest of its part.
func (p *Player) strip(from, to float64, most int) Strip {
	s := Strip{Samples: []Sample{}, Marks: []watch.Mark{}}
	s.From, s.To, s.Ready = p.bounds()
	from, to = max(from, s.From), min(to, s.To)
	p.mu.Lock()
	defer p.mu.Unlock()
	width := max((to-from)/float64(max(1, most)), SamplePeriod.Seconds()/2)
	part := math.Inf(-1)
	for i := p.since(from); i < len(p.moments); i++ {
		m := p.moments[i]
		if m.t > to {
			break
		}
		if at := math.Floor((m.t - from) / width); at > part {
			part = at
			s.Samples = append(s.Samples, Sample{T: m.t})
		}
		last := &s.Samples[len(s.Samples)-1]
		if spread := float64(m.spread); !math.IsNaN(spread) && (last.Spread == nil || *last.Spread < spread) {
			last.Spread = &spread
		}
	}
	for _, m := range p.marks {
		if m.Time >= from && m.Time <= to {
			s.Marks = append(s.Marks, m)
		}
	}
	return s
}

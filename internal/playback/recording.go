package playback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
)

// ErrNoSession is the error of a log without beliefs and without packages of robots.
var ErrNoSession = errors.New("playback: the log contains neither beliefs nor mixed team packages")

// openRecording returns a Player of a log with the beliefs or the packets of a session. Index reads it. The error is
// ErrNoSession for other logs.
func openRecording(l *matchlog.Log) (*Player, error) {
	if f := l.Info().Format; f == "zip" || f == "msl" { // the RefBox wrote the file
		return nil, ErrNoSession
	}
	if err := l.Wait(); err != nil && l.Info().Start == 0 {
		return nil, err
	}
	p := &Player{source: l, pictures: l}
	for _, c := range l.Info().Channels {
		if c.Count == 0 {
			continue
		}
		p.hasTCM = p.hasTCM || c.Name == TCMChannel
		p.hasMatch = p.hasMatch || c.Name == matchChannel
		p.hasPictures = p.hasPictures || strings.HasPrefix(c.Name, picturePrefix)
	}
	if _, ok, err := l.Last(WallChannel, l.Info().End); ok || err != nil {
		return p, err
	}
	found, err := holdsPackages(l)
	if err == nil && !found {
		err = ErrNoSession
	}
	if err != nil {
		return nil, err
	}
	p.rerun = &rerun{source: l, start: l.Info().Start, field: soccer.MSL18x12()}
	if f, ok := matchlog.FieldOf(l.Info().Meta); ok {
		p.rerun.field = f
	}
	return p, nil
}

// holdsPackages reports whether one of a log's first datagrams is a mixed team package.
func holdsPackages(l *matchlog.Log) (bool, error) {
	const first = 1000
	w, n := watch.New(watch.DefaultConfig()), 0
	for m, err := range l.Messages(0, 0, matchlog.Packets) {
		if err != nil {
			return false, err
		}
		if p, err := matchlog.ParsePacket(m); err == nil && !w.Receive(&p).Foreign {
			return true, nil
		}
		if n++; n == first {
			break
		}
	}
	return false, nil
}

// index reads the recording from its start to its end, until proceed returns false. Frames and Strip work meanwhile, as
// far as it is read.
func (p *Player) index(l *matchlog.Log, proceed func() bool) error {
	defer func() {
		p.mu.Lock()
		p.ready = 1
		p.mu.Unlock()
	}()
	info := l.Info()
	span := max(1, float64(info.End.Sub(info.Start)))
	observe := func(at soccer.Time, head *wallHead) bool {
		p.observe(at, head)
		p.mu.Lock()
		p.ready = min(0.999, float64(at.Sub(info.Start))/span)
		p.mu.Unlock()
		return proceed()
	}
	if p.rerun != nil {
		return p.rerun.walk(info.End, observe)
	}
	for m, err := range l.Messages(0, 0, WallChannel) {
		if err != nil {
			return err
		}
		if head, ok := headOf(m.Data); ok && !observe(m.Time, &head) {
			return nil
		}
	}
	return nil
}

// headOf decodes the part of a wall that the strip shows, and skips the rest: a long recording has many walls. It
// reports false for a damaged wall.
func headOf(data []byte) (head wallHead, ok bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return head, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return head, false
		}
		var field any
		switch name.String() {
		case "time":
			field = &head.Time
		case "spread":
			field = &head.Spread
		case "marks":
			field = &head.Marks
		default:
			if d.SkipValue() != nil {
				return head, false
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil || json.Unmarshal(value, field) != nil {
			return head, false
		}
	}
	end, err := d.ReadToken()
	return head, err == nil && end.Kind() == '}'
}

// Replay is a Player of a file that a page shows.
type Replay struct {
	*Player
	path string
	log  *matchlog.Log
}

// OpenReplay opens a recording. The error wraps ErrNoSession for a log without a session.
func OpenReplay(path string) (*Replay, error) {
	l, err := matchlog.Open(path)
	if err != nil {
		return nil, err
	}
	p, err := openRecording(l)
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Replay{Player: p, path: path, log: l}, nil
}

// Run reads the recording until ctx ends.
func (r *Replay) Run(ctx context.Context) error {
	return r.index(r.log, func() bool { return ctx.Err() == nil })
}

// State returns the topic "session", a *State.
func (r *Replay) State(string) any {
	s := &State{File: filepath.Base(r.path)}
	s.From, s.To, s.Ready = r.bounds()
	return s
}

// Close closes the recording.
func (r *Replay) Close() error { return r.log.Close() }

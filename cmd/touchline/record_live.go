package main

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"touchline/matchlog"
	"touchline/matchlog/recorder"
	"touchline/soccer"
)

// recordFlag is --record of the live commands.
type recordFlag struct{ file string }

func (f *recordFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "record", "", "record everything that is received and sent, and what is believed, in this new log, for example x.mcap")
}

// open starts the record; without --record it is nil. meta is what the record contains about itself.
func (f *recordFlag) open(log *slog.Logger, meta map[string]string) (*recording, error) {
	if f.file == "" {
		return nil, nil
	}
	w, err := matchlog.Create(f.file, meta)
	if err != nil {
		return nil, exitError{2, fmt.Errorf("--record %s: %w; give the name of a new file", f.file, err)}
	}
	return newRecording(f.file, w, log), nil
}

// recording is the record of a live command. A nil recording records nothing.
type recording struct {
	*recorder.Recorder
	file   string
	ended  chan struct{} // closed by close
	topics sync.WaitGroup
}

func newRecording(file string, sink recorder.Sink, log *slog.Logger) *recording {
	return &recording{file: file, ended: make(chan struct{}), Recorder: recorder.New(sink, func(text string) {
		log.Error("the record has gaps", "file", file, "why", text)
	})}
}

// packet records a datagram as it was received. Its method value is a tap of a transport.Receiver.
func (r *recording) packet(p *soccer.Packet) {
	if r != nil {
		r.Packet(p)
	}
}

// datagram records a datagram that was received or sent, from one address to another.
func (r *recording) datagram(at soccer.Time, from, to netip.AddrPort, data []byte) {
	if r != nil {
		r.Packet(&soccer.Packet{Time: at, Channel: to.String(), From: from, Data: data})
	}
}

// message records a message.
func (r *recording) message(m matchlog.Message) {
	if r != nil {
		r.Record(m)
	}
}

// connection records a message of a base station's connection to the RefBox: the station's own as the home team's.
func (r *recording) connection(at soccer.Time, sent bool, message []byte) {
	m := matchlog.Message{Time: at, Channel: matchlog.Commands, Data: message}
	if sent {
		m.Channel, m.Published = matchlog.Home, matchlog.PublishedAt(at, message)
	}
	r.message(m)
}

// topicPeriod is the shortest period at which topics are recorded: pages need them more often than readers of a record.
const topicPeriod = 100 * time.Millisecond

// snapshots records topics of the page until close.
func (r *recording) snapshots(topics ...topic) {
	if r == nil {
		return
	}
	for _, t := range topics {
		r.topics.Go(func() {
			ticker := time.NewTicker(max(t.period, topicPeriod))
			defer ticker.Stop()
			for {
				select {
				case <-r.ended:
					return
				case now := <-ticker.C:
					r.JSON(soccer.Time(now.UnixNano()), matchlog.TopicPrefix+t.name, t.snapshot(t.name))
				}
			}
		})
	}
}

// trouble returns why the record has gaps; "" where it has none, or there is no record.
func (r *recording) trouble() string {
	if r == nil {
		return ""
	}
	return r.Trouble()
}

// close finishes the record. The error says what it lacks.
func (r *recording) close() error {
	if r == nil {
		return nil
	}
	close(r.ended)
	r.topics.Wait()
	if err := r.Close(); err != nil {
		return fmt.Errorf("--record %s: %s", r.file, strings.TrimPrefix(err.Error(), "matchlog: "))
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/internal/capture"
	"touchline/internal/check"
	"touchline/internal/console"
	"touchline/internal/match/matchnet"
	"touchline/internal/playback"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
)

func recordCommand() *cobra.Command {
	var n networkFlags
	var path string
	var duration time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use:   "record",
		Short: "Record the packets of a multicast group",
		Long: `Record writes every datagram of a multicast group to a new log, with its arrival time and sender, until
Ctrl-C. The log is compressed and written to disk four times a second: if the program is killed, at most the last 250
ms of datagrams are lost.

The commands demo, monitor, station, refbox and sim vss can record their own traffic with --record.`,
		Example: `  touchline record
  touchline record --interface eth0 --group 224.16.32.75:2005 -o practice.mcap
  touchline replay practice.mcap --to 224.16.32.75:2005`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return console.Usage(fmt.Errorf("record takes no argument, but %q is given: name the new log with -o", args[0]))
			}
			ctx, cancel, err := console.Limited(c.Context(), duration)
			if err != nil {
				return err
			}
			defer cancel()
			cfg, err := n.config()
			if err != nil {
				return console.Usage(err)
			}
			if path == "" {
				path = matchlog.LogName(soccer.Time(time.Now().UnixNano()))
			}
			return record(ctx, c, cfg, path, asJSON)
		},
	}
	flags := c.Flags()
	n.add(flags, false)
	flags.StringVarP(&path, "out", "o", "", "new log (default: named after the date and time, in this folder)")
	console.AddDuration(flags, &duration)
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// recorded is the result of a recording.
type recorded struct {
	File    string `json:"file"`
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`   // bytes of the packets
	Dropped uint64 `json:"dropped"` // packets that this machine lost before they were read
	Lost    uint64 `json:"lost"`    // received packets that are not in the file: the disk is full or too slow
}

// record records until the context ends.
func record(ctx context.Context, c *cobra.Command, cfg transport.Config, path string, asJSON bool) error {
	receiver, err := transport.Listen(cfg)
	if err != nil {
		return console.Usage(err)
	}
	defer receiver.Close()
	w, err := matchlog.CreatePacked(path, nil)
	if err != nil {
		return console.Usage(fmt.Errorf("%w; give the name of a new file with -o", err))
	}
	errs := c.ErrOrStderr()
	log := newRecording(path, w, console.Logger(errs))
	fmt.Fprintf(errs, "recording %s into %s; stop with Ctrl-C\n", cfg.Group, path)
	got := recorded{File: path}
	every, begin, end, last := 10*time.Second, "", "\n", ""
	if console.Terminal(errs) {
		every, begin, end, last = time.Second, "\r", "  ", "\n"
	}
	show := func() {
		h := log.Health()
		fmt.Fprintf(errs, "%s%s, %.1f MB, %d dropped, %d not written%s", begin, check.Plural(got.Packets-h.Dropped, "packet"),
			float64(got.Bytes)/1e6, receiver.Drops(), h.Dropped, end)
	}
	read := receiveUntil(ctx, receiver, every, show, func(p *soccer.Packet) {
		got.Packets, got.Bytes = got.Packets+1, got.Bytes+uint64(len(p.Data))
		log.Packet(p)
	})
	fmt.Fprint(errs, last)
	gaps := log.Close()
	if gaps != nil {
		gaps = fmt.Errorf("%s: %w", path, gaps)
	}
	got.Lost, got.Dropped = log.Health().Dropped, receiver.Drops()
	got.Packets -= got.Lost
	if asJSON {
		err = console.PrintJSON(c.OutOrStdout(), got)
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s, %.1f MB, %d dropped by this machine\n", path, check.Plural(got.Packets, "packet"),
			float64(got.Bytes)/1e6, got.Dropped)
	}
	return errors.Join(read, gaps, err)
}

// receiveUntil calls receive with each packet until the context ends, and progress at intervals of every, to about a
// second. It closes the receiver.
func receiveUntil(ctx context.Context, receiver *transport.Receiver, every time.Duration, progress func(),
	receive func(*soccer.Packet),
) error {
	stop := context.AfterFunc(ctx, func() { receiver.Close() })
	defer stop()
	shown := time.Now()
	for buf := make([]byte, transport.MaxDatagram); ; {
		if err := receiver.SetReadDeadline(time.Now().Add(time.Second)); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		p, err := receiver.ReadPacket(buf)
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err == nil:
			receive(&p)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return err
		}
		if time.Since(shown) >= every {
			shown = time.Now()
			progress()
		}
	}
}

// recordFlag is --record of the live commands.
type recordFlag struct {
	file     string
	pictures uint8 // a second of each robot's camera
}

func (f *recordFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "record", "",
		"record received and sent messages, beliefs and ground truth to this new log, for example x.mcap")
}

// film asks a session for the pictures of --record-pictures while run runs and its tape records.
func (f *recordFlag) film(s *matchnet.Session, tape *playback.Recorder, run func(context.Context) error,
) func(context.Context) error {
	if f.pictures == 0 {
		return run
	}
	return func(ctx context.Context) error {
		ctx, end := context.WithCancel(ctx)
		defer end()
		go s.RecordPictures(ctx, func() uint8 { return tape.WhileRecording(f.pictures) })
		return run(ctx)
	}
}

// create creates the log of the record with metadata; without --record it returns nil.
func (f *recordFlag) create(meta map[string]string) (*matchlog.Writer, error) {
	if f.file == "" {
		return nil, nil
	}
	w, err := matchlog.CreatePacked(f.file, meta)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--record %s: %w; give the name of a new file", f.file, err))
	}
	return w, nil
}

// open creates the record with metadata; without --record it returns nil.
func (f *recordFlag) open(log *slog.Logger, meta map[string]string) (*recording, error) {
	w, err := f.create(meta)
	if w == nil {
		return nil, err
	}
	return newRecording(f.file, w, log), nil
}

// tape returns the tape of a wall, which records from the start with --record.
func (f *recordFlag) tape(log *slog.Logger, meta map[string]string) (*playback.Recorder, error) {
	t := playback.New(playback.Config{Meta: meta}, log)
	if f.file == "" {
		return t, nil
	}
	if err := t.Start(f.file); err != nil {
		return nil, console.Usage(fmt.Errorf("--record %s: %w; give the name of a new file", f.file, err))
	}
	return t, nil
}

// stop finishes the recording of a tape. The error describes its gaps.
func (f *recordFlag) stop(t *playback.Recorder) error {
	if err := t.Stop(); err != nil {
		return fmt.Errorf("the recording %s: %w", f.file, err)
	}
	return nil
}

// recording is the record of a live command. The methods of a nil recording do nothing.
type recording struct {
	*matchlog.Recorder
	file   string
	ended  chan struct{} // closed by close
	topics sync.WaitGroup
}

func newRecording(file string, sink matchlog.Sink, log *slog.Logger) *recording {
	return &recording{file: file, ended: make(chan struct{}), Recorder: matchlog.NewRecorder(sink, func(text string) {
		log.Error("the record has gaps", "file", file, "why", text)
	})}
}

// packet records a received datagram. It is the tap of a transport.Receiver.
func (r *recording) packet(p *soccer.Packet) {
	if r != nil {
		r.Packet(p)
	}
}

// datagram records a datagram that was received or sent.
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

// connection records a message between a base station and the RefBox; the station counts as the home team.
func (r *recording) connection(at soccer.Time, sent bool, message []byte) {
	m := matchlog.Message{Time: at, Channel: matchlog.Commands, Data: message}
	if sent {
		m.Channel, m.Published = matchlog.Home, matchlog.PublishedAt(at, message)
	}
	r.message(m)
}

// snapshots records topics of the page until close.
func (r *recording) snapshots(topics ...topic) {
	if r == nil {
		return
	}
	clock := soccer.NewClock(time.Now())
	for _, t := range topics {
		r.topics.Go(func() {
			ticker := time.NewTicker(max(t.period, playback.SamplePeriod))
			defer ticker.Stop()
			for {
				select {
				case <-r.ended:
					return
				case now := <-ticker.C:
					r.JSON(clock.At(now), matchlog.TopicPrefix+t.name, t.snapshot(t.name))
				}
			}
		})
	}
}

// trouble describes the gaps of the record; "" if there are none, or there is no record.
func (r *recording) trouble() string {
	if r == nil {
		return ""
	}
	return r.Trouble()
}

// close finishes the record. The error describes its gaps.
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

// openPcap creates a record in a pcap file.
func openPcap(name string, log *slog.Logger) (*recording, error) {
	file, err := console.Create(name)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--record %s: %w; give the name of a new file", name, err))
	}
	p, err := newPcapFile(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("--record %s: %w", name, err)
	}
	return newRecording(name, p, log), nil
}

// pcapFile writes the datagrams of a record as IP packets with times in ns. It ignores all other messages.
type pcapFile struct {
	file   truncatable
	pcap   *capture.PcapWriter // writes to next
	next   pending
	header int   // length of the file header, which stays in next until it is written
	ends   []int // ends of the messages in next
	whole  int64 // length of the file up to its last whole packet
}

// truncatable is an *os.File, or a test's full disk.
type truncatable interface {
	io.WriteSeeker
	io.Closer
	Truncate(size int64) error
}

func newPcapFile(file truncatable) (*pcapFile, error) {
	f := &pcapFile{file: file}
	var err error
	f.pcap, err = capture.NewPcapWriter(&f.next)
	f.header = len(f.next)
	return f, err
}

// pending are bytes for a file.
type pending []byte

// Write appends b; it never fails.
func (p *pending) Write(b []byte) (int, error) {
	*p = append(*p, b...)
	return len(b), nil
}

// WriteAll writes the datagrams among messages. On a full disk the file ends with the last whole packet.
func (f *pcapFile) WriteAll(messages []matchlog.Message) (int, error) {
	encoded := f.encode(messages)
	n, err := f.file.Write(f.next)
	written, whole := 0, 0
	for written < len(f.ends) && f.ends[written] <= n {
		whole = f.ends[written]
		written++
	}
	f.whole += int64(whole)
	if f.whole > 0 {
		f.next = f.next[:0]
	} else {
		f.next = f.next[:f.header]
	}
	if err != nil { // if this fails, a partial packet stays
		_ = f.file.Truncate(f.whole)
		_, _ = f.file.Seek(f.whole, io.SeekStart)
		return written, err
	}
	return written, encoded
}

// encode appends the datagrams among messages to next. After an error, the message behind the last of ends is missing.
func (f *pcapFile) encode(messages []matchlog.Message) error {
	f.ends = f.ends[:0]
	for i := range messages {
		if m := &messages[i]; m.Channel == matchlog.Packets || m.Channel == matchlog.TCM {
			p, err := matchlog.ParsePacket(*m)
			if err != nil {
				return err
			}
			to, _ := netip.ParseAddrPort(p.Channel) // the zero address if it is not one
			if err := f.pcap.WritePacket(&p, to); err != nil {
				return err
			}
		}
		f.ends = append(f.ends, len(f.next))
	}
	return nil
}

// Close closes the file.
func (f *pcapFile) Close() error {
	_, err := f.file.Write(f.next) // the header of a record without packets
	return errors.Join(err, f.file.Close())
}

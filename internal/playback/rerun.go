package playback

import (
	"iter"
	"time"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/tcm"
)

// rerun computes the wall from recorded packets.
type rerun struct {
	source source
	start  soccer.Time // start of the session
	field  soccer.Field
}

// running is a monitor that receives recorded packets up to a time.
type running struct {
	monitor  *watch.Monitor
	next     func() (matchlog.Message, error, bool)
	end      func()
	packet   *soccer.Packet // the next one; nil at the end
	err      error          // why reading ended early
	reported soccer.Time
	network  watch.Network
}

// from starts a monitor with the packets from a time on.
func (r *rerun) from(at soccer.Time) *running {
	cfg := watch.DefaultConfig()
	cfg.Start = r.start
	run := &running{reported: at}
	run.next, run.end = iter.Pull2(r.source.Messages(at, 0, matchlog.Packets))
	run.advance()
	link := watch.Link{Group: cfg.Group, Interface: "recording"}
	if run.packet != nil && run.packet.Channel != "" {
		link.Group = run.packet.Channel
	}
	cfg.Group, cfg.Field = link.Group, r.field
	run.monitor = watch.NewMonitor(cfg, link)
	return run
}

// before starts a monitor that knows what happened in the minute before a time.
func (r *rerun) before(at soccer.Time) *running { return r.from(max(r.start, at.Add(-warmUp))) }

// advance reads the next packet.
func (run *running) advance() {
	run.packet = nil
	for {
		m, err, ok := run.next()
		if !ok || err != nil {
			run.err = err
			return
		}
		if p, err := matchlog.ParsePacket(m); err == nil && !tcm.Is(p.Data) { // a monitor receives the group alone
			p.Data = append([]byte(nil), p.Data...)
			run.packet = &p
			return
		}
	}
}

// upTo passes the packets up to a time to the monitor.
func (run *running) upTo(at soccer.Time) error {
	for run.err == nil && run.packet != nil && run.packet.Time <= at {
		run.report(run.packet.Time)
		run.monitor.Receive(run.packet)
		run.advance()
	}
	run.report(at)
	return run.err
}

// report makes the reports up to a time that a live monitor makes.
func (run *running) report(at soccer.Time) {
	if at.Sub(run.reported) > warmUp { // nothing was recorded
		run.reported = at.Add(-reportPeriod)
	}
	for at.Sub(run.reported) >= reportPeriod {
		run.reported = run.reported.Add(reportPeriod)
		run.network = run.monitor.Report(run.reported, 0)
	}
}

// at returns the topics at a time, which is not before the last one.
func (run *running) at(at soccer.Time) (*watch.Wall, *watch.Network, error) {
	if err := run.upTo(at); err != nil {
		return nil, nil, err
	}
	network := run.network
	return run.monitor.Wall(at), &network, nil
}

// walk calls observe with the wall at each time of the recording, until that returns false.
func (r *rerun) walk(end soccer.Time, observe func(soccer.Time, *wallHead) bool) error {
	run := r.from(r.start)
	defer run.end()
	for at := r.start; at < end.Add(SamplePeriod); at = at.Add(SamplePeriod) {
		if run.packet != nil && run.packet.Time.Sub(at) > warmUp {
			at = run.packet.Time.Add(-time.Second) // nothing was recorded
		}
		if err := run.upTo(at); err != nil {
			return err
		}
		w := run.monitor.Wall(at)
		if !observe(at, &wallHead{Time: w.Time, Spread: w.Spread}) {
			return nil
		}
	}
	return nil
}

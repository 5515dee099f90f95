package watch

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/monitor"
	"touchline/soccer"
	"touchline/transport"
	"touchline/world"
)

// Serve shows what a receiver of this network hears until the context ends: a tile for each sender, and one picture fused
// from all packets of the cyan side and of those without a colour. It sends nothing, and closes r at its end. flags are what
// the command that helps a user who hears nothing has besides --interface.
func Serve(
	ctx context.Context, r *transport.Receiver, network transport.Config, field soccer.Field, page *monitor.Server,
	flags string, log *slog.Logger,
) error {
	for _, missing := range r.Degraded() {
		log.Info(missing)
	}
	v := newView(network, field, time.Now())
	v.flags = flags
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return v.ear.Listen(ctx, 0, r, nil) })
	group.Go(func() error { return v.show(ctx, page, r) })
	return group.Wait()
}

// view is what the page alone shows. One loop owns it.
type view struct {
	ear     *Ear
	watcher *Watcher
	fused   *world.Model
	world   soccer.World
	wall    Wall
	began   time.Time
	flags   string
}

func newView(network transport.Config, field soccer.Field, now time.Time) *view {
	began := soccer.Time(now.UnixNano())
	cfg := DefaultConfig()
	cfg.Group, cfg.Start = network.Group.String(), began
	return &view{
		ear: NewEar(), watcher: New(cfg), fused: world.New(world.DefaultConfig(0, soccer.Cyan)), began: now,
		wall: Wall{
			Session: "monitor", Field: field,
			Link:    LinkOf(network),
			Waiting: []Member{}, Marks: []Mark{},
		},
	}
}

// LinkOf says where the packets of a real network travel.
func LinkOf(network transport.Config) Link {
	l := Link{Group: network.Group.String(), Interface: network.Interface, Loopback: network.Interface == ""}
	all, _ := transport.Interfaces()
	for _, i := range all {
		if i.Loopback && network.Interface == "" {
			l.Interface = i.Name
		}
		if i.Loopback && i.Name == network.Interface {
			l.Loopback = true
		}
	}
	return l
}

// show takes in what is heard and tells the pages.
func (v *view) show(ctx context.Context, page *monitor.Server, r *transport.Receiver) error {
	ticker := time.NewTicker(WallEvery)
	defer ticker.Stop()
	teller := Teller{Page: page}
	for {
		select {
		case <-ctx.Done():
			return nil
		case h := <-v.ear.C:
			h.Packet.Time = v.clock(h.At)
			v.hear(&h.Packet)
			v.ear.Done(h)
		case real := <-ticker.C:
			now := v.clock(real)
			if page.Wanted("wall") {
				if err := page.Publish("wall", v.instant(now, real)); err != nil {
					return err
				}
			}
			if err := teller.Tell(v.watcher, now, real, r.Drops()+v.ear.Lost()); err != nil {
				return err
			}
		}
	}
}

// clock returns the view's time of a real moment. It begins with the wall's clock and does not follow when that is set.
func (v *view) clock(real time.Time) soccer.Time {
	return soccer.Time(v.began.UnixNano()).Add(real.Sub(v.began))
}

func (v *view) hear(p *soccer.Packet) {
	s := v.watcher.Hear(p)
	if s.Percepts == nil {
		return
	}
	v.fused.Receive(&world.Message{
		From: s.Sender, Arrival: p.Time, HasStamp: s.Header.HasTimestamp, Stamp: s.Header.TimestampMillis, Percepts: s.Percepts,
	})
}

// instant returns the wall of this moment.
func (v *view) instant(now soccer.Time, real time.Time) *Wall {
	w := v.wall
	w.Time = real.Sub(v.began).Seconds()
	w.Tiles = v.watcher.Tiles(now, func(netip.AddrPort) bool { return false })
	w.Spread = Spread(w.Tiles)
	v.fused.World(now, &v.world)
	fused := BeliefOf(&v.world, soccer.Cyan, 0, 0)
	w.Fused = &fused
	w.Silence = SilenceOf(v.watcher.Quiet(now), w.Link.Interface, v.flags)
	return &w
}

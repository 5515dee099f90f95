package teamcomnet

import (
	"bytes"
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/teamcom"
)

// reloadEvery is the interval at which an Endpoint checks TCM.ini for changes.
const reloadEvery = time.Second

// version tells versions of a file apart without reading it. The zero version is that of a missing file.
type version struct {
	modified time.Time
	size     int64
}

func versionOf(path string) version {
	info, err := os.Stat(path)
	if err != nil {
		return version{}
	}
	return version{info.ModTime(), info.Size()}
}

// reload applies the changes of TCM.ini until the context ends. A file that is invalid or missing is reported once, and
// the last valid one stays in use.
func (e *Endpoint) reload(ctx context.Context, group *errgroup.Group) error {
	if e.cfg.Ini == "" {
		return nil
	}
	ticker := time.NewTicker(reloadEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		now := versionOf(e.cfg.Ini)
		if now == e.version {
			continue
		}
		e.version = now
		d, err := e.cfg.read()
		if err == nil {
			err = e.apply(ctx, group, d)
		}
		if err != nil {
			e.log.Error("TCM.ini changed, but the one before stays in use", "err", err)
			continue
		}
		e.log.Info("TCM.ini changed and is in use", "file", e.cfg.Ini, "entries", len(d.Entries))
	}
}

// apply uses another directory, and moves the sockets if it gives the endpoint another place.
func (e *Endpoint) apply(ctx context.Context, group *errgroup.Group, d *teamcom.Directory) error {
	to, err := e.cfg.placeIn(d)
	if err != nil {
		return err
	}
	secret, err := e.cfg.readKey(d)
	if err != nil {
		return err
	}
	if !bytes.Equal(secret, e.cfg.Node.Secret) {
		return errors.New("teamcomnet: the team's key is another one: restart every robot and computer with it")
	}
	if to != e.place {
		if err := e.move(ctx, group, to); err != nil {
			return err
		}
	}
	e.Node.SetDirectory(d)
	return nil
}

// move opens the sockets of another place, receives from them, and closes those that are no longer needed.
func (e *Endpoint) move(ctx context.Context, group *errgroup.Group, to place) error {
	old := e.sockets.Load()
	next, closing := &sockets{own: old.own}, &sockets{groups: old.groups}
	if to.own != e.place.own {
		opened, err := e.cfg.openOwn(to.own, e.clock)
		if err != nil {
			return err
		}
		next, closing = opened, old
	}
	if err := next.join(&e.cfg, to.group, e.clock); err != nil {
		if closing == old {
			next.close()
		}
		return err
	}
	e.place = to
	e.sockets.Store(next)
	if closing == old {
		e.receiveOwn(ctx, group, next)
	}
	e.receiveGroups(ctx, group, next)
	closing.close()
	return nil
}

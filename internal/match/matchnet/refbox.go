package matchnet

import (
	"context"
	"fmt"
	"log/slog"

	"touchline/internal/refbox/refboxnet"
	"touchline/internal/scratch"
	"touchline/internal/station"
	"touchline/internal/station/stationnet"
)

// box is the referee box of a session or match.
type box struct {
	*refboxnet.Server
	folder *scratch.Folder // of the log, deleted at the end; nil if the log stays
	ran    bool            // the server was closed by its own Run
}

// openBox opens a referee box for a new game. Without a Dir its log is deleted at the end. Without an address it listens
// where base stations connect by default, or on a free port if that is taken.
func openBox(ctx context.Context, cfg refboxnet.Config, log *slog.Logger) (b *box, err error) {
	b = new(box)
	cfg.New = true
	if cfg.Dir == "" {
		if b.folder, err = scratch.New(); err != nil {
			return nil, fmt.Errorf("match: cannot create a folder for the log: %w", err)
		}
		cfg.Dir = b.folder.Path
	}
	listen := []string{cfg.Listen}
	if cfg.Listen == "" {
		listen = []string{refboxnet.DefaultConfig().Listen, "127.0.0.1:0"}
	}
	for _, cfg.Listen = range listen {
		if b.Server, err = refboxnet.New(cfg, log); err != nil {
			break
		}
		if err = b.Open(ctx); err == nil {
			return b, nil
		}
		b.Server = nil // it is closed
	}
	b.close()
	return nil, err
}

// run runs the box until ctx ends.
func (b *box) run(ctx context.Context) error {
	b.ran = true
	if err := b.Run(ctx); err != nil {
		return fmt.Errorf("the referee box: %w", err)
	}
	return nil
}

// close closes what openBox opened.
func (b *box) close() {
	if b == nil {
		return
	}
	if b.Server != nil && !b.ran {
		b.Close()
	}
	_ = b.folder.Remove() // the next program tries again
}

// station returns a base station that reports to the box.
func (b *box) station(cfg stationnet.Config, onCommand func(station.Command, []byte), log *slog.Logger) (*stationnet.Client, error) {
	var err error
	if cfg.RefBox, err = stationnet.ParseTarget(b.Addr().String()); err != nil {
		return nil, err
	}
	cfg.OnCommand = onCommand
	return stationnet.New(cfg, stationnet.Warnings(log))
}

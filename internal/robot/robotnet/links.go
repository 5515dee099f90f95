package robotnet

import (
	"context"
	"time"

	"touchline/wire/tcm"
)

// Periods in which a robot looks at its links, and reports.
const (
	linkPeriod   = 50 * time.Millisecond
	reportPeriod = 500 * time.Millisecond
)

// watchLinks logs the links that go up or down, and reports, until ctx ends. It is apart from the control loop: a report
// takes longer than a control period.
func (r *Robot) watchLinks(ctx context.Context) {
	ticker := time.NewTicker(linkPeriod)
	defer ticker.Stop()
	links := map[tcm.Entity]bool{} // up
	var reported time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if changed := r.logLinks(links); r.cfg.OnReport != nil && (changed || now.Sub(reported) >= reportPeriod) {
				reported = now
				r.cfg.OnReport(r.endpoint.Report(r.endpoint.Now()))
			}
		}
	}
}

// logLinks logs the links that went up or down, and notes them in links. It reports whether one did.
func (r *Robot) logLinks(links map[tcm.Entity]bool) bool {
	type change struct {
		peer   tcm.Entity
		silent time.Duration
		up     bool
	}
	var changes []change // the node waits while it calls
	r.endpoint.Links(r.endpoint.Now(), func(peer tcm.Entity, silent time.Duration, up bool) {
		if was, known := links[peer]; !known || was != up {
			links[peer], changes = up, append(changes, change{peer, silent, up})
		}
	})
	for _, c := range changes {
		if c.up {
			r.log.Info("a link is up", "peer", c.peer)
		} else {
			r.log.Info("a link is down", "peer", c.peer, "silent ms", c.silent.Milliseconds())
		}
	}
	return len(changes) > 0
}

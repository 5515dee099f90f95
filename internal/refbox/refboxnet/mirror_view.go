package refboxnet

import (
	"fmt"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// show returns the views of the copied game for the pages. The game runs on the other box's clock. cfg is the
// configuration after a takeover.
func (m *mirror) show(cfg refbox.Config, now time.Time) (refbox.Show, refbox.RefereeShow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, r := refbox.Show{Name: cfg.Name, Part: game.PreGame}, refbox.RefereeShow{}
	ahead := m.clockAhead(now)
	at := soccer.Time(now.Add(ahead).UnixNano())
	err := m.rebuild(cfg, at)
	if m.box != nil {
		v, r = m.box.Show(at), m.box.Referee(at)
		for i := range r.Keys {
			r.Keys[i].Why = "this is a standby: take over first"
		}
		m.showTeam(0, &v.Home, &r.Home, at)
		m.showTeam(1, &v.Away, &r.Away, at)
	}
	v.Follows, v.Lost, v.Game = m.host, m.trouble != "", strings.TrimSuffix(m.name, ".mcap")
	if !m.received.IsZero() {
		v.Lag = now.Sub(m.received).Seconds()
	}
	for _, trouble := range []error{err, m.scan.Err()} {
		if trouble != nil {
			v.Trouble = append(v.Trouble, "the copy: "+trouble.Error())
		}
	}
	if m.trouble != "" {
		v.Trouble = append(v.Trouble, m.trouble)
	}
	if m.size > 0 && ahead.Abs() > skewWarning {
		v.Trouble = append(v.Trouble, fmt.Sprintf("the clock of %s is %.1f s ahead of this machine's: synchronise both",
			m.host, ahead.Seconds()))
	}
	return v, r
}

// rebuild builds the box of the copy again if a decision, a team or the rules are new.
func (m *mirror) rebuild(cfg refbox.Config, at soccer.Time) (err error) {
	from := [3]int{len(m.scan.Meta()), len(m.scan.decisions), len(m.scan.admissions)}
	if m.size > 0 && (m.box == nil || from != m.from) {
		m.box, err = m.scan.box(cfg, at)
		m.from = from
	}
	return err
}

// showTeam adds the rate of a team's worldstates, by its messages in the copy.
func (m *mirror) showTeam(side int, team *refbox.TeamShow, r *refbox.Received, at soccer.Time) {
	if team.ID == 0 {
		return
	}
	seconds := &m.scan.teams[side]
	team.Connected, r.Rates = seconds.Recent(at), seconds.Counts(0, at)
	r.Rate = float64(r.Rates[len(r.Rates)-1])
	r.Level, r.Text = refbox.RateLevel(r.Rate), "as copied from "+m.host
}

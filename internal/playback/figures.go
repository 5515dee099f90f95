package playback

import (
	"encoding/json"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/matchlog"
	"touchline/soccer"
)

// figures records what the figures of a match are computed from: the truth, and the state of the game when it changes and
// once a second.
type figures struct {
	state game.State // the newest that was recorded
	at    soccer.Time
	begun bool
}

// put calls put with the messages of a sample of a match.
func (f *figures) put(now soccer.Time, s *autoref.Scene, st *game.State, put func(channel string, v any)) {
	truth := analysis.Truth(now, s)
	put(matchlog.Truth, &truth)
	was := &f.state
	same := f.begun && st.Part == was.Part && st.Running == was.Running && st.Taking == was.Taking && st.Goal == was.Goal &&
		st.SetPiece == was.SetPiece && st.Home.Goals == was.Home.Goals && st.Away.Goals == was.Away.Goals &&
		len(st.Home.Penalties) == len(was.Home.Penalties) && len(st.Away.Penalties) == len(was.Away.Penalties) &&
		st.Home.Substitutions == was.Home.Substitutions && st.Away.Substitutions == was.Away.Substitutions
	if same && now >= f.at && now.Sub(f.at) < time.Second {
		return
	}
	f.state, f.at, f.begun = *st, now, true
	put(matchlog.States, st)
}

// Figures records a sample of a match, which Tap.Sample gives, if a recording runs, and shows it to clients of Foxglove that
// want it.
func (r *Recorder) Figures(now soccer.Time, s *autoref.Scene, st *game.State) {
	at := r.clock.At(time.Now())
	r.mu.Lock()
	defer r.mu.Unlock()
	truth, states := r.live.Wants(matchlog.Truth), r.live.Wants(matchlog.States)
	f := &r.live.figures
	switch {
	case r.record != nil:
		f = &r.record.figures
	case !truth && !states:
		return
	}
	f.put(now, s, st, func(channel string, v any) {
		data, err := json.Marshal(v)
		if err != nil {
			r.log.Warn("a sample of the match is not recorded", "err", err)
			return
		}
		r.keep(withoutNulls(matchlog.Message{Time: at, Channel: channel, Data: data}))
	})
}

// Figures records a sample of a match, which Tap.Sample gives.
func (v *Virtual) Figures(now soccer.Time, s *autoref.Scene, st *game.State) {
	if v == nil {
		return
	}
	v.figures.put(now, s, st, func(channel string, value any) { v.JSON(now, channel, value) })
}

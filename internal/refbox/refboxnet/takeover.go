package refboxnet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
	"touchline/wire"
)

// A standby that took over reports it to the referee box that it followed, with POST /api/takeover, until that one is
// gone. The other one stops deciding, closes its base stations' connections, and answers with the decisions that the
// standby does not have. A standby whose own copy diverged reports its decisions with POST /api/lost.

const (
	maxClaim        = 1 << 10 // bytes
	maxLost         = 1 << 20 // bytes of lost decisions
	maxLostShown    = 5       // limit of the warning; the log has all
	takeoverTimeout = lostAfter
)

// takeover is the report of a standby that took over.
type takeover struct {
	At        soccer.Time `json:"at"`        // time on the game's clock
	Game      string      `json:"game"`      // name of its log
	Decisions int         `json:"decisions"` // number of decisions that it copied
}

// decisionList holds decisions of another referee box that are not in the game.
type decisionList struct {
	Game      string          `json:"game"`
	Decisions []game.Decision `json:"decisions"`
}

// successor is the referee box that took over from this one.
type successor struct {
	addr string
	at   soccer.Time
}

// errSuperseded refuses commands after another referee box took over.
func (s *successor) errSuperseded() error {
	return fmt.Errorf("%w: another referee box, %s, took over at %s: this one decides nothing any more", game.ErrRefused,
		s.addr, timeOfDay(s.at))
}

// superseded returns the error for commands after another referee box took over, nil before.
func (srv *Server) superseded() error {
	if s := srv.successor.Load(); s != nil {
		return s.errSuperseded()
	}
	return nil
}

func timeOfDay(t soccer.Time) string { return time.Unix(0, int64(t)).UTC().Format("15:04:05 UTC") }

// supersede ends the work of this referee box because another one took over: it keeps its journal and pages, and has no
// base stations any more. It returns the decisions that the other one does not have.
func (srv *Server) supersede(by string, t *takeover) decisionList {
	if srv.successor.Load() == nil {
		srv.successor.Store(&successor{by, t.At})
		text := fmt.Sprintf("another referee box, %s, took over at %s: this one decides nothing any more", by,
			timeOfDay(t.At))
		srv.journal.note(srv.Now(), text)
		srv.Log.Warn(text)
		srv.listener.Close()
		for _, c := range srv.conns {
			srv.hangUp(c)
		}
		if srv.Changed != nil {
			srv.Changed()
		}
	}
	list := decisionList{Game: srv.journal.name(), Decisions: []game.Decision{}}
	for i, e := range srv.box.Game().Log() {
		if i >= t.Decisions || list.Game != t.Game {
			list.Decisions = append(list.Decisions, e.Decision)
		}
	}
	return list
}

// noteLost records decisions of another referee box that are not in this game, for the log and the referee.
func (srv *Server) noteLost(from string, decisions []game.Decision) {
	if len(decisions) == 0 {
		return
	}
	var texts []string
	for i := range decisions {
		d := &decisions[i]
		text := srv.box.Describe(d)
		if d.Command == game.Undo || d.Command == game.Redo { // it has a number of the other game
			text = fmt.Sprintf("%s of its decision %d", strings.ToLower(string(d.Command)), d.Ref)
		}
		srv.journal.note(srv.Now(), fmt.Sprintf("not in this game: %s, decided at %s by the referee box %s", text,
			timeOfDay(d.Time), from))
		texts = append(texts, text)
	}
	more := ""
	if n := len(texts) - maxLostShown; n > 0 {
		texts, more = texts[:maxLostShown], fmt.Sprintf(" and %d more", n)
	}
	srv.box.Trouble("lost", fmt.Sprintf("%s decided after its last copy, and this game does not have it: %s%s. "+
		"Decide it again if it holds; /log lists all", from, strings.Join(texts, ", "), more))
}

// takeoverHandlers returns the handlers of reports of other referee boxes.
func (srv *Server) takeoverHandlers(authorised func(*http.Request) bool) map[string]http.Handler {
	return map[string]http.Handler{
		"POST /api/takeover": reports(authorised, maxClaim, func(from string, t *takeover) (any, error) {
			var answer any
			var later error
			err := srv.call(srv.calls, func(soccer.Time) {
				if t.At <= srv.tookOver { // also its own report, if it has the other one's address now
					later = fmt.Errorf("this referee box took over at %s, later", timeOfDay(srv.tookOver))
					return
				}
				answer = srv.supersede(from, t)
			})
			return answer, errors.Join(err, later)
		}),
		"POST /api/lost": reports(authorised, maxLost, func(from string, list *decisionList) (any, error) {
			return struct{}{}, srv.call(srv.calls, func(soccer.Time) { srv.noteLost(from, list.Decisions) })
		}),
	}
}

// reports returns a handler that reads a T and answers with the value that handle returns, or 409 and its error.
func reports[T any](authorised func(*http.Request) bool, limit int64,
	handle func(from string, v *T) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !authorised(r) {
			http.Error(w, "reports of other referee boxes need the referee's token", http.StatusForbidden)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(takeoverTimeout)) // where there are deadlines
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		v := new(T)
		if err == nil {
			err = wire.DecodeJSON(body, "the report", v)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		from, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			from = r.RemoteAddr
		}
		answer, err := handle(from, v)
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // the other box asks again
	})
}

// report posts a report to the other referee box and reads its answer into v. The status is 0 without an answer.
func (m *mirror) report(ctx context.Context, path string, report, v any) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, takeoverTimeout)
	defer cancel()
	body, err := json.Marshal(report)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.host+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+m.token)
	answer, err := m.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxLost))
	if err == nil && answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(b, v)
	}
	return answer.StatusCode, err
}

// reportAside reports the decisions of a copy that was set aside and that the copied game does not have.
func (m *mirror) reportAside(ctx context.Context) error {
	var list decisionList
	for _, b := range m.aside {
		if slices.ContainsFunc(m.scan.decisions, func(o []byte) bool { return bytes.Equal(b, o) }) {
			continue
		}
		d, err := refbox.ParseDecision(b)
		if err != nil {
			continue // not a journal of a referee box
		}
		list.Decisions = append(list.Decisions, d)
	}
	if list.Decisions != nil {
		status, err := m.report(ctx, "/api/lost", list, &struct{}{})
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("status %d", status)
		}
		if err != nil {
			return fmt.Errorf("%d decisions that %s does not have could not be reported to it: %w", len(list.Decisions),
				m.host, err)
		}
	}
	m.aside = nil
	return nil
}

// announce reports the takeover to the other referee box every second, because it may come back, and warns the referee
// as long as it answers without stopping: then two referee boxes send commands to the teams.
func (s *Standby) announce(ctx context.Context) error {
	claim := takeover{At: s.next.tookOver, Game: strings.TrimSuffix(s.mirror.name, ".mcap"),
		Decisions: s.next.copiedDecisions}
	var known decisionList // decisions of the other one
	for ; ctx.Err() == nil; sleep(ctx.Done(), pollEvery) {
		if s.next.successor.Load() != nil {
			return nil // another one has taken over from this one
		}
		var list decisionList
		status, err := s.mirror.report(ctx, "/api/takeover", claim, &list)
		text, stopped := "", status == http.StatusOK && err == nil
		switch status {
		case 0, http.StatusOK, http.StatusConflict, http.StatusServiceUnavailable: // gone, stopped, this one, a standby
		default:
			text = fmt.Sprintf("%s still answers: stop it, or two referee boxes send commands to the teams",
				s.mirror.host)
		}
		var fresh []game.Decision
		if stopped {
			if list.Game != known.Game {
				known = decisionList{Game: list.Game}
			}
			fresh = list.Decisions[min(len(known.Decisions), len(list.Decisions)):]
			known.Decisions = list.Decisions
		}
		_ = s.next.call(s.next.queries, func(soccer.Time) {
			s.next.box.Trouble("two boxes", text)
			s.next.noteLost(s.mirror.host, fresh)
		})
	}
	return nil
}

// addSuccessor adds the takeover by another referee box to v.
func (srv *Server) addSuccessor(v *refbox.Show) {
	if s := srv.successor.Load(); s != nil {
		v.Successor, v.TakenOver = s.addr, float64(s.at)/1e6
	}
}

// disableKeys disables the referee's keys after a takeover by another referee box.
func (srv *Server) disableKeys(v *refbox.RefereeShow) {
	if srv.successor.Load() == nil {
		return
	}
	for i := range v.Keys {
		v.Keys[i].Why = "another referee box took over: referee there"
	}
}

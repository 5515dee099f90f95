package matchnet

import (
	"crypto/hmac"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"

	"touchline/game"
	"touchline/internal/match"
	"touchline/wire"
)

// Bounds of the requests of a lobby.
const (
	maxRequest   = 4 << 10 // bytes
	requestRate  = 20      // a second with the key, of one address
	requestBurst = 40
	perAddress   = 1 // all programs of an address count as one sender
)

// Signature is the header of a request: the HMAC-SHA-256 of its body in hexadecimal digits, made with the lobby's key.
const Signature = "Touchline-Signature"

// LobbyAnswer is the answer to a team's request. Its JSON is stable.
type LobbyAnswer struct {
	State  string         `json:"state"`  // waiting, play, or over
	Before int            `json:"before"` // teams that play before this one
	Match  *LobbyTask     `json:"match"`  // that the team has to play now; null: none
	Result *match.Fixture `json:"result"` // of its newest match; null: none
}

// LobbyTask is a match that a team has to play.
type LobbyTask struct {
	Number   int            `json:"number"`
	Side     game.Side      `json:"side"`
	Team     uint8          `json:"team"` // in the TCM
	Opponent string         `json:"opponent"`
	Field    netip.AddrPort `json:"field"`  // address and base port
	Robots   int            `json:"robots"` // drive robots 1 to this number
	Half     float64        `json:"half"`   // s
	Ini      string         `json:"ini"`    // TCM.ini of the team; its key is TeamKey's
}

// Handlers returns the requests that a lobby answers, for the server of its pages.
func (l *Lobby) Handlers() map[string]http.Handler {
	return map[string]http.Handler{
		"GET /api/lobby":       http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, http.StatusOK, l.View("")) }),
		"POST /api/lobby/join": http.HandlerFunc(l.join),
	}
}

// join answers a team's request.
func (l *Lobby) join(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "the request is incomplete, or longer than 4096 bytes")
		return
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	signature := r.Header.Get(Signature)
	if signature == "" || !hmac.Equal([]byte(signature), []byte(sign(l.cfg.Key, body))) {
		l.mu.Lock()
		if signature == "" {
			l.refused.Unsigned++
		} else {
			l.refused.Forged++
		}
		l.mu.Unlock()
		refuse(w, http.StatusForbidden, "the request is not signed with the key of this lobby: ask for it where the lobby runs")
		return
	}
	status, answer, err := l.admit(from.Addr().Unmap(), body)
	if err != nil {
		refuse(w, status, err.Error())
		return
	}
	answerJSON(w, http.StatusOK, answer)
}

// admit notes that a team is there, and says what it has to do. The request has the lobby's key.
func (l *Lobby) admit(from netip.Addr, body []byte) (status int, _ *LobbyAnswer, _ error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if !l.guard.Allow(netip.AddrPortFrom(from, perAddress), now) {
		l.refused.TooMany++
		return http.StatusTooManyRequests, nil, errors.New("too many requests from your address: send at most two a second per team")
	}
	var r match.LobbyRequest
	if err := wire.DecodeJSON(body, "the request", &r); err != nil {
		l.refused.Invalid++
		return http.StatusBadRequest, nil, err
	}
	if r.Lobby != l.run {
		l.refused.Invalid++
		return http.StatusGone, nil, errors.New("the lobby was restarted since this request was signed: read the new \"lobby\" from GET /api/lobby")
	}
	t, err := l.core.Enter(now, from, &r)
	if err != nil {
		l.refused.Invalid++
		return http.StatusConflict, nil, err
	}
	a := &LobbyAnswer{State: "waiting", Before: l.core.Waits(t, now)}
	if f := l.core.Result(t); f != nil {
		result := *f
		a.Result = &result
	}
	if l.core.Over() {
		a.State = "over"
	}
	if m := l.playing; m != nil && !m.ended {
		f := l.core.Current()
		for i, side := range game.Sides {
			if f.Side(side) != t || m.nonces[i] != r.Nonce {
				continue
			}
			m.robots[i] = t.Robots
			a.State, a.Match = "play", l.task(m, side)
		}
	}
	return http.StatusOK, a, nil
}

// task returns what a team has to play. It requires the lobby's lock.
func (l *Lobby) task(m *lobbyMatch, side game.Side) *LobbyTask {
	return &LobbyTask{
		Number: m.number, Side: side, Team: TeamNumber(side), Opponent: m.cfg.Match.Team(side.Opponent()).Name,
		Field: m.fields[side.Index()].Address(), Robots: m.cfg.Match.Team(side).Robots, Half: m.cfg.Match.Half.Seconds(),
		Ini: l.directory(m, side),
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	answerJSON(w, status, struct {
		Error string `json:"error"`
	}{text})
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // after a failed write the client is gone
}

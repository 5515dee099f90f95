package playback

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"sync"
)

const maxSamples = 4000 // samples in a strip

// Handlers returns the handlers of a page that goes back in time, by their patterns for http.ServeMux. Times are in ms
// since the session started.
//
//	GET /api/session/frames?from=MS&to=MS&step=MS     {"frames":[Frame, ...]}, at most 100
//	GET /api/session/strip?from=MS&to=MS&samples=N    Strip; default: the whole session in 1,000 samples
//	GET /api/session/course?topic=T&field=F&from=MS&to=MS&samples=N    Course; default: the whole session in 600 samples
//	GET /api/session/charts?at=MS                     Charts; with key=away the links of the second team of a match
//	GET /api/session/packets?key=KEY&at=MS            watch.PacketView, of the 10 s before
//	GET /api/session/teamcom?at=MS                    teamcom.View, or null if it was not recorded; with key=away of the
//	                                                  second team of a match, also in the next line
//	GET /api/session/booking?at=MS                    watch.BookingView; if it was not recorded, of the 10 s before
//	GET /api/session/behaviour?at=MS                  watch.BehaviourView; if it was not recorded, of the 10 s before
//	GET /api/session/picture?key=ID&at=MS             Picture of a robot, or null if none was recorded
//	GET /api/session/traffic?at=MS                    watch.Overview, of the 10 s before
//	GET /api/session/messages?key=KEY&at=MS           watch.Messages, of the 10 s before
func Handlers(p *Player) map[string]http.Handler {
	var one sync.Mutex // answers one request at a time: the session needs the other processor
	handle := func(answer func(query) (any, error)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			one.Lock()
			v, err := answer(query{r})
			one.Unlock()
			reply(w, v, err)
		})
	}
	return map[string]http.Handler{
		"GET /api/session/frames": handle(func(q query) (any, error) {
			from, to, step := q.seconds("from", 0), q.seconds("to", 0), q.seconds("step", 0)
			if !valid(from, to, step) {
				return nil, errTimes
			}
			frames, err := p.frames(from, to, step)
			return map[string][]Frame{"frames": frames}, err
		}),
		"GET /api/session/strip": handle(func(q query) (any, error) {
			from, to, most := q.seconds("from", 0), q.seconds("to", math.MaxFloat64), q.number("samples", 1000)
			if !valid(from, to, most) {
				return nil, errTimes
			}
			return p.strip(from, to, int(min(max(most, 1), maxSamples))), nil
		}),
		"GET /api/session/course": handle(func(q query) (any, error) {
			from, to, most := q.seconds("from", 0), q.seconds("to", math.MaxFloat64), q.number("samples", 600)
			if !valid(from, to, most) {
				return nil, errTimes
			}
			return p.course(q.FormValue("topic"), q.FormValue("key"), q.FormValue("field"), from, to,
				int(min(max(most, 1), maxSamples)))
		}),
		"GET /api/session/charts":    handle(atTime(func(team string, at float64) (any, error) { return p.charts(team, at) })),
		"GET /api/session/packets":   handle(atTime(func(key string, at float64) (any, error) { return p.packets(key, at) })),
		"GET /api/session/teamcom":   handle(atTime(func(team string, at float64) (any, error) { return p.tcm(team, at) })),
		"GET /api/session/booking":   handle(atTime(func(team string, at float64) (any, error) { return p.Booking(team, at) })),
		"GET /api/session/behaviour": handle(atTime(func(_ string, at float64) (any, error) { return p.behaviour(at) })),
		"GET /api/session/picture": handle(atTime(func(robot string, at float64) (any, error) {
			id, err := strconv.ParseUint(robot, 10, 8)
			if err != nil {
				return nil, errRobot
			}
			return p.picture(uint8(id), at)
		})),
		"GET /api/session/traffic":  handle(atTime(func(_ string, at float64) (any, error) { return p.traffic(at) })),
		"GET /api/session/messages": handle(atTime(func(key string, at float64) (any, error) { return p.messages(key, at) })),
	}
}

// atTime reads the key and the time of a request before it is answered.
func atTime(answer func(key string, at float64) (any, error)) func(query) (any, error) {
	return func(q query) (any, error) {
		at := q.seconds("at", 0)
		if !valid(at) {
			return nil, errTimes
		}
		return answer(q.FormValue("key"), at)
	}
}

var errTimes = errors.New("from, to, step and at are times in ms since the session started, for example from=1000")

var errRobot = errors.New("key is the number of a robot, for example key=3")

// query reads the parameters of a request.
type query struct{ *http.Request }

// number returns a parameter; absent if it is missing, NaN if it is not a number.
func (q query) number(name string, absent float64) float64 {
	text := q.URL.Query().Get(name)
	if text == "" {
		return absent
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// seconds returns a time in ms as seconds.
func (q query) seconds(name string, absent float64) float64 {
	return q.number(name, absent*1e3) / 1e3
}

func valid(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || v < -1e12 {
			return false
		}
	}
	return true
}

func reply(w http.ResponseWriter, v any, err error) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	switch {
	case errors.Is(err, errTimes), errors.Is(err, errRobot), errors.Is(err, errField):
		w.WriteHeader(http.StatusBadRequest)
	case err != nil:
		w.WriteHeader(http.StatusInternalServerError)
	}
	if err != nil {
		v = map[string]string{"error": err.Error()}
	}
	_ = json.NewEncoder(w).Encode(v) // after a failed write the page is gone
}

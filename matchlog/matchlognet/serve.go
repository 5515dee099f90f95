package matchlognet

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
)

// Handlers returns the handlers of the page log by their patterns for http.ServeMux. If Allowed refuses a log, they
// answer 403 and the reason; this includes its zip.
//
//	GET /api/logs                                         {"logs":[Row, ...]}, newest first
//	GET /api/logs/{name}                                  Summary
//	GET /api/logs/{name}/frames?from=MS&to=MS&step=MS     {"frames":[Frame, ...]}, at most 200
//	GET /api/logs/{name}/notes                            Notes
//	GET /api/logs/{name}/zip                              the RefBox's zip; ?grid=1: one record a 100 ms; 503: retry
//	GET /api/logs/{name}/mcap                             the log itself
//	GET /api/logs/{name}/PART                             one of Parts
func (s *Logs) Handlers() map[string]http.Handler {
	all := map[string]http.Handler{
		"GET /api/logs":               http.HandlerFunc(s.serveList),
		"GET /api/logs/{name}":        s.serve(s.serveSummary),
		"GET /api/logs/{name}/frames": s.serve(s.serveFrames),
		"GET /api/logs/{name}/notes":  s.serve(s.serveNotes),
		"GET /api/logs/{name}/zip":    s.serve(s.serveZip),
		"GET /api/logs/{name}/mcap":   s.serve(s.serveFile),
	}
	for name, part := range s.Parts {
		all["GET /api/logs/{name}/"+name] = s.serve(func(w http.ResponseWriter, r *http.Request, row Row) error {
			return s.servePart(w, r, row, part)
		})
	}
	return all
}

// servePart answers what a part makes of a log as far as it is written by now.
func (s *Logs) servePart(w http.ResponseWriter, r *http.Request, row Row, part Part) error {
	l, done, err := s.acquire(row.path)
	if err != nil {
		return err
	}
	defer done()
	if err := l.Grow(); err != nil {
		return err
	}
	v, err := part(l, r.URL.Query().Get)
	if err != nil {
		return errMisused{err}
	}
	answer(w, v)
	return nil
}

func (s *Logs) serveList(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string][]Row{"logs": s.List()})
}

// serve returns a handler that finds the log of a request, calls handle and answers its error.
func (s *Logs) serve(handle func(http.ResponseWriter, *http.Request, Row) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if s.Allowed != nil {
			if err := s.Allowed(r, name); err != nil {
				refuse(w, http.StatusForbidden, err)
				return
			}
		}
		row, err := s.row(name)
		if err == nil {
			err = handle(w, r, row)
		}
		var misused errMisused
		switch {
		case err == nil:
		case errors.Is(err, errUnknown):
			refuse(w, http.StatusNotFound, err)
		case errors.As(err, &misused):
			refuse(w, http.StatusBadRequest, err)
		default:
			refuse(w, http.StatusInternalServerError, err)
		}
	})
}

// errMisused is the error of a malformed request.
type errMisused struct{ error }

func answer(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(b)
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": strings.TrimPrefix(err.Error(), "matchlog: ")})
}

func (s *Logs) serveSummary(w http.ResponseWriter, _ *http.Request, row Row) error {
	l, done, err := s.acquire(row.path)
	if err != nil {
		return err
	}
	defer done()
	summary, err := l.Summary(row.Name)
	if err != nil {
		return err
	}
	answer(w, summary)
	return nil
}

func (s *Logs) serveFrames(w http.ResponseWriter, r *http.Request, row Row) error {
	var at [3]int64 // ns
	for i, name := range []string{"from", "to", "step"} {
		v, err := strconv.ParseFloat(r.URL.Query().Get(name), 64)
		if err != nil || !(v >= 0 && v < 9.2e12) {
			return errMisused{fmt.Errorf("%s=%.40q: want a time in ms since 1970 up to the year 2261, for step a duration in ms",
				name, r.URL.Query().Get(name))}
		}
		at[i] = int64(v)*1e6 + int64((v-math.Floor(v))*1e6)
	}
	l, done, err := s.acquire(row.path)
	if err != nil {
		return err
	}
	defer done()
	frames, err := l.Frames(soccer.Time(at[0]), soccer.Time(at[1]), time.Duration(at[2]))
	if err != nil {
		return err
	}
	answer(w, map[string][]matchlog.Frame{"frames": frames})
	return nil
}

// serveZip serves the RefBox's zip in the folder of the log, or exports the log.
func (s *Logs) serveZip(w http.ResponseWriter, r *http.Request, row Row) error {
	grid := r.URL.Query().Get("grid") != ""
	if !grid {
		if base, ok := strings.CutSuffix(row.Name, ".mcap"); ok && !slices.Contains(s.Files, row.path) {
			row.Zip = zipsOf(s.entries())[base]
		}
		if s.describe(&row); row.Zip != "" && !row.Running { // the zip of a running game is outdated
			w.Header().Set("Content-Type", "application/zip")
			w.Header().Set("Content-Disposition", attachment(row.Zip))
			http.ServeFile(w, r, strings.TrimSuffix(row.path, row.Name)+row.Zip)
			return nil
		}
	}
	if !s.exporting.TryLock() {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, errors.New("another export is running: retry in a few seconds"))
		return nil
	}
	file, name, err := s.export(row.path, grid)
	s.exporting.Unlock() // a slow client does not block other exports
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", attachment(name))
	http.ServeContent(w, r, "", time.Time{}, file)
	return nil
}

// export exports a log to a temporary file, which the caller removes, and returns the name of the zip.
func (s *Logs) export(path string, grid bool) (file *os.File, name string, err error) {
	l, done, err := s.acquire(path)
	if err != nil {
		return nil, "", err
	}
	defer done()
	if err := l.Wait(); err != nil && l.Info().Start == 0 {
		return nil, "", err
	}
	name = matchlog.Name(l)
	if file, err = os.CreateTemp("", "touchline-*.zip"); err != nil {
		return nil, "", fmt.Errorf("matchlog: no room for the zip: %w; set TMPDIR to another folder", err)
	}
	if err = matchlog.Write(file, l, matchlog.Options{Grid: grid}); err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, "", err
	}
	return file, name, nil
}

// serveFile serves the file of a log.
func (s *Logs) serveFile(w http.ResponseWriter, r *http.Request, row Row) error {
	if !strings.HasSuffix(row.Name, ".mcap") {
		return errMisused{fmt.Errorf("%s is not an MCAP file: download its zip", row.Name)}
	}
	l, done, err := s.acquire(row.path)
	if err != nil {
		return err
	}
	defer done()
	if err := l.Grow(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", attachment(row.Name))
	http.ServeContent(w, r, "", time.Time{}, l.Content())
	return nil
}

// attachment returns the Content-Disposition that makes a browser save the answer under a name.
func attachment(name string) string {
	return fmt.Sprintf("attachment; filename=%q", strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name))
}

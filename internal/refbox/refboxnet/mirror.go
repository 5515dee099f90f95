package refboxnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// A standby asks for GET /api/journal?name=NAME&from=OFFSET. The answer holds the journal's bytes from the offset on
// and continues as they are written. Its headers Journal-Name and Journal-From say which bytes these are: the requested
// ones, or the running journal from its beginning; Journal-Now is the sender's time in ns since 1970. An answer ends if
// its journal is over or gains nothing for a while. The next request continues, or brings the next journal, and shows
// that the connection works.

const (
	maxStandbys  = 4                     // further ones are refused
	standbyWait  = 50 * time.Millisecond // an answer to the referee waits this long for standbys
	standbyNear  = 1 << 20               // bytes; a standby further behind is not waited for
	pieceSize    = 64 << 10              // bytes sent or compared at a time
	quietAfter   = time.Second           // an answer without new bytes ends
	lostAfter    = 3 * time.Second       // a connection without bytes or an end counts as lost
	retryAfter   = 200 * time.Millisecond
	skewWarning  = 2 * time.Second // clock difference that is reported
	pollEvery    = time.Second     // checks of the other referee box after the takeover, and of a finished journal
	maxPolls     = 600             // attempts to see the end of an earlier journal
	standbyWrite = 2 * time.Second // a standby has this long to accept a piece
)

// mirror keeps a copy of another referee box's journals in its own folder, byte for byte.
type mirror struct {
	host     string // HOST:PORT of the other page
	token    string
	dir      string
	client   *http.Client
	complete bool     // the last answer ended regularly: the copy has everything
	only     bool     // copy no other journal
	aside    [][]byte // decisions of a copy that was set aside, JSON
	rests    sync.WaitGroup

	mu       sync.Mutex
	name     string // name of the copied journal; "" before the first
	size     int64
	received time.Time // arrival of the newest bytes; zero before the first
	trouble  string    // why nothing arrives; "" otherwise
	scan     *journalScan
	clock    soccer.Clock // clock of the other referee box by its last answer; zero before the first

	box  *refbox.Box // referee box of the copy; rebuilt after a new decision or team
	from [3]int      // number of metadata, decisions and admissions in box
}

func newMirror(host, token, dir string) *mirror {
	return &mirror{host: host, token: token, dir: dir, scan: newJournalScan(), client: &http.Client{
		Transport:     &http.Transport{}, // without a proxy: the other laptop is on the same network
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ErrToken is the error of a standby whose token the other referee box refuses.
var ErrToken = errors.New("refboxnet: the token is refused")

// errDiverged is the error of a copy that differs from the journal: it is renamed, and the journal copied again.
var errDiverged = errors.New("the copy differs from the journal")

// run copies until the context ends. The error wraps ErrToken if the other referee box refuses the token at once.
func (m *mirror) run(ctx context.Context) error {
	defer m.rests.Wait()
	if err := m.resume(); err != nil {
		return err
	}
	for {
		again := time.After(retryAfter)
		err := m.fetch(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, ErrToken) && m.received.IsZero() {
			return err // it will not change its answer
		}
		if errors.Is(err, errDiverged) {
			err = m.setAside()
		}
		if err == nil && m.complete && m.aside != nil {
			err = m.reportAside(ctx)
		}
		m.mu.Lock()
		m.trouble = ""
		if err != nil {
			m.trouble = err.Error()
		}
		m.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-again:
		}
	}
}

// resume finds the copy of an earlier run.
func (m *mirror) resume() error {
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(entries) {
		if isJournal(e.Name()) {
			return m.open(e.Name())
		}
	}
	return nil
}

// open makes a journal the copied one, with the bytes that exist already.
func (m *mirror) open(name string) error {
	scan := newJournalScan()
	var size int64
	file, err := os.Open(filepath.Join(m.dir, name))
	if err == nil {
		size, err = io.Copy(scan, file)
		file.Close()
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	m.mu.Lock()
	m.name, m.size, m.scan, m.box = name, size, scan, nil
	m.mu.Unlock()
	return err
}

// finish completes the copy of an earlier journal: the other box finishes its file some time after the next game began.
func (m *mirror) finish(ctx context.Context) {
	if m.open(m.name) != nil {
		return
	}
	for n := 0; n < maxPolls && ctx.Err() == nil; n++ {
		if err := m.fetch(ctx); m.complete || errors.Is(err, errDiverged) {
			return
		}
		sleep(ctx.Done(), pollEvery)
	}
}

// setAside renames a diverged copy.
func (m *mirror) setAside() error {
	path := filepath.Join(m.dir, m.name)
	if err := os.Rename(path, path+".other-"+time.Now().UTC().Format("150405.000")); err != nil {
		return err
	}
	m.mu.Lock()
	m.aside = m.scan.decisions
	m.name, m.size, m.scan, m.box = "", 0, newJournalScan(), nil
	m.mu.Unlock()
	return nil
}

// fetch requests the missing bytes and writes them until the answer ends. It requests the end of the copy again to
// compare it: after a power loss the other journal may be shorter, or continue differently.
func (m *mirror) fetch(life context.Context) error {
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	lost := time.AfterFunc(lostAfter, cancel)
	defer lost.Stop()
	from := m.size
	if !m.complete {
		from = max(0, from-pieceSize)
	}
	m.complete = false
	answer, err := m.request(ctx, from)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusNoContent {
		m.receive(nil)
		return nil
	}
	name := answer.Header.Get("Journal-Name")
	from, err = strconv.ParseInt(answer.Header.Get("Journal-From"), 10, 64)
	if err != nil || !isJournal(name) || from < 0 || name == m.name && from > m.size {
		return fmt.Errorf("%s is not a referee box that a standby can follow", m.host)
	}
	if name != m.name {
		if m.only {
			return nil
		}
		if m.name != "" {
			rest := newMirror(m.host, m.token, m.dir)
			rest.name, rest.only = m.name, true
			m.rests.Go(func() { rest.finish(life) })
		}
		if err := m.open(name); err != nil {
			return err
		}
	}
	return m.write(ctx, answer.Body, from, lost)
}

// request asks for the journal from an offset on. Its answer has status 200 or 204.
func (m *mirror) request(ctx context.Context, from int64) (*http.Response, error) {
	where := url.URL{Scheme: "http", Host: m.host, Path: "/api/journal", RawQuery: url.Values{
		"name": {m.name}, "from": {strconv.FormatInt(from, 10)}}.Encode()}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+m.token)
	sent := time.Now()
	answer, err := m.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s does not answer: %w", m.host, cause(ctx, err))
	}
	if now, err := strconv.ParseInt(answer.Header.Get("Journal-Now"), 10, 64); err == nil {
		m.mu.Lock()
		half := sent.Add(time.Since(sent) / 2) // the other box read its clock halfway through the round trip
		m.clock = soccer.Clock{Start: min(max(soccer.Time(now), 0), game.Latest), Began: half}
		m.mu.Unlock()
	}
	switch answer.StatusCode {
	case http.StatusOK, http.StatusNoContent:
		return answer, nil
	case http.StatusRequestedRangeNotSatisfiable:
		answer.Body.Close()
		return nil, errDiverged
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
	answer.Body.Close()
	err = fmt.Errorf("%s answers %s: %s", m.host, answer.Status, bytes.TrimSpace(text))
	if answer.StatusCode == http.StatusForbidden {
		err = fmt.Errorf("%w: %w", ErrToken, err)
	}
	return nil, err
}

// cause returns the reason of a network error without the request, which the message names already.
func cause(ctx context.Context, err error) error {
	var u *url.Error
	var o *net.OpError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("nothing was received for %v", lostAfter)
	case errors.As(err, &o):
		return o.Err
	case errors.As(err, &u):
		return u.Err
	}
	return err
}

// write compares the bytes that the copy already has and appends the others.
func (m *mirror) write(ctx context.Context, body io.Reader, from int64, lost *time.Timer) error {
	file, err := os.OpenFile(filepath.Join(m.dir, m.name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	piece, have := make([]byte, pieceSize), make([]byte, pieceSize)
	for {
		n, err := body.Read(piece)
		b := piece[:n]
		lost.Reset(lostAfter)
		if k := min(int64(n), m.size-from); k > 0 {
			if _, err := file.ReadAt(have[:k], from); err != nil {
				return err
			}
			if !bytes.Equal(have[:k], b[:k]) {
				return errDiverged
			}
			b, from = b[k:], from+k
		}
		if len(b) > 0 {
			if _, err := file.WriteAt(b, from); err != nil {
				_ = file.Truncate(from)
				return fmt.Errorf("writing the copy: %w", err)
			}
			from += int64(len(b))
		}
		if n > 0 {
			m.receive(b)
		}
		if err == io.EOF {
			m.complete = true
			return nil
		} else if err != nil {
			return fmt.Errorf("the connection to %s is lost: %w", m.host, cause(ctx, err))
		}
	}
}

// receive counts bytes that were appended to the copy.
func (m *mirror) receive(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.received, m.trouble = time.Now(), ""
	m.size += int64(len(b))
	_, _ = m.scan.Write(b)
}

// clockAhead returns how far the other box's clock is ahead of this machine's at now; 0 before its first answer.
func (m *mirror) clockAhead(now time.Time) time.Duration {
	if m.clock.Began.IsZero() {
		return 0
	}
	return m.clock.At(now).Sub(soccer.Time(now.UnixNano()))
}

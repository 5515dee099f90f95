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
	"strings"
	"sync"
	"time"

	"touchline/game"
	"touchline/refbox"
	"touchline/soccer"
)

// The second laptop: GET /api/journal?name=NAME&from=OFFSET sends the journal's bytes from an offset on, and goes on with
// them as they are written. The answer's Journal-Name and Journal-From say what comes; they are what was asked for, or the
// running journal from its beginning; Journal-Now is the sender's moment, in ns since 1970. An answer ends by itself where a journal is over, or gains nothing for a while: the
// next question goes on, or brings the next journal, and shows that the line is good.

const (
	followers    = 4                     // at once; more are turned away
	followWait   = 50 * time.Millisecond // that an answer to the referee waits for those who follow
	followNear   = 1 << 20               // bytes: who is farther behind is not waited for
	followPiece  = 64 << 10              // bytes sent or compared at once
	followQuiet  = time.Second           // without a byte an answer ends
	followSilent = 3 * time.Second       // without a byte or an end the line is taken as lost
	followAgain  = 200 * time.Millisecond
	followSkew   = 2 * time.Second // that is worth a word
	followWarn   = time.Second     // between looks whether the other one is still there
	followRests  = 600             // looks whether the file of a game before is finished
	followWrite  = 2 * time.Second // that a follower may take to accept a piece
)

// follower keeps a copy of another referee box's journals, byte for byte, in a folder of its own.
type mirror struct {
	host   string // HOST:PORT of the other one's page
	token  string
	dir    string
	client *http.Client
	whole  bool // the last answer ended by itself: what is here is what was there
	only   bool // no other journal is wanted
	rests  sync.WaitGroup

	mu      sync.Mutex
	name    string // of the journal that is copied; "" before the first
	size    int64
	heard   time.Time // when its last bytes came; the zero time before the first
	trouble string    // why nothing comes; "" while something does
	scan    *journalScan
	clock   soccer.Clock // the other one's, by the last answer; its zero before the first

	box  *refbox.Box // what the copy makes, built again when a decision or a team is new
	from [3]int
}

func newMirror(host, token, dir string) *mirror {
	return &mirror{host: host, token: token, dir: dir, scan: newJournalScan(), client: &http.Client{
		Transport:     &http.Transport{}, // no proxy: the other laptop is on the same network
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ErrToken is the error of a standby whose token the other referee box refuses.
var ErrToken = errors.New("refbox: the token is refused")

// errOtherBytes is a copy that is not what the other one has: it is kept under another name, and copied anew.
var errOtherBytes = errors.New("the copy differs from the journal")

// Run copies until the context ends. The error wraps ErrToken if the other one refuses the token at once. The file is closed when it returns.
func (f *mirror) Run(ctx context.Context) error {
	defer f.rests.Wait()
	if err := f.resume(); err != nil {
		return err
	}
	for {
		again := time.After(followAgain)
		err := f.copy(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, ErrToken) && f.heard.IsZero() {
			return err // it will not answer otherwise
		}
		if errors.Is(err, errOtherBytes) {
			err = f.setAside()
		}
		f.mu.Lock()
		f.trouble = ""
		if err != nil {
			f.trouble = err.Error()
		}
		f.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-again:
		}
	}
}

// resume finds the copy that an earlier run left.
func (f *mirror) resume() error {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(entries) {
		if isJournal(e.Name()) {
			return f.begin(e.Name())
		}
	}
	return nil
}

// begin takes a journal as the one that is copied, with what is there of it already.
func (f *mirror) begin(name string) error {
	scan := newJournalScan()
	var size int64
	file, err := os.Open(filepath.Join(f.dir, name))
	if err == nil {
		size, err = io.Copy(scan, file)
		file.Close()
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	f.mu.Lock()
	f.name, f.size, f.scan, f.box = name, size, scan, nil
	f.mu.Unlock()
	return err
}

// finish brings what the copy of a game before lacks: the other one finishes its file a while after the next game began.
func (f *mirror) finish(ctx context.Context) {
	if f.begin(f.name) != nil {
		return
	}
	for n := 0; n < followRests && ctx.Err() == nil; n++ {
		if err := f.copy(ctx); f.whole || errors.Is(err, errOtherBytes) {
			return
		}
		sleep(ctx, followWarn)
	}
}

// setAside keeps a copy that went another way under a name that no journal has.
func (f *mirror) setAside() error {
	path := filepath.Join(f.dir, f.name)
	if err := os.Rename(path, path+".other-"+time.Now().UTC().Format("150405.000")); err != nil {
		return err
	}
	f.mu.Lock()
	f.name, f.size, f.scan, f.box = "", 0, newJournalScan(), nil
	f.mu.Unlock()
	return nil
}

// copy asks for what is missing and writes what comes, until the answer ends. What the copy ends with is asked for again
// and compared: after a loss of power the other one may have less, or go on otherwise.
func (f *mirror) copy(life context.Context) error {
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	lost := time.AfterFunc(followSilent, cancel)
	defer lost.Stop()
	from := f.size
	if !f.whole {
		from = max(0, from-followPiece)
	}
	f.whole = false
	where := url.URL{Scheme: "http", Host: f.host, Path: "/api/journal", RawQuery: url.Values{
		"name": {f.name}, "from": {strconv.FormatInt(from, 10)}}.Encode()}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+f.token)
	asked := time.Now()
	answer, err := f.client.Do(r)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", f.host, plainly(ctx, err))
	}
	defer answer.Body.Close()
	if now, err := strconv.ParseInt(answer.Header.Get("Journal-Now"), 10, 64); err == nil {
		f.mu.Lock()
		f.clock = soccer.Clock{Start: min(max(soccer.Time(now), 0), game.Latest), Began: asked.Add(time.Since(asked) / 2)} // halfway there and back
		f.mu.Unlock()
	}
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusNoContent:
		f.hear(nil)
		return nil
	case http.StatusRequestedRangeNotSatisfiable:
		return errOtherBytes
	default:
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
		err := fmt.Errorf("%s answers %s: %s", f.host, answer.Status, bytes.TrimSpace(text))
		if answer.StatusCode == http.StatusForbidden {
			return fmt.Errorf("%w: %w", ErrToken, err)
		}
		return err
	}
	name := answer.Header.Get("Journal-Name")
	from, err = strconv.ParseInt(answer.Header.Get("Journal-From"), 10, 64)
	if err != nil || !isJournal(name) || from < 0 || name == f.name && from > f.size {
		return fmt.Errorf("%s is no referee box that can be followed", f.host)
	}
	if name != f.name {
		if f.only {
			return nil
		}
		if f.name != "" {
			rest := newMirror(f.host, f.token, f.dir)
			rest.name, rest.only = f.name, true
			f.rests.Go(func() { rest.finish(life) })
		}
		if err := f.begin(name); err != nil {
			return err
		}
	}
	return f.write(ctx, answer.Body, from, lost)
}

// plainly returns what is wrong with a line without what everybody sees: where it goes and what was asked.
func plainly(ctx context.Context, err error) error {
	var u *url.Error
	var o *net.OpError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("nothing came for %v", followSilent)
	case errors.As(err, &o):
		return o.Err
	case errors.As(err, &u):
		return u.Err
	}
	return err
}

// write compares what the copy has already and appends the rest.
func (f *mirror) write(ctx context.Context, body io.Reader, from int64, lost *time.Timer) error {
	file, err := os.OpenFile(filepath.Join(f.dir, f.name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	piece, have := make([]byte, followPiece), make([]byte, followPiece)
	for {
		n, err := body.Read(piece)
		b := piece[:n]
		lost.Reset(followSilent)
		if k := min(int64(n), f.size-from); k > 0 {
			if _, err := file.ReadAt(have[:k], from); err != nil {
				return err
			}
			if !bytes.Equal(have[:k], b[:k]) {
				return errOtherBytes
			}
			b, from = b[k:], from+k
		}
		if len(b) > 0 {
			if _, err := file.WriteAt(b, from); err != nil {
				_ = file.Truncate(from)
				return fmt.Errorf("the copy cannot be written: %w", err)
			}
			from += int64(len(b))
		}
		if n > 0 {
			f.hear(b)
		}
		if err == io.EOF {
			f.whole = true
			return nil
		} else if err != nil {
			return fmt.Errorf("the line to %s is lost: %w", f.host, plainly(ctx, err))
		}
	}
}

// hear takes what was appended to the copy.
func (f *mirror) hear(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.heard, f.trouble = time.Now(), ""
	f.size += int64(len(b))
	_, _ = f.scan.Write(b)
}

// ahead returns how far the other one's clock is before this one's at a moment; 0 where it never answered.
func (f *mirror) ahead(now time.Time) time.Duration {
	if f.clock.Began.IsZero() {
		return 0
	}
	return f.clock.At(now).Sub(soccer.Time(now.UnixNano()))
}

// show returns what the copy makes of the game, for the pages: the game goes on by the other one's clock. cfg is what the
// box will be told when it takes over.
func (f *mirror) show(cfg refbox.Config, now time.Time) (refbox.Show, refbox.RefereeShow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, r := refbox.Show{Name: cfg.Name, Part: game.PreGame}, refbox.RefereeShow{}
	ahead := f.ahead(now)
	at := soccer.Time(now.Add(ahead).UnixNano())
	made := [3]int{len(f.scan.Meta()), len(f.scan.decisions), len(f.scan.admissions)}
	var err error
	if f.size > 0 && (f.box == nil || made != f.from) {
		f.box, err = f.scan.box(cfg, at)
		f.from = made
	}
	if f.box != nil {
		v, r = f.box.Show(at), f.box.Referee(at)
		for i := range r.Keys {
			r.Keys[i].Why = "this is a copy: take over first"
		}
		for i, side := range [2]struct {
			Team *refbox.TeamShow
			r    *refbox.Received
		}{{&v.Home, &r.Home}, {&v.Away, &r.Away}} {
			rates, heard := f.scan.phrase[i].rates(at)
			if side.Team.ID == 0 {
				continue
			}
			side.Team.Connected = heard
			rate := float64(rates[len(rates)-1])
			side.r.Rates, side.r.Rate, side.r.Level, side.r.Text = rates, rate, refbox.RateLevel(rate), "as it is copied from "+f.host
		}
	}
	v.Follows, v.Game = f.host, strings.TrimSuffix(f.name, ".mcap")
	if !f.heard.IsZero() {
		v.Lag = now.Sub(f.heard).Seconds()
	}
	for _, trouble := range []error{err, f.scan.Err()} {
		if trouble != nil {
			v.Trouble = append(v.Trouble, "the copy: "+trouble.Error())
		}
	}
	if f.trouble != "" {
		v.Trouble = append(v.Trouble, f.trouble)
	}
	if f.size > 0 && ahead.Abs() > followSkew {
		v.Trouble = append(v.Trouble, fmt.Sprintf("the clock of %s is %.1f s ahead of this one's: set both by the same", f.host, ahead.Seconds()))
	}
	return v, r
}

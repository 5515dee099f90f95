// Package export writes the match of a log in the formats of the tools that analyse human soccer. It is apart from
// analysislog because it alone needs a writer of Parquet, and because what a match is does not depend on how it is written.
package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/matchlog"
	"touchline/soccer"
)

// Format is a format of files.
type Format string

// The formats (Analysts' formats); docs/exports.md describes their files.
const (
	TRACAB    Format = "tracab"
	StatsBomb Format = "statsbomb"
	CDF       Format = "cdf" // Common Data Format 0.2.3
	CSV       Format = "csv"
	Parquet   Format = "parquet"
)

// Formats returns the formats in the order of the help.
func Formats() []string {
	return []string{string(TRACAB), string(StatsBomb), string(CDF), string(CSV), string(Parquet)}
}

// Options say what Prepare exports.
type Options struct {
	Format Format
	Dir    string // a folder that is empty or does not exist
	ID     string // of the match, in all tables
	Rate   int    // frames a second; 0: those of the log
	// Replay plays the match of the log again, and calls f Rate times a second, up to the end or to f's error, which it
	// returns. nil: the frames are those of the log.
	Replay func(ctx context.Context, f func(*analysis.Frame) error) error
	// Progress is called with the share that is done, 0 to 1; nil: nobody asks.
	Progress func(done float64)
}

// Result says what was written.
type Result struct {
	Format  Format   `json:"format"`
	Dir     string   `json:"dir"`
	MatchID string   `json:"matchID"`
	Rate    int      `json:"rate"`   // frames a second
	Frames  int      `json:"frames"` // frames of the halves
	Files   []File   `json:"files"`
	Notes   []string `json:"notes"` // sentences: what a reader of the files must know of this match
}

// File is a file that was written.
type File struct {
	Name  string `json:"name"`
	Rows  int    `json:"rows"` // rows of a table, or lines
	Bytes int64  `json:"bytes"`
}

// Export is an export that was prepared.
type Export struct {
	log     *matchlog.Log
	match   analysislog.Match
	options Options
	own     int  // frames a second of the log
	every   int  // of its frames, one is exported
	made    bool // the folder
	files   []*file
	frames  int
	walk    walker
	tables  *tables // nil: the format has no tables
	// analyst finds the events of the match, nil for TRACAB, which has none; detector then finds who touched the ball.
	analyst  *analysis.Analyst
	detector analysis.Detector
	report   *analysis.Report // of analyst, in the end
}

// Prepare checks what is to be exported, and changes nothing. An error is one of usage or of an unsuitable log; it wraps
// analysislog.ErrNoMatch for a log without a match.
func Prepare(l *matchlog.Log, o Options) (*Export, error) {
	if !slices.Contains(Formats(), string(o.Format)) {
		return nil, fmt.Errorf("--as %.40s: want %s", o.Format, strings.Join(Formats(), ", "))
	}
	if o.Format == StatsBomb && o.Rate != 0 {
		return nil, fmt.Errorf("--rate %d: statsbomb holds events, not frames: leave it out", o.Rate)
	}
	if err := checkDir(o.Dir); err != nil {
		return nil, err
	}
	m, err := analysislog.Describe(l)
	if err != nil {
		return nil, err
	}
	e := &Export{log: l, match: m, options: o, every: 1}
	if e.own, err = rateOf(l, &m); err != nil {
		return nil, err
	}
	switch {
	case o.Replay != nil:
	case o.Rate == 0:
		e.options.Rate = e.own
	case o.Rate > e.own || e.own%o.Rate != 0:
		return nil, fmt.Errorf("--rate %d: the log has %d frames a second, and export does not interpolate: want %s",
			o.Rate, e.own, divisors(e.own))
	default:
		e.every = e.own / o.Rate
	}
	e.walk, e.detector.Field = newWalker(l, &m, e.options.Rate*e.every), m.Field
	return e, nil
}

// checkDir refuses a folder that holds something.
func checkDir(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case dir == "":
		return errors.New("-o is required: name a new or empty folder, for example -o export")
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("-o %s: %w: name a new or empty folder", dir, err)
	case len(entries) > 0:
		return fmt.Errorf("-o %s: the folder already contains %s: name a new or empty folder", dir, entries[0].Name())
	}
	return nil
}

// errEnough ends the reading of a log early.
var errEnough = errors.New("enough")

// rateOf returns the frames a second that a log holds: those of the median of its first periods.
func rateOf(l *matchlog.Log, m *analysislog.Match) (int, error) {
	const periods = 300
	var all []int64
	last := soccer.Time(0)
	err := m.Read(l, analysislog.Options{}, func(f *analysis.Frame) error {
		if last != 0 && f.Time > last {
			all = append(all, int64(f.Time.Sub(last)))
		}
		if last = f.Time; len(all) == periods {
			return errEnough
		}
		return nil
	})
	if err != nil && err != errEnough {
		return 0, err
	}
	if len(all) == 0 {
		return 0, errors.New("the log has fewer than two frames of a match: there is nothing to export")
	}
	slices.Sort(all)
	period := all[len(all)/2]
	return int(min(max((1e9+period/2)/period, 1), 1000)), nil
}

// divisors lists the rates to which frames can be thinned out.
func divisors(rate int) string {
	var all []string
	for n := 1; n <= rate; n++ {
		if rate%n == 0 {
			all = append(all, fmt.Sprint(n))
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// Write writes the files. When it fails, no file stays.
func (e *Export) Write(ctx context.Context) (*Result, error) {
	_, err := os.Stat(e.options.Dir)
	e.made = errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(e.options.Dir, 0o755); err != nil {
		return nil, err
	}
	r, err := e.write(ctx)
	if err != nil {
		e.remove()
		var disk *fs.PathError
		if errors.As(err, &disk) && disk.Op == "write" {
			err = fmt.Errorf("%w: nothing was kept; free some disk space, or name a folder elsewhere with -o", disk)
		}
		return nil, err
	}
	return r, nil
}

// remove removes what was written.
func (e *Export) remove() {
	for _, f := range e.files {
		f.f.Close()
		os.Remove(f.f.Name())
		if dir := filepath.Dir(f.f.Name()); dir != filepath.Clean(e.options.Dir) {
			os.Remove(dir)
		}
	}
	if e.made {
		os.Remove(e.options.Dir)
	}
}

func (e *Export) write(ctx context.Context) (*Result, error) {
	w, err := e.open()
	if err != nil {
		return nil, err
	}
	if err := e.run(ctx, w); err != nil {
		return nil, err
	}
	if e.frames == 0 {
		return nil, errors.New("the log has no frames during a half of the match: there is nothing to export")
	}
	if e.analyst != nil {
		if e.options.Replay != nil {
			if err := e.rest(); err != nil {
				return nil, err
			}
		}
		e.report = e.analyst.Report()
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	r := &Result{
		Format: e.options.Format, Dir: e.options.Dir, MatchID: e.options.ID, Rate: e.options.Rate, Frames: e.frames,
		Files: []File{}, Notes: e.notes(),
	}
	if err := e.readme(r); err != nil {
		return nil, err
	}
	for _, f := range e.files {
		size, err := f.close()
		if err != nil {
			return nil, err
		}
		r.Files = append(r.Files, File{Name: f.name, Rows: f.rows, Bytes: size})
	}
	return r, nil
}

// writer writes the files of a format.
type writer interface {
	frame(f *frame) error // a frame of a half, in the order of time
	finish() error
}

// open creates the files of the format.
func (e *Export) open() (w writer, err error) {
	switch e.options.Format {
	case TRACAB:
		return e.openTRACAB()
	case StatsBomb:
		return e.openStatsBomb()
	case CDF:
		return e.openCDF()
	}
	e.tables, err = e.openTables()
	return e.tables, err
}

// run reads the log once, or plays its match again, and hands each frame to w.
func (e *Export) run(ctx context.Context, w writer) error {
	put := func(f *analysis.Frame) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("interrupted: %w", context.Cause(ctx))
		}
		e.progress(f.At)
		e.understand(f)
		out, ok, err := e.walk.step(f)
		if err != nil || !ok {
			return err
		}
		if (int(out.id)-1)%e.every != 0 {
			return nil
		}
		thin := *out
		thin.id = (out.id-1)/int32(e.every) + 1
		e.walk.note(&thin)
		e.frames++
		return w.frame(&thin)
	}
	if e.options.Replay != nil {
		return e.options.Replay(ctx, put)
	}
	o := analysislog.Options{Beliefs: e.tables != nil}
	if e.tables != nil {
		o.Links = e.tables.links
	}
	return e.match.Read(e.log, o, put)
}

// understand counts a frame for the figures, and finds out which robot touched the ball where the log does not tell it.
func (e *Export) understand(f *analysis.Frame) {
	if e.analyst != nil && e.options.Replay == nil {
		e.analyst.Step(f)
		return
	}
	e.detector.Fill(f)
}

// rest reads the log of a match that was played again, for its events and figures, which follow from the samples of the log,
// and for what the robots believed.
func (e *Export) rest() error {
	w, o := newWalker(e.log, &e.match, e.options.Rate), analysislog.Options{Beliefs: e.tables != nil}
	w.begin, w.logged = e.walk.begin, e.walk.logged
	if e.tables != nil {
		o.Links = e.tables.links
	}
	return e.match.Read(e.log, o, func(f *analysis.Frame) error {
		e.analyst.Step(f)
		out, ok, err := w.step(f)
		if err != nil || !ok || e.tables == nil {
			return err
		}
		return e.tables.believe(out)
	})
}

// progress tells how far the log is read.
func (e *Export) progress(at soccer.Time) {
	if all := e.match.End.Sub(e.match.Start); e.options.Progress != nil && all > 0 {
		e.options.Progress(min(max(float64(at.Sub(e.match.Start))/float64(all), 0), 1))
	}
}

// notes returns what a reader of the files must know of this match.
func (e *Export) notes() []string {
	notes := []string{}
	w := &e.walk
	if e.match.Origin != analysis.FromTruth {
		notes = append(notes, fmt.Sprintf("The positions are %s, not ground truth.", e.match.Origin))
	}
	if !w.refereed {
		notes = append(notes, "The log holds no decision of a referee: all of it counts as one half.")
	}
	if w.dropped > 0 {
		notes = append(notes, fmt.Sprintf("%d frames of a pause, or of a clock that was set back, are left out.", w.dropped))
	}
	if w.gaps > 0 {
		notes = append(notes, fmt.Sprintf("The log has %d gaps of more than a second within the halves: their frames are missing.", w.gaps))
	}
	if w.blind > 0 {
		notes = append(notes, fmt.Sprintf("%d frames have no ball, because its place is not known.", w.blind))
	}
	if w.unnumbered > 0 {
		notes = append(notes, fmt.Sprintf("Robots with numbers above %d are left out.", mostNumber))
	}
	for _, side := range game.Sides {
		if !slices.ContainsFunc(w.players, func(p player) bool { return p.Side == side }) {
			notes = append(notes, fmt.Sprintf("The log holds no robot of %s: some programs read only matches of two teams.", side))
		}
	}
	if e.report != nil {
		notes = append(notes, e.report.Partial...)
	}
	if n := len(e.log.Annotations()); n > 0 && e.tables == nil {
		notes = append(notes, fmt.Sprintf("This format has no place for the notes of persons (%d): csv and parquet hold them.", n))
	}
	for _, text := range e.log.Loss() {
		notes = append(notes, "A part of the log cannot be read: "+text+".")
	}
	return notes
}

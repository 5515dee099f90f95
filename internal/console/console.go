// Package console is what the commands share: exit codes, flags, the log, and JSON.
package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"touchline/wire"
)

// exitError is an error with an exit code.
type exitError struct {
	error
	code int
}

func (e exitError) ExitCode() int { return e.code }

func (e exitError) Unwrap() error { return e.error }

// Usage makes err the error of wrong usage or unreadable input: the exit code is 2.
func Usage(err error) error { return exitError{err, 2} }

// Finding returns the error of a finding that the command has printed: the exit code is 1, and no text follows.
func Finding() error { return exitError{errors.New(""), 1} }

// output is where a command prints. It keeps the first error, so that a full disk ends no command as a success. It may be
// used from any goroutine if its writer may.
type output struct {
	io.Writer
	failed atomic.Pointer[error]
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil {
		o.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Err returns the first error of writing.
func (o *output) Err() error {
	if err := o.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Terminal reports whether w is a terminal, where a line may be overwritten, and no file or pipe.
func Terminal(w io.Writer) bool {
	if o, wraps := w.(*output); wraps {
		w = o.Writer
	}
	file, is := w.(*os.File)
	if !is {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Interrupted returns err, or for a batch that ended with its context how far it came: "interrupted: 3 of 10 games are done".
func Interrupted(err error, done, of int, what string) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("interrupted: %d of %d %s are done", done, of, what)
}

// acceptedKey is the annotation of a flag that describes the accepted values.
const acceptedKey = "touchline_accepted"

// Accept describes the accepted values of flags, for the error of a value that cannot be parsed: "a share from 0 to 1,
// for example 0.1".
func Accept(flags *pflag.FlagSet, values string, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, acceptedKey, []string{values}); err != nil {
			panic(err) // the flag does not exist
		}
	}
}

// AddDuration adds the flag --duration.
func AddDuration(flags *pflag.FlagSet, d *time.Duration) {
	flags.Var((*limit)(d), "duration", "stop after this time, for example 90s (default: at Ctrl-C)")
	Accept(flags, "a time above 0 with its unit, for example 90s", "duration")
}

// limit is the value of --duration. The text 0 is refused: a script that computes it does not mean for ever.
type limit time.Duration

func (l *limit) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil && d == 0 {
		err = errors.New("not above 0") // Limited refuses times below 0
	}
	*l = limit(d)
	return err
}

func (l *limit) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

func (l *limit) Type() string { return "duration" }

// Limited returns a context that ends after d, or not at all if d is 0.
func Limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc, error) {
	if d < 0 {
		return nil, nil, Usage(fmt.Errorf("--duration %v: want a time above 0, for example 90s", d))
	}
	if d == 0 {
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	return ctx, cancel, nil
}

// packageNames are the names of our packages at the start of their errors, which mean nothing to a user.
var packageNames = regexp.MustCompile(`(^|: |\()(?:(?:transport|playback|capture|matchlog|match|game|robot|` +
	`station|refbox|sim|vss|lab|watch|monitor|msl|mixedteam|firasim|teamcom|team|tcm)(?:net)?: )+`)

// Plain returns the text of an error without the names of our packages.
func Plain(text string) string { return packageNames.ReplaceAllString(text, "$1") }

// Logger returns the log of a command.
func Logger(errs io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(Plain(err.Error()))
		}
		return a
	}}))
}

// JSONEncoder returns an encoder that escapes control characters.
func JSONEncoder(out io.Writer) *json.Encoder { return json.NewEncoder(escaping{out}) }

// escaping is a writer of JSON that escapes control characters.
type escaping struct{ io.Writer }

func (e escaping) Write(b []byte) (int, error) {
	if _, err := e.Writer.Write(wire.AppendEscaped(nil, b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/wire"
)

// Main runs a program's commands until they end or the user interrupts them, and exits with Run's code.
func Main(root *cobra.Command) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it for a program that outlives its terminal
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	context.AfterFunc(ctx, func() { // a second Ctrl-C kills a program that does not stop by itself
		// A signal that follows at once is the same one: timeout(1) sends it to the program and then to its group.
		time.Sleep(200 * time.Millisecond)
		stop()
	})
	os.Exit(Run(ctx, root, os.Args[1:], os.Stdout, os.Stderr))
}

// Prepare lets a program's commands name wrong flags in words of the user.
func Prepare(root *cobra.Command) {
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.SilenceUsage, root.SilenceErrors = true, true
}

// printable returns a text of lines in which a dot stands for each character that controls a terminal: names of files may
// hold such characters.
func printable(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = wire.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Run executes a command line and returns the exit code: 0 success, 1 a failure or a finding, 2 wrong usage.
func Run(ctx context.Context, root *cobra.Command, args []string, out, errs io.Writer) int {
	printed := &output{Writer: out}
	Prepare(root)
	root.SetArgs(args)
	root.SetOut(printed)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if failed := printed.Err(); failed != nil && (err == nil || err.Error() == "") {
		err = failed
	}
	if err == nil {
		return 0
	}
	code := 1
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(errs, "%s: %s\n", root.Name(), printable(Plain(text)))
	}
	return code
}

// flagError turns an error of flag parsing into one that names the flag, the value and the accepted values.
func flagError(c *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		err = fmt.Errorf("--%s %.40s: want %s", f.Name, wire.Printable(invalid.GetValue()), acceptedBy(f))
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		f := missing.GetFlag()
		err = fmt.Errorf("--%s needs a value: want %s", f.Name, acceptedBy(f))
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		name := wire.Printable(unknown.GetSpecifiedName())
		err = fmt.Errorf("%s has no flag %s%.40s%s", c.CommandPath(), dashes, name, similar(c, name))
	}
	return Usage(fmt.Errorf("%w; see --help", err))
}

// similar returns the flags of a command whose names are like a mistyped one, as the end of an error.
func similar(c *cobra.Command, name string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // its commands are the flags: cobra compares names of commands
	c.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	if found := names.SuggestionsFor(name); len(found) > 0 {
		return "; did you mean --" + strings.Join(found, " or --") + "?"
	}
	return ""
}

// acceptedBy returns the accepted values of a flag, with an example.
func acceptedBy(f *pflag.Flag) string {
	if values := f.Annotations[acceptedKey]; len(values) > 0 {
		return values[0]
	}
	example := func(otherwise string) string {
		if f.DefValue == "" || f.DefValue == "0" || f.DefValue == "0s" {
			return otherwise
		}
		return f.DefValue
	}
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "int", "int64":
		return "a whole number, for example " + example("5")
	case "uint", "uint64":
		return "a whole number of at least 0, for example " + example("7")
	case "uint8":
		return "a whole number from 0 to 255, for example " + example("7")
	case "uint16":
		return "a whole number from 0 to 65535, for example " + example("7")
	case "float64":
		return "a number, for example " + example("0.5")
	case "duration":
		return "a time with its unit, for example " + example("90s")
	case "string":
		return "a text, as --help describes it"
	}
	return "a list separated by commas"
}

// Args makes the errors of a command's arguments those of wrong usage.
func Args(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := args(c, given); err != nil {
			return Usage(err)
		}
		return nil
	}
}

// NoArgs refuses arguments that are not flags.
func NoArgs(c *cobra.Command, args []string) error {
	if f := c.Flags().Lookup("check-reader"); len(args) == 0 || f != nil && f.Changed { // a program follows
		return nil
	}
	hint := ""
	if found := c.SuggestionsFor(args[0]); len(found) > 0 {
		hint = "; did you mean " + strings.Join(found, " or ") + "?"
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.NoOptDefVal != "" && f.Value.Type() != "bool" {
			hint = fmt.Sprintf("; the value of --%s follows an equals sign: --%s=%.40s", f.Name, f.Name, args[0])
		}
	})
	return Usage(fmt.Errorf("%.60q is neither a command nor a flag of %s%s; see --help", args[0], c.CommandPath(), hint))
}

// PrintJSON prints a value as indented JSON.
func PrintJSON(out io.Writer, v any) error {
	e := JSONEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"touchline/internal/batch"
)

// Version describes how the program was built, and how it plays. Its JSON is stable.
type Version struct {
	Version  string `json:"version"`  // of a release or a tag; "devel" without one
	Commit   string `json:"commit"`   // "" if unknown
	Date     string `json:"date"`     // of the commit, RFC 3339; "" if unknown
	Modified bool   `json:"modified"` // the source differed from the commit
	Compiler string `json:"go"`       // the Go version
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	// Behaviour is a hash of how robots, referee and field behave: two programs with the same one play the same matches. ""
	// without --behaviour.
	Behaviour string `json:"behaviour,omitempty"`
}

// ./release sets these with -ldflags -X: it builds without the go command's record of the repository, which differs
// between folders.
var release, commit, date string

// currentVersion returns the version of this program.
func currentVersion() Version {
	v := Version{
		Version: release, Commit: commit, Date: date, Compiler: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || release != "" {
		return v
	}
	if v.Version = info.Main.Version; v.Version == "" || v.Version == "(devel)" {
		v.Version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// String returns the version in one line.
func (v Version) String() string {
	text := "touchline " + v.Version
	if v.Commit != "" {
		text += fmt.Sprintf(", commit %.12s", v.Commit)
	}
	if v.Modified {
		text += " with changes"
	}
	if v.Date != "" {
		text += ", " + v.Date
	}
	text = fmt.Sprintf("%s, %s %s/%s", text, v.Compiler, v.OS, v.Arch)
	if v.Behaviour != "" {
		text += ", behaviour " + v.Behaviour
	}
	return text
}

// versionCommand returns the command version.
func versionCommand() *cobra.Command {
	var asJSON, behaviour bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the version of this program, the commit that it was built from, its Go version and its system.

With --behaviour it also plays two short matches, which takes a second, and prints a hash of how the robots, the
referee and the field behaved. Programs with the same hash play the same matches: a worker needs the same hash as the
plan of its batch.`,
		Example: "  touchline version\n  touchline version --json --behaviour",
		RunE: func(c *cobra.Command, _ []string) error {
			v := currentVersion()
			if behaviour {
				v.Behaviour = batch.Behaviour()
			}
			if !asJSON {
				_, err := fmt.Fprintln(c.OutOrStdout(), v)
				return err
			}
			e := json.NewEncoder(c.OutOrStdout())
			e.SetIndent("", "  ")
			return e.Encode(v)
		},
	}
	c.Flags().BoolVar(&behaviour, "behaviour", false, "also print a hash of how matches are played")
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

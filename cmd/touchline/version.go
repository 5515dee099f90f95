package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version describes how the program was built. Its JSON is stable.
type Version struct {
	Version  string `json:"version"`  // of a release or a tag; "devel" without one
	Commit   string `json:"commit"`   // "" if unknown
	Date     string `json:"date"`     // of the commit, RFC 3339; "" if unknown
	Modified bool   `json:"modified"` // the source differed from the commit
	Compiler string `json:"go"`       // the Go version
	OS       string `json:"os"`
	Arch     string `json:"arch"`
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
	return fmt.Sprintf("%s, %s %s/%s", text, v.Compiler, v.OS, v.Arch)
}

// versionCommand returns the command version.
func versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    `Version prints the version of this program, the commit that it was built from, and its Go version and system.`,
		Example: "  touchline version\n  touchline version --json",
		RunE: func(c *cobra.Command, _ []string) error {
			if !asJSON {
				_, err := fmt.Fprintln(c.OutOrStdout(), currentVersion())
				return err
			}
			e := json.NewEncoder(c.OutOrStdout())
			e.SetIndent("", "  ")
			return e.Encode(currentVersion())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

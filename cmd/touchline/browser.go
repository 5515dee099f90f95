package main

import (
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"

	"touchline/internal/console"
)

// browse opens the page in the user's browser, unless there is none to open it in: the program's text goes to a file or to
// another program, the user is at another machine, or there is no desktop.
func (p *pageFlags) browse(url string, out io.Writer, log *slog.Logger) {
	if p.noBrowser || !console.Terminal(out) || !hasDesktop(runtime.GOOS, os.Getenv) {
		return
	}
	name, args := opener(runtime.GOOS)
	c := exec.Command(name, append(args, url)...)
	if err := c.Start(); err != nil {
		log.Debug("no browser opens the page", "err", err)
		return
	}
	go func() { _ = c.Wait() }() // what becomes of the browser is the user's
}

// hasDesktop reports whether a system shows windows to the user of this program.
func hasDesktop(system string, env func(string) string) bool {
	switch {
	case env("SSH_CONNECTION") != "" || env("CI") != "":
		return false
	case system == "windows" || system == "darwin":
		return true
	}
	return env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
}

// opener returns the command that opens an address with the program that the user has chosen for it.
func opener(system string) (name string, args []string) {
	switch system {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	case "darwin":
		return "open", nil
	}
	return "xdg-open", nil
}

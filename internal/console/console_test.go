package console_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"touchline/internal/console"
)

// Buffers and files are no terminals; the end of a pseudoterminal is one.
func TestTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if console.Terminal(&bytes.Buffer{}) || console.Terminal(file) {
		t.Error("a buffer or a file counts as a terminal")
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	if !console.Terminal(terminal) {
		t.Error("a terminal does not count as one")
	}
	c := &cobra.Command{Use: "test", Run: func(c *cobra.Command, _ []string) {
		if !console.Terminal(c.OutOrStdout()) {
			t.Error("the output of a command in a terminal does not count as one")
		}
	}}
	if code := console.Run(t.Context(), c, nil, terminal, io.Discard); code != 0 {
		t.Errorf("exit %d", code)
	}
}

package scratch_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"touchline/internal/scratch"
)

// holder is the environment variable that makes this test program hold a folder until it is killed.
const holder = "TOUCHLINE_SCRATCH_HOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(holder) == "" {
		os.Exit(m.Run())
	}
	f, err := scratch.New()
	if err == nil {
		err = os.WriteFile(filepath.Join(f.Path, "journal"), []byte("x"), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(f.Path)
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the parent kills it
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// The folder of a killed program is removed by the next one, those of living programs and of other ones stay.
func TestSweep(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "freebsd" {
		t.Skip("folders cannot be locked here")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	other := filepath.Join(dir, "touchline-123")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	mine, err := scratch.New()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), holder+"=1")
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	theirs := strings.TrimSpace(line)
	for _, alive := range []bool{true, false} {
		f, err := scratch.New()
		if err != nil {
			t.Fatal(err)
		}
		if exists(theirs) != alive || !exists(mine.Path) || !exists(other) || !exists(f.Path) {
			t.Errorf("the program lives: %t, its folder exists: %t; mine: %t, other: %t, new: %t", alive, exists(theirs),
				exists(mine.Path), exists(other), exists(f.Path))
		}
		if err := f.Remove(); err != nil || exists(f.Path) {
			t.Errorf("Remove: %v", err)
		}
		if alive {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait() // killed
		}
	}
	if err := mine.Remove(); err != nil || exists(mine.Path) {
		t.Errorf("Remove: %v", err)
	}
}

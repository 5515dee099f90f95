package teamcomnet

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

var sender = tcm.Entity{Kind: tcm.Computer, ID: 1}

// content returns n bytes that differ from chunk to chunk.
func content(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// chunks returns the messages of a file, each decoded from its bytes.
func chunks(t *testing.T, name string, content []byte, id uint64) (list []*team.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := OpenFile(path, id)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for {
		m, err := out.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		received := new(team.File)
		if err := received.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		list = append(list, received)
	}
	if uint32(len(list)) != out.Chunks() || out.Size() != uint64(len(content)) {
		t.Fatalf("got %d chunks of %d bytes, want %d of %d", len(list), out.Size(), out.Chunks(), len(content))
	}
	return list
}

// receiver returns a Receiver and its folder.
func receiver(t *testing.T, change func(*FilesConfig)) (*fileReceiver, string) {
	t.Helper()
	cfg := DefaultFilesConfig()
	cfg.Dir = t.TempDir()
	if change != nil {
		change(&cfg)
	}
	r, err := newFileReceiver(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.close(0) })
	return r, cfg.Dir
}

// files returns the names in a folder.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Chunks may arrive in any order and several times.
func TestFileArrivesWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{0, 1, ChunkSize - 1, ChunkSize, ChunkSize + 1, 40*ChunkSize + 17} {
		for _, shuffled := range []bool{false, true} {
			in, dir := receiver(t, nil)
			want := content(n)
			list := chunks(t, "log.bin", want, uint64(n))
			if shuffled {
				list = append(list, list...)
				r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			}
			var results []*FileResult
			for i, m := range list {
				if result := in.receive(soccer.Time(i)*1e6, sender, m); result != nil {
					results = append(results, result)
				}
			}
			if len(results) != 1 || results[0].Err != nil || results[0].From != sender || results[0].Missing != nil {
				t.Fatalf("%d bytes, shuffled %t: got %d results, the first %+v", n, shuffled, len(results), results)
			}
			got, err := os.ReadFile(results[0].Path)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, shuffled %t: the stored file has %d bytes, %v", n, shuffled, len(got), err)
			}
			if names := files(t, dir); !slices.Equal(names, []string{"log.bin"}) {
				t.Errorf("%d bytes: the folder has %q, want only the file", n, names)
			}
		}
	}
}

// An incomplete file is never stored, and its missing bytes are reported.
func TestIncompleteFile(t *testing.T) {
	in, dir := receiver(t, nil)
	list := chunks(t, "log.bin", content(5*ChunkSize+3), 1)
	const size = ChunkSize
	for i, m := range list {
		if i == 0 || i == 2 || i == 3 {
			continue
		}
		if result := in.receive(soccer.Time(i)*1e9, sender, m); result != nil {
			t.Fatalf("a result after chunk %d: %+v", i, result)
		}
	}
	want := []Progress{{From: sender, Name: "log.bin", Received: 2*size + 3, Size: 5*size + 3}}
	if got := in.progress(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	last := soccer.Time(5e9)
	if results := in.expire(last.Add(DefaultFilesConfig().LastIdle - 1)); results != nil {
		t.Errorf("the transfer ends too early: %+v", results[0])
	}
	results := in.expire(last.Add(DefaultFilesConfig().LastIdle))
	missing := []Range{{Start: 0, End: size}, {Start: 2 * size, End: 4 * size}}
	if len(results) != 1 || !errors.Is(results[0].Err, ErrIncomplete) || results[0].Received != 3 ||
		results[0].Chunks != 6 || !slices.Equal(results[0].Missing, missing) || results[0].Path != "" {
		t.Fatalf("got %+v, want an incomplete file without %v", results, missing)
	}
	if names := files(t, dir); len(names) > 0 {
		t.Errorf("the folder has %q, want nothing", names)
	}
	for _, m := range list { // late ones
		if result := in.receive(last.Add(time.Minute), sender, m); result != nil {
			t.Errorf("a late chunk ends a transfer again: %+v", result)
		}
	}
	if len(in.progress()) > 0 {
		t.Error("late chunks started the transfer again")
	}
}

// Without its last chunk a transfer waits longer: the sender may be slow.
func TestSlowSender(t *testing.T) {
	in, _ := receiver(t, nil)
	in.receive(0, sender, chunks(t, "x", content(3*ChunkSize), 1)[0])
	idle := soccer.Time(DefaultFilesConfig().Idle)
	if results := in.expire(idle - 1); results != nil {
		t.Errorf("the transfer ends too early: %+v", results[0])
	}
	if results := in.expire(idle); len(results) != 1 || results[0].Received != 1 {
		t.Errorf("got %+v, want the end of the transfer", results)
	}
}

func TestWrongChecksum(t *testing.T) {
	in, dir := receiver(t, nil)
	list := chunks(t, "x", content(2*ChunkSize), 1)
	list[1].Data[5] ^= 1
	in.receive(0, sender, list[0])
	if result := in.receive(0, sender, list[1]); result == nil || !errors.Is(result.Err, ErrSum) || result.Path != "" {
		t.Errorf("got %+v, want a wrong checksum", result)
	}
	if names := files(t, dir); len(names) > 0 {
		t.Errorf("the folder has %q, want nothing", names)
	}
}

// An existing file stays, whether it was there before the transfer or appears during it.
func TestExistingFile(t *testing.T) {
	list := chunks(t, "x", content(2*ChunkSize), 1)
	for _, late := range []bool{false, true} {
		for _, overwrite := range []bool{false, true} {
			in, dir := receiver(t, func(c *FilesConfig) { c.Overwrite = overwrite })
			write := func() {
				if err := os.WriteFile(filepath.Join(dir, "x"), []byte("mine"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if !late {
				write()
			}
			result := in.receive(0, sender, list[0])
			if late {
				write()
			}
			if result == nil {
				result = in.receive(0, sender, list[1])
			}
			got, _ := os.ReadFile(filepath.Join(dir, "x"))
			switch {
			case result == nil || overwrite != (result.Err == nil) || !overwrite && !errors.Is(result.Err, ErrExists):
				t.Errorf("overwrite %t, late %t: got %+v", overwrite, late, result)
			case overwrite == (string(got) == "mine"):
				t.Errorf("overwrite %t, late %t: the file has %d bytes", overwrite, late, len(got))
			}
			if names := files(t, dir); len(names) != 1 {
				t.Errorf("overwrite %t, late %t: the folder has %q, want one file", overwrite, late, names)
			}
		}
	}
}

// Names stay inside the folder, whatever the sender writes.
func TestSafeName(t *testing.T) {
	for name, want := range map[string]string{
		"team.ini": "team.ini", "Spiel für zwei.mcap": "Spiel für zwei.mcap",
		"../../etc/passwd": "passwd", `C:\Windows\evil.exe`: "evil.exe", "/": "_", "": "_", ".": "_", "..": "_",
		"a/..": "_", ".bashrc": "_bashrc", " .x ": "_x", "a\x00b\n": "a_b_", "a\xffb": "a_b", "nul. .": "nul",
		"a:b|c": "a_b_c", "x/": "_", "\u202egpj.exe": "_gpj.exe",
		strings.Repeat("ä", 150) + ".zip": strings.Repeat("ä", 100),
	} {
		if runtime.GOOS == "windows" && name == "nul. ." {
			want = "_nul"
		}
		if got := safeName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	outer := t.TempDir()
	in, _ := receiver(t, func(c *FilesConfig) {
		c.Dir = filepath.Join(outer, "in")
		if err := os.Mkdir(c.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
	})
	m := chunks(t, "x", []byte("escaped"), 9)[0]
	m.Name = "../escape"
	if result := in.receive(0, sender, m); result == nil || result.Path != filepath.Join(outer, "in", "escape") {
		t.Errorf("got %+v, want the file in the folder", result)
	}
	if names := files(t, outer); !slices.Equal(names, []string{"in"}) {
		t.Errorf("outside the folder: %q", names)
	}
}

// A link in the folder leads nowhere.
func TestLinkIsNotFollowed(t *testing.T) {
	in, dir := receiver(t, func(c *FilesConfig) { c.Overwrite = true })
	target := filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(target, filepath.Join(dir, "x")); err != nil {
		t.Skip("no links here: ", err)
	}
	if result := in.receive(0, sender, chunks(t, "x", []byte("content"), 1)[0]); result == nil || result.Err != nil {
		t.Errorf("got %+v, want a stored file", result)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the file was written through the link")
	}
	if info, err := os.Lstat(filepath.Join(dir, "x")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link was not replaced: %v, %v", info, err)
	}
}

// Chunks that contradict their transfer and transfers beyond the bounds are counted, and the others go on.
func TestHostileSender(t *testing.T) {
	in, dir := receiver(t, nil)
	list := chunks(t, "x", content(2*ChunkSize), 1)
	in.receive(0, sender, list[0])
	for _, change := range []func(*team.File){
		func(m *team.File) { m.Size++ }, func(m *team.File) { m.Sum[0]++ }, func(m *team.File) { m.Name = "y" },
		func(m *team.File) { m.ChunkSize = 1 << 20 },
	} {
		m := *list[1]
		change(&m)
		if result := in.receive(0, sender, &m); result != nil {
			t.Errorf("a chunk that contradicts its transfer ends it: %+v", result)
		}
	}
	if in.Refused() != 4 {
		t.Errorf("%d chunks were refused, want 4", in.Refused())
	}
	for id := range uint64(1000) { // each starts a file of a TiB and never ends it
		m := *list[0]
		m.Transfer, m.Size, m.ChunkSize = 100+id, team.MaxFile, 1<<20
		m.Index = uint32(m.Count() - 1)
		m.Data = make([]byte, m.Length())[:10]
		in.receive(0, tcm.Entity{Kind: tcm.Robot, ID: 66}, &m)
	}
	if open := len(in.progress()); open > 9 {
		t.Errorf("%d transfers are open, want at most 8 of the hostile sender", open)
	}
	if result := in.receive(0, sender, list[1]); result == nil || result.Err != nil {
		t.Errorf("the honest transfer: got %+v, want its end", result)
	}
	for _, result := range in.close(0) {
		if !errors.Is(result.Err, ErrIncomplete) {
			t.Errorf("got %+v, want an incomplete file", result)
		}
	}
	if names := files(t, dir); !slices.Equal(names, []string{"x"}) {
		t.Errorf("the folder has %q, want only the file", names)
	}
}

func TestSendErrors(t *testing.T) {
	if _, err := OpenFile(filepath.Join(t.TempDir(), "missing"), 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
	if _, err := OpenFile(t.TempDir(), 1); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: got %v", err)
	}
	path := filepath.Join(t.TempDir(), "x")
	for _, change := range [][]byte{content(3*ChunkSize + 1)[1:], content(5)} {
		if err := os.WriteFile(path, content(3*ChunkSize), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := OpenFile(path, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, change, 0o644); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = out.Next()
		}
		if !errors.Is(err, ErrChanged) {
			t.Errorf("the file changed to %d bytes: got %v, want ErrChanged", len(change), err)
		}
		out.Close()
	}
}

package managernet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// greyFile returns a file with a grey picture.
func greyFile(t *testing.T, name string, level uint8, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = level
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	if filepath.Ext(name) != ".png" {
		b.Reset()
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// folder writes files to a new folder.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Files play in the order of their names, again and again, at their rate; other files are left out.
func TestPictureFolder(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"b.jpg": greyFile(t, "b.jpg", 120, 31, 17), "a.png": greyFile(t, "a.png", 60, 20, 10), "c.JPEG": greyFile(t, "c.jpeg", 200, 8, 8),
		"notes.txt": []byte("of the camera"),
	})
	r, err := OpenPictureFolder(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Unix(100, 0)
	p := r.play(start)
	for i, want := range []int{60, 60, 120, 200, 60, 120} {
		at := []time.Duration{-time.Second, 50, 150, 250, 350, 450}[i]
		if i > 0 {
			at *= time.Millisecond
		}
		shot, err := p.Shot(start.Add(at))
		if err != nil {
			t.Fatal(err)
		}
		if y := int(shot.Y[0]); y < want-2 || y > want+2 || int(shot.Cb[0]) < 126 || int(shot.Cb[0]) > 130 ||
			len(shot.Y) != shot.Width*shot.Height {
			t.Errorf("at %v: %d x %d, Y %d, want %d", at, shot.Width, shot.Height, y, want)
		}
	}
}

// A JPEG with halved colours has the colours of its pixels.
func TestReelColours(t *testing.T) {
	img := image.NewYCbCr(image.Rect(0, 0, 33, 21), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = 150
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = 90, 170
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	r, err := OpenPictureFolder(folder(t, map[string][]byte{"a.jpg": b.Bytes()}), 25)
	if err != nil {
		t.Fatal(err)
	}
	shot, err := r.play(time.Unix(0, 0)).Shot(time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	for i := range shot.Y {
		have, want := color.YCbCr{Y: shot.Y[i], Cb: shot.Cb[i], Cr: shot.Cr[i]}, color.YCbCr{Y: 150, Cb: 90, Cr: 170}
		if d := int(have.Cr) - int(want.Cr); d < -3 || d > 3 || int(have.Y) < 147 || int(have.Y) > 153 {
			t.Fatalf("pixel %d: %v, want %v", i, have, want)
		}
	}
}

// bomb returns a PNG of a few bytes whose head promises a huge picture.
func bomb(t *testing.T) []byte {
	b := greyFile(t, "a.png", 0, 1, 1)
	const head = 12 // of IHDR: length of the file's signature and of the chunk
	binary.BigEndian.PutUint32(b[head+4:], 60_000)
	binary.BigEndian.PutUint32(b[head+8:], 60_000)
	binary.BigEndian.PutUint32(b[head+17:], crc32.ChecksumIEEE(b[head:head+17]))
	return b
}

// A file that is no picture, too large or missing is an error that names it, before anything plays.
func TestReelRefuses(t *testing.T) {
	whole := greyFile(t, "a.png", 9, 4, 4)
	for want, files := range map[string]map[string][]byte{
		"no .png, .jpg or .jpeg file":       {"notes.txt": whole},
		"b.png: image: unknown format":      {"a.png": whole, "b.png": []byte("no picture")},
		"a.png: 60000 x 60000 pixels: want": {"a.png": bomb(t)},
		"big.png: 2049 x 1 pixels: want":    {"big.png": greyFile(t, "big.png", 1, 2049, 1)},
		"bytes: want at most 16777216":      {"long.jpg": make([]byte, 16<<20+1)},
	} {
		if _, err := OpenPictureFolder(folder(t, files), 25); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if _, err := OpenPictureFolder(filepath.Join(t.TempDir(), "nothing"), 25); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is missing: %v", err)
	}
	for _, rate := range []float64{0, 0.5, 61, -1} {
		if _, err := OpenPictureFolder(folder(t, map[string][]byte{"a.png": whole}), rate); !errors.Is(err, ErrRate) {
			t.Errorf("rate %v: %v", rate, err)
		}
	}
	many := map[string][]byte{}
	for i := range MaxFiles + 1 {
		many[fmt.Sprintf("%05d.png", i)] = nil
	}
	if _, err := OpenPictureFolder(folder(t, many), 25); err == nil || !strings.Contains(err.Error(), "want at most 10000") {
		t.Errorf("too many files: %v", err)
	}
}

// A file that changes while it plays, also into a bomb, is an error once; the others go on.
func TestReelChanges(t *testing.T) {
	dir := folder(t, map[string][]byte{"a.png": greyFile(t, "a.png", 60, 4, 4), "b.png": greyFile(t, "b.png", 90, 4, 4)})
	r, err := OpenPictureFolder(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.png"), bomb(t), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Unix(0, 0)
	p := r.play(start)
	if _, err := p.Shot(start); err == nil || errors.Is(err, errBad) {
		t.Errorf("first: %v", err)
	}
	if _, err := p.Shot(start.Add(time.Millisecond)); !errors.Is(err, errBad) {
		t.Errorf("again: %v", err)
	}
	if shot, err := p.Shot(start.Add(120 * time.Millisecond)); err != nil || shot.Y[0] < 85 {
		t.Errorf("the next one: %v", err)
	}
}

package robotnet_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/internal/manager/managernet"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/wiretest"
)

// A robot in a process of its own plays the files of a folder to a computer that looks, all of them, and the computer sees
// their pixels.
func TestPlaysPictures(t *testing.T) {
	dir := t.TempDir()
	levels := []uint8{40, 130, 220}
	for i, level := range levels {
		img := image.NewGray(image.Rect(0, 0, 64, 48))
		for k := range img.Pix {
			img.Pix[k] = level
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.png", i)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := managernet.OpenPictureFolder(dir, 20)
	if err != nil {
		t.Fatal(err)
	}
	f := newField(t, goodDirectory)
	r, err := robotnet.New(robotnet.Config{
		Robot: robot.DefaultConfig(3, soccer.Cyan, 74), Team: 1, Field: f.Address(), Entity: robot.Field,
		Network: transport.Config{}, PictureFolder: folder, Camera: camera.Perspective(),
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = r.Run(t.Context()) }() // it ends with the test
	var pictures managernet.Pictures
	pictures.Receive(f)
	desk := manager.NewDesk(manager.DeskConfig{Computer: robot.Field.ID, Seed: managernet.Seed()})
	go managernet.Serve(t.Context(), f, desk)
	attended := time.Time{}
	seen := map[uint8]bool{}
	wiretest.Eventually(t, "all pictures arrive", func() bool {
		if now := time.Now(); now.Sub(attended) > 300*time.Millisecond {
			attended = now
			body := []byte(`{"robot": 3, "page": 5, "name": "Eva", "picture": {"rate": 25, "overlay": true}}`)
			if err := desk.Command(f.Now(), "robot-attend", body, managernet.Send(f)); err != nil {
				t.Fatal(err)
			}
		}
		v := pictures.View(3, f.Now())
		if v == nil || v.Missing > 0 {
			return false
		}
		img, err := jpeg.Decode(bytes.NewReader(v.Data))
		if err != nil || img.Bounds().Dx() != 64 || len(v.Overlay) > 0 {
			t.Fatalf("%v, overlay %v, %v", img.Bounds(), v.Overlay, err)
		}
		y := color.GrayModel.Convert(img.At(30, 20)).(color.Gray).Y
		for _, level := range levels {
			if max(y, level)-min(y, level) < 6 {
				seen[level] = true
			}
		}
		return len(seen) == len(levels)
	})
}

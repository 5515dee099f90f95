package managernet

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // formats of a PictureFolder
	_ "image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"touchline/internal/camera"
	"touchline/wire/team"
)

// Bounds of a PictureFolder.
const (
	MaxFiles = 10_000
	maxBytes = 16 << 20 // of a file
)

// ErrRate is the error of a rate that a PictureFolder cannot have.
var ErrRate = fmt.Errorf("film: want 1 to %d pictures a second", team.MaxRate)

// PictureFolder is a folder of pictures of a real camera, PNG or JPEG, that play in the place of a robot's camera: in the order
// of their names, again and again. It is read-only; each robot has a Player of its own.
type PictureFolder struct {
	Rate float64 // pictures a second

	dir   string
	names []string
}

// OpenPictureFolder opens a folder. It reads the head of each picture: files that are no pictures, larger than team.MaxPicture a
// side or 16 MB, an empty folder and one with more than MaxFiles pictures are errors. rate is from 1 to team.MaxRate
// pictures a second.
func OpenPictureFolder(dir string, rate float64) (*PictureFolder, error) {
	if !(rate >= 1 && rate <= team.MaxRate) {
		return nil, ErrRate
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("film: %w", err)
	}
	r := &PictureFolder{Rate: rate, dir: dir}
	for _, e := range entries {
		if ext := strings.ToLower(filepath.Ext(e.Name())); !e.IsDir() && slices.Contains([]string{".png", ".jpg", ".jpeg"}, ext) {
			r.names = append(r.names, e.Name())
		}
	}
	switch {
	case len(r.names) == 0:
		return nil, fmt.Errorf("film: %s holds no .png, .jpg or .jpeg file", dir)
	case len(r.names) > MaxFiles:
		return nil, fmt.Errorf("film: %s holds %d pictures: want at most %d", dir, len(r.names), MaxFiles)
	}
	slices.Sort(r.names)
	for _, name := range r.names {
		if err := r.read(name, func(f io.Reader) error { return checkHead(f) }); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// read opens a file of a bounded length.
func (r *PictureFolder) read(name string, with func(io.Reader) error) error {
	path := filepath.Join(r.dir, name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("film: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("film: %s is no file", path)
	case info.Size() > maxBytes:
		return fmt.Errorf("film: %s has %d bytes: want at most %d", path, info.Size(), maxBytes)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("film: %w", err)
	}
	defer f.Close()
	if err := with(io.LimitReader(f, maxBytes)); err != nil {
		return fmt.Errorf("film: %s: %w", path, err)
	}
	return nil
}

// checkHead checks the size that the head of a picture gives, before any pixel is decoded.
func checkHead(f io.Reader) error {
	head, _, err := image.DecodeConfig(f)
	if err != nil {
		return err
	}
	if head.Width < 1 || head.Height < 1 || head.Width > team.MaxPicture || head.Height > team.MaxPicture {
		return fmt.Errorf("%d x %d pixels: want 1 to %d a side", head.Width, head.Height, team.MaxPicture)
	}
	return nil
}

// player plays a PictureFolder for one robot. It is not safe for concurrent use.
type player struct {
	folder *PictureFolder
	start  time.Time
	at     int // of the picture in shot
	loaded bool
	err    error // of it
	shot   camera.Picture
}

// play returns a player that begins at start.
func (r *PictureFolder) play(start time.Time) *player { return &player{folder: r, start: start} }

// Shot returns the picture of a time. It is valid until the next call. A file that cannot be decoded is an error once,
// and then ErrBad until the next one is due.
func (p *player) Shot(now time.Time) (*camera.Picture, error) {
	n := int64(math.Floor(max(now.Sub(p.start).Seconds(), 0) * p.folder.Rate))
	at := int(n % int64(len(p.folder.names)))
	if p.loaded && at == p.at {
		if p.err != nil {
			return nil, errBad
		}
		return &p.shot, nil
	}
	p.at, p.loaded = at, true
	p.err = p.folder.read(p.folder.names[at], func(f io.Reader) error {
		b, err := io.ReadAll(f)
		if err == nil {
			err = checkHead(bytes.NewReader(b)) // the file may have changed
		}
		if err != nil {
			return err
		}
		img, _, err := image.Decode(bytes.NewReader(b))
		if err == nil {
			setPicture(&p.shot, img)
		}
		return err
	})
	if p.err != nil {
		return nil, p.err
	}
	return &p.shot, nil
}

// errBad is the error of a picture that failed before.
var errBad = errors.New("film: the picture cannot be decoded")

// setPicture sets a picture to an image, in the camera's format.
func setPicture(p *camera.Picture, img image.Image) {
	b := img.Bounds()
	p.Resize(b.Dx(), b.Dy())
	i := 0
	if ycbcr, ok := img.(*image.YCbCr); ok {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				c := ycbcr.COffset(x, y)
				p.Y[i], p.Cb[i], p.Cr[i] = ycbcr.Y[ycbcr.YOffset(x, y)], ycbcr.Cb[c], ycbcr.Cr[c]
				i++
			}
		}
		return
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			red, green, blue, _ := img.At(x, y).RGBA()
			p.Y[i], p.Cb[i], p.Cr[i] = color.RGBToYCbCr(uint8(red>>8), uint8(green>>8), uint8(blue>>8))
			i++
		}
	}
}

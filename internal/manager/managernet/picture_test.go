package managernet

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// scene returns a picture of a few coloured waves.
func scene(w, h int, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, w, h), ratio)
	for y := range h {
		for x := range w {
			img.Y[img.YOffset(x, y)] = uint8(128 + 80*math.Sin(float64(x)/9)*math.Cos(float64(y)/13))
			img.Cb[img.COffset(x, y)] = uint8(128 + 60*math.Sin(float64(x+y)/40))
			img.Cr[img.COffset(x, y)] = uint8(128 + 60*math.Cos(float64(x)/50))
		}
	}
	return img
}

// difference returns the mean difference of luminance in rows.
func difference(a, b *image.YCbCr, from, to int) float64 {
	sum := 0.0
	for y := from; y < to; y++ {
		for x := range a.Rect.Dx() {
			sum += math.Abs(float64(a.Y[a.YOffset(x, y)]) - float64(b.Y[b.YOffset(x, y)]))
		}
	}
	return sum / float64((to-from)*a.Rect.Dx())
}

func decode(t *testing.T, file []byte) *image.YCbCr {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return img.(*image.YCbCr)
}

// A picture of any size survives the way through slices; with lost pieces, whole slices are grey and the rest is as
// good as before.
func TestLostPieces(t *testing.T) {
	for _, size := range [][2]int{{208, 160}, {480, 480}, {97, 33}, {16, 16}, {1, 1}} {
		for _, format := range []team.PictureFormat{team.JPEG, team.YCbCr} {
			w, h := size[0], size[1]
			src := scene(w, h, image.YCbCrSubsampleRatio444)
			wish := team.PictureWish{Rate: 25, Format: format, Divisor: 1}
			if format == team.JPEG {
				wish.Quality = 75
			}
			var e encoder
			var m, got team.Image
			if err := e.encode(src, &wish, &m); err != nil {
				t.Fatal(err)
			}
			b, err := m.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			pieces := (len(b) + tcm.PieceSize - 1) / tcm.PieceSize
			for lost := -1; lost < pieces; lost++ {
				if pieces == 1 && lost == 0 {
					break
				}
				err := got.UnmarshalPartial(b, func(from, to int) bool { return lost < 0 || to <= lost*tcm.PieceSize || from >= (lost+1)*tcm.PieceSize })
				if err != nil {
					t.Fatalf("%v %v, piece %d lost: %v", size, format, lost, err)
				}
				var d Decoder
				file, missing, err := d.Decode(nil, &got, nil)
				if err != nil {
					t.Fatal(err)
				}
				if (lost < 0) != (missing == 0) || missing > len(m.Slices)/2 && pieces > 3 {
					t.Fatalf("%v %v, piece %d of %d lost: %d of %d slices missing", size, format, lost, pieces, missing, len(m.Slices))
				}
				back := decode(t, file)
				for i, s := range got.Slices {
					from, to := i*int(m.Rows), min((i+1)*int(m.Rows), h)
					if diff := difference(src, back, from, to); len(s) > 0 && diff > 6 {
						t.Errorf("%v %v: rows %d to %d differ by %.1f", size, format, from, to, diff)
					}
				}
			}
		}
	}
}

// A region at half size has the pixels of the region.
func TestRegion(t *testing.T) {
	src := scene(208, 160, image.YCbCrSubsampleRatio420)
	var e encoder
	var m team.Image
	err := e.encode(src, &team.PictureWish{Format: team.YCbCr, Divisor: 2, X: 53, Y: 40, Width: 100, Height: 400}, &m)
	if err != nil {
		t.Fatal(err)
	}
	if m.Width != 50 || m.Height != 60 || m.X != 52 || m.Y != 40 || m.Divisor != 2 || len(m.Slices) != 30 {
		t.Fatalf("got %d x %d at %d, %d in %d slices", m.Width, m.Height, m.X, m.Y, len(m.Slices))
	}
	want := (int(src.Y[40*src.YStride+52]) + int(src.Y[40*src.YStride+53]) + int(src.Y[41*src.YStride+52]) +
		int(src.Y[41*src.YStride+53]) + 2) / 4
	if int(m.Slices[0][0]) != want {
		t.Errorf("first pixel %d, want %d", m.Slices[0][0], want)
	}
	if err := e.encode(src, &team.PictureWish{Format: team.YCbCr, X: 300, Width: 1, Height: 1}, &m); err == nil {
		t.Error("a region outside the picture was accepted")
	}
}

// Classes survive as runs; a slice that is missing has the first class.
func TestClasses(t *testing.T) {
	const w, h = 208, 160
	rng := rand.New(rand.NewPCG(1, 1))
	pixels := make([]byte, w*h)
	for i := range pixels {
		pixels[i] = pixels[max(0, i-1)]
		if rng.IntN(30) == 0 {
			pixels[i] = byte(rng.IntN(8))
		}
	}
	var m team.Image
	if err := Classes(pixels, w, h, &m); err != nil {
		t.Fatal(err)
	}
	var palette color.Palette
	for i := range 8 {
		palette = append(palette, color.Gray{uint8(i * 30)})
	}
	m.Slices[3] = nil
	var d Decoder
	file, missing, err := d.Decode(nil, &m, palette)
	if err != nil || missing != 1 {
		t.Fatal(missing, err)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range pixels {
		if i/w/8 == 3 {
			want = 0
		}
		if got := img.(*image.Paletted).Pix[i]; got != want {
			t.Fatalf("pixel %d: %d, want %d", i, got, want)
		}
	}
}

// The decoder shows what hostile slices are worth: nothing. It neither fails nor makes room for more than the geometry.
func FuzzDecode(f *testing.F) {
	var e encoder
	var m team.Image
	for _, format := range []team.PictureFormat{team.JPEG, team.YCbCr} {
		if err := e.encode(scene(40, 40, image.YCbCrSubsampleRatio420), &team.PictureWish{Format: format, Quality: 50}, &m); err != nil {
			f.Fatal(err)
		}
		b, err := m.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	palette := color.Palette{color.Black, color.White}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m team.Image
		if m.UnmarshalPartial(b, func(from, _ int) bool { return from != 1200 }) != nil {
			return
		}
		if int(m.Width)*int(m.Height) > 1<<16 {
			t.Skip("slow")
		}
		var d Decoder
		file, _, err := d.Decode(nil, &m, palette)
		if err != nil {
			t.Fatal(err)
		}
		cfg, _, err := image.DecodeConfig(bytes.NewReader(file))
		if err != nil || cfg.Width != int(m.Width) || cfg.Height != int(m.Height) {
			t.Fatalf("%+v, %v for %d x %d", cfg, err, m.Width, m.Height)
		}
	})
}

func TestStream(t *testing.T) {
	var s Stream
	at := soccer.Epoch
	for i := range uint32(50) {
		at = at.Add(40 * time.Millisecond)
		if i%10 == 5 {
			continue
		}
		s.arrived(i, at.Add(-20*time.Millisecond), at, 1000, i%10 != 7)
	}
	got := s.stats(at)
	if got.Rate < 22 || got.Rate > 23 || got.Kbits != got.Rate*8 || math.Abs(got.Latency-20) > 1e-9 || got.Lost != 5 || got.Partial != 5 {
		t.Errorf("%+v", got)
	}
}

// BenchmarkEncode encodes a picture of the default camera.
// TestChroma compares the colours of regions with the means of 2 x 2 pixels, for whole and odd sizes.
func TestChroma(t *testing.T) {
	src := scene(51, 38, image.YCbCrSubsampleRatio444)
	for _, wish := range []team.PictureWish{
		{}, {X: 6, Y: 4, Width: 21, Height: 9}, {X: 30, Y: 30, Width: 21, Height: 8}, {X: 2, Y: 2, Width: 1, Height: 1},
	} {
		wish.Format, wish.Divisor = team.YCbCr, 1
		var e encoder
		var m team.Image
		if err := e.encode(src, &wish, &m); err != nil {
			t.Fatal(err)
		}
		w, h := int(m.Width), int(m.Height)
		for y := 0; y < h; y += 2 {
			slice := m.Slices[y/2]
			colors := slice[min(2, h-y)*w:]
			for x := 0; x < w; x += 2 {
				sum := 0
				for i := range 4 {
					sum += int(src.Cb[min(int(m.Y)+y+i/2, 37)*51+min(int(m.X)+x+i%2, 50)])
				}
				if int(colors[x/2]) != (sum+2)/4 || slice[x] != src.Y[(int(m.Y)+y)*51+int(m.X)+x] {
					t.Fatalf("%+v: Cb %d at %d %d, want %d", wish, colors[x/2], x, y, (sum+2)/4)
				}
			}
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	src := scene(208, 160, image.YCbCrSubsampleRatio444)
	var e encoder
	var m team.Image
	for b.Loop() {
		if err := e.encode(src, &team.PictureWish{Quality: 75}, &m); err != nil {
			b.Fatal(err)
		}
	}
}

// TestScans compares decoded pictures with those of Go's encoder, for noise, waves and hard edges, in several qualities and
// sizes.
func TestScans(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{208, 160}, {97, 33}, {16, 16}, {1, 1}} {
		src := scene(size[0], size[1], image.YCbCrSubsampleRatio420)
		for kind := range 3 {
			for i := range src.Y {
				switch kind {
				case 1:
					src.Y[i] = uint8(random.Uint32())
				case 2:
					src.Y[i] = uint8(255 * (i / 5 & 1))
				}
			}
			for _, quality := range []int{3, 5, 10, 30, 75, 95, 100} {
				var want bytes.Buffer
				if err := jpeg.Encode(&want, src, &jpeg.Options{Quality: quality}); err != nil {
					t.Fatal(err)
				}
				var e encoder
				var d Decoder
				var m team.Image
				if err := e.encode(src, &team.PictureWish{Quality: uint8(quality)}, &m); err != nil {
					t.Fatal(err)
				}
				file, missing, err := d.Decode(nil, &m, nil)
				if err != nil || missing > 0 {
					t.Fatalf("%v, %d slices are missing", err, missing)
				}
				got, ours, theirs := decode(t, file), 0.0, 0.0
				ours = difference(got, src, 0, size[1])
				theirs = difference(decode(t, want.Bytes()), src, 0, size[1])
				if ours > 1.05*theirs+0.3 || len(file) > want.Len()*11/10+200 {
					t.Errorf("%v, kind %d, quality %d: differs by %.2f, of Go's encoder by %.2f; %d bytes, want %d",
						size, kind, quality, ours, theirs, len(file), want.Len())
				}
			}
		}
	}
}

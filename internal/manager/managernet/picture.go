package managernet

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"touchline/wire/team"
)

// Rows of the slices by format.
const (
	jpegRows  = 16
	ycbcrRows = 2
	classRows = 8
)

// encoder cuts pictures into slices for managers (docs/manager.md, type 32), of which each can be decoded without the
// others: of a JPEG the scan of 16 rows. A Decoder writes the header of the whole picture, with restart markers between
// the scans and an empty scan in place of each that is missing. An Encoder reuses its memory and is not safe for
// concurrent use.
type encoder struct {
	buf     bytes.Buffer
	region  image.YCbCr
	scanner scanner
}

// errEmpty is the error of a picture without pixels.
var errEmpty = errors.New("picture: no pixels in this region")

// encode sets m to what a manager wishes of a picture: its region at its size, as JPEG or raw.
func (e *encoder) encode(src *image.YCbCr, wish *team.PictureWish, m *team.Image) error {
	if err := e.cut(src, wish, m); err != nil {
		return err
	}
	switch wish.Format {
	case team.JPEG:
		m.Rows, m.Quality = jpegRows, wish.Quality
		if err := e.tables(int(m.Quality)); err != nil {
			return err
		}
		for y := 0; y < int(m.Height); y += jpegRows {
			m.Slices = append(m.Slices, e.scanner.scan(&e.region, y))
		}
	case team.YCbCr:
		m.Rows, m.Quality = ycbcrRows, 0
		for y := 0; y < int(m.Height); y += ycbcrRows {
			m.Slices = append(m.Slices, e.rows(y))
		}
	default:
		return fmt.Errorf("picture: format %v needs a colour table", wish.Format)
	}
	return nil
}

// cut sets e.region to the region that is wished, and m to its geometry.
func (e *encoder) cut(src *image.YCbCr, wish *team.PictureWish, m *team.Image) error {
	full, r := src.Rect, regionOf(src.Rect, wish)
	d := max(1, int(wish.Divisor))
	w, h := r.Dx()/d, r.Dy()/d
	if w < 1 || h < 1 {
		return errEmpty
	}
	if w > team.MaxPicture || h > team.MaxPicture {
		return fmt.Errorf("picture: %d x %d pixels: want at most %d a side", w, h, team.MaxPicture)
	}
	*m = team.Image{
		Format: wish.Format, Divisor: uint8(d), Width: uint16(w), Height: uint16(h), X: uint16(r.Min.X - full.Min.X),
		Y: uint16(r.Min.Y - full.Min.Y), Slices: m.Slices[:0],
	}
	if e.region.Rect.Dx() != w || e.region.Rect.Dy() != h {
		e.region = *image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	}
	e.shrink(src, r.Min, d)
	return nil
}

// regionOf returns the region that is wished of a picture, from an even pixel on. It is empty for one outside of it.
func regionOf(full image.Rectangle, wish *team.PictureWish) image.Rectangle {
	if wish.Width == 0 || wish.Height == 0 {
		return full
	}
	x, y := full.Min.X+int(wish.X)&^1, full.Min.Y+int(wish.Y)&^1
	return image.Rect(x, y, x+int(wish.Width), y+int(wish.Height)).Intersect(full)
}

// shrink sets e.region to the pixels from a corner on, each the mean of d x d pixels.
func (e *encoder) shrink(src *image.YCbCr, from image.Point, d int) {
	to := &e.region
	w, h := to.Rect.Dx(), to.Rect.Dy()
	for y := range h {
		row := to.Y[y*to.YStride:][:w]
		if d == 1 {
			copy(row, src.Y[src.YOffset(from.X, from.Y+y):])
			continue
		}
		for x := range row {
			sum := 0
			for v := range d {
				at := src.YOffset(from.X+x*d, from.Y+y*d+v)
				for _, l := range src.Y[at : at+d] {
					sum += int(l)
				}
			}
			row[x] = uint8((sum + d*d/2) / (d * d))
		}
	}
	for y := range (h + 1) / 2 {
		cb, cr := to.Cb[y*to.CStride:][:(w+1)/2], to.Cr[y*to.CStride:][:(w+1)/2]
		if d == 1 && src.SubsampleRatio == image.YCbCrSubsampleRatio444 {
			above := src.COffset(from.X, from.Y+2*y)
			below := src.COffset(from.X, min(from.Y+2*y+1, src.Rect.Max.Y-1))
			halve(cb[:w/2], src.Cb[above:], src.Cb[below:])
			halve(cr[:w/2], src.Cr[above:], src.Cr[below:])
			cb, cr = cb[w/2:], cr[w/2:] // of an odd width the last one is left
		}
		e.blend(src, from, d, y, cb, cr)
	}
}

// halve sets dst to the means of 2 x 2 values of two rows.
func halve(dst, above, below []byte) {
	above, below = above[:2*len(dst)], below[:2*len(dst)]
	for x := range dst {
		dst[x] = byte((int(above[2*x]) + int(above[2*x+1]) + int(below[2*x]) + int(below[2*x+1]) + 2) / 4)
	}
}

// blend sets the last colours of a row to the means of 2 x 2 pixels of the region.
func (e *encoder) blend(src *image.YCbCr, from image.Point, d, y int, lastCb, lastCr []byte) {
	last := src.Rect.Max.Sub(image.Pt(1, 1))
	for k := range lastCb {
		x := (e.region.Rect.Dx()+1)/2 - len(lastCb) + k
		var cb, cr int
		for i := range 4 {
			at := src.COffset(min(from.X+(2*x+i%2)*d+d/2, last.X), min(from.Y+(2*y+i/2)*d+d/2, last.Y))
			cb, cr = cb+int(src.Cb[at]), cr+int(src.Cr[at])
		}
		lastCb[k], lastCr[k] = uint8((cb+2)/4), uint8((cr+2)/4)
	}
}

// rows returns the planes of two rows.
func (e *encoder) rows(y int) []byte {
	r := &e.region
	w, c := r.Rect.Dx(), (r.Rect.Dx()+1)/2
	var slice []byte
	for v := y; v < min(y+ycbcrRows, r.Rect.Dy()); v++ {
		slice = append(slice, r.Y[v*r.YStride:][:w]...)
	}
	slice = append(slice, r.Cb[y/2*r.CStride:][:c]...)
	return append(slice, r.Cr[y/2*r.CStride:][:c]...)
}

// tables lets the scanner use the tables of a quality.
func (e *encoder) tables(quality int) error {
	if e.scanner.known && e.scanner.quality == quality {
		return nil
	}
	e.buf.Reset()
	some := image.NewYCbCr(image.Rect(0, 0, jpegRows, jpegRows), image.YCbCrSubsampleRatio420)
	if err := jpeg.Encode(&e.buf, some, &jpeg.Options{Quality: quality}); err != nil {
		return fmt.Errorf("picture: %w", err)
	}
	header, _ := split(e.buf.Bytes())
	e.scanner.prepare(quality, header)
	return nil
}

// split cuts a JPEG of Go's encoder into its header, up to the scan, and the scan without the marker at its end.
func split(b []byte) (header, scan []byte) {
	for at := 2; at+4 <= len(b); {
		length := 2 + int(b[at+2])<<8 + int(b[at+3])
		if b[at+1] == 0xda { // SOS
			return b[:at+length], b[at+length : len(b)-2]
		}
		at += length
	}
	return b, nil
}

// Classes sets m to a picture of classes, one byte a pixel, as runs: a class and the length of its run less 1.
func Classes(pixels []byte, width, height int, m *team.Image) error {
	if width < 1 || height < 1 || width > team.MaxPicture || height > team.MaxPicture || len(pixels) < width*height {
		return fmt.Errorf("picture: %d classes for %d x %d pixels", len(pixels), width, height)
	}
	*m = team.Image{
		Format: team.Classes, Divisor: 1, Width: uint16(width), Height: uint16(height), Rows: classRows, Slices: m.Slices[:0],
	}
	for y := 0; y < height; y += classRows {
		var slice []byte
		for part := pixels[y*width : min(y+classRows, height)*width]; len(part) > 0; {
			n := 1
			for n < len(part) && n < 256 && part[n] == part[0] {
				n++
			}
			slice, part = append(slice, part[0], byte(n-1)), part[n:]
		}
		m.Slices = append(m.Slices, slice)
	}
	return nil
}

// Palette has the colours of the classes of a colour-segmented picture, in the order of package internal/camera: none,
// green, white, orange, yellow, blue, black, cyan, magenta.
var Palette = color.Palette{
	color.RGBA{120, 126, 122, 255}, color.RGBA{64, 140, 82, 255}, color.RGBA{244, 246, 240, 255},
	color.RGBA{232, 89, 12, 255}, color.RGBA{250, 204, 21, 255}, color.RGBA{31, 85, 196, 255}, color.RGBA{30, 32, 31, 255},
	color.RGBA{0, 128, 174, 255}, color.RGBA{196, 56, 150, 255},
}

// Decoder makes pictures for pages of what arrived. It keeps the headers of the newest geometry.
type Decoder struct {
	width, quality int
	header         []byte // of a picture of 16 rows
	empty          []byte // scan of 16 grey rows
	buf            bytes.Buffer
}

// Decode appends the picture to b as a file that browsers show: a JPEG, for classes a PNG with the colours of palette.
// Missing slices are grey. It returns their number.
func (d *Decoder) Decode(b []byte, m *team.Image, palette color.Palette) (file []byte, missing int, err error) {
	switch m.Format {
	case team.JPEG:
		return d.join(b, m)
	case team.YCbCr:
		var img *image.YCbCr
		d.buf.Reset()
		img, missing = raw(m)
		err = jpeg.Encode(&d.buf, img, &jpeg.Options{Quality: 90})
	case team.Classes:
		var img *image.Paletted
		d.buf.Reset()
		img, missing = classes(m, palette)
		err = png.Encode(&d.buf, img)
	default:
		err = fmt.Errorf("unknown format %v", m.Format)
	}
	if err != nil {
		return b, 0, fmt.Errorf("picture: %w", err)
	}
	return append(b, d.buf.Bytes()...), missing, nil
}

// join appends the JPEG of all scans: header, restart interval, and the scans with restart markers between them.
func (d *Decoder) join(b []byte, m *team.Image) ([]byte, int, error) {
	if err := d.prepare(int(m.Width), int(m.Quality)); err != nil {
		return b, 0, err
	}
	const sos = 14 // bytes of the SOS segment of three components, with its marker
	at := len(b)
	b = append(b, d.header[:len(d.header)-sos]...)
	setHeight(b[at:], m.Height)
	interval := (m.Width + jpegRows - 1) / jpegRows
	b = append(b, 0xff, 0xdd, 0, 4, byte(interval>>8), byte(interval)) // DRI
	b = append(b, d.header[len(d.header)-sos:]...)
	missing := 0
	for i, scan := range m.Slices {
		if i > 0 {
			b = append(b, 0xff, 0xd0+byte((i-1)%8)) // RST
		}
		if !plain(scan) {
			missing++
			scan = d.empty
		}
		b = append(b, scan...)
	}
	return append(b, 0xff, 0xd9), missing, nil
}

// prepare makes the header and the empty scan of a width and a quality.
func (d *Decoder) prepare(width, quality int) error {
	if d.header != nil && d.width == width && d.quality == quality {
		return nil
	}
	d.buf.Reset()
	if err := jpeg.Encode(&d.buf, grey(width, jpegRows), &jpeg.Options{Quality: quality}); err != nil {
		return fmt.Errorf("picture: %w", err)
	}
	header, scan := split(d.buf.Bytes())
	d.width, d.quality, d.header, d.empty = width, quality, bytes.Clone(header), bytes.Clone(scan)
	return nil
}

// setHeight sets the height in the SOF0 segment of a header.
func setHeight(header []byte, height uint16) {
	for at := 2; at+9 <= len(header); at += 2 + int(header[at+2])<<8 + int(header[at+3]) {
		if header[at+1] == 0xc0 {
			header[at+5], header[at+6] = byte(height>>8), byte(height)
			return
		}
	}
}

// plain reports whether a scan is there and has no marker: one would end the picture.
func plain(scan []byte) bool {
	for i, v := range scan {
		if v == 0xff && (i+1 == len(scan) || scan[i+1] != 0) {
			return false
		}
	}
	return len(scan) > 0
}

// grey returns a grey picture.
func grey(width, height int) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for _, plane := range [][]byte{img.Y, img.Cb, img.Cr} {
		for i := range plane {
			plane[i] = 128
		}
	}
	return img
}

// raw returns the picture of raw slices.
func raw(m *team.Image) (*image.YCbCr, int) {
	w, h, rows := int(m.Width), int(m.Height), int(m.Rows)
	img := grey(w, h)
	c, missing := (w+1)/2, 0
	for i, s := range m.Slices {
		n := min(rows, h-i*rows)
		k := (n + 1) / 2
		if len(s) != n*w+2*k*c {
			missing++
			continue
		}
		for v := range n {
			copy(img.Y[(i*rows+v)*img.YStride:][:w], s[v*w:])
		}
		for v := range k {
			copy(img.Cb[(i*rows/2+v)*img.CStride:][:c], s[n*w+v*c:])
			copy(img.Cr[(i*rows/2+v)*img.CStride:][:c], s[n*w+k*c+v*c:])
		}
	}
	return img, missing
}

// classes returns the picture of runs. A class without a colour has the first one.
func classes(m *team.Image, palette color.Palette) (*image.Paletted, int) {
	w, h, rows := int(m.Width), int(m.Height), int(m.Rows)
	img := image.NewPaletted(image.Rect(0, 0, w, h), palette)
	missing := 0
	for i, s := range m.Slices {
		part := img.Pix[i*rows*w : min((i+1)*rows, h)*w]
		at := 0
		for ; len(s) >= 2; s = s[2:] {
			n := min(int(s[1])+1, len(part)-at)
			class := s[0]
			if int(class) >= len(palette) {
				class = 0
			}
			for k := range n {
				part[at+k] = class
			}
			at += n
		}
		if at < len(part) {
			missing++
		}
	}
	return img, missing
}

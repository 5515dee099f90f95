package camera

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Class is what a pixel's colour stands for.
type Class uint8

// The classes of pixels.
const (
	None Class = iota
	Green
	White
	Orange
	Yellow
	Blue
	Black
	Cyan
	Magenta
	Classes // how many there are
)

var classNames = [Classes]string{
	"none", "green", "white", "orange", "yellow", "blue", "black", "cyan", "magenta",
}

// String returns the name of a class.
func (c Class) String() string {
	if c < Classes {
		return classNames[c]
	}
	return "unknown"
}

// Table gives each colour a class, by the upper 6 bits of Y, Cb and Cr.
type Table [1 << 18]Class

// Index returns the place of a colour in a Table.
func Index(y, cb, cr byte) int { return int(cb>>2)<<12 | int(cr>>2)<<6 | int(y>>2) }

// At returns the class of a colour.
func (t *Table) At(y, cb, cr byte) Class { return t[Index(y, cb, cr)] }

// tableVersion begins each file of a table.
const tableVersion = 1

// ErrTable is the error of a file that is no table.
var ErrTable = errors.New("percept: colour table")

// AppendBinary appends the table as a file: the version, and runs of cells with one class in the order of Index, each a
// class u8 and its cells u16, little-endian, at least 1. It does not fail.
func (t *Table) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, tableVersion)
	for i := 0; i < len(t); {
		n := 1
		for i+n < len(t) && n < math.MaxUint16 && t[i+n] == t[i] {
			n++
		}
		b = binary.LittleEndian.AppendUint16(append(b, byte(t[i])), uint16(n))
		i += n
	}
	return b, nil
}

// UnmarshalBinary reads a file of AppendBinary. The error is ErrTable, and says what is wrong; the table is then unchanged.
func (t *Table) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != tableVersion {
		return fmt.Errorf("%w: want version %d", ErrTable, tableVersion)
	}
	read := new(Table)
	at := 0
	for b = b[1:]; len(b) > 0; b = b[3:] {
		if len(b) < 3 {
			return fmt.Errorf("%w: %d bytes after the last run", ErrTable, len(b))
		}
		class, n := Class(b[0]), int(binary.LittleEndian.Uint16(b[1:]))
		switch {
		case class >= Classes:
			return fmt.Errorf("%w: class %d: want 0 to %d", ErrTable, class, Classes-1)
		case n == 0 || at+n > len(t):
			return fmt.Errorf("%w: a run of %d cells at %d of %d", ErrTable, n, at, len(t))
		}
		for i := range n {
			read[at+i] = class
		}
		at += n
	}
	if at != len(t) {
		return fmt.Errorf("%w: %d cells, want %d", ErrTable, at, len(t))
	}
	*t = *read
	return nil
}

// sector is a part of the colours: hues in degrees (0 red, 120 green, 240 blue), least saturation, and least brightness
// of the strongest channel.
type sector struct {
	class        Class
	from, to     float64
	saturation   float64
	brighterThan float64
}

// sectors are the colours of a field. The values were chosen on pictures drawn at Light 1 with the default parameters,
// as a team chooses them at a venue before the game: they do not fit any other light.
var sectors = []sector{
	{Orange, 4, 34, 0.68, 105}, {Yellow, 38, 62, 0.55, 150}, {Green, 90, 165, 0.35, 62},
	{Cyan, 178, 203, 0.55, 100}, {Blue, 204, 245, 0.5, 90}, {Magenta, 295, 340, 0.5, 90},
}

// DefaultTable returns the table for a hall of Light 1 and a camera with its default parameters.
func DefaultTable() *Table {
	t := new(Table)
	for i := range t {
		cb, cr, y := i>>12<<2, i>>6&63<<2, i&63<<2
		t[i] = classify(rgb(float64(y)+1.5, float64(cb)+1.5, float64(cr)+1.5)) // the middle of the cell
	}
	return t
}

func classify(r, g, b float64) Class {
	high, low := max(r, g, b), min(r, g, b)
	if high < 78 && high-low < 40 {
		return Black
	}
	saturation := (high - low) / max(high, 1)
	if saturation < 0.2 {
		if high > 165 {
			return White
		}
		return None
	}
	hue := hueOf(r, g, b, high, high-low)
	for _, s := range sectors {
		if hue >= s.from && hue <= s.to && saturation >= s.saturation && high >= s.brighterThan {
			return s.class
		}
	}
	return None
}

// hueOf returns the hue in degrees, 0 to 360.
func hueOf(r, g, b, high, chroma float64) float64 {
	var h float64
	switch high {
	case r:
		h = (g - b) / chroma
	case g:
		h = (b-r)/chroma + 2
	default:
		h = (r-g)/chroma + 4
	}
	h = float64(h * 60)
	return h - float64(360*math.Floor(h/360))
}

package camera

import (
	"math"

	"touchline/internal/exact"
)

// light is the light that a surface sends to the camera, linear: red, green and blue in lanes of 21 bits, of which a light
// uses 15, so that one product weighs all three by up to 64.
type light uint64

// white is the light of a white surface in a hall of Light 1.
const white = 16384

const (
	laneBits = 21
	lane     = 1<<15 - 1                                  // the greatest light
	redBlue  = lane | lane<<(2*laneBits)                  // lanes with room for 42 bits, or 21 in the upper one
	allLanes = lane | lane<<laneBits | lane<<(2*laneBits) // mask of the three lanes of a light
)

// lightOf returns the light of three colours, each up to 32767.
func lightOf(red, green, blue uint16) light {
	return light(red) | light(green)<<laneBits | light(blue)<<(2*laneBits)
}

// srgb returns the light of a surface whose colour is known as it looks on a screen, 0xRRGGBB.
func srgb(hex uint32) light {
	var c [3]uint16
	for i := range c {
		c[i] = uint16(math.Round(white * linear(float64(hex>>(16-8*i)&255)/255)))
	}
	return lightOf(c[0], c[1], c[2])
}

// gamma is the exponent of the tone curve of screens and cameras.
const gamma = 2.2

// linear undoes the tone curve of a value of 0 to 1.
func linear(v float64) float64 {
	if v <= 0 {
		return 0
	}
	return exact.Exp(float64(gamma * exact.Log(v)))
}

// rgb returns a colour of YCbCr as red, green and blue of 0 to 255; values beyond are colours that no screen shows.
func rgb(y, cb, cr float64) (r, g, b float64) {
	cb, cr = cb-128, cr-128
	return y + float64(1.402*cr), y - float64(0.344136*cb) - float64(0.714136*cr), y + float64(1.772*cb)
}

// shaded returns the light, at most that of a white surface, multiplied by s/256, at most 511/256.
func (c light) shaded(s uint32) light {
	by := light(min(s, 511))
	return c&redBlue*by>>8&redBlue | (c>>laneBits&lane*by>>8)<<laneBits
}

// over returns c painted over below with a coverage of 0 to 256.
func (c light) over(below light, coverage uint32) light {
	part, rest := light(coverage), light(256-coverage)
	outer := (c&redBlue*part + below&redBlue*rest) >> 8 & redBlue
	return outer | (c>>laneBits&lane*part+below>>laneBits&lane*rest)>>8<<laneBits
}

// Colours of a hall, as they look on a screen.
var (
	carpetColor  = srgb(0x2f8a3c)
	lineColor    = srgb(0xe8ece6)
	groundColor  = srgb(0x8b8680)
	orangeColor  = srgb(0xf06a12)
	yellowColor  = srgb(0xf2c81e)
	skyBlueColor = srgb(0x2f8fd8)
	postColor    = srgb(0xeeeeec)
	blackColor   = srgb(0x22242a)
	steelColor   = srgb(0x74787c)
	cyanColor    = srgb(0x18b4d8)
	magentaColor = srgb(0xd82a9a)
	skinColor    = srgb(0xd8a888)
	shadowColor  = srgb(0x000000)
)

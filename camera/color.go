package camera

import (
	"math"

	"touchline/exact"
)

// light is the light that a surface sends to the camera: red, green and blue, linear. white is the light of a white
// surface in a hall of Light 1.
type light [3]uint16

const white = 16384

// srgb returns the light of a surface whose colour is known as it looks on a screen, 0xRRGGBB.
func srgb(hex uint32) light {
	var c light
	for i := range c {
		v := float64(hex>>(16-8*i)&255) / 255
		if v > 0 {
			c[i] = uint16(math.Round(white * exact.Exp(float64(gamma*exact.Log(v)))))
		}
	}
	return c
}

// gamma is the exponent of the tone curve of screens and cameras.
const gamma = 2.2

// shaded returns the light multiplied by s/256.
func (c light) shaded(s uint32) light {
	return light{
		uint16(min(uint32(c[0])*s>>8, 65535)), uint16(min(uint32(c[1])*s>>8, 65535)), uint16(min(uint32(c[2])*s>>8, 65535)),
	}
}

// over returns c painted over below with a coverage of 0 to 256.
func (c light) over(below light, coverage uint32) light {
	rest := 256 - coverage
	return light{
		uint16((uint32(c[0])*coverage + uint32(below[0])*rest) >> 8),
		uint16((uint32(c[1])*coverage + uint32(below[1])*rest) >> 8),
		uint16((uint32(c[2])*coverage + uint32(below[2])*rest) >> 8),
	}
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

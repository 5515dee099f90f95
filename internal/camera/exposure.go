package camera

import (
	"fmt"
	"math"
	"slices"

	"touchline/internal/exact"
)

// Patch is the colour of a patch of the picture, linear in the light: red, green and blue, 0 to 1.
type Patch [3]float64

// CarpetPatch is the carpet of a simulated hall in a light of 1, with the default parameters. A real carpet is measured in
// good light.
var CarpetPatch = Patch{0.0198, 0.2145, 0.0343}

// GreyPatch is a card that reflects 18 % of the light, exposed as photographers expose it.
var GreyPatch = Patch{0.18, 0.18, 0.18}

// Measure returns the colour of the rectangle from (x0, y0) to (x1, y1), the latter excluded: the median of each
// channel, so that a line through the patch does no harm. The error says why a patch is of no use.
func Measure(p *Picture, x0, y0, x1, y1 int) (Patch, error) {
	if x0 < 0 || y0 < 0 || x1 > p.Width || y1 > p.Height || x1-x0 < 4 || y1-y0 < 4 {
		return Patch{}, fmt.Errorf("%w: patch %d,%d to %d,%d: want at least 4 x 4 px within %d x %d", ErrInput, x0, y0, x1, y1,
			p.Width, p.Height)
	}
	var channels [3][]float64
	clipped := 0
	for y := y0; y < y1; y++ {
		for i := y*p.Width + x0; i < y*p.Width+x1; i++ {
			r, g, b := rgb(float64(p.Y[i]), float64(p.Cb[i]), float64(p.Cr[i]))
			if max(r, g, b) > 250 {
				clipped++
			}
			channels[0], channels[1], channels[2] = append(channels[0], r), append(channels[1], g), append(channels[2], b)
		}
	}
	if 4*clipped > len(channels[0]) {
		return Patch{}, fmt.Errorf("%w: the patch is overexposed: halve the exposure or the gain and measure again", ErrInput)
	}
	var patch Patch
	for c, all := range channels {
		slices.Sort(all)
		patch[c] = linear(all[len(all)/2] / 255)
	}
	if patch[1] < 0.002 {
		return Patch{}, fmt.Errorf("%w: the patch is too dark to measure: double the exposure and measure again", ErrInput)
	}
	return patch, nil
}

// Adjust returns the parameters of a camera that make a patch look as it should, with their new values as Now: exposure
// first, then gain, and the white balance. has are those that the camera has; Adjust knows exposure, gain in dB,
// white_red and white_blue, and does without those that are missing. Values end at the camera's limits: a patch that
// needs more stays darker or brighter. The error says that the camera has none of them.
func Adjust(has []Param, seen, want Patch) ([]Param, error) {
	var set []Param
	// put gives a parameter the value that f makes of the one it has
	put := func(name string, f func(now float64) float64) (was, is float64, ok bool) {
		i := slices.IndexFunc(has, func(d Param) bool { return d.Name == name })
		if i < 0 {
			return 0, 0, false
		}
		p := has[i]
		p.Now = min(max(f(p.Now), p.Min), p.Max)
		set = append(set, p)
		return has[i].Now, p.Now, true
	}
	brighter := want[1] / max(seen[1], 1e-4)
	for i := range has {
		if has[i].Name == "gain" { // the exposure takes over what the gain did
			brighter *= decibels(has[i].Now)
		}
	}
	if was, is, ok := put("exposure", func(now float64) float64 { return now * brighter }); ok {
		brighter *= was / max(is, 1e-9)
	}
	put("gain", func(float64) float64 { return exact.Log(max(brighter, 1e-6)) / perDecibel })
	put("white_red", func(now float64) float64 { return now * (want[0] / want[1] * seen[1] / max(seen[0], 1e-4)) })
	put("white_blue", func(now float64) float64 { return now * (want[2] / want[1] * seen[1] / max(seen[2], 1e-4)) })
	if len(set) == 0 {
		return nil, fmt.Errorf("%w: the camera has none of the parameters exposure, gain, white_red and white_blue", ErrInput)
	}
	return set, nil
}

// perDecibel is the logarithm of the factor of 1 dB.
const perDecibel = math.Ln10 / 20

// decibels returns the factor of a gain in dB.
func decibels(db float64) float64 { return exact.Exp(float64(db * perDecibel)) }

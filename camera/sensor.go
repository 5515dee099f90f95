package camera

import (
	"math"
	"math/rand/v2"

	"touchline/exact"
)

// sensor turns light into numbers of 12 bits with noise, and these into YCbCr.
type sensor struct {
	noise [4096]int16  // normally distributed, sigma 256
	sigma [4096]uint16 // of the noise at each value, times 16
	tone  [4096]uint16 // the tone curve: values to 0..1020
	gain  float64      // that sigma is for; 0: none yet
}

// Noise of the sensor, in steps of 12 bits: readNoise^2 + shotNoise*value is the variance at a gain of 0 dB. They
// give a deviation of 2.3 of 255 at the brightness of the carpet, an assumption after pictures of cheap sensors.
const (
	readNoise = 6.0
	shotNoise = 0.9
)

func (s *sensor) init(r *rand.Rand) {
	for i := range s.noise {
		s.noise[i] = int16(256 * min(max(exact.Normal(r), -4), 4))
	}
	for i := range s.tone {
		if v := float64(i) / 4095; v > 0 {
			s.tone[i] = uint16(math.Round(1020 * exact.Exp(float64((1/gamma)*exact.Log(v)))))
		}
	}
}

// setGain fills sigma.
func (s *sensor) setGain(gain float64) {
	if s.gain == gain {
		return
	}
	s.gain = gain
	for i := range s.sigma {
		variance := float64(readNoise*readNoise*gain*gain) + float64(shotNoise*float64(i)*gain)
		s.sigma[i] = uint16(min(16*math.Sqrt(variance), 65535))
	}
}

// expose turns the light that the lens shows into a picture.
func (r *Renderer) expose(s *Scene, p *Params, dst *Picture) {
	dst.Resize(r.cam.Width, r.cam.Height)
	dst.Time = s.Time
	kernel := blurOf(&r.cam, p)
	streak := 0
	if !r.cam.Mount.Down {
		streak = min(int(math.Abs(float64(s.Turning*p.Exposure*0.001*r.cam.Lens.Focal))), r.cam.Width/2)
	}
	gain := decibels(p.Gain)
	r.sensor.setGain(gain)
	factor := r.channels(s, p, gain)
	r.taken++
	for y := range r.cam.Height {
		r.blurRow(y, &kernel, streak)
	}
	for y := range r.cam.Height {
		r.developRow(y, &kernel, &factor, dst)
	}
}

// channels returns by which factor each channel's light is multiplied, times 65536: 16384 becomes 3600 of 4095 under
// the default parameters.
func (r *Renderer) channels(s *Scene, p *Params, gain float64) (factor [3]uint32) {
	common := s.Light * (p.Exposure / 10) * gain * (3600.0 / white)
	warm := [3]float64{1 + float64(0.3*s.Warmth), 1, 1 - float64(0.4*s.Warmth)}
	balance := [3]float64{p.WhiteRed, 1, p.WhiteBlue}
	for i := range factor {
		factor[i] = uint32(min(max(65536*common*warm[i]*balance[i], 0), 1<<24))
	}
	return factor
}

// blurOf returns the weights of the centre, of the neighbours, and of their neighbours; their sum is 256. The blur of
// the lens itself has a sigma of 0.5 px. A wrong focus adds to it, everywhere as much as for a thing 2 m away.
func blurOf(c *Camera, p *Params) [3]uint32 {
	out := math.Abs(1/max(p.Focus, 0.01)-0.5) * 0.004 * c.Lens.Focal // px, of an aperture of 4 mm
	sigma2 := 0.25 + float64(out*out)
	one := exact.Exp(-0.5 / sigma2)
	two := exact.Exp(-2 / sigma2)
	sum := 1 + float64(2*one) + float64(2*two)
	k := [3]uint32{0, uint32(math.Round(256 * one / sum)), uint32(math.Round(256 * two / sum))}
	k[0] = 256 - 2*k[1] - 2*k[2]
	return k
}

// blurRow blurs one row of lit into soft.
func (r *Renderer) blurRow(y int, k *[3]uint32, streak int) {
	span := r.spans[y]
	if span.from >= span.to {
		return
	}
	row, soft := r.lit[y*r.cam.Width:(y+1)*r.cam.Width], r.soft[y*r.cam.Width:(y+1)*r.cam.Width]
	if streak > 1 {
		streakRow(row[span.from:span.to], soft[span.from:span.to], streak)
		copy(row[span.from:span.to], soft[span.from:span.to])
	}
	last := span.to - 1
	for x := span.from; x <= last; x++ {
		a, b, c := &row[max(x-2, span.from)], &row[max(x-1, span.from)], &row[x]
		d, e := &row[min(x+1, last)], &row[min(x+2, last)]
		for i := range 3 {
			soft[x][i] = uint16((k[0]*uint32(c[i]) + k[1]*(uint32(b[i])+uint32(d[i])) + k[2]*(uint32(a[i])+uint32(e[i]))) >> 8)
		}
	}
}

// streakRow writes to dst the mean of n neighbours in row.
func streakRow(row, dst []light, n int) {
	last := len(row) - 1
	for i := range 3 {
		var sum uint32
		for x := -n / 2; x < n-n/2; x++ {
			sum += uint32(row[min(max(x, 0), last)][i])
		}
		for x := range row {
			dst[x][i] = uint16(sum / uint32(n))
			sum += uint32(row[min(x+n-n/2, last)][i])
			sum -= uint32(row[min(max(x-n/2, 0), last)][i])
		}
	}
}

// developRow blurs soft across the rows and turns one row into YCbCr.
func (r *Renderer) developRow(y int, k *[3]uint32, factor *[3]uint32, dst *Picture) {
	w := r.cam.Width
	span := r.spans[y]
	for i := y * w; i < (y+1)*w; i++ {
		if x := i - y*w; x < span.from || x >= span.to {
			dst.Y[i], dst.Cb[i], dst.Cr[i] = 4, 128, 128
		}
	}
	random := (r.seed+r.taken*0x9e3779b97f4a7c15)*0xd1342543de82ef95 + uint64(y+1)*0xbf58476d1ce4e5b9 | 1
	s := &r.sensor
	rows := [5][]light{}
	for j := range rows {
		from := min(max(y+j-2, 0), r.cam.Height-1) * w
		rows[j] = r.soft[from : from+w]
	}
	for x := span.from; x < span.to; x++ {
		random ^= random << 13
		random ^= random >> 7
		random ^= random << 17
		i := y*w + x
		bits, falloff := random, uint64(r.falloff[i])
		a, b, c, d, e := &rows[0][x], &rows[1][x], &rows[2][x], &rows[3][x], &rows[4][x]
		var rgb [3]int32
		for ch := range 3 {
			l := (k[0]*uint32(c[ch]) + k[1]*(uint32(b[ch])+uint32(d[ch])) + k[2]*(uint32(a[ch])+uint32(e[ch]))) >> 8
			v := min(uint64(l)*uint64(factor[ch])*falloff>>28, 4095)
			n := int32(v) + int32(s.noise[bits&4095])*int32(s.sigma[v])>>12
			bits >>= 12
			rgb[ch] = int32(s.tone[min(max(n, 0), 4095)])
		}
		// BT.601, full range; 1020 is 255.
		red, green, blue := rgb[0], rgb[1], rgb[2]
		dst.Y[i] = byte((19595*red + 38470*green + 7471*blue + 1<<17) >> 18)
		dst.Cb[i] = byte(min((-11059*red-21709*green+32768*blue+1<<25+1<<17)>>18, 255))
		dst.Cr[i] = byte(min((32768*red-27439*green-5329*blue+1<<25+1<<17)>>18, 255))
	}
}

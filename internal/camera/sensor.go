package camera

import (
	"math"
	"math/rand/v2"

	"touchline/internal/exact"
)

// sensor turns light into numbers of 12 bits with noise, and these into YCbCr.
type sensor struct {
	noise []int16          // normally distributed, sigma 256: each row begins at one of noiseStarts places
	sigma [4096]uint16     // sigma of the noise at each value, times 16
	tone  [toneSize]uint16 // the tone curve: values from -toneBelow on, to 0..1020
	gain  float64          // gain that sigma belongs to; 0: none yet
}

const (
	noiseStarts = 1 << 14
	toneBelow   = 2048
	toneSize    = 8192
)

// Noise of the sensor, in steps of 12 bits: readNoise^2 + shotNoise*value is the variance at a gain of 0 dB. They
// give a deviation of 2.3 of 255 at the brightness of the carpet, an assumption after pictures of cheap sensors.
const (
	readNoise = 6.0
	shotNoise = 0.9
)

func (s *sensor) init(r *rand.Rand, width int) {
	s.noise = make([]int16, noiseStarts+3*width)
	for i := range s.noise {
		s.noise[i] = int16(256 * min(max(exact.Normal(r), -4), 4))
	}
	for i := range s.tone {
		if v := min(float64(i-toneBelow)/4095, 1); v > 0 {
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

// blurOf returns the weights of the centre, of the neighbours, and of their neighbours; their sum is 64. The blur of
// the lens itself has a sigma of 0.5 px. A wrong focus adds to it, everywhere as much as for a thing 2 m away.
func blurOf(c *Camera, p *Params) [3]light {
	out := math.Abs(1/max(p.Focus, 0.01)-0.5) * 0.004 * c.Lens.Focal // px, of an aperture of 4 mm
	sigma2 := 0.25 + float64(out*out)
	one := exact.Exp(-0.5 / sigma2)
	two := exact.Exp(-2 / sigma2)
	sum := 1 + float64(2*one) + float64(2*two)
	k := [3]light{0, light(math.Round(64 * one / sum)), light(math.Round(64 * two / sum))}
	k[0] = 64 - 2*k[1] - 2*k[2]
	return k
}

// blurRow blurs one row of lit into soft.
func (r *Renderer) blurRow(y int, k *[3]light, streak int) {
	span := r.spans[y]
	if span.from >= span.to {
		return
	}
	from, to := y*r.cam.Width+span.from, y*r.cam.Width+span.to
	row, soft := r.lit[from:to], r.soft[from:to]
	if streak > 1 {
		streakRow(row, soft, streak)
		copy(row, soft)
	}
	k0, k1, k2 := k[0], k[1], k[2]
	last := len(row) - 1
	a, b, c, d := row[0], row[0], row[0], row[min(1, last)]
	for x := range soft {
		e := row[min(x+2, last)]
		soft[x] = (k0*c + k1*(b+d) + k2*(a+e)) >> 6 & allLanes
		a, b, c, d = b, c, d, e
	}
}

// streakRow writes to dst the mean of n neighbours in row.
func streakRow(row, dst []light, n int) {
	last := len(row) - 1
	part := light(65536 / n)
	var outer, inner light // sums
	add := func(c light) { outer, inner = outer+c&redBlue, inner+c>>laneBits&lane }
	for x := -n / 2; x < n-n/2; x++ {
		add(row[min(max(x, 0), last)])
	}
	for x := range row {
		dst[x] = outer*part>>16&redBlue | inner*part>>16<<laneBits
		add(row[min(x+n-n/2, last)])
		gone := row[min(max(x-n/2, 0), last)]
		outer, inner = outer-gone&redBlue, inner-gone>>laneBits&lane
	}
}

// developRow blurs soft across the rows and turns one row into YCbCr.
func (r *Renderer) developRow(y int, k *[3]light, factor *[3]uint32, dst *Picture) {
	w := r.cam.Width
	span := r.spans[y]
	for i := y * w; i < (y+1)*w; i++ {
		if x := i - y*w; x < span.from || x >= span.to {
			dst.Y[i], dst.Cb[i], dst.Cr[i] = 4, 128, 128
		}
	}
	if span.from >= span.to {
		return
	}
	n := span.to - span.from
	rows := [5][]light{}
	for j := range rows {
		from := min(max(y+j-2, 0), r.cam.Height-1)*w + span.from
		rows[j] = r.soft[from:][:n]
	}
	above2, above, row, below, below2 := rows[0], rows[1], rows[2], rows[3], rows[4]
	at := y*w + span.from
	falloff, luma, blueness, redness := r.falloff[at:][:n], dst.Y[at:][:n], dst.Cb[at:][:n], dst.Cr[at:][:n]
	s := &r.sensor
	random := (r.seed+r.taken*0x9e3779b97f4a7c15)*0xd1342543de82ef95 + uint64(y+1)*0xbf58476d1ce4e5b9
	random = (random ^ random>>31) * 0x94d049bb133111eb
	noise := s.noise[random>>32%noiseStarts:]
	k0, k1, k2 := k[0], k[1], k[2]
	byRed, byGreen, byBlue := uint64(factor[0]), uint64(factor[1]), uint64(factor[2])
	for x := range row {
		c := (k0*row[x] + k1*(above[x]+below[x]) + k2*(above2[x]+below2[x])) >> 6
		share := uint64(falloff[x])
		red := s.measure(uint64(c&lane)*byRed*share>>28, noise[0])
		green := s.measure(uint64(c>>laneBits&lane)*byGreen*share>>28, noise[1])
		blue := s.measure(uint64(c>>(2*laneBits)&lane)*byBlue*share>>28, noise[2])
		noise = noise[3:]
		// BT.601, full range; 1020 is 255, and a sum 2^18 of it.
		sum := 19595*red + 38470*green + 7471*blue
		luma[x] = byte((sum + 1<<17) >> 18)
		blueness[x] = byte(min(((blue<<16-sum)*36984>>16+1<<25+1<<17)>>18, 255))
		redness[x] = byte(min(((red<<16-sum)*46745>>16+1<<25+1<<17)>>18, 255))
	}
}

// measure returns a value of light with a noise of sigma 256 as the tone that a picture shows, 0 to 1020.
func (s *sensor) measure(value uint64, noise int16) int64 {
	value = min(value, 4095)
	return int64(s.tone[(int64(value)+int64(noise)*int64(s.sigma[value])>>12+toneBelow)&(toneSize-1)])
}

package managernet

import (
	"image"
	"math/bits"
)

// scanner writes entropy-coded scans with the tables of a JPEG's header. Package image/jpeg converts and scales the colours
// of each picture, which costs more than the coding itself.
type scanner struct {
	known   bool // there are tables
	quality int
	zero    [2][64]int32    // greatest values that become 0, times 8
	divide  [2][64]int32    // of luminance and colour, in zigzag order: 2^reciprocal/(8 q)
	codes   [2][2][256]code // DC and AC, of luminance and colour
	out     []byte
	pending uint32 // bits that are not written yet, from the highest on
	held    int    // how many
	dc      [3]int32
}

// code is a Huffman code.
type code struct {
	bits   uint32
	length uint8
}

const reciprocal = 20

// zigzag has the place of each coefficient in the order of a scan.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55,
	62, 63,
}

// prepare takes the tables from a header of package image/jpeg.
func (s *scanner) prepare(quality int, header []byte) {
	s.known, s.quality = true, quality
	for at := 2; at+4 <= len(header); {
		end := at + 2 + int(header[at+2])<<8 + int(header[at+3])
		switch body := header[at+4 : end]; header[at+1] {
		case 0xdb: // DQT
			for ; len(body) >= 65; body = body[65:] {
				for i, q := range body[1:65] {
					s.zero[body[0]&1][i] = int32(q)*4 - 1
					s.divide[body[0]&1][i] = (1<<reciprocal + int32(q)*4) / (int32(q) * 8)
				}
			}
		case 0xc4: // DHT
			for len(body) >= 17 {
				body = s.table(&s.codes[body[0]>>4&1][body[0]&1], body)
			}
		}
		at = end
	}
}

// table fills the codes of a table of a DHT segment, and returns what follows it.
func (s *scanner) table(codes *[256]code, b []byte) []byte {
	*codes = [256]code{}
	next, at := uint32(0), 17
	for length := 1; length <= 16; length++ {
		for range b[length] {
			codes[b[at]] = code{next, uint8(length)}
			next++
			at++
		}
		next <<= 1
	}
	return b[at:]
}

// scan returns the scan of the rows of a picture with 4:2:0 colours from y on, 16 at most.
func (s *scanner) scan(p *image.YCbCr, y int) []byte {
	s.out, s.pending, s.held, s.dc = make([]byte, 0, p.Rect.Dx()*2+64), 0, 0, [3]int32{}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	var b [64]int32
	for x := 0; x < w; x += 16 {
		for i := range 4 {
			load(&b, p.Y, p.YStride, x+i%2*8, y+i/2*8, w, h)
			s.block(&b, 0)
		}
		load(&b, p.Cb, p.CStride, x/2, y/2, (w+1)/2, (h+1)/2)
		s.block(&b, 1)
		load(&b, p.Cr, p.CStride, x/2, y/2, (w+1)/2, (h+1)/2)
		s.block(&b, 2)
	}
	s.emit(0x7f, 7)
	return s.out
}

// load fills a block with the values of a plane of w x h less 128; those beyond it are as at its border.
func load(b *[64]int32, plane []byte, stride, x, y, w, h int) {
	for v := range 8 {
		row := plane[min(y+v, h-1)*stride:][:w]
		to := b[8*v:][:8]
		if x+8 <= w {
			for u, l := range row[x : x+8] {
				to[u] = int32(l) - 128
			}
			continue
		}
		for u := range to {
			to[u] = int32(row[min(x+u, w-1)]) - 128
		}
	}
}

// block codes a block of a component: 0 luminance, 1 and 2 colours.
func (s *scanner) block(b *[64]int32, component int) {
	transform(b)
	kind := min(component, 1)
	zero, divide, dcs, acs := &s.zero[kind], &s.divide[kind], &s.codes[0][kind], &s.codes[1][kind]
	quantised := func(i int) int32 {
		v := b[zigzag[i]&63]
		if v < 0 {
			return -int32((int64(-v)*int64(divide[i]) + 1<<(reciprocal-1)) >> reciprocal)
		}
		return int32((int64(v)*int64(divide[i]) + 1<<(reciprocal-1)) >> reciprocal)
	}
	dc := quantised(0)
	s.value(dcs, 0, dc-s.dc[component])
	s.dc[component] = dc
	run := 0
	for i := 1; i < 64; i++ {
		if uint32(b[zigzag[i]&63]+zero[i]) <= uint32(2*zero[i]) {
			run++
			continue
		}
		v := quantised(i)
		if v == 0 { // half a step, rounded down
			run++
			continue
		}
		for ; run > 15; run -= 16 {
			s.emit(acs[0xf0].bits, int(acs[0xf0].length))
		}
		s.value(acs, run, v)
		run = 0
	}
	if run > 0 {
		s.emit(acs[0].bits, int(acs[0].length))
	}
}

// value codes a value after a run of zeros.
func (s *scanner) value(codes *[256]code, run int, v int32) {
	low := v
	if v < 0 {
		v, low = -v, v-1
	}
	n := bits.Len32(uint32(v))
	c := codes[run<<4|n]
	s.emit(c.bits, int(c.length))
	if n > 0 {
		s.emit(uint32(low)&(1<<n-1), n)
	}
}

// emit writes n bits, 16 at most.
func (s *scanner) emit(v uint32, n int) {
	s.held += n
	s.pending |= v << (32 - s.held)
	for s.held >= 8 {
		b := byte(s.pending >> 24)
		if s.out = append(s.out, b); b == 0xff {
			s.out = append(s.out, 0)
		}
		s.pending <<= 8
		s.held -= 8
	}
}

// transform is the forward discrete cosine transform of JPEG, times 8: that of Loeffler, Ligtenberg and Moschytz with 12
// multiplications a row, with constants of 13 bits as in libjpeg.
func transform(b *[64]int32) {
	for y := range 8 {
		pass((*[64]int32)(b), 8*y, 1, 11, 2)
	}
	for x := range 8 {
		pass((*[64]int32)(b), x, 8, 15, -2)
	}
}

// pass transforms 8 values that are a step apart; rotated values lose shift bits, and sums gain scale.
func pass(b *[64]int32, at, step int, shift uint, scale int) {
	p := func(i int) *int32 { return &b[(at+i*step)&63] }
	t0, t7 := *p(0)+*p(7), *p(0)-*p(7)
	t1, t6 := *p(1)+*p(6), *p(1)-*p(6)
	t2, t5 := *p(2)+*p(5), *p(2)-*p(5)
	t3, t4 := *p(3)+*p(4), *p(3)-*p(4)
	t10, t13, t11, t12 := t0+t3, t0-t3, t1+t2, t1-t2
	half := int32(1) << (shift - 1)
	if scale > 0 {
		*p(0), *p(4) = (t10+t11)<<scale, (t10-t11)<<scale
	} else {
		*p(0), *p(4) = (t10+t11+1<<(-scale-1))>>-scale, (t10-t11+1<<(-scale-1))>>-scale
	}
	z := (t12 + t13) * 4433
	*p(2), *p(6) = (z+t13*6270+half)>>shift, (z-t12*15137+half)>>shift
	z1, z2, z3, z4 := t4+t7, t5+t6, t4+t6, t5+t7
	z5 := (z3 + z4) * 9633
	t4, t5, t6, t7 = t4*2446, t5*16819, t6*25172, t7*12299
	z1, z2, z3, z4 = -z1*7373, -z2*20995, z5-z3*16069, z5-z4*3196
	*p(7), *p(5) = (t4+z1+z3+half)>>shift, (t5+z2+z4+half)>>shift
	*p(3), *p(1) = (t6+z2+z3+half)>>shift, (t7+z1+z4+half)>>shift
}

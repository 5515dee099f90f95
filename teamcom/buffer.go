package teamcom

import "math/bits"

// Sizes of buffers: each doubling from 256 bytes to 4 MiB has four steps, so a buffer wastes at most a quarter.
const (
	minBuffer = 256
	classes   = 4*14 + 1
	maxIdle   = 8 << 20 // bytes that a pool keeps for reuse
)

// buffer holds one message. It returns to its pool with the last reference.
type buffer struct {
	data    []byte // has the length of its class
	missing []Range
	refs    int
	class   int
	next    *buffer // next idle buffer of the pool
}

// pool keeps buffers for reuse, so that a node in steady state does not allocate.
type pool struct {
	idle  [classes]*buffer
	slabs []*slab // idle ones
	used  int     // bytes of buffers with references, and of slabs that hold pieces
	kept  int     // bytes of idle buffers and slabs
}

// classOf returns the class of the smallest buffers that hold n bytes.
func classOf(n int) int {
	if n <= minBuffer {
		return 0
	}
	shift := bits.Len(uint(n-1)) - 3 // n lies in (4<<shift, 8<<shift]
	return (shift-6)*4 + (n-1)>>shift - 3
}

// classSize returns the length of the buffers of a class.
func classSize(class int) int { return (4 + class%4) << (6 + class/4) }

// lend returns a buffer of at least n bytes with one reference. Its contents are arbitrary.
func (p *pool) lend(n int) *buffer {
	class := classOf(n)
	size := classSize(class)
	p.used += size
	b := p.idle[class]
	if b == nil {
		return &buffer{data: make([]byte, size), refs: 1, class: class}
	}
	p.idle[class], b.next = b.next, nil
	p.kept -= size
	b.refs = 1
	return b
}

// release gives up one reference to b.
func (p *pool) release(b *buffer) {
	if b.refs--; b.refs > 0 {
		return
	}
	size := len(b.data)
	p.used -= size
	if p.kept+size > maxIdle {
		return
	}
	p.kept += size
	b.missing = b.missing[:0]
	b.next, p.idle[b.class] = p.idle[b.class], b
}

// lendSlab returns memory for pieces. Its contents are arbitrary.
func (p *pool) lendSlab() *slab {
	p.used += slabBytes
	last := len(p.slabs) - 1
	if last < 0 {
		return new(slab)
	}
	s := p.slabs[last]
	p.slabs[last], p.slabs = nil, p.slabs[:last]
	p.kept -= slabBytes
	return s
}

// releaseSlab takes a slab back.
func (p *pool) releaseSlab(s *slab) {
	p.used -= slabBytes
	if p.kept+slabBytes <= maxIdle {
		p.kept += slabBytes
		p.slabs = append(p.slabs, s)
	}
}

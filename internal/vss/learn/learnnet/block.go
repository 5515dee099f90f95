// Package learnnet serves games of package learn to a program in any language: arrays in a block of shared memory, and
// commands over a pipe (docs/learning.md).
package learnnet

import (
	"encoding/binary"
	"fmt"
	"math"

	"touchline/internal/vss/learn"
)

// version is the version of the block's layout and of the commands.
const version = 1

// magic begins every block.
const magic = "TLLEARN1"

// headerSize is the size of the block's header: magic, version (uint32), 0 (uint32), size of the block (uint64).
const headerSize = 64

// maxMemory is the memory that games and block may take together, in bytes.
const maxMemory = 2 << 30

// gameMemory is the memory of one game in bytes: about twice what was measured for five against five with all
// disturbances (BenchmarkMemory).
const gameMemory = 64 << 10

// Array is the place of an array in the block. All numbers are little-endian.
type Array struct {
	Name   string `json:"name"`
	Type   string `json:"type"` // of numpy: "f4" float32, "u1" uint8, "u4" uint32, "u8" uint64
	Offset int    `json:"offset"`
	Shape  []int  `json:"shape"`

	stride int // bytes of a game
}

// layout is the place of each array.
type layout struct {
	actions, observations, finals, rewards, terms, ends, truth, seeds, episodes, mask Array

	size int // size of the block in bytes
	need int // of block and games in bytes
}

// newLayout returns the layout for a configuration. The error is of more memory than maxMemory.
func newLayout(c *learn.Config) (*layout, error) {
	l := &layout{size: headerSize}
	n, sides := c.Games, c.Sides
	l.need = n * (gameMemory + 4*(2*c.Observation()*sides+c.Actions()+c.Truth()))
	if l.need > maxMemory {
		return nil, fmt.Errorf("%d games need about %d MiB of memory; the limit is %d MiB: take at most %d games",
			n, l.need>>20, maxMemory>>20, maxMemory/(l.need/n))
	}
	for _, a := range []struct {
		to    *Array
		name  string
		kind  string
		shape []int
	}{
		{&l.actions, "actions", "f4", []int{n, sides, c.Agents, 2}},
		{&l.observations, "observations", "f4", []int{n, sides, c.Observation()}},
		{&l.finals, "final_observations", "f4", []int{n, sides, c.Observation()}},
		{&l.rewards, "rewards", "f4", []int{n, sides}},
		{&l.terms, "terms", "f4", []int{n, sides, len(learn.Terms)}},
		{&l.ends, "ends", "u1", []int{n, 2}},
		{&l.truth, "truth", "f4", []int{n, c.Truth()}},
		{&l.seeds, "seeds", "u8", []int{n}},
		{&l.episodes, "episodes", "u4", []int{n}},
		{&l.mask, "mask", "u1", []int{n}},
	} {
		stride := int(a.kind[1] - '0')
		for _, d := range a.shape[1:] {
			stride *= d
		}
		*a.to = Array{a.name, a.kind, l.size, a.shape, stride}
		l.size = (l.size + n*stride + 63) &^ 63 // each array begins a line of the cache
	}
	return l, nil
}

// arrays lists all arrays.
func (l *layout) arrays() []Array {
	return []Array{
		l.actions, l.observations, l.finals, l.rewards, l.terms, l.ends, l.truth, l.seeds, l.episodes, l.mask,
	}
}

// writeHeader writes the block's header.
func (l *layout) writeHeader(block []byte) {
	copy(block, magic)
	binary.LittleEndian.PutUint32(block[8:], version)
	binary.LittleEndian.PutUint64(block[16:], uint64(l.size))
}

// part returns the bytes of a game in an array.
func (a *Array) part(block []byte, game int) []byte { return block[a.Offset+game*a.stride:][:a.stride] }

// all returns the bytes of an array.
func (a *Array) all(block []byte) []byte { return block[a.Offset:][:a.Shape[0]*a.stride] }

// getFloats reads numbers of an array, and reports whether all are finite.
func getFloats(to []float32, from []byte) bool {
	largest := uint32(0) // bits of the largest absolute value, which order as the values do
	for i := range to {
		bits := binary.LittleEndian.Uint32(from[4*i:])
		to[i] = math.Float32frombits(bits)
		largest = max(largest, bits<<1)
	}
	return largest < 0xff<<24
}

func putFloat(to []byte, v float32) { binary.LittleEndian.PutUint32(to, math.Float32bits(v)) }

// Package protobuf is the coder of protobuf messages that codecs of package wire share: tables that list the fields of
// messages, what Fields and Check read from them, and the functions that code generated from the tables calls. The
// descriptors of Google's runtime are not linked into programs that use it.
package protobuf

import (
	"encoding/binary"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Wire types in a key.
const (
	Varint  = uint64(protowire.VarintType)
	Fixed32 = uint64(protowire.Fixed32Type)
	Fixed64 = uint64(protowire.Fixed64Type)
	Message = uint64(protowire.BytesType)
)

// Malformed returns the error of protowire for a negative length, otherwise nil.
func Malformed(n int) error {
	if n >= 0 {
		return nil
	}
	return protowire.ParseError(n)
}

// Extend appends a zero element to list and returns it.
func Extend[T any](list *[]T) *T {
	*list = append(*list, *new(T))
	return &(*list)[len(*list)-1]
}

// Bound cuts list to most elements and counts what that drops. Elements beyond the bound are decoded before, because an
// error in one is an error of the whole message.
func Bound[T any](list *[]T, most int, dropped *int) {
	if len(*list) > most {
		*list = (*list)[:most]
		*dropped++
	}
}

// Plain is the fast path of Next: it decodes a double with a key of one byte, and returns n = 0 for any other field.
func Plain(b []byte) (key, v uint64, n int) {
	if len(b) < 9 || b[0]&0x87 != 1 || b[0] < 1<<3 {
		return 0, 0, 0
	}
	return uint64(b[0]), binary.LittleEndian.Uint64(b[1:]), 9
}

// Next decodes the first field of b and returns its key, its value and the length of both. The value is the bits of a
// number, or the length of the message at the end of the field, or 0 for wire types that these messages do not have. A
// negative length is an error of protowire.
func Next(b []byte) (key, v uint64, n int) {
	if key = uint64(b[0]); key < 1<<3 || key > 127 {
		num, typ, size := protowire.ConsumeTag(b)
		if size < 0 {
			return 0, 0, size
		}
		if num > protowire.MaxValidNumber {
			_, _, n = protowire.ConsumeTag([]byte{0}) // the error for an invalid field number
			return 0, 0, n
		}
		key, n = protowire.EncodeTag(num, typ), size-1
	}
	n++
	size := 0
	switch key & 7 {
	case Varint:
		if n < len(b) && b[n] < 0x80 {
			return key, uint64(b[n]), n + 1
		}
		v, size = protowire.ConsumeVarint(b[n:])
	case Fixed64:
		v, size = protowire.ConsumeFixed64(b[n:])
	case Fixed32:
		var bits uint32
		bits, size = protowire.ConsumeFixed32(b[n:])
		v = uint64(bits)
	case Message:
		if n < len(b) && b[n] < 0x80 && int(b[n]) < len(b)-n {
			return key, uint64(b[n]), n + 1 + int(b[n])
		}
		var body []byte
		body, size = protowire.ConsumeBytes(b[n:])
		v = uint64(len(body))
	default:
		size = protowire.ConsumeFieldValue(protowire.Number(key>>3), protowire.Type(key&7), b[n:])
	}
	if size < 0 {
		return 0, 0, size
	}
	return key, v, n + size
}

// MergeNumbers appends the varints of a packed list, at most most of them.
func MergeNumbers(list *[]uint32, b []byte, most int, dropped *int) int {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return n
		}
		*list = append(*list, uint32(v))
		Bound(list, most, dropped)
		b = b[n:]
	}
	return 0
}

// AppendNumbers appends the length and the content of a packed list.
func AppendNumbers(b []byte, list []uint32) []byte {
	n := 0
	for _, v := range list {
		n += protowire.SizeVarint(uint64(v))
	}
	b = protowire.AppendVarint(b, uint64(n))
	for _, v := range list {
		b = protowire.AppendVarint(b, uint64(v))
	}
	return b
}

// ZigZag and Signed are the signed integers of protobuf's sint types.

// ZigZag returns the bits of a signed integer.
func ZigZag(v int64) uint64 { return protowire.EncodeZigZag(v) }

// Signed returns the integer of zigzag bits.
func Signed(v uint64) int64 { return protowire.DecodeZigZag(v) }

// Sized writes the length of the message that begins behind b[at], with room for a length of two bytes. It moves the
// content if the length has another size.
func Sized(b []byte, at int) []byte {
	body := at + 2
	n := len(b) - body
	if n >= 0x80 && n < 0x4000 {
		b[at], b[at+1] = byte(n)|0x80, byte(n>>7)
		return b
	}
	var length [10]byte
	return slices.Replace(b, at, body, protowire.AppendVarint(length[:0], uint64(n))...)
}

// AppendUint, AppendBool, AppendDouble, AppendFloat and AppendText append a value behind its key.

// AppendUint appends a varint.
func AppendUint(b []byte, v uint64) []byte { return protowire.AppendVarint(b, v) }

// AppendBool appends a bool.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// AppendDouble appends a double.
func AppendDouble(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendFloat appends a float.
func AppendFloat(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// AppendText appends the length and the bytes of a text.
func AppendText(b, text []byte) []byte { return protowire.AppendBytes(b, text) }

// Finite reports whether no value is NaN or infinite: a finite number minus itself is 0.
func Finite(v ...float64) bool {
	sum := 0.0
	for _, x := range v {
		sum += x - x
	}
	return sum == 0
}

// IsRatio reports whether v is from 0 to 1.
func IsRatio(v float32) bool { return v >= 0 && v <= 1 }

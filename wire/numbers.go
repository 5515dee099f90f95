package wire

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// Digits that RoundNumbers keeps.
const (
	decimals    = 3
	significant = 2
)

// RoundNumbers rounds the floating-point numbers of a JSON text in place, and returns the shorter text: to 3 decimals,
// which are 1 mm of a place in m and 1 ms of a time in s, and numbers below 0.01, such as covariances, to 2 significant
// digits. The rest of 17 digits is noise that no compression removes. Integers and strings stay as they are.
func RoundNumbers(text []byte) []byte {
	out := text[:0]
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '"':
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			out = append(out, text[i:end]...)
		case c == '-' || c >= '0' && c <= '9':
			for end < len(text) && strings.IndexByte("0123456789.eE+-", text[end]) >= 0 {
				end++
			}
			out = appendRounded(out, text[i:end])
		default:
			out = append(out, c)
		}
		i = end
	}
	return out
}

// appendRounded appends a number, rounded if that is shorter.
func appendRounded(out, number []byte) []byte {
	var space [32]byte
	short := number
	if bytes.IndexByte(number, '.') >= 0 {
		v, err := strconv.ParseFloat(string(number), 64)
		if err != nil {
			return append(out, number...)
		}
		switch size := math.Abs(v); {
		case v == 0:
			short = append(space[:0], '0')
		case size < 0.01 || size >= 1e15:
			short = strconv.AppendFloat(space[:0], v, 'g', significant, 64)
		default:
			short = strconv.AppendFloat(space[:0], v, 'f', decimals, 64)
			short = bytes.TrimRight(bytes.TrimRight(short, "0"), ".")
		}
	}
	if len(short) > len(number) {
		short = number
	}
	return append(out, short...)
}

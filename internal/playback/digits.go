package playback

import "bytes"

// Digits of the recorded topics: 1 mm, and of smaller numbers such as covariances two digits that count.
const (
	decimals    = 3
	significant = 2
)

// cutDigits cuts the numbers in the JSON text of a topic, in place, and returns the rest: floating-point numbers have 17
// digits, most of which are noise that no compression removes. A replay of the text draws the same, within a pixel.
func cutDigits(text []byte) []byte {
	out := text[:0]
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			out = append(out, text[i:end]...)
			i = end
		case c == '.':
			end := i + 1
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			exponent := end < len(text) && (text[end] == 'e' || text[end] == 'E')
			out = append(out, fraction(text[i:end], i > 0 && text[i-1] == '0' && !digitAt(text, i-2), exponent)...)
			i = end
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// fraction returns the part of a fraction, with its point, that is kept. small: only a zero precedes it.
func fraction(f []byte, small, exponent bool) []byte {
	keep := decimals
	if exponent {
		keep = significant - 1
	} else if small {
		zeros := len(f) - 1 - len(bytes.TrimLeft(f[1:], "0"))
		keep = max(keep, zeros+significant)
	}
	return bytes.TrimRight(bytes.TrimRight(f[:min(len(f), 1+keep)], "0"), ".")
}

func digitAt(text []byte, i int) bool { return i >= 0 && text[i] >= '0' && text[i] <= '9' }

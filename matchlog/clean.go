package matchlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/wire"
	"touchline/wire/msl"
)

const (
	// Longer messages are replaced: the bound of Write's memory. A base station sends at most 1 MiB, and no record of
	// RefBox's files is read beyond this length.
	maxMessage = 4 << 20
	// Longer numbers are written shorter: Python refuses whole numbers of more than 4,300 digits, and a float64 has 17.
	maxNumber = 32
)

// cleaner makes messages readable for every reader of JSON. It reuses its memory.
type cleaner struct {
	out, text []byte
	repairs   []string
}

// appendRecord appends the record of a message or, without one that can be repaired, of the empty worldstate.
func (c *cleaner) appendRecord(b []byte, r *msl.Record, m *Message, team string) ([]byte, error) {
	r.Filled = m.Channel == "" || m.Channel == HomeEmpty || m.Channel == AwayEmpty
	if m.Channel != "" {
		var err error
		if r.Worldstate, err = c.clean(m.Data); err == nil {
			if len(c.repairs) > 0 {
				r.Received = m.Data
			}
			if text, err := r.AppendBinary(b); err == nil {
				return text, nil
			}
		}
		if len(m.Data) <= maxMessage {
			r.Received = m.Data
		}
	}
	var err error
	if r.Worldstate, err = c.clean(msl.EmptyWorldstate(team)); err != nil {
		return b, err
	}
	return r.AppendBinary(b)
}

// fault describes what appendRecord changes in a message; "" if nothing is lost.
func (c *cleaner) fault(data []byte) string {
	cleaned, err := c.clean(data)
	if err == nil {
		_, err = (&msl.Record{Worldstate: cleaned}).AppendBinary(c.text[:0])
	}
	switch {
	case err != nil:
		return "its record holds the empty worldstate: " + strings.TrimPrefix(err.Error(), "msl: ")
	case len(c.repairs) > 0:
		return strings.Join(c.repairs, ", ")
	}
	return ""
}

// clean returns a message as JSON on one line: no reader refuses a text, a number or a line break in it, and no
// character in it controls a terminal. Nearly all messages are returned as they are. The result is valid until the
// next call, which repairs describes.
func (c *cleaner) clean(data []byte) ([]byte, error) {
	c.repairs = c.repairs[:0]
	if len(data) > maxMessage {
		return nil, fmt.Errorf("more than %d MiB", maxMessage>>20)
	}
	if isPlain(data) {
		return c.onOneLine(data), nil
	}
	if !utf8.Valid(data) {
		c.repaired("its text encoding was repaired")
	}
	c.text = c.text[:0]
	in := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	buf := bytes.NewBuffer(c.text)
	out := jsontext.NewEncoder(buf, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if in.PeekKind() != '0' {
			token, err := in.ReadToken()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				err = out.WriteToken(token)
			}
			if err != nil {
				return nil, syntax(err)
			}
			continue
		}
		number, err := in.ReadValue()
		if err == nil {
			err = out.WriteValue(c.number(number))
		}
		if err != nil {
			return nil, syntax(err)
		}
	}
	c.text = bytes.TrimSpace(buf.Bytes())
	c.out = wire.AppendEscaped(c.out[:0], c.text)
	return c.out, nil
}

// repaired notes a repair once.
func (c *cleaner) repaired(what string) {
	if !slices.Contains(c.repairs, what) {
		c.repairs = append(c.repairs, what)
	}
}

// number returns a number that a float64 holds.
func (c *cleaner) number(text jsontext.Value) jsontext.Value {
	v, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err != nil:
		c.repaired("a number beyond the range of a double became null")
		return jsontext.Value("null")
	case len(text) > maxNumber:
		c.repaired("a number of more than " + strconv.Itoa(maxNumber) + " digits was rounded")
		return strconv.AppendFloat(nil, v, 'g', -1, 64)
	}
	return text
}

// syntax returns why a message is not JSON.
func syntax(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("byte %d: %w", e.ByteOffset, e.Err)
	}
	return err
}

// isPlain reports whether every reader takes a message as it is, if it is JSON, apart from its line breaks: it has
// neither long numbers and exponents nor surrogates, and shows all of its characters.
func isPlain(b []byte) bool {
	digits := 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c >= '0' && c <= '9' || c == '.' {
			if digits++; digits > maxNumber {
				return false
			}
			continue
		}
		switch {
		case (c == 'e' || c == 'E') && digits > 0:
			return false
		case c == '\\' && i+2 < len(b) && b[i+1] == 'u' && b[i+2]|' ' == 'd':
			return false
		case c == '\\':
			i++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError || wire.IsControl(r) {
				return false
			}
			i += n - 1
		case c == 0x7f:
			return false
		}
		digits = 0
	}
	return true
}

// onOneLine returns JSON with blanks in place of line breaks and tabs, which are only between its tokens.
func (c *cleaner) onOneLine(data []byte) []byte {
	if !bytes.ContainsAny(data, "\r\n\t") {
		return data
	}
	c.out = append(c.out[:0], data...)
	for i, b := range c.out {
		if b == '\n' || b == '\r' || b == '\t' {
			c.out[i] = ' '
		}
	}
	return c.out
}

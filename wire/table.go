package wire

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Description is what a codec tells the generators of dissectors and of codecs in other languages: the byte tables that
// its Fields reads, and the rules that its Check applies.
type Description struct {
	Messages []Message
	Rules    []Rule
	Words    map[string]string // parts of the texts of rules
	Ports    []Port            // where messages go; in the order in which they are tried
}

// Port is where messages go.
type Port struct {
	Address string // group and port, "224.0.0.1:10002", or ":2005" for any host
	Type    int    // type of these messages
}

// Message is the byte table of one message.
type Message struct {
	Type int    // number of the message in its protocol; 0 where bytes do not tell it
	Name string // "belief", "v2"
	Rows []Row
}

// Rule is one rule of Check. Several issues of a message may come from one rule.
type Rule struct {
	Key    string // short name that does not change, "crc"
	Source string // as in Issue
	Text   string // as in Issue: a format of package fmt, of the values in question
	Note   bool   // as in Issue
}

// Issue returns the issue that a field at an offset breaks the rule. The values fill its text.
func (r *Rule) Issue(offset int, field string, values ...any) Issue {
	return Issue{Offset: offset, Field: field, Source: r.Source, Text: fmt.Sprintf(r.Text, values...), Note: r.Note}
}

// RowKind is how the bytes of a Row are read. Numbers of more than one byte are little-endian.
type RowKind uint8

// The kinds of rows.
const (
	Uint    RowKind = iota // Size bytes
	Int                    // Size bytes, two's complement
	Float                  // Size bytes, IEEE 754
	Bytes                  // Size bytes; Size 0: all that are left
	Text                   // a byte with the length, at most Most, then UTF-8
	Count                  // a byte with the number of elements of a list, at most Most
	Each                   // Rows for each element: Size of them, or as many as the Count of this Name says
	Again                  // the same, where the names of the rows have no index
	More                   // messages of older programs end here
	Matrix                 // the last Size numbers are the upper triangle of a covariance, row by row
	Special                // a layout that no row describes; Name tells which

	// Of a protobuf message: fields with the number Num. There Bytes is a text that is not shown, and String one that is.
	Varint  // an integer of 32 bits, of 64 where Size is 8
	Signed  // a signed integer of 64 bits
	ZigZag  // a signed integer of 64 bits of a sint type
	Varints // Varint, repeated
	Packed  // a list of Varints in one field, of which Most are kept
	Fixed   // a float of Size bytes
	Nested  // a message of Rows; without Rows its content is not decoded
	Objects // Nested, repeated

	// Of a JSON object: keys.
	String  // a text
	Number  // a number
	Vector  // a list of numbers: Rows has their units and rules
	Records // a list of objects
)

// Row is one row of a byte table: a field of a message, or a part of a message with its own rows.
type Row struct {
	Kind  RowKind
	Name  string // as in Field; "#" stands for the index of the element
	Size  int
	Unit  string // as in Field
	Most  int    // see Text and Count
	Num   int    // of a protobuf field
	Must  bool   // required
	Style *Style // nil: numbers are shown as they are, bytes in hexadecimal
	When  []Cond // the number counts if all of them hold; it is shown as "unused" where it does not
	Range *Range // rule for the value
	Rows  []Row

	// Of a JSON object.
	Other []Spelling // other spellings of the key
	Lack  *Rule      // rule that a missing key breaks; nil: it is optional
	Least int        // components that a vector has; it may have Most
	Over  *Rule      // rule that a list of more than Most elements breaks
}

// Cond is a condition on an earlier field of the message.
type Cond struct {
	Name string
	Bit  int // this bit is set; -1: the value is not 0
}

// Range is the rule of a number. Its text formats the number, Least and Most, in this order.
type Range struct {
	Key         string // of a Rule; "" for one whose text is here
	Least, Most float64
	Also        []float64 // values beside the range that are right, too
	Signed      bool      // the text shows the number as an int32
	Text        string
	Note        bool
}

// Holds reports whether v obeys the rule. NaN does not.
func (r *Range) Holds(v float64) bool {
	if v >= r.Least && v <= r.Most {
		return true
	}
	for _, also := range r.Also {
		if v == also {
			return true
		}
	}
	return false
}

// Describe returns the text for a number that breaks the rule.
func (r *Range) Describe(v int64) string {
	return fmt.Sprintf(r.Text+"%[4]s", v, int64(r.Least), int64(r.Most), "")
}

// Spelling is another spelling of a key that receivers accept.
type Spelling struct {
	Name string
	Note string // the document that allows it, as text of a note; "" if none does
}

// Style is how a value is shown.
type Style struct {
	Names  map[int64]string // names of values
	Other  string           // format of the name of a number that has none there; "" for no name
	Alone  bool             // a name stands for the number and its unit; else it follows the number in parentheses
	Bits   []string         // names of bits, from bit 0 on; of a number that stands Alone all bits that are set are shown
	Set    bool             // the numbers of the bits that are set
	Hex    bool             // hexadecimal with all digits
	Divide float64          // the number is divided by it; 0: not
	Fixed  string           // this text
}

// NamesOf returns the map of names that are numbered from 0.
func NamesOf[T ~string](names []T) map[int64]string {
	m := make(map[int64]string, len(names))
	for i, name := range names {
		if name != "" {
			m[int64(i)] = string(name)
		}
	}
	return m
}

// Field returns the field of the row at b[at:], in the element index of its list. size is that of its bytes.
func (r *Row) Field(b []byte, at, size, index int) Field {
	name := r.Name
	if index >= 0 {
		name = strings.Replace(name, "#", strconv.Itoa(index), 1)
	}
	f := Field{Offset: at, Len: size, Name: name, Unit: r.Unit}
	switch r.Kind {
	case Bytes:
		f.Value = r.Style.bytes(b[at : at+size])
	case Float:
		f.Value = float(b[at : at+size])
	default:
		v := Integer(b[at:at+size], r.Kind == Int)
		var alone bool
		if f.Value, alone = r.Style.Value(v, size); alone {
			f.Unit = ""
		}
	}
	return f
}

// AppendFields appends the fields of rows of fixed sizes, which b has from at on, and returns the offset behind them.
func AppendFields(dst []Field, rows []Row, b []byte, at int) ([]Field, int) {
	return appendFields(dst, rows, b, at, -1)
}

func appendFields(dst []Field, rows []Row, b []byte, at, index int) ([]Field, int) {
	for i := range rows {
		r := &rows[i]
		if r.Kind != Each {
			dst = append(dst, r.Field(b, at, r.Size, index))
			at += r.Size
			continue
		}
		for n := range r.Size {
			dst, at = appendFields(dst, r.Rows, b, at, n)
		}
	}
	return dst, at
}

// Size returns the bytes of rows of fixed sizes.
func Size(rows []Row) int {
	n := 0
	for i := range rows {
		if r := &rows[i]; r.Kind == Each {
			n += r.Size * Size(r.Rows)
		} else {
			n += r.Size
		}
	}
	return n
}

// Integer returns the little-endian integer of 1 to 8 bytes, as the bits of an int64.
func Integer(b []byte, signed bool) int64 {
	var word [8]byte
	copy(word[:], b)
	v := binary.LittleEndian.Uint64(word[:])
	if shift := 64 - 8*len(b); signed && shift > 0 {
		return int64(v<<shift) >> shift
	}
	return int64(v)
}

// Value returns the text of an integer of size bytes, and whether a name stands for it and its unit.
func (s *Style) Value(v int64, size int) (text string, alone bool) {
	number := strconv.FormatInt(v, 10)
	if v < 0 && size == 8 {
		number = strconv.FormatUint(uint64(v), 10)
	}
	if s == nil {
		return number, false
	}
	switch {
	case s.Set:
		return setBits(uint64(v)), false
	case s.Hex:
		return fmt.Sprintf("0x%0*x", 2*size, uint64(v)), false
	case s.Divide != 0:
		return strconv.FormatFloat(float64(v)/s.Divide, 'g', -1, 64), false
	}
	name, named := s.Names[v]
	switch {
	case s.Bits != nil:
		name = s.bits(uint64(v))
	case !named && s.Other != "":
		name = fmt.Sprintf(s.Other, v)
	}
	switch {
	case name == "":
		return number, false
	case s.Alone:
		return name, true
	}
	return number + " (" + name + ")", false
}

// bits lists the bits that are set.
func (s *Style) bits(v uint64) string {
	var set []string
	for i := range 64 {
		switch {
		case v>>i&1 == 0:
		case i < len(s.Bits):
			set = append(set, s.Bits[i])
		case s.Alone:
			set = append(set, "bit "+strconv.Itoa(i))
		}
	}
	if set == nil && s.Alone {
		return "none"
	}
	return strings.Join(set, ", ")
}

// setBits lists the numbers of the bits that are set.
func setBits(v uint64) string {
	var set []string
	for i := range 64 {
		if v>>i&1 == 1 {
			set = append(set, strconv.Itoa(i))
		}
	}
	if set == nil {
		return "none"
	}
	return strings.Join(set, " ")
}

// bytes returns the text of bytes.
func (s *Style) bytes(b []byte) string {
	if s != nil && s.Fixed != "" {
		return s.Fixed
	}
	return hex.EncodeToString(b)
}

// float returns the shortest text of a float of 4 or 8 bytes.
func float(b []byte) string {
	if len(b) == 4 {
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 'g', -1, 32)
	}
	return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
}

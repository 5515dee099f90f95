package matchlog

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"touchline/soccer"
	"touchline/wire"
)

// Annotation is a note that a person wrote about a moment or a span of a match. It is no message: it may come years
// later, and can be changed and removed.
//
// In the file it is a metadata record of MCAP with the name "touchline.annotation" and the keys id, from, to (ns
// since 1970) and text; crc is the CRC-32C of these four with a zero byte behind each, as eight hexadecimal digits.
// The newest record of an id is valid. An empty text removes the annotation.
type Annotation struct {
	ID   int         `json:"id"`   // from 1; keeps its meaning when the text or the time changes, and in copies of the log
	From soccer.Time `json:"from"` // ns since 1970
	To   soccer.Time `json:"to"`   // ns since 1970; equal to From: a moment
	Text string      `json:"text"` // one line, at most MaxAnnotation bytes of UTF-8 without control characters
}

// Bounds of annotations.
const (
	MaxAnnotation  = 4 << 10 // bytes of a text
	maxAnnotations = 10_000  // of a log, with the removed ones
)

// annotationName is the name of their metadata records.
const annotationName = "touchline.annotation"

// annotations are those of a log by their ids, with the removed ones.
type annotations map[int]annotated

// annotated is the newest record of an annotation.
type annotated struct {
	Annotation
	offset int64 // of the record
}

// check refuses an annotation that a log cannot hold.
func (a *Annotation) check() error {
	switch {
	case a.ID < 0 || a.ID > math.MaxInt32:
		return fmt.Errorf("matchlog: note %d: want a number from 1 on, or 0 for a new note", a.ID)
	case a.From < 0 || a.To < a.From:
		return fmt.Errorf("matchlog: a note from %d ns to %d ns since 1970: its end is before its start", a.From, a.To)
	case len(a.Text) > MaxAnnotation:
		return fmt.Errorf("matchlog: a note of %d bytes: shorten it to %d", len(a.Text), MaxAnnotation)
	case !utf8.ValidString(a.Text):
		return fmt.Errorf("matchlog: the note %.40q is not UTF-8: write it again", a.Text)
	}
	for _, r := range a.Text {
		if wire.IsControl(r) {
			return fmt.Errorf("matchlog: the note %.40q holds the control character %U: write it on one line without it",
				a.Text, r)
		}
	}
	return nil
}

// metadata returns the keys of the record.
func (a *Annotation) metadata() map[string]string {
	meta := map[string]string{
		"id": strconv.Itoa(a.ID), "from": strconv.FormatInt(int64(a.From), 10), "to": strconv.FormatInt(int64(a.To), 10),
		"text": a.Text,
	}
	meta["crc"] = checksumOf(meta)
	return meta
}

// checksumOf returns the value of the key crc: metadata records have no checksum of their own.
func checksumOf(meta map[string]string) string {
	sum := uint32(0)
	for _, key := range []string{"id", "from", "to", "text"} {
		sum = crc32.Update(sum, castagnoli, append([]byte(meta[key]), 0))
	}
	return fmt.Sprintf("%08x", sum)
}

// parseAnnotation decodes the keys of a record.
func parseAnnotation(meta map[string]string) (a Annotation, ok bool) {
	id, err := strconv.ParseInt(meta["id"], 10, 32)
	from, errFrom := strconv.ParseInt(meta["from"], 10, 64)
	to, errTo := strconv.ParseInt(meta["to"], 10, 64)
	a = Annotation{int(id), soccer.Time(from), soccer.Time(to), meta["text"]}
	good := err == nil && errFrom == nil && errTo == nil && id >= 1 && meta["crc"] == checksumOf(meta)
	return a, good && a.check() == nil
}

// read notes the record at an offset. It reports false for one that is damaged, or beyond the bounds.
func (all annotations) read(meta map[string]string, offset int64) bool {
	a, ok := parseAnnotation(meta)
	if !ok {
		return false
	}
	known, found := all[a.ID]
	if !found && len(all) == maxAnnotations {
		return false
	}
	if !found || known.offset <= offset {
		all[a.ID] = annotated{a, offset}
	}
	return true
}

// admit checks an annotation that shall be written, and gives a new one its id.
func (all annotations) admit(a Annotation) (Annotation, error) {
	if err := a.check(); err != nil {
		return a, err
	}
	known, found := all[a.ID]
	switch {
	case a.ID == 0 && a.Text == "":
		return a, fmt.Errorf("matchlog: the note has no text: write one")
	case a.Text == "" && (!found || known.Text == ""):
		return a, fmt.Errorf("matchlog: there is no note %d", a.ID)
	case !found && len(all) == maxAnnotations:
		return a, fmt.Errorf("matchlog: the log has had %d notes, which is the limit: touchline log cut copies it without "+
			"the removed ones", maxAnnotations)
	case a.ID == 0:
		for id := range all {
			a.ID = max(a.ID, id)
		}
		if a.ID++; a.ID > math.MaxInt32 { // another program numbered them
			for a.ID = 1; all[a.ID].ID != 0; a.ID++ {
			}
		}
	}
	return a, nil
}

// list returns those that are not removed, sorted by From.
func (all annotations) list() []Annotation {
	list := []Annotation{}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if a := all[id].Annotation; a.Text != "" {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b Annotation) int { return cmp.Compare(a.From, b.From) })
	return list
}

// Annotations returns the notes of the log as far as it is indexed, sorted by From.
func (l *Log) Annotations() []Annotation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.annotations.list()
}

// Annotate writes a note into the log, and returns it with its ID. ID 0 stands for a new one; the ID of a known one
// replaces it, and an empty Text removes it. It may be called while the log is written. For a finished log see the
// function Annotate.
func (w *Writer) Annotate(a Annotation) (Annotation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, err := w.all.annotations.admit(a)
	if err != nil {
		return a, err
	}
	meta := a.metadata()
	b, err := appendMetadata(nil, annotationName, meta)
	if err != nil {
		return a, err
	}
	at := w.end
	if err := w.put(b); err != nil {
		return a, err
	}
	w.all.addMetadata(annotationName, meta, at, int64(len(b)))
	return a, nil
}

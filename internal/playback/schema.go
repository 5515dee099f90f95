package playback

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/robot/hfsm"
	"touchline/internal/vss"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/teamcom"
)

// schemas returns the schemas of the channels of this package and of the page's recorded topics. robots are those whose
// pictures may be recorded.
func schemas(robots ...uint8) map[string]matchlog.Schema {
	scene := schemaOf("foxglove.SceneUpdate", reflect.TypeFor[sceneUpdate]())
	all := map[string]matchlog.Schema{
		SceneChannel:      scene,
		FieldChannel:      scene,
		LogChannel:        schemaOf("foxglove.Log", reflect.TypeFor[logEntry]()),
		TransformsChannel: schemaOf("foxglove.FrameTransforms", reflect.TypeFor[frameTransforms]()),
		WallChannel:       schemaOf("touchline.Wall", reflect.TypeFor[watch.Wall]()),
		NetworkChannel:    schemaOf("touchline.Network", reflect.TypeFor[watch.Network]()),
		BehaviourChannel:  schemaOf("touchline.Behaviour", reflect.TypeFor[watch.BehaviourView]()),
		matchChannel:      schemaOf("touchline.Match", reflect.TypeFor[match.ShowView]()),
		matchlog.Truth:    schemaOf("touchline.Truth", reflect.TypeFor[game.Truth]()),
		matchlog.States:   schemaOf("touchline.State", reflect.TypeFor[game.State]()),
		matchlog.VSS:      schemaOf("touchline.VSS", reflect.TypeFor[vss.Show]()),
	}
	nodes, booking := schemaOf("touchline.Nodes", reflect.TypeFor[teamcom.View]()),
		schemaOf("touchline.Booking", reflect.TypeFor[watch.BookingView]())
	for _, team := range []string{"", away} {
		all[of(TCMChannel, team)], all[of(BookingChannel, team)] = nodes, booking
	}
	picture := schemaOf("foxglove.CompressedImage", reflect.TypeFor[compressedImage]())
	annotations := schemaOf("foxglove.ImageAnnotations", reflect.TypeFor[imageAnnotations]())
	for _, id := range robots {
		all[imageChannel(id)], all[annotationsChannel(id)] = picture, annotations
	}
	return all
}

func schemaOf(name string, t reflect.Type) matchlog.Schema {
	var b bytes.Buffer
	writeType(&b, t, name)
	return matchlog.Schema{Name: name, Data: b.Bytes()}
}

// writeType writes the JSON Schema of a type as encoding/json encodes it, without the members that are null: Foxglove and
// Lichtblick refuse a schema with a type such as ["number","null"], and an object without properties. title is "" for none.
func writeType(b *bytes.Buffer, t reflect.Type, title string) {
	b.WriteString("{")
	if title != "" {
		fmt.Fprintf(b, `"title":%q,`, title)
	}
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[number](), kind == reflect.Float32, kind == reflect.Float64:
		b.WriteString(`"type":"number"}`)
	case t == reflect.TypeFor[stamp]():
		// Foxglove finds timestamps by this title.
		b.WriteString(`"title":"time","type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}}`)
	case t == reflect.TypeFor[watch.Jerseys]():
		b.WriteString(`"type":"array","items":{"type":"integer"}}`)
	case t == reflect.TypeFor[hfsm.Transition](): // it encodes itself
		b.WriteString(`"type":"object","properties":{}}`)
	case t == reflect.TypeFor[[]byte]():
		b.WriteString(`"type":"string","contentEncoding":"base64"}`)
	case kind == reflect.Bool:
		b.WriteString(`"type":"boolean"}`)
	case kind == reflect.String:
		b.WriteString(`"type":"string"}`)
	case kind >= reflect.Int && kind <= reflect.Uint64:
		b.WriteString(`"type":"integer"}`)
	case kind == reflect.Slice:
		b.WriteString(`"type":"array","items":`)
		writeType(b, t.Elem(), "")
		b.WriteString("}")
	case kind == reflect.Struct:
		writeFields(b, t)
	default: // the types of this program have no others
		b.WriteString(`"type":"object","properties":{}}`)
	}
}

// writeFields writes the rest of an object's schema. Pointers and slices may be absent, as dropNulls leaves them.
func writeFields(b *bytes.Buffer, t reflect.Type) {
	required := []string{}
	b.WriteString(`"type":"object","properties":{`)
	separator := ""
	for _, f := range reflect.VisibleFields(t) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || f.Anonymous || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fmt.Fprintf(b, "%s%q:", separator, name)
		separator = ","
		of := f.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if f.Type.Kind() != reflect.Pointer && f.Type.Kind() != reflect.Slice && !strings.Contains(rest, "omitempty") {
			required = append(required, name)
		}
		writeType(b, of, "")
	}
	list, _ := json.Marshal(required) // strings always encode
	fmt.Fprintf(b, `},"required":%s}`, list)
}

// dropNulls removes the members of objects that are null from JSON without blanks, in place, and returns the rest: the
// schema of a recorded topic allows no null. Names of members are of letters and digits.
func dropNulls(text []byte) []byte {
	out, null := text[:0], []byte(`":null`)
	for {
		i := bytes.Index(text, null)
		if i < 1 {
			return append(out, text...)
		}
		start, end := bytes.LastIndexByte(text[:i], '"'), i+len(null)
		if start < 0 || strings.IndexByte(`:,[\`, text[i-1]) >= 0 { // within a string, or at its start
			out, text = append(out, text[:end]...), text[end:]
			continue
		}
		out = append(out, text[:start]...)
		if end < len(text) && text[end] == ',' {
			end++
		} else {
			out = bytes.TrimSuffix(out, []byte(","))
		}
		text = text[end:]
	}
}

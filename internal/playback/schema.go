package playback

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"touchline/internal/watch"
	"touchline/matchlog"
)

// Schemas returns the schemas of the channels of this package and of the page's recorded topics. robots are those whose
// pictures may be recorded.
func Schemas(robots ...uint8) map[string]matchlog.Schema {
	scene := schemaOf("foxglove.SceneUpdate", reflect.TypeFor[sceneUpdate]())
	all := map[string]matchlog.Schema{
		SceneChannel:      scene,
		FieldChannel:      scene,
		TransformsChannel: schemaOf("foxglove.FrameTransforms", reflect.TypeFor[frameTransforms]()),
		WallChannel:       schemaOf("touchline.Wall", reflect.TypeFor[watch.Wall]()),
		NetworkChannel:    schemaOf("touchline.Network", reflect.TypeFor[watch.Network]()),
	}
	picture := schemaOf("foxglove.CompressedImage", reflect.TypeFor[CompressedImage]())
	annotations := schemaOf("foxglove.ImageAnnotations", reflect.TypeFor[ImageAnnotations]())
	for _, id := range robots {
		all[ImageChannel(id)], all[AnnotationsChannel(id)] = picture, annotations
	}
	return all
}

func schemaOf(name string, t reflect.Type) matchlog.Schema {
	var b bytes.Buffer
	writeType(&b, t, name)
	return matchlog.Schema{Name: name, Data: b.Bytes()}
}

// writeType writes the JSON Schema of a type as encoding/json encodes it. Pointers may be null; all other fields are
// required. title is "" for none.
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
		b.WriteString(`"type":"object"}`)
	}
}

// writeFields writes the rest of an object's schema.
func writeFields(b *bytes.Buffer, t reflect.Type) {
	required := []string{}
	b.WriteString(`"type":"object","properties":{`)
	separator := ""
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		fmt.Fprintf(b, "%s%q:", separator, name)
		separator = ","
		if f.Type.Kind() == reflect.Pointer {
			writeType(b, f.Type.Elem(), "")
			continue
		}
		required = append(required, name)
		writeType(b, f.Type, "")
	}
	list, _ := json.Marshal(required) // strings always encode
	fmt.Fprintf(b, `},"required":%s}`, list)
}

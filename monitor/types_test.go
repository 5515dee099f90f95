package monitor_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"touchline/matchlog"
	"touchline/refbox"
	"touchline/vss"
	"touchline/watch"
)

var update = flag.Bool("update", false, "write static/types.d.ts")

const typesFile = "static/types.d.ts"

// TestTypes keeps the page's types equal to the Go types that travel to it.
func TestTypes(t *testing.T) {
	ts := declarations{}
	for _, v := range []any{watch.Wall{}, watch.Network{}, watch.PacketView{}, vss.Show{}, vss.ShowPacket{}, refbox.Show{}, refbox.RefereeShow{}, refbox.TeamsShow{}, refbox.Decided{}, matchlog.Row{}, matchlog.Summary{}, matchlog.Frame{}} {
		ts.name(t, reflect.TypeOf(v))
	}
	want := "// Written by `go test ./monitor -run Types -update` from the Go types that travel as JSON. An empty list may be null.\n"
	for _, name := range slices.Sorted(maps.Keys(ts)) {
		want += "\n" + ts[name]
	}
	if *update {
		if err := os.WriteFile(typesFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(typesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("%s is stale: go test ./monitor -run Types -update", typesFile)
	}
}

// declarations are TypeScript interfaces by name.
type declarations map[string]string

// name returns how TypeScript calls typ, and declares it on the way.
func (d declarations) name(t *testing.T, typ reflect.Type) string {
	t.Helper()
	switch kind := typ.Kind(); {
	case typ == reflect.TypeFor[watch.Jerseys]():
		return "number[]" // it writes itself
	case typ == reflect.TypeFor[json.RawMessage]():
		return "any"
	case typ.Implements(reflect.TypeFor[json.Marshaler]()):
		t.Fatalf("%s writes its own JSON: say here which type that is", typ)
	case kind == reflect.Bool:
		return "boolean"
	case kind == reflect.String:
		return "string"
	case typ.Kind() >= reflect.Int && typ.Kind() <= reflect.Float64:
		return "number"
	case kind == reflect.Pointer:
		return d.name(t, typ.Elem()) + " | null"
	case kind == reflect.Slice:
		return d.name(t, typ.Elem()) + "[] | null"
	case kind == reflect.Struct && typ.Name() == "":
		return "{ " + strings.ReplaceAll(strings.TrimSpace(d.fields(t, typ)), "\n ", ";") + " }"
	case kind == reflect.Struct:
		return d.declare(t, typ)
	}
	t.Fatalf("%s has no JSON that the page could use", typ)
	return ""
}

// declare writes a struct's interface. Names of other rooms carry the room: wire.Field is WireField.
func (d declarations) declare(t *testing.T, typ reflect.Type) string {
	t.Helper()
	own := typ.Name()
	if room := path.Base(typ.PkgPath()); room != "watch" {
		own = strings.ToUpper(room[:1]) + room[1:] + own
	}
	if _, ok := d[own]; ok {
		return own
	}
	d[own] = "" // its own fields may name it
	whole := "" // JSON puts an embedded struct's fields among its own
	for f := range typ.Fields() {
		if f.Anonymous {
			whole += " extends " + d.declare(t, f.Type)
		}
	}
	d[own] = "export interface " + own + whole + " {\n" + d.fields(t, typ) + "}\n"
	return own
}

// fields writes the fields of a struct, a line each.
func (d declarations) fields(t *testing.T, typ reflect.Type) string {
	t.Helper()
	var b strings.Builder
	for f := range typ.Fields() {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			t.Fatalf("%s.%s has no name in JSON", typ, f.Name)
		}
		fmt.Fprintf(&b, "  %s: %s\n", name, d.name(t, f.Type))
	}
	return b.String()
}

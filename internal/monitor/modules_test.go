package monitor

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// importOf matches the imports of a JavaScript module, but not those of types, which stand in comments.
var importOf = regexp.MustCompile(`(?m)^(?:import|export)\b[^'"]*?\bfrom '(\.[^']+)'`)

// TestModules fails when modules of the page import each other in a circle: which of them runs first would depend on the
// page that loads them.
func TestModules(t *testing.T) {
	imports := map[string][]string{}
	static := os.DirFS("static")
	err := fs.WalkDir(static, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" {
			return err
		}
		text, err := fs.ReadFile(static, name)
		imports[name] = nil
		for _, m := range importOf.FindAllSubmatch(text, -1) {
			imports[name] = append(imports[name], path.Join(path.Dir(name), string(m[1])))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	visited := map[string]bool{}
	var visit func(name string, way []string)
	visit = func(name string, way []string) {
		if i := slices.Index(way, name); i >= 0 {
			t.Errorf("modules import each other: %s", strings.Join(append(way[i:], name), " -> "))
		}
		if visited[name] {
			return
		}
		visited[name] = true
		if _, ok := imports[name]; !ok {
			t.Errorf("%s imports %s, which does not exist", way[len(way)-1], name)
		}
		for _, next := range imports[name] {
			visit(next, append(slices.Clone(way), name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		visit(name, nil)
	}
	if len(imports["wall/wall.js"]) == 0 {
		t.Error("found no import in wall/wall.js")
	}
}

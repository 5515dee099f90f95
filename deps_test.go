package touchline_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rooms says what each room may import of ours (non-test code). A room without a row fails.
var rooms = map[string][]string{
	"soccer":         {},
	"exact":          {},
	"wire":           {"soccer", "exact"},
	"transport":      {"soccer", "exact"},
	"sim":            {"soccer", "exact"},
	"world":          {"soccer", "exact"},
	"wire/mixedteam": {"soccer", "exact", "wire"},
	"wire/wiretest":  {"wire"},
	"monitor":        {"soccer", "wire"},
	"conform":        {"soccer", "wire", "wire/mixedteam"},
	"robot":          {"soccer", "exact", "world", "wire/mixedteam", "wire"},
	"watch":          {"soccer", "exact", "world", "transport", "wire", "wire/mixedteam", "conform", "monitor"},
	"match":          {"soccer", "exact", "sim", "world", "robot", "transport", "wire", "wire/mixedteam", "watch", "monitor"},
	"cmd/touchline":  {"*"},
}

// cores are the rooms (or single files of a room) that stay pure: no goroutine, socket, clock, logger, global random.
var cores = []string{"soccer", "exact", "sim", "world", "robot", "wire", "wire/mixedteam"}

type goPackage struct {
	ImportPath string
	Imports    []string
	GoFiles    []string
	Dir        string
}

func ourPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,GoFiles,Dir", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
	return all
}

func TestImports(t *testing.T) {
	for _, p := range ourPackages(t) {
		room := strings.TrimPrefix(p.ImportPath, "touchline/")
		allowed, ok := rooms[room]
		if !ok {
			t.Errorf("room %s has no row in the import table", room)
			continue
		}
		for _, imp := range p.Imports {
			ours, isOurs := strings.CutPrefix(imp, "touchline/")
			if isOurs && !slices.Contains(allowed, ours) && !slices.Contains(allowed, "*") {
				t.Errorf("%s may not import %s", room, ours)
			}
		}
	}
}

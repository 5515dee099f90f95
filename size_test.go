package touchline_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The limits that keep the tree readable: lines of production code in a package and in a file, production files in a
// folder, and lines of a function in cmd (90 of 100 functions).
const (
	maxPackageLines  = 3500
	maxMedianLines   = 1000
	maxFileLines     = 400
	maxFolderFiles   = 16
	maxCommandP90    = 40
	maxFunctionLines = 80
)

// longFiles are the files over maxFileLines, each with its reason.
var longFiles = map[string]string{}

// TestSize keeps packages, folders, files and functions small. `go test . -run Size -v` prints the figures.
func TestSize(t *testing.T) {
	lines, folders := map[string]int{}, map[string]int{}
	var functions, commands []int
	fset := token.NewFileSet()
	for _, name := range slices.Sorted(maps.Keys(trackedFiles(t))) {
		folder := path.Dir(name)
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".pb.go") {
			f, err := parser.ParseFile(fset, filepath.FromSlash(name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			n := fset.File(f.Pos()).LineCount()
			if ast.IsGenerated(f) {
				continue
			}
			lines[folder] += n
			if _, reason := longFiles[name]; n > maxFileLines && !reason {
				t.Errorf("%s has %d lines: split it at %d, or give a reason in longFiles", name, n, maxFileLines)
			}
			for name, n := range functionLines(fset, f) {
				functions = append(functions, n)
				if strings.HasPrefix(folder, "cmd/") {
					commands = append(commands, n)
				}
				if n > maxFunctionLines {
					t.Errorf("%s: %s has %d lines, the limit is %d", folder, name, n, maxFunctionLines)
				}
			}
		}
		if production(name) {
			folders[folder]++
		}
	}
	var sizes []int
	total, most := 0, ""
	for folder, n := range lines {
		sizes, total = append(sizes, n), total+n
		if n > maxPackageLines && !strings.HasPrefix(folder, "cmd/") {
			t.Errorf("package %s has %d lines of production code, the limit is %d", folder, n, maxPackageLines)
		}
		t.Logf("%5d lines in %s", n, folder)
	}
	for folder, n := range folders {
		if n > folders[most] {
			most = folder
		}
		if n > maxFolderFiles {
			t.Errorf("folder %s has %d files, the limit is %d", folder, n, maxFolderFiles)
		}
	}
	if m := percentile(sizes, 50); m >= maxMedianLines {
		t.Errorf("the median package has %d lines, the limit is %d", m, maxMedianLines)
	}
	if p := percentile(commands, 90); p > maxCommandP90 {
		t.Errorf("90 %% of cmd's functions have up to %d lines, the limit is %d", p, maxCommandP90)
	}
	t.Logf("%d lines of Go in %d packages; largest %d, median %d", total, len(sizes), percentile(sizes, 100), percentile(sizes, 50))
	for name, all := range map[string][]int{"all functions": functions, "functions in cmd": commands} {
		t.Logf("%s: %d; lines p50 %d, p90 %d, max %d", name, len(all), percentile(all, 50), percentile(all, 90), percentile(all, 100))
	}
	t.Logf("largest folder: %s with %d files", most, folders[most])
}

// production reports whether a file is part of the program: Go except tests, and the pages' files.
func production(name string) bool {
	if strings.HasPrefix(name, "monitor/static/") && !strings.Contains(name, "/htm/") {
		return true
	}
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".pb.go")
}

// functionLines returns how many lines each function of a file has.
func functionLines(fset *token.FileSet, f *ast.File) map[string]int {
	found := map[string]int{}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			begin, end := fset.Position(d.Pos()), fset.Position(d.End())
			found[fmt.Sprintf("%s at line %d of %s", d.Name.Name, begin.Line, filepath.Base(begin.Filename))] = end.Line - begin.Line + 1
		}
	}
	return found
}

// percentile returns the p-th percentile of values, 0 where there are none.
func percentile(values []int, p int) int {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

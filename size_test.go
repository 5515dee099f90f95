package touchline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// maxFunctionLines is the length of a function that fits a screen.
const maxFunctionLines = 80

// TestFunctionsFitAScreen finds functions that are too long to be read at once.
func TestFunctionsFitAScreen(t *testing.T) {
	fset := token.NewFileSet()
	for name := range trackedFiles(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".pb.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.FromSlash(name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}
			begin, end := fset.Position(d.Pos()), fset.Position(d.End())
			if n := end.Line - begin.Line + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, the limit is %d", begin, d.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

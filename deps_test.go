package touchline_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// kind is how a package works. A core is pure: it has no goroutine, socket, clock, logger, global random numbers or map
// order, and of package math it uses only functions that give the same bits on every processor. A shell moves bytes and
// time for a core and may start goroutines. A reader handles files and bytes without goroutines.
type kind int

const (
	core kind = iota
	shell
	reader
)

// row is a row of the import table: the kind of a package, and the packages of this module that its non-test code
// imports.
type row struct {
	kind    kind
	imports string
}

// table is the import table. A package without a row fails, and so does an import that a row allows and nothing uses.
var table = map[string]row{
	"booking":                       {core, "soccer wire/b3p"},
	"game":                          {core, "soccer"},
	"game/autoref":                  {core, "game internal/bounded soccer"},
	"game/gametest":                 {reader, "game soccer wire/wiretest"},
	"matchlog":                      {shell, "game internal/sslgame soccer wire wire/msl wire/rcg wire/ssl wire/tcm"},
	"matchlog/matchlognet":          {shell, "matchlog soccer"},
	"sim":                           {core, "internal/exact soccer"},
	"soccer":                        {core, "internal/exact"},
	"teamcom":                       {core, "internal/bounded soccer wire wire/tcm"},
	"teamcom/teamcomnet":            {shell, "internal/bounded soccer teamcom transport wire wire/tcm wire/team"},
	"transport":                     {shell, "soccer transport/traffic"},
	"transport/traffic":             {core, "internal/bounded soccer"},
	"wire":                          {core, ""},
	"wire/b3p":                      {core, "wire wire/internal/coder"},
	"wire/firasim":                  {core, "wire wire/internal/protobuf wire/internal/sslvision"},
	"wire/firasim/firasimpb":        {reader, ""},
	"wire/hsl":                      {core, "soccer wire"},
	"wire/internal/coder":           {core, "wire"},
	"wire/internal/protobuf":        {core, "wire"},
	"wire/internal/sslvision":       {core, "wire wire/internal/protobuf"},
	"wire/mixedteam":                {core, "soccer wire"},
	"wire/msl":                      {core, "soccer wire"},
	"wire/rcg":                      {core, ""},
	"wire/ssl":                      {core, "soccer wire wire/internal/protobuf wire/internal/sslvision"},
	"wire/tcm":                      {core, "wire"},
	"wire/team":                     {core, "internal/exact soccer wire wire/internal/coder"},
	"wire/wiretest":                 {reader, "wire"},
	"world":                         {core, "internal/exact soccer"},
	"world/selfloc":                 {core, "internal/bounded internal/exact soccer"},
	"internal/analysis/analysislog": {reader, "game game/autoref internal/analysis internal/sheet matchlog soccer wire"},
	"internal/analysis/export":      {reader, "game game/autoref internal/analysis internal/analysis/analysislog matchlog soccer"},
	"internal/analysis":             {core, "game game/autoref internal/bounded internal/exact internal/stat soccer"},
	"internal/batch":                {core, "game game/autoref internal/analysis internal/bounded internal/exact internal/match internal/robot/hfsm internal/stat soccer transport/traffic wire"},
	"internal/batch/batchnet":       {shell, "internal/batch internal/match internal/match/programnet internal/sheet internal/stat"},
	"internal/batch/queue":          {shell, "internal/batch wire"},
	"internal/bounded":              {core, ""},
	"internal/camera":               {core, "internal/exact soccer"},
	"internal/capture":              {reader, "soccer wire wire/mixedteam wire/msl"},
	"internal/check":                {reader, "internal/bounded internal/exact internal/formats internal/sheet internal/stat soccer teamcom wire wire/b3p wire/hsl wire/mixedteam wire/msl wire/ssl wire/tcm wire/team"},
	"internal/check/checknet":       {shell, "game internal/check internal/refbox matchlog soccer transport wire/msl"},
	"internal/console":              {shell, "wire"},
	"internal/control":              {reader, "wire"},
	"internal/dissector":            {reader, "internal/formats wire wire/tcm"},
	"internal/doctor":               {core, "soccer"},
	"internal/doctor/doctornet":     {shell, "internal/doctor soccer transport wire/mixedteam"},
	"internal/exact":                {core, ""},
	"internal/fleet":                {shell, "internal/batch/queue"},
	"internal/formats":              {reader, "soccer wire wire/b3p wire/firasim wire/hsl wire/mixedteam wire/msl wire/ssl wire/tcm wire/team"},
	"internal/hslgame":              {core, "internal/bounded internal/check internal/exact soccer wire wire/hsl"},
	"internal/hslgame/hslgamenet":   {shell, "internal/hslgame soccer transport wire/hsl"},
	"internal/lab":                  {shell, "booking game game/autoref internal/analysis internal/batch internal/batch/batchnet internal/camera internal/exact internal/match internal/refbox internal/robot internal/stat matchlog sim soccer transport/traffic wire/mixedteam wire/team world world/selfloc"},
	"internal/lab/explore":          {core, "booking soccer wire/b3p"},
	"internal/league":               {core, "game internal/bounded internal/check internal/sslgame internal/watch soccer wire wire/hsl wire/ssl"},
	"internal/league/leaguenet":     {shell, "game internal/league internal/watch/watchnet soccer transport wire/hsl wire/ssl"},
	"internal/manager":              {core, "internal/bounded internal/exact internal/robot/hfsm internal/stat soccer teamcom wire wire/tcm wire/team"},
	"internal/manager/managernet":   {reader, "internal/bounded internal/camera internal/control internal/manager soccer teamcom wire wire/tcm wire/team"},
	"internal/manager/managertest":  {reader, "internal/manager wire/wiretest"},
	"internal/match":                {core, "game game/autoref internal/analysis internal/bounded internal/camera internal/exact internal/robot internal/robot/hfsm internal/robot/play internal/station internal/watch sim soccer teamcom transport/traffic wire/mixedteam wire/msl wire/tcm wire/team world/selfloc"},
	"internal/match/matchnet":       {shell, "game game/autoref internal/analysis internal/camera internal/control internal/manager internal/manager/managernet internal/match internal/refbox internal/refbox/refboxnet internal/robot internal/robot/robotnet internal/scratch internal/station internal/station/stationnet internal/watch internal/watch/watchnet matchlog soccer teamcom teamcom/teamcomnet transport transport/traffic wire wire/mixedteam wire/msl wire/tcm wire/team"},
	"internal/match/programnet":     {shell, "game internal/match internal/robot soccer teamcom wire/tcm wire/team"},
	"internal/monitor":              {shell, "internal/control wire"},
	"internal/playback":             {shell, "game game/autoref internal/analysis internal/exact internal/league internal/manager/managernet internal/match internal/playback/foxglovenet internal/robot/hfsm internal/ssl internal/vss internal/watch matchlog soccer teamcom wire wire/tcm"},
	"internal/playback/foxglovenet": {shell, "internal/bounded internal/control internal/sheet matchlog soccer"},
	"internal/refbox":               {core, "game internal/bounded soccer wire wire/msl"},
	"internal/refbox/refboxnet":     {shell, "game internal/analysis/analysislog internal/control internal/refbox matchlog matchlog/matchlognet soccer transport wire wire/msl"},
	"internal/robot":                {core, "booking internal/bounded internal/exact internal/robot/hfsm internal/robot/play soccer teamcom wire/b3p wire/mixedteam wire/tcm wire/team world"},
	"internal/robot/hfsm":           {core, "soccer wire"},
	"internal/robot/play":           {core, "internal/exact internal/robot/hfsm soccer wire/team"},
	"internal/robot/robotnet":       {shell, "internal/camera internal/manager internal/manager/managernet internal/robot internal/robot/hfsm internal/robot/play soccer teamcom teamcom/teamcomnet transport transport/traffic wire/mixedteam wire/tcm wire/team"},
	"internal/scratch":              {reader, ""},
	"internal/sheet":                {reader, ""},
	"internal/ssl":                  {core, "internal/exact sim soccer wire/ssl"},
	"internal/ssl/sslnet":           {shell, "internal/ssl transport wire/ssl"},
	"internal/stat":                 {core, "internal/exact"},
	"internal/sslgame":              {core, "game soccer wire/ssl"},
	"internal/station":              {core, "internal/bounded soccer wire/mixedteam wire/msl wire/team world"},
	"internal/station/stationnet":   {shell, "internal/refbox internal/station matchlog soccer transport transport/traffic wire wire/mixedteam wire/msl wire/team"},
	"internal/vss":                  {core, "internal/bounded internal/exact sim soccer wire wire/firasim"},
	"internal/vss/learn":            {core, "internal/exact internal/vss sim soccer wire wire/firasim"},
	"internal/vss/learn/learnnet":   {shell, "internal/scratch internal/vss internal/vss/learn sim soccer transport wire"},
	"internal/vss/vssnet":           {shell, "internal/bounded internal/control internal/vss sim soccer transport transport/traffic wire/firasim"},
	"internal/watch":                {core, "booking internal/bounded internal/check internal/formats internal/robot/hfsm internal/robot/play soccer wire wire/b3p wire/mixedteam wire/tcm wire/team world"},
	"internal/watch/watchnet":       {shell, "internal/watch soccer teamcom transport wire/mixedteam"},
	"cmd/touchline":                 {shell, "*"},
	"cmd/touchline-fleet":           {shell, "internal/batch internal/batch/batchnet internal/batch/queue internal/console internal/fleet"},
	"cmd/touchline-lab":             {shell, "game/autoref internal/console internal/lab internal/lab/explore internal/match internal/monitor soccer"},
}

// coreImports are the packages of the standard library that a core may import.
var coreImports = []string{
	"bytes", "cmp", "container/heap", "crypto/hmac", "crypto/sha256", "crypto/subtle", "encoding/binary", "encoding/hex",
	"encoding/json", "errors", "fmt", "hash", "hash/crc32", "iter", "math", "math/bits", "math/rand/v2", "net/netip",
	"reflect", "slices", "sort", "strconv", "strings", "sync", "time", "unicode", "unicode/utf8",
	// These are not in the standard library, but equally pure.
	"google.golang.org/protobuf/encoding/protowire",
	"github.com/go-json-experiment/json", "github.com/go-json-experiment/json/jsontext",
	"github.com/BurntSushi/toml", // its Decode
}

// coreMath is what a core may use of package math, besides constants.
var coreMath = []string{
	"Abs", "Sqrt", "Floor", "Trunc", "Round", "Copysign", "Mod", "Remainder", "Min", "Max", "Inf", "NaN", "IsNaN", "IsInf",
	"Signbit", "Float64bits", "Float64frombits", "Float32bits", "Float32frombits",
}

// clockNames are the names of package time that read a clock or wait.
var clockNames = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// coreRand is what a core may use of math/rand/v2: streams of its own, never the global one.
var coreRand = []string{"New", "NewPCG", "Rand", "PCG"}

// goPackage is a package as go list prints it.
type goPackage struct {
	ImportPath string
	Imports    []string
	GoFiles    []string
	Dir        string
}

// ourPackages lists the packages of this module that have code besides tests.
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

// TestImports compares the imports of each package with the import table.
func TestImports(t *testing.T) {
	for _, p := range ourPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "touchline/")
		row, ok := table[name]
		if !ok {
			t.Errorf("package %s has no row in the import table", name)
			continue
		}
		if row.imports == "*" {
			continue
		}
		var used []string
		for _, imp := range p.Imports {
			if ours, isOurs := strings.CutPrefix(imp, "touchline/"); isOurs {
				used = append(used, ours)
			}
		}
		allowed := strings.Fields(row.imports)
		for _, u := range used {
			if !slices.Contains(allowed, u) {
				t.Errorf("%s may not import %s", name, u)
			}
		}
		for _, a := range allowed {
			if !slices.Contains(used, a) {
				t.Errorf("%s is allowed to import %s but does not: remove it from the import table", name, a)
			}
		}
	}
}

// TestShellsAreListed finds the packages that start goroutines: ./check runs the race detector on the shells.
func TestShellsAreListed(t *testing.T) {
	fset := token.NewFileSet()
	for _, p := range ourPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "touchline/")
		starts := false
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					starts = true
				case *ast.SelectorExpr: // errgroup's Go, context.AfterFunc
					starts = starts || n.Sel.Name == "Go" || n.Sel.Name == "AfterFunc"
				}
				return true
			})
		}
		if starts != (table[name].kind == shell) {
			t.Errorf("package %s starts goroutines: %t; the import table calls it a shell: %t", name, starts, !starts)
		}
	}
}

// TestCoresArePure searches the cores for imports, statements and names that would make their results depend on more
// than their input.
func TestCoresArePure(t *testing.T) {
	fset := token.NewFileSet()
	compiled := exports(t)
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	for _, p := range ourPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "touchline/")
		if table[name].kind != core {
			continue
		}
		var files []*ast.File
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, files, info); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range files {
			checkCore(t, fset, f, info)
		}
	}
}

// exports returns the file of each package that a core imports, with the types that its compilation found.
func exports(t *testing.T) map[string]string {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for name := range table {
		if table[name].kind == core {
			args = append(args, "./"+name)
		}
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files
}

// checkCore reports imports and statements that a core may not have.
func checkCore(t *testing.T, fset *token.FileSet, f *ast.File, info *types.Info) {
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if !strings.HasPrefix(path, "touchline/") && !slices.Contains(coreImports, path) {
			t.Errorf("%v: a core may not import %s", fset.Position(i.Pos()), path)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt:
			t.Errorf("%v: a core starts no goroutine and uses no channel", fset.Position(n.Pos()))
		case *ast.RangeStmt:
			if _, ok := info.Types[n.X].Type.Underlying().(*types.Map); ok {
				t.Errorf("%v: a core may not depend on the order of a map", fset.Position(n.Pos()))
			}
		case *ast.SelectorExpr:
			checkUse(t, fset.Position(n.Pos()), info.Uses[n.Sel])
		}
		return true
	})
}

// checkUse reports a name of another package that no core may use.
func checkUse(t *testing.T, at token.Position, used types.Object) {
	if used == nil || used.Pkg() == nil || used.Parent() != used.Pkg().Scope() {
		return // a method or a field
	}
	name, forbidden := used.Name(), false
	switch used.Pkg().Path() {
	case "math":
		_, constant := used.(*types.Const)
		forbidden = !constant && !slices.Contains(coreMath, name)
	case "math/rand/v2":
		forbidden = !slices.Contains(coreRand, name)
	case "encoding/json": // its decoders accept repeated keys: wire.DecodeJSON does not
		forbidden = slices.Contains([]string{"Unmarshal", "NewDecoder"}, name)
	case "sync": // a core may guard itself against the goroutines of its shell
		forbidden = name != "Mutex"
	case "time":
		forbidden = slices.Contains(clockNames, name)
	}
	if forbidden {
		t.Errorf("%v: a core may not use %s.%s", at, used.Pkg().Path(), name)
	}
}

// wallTime are the files that read the machine's clock as a number, each with its reason. Setting that clock makes it
// jump; all other times come from a soccer.Clock, which does not.
var wallTime = map[string]string{
	"soccer/clock.go":                          "the start of every clock",
	"internal/monitor/monitor.go":              "a name for the run",
	"internal/refbox/refboxnet/loop.go":        "finds out that the machine's clock was set",
	"internal/refbox/refboxnet/recover.go":     "the start of the clock, and the time that the box was away",
	"internal/refbox/refboxnet/mirror.go":      "compares the clocks of two machines",
	"internal/refbox/refboxnet/mirror_view.go": "compares the clocks of two machines",
	"internal/doctor/doctornet/doctornet.go":   "compares the clocks of two machines",
	"matchlog/matchlognet/logs.go":             "the age of files",
	"cmd/touchline/record.go":                  "names a file",
	"cmd/touchline/station.go":                 "prints a time",
	"cmd/touchline/log_copy.go":                "parses a date",
	"internal/capture/pcap.go":                 "the time of a recorded packet",
	"internal/lab/kill_play.go":                "the start of a batch",
	"internal/lab/kill_game.go":                "the start of a batch",
	"internal/lab/takeover.go":                 "the start of a batch",
}

// TestWallTime finds files that read the machine's clock as a number without a reason.
func TestWallTime(t *testing.T) {
	reads := regexp.MustCompile(`\.Unix(Nano|Micro|Milli)?\(\)`)
	found := map[string]bool{}
	for _, p := range ourPackages(t) {
		for _, file := range p.GoFiles {
			b, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(p.ImportPath, "touchline/") + "/" + file
			if !reads.Match(b) {
				continue
			}
			if found[name] = true; wallTime[name] == "" {
				t.Errorf("%s reads the machine's clock as a number, which jumps when the clock is set: use a soccer.Clock", name)
			}
		}
	}
	for name := range wallTime {
		if !found[name] {
			t.Errorf("%s does not read the machine's clock: remove it from wallTime", name)
		}
	}
}

// TestCheckKnowsPackages compares the import table with what ./check reads from it: the packages that it tests with the
// race detector, and those that it searches for fused multiply-adds.
func TestCheckKnowsPackages(t *testing.T) {
	for name, kind := range map[string]kind{"core": core, "shell": shell, "reader": reader} {
		out, err := exec.Command("./check", "packages", name).Output()
		if err != nil {
			t.Fatalf("./check packages %s: %v", name, err)
		}
		var want []string
		for path, r := range table {
			if r.kind == kind {
				want = append(want, "./"+path)
			}
		}
		got := strings.Fields(string(out))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("./check packages %s lists %q, want %q", name, got, want)
		}
	}
}

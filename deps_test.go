package touchline_test

import (
	"encoding/json"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
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
	"soccer":                       {core, "exact"},
	"exact":                        {core, ""},
	"internal/bounded":             {core, "soccer"},
	"internal/stat":                {core, "exact"},
	"wire":                         {core, ""},
	"transport":                    {shell, "soccer transport/traffic"},
	"scratch":                      {reader, ""},
	"transport/listen":             {reader, ""},
	"transport/traffic":            {core, "soccer"},
	"sim":                          {core, "soccer exact sim/diff sim/lcp sim/omni sim/rink"},
	"sim/diff":                     {core, "exact"},
	"sim/lcp":                      {core, ""},
	"sim/rink":                     {core, "soccer"},
	"sim/omni":                     {core, "soccer exact"},
	"camera":                       {core, "soccer exact"},
	"camera/calib":                 {core, "camera camera/percept exact soccer"},
	"camera/percept":               {core, "camera soccer exact"},
	"world":                        {core, "soccer exact world/delay world/motion world/picture world/pose world/witness"},
	"world/delay":                  {core, "soccer exact"},
	"world/motion":                 {core, "soccer exact"},
	"world/picture":                {core, "soccer exact"},
	"world/witness":                {core, "soccer"},
	"world/pose":                   {core, "soccer exact"},
	"world/selfloc":                {core, "soccer exact"},
	"game":                         {core, "soccer"},
	"game/autoref":                 {core, "game soccer"},
	"game/gametest":                {reader, "game soccer wire/wiretest"},
	"wire/mixedteam":               {core, "soccer wire"},
	"wire/team":                    {core, "soccer exact wire wire/internal/coder"},
	"wire/wiretest":                {reader, "wire"},
	"wire/firasim":                 {core, "wire"},
	"wire/tcm":                     {core, "wire"},
	"wire/b3p":                     {core, "wire wire/internal/coder"},
	"wire/internal/coder":          {core, "wire"},
	"booking":                      {core, "soccer wire/b3p"},
	"booking/explore":              {core, "booking soccer wire/b3p"},
	"teamcom":                      {core, "soccer teamcom/directory teamcom/link wire/tcm"},
	"teamcom/directory":            {core, "wire wire/tcm"},
	"teamcom/overview":             {core, "soccer teamcom teamcom/link"},
	"teamcom/transfer":             {reader, "soccer wire wire/tcm wire/team"},
	"teamcom/link":                 {core, "soccer wire/tcm"},
	"manager":                      {core, "manager/checks robot/hfsm soccer teamcom wire wire/tcm wire/team"},
	"manager/agent":                {core, "camera camera/percept manager manager/managed robot robot/hfsm robot/play soccer wire/team"},
	"manager/calibration":          {reader, "camera camera/calib camera/percept manager manager/film manager/picture soccer wire wire/team"},
	"manager/checks":               {core, "exact soccer wire/team"},
	"manager/managed":              {core, "exact manager/checks soccer teamcom wire/tcm wire/team"},
	"manager/managernet":           {reader, "camera camera/percept manager manager/calibration manager/film manager/managed manager/picture manager/profile soccer teamcom wire wire/tcm wire/team"},
	"manager/managertest":          {reader, "manager wire/wiretest"},
	"manager/film":                 {reader, "camera camera/percept manager/picture soccer wire/team"},
	"manager/profile":              {reader, "manager wire/team"},
	"manager/picture":              {reader, "soccer wire/team"},
	"teamcom/teamcomnet":           {shell, "soccer teamcom teamcom/directory teamcom/transfer transport wire/tcm wire/team"},
	"wire/firasim/firasimpb":       {reader, ""}, // generated; only tests import it
	"monitor":                      {shell, ""},
	"monitor/screenshot":           {shell, ""},
	"capture":                      {reader, "soccer wire wire/mixedteam wire/msl"},
	"conform":                      {reader, "soccer teamcom/directory wire wire/mixedteam wire/firasim wire/tcm conform/datagrams conform/meaning"},
	"conform/datagrams":            {core, "conform/meaning soccer teamcom/directory wire wire/b3p wire/tcm wire/team"},
	"conform/conformnet":           {shell, "soccer transport"},
	"conform/meaning":              {core, "soccer exact wire wire/mixedteam"},
	"reportcard":                   {reader, "soccer wire/msl conform wire"},
	"reportcard/logcard":           {shell, "game soccer matchlog reportcard wire/msl"},
	"robot":                        {core, "booking soccer exact robot/hfsm robot/play teamcom world wire/b3p wire/mixedteam wire/tcm wire/team"},
	"robot/hfsm":                   {core, "soccer wire"},
	"robot/play":                   {core, "exact robot/hfsm soccer wire/team"},
	"robot/robotnet":               {shell, "booking camera camera/percept manager/film manager/managed manager/managernet robot soccer teamcom teamcom/directory teamcom/teamcomnet transport transport/traffic wire/mixedteam wire/tcm wire/team manager/agent"},
	"watch":                        {core, "soccer wire wire/mixedteam conform conform/meaning world"},
	"wire/msl":                     {core, "soccer wire"},
	"matchlog":                     {shell, "game matchlog/index matchlog/mcap matchlog/refboxfiles soccer wire wire/msl wire/tcm"},
	"matchlog/index":               {reader, "soccer"},
	"matchlog/mcap":                {reader, "soccer"},
	"matchlog/matchlognet":         {shell, "matchlog matchlog/release soccer"},
	"matchlog/replaynet":           {shell, "matchlog soccer station/stationnet transport"},
	"matchlog/refboxfiles":         {reader, "wire/msl"},
	"matchlog/release":             {reader, "game matchlog soccer wire wire/msl"},
	"matchlog/recorder":            {shell, "matchlog soccer"},
	"playback":                     {reader, "matchlog playback/foxglove robot/hfsm soccer teamcom/overview watch watch/behaviour watch/bookings watch/inspect wire/tcm"},
	"playback/foxglove":            {core, "exact soccer watch"},
	"playback/playbacknet":         {reader, "manager/managernet matchlog matchlog/recorder playback playback/foxglove soccer teamcom/overview watch watch/behaviour watch/bookings wire/tcm"},
	"refbox":                       {core, "game soccer wire wire/msl refbox/readcheck reportcard"},
	"refbox/readcheck":             {core, "soccer wire/msl"},
	"refbox/readchecknet":          {shell, "refbox/pace/pacenet refbox/readcheck wire/msl"},
	"refbox/pace":                  {core, "soccer wire/msl"},
	"refbox/pace/pacenet":          {shell, "refbox/pace soccer"},
	"refbox/refboxnet":             {shell, "matchlog/matchlognet matchlog/release game refbox refbox/pace refbox/pace/pacenet soccer transport transport/listen wire wire/msl matchlog"},
	"station":                      {core, "soccer world wire/mixedteam wire/msl wire/team"},
	"lab":                          {shell, "game soccer matchlog matchlog/release refbox"},
	"lab/rivals":                   {shell, "booking exact soccer transport/traffic"},
	"lab/trials":                   {shell, "exact match soccer transport/traffic wire/mixedteam wire/team world"},
	"lab/matches":                  {shell, "game game/autoref match/fiveaside match/tally soccer transport/traffic"},
	"lab/sights":                   {reader, "camera camera/calib camera/percept exact soccer"},
	"lab/walks":                    {shell, "exact sim sim/omni soccer world/selfloc"},
	"vss":                          {core, "soccer exact sim wire wire/firasim"},
	"vss/team":                     {core, "soccer exact wire/firasim"},
	"vss/learn":                    {core, "exact sim soccer vss vss/team wire wire/firasim"},
	"vss/learn/learnnet":           {shell, "sim soccer transport/listen vss vss/learn wire"},
	"vss/referee":                  {core, "soccer exact wire/firasim"},
	"vss/vssnet":                   {shell, "soccer sim transport transport/listen transport/traffic wire wire/firasim vss vss/team vss/referee"},
	"watch/behaviour":              {core, "conform/datagrams robot/hfsm soccer wire/tcm wire/team"},
	"watch/bookings":               {core, "booking conform/datagrams soccer wire/b3p wire/tcm wire/team"},
	"watch/inspect":                {core, "conform/datagrams robot/play soccer watch/behaviour watch/bookings wire wire/tcm"},
	"match":                        {core, "booking camera soccer exact match/eyes match/localise sim sim/omni robot transport/traffic wire/mixedteam wire/tcm wire/team watch teamcom teamcom/directory"},
	"match/eyes":                   {core, "camera camera/percept exact soccer"},
	"match/tally":                  {core, "game game/autoref soccer"},
	"match/show":                   {core, "game match/fiveaside match/tally soccer teamcom teamcom/overview watch watch/behaviour watch/bookings watch/inspect wire/team"},
	"match/fiveaside":              {core, "booking exact game game/autoref match/localise match/tally robot robot/play sim soccer station teamcom transport/traffic watch wire/msl wire/tcm wire/team camera"},
	"match/fiveaside/fiveasidenet": {shell, "game match/fiveaside match/show refbox/refboxnet robot robot/robotnet soccer station station/stationnet teamcom teamcom/directory teamcom/link teamcom/teamcomnet transport/traffic wire/tcm wire/team camera manager manager/managernet scratch"},
	"match/localise":               {core, "exact sim sim/omni soccer world/selfloc"},
	"match/story":                  {core, "exact match soccer watch wire/team"},
	"watch/watchnet":               {shell, "soccer teamcom teamcom/overview transport watch watch/inspect wire/mixedteam"},
	"match/matchnet":               {shell, "booking camera camera/percept match/eyes manager manager/film manager/managed manager/managernet soccer game transport transport/traffic wire wire/msl watch watch/watchnet match station match/story refbox/refboxnet matchlog station/stationnet wire/mixedteam robot teamcom teamcom/directory teamcom/teamcomnet wire/tcm wire/team manager/agent scratch"},
	"station/stationnet":           {shell, "refbox/readcheck soccer transport transport/traffic wire wire/msl wire/team station"},
	"cmd/touchline/install":        {reader, ""},
	"cmd/touchline/console":        {reader, "wire"},
	"cmd/touchline/virtual":        {reader, "cmd/touchline/console match match/story matchlog playback playback/playbacknet soccer teamcom/overview watch watch/inspect"},
	"cmd/touchline/matchdemo":      {shell, "cmd/touchline/console game match/fiveaside match/fiveaside/fiveasidenet match/show refbox/refboxnet soccer transport/traffic watch wire"},
	"cmd/touchline/matchcmd":       {shell, "cmd/touchline/console game match/fiveaside match/fiveaside/fiveasidenet match/show match/tally matchlog playback playback/playbacknet soccer watch wire"},
	"cmd/touchline/booklab":        {shell, "booking/explore cmd/touchline/console lab/rivals monitor"},
	"cmd/touchline/tcmfile":        {shell, "cmd/touchline/console teamcom teamcom/teamcomnet teamcom/transfer wire wire/tcm"},
	"cmd/touchline/matchlab":       {reader, "cmd/touchline/console game/autoref lab/matches match/fiveaside"},
	"cmd/touchline/learncmd":       {reader, "cmd/touchline/console vss/learn/learnnet"},
	"cmd/touchline/cameralab":      {reader, "cmd/touchline/console lab/sights"},
	"cmd/touchline/labself":        {reader, "cmd/touchline/console lab/walks"},
	"cmd/touchline/crew":           {shell, "cmd/touchline/console game manager/film match match/fiveaside match/fiveaside/fiveasidenet match/matchnet watch robot robot/robotnet soccer teamcom transport wire/mixedteam wire/tcm camera"},
	"cmd/touchline":                {shell, "*"},
}

// coreImports are the packages of the standard library that a core may import.
var coreImports = []string{
	"bytes", "cmp", "container/heap", "crypto/hmac", "crypto/sha256", "crypto/subtle", "encoding/binary", "encoding/hex",
	"encoding/json", "errors", "fmt", "hash", "hash/crc32", "iter", "math", "math/bits", "math/rand/v2", "net/netip",
	"reflect", "slices", "sort", "strconv", "strings", "sync", "time", "unicode", "unicode/utf8",
	// These are not in the standard library, but equally pure.
	"google.golang.org/protobuf/encoding/protowire",
	"github.com/go-json-experiment/json", "github.com/go-json-experiment/json/jsontext",
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
	if build.Default.GOROOT == "" { // as with -trimpath
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		build.Default.GOROOT = strings.TrimSpace(string(out))
	}
	source := importer.ForCompiler(fset, "source", nil)
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
		if _, err := (&types.Config{Importer: source}).Check(p.ImportPath, fset, files, info); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range files {
			checkCore(t, fset, f, info)
		}
	}
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
	"soccer/clock.go":                 "the start of every clock",
	"monitor/monitor.go":              "a name for the run",
	"refbox/refboxnet/loop.go":        "finds out that the machine's clock was set",
	"refbox/refboxnet/recover.go":     "the start of the clock, and the time that the box was away",
	"refbox/refboxnet/mirror.go":      "compares the clocks of two machines",
	"refbox/refboxnet/mirror_view.go": "compares the clocks of two machines",
	"matchlog/matchlognet/shelf.go":   "the age of files",
	"cmd/touchline/record.go":         "names a file",
	"cmd/touchline/station.go":        "prints a time",
	"cmd/touchline/log_copy.go":       "parses a date",
	"capture/pcap.go":                 "the time of a recorded packet",
	"lab/kill_play.go":                "the start of a batch",
	"lab/kill_game.go":                "the start of a batch",
	"lab/takeover.go":                 "the start of a batch",
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

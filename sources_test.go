package touchline_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"touchline/wire"
	"touchline/wire/b3p"
	"touchline/wire/firasim"
	"touchline/wire/hsl"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
	"touchline/wire/ssl"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// sourceLabels returns the headings of docs/sources.md, which are the labels that citations use.
func sourceLabels(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("docs", "sources.md"))
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for line := range strings.Lines(string(b)) {
		if label, ok := strings.CutPrefix(line, "## "); ok {
			labels = append(labels, strings.TrimSpace(label))
		}
	}
	if len(labels) < 10 {
		t.Fatalf("docs/sources.md has %d headings of level two, want one for each source", len(labels))
	}
	return labels
}

// trackedFiles returns the text files that Git tracks, by name.
func trackedFiles(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("not a Git checkout: %v", err)
	}
	files := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		b, err := os.ReadFile(name)
		if err != nil || bytes.IndexByte(b, 0) >= 0 {
			continue // deleted in the work tree, or a picture
		}
		files[name] = string(b)
	}
	return files
}

var (
	lineBreak    = regexp.MustCompile(`[ \t]*\n[ \t]*(//|#|\*)?[ \t]*`)
	rfcLabel     = regexp.MustCompile(`\bRFC \d+$`)
	citationHead = regexp.MustCompile(`^[^,;:(]*[^,;:( ]`)
	sourceHolder = regexp.MustCompile(`^[sS]ources?([A-Z]\w*)?$|Sources$`)
)

// startsWithLabel reports whether a citation begins with a label, or with an RFC, as a whole word.
func startsWithLabel(citation string, labels []string) bool {
	head := citationHead.FindString(citation)
	return rfcLabel.MatchString(head) || slices.Contains(labels, head)
}

// Each source is cited somewhere.
func TestSourcesAreCited(t *testing.T) {
	files := trackedFiles(t)
	for _, label := range sourceLabels(t) {
		cited := false
		for name, text := range files {
			cited = cited || name != "sources_test.go" && name != "docs/sources.md" && strings.Contains(lineBreak.ReplaceAllString(text, " "), label)
		}
		if !cited {
			t.Errorf("nothing cites %s: remove it from docs/sources.md", label)
		}
	}
}

// Each text in a table of sources (a constant, variable or field whose name begins or ends with "source") begins with a
// heading of docs/sources.md: findings and report cards print these texts.
func TestRuleSources(t *testing.T) {
	labels, texts := sourceLabels(t), 0
	for name := range trackedFiles(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, lit := range sourceTexts(f) {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts++
			if !startsWithLabel(text, labels) {
				t.Errorf("%v: %q begins with no heading of docs/sources.md", fset.Position(lit.Pos()), text)
			}
		}
	}
	if texts < 30 {
		t.Errorf("%d texts in tables of sources, want the rules of all codecs", texts)
	}
}

// sourceTexts returns the strings that a file's tables of sources hold: values of constants and variables with such a
// name, and of the field wire.Issue.Source.
func sourceTexts(f *ast.File) []*ast.BasicLit {
	var all []*ast.BasicLit
	collect := func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.BasicLit:
			if e.Kind == token.STRING {
				all = append(all, e)
			}
		case *ast.CompositeLit:
			if _, ok := e.Type.(*ast.MapType); !ok {
				return
			}
			for _, elt := range e.Elts {
				if kv, ok := elt.(*ast.KeyValueExpr); ok {
					if lit, ok := kv.Value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						all = append(all, lit)
					}
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if sourceHolder.MatchString(name.Name) && i < len(n.Values) {
					collect(n.Values[i])
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Source" {
				collect(n.Value)
			}
		}
		return true
	})
	return all
}

// payloads are the types of package team by the names of their vectors.
var payloads = map[string]uint16{
	"belief": team.TypeBelief, "measurements": team.TypeMeasurements, "status": team.TypeStatus, "debug": team.TypeDebug,
	"referee": team.TypeReferee, "sense": team.TypeSense, "motor": team.TypeMotor, "directory": team.TypeDirectory,
	"file": team.TypeFile, "image": team.TypeImage, "parameters": team.TypeParameters, "drive": team.TypeDrive,
	"kickcheck": team.TypeKickCheck, "locomotioncheck": team.TypeLocomotionCheck, "attend": team.TypeAttend,
	"management": team.TypeManagement, "challenge": team.TypeChallenge, "request": team.TypeRequest,
	"answer": team.TypeAnswer, "overlay": team.TypeOverlay, "scene": team.TypeScene,
}

// Each issue that the codecs find in the vectors names its source.
func TestIssueSources(t *testing.T) {
	labels, issues := sourceLabels(t), 0
	checks := map[string]func([]byte) []wire.Issue{
		"mixedteam-": mixedteam.Check, "msl-": msl.Check, "tcm-": tcm.Check,
	}
	for name, kind := range map[string]firasim.Kind{
		"firasim-environment": firasim.KindEnvironment, "firasim-packet": firasim.KindPacket,
		"firasim-referee": firasim.KindRefereeCommand, "firasim-placement": firasim.KindPlacement,
		"ssl-vision": firasim.KindSSL, "grsim-packet": firasim.KindGrSim,
	} {
		checks[name] = func(b []byte) []wire.Issue { return firasim.Check(kind, b) }
	}
	for name, kind := range map[string]hsl.Kind{
		"control": hsl.KindControl, "true-state": hsl.KindTrueState, "return": hsl.KindReturn, "forward": hsl.KindForward,
		"request": hsl.KindRequest, "team": hsl.KindTeam,
	} {
		checks["hsl-"+name] = func(b []byte) []wire.Issue { return hsl.Check(kind, b) }
	}
	for name, kind := range map[string]ssl.Kind{
		"tracker": ssl.KindTracker, "referee": ssl.KindReferee, "simulator-command": ssl.KindSimulatorCommand,
		"simulator-response": ssl.KindSimulatorResponse, "robot-control": ssl.KindRobotControl,
		"robot-control-response": ssl.KindRobotControlResponse, "sync-request": ssl.KindSyncRequest,
		"sync-response": ssl.KindSyncResponse,
	} {
		checks["ssl-"+name+".txt"] = func(b []byte) []wire.Issue { return ssl.Check(kind, b) }
	}
	for name, dataType := range payloads {
		checks["team-"+name] = func(b []byte) []wire.Issue { return team.Check(dataType, b) }
	}
	for name, dataType := range map[string]uint16{
		"claim": b3p.TypeClaim, "release": b3p.TypeRelease, "belief": b3p.TypeBelief,
	} {
		checks["b3p-"+name] = func(b []byte) []wire.Issue { return b3p.Check(dataType, b) }
	}
	files, err := filepath.Glob(filepath.Join("wire", "vectors", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	for _, file := range files {
		var check func([]byte) []wire.Issue
		for prefix, c := range checks {
			if strings.HasPrefix(filepath.Base(file), prefix) {
				check = c
			}
		}
		if check == nil {
			t.Errorf("no codec for %s", file)
			continue
		}
		for _, v := range wiretest.Vectors(t, file) {
			for _, issue := range check(v.Data) {
				issues++
				if !startsWithLabel(issue.Source, labels) {
					t.Errorf("%s, %s: %v: %q begins with no heading of docs/sources.md", file, v.Name, issue, issue.Source)
				}
			}
		}
	}
	if issues < 50 {
		t.Errorf("%d issues in all vectors", issues)
	}
}

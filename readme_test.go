package touchline_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestReadmeSnippet runs the commands with which the README begins a module beside a clone, and its library snippet there.
func TestReadmeSnippet(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a shell's")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(here, filepath.Join(dir, "touchline")); err != nil {
		t.Fatal(err)
	}
	commands, cloned := strings.CutPrefix(snippet(t, "README.md", "text", 0), "git clone … touchline && ")
	if !cloned || !strings.Contains(commands, "go run .") {
		t.Fatalf("the README begins a module with %q", commands)
	}
	c := exec.Command("sh", "-ec", commands+"cat > main.go && go run .")
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=")
	c.Stdin = strings.NewReader(snippet(t, "README.md", "go", 0))
	var out, log strings.Builder
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	if want := "v2 from robot 2: ball at 2.00 0.50 m\n"; out.String() != want {
		t.Errorf("the snippet prints %q, want %q", &out, want)
	}
}

// TestReadmeLength keeps the README short.
func TestReadmeLength(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > 120 {
		t.Errorf("the README has %d lines, want at most 120", n)
	}
}

// TestDocumentPaths finds every file and folder of this repository that the README and docs/ name.
func TestDocumentPaths(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil || len(documents) < 5 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	path := regexp.MustCompile("`([a-z0-9_.-]+(?:/[a-z0-9_.*-]+)*/?)`|\\]\\(([^)#: ]+)[)#]")
	top, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range append(documents, "README.md") {
		found := 0
		for _, m := range path.FindAllStringSubmatch(read(t, document), -1) {
			name := m[1]
			if m[2] != "" {
				name = filepath.ToSlash(filepath.Join(filepath.Dir(document), m[2])) // a link
			} else if first, _, _ := strings.Cut(name, "/"); !slices.Contains(top, first) && !strings.HasSuffix(name, ".go") {
				continue // a word, a flag's value, or a path elsewhere
			}
			found++
			if matches, err := filepath.Glob(filepath.FromSlash(name)); err != nil || len(matches) == 0 {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
		if document == filepath.Join("docs", "architecture.md") && found < 30 {
			t.Errorf("%s names %d paths, want one for each package at least", document, found)
		}
	}
}

// TestDocumentNames finds every exported name of this module's packages that the README and docs/ write as `package.Name`.
func TestDocumentNames(t *testing.T) {
	sources := map[string]string{} // by the package's name
	for name := range table {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			sources[filepath.Base(name)] += read(t, file)
		}
	}
	documents, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	code, word := regexp.MustCompile("`[^`\n]+`"), regexp.MustCompile(`(?:^|[^.\w])([a-z][a-z0-9]*)\.([A-Z]\w*)`)
	found := 0
	for _, document := range append(documents, "README.md") {
		for _, span := range code.FindAllString(read(t, document), -1) {
			for _, m := range word.FindAllStringSubmatch(span, -1) {
				source, ok := sources[m[1]]
				if !ok {
					continue // a variable, or a package from elsewhere
				}
				found++
				if !regexp.MustCompile(`\b` + m[2] + `\b`).MatchString(source) {
					t.Errorf("%s names %s.%s, which does not exist", document, m[1], m[2])
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("the documents name %d exported names", found)
	}
}

// TestArchitecture finds each package of the import table in the table of docs/architecture.md, and no other.
func TestArchitecture(t *testing.T) {
	documented := map[string]bool{}
	rows := regexp.MustCompile("(?m)^\\| ((?:`[a-z0-9/-]+`(?:, )?)+) \\|")
	for _, match := range rows.FindAllStringSubmatch(read(t, "docs", "architecture.md"), -1) {
		for name := range strings.SplitSeq(match[1], ", ") {
			documented[strings.Trim(name, "`")] = true
		}
	}
	for name := range table {
		if strings.Contains(name, "test") || strings.Contains(name, "wire/internal/") || strings.HasSuffix(name, "pb") {
			continue // for tests, or of one package and its neighbours
		}
		if !documented[name] {
			t.Errorf("docs/architecture.md has no row for %s", name)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("docs/architecture.md has a row for %s, which is not in the import table", name)
	}
}

// TestDocumentFlags finds every flag that the README and docs/ name in the help of the commands.
func TestDocumentFlags(t *testing.T) {
	program, err := touchline()
	if err != nil {
		t.Fatal(err)
	}
	help := map[string]string{}
	for _, command := range []string{
		"", "demo", "monitor", "refbox", "station", "sim vss", "check", "record", "replay", "log cut", "log export", "log info",
		"log merge", "match", "tcm send", "tcm recv", "robot", "learn", "batch plan",
		"batch run", "batch status", "batch report", "batch emit", "batch compare", "batch league", "batch tune",
		"worker", "doctor", "hsl", "-fleet up", "-fleet pull", "-fleet gc", "-fleet archive send", "-fleet archive pull", "-fleet archive list",
		"-lab match", "-lab booking", "-lab world", "-lab self", "-lab camera", "-lab refbox-kill", "-lab refbox-takeover",
	} {
		program, args := program, command
		if beside, ok := strings.CutPrefix(command, "-"); ok {
			name, rest, _ := strings.Cut(beside, " ")
			program, args = program+"-"+name, rest
		}
		out, err := exec.Command(program, append(strings.Fields(args), "--help")...).Output()
		if err != nil {
			t.Fatalf("%s --help: %v", command, err)
		}
		help[command] = string(out)
	}
	all := strings.Join(slices.Collect(maps.Values(help)), "")
	flag := regexp.MustCompile(`(?:^|[\s\x60(])(--[a-z][a-z0-9-]*)`)
	others := regexp.MustCompile("(?m)^python3 .*$|`docker [^`]*`") // these programs have flags of their own
	line := regexp.MustCompile(`(?m)(?:^|\x60)(?:go run ./cmd/)?touchline((?: (?:demo|monitor|refbox|station|sim vss|check|record|replay|` +
		`log (?:cut|export|info|merge)|learn|match|doctor|tcm (?:send|recv)|robot|worker|` +
		`batch (?:plan|run|status|report|emit|compare|league|tune))|-fleet (?:up|pull|gc|archive (?:send|pull|list))` +
		`|-lab (?:match|booking|world|self|camera|refbox-[a-z]+))?)\b([^\x60\n]*)`)
	for _, document := range []string{"README.md", "docs/mixed-team.md", "docs/firasim.md", "docs/refbox.md", "docs/teamcom.md",
		"docs/booking.md", "docs/match.md", "docs/learning.md", "docs/world.md", "docs/camera.md", "docs/batch.md", "docs/doctor.md"} {
		text := others.ReplaceAllString(read(t, filepath.FromSlash(document)), "")
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(all, m[1]+" ") && !strings.Contains(all, m[1]+"\n") {
				t.Errorf("%s names %s, which no command has", document, m[1])
			}
		}
		for _, m := range line.FindAllStringSubmatch(text, -1) {
			command := strings.TrimSpace(m[1])
			for _, f := range flag.FindAllStringSubmatch(m[2], -1) {
				if !strings.Contains(help[command], f[1]+" ") && !strings.Contains(help[command], f[1]+"[") {
					t.Errorf("%s: touchline %s has no %s", document, command, f[1])
				}
			}
		}
	}
}

// Package emittest checks what touchline batch emit prints: the files against the schemas of the systems that read them,
// and their commands by running them. It is a module of its own, because only it needs Kubernetes' types and actionlint.
package emittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// planFile is a name that each system must quote.
const planFile = "it's a plan.json"

const matrix = `
name = "Does it: work?"
half = "1s"
seeds = 2
teams = ["touchline", "still"]
`

const numSlices = 3

// batchOf plans a small matrix in a folder, plays it in one process, and returns the table of its report. The folder with
// the program is first in the path.
func batchOf(t *testing.T) (dir, table string) {
	t.Helper()
	dir = t.TempDir()
	program := os.Getenv("TOUCHLINE")
	if program == "" {
		program = filepath.Join(t.TempDir(), "touchline")
		build := exec.Command("go", "build", "-o", program, "./cmd/touchline")
		build.Dir = "../../.."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "touchline")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	write(t, filepath.Join(dir, "matrix.toml"), matrix)
	run(t, dir, nil, "touchline", "batch", "plan", "matrix.toml", "-o", planFile)
	run(t, dir, nil, "touchline", "batch", "run", planFile, "--dir", "whole", "--yes")
	return dir, tableOf(t, dir, "whole")
}

// tableOf returns the table of a report: one row a match, with the hash of its course.
func tableOf(t *testing.T, dir, results string) string {
	t.Helper()
	run(t, dir, nil, "touchline", "batch", "report", results, "--csv", results+".csv")
	return read(t, filepath.Join(dir, results+".csv"))
}

func emit(t *testing.T, dir, system string, more ...string) string {
	t.Helper()
	args := append([]string{"batch", "emit", system, planFile, "--slices", fmt.Sprint(numSlices)}, more...)
	return run(t, dir, nil, "touchline", args...)
}

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	var errs strings.Builder
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), env...), &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &errs)
	}
	return string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The Job has only fields that Kubernetes knows, with values that its server accepts, and its pods play all slices.
func TestKubernetes(t *testing.T) {
	dir, whole := batchOf(t)
	text := emit(t, dir, "kubernetes", "--dir", "results", "--cores", "2", "--image", "registry.example/touchline:v1")
	job := decodeJob(t, text)
	pod := &job.Spec.Template.Spec
	command := pod.Containers[0].Command
	// The volume holds the plan and the results.
	for i, word := range command {
		if rest, ok := strings.CutPrefix(word, pod.Containers[0].VolumeMounts[0].MountPath+"/"); ok {
			command[i] = rest
		}
	}
	for index := range int(*job.Spec.Completions) {
		run(t, dir, []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index)}, command[0], command[1:]...)
	}
	if tableOf(t, dir, "results") != whole {
		t.Error("the pods give another report than one process")
	}
}

// decodeJob decodes a Job strictly, and checks what the API server checks besides: names, what an indexed Job requires,
// and volumes.
func decodeJob(t *testing.T, text string) *batchv1.Job {
	t.Helper()
	var job batchv1.Job
	if err := yaml.UnmarshalStrict([]byte(text), &job); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if job.APIVersion != "batch/v1" || job.Kind != "Job" {
		t.Errorf("%s %s is no Job of batch/v1", job.APIVersion, job.Kind)
	}
	if wrong := validation.IsDNS1123Label(job.Name); wrong != nil {
		t.Errorf("name %q: %v", job.Name, wrong)
	}
	s := &job.Spec
	if s.CompletionMode == nil || *s.CompletionMode != batchv1.IndexedCompletion || s.Completions == nil || *s.Completions != numSlices ||
		s.Parallelism == nil || *s.Parallelism < 1 {
		t.Fatalf("not an indexed Job of %d slices:\n%s", numSlices, text)
	}
	if s.BackoffLimitPerIndex != nil && s.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
		t.Error("backoffLimitPerIndex requires restartPolicy: Never")
	}
	if s.ActiveDeadlineSeconds != nil && *s.ActiveDeadlineSeconds < 1 {
		t.Errorf("activeDeadlineSeconds: %d", *s.ActiveDeadlineSeconds)
	}
	if len(s.Template.Spec.Containers) != 1 {
		t.Fatalf("%d containers", len(s.Template.Spec.Containers))
	}
	c := &s.Template.Spec.Containers[0]
	if wrong := validation.IsDNS1123Label(c.Name); wrong != nil || c.Image == "" {
		t.Errorf("container %q of image %q: %v", c.Name, c.Image, wrong)
	}
	for name, least := range c.Resources.Requests {
		if most, limited := c.Resources.Limits[name]; limited && least.Cmp(most) > 0 {
			t.Errorf("it requests %v of %s, above its limit %v", &least, name, &most)
		}
	}
	if len(c.VolumeMounts) != 1 {
		t.Fatalf("%d volumes are mounted", len(c.VolumeMounts))
	}
	if !slices.ContainsFunc(s.Template.Spec.Volumes, func(v corev1.Volume) bool {
		return v.Name == c.VolumeMounts[0].Name && v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName != ""
	}) {
		t.Errorf("no volume claim %q", c.VolumeMounts[0].Name)
	}
	return &job
}

// matrixSlice is how a step names its slice.
var matrixSlice = regexp.MustCompile(`\$\{\{ *matrix\.slice *\}\}`)

// The workflow is one that GitHub accepts, as far as actionlint knows, and its commands play all slices and report.
func TestGitHub(t *testing.T) {
	dir, whole := batchOf(t)
	text := emit(t, dir, "github")
	linter, err := actionlint.NewLinter(os.Stderr, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := linter.Lint("batch.yml", []byte(text), nil)
	if err != nil || len(wrong) > 0 {
		t.Fatalf("%v %v\n%s", wrong, err, text)
	}
	workflow, errs := actionlint.Parse([]byte(text))
	if errs != nil {
		t.Fatal(errs)
	}
	numbers := workflow.Jobs["slice"].Strategy.Matrix.Rows["slice"].Values
	if len(numbers) != numSlices {
		t.Fatalf("%d slices:\n%s", len(numbers), text)
	}
	// Each job has a machine of its own with the repository. The slices' results are uploaded, and the report downloads them.
	collected := filepath.Join(dir, "report", "repository")
	for _, n := range numbers {
		at := filepath.Join(dir, n.String(), "repository")
		runSteps(t, dir, at, workflow.Jobs["slice"], n.String())
		merge(t, filepath.Join(at, "results"), filepath.Join(collected, "results"))
	}
	runSteps(t, dir, collected, workflow.Jobs["report"], "")
	if read(t, filepath.Join(collected, "matches.csv")) != whole {
		t.Error("the workflow gives another report than one process")
	}
}

// runSteps runs the commands of a job in a folder that has the plan, as GitHub does. The program is there already.
func runSteps(t *testing.T, dir, at string, job *actionlint.Job, slice string) {
	t.Helper()
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, planFile), read(t, filepath.Join(dir, planFile)))
	ran := 0
	for _, step := range job.Steps {
		command, ok := step.Exec.(*actionlint.ExecRun)
		if !ok || strings.HasPrefix(command.Run.Value, "go install ") {
			continue
		}
		run(t, at, nil, "bash", "-e", "-c", matrixSlice.ReplaceAllString(command.Run.Value, slice))
		ran++
	}
	if ran == 0 {
		t.Fatalf("job %s has no commands", job.ID.Value)
	}
}

// merge copies the files of a folder into another one.
func merge(t *testing.T, from, into string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(into, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(read(t, path)), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sshHere stands in for ssh: it runs the command by a shell of its own, from the home folder. SHELL is set as by sshd:
// without it GNU parallel runs nothing and reports success.
const sshHere = `#!/bin/sh
while true; do
	case $1 in
	-l | -o) shift 2 ;;
	-*) shift ;;
	*) break ;;
	esac
done
echo "$1" >>"$HERE/hosts.used"
shift
[ "$1" != -- ] || shift
cd "$HOME" && export SHELL=/bin/sh && exec sh -c "$*"
`

// GNU parallel plays all slices on two machines.
func TestParallel(t *testing.T) {
	if _, err := exec.LookPath("parallel"); err != nil {
		t.Fatal("GNU parallel is missing: install Debian's package parallel")
	}
	dir, whole := batchOf(t)
	write(t, filepath.Join(dir, "slices.sh"), emit(t, dir, "parallel", "--dir", "the results"))
	write(t, filepath.Join(dir, "hosts.txt"), "one@first\ntwo@second\n")
	write(t, filepath.Join(dir, "ssh"), sshHere)
	env := []string{"PARALLEL_SSH=" + filepath.Join(dir, "ssh"), "HERE=" + dir, "HOME=" + t.TempDir()}
	run(t, dir, env, "sh", "slices.sh")
	if tableOf(t, dir, "the results") != whole {
		t.Error("GNU parallel gives another report than one process")
	}
	if used := read(t, filepath.Join(dir, "hosts.used")); !strings.Contains(used, "first") || !strings.Contains(used, "second") {
		t.Errorf("hosts used: %s", used)
	}
	if lines := strings.Count(read(t, filepath.Join(dir, "slices.log")), "\n"); lines != 1+numSlices {
		t.Errorf("the job log has %d lines", lines)
	}
}

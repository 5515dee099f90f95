package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"touchline/internal/batch"
	"touchline/internal/console"
)

// emitFlags are the flags of batch emit.
type emitFlags struct {
	plan   string // file
	name   string // of the plan
	dir    string
	slices int
	cores  int
	image  string
	limit  int // minutes of a slice
}

// emitters print the script of each system.
var emitters = map[string]func(*emitFlags) string{
	"slurm": (*emitFlags).slurm, "kubernetes": (*emitFlags).kubernetes, "github": (*emitFlags).github, "parallel": (*emitFlags).parallel,
}

func batchEmitCommand() *cobra.Command {
	f := emitFlags{image: "touchline"}
	c := &cobra.Command{
		Use:   "emit slurm|kubernetes|github|parallel PLAN",
		Short: "Print a job script that plays a plan in slices on a cluster",
		Long: `Emit prints a job that plays the slices of a plan on many machines: a Slurm array job, a Kubernetes indexed
Job, a GitHub Actions workflow, or a GNU parallel command line over ssh. All of them run touchline batch run: a slice
that is started twice, or restarted after its machine died, continues where it was. docs/batch.md shows each of them.

Slurm and GNU parallel need the plan and DIR on a file system that all machines share; Kubernetes needs both on a
volume.`,
		Example: `  touchline batch emit slurm plan.json --slices 24 --dir results >job.sh && sbatch job.sh
  touchline batch emit kubernetes plan.json --slices 24 --image registry.example/touchline >job.yaml`,
		ValidArgs: []string{"slurm", "kubernetes", "github", "parallel"},
		Args: console.Args(func(_ *cobra.Command, args []string) error {
			if len(args) != 2 || emitters[args[0]] == nil {
				return errors.New("batch emit needs a system and a plan, for example touchline batch emit slurm plan.json: " +
					"want slurm, kubernetes, github or parallel")
			}
			return nil
		}),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	set := c.Flags()
	set.IntVar(&f.slices, "slices", 0, "number of slices (default: each slice takes about ten minutes)")
	set.StringVar(&f.dir, "dir", "results", "folder of the results")
	set.IntVar(&f.cores, "cores", 1, "cores of each slice")
	set.StringVar(&f.image, "image", f.image, "container image that contains touchline, for kubernetes")
	console.Accept(set, "a whole number of at least 1, for example 24", "slices", "cores")
	return c
}

func (f *emitFlags) run(c *cobra.Command, args []string) error {
	plan, slower, err := openPlan(args[1])
	if err != nil {
		return err
	}
	f.plan, f.name = args[1], plan.Matrix.Name
	jobs := plan.Jobs()
	most := map[string]int{"slurm": 1000, "kubernetes": 10_000, "github": 256, "parallel": 10_000}[args[0]]
	total := batch.Total(jobs) * slower / float64(max(f.cores, 1))
	if f.slices == 0 {
		f.slices = min(max(1, int(total/600)), most, len(jobs))
	}
	switch {
	case f.slices < 1 || f.slices > most:
		return console.Usage(fmt.Errorf("--slices %d: want 1 to %d, which %s accepts by default", f.slices, most, args[0]))
	case f.cores < 1 || f.cores > 1024:
		return console.Usage(fmt.Errorf("--cores %d: want 1 to 1024", f.cores))
	}
	f.limit = 10 + int(3*total/float64(f.slices)/60) // with room for slower machines
	_, err = io.WriteString(c.OutOrStdout(), emitters[args[0]](f))
	return err
}

// shellWord returns a text as one word of a shell.
func shellWord(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:@%") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// label returns a name for systems that accept only some characters.
func label(name string) string {
	text := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name), "-")
	return strings.Trim("touchline-"+text[:min(len(text), 40)], "-")
}

// slurm returns the script of an array job.
func (f *emitFlags) slurm() string {
	return fmt.Sprintf(`#!/bin/sh
#SBATCH --job-name=%s
#SBATCH --array=1-%d
#SBATCH --cpus-per-task=%d
#SBATCH --time=%d
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%s-%%a.log
# A slice that is requeued, or whose node died, goes on where it was. Slurm accepts 1,000 slices unless MaxArraySize is larger.
exec touchline batch run %s --slice "$SLURM_ARRAY_TASK_ID/%d" --dir %s --cores %d --yes
`, label(f.name), f.slices, f.cores, f.limit, label(f.name), shellWord(f.plan), f.slices, shellWord(f.dir), f.cores)
}

// parallel returns a command line of GNU parallel.
func (f *emitFlags) parallel() string {
	return fmt.Sprintf(`#!/bin/sh
# hosts.txt holds a line "user@host" for each machine, all of which see this folder. Without --sshloginfile it plays here.
seq %d | parallel --jobs 1 --sshloginfile hosts.txt --workdir . --joblog slices.log --resume-failed --retries 3 \
	touchline batch run %s --slice {}/%d --dir %s --yes
`, f.slices, shellWord(shellWord(f.plan)), f.slices, shellWord(shellWord(f.dir)))
}

// kubernetes returns an indexed Job.
func (f *emitFlags) kubernetes() string {
	plan, dir := "/batch/"+filepath.Base(f.plan), "/batch/"+filepath.Base(f.dir)
	return fmt.Sprintf(`# The claim touchline-batch is a volume that all pods may write at a time (ReadWriteMany), with the plan in it.
# backoffLimitPerIndex needs Kubernetes 1.33, or 1.29 with its beta.
apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  completionMode: Indexed
  completions: %d
  parallelism: %d
  backoffLimitPerIndex: 3
  activeDeadlineSeconds: %d
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: touchline
          image: %s
          command: ["touchline", "batch", "run", %s, "--slices", "%d", "--dir", %s, "--cores", "%d", "--yes"]
          resources:
            requests: {cpu: "%d", memory: 512Mi}
            limits: {cpu: "%d", memory: 2Gi}
          volumeMounts:
            - name: batch
              mountPath: /batch
      volumes:
        - name: batch
          persistentVolumeClaim:
            claimName: touchline-batch
`, label(f.name), f.slices, f.slices, 60*f.limit*f.slices, strconv.Quote(f.image), strconv.Quote(plan), f.slices, strconv.Quote(dir),
		f.cores, f.cores, f.cores)
}

// github returns a workflow.
func (f *emitFlags) github() string {
	var numbers []string
	for n := range f.slices {
		numbers = append(numbers, strconv.Itoa(n+1))
	}
	run := fmt.Sprintf("touchline batch run ../plan.json --slice ${{ matrix.slice }}/%d --dir results --yes", f.slices)
	return fmt.Sprintf(`# .github/workflows/batch.yml: the plan is a file of the repository. It is planned again for the program of this commit.
name: %s
on: workflow_dispatch
jobs:
  slice:
    runs-on: ubuntu-latest
    timeout-minutes: %d
    strategy:
      fail-fast: false
      matrix:
        slice: [%s]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-go@v5
        with:
          go-version-file: go.mod
      - run: go install ./cmd/touchline
      - run: %s
      - run: %s
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: slice-${{ matrix.slice }}
          path: results
  report:
    needs: slice
    if: always()
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-go@v5
        with:
          go-version-file: go.mod
      - run: go install ./cmd/touchline
      - uses: actions/download-artifact@v4
        with:
          pattern: slice-*
          path: results
          merge-multiple: true
      - run: touchline batch report results -o report.html --csv matches.csv
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: report
          path: |
            report.html
            matches.csv
`, strconv.Quote("batch "+f.name), f.limit, strings.Join(numbers, ", "),
		strconv.Quote("touchline batch plan "+shellWord(f.plan)+" -o ../plan.json"), strconv.Quote(run))
}

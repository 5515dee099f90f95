// Package batchnet plays the jobs of a batch on the cores of this machine, and keeps plans and results in a folder. It is
// apart from package batch, whose results do not depend on cores, files or clocks.
package batchnet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"touchline/internal/batch"
)

// planName is the name of the plan in a folder.
const planName = "plan.json"

// Folder holds a plan and its results: ab/ID.json for a job whose id begins with ab. Any number of programs, also on other
// machines, may write into one folder at a time.
//
// A result is written to a temporary file, which is synchronised and renamed: a file with a result's name is whole, unless
// the disk damaged it, and it is there when Put returns, also after a power failure.
type Folder struct{ Path string }

// OpenFolder opens the folder of results of a plan, and creates it with the plan. The error says that the folder belongs to
// another plan, or why it cannot be written.
func OpenFolder(path string, plan *batch.Plan) (*Folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	f := &Folder{path}
	was, err := ReadFile(f.planPath(), batch.MaxPlan)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, f.write(f.planPath(), plan.Text())
	case err != nil:
		return nil, err
	case !bytes.Equal(was, plan.Text()):
		return nil, fmt.Errorf("%s holds results of another plan (%s): name another folder", path, f.planPath())
	}
	return f, nil
}

func (f *Folder) planPath() string { return filepath.Join(f.Path, planName) }

// ReadPlan reads a plan: path is its file, or a folder of results.
func ReadPlan(path string) (*batch.Plan, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, planName)
	}
	b, err := ReadFile(path, batch.MaxPlan)
	if err != nil {
		return nil, err
	}
	plan, err := batch.ParsePlan(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return plan, nil
}

// ReadFile reads a file of at most most bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return b, err
}

// path returns the path of the result of a job.
func (f *Folder) path(id string) string { return filepath.Join(f.Path, id[:2], id+".json") }

// Get returns the result of a job; nil without one. The error says that the file is torn, damaged, or of another program.
func (f *Folder) Get(plan *batch.Plan, job *batch.Job) (*batch.Result, error) {
	path := f.path(job.ID)
	b, err := ReadFile(path, batch.MaxResult)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := batch.ParseResult(b)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case !plan.Answers(job, r):
		return nil, fmt.Errorf("%s: this is the result of another job", path)
	}
	return r, nil
}

// Missing returns those of the jobs that have no result, a damaged one, or one whose program failed. told hears of each job: how many were looked at,
// and what is wrong with a result, nil if nothing is.
func (f *Folder) Missing(plan *batch.Plan, jobs []batch.Job, told func(n int, damage error)) (missing []batch.Job) {
	for i := range jobs {
		r, err := f.Get(plan, &jobs[i])
		if r == nil || r.Outside {
			missing = append(missing, jobs[i])
		}
		told(i+1, err)
	}
	return missing
}

// Put writes the result of a job. It may be called from any goroutine.
func (f *Folder) Put(r *batch.Result) error { return f.write(f.path(r.ID), r.Text()) }

// write writes a file as a whole or not at all, and waits until it is on the disk.
func (f *Folder) write(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := f.makeDir(dir); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, "."+strings.TrimSuffix(filepath.Base(path), ".json")+"-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err == nil {
		err = temp.Chmod(0o644)
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s is not written: %w", path, err), os.Remove(temp.Name()))
	}
	return syncDir(dir)
}

// makeDir makes the folder of a file, and waits until the disk knows it.
func (f *Folder) makeDir(dir string) error {
	switch err := os.Mkdir(dir, 0o755); {
	case err == nil:
		return syncDir(f.Path)
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	return nil
}

// Stray returns the files below the folder, at most most, that are no results of these jobs: left by a program that was
// killed while it wrote, or put there by somebody else.
func (f *Folder) Stray(jobs []batch.Job, most int) (stray []string, err error) {
	known := make(map[string]bool, len(jobs))
	for i := range jobs {
		known[f.path(jobs[i].ID)] = true
	}
	err = filepath.WalkDir(f.Path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || known[path] || path == f.planPath() {
			return err
		}
		if stray = append(stray, path); len(stray) == most {
			return fs.SkipAll
		}
		return nil
	})
	return stray, err
}

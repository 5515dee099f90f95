package batchnet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"touchline/internal/batch"
	"touchline/internal/match"
	"touchline/internal/match/programnet"
)

// NewPlan returns the plan of a matrix whose files of state machines are in a folder, where programs run, too. read reads
// the former; nil: from the folder.
func NewPlan(m batch.Matrix, program batch.Program, folder string, read func(string) ([]byte, error)) (*batch.Plan, error) {
	if read == nil {
		read = func(path string) ([]byte, error) {
			if !filepath.IsAbs(path) {
				path = filepath.Join(folder, path)
			}
			return os.ReadFile(path)
		}
	}
	plan, err := batch.NewPlan(m, program, read)
	if err != nil {
		return nil, err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, err
	}
	return plan, plan.Locate(folder, sums(folder))
}

// CheckPrograms returns an error that names a file of a program that is not the one that was planned.
func CheckPrograms(plan *batch.Plan) error { return plan.Changed(sums(plan.Folder)) }

// sums returns what hashes the files of a folder. Files elsewhere, folders and devices are none.
func sums(folder string) func(path string) (string, error) {
	return func(path string) (string, error) {
		if filepath.IsAbs(path) {
			return "", nil
		}
		path = filepath.Join(folder, path)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return "", fmt.Errorf("%s: %w", path, batch.ErrNoFile)
		}
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer file.Close()
		h := sha256.New()
		if _, err := io.Copy(h, file); err != nil {
			return "", err
		}
		return hex.EncodeToString(h.Sum(nil)), nil
	}
}

// opener returns what starts the programs of a match of a plan. They end with ctx.
func opener(ctx context.Context, plan *batch.Plan) batch.Opener {
	return func(cfg *match.MatchConfig, tap *match.Tap) (func(), error) {
		if err := CheckPrograms(plan); err != nil {
			return nil, err
		}
		programs, err := programnet.Start(ctx, programnet.Config{Dir: plan.Folder}, cfg)
		if err != nil {
			return nil, err
		}
		programs.Tap(tap)
		return programs.Close, nil
	}
}

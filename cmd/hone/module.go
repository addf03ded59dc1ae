package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
	"github.com/hone-go/hone/internal/tune"
)

// runsRoot returns the folder of this module's runs, next to its go.mod. Outside of a
// module, it is in the current folder.
func runsRoot() string { return filepath.Join(moduleDir(), ".hone", "runs") }

// moduleDir returns the nearest folder with a go.mod or go.work, like advisor.ModuleOf, as
// a short relative path; "." outside of a module.
func moduleDir() string {
	at, err := os.Getwd()
	if err != nil {
		return "."
	}
	for dir := "."; ; dir = filepath.Join("..", dir) {
		for _, name := range []string{"go.mod", "go.work"} {
			if infile.Exists(filepath.Join(dir, name)) {
				return dir
			}
		}
		up := filepath.Dir(at)
		if up == at {
			return "."
		}
		at = up
	}
}

// sweep removes leftovers of a killed hone from the temporary directory and the module.
func sweep() {
	temporary.SweepTemp()
	dir := moduleDir()
	for _, name := range []string{"go.mod", "go.work"} {
		if infile.Exists(filepath.Join(dir, name)) { // without a module, the folder may be a home directory
			temporary.SweepTree(dir)
			return
		}
	}
}

// adviceStore is where advice is kept.
func adviceStore() tune.Store { return tune.Store{Dir: filepath.Join(moduleDir(), ".hone", "advice")} }

// readObjectives reads a file with objectives, by default the module's.
func readObjectives(ctx context.Context, file string) ([]objective.Objective, string, error) {
	given := file != ""
	if !given {
		file = filepath.Join(moduleDir(), objective.FileName)
	}
	text, err := infile.ReadFile(ctx, file, objective.MaxFile)
	if errors.Is(err, fs.ErrNotExist) && !given {
		return nil, "", fmt.Errorf("no %s in this module: write one (https://github.com/hone-go/hone/blob/main/doc/objectives.md), or name another file with -config FILE", objective.FileName)
	} else if err != nil {
		return nil, "", err
	}
	objectives, err := objective.Parse(file, text)
	if err != nil {
		return nil, "", errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if len(objectives) == 0 {
		return nil, "", fmt.Errorf("%s has no objectives: add an [[objective]] section", file)
	}
	return objectives, file, nil
}

// ownObjectives reads the module's objectives, if it has any.
func ownObjectives(ctx context.Context) ([]objective.Objective, error) {
	file := filepath.Join(moduleDir(), objective.FileName)
	text, err := infile.ReadFile(ctx, file, objective.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return objective.Parse(file, text)
}

// moduleObjectives returns the objectives of this module, or nil if there are none or they
// can't be read, which hone check reports.
func moduleObjectives(ctx context.Context) []objective.Objective {
	objectives, err := ownObjectives(ctx)
	if err != nil {
		return nil
	}
	return objectives
}

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "run.json"))
	return err == nil
}

// thisModule returns the module of the current folder.
func thisModule() (*advisor.Module, error) {
	dir, err := os.Getwd()
	return &advisor.Module{Dir: dir, Store: adviceStore()}, err
}

package main

import (
	"context"
	"os"
	"path/filepath"

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

// moduleObjectives returns the objectives of this module, or nil if there are none or they
// can't be read, which hone check reports.
func moduleObjectives(ctx context.Context) []objective.Objective {
	objectives, err := objective.ReadOwn(ctx, moduleDir())
	if err != nil {
		return nil
	}
	return objectives
}

// thisModule returns the module of the current folder.
func thisModule() (*advisor.Module, error) {
	dir, err := os.Getwd()
	return &advisor.Module{Dir: dir, Store: adviceStore()}, err
}

package gocmd

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// A ModFile is what a go.mod or go.work says about modules in other folders.
type ModFile struct {
	Use     []struct{ DiskPath string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

// ReadModFile reads a go.mod or go.work.
func ReadModFile(ctx context.Context, file string) (*ModFile, error) {
	kind := "mod"
	if filepath.Ext(file) == ".work" {
		kind = "work"
	}
	out, err := Command{Args: []string{kind, "edit", "-json", file}}.Output(ctx)
	if err != nil {
		return nil, err
	}
	m := new(ModFile)
	if err := json.Unmarshal(out, m); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// A Replacement is a folder that stands in for a module.
type Replacement struct {
	Path string // of the module that it replaces
	Dir  string // as the file says, with slashes: absolute, or relative to the file's folder
}

// Replacements returns the folders that stand in for modules.
func (m *ModFile) Replacements() []Replacement {
	var all []Replacement
	for _, r := range m.Replace {
		if r.New.Version == "" {
			all = append(all, Replacement{r.Old.Path, r.New.Path})
		}
	}
	return all
}

package objective

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// Read returns the objectives in a file, and the name of the file. If no file is given, it
// reads that of the module in dir, which must have one. Problems are reported on one line.
func Read(ctx context.Context, dir, file string) ([]Objective, string, error) {
	given := file != ""
	if !given {
		file = filepath.Join(dir, FileName)
	}
	text, err := infile.ReadFile(ctx, file, MaxFile)
	if errors.Is(err, fs.ErrNotExist) && !given {
		return nil, "", fmt.Errorf("no %s in this module: write one (https://github.com/hone-go/hone/blob/main/doc/objectives.md), or name another file with -config FILE", FileName)
	} else if err != nil {
		return nil, "", err
	}
	objectives, err := Parse(file, text)
	if err != nil {
		return nil, "", errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if len(objectives) == 0 {
		return nil, "", fmt.Errorf("%s has no objectives: add an [[objective]] section", file)
	}
	return objectives, file, nil
}

// ReadOwn returns the objectives of the module in dir, or none if it has no file.
func ReadOwn(ctx context.Context, dir string) ([]Objective, error) {
	file := filepath.Join(dir, FileName)
	text, err := infile.ReadFile(ctx, file, MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return Parse(file, text)
}

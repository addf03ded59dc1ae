package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/infile"
)

// IsRun reports whether a folder is a kept run.
func IsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, infoFile))
	return err == nil
}

// Open reads a run directory. Every file of a complete run has to be as it was
// written; a *CorruptError tells which one is not. Of a partial run, whatever
// is there is read.
func Open(ctx context.Context, dir string) (*Run, error) {
	r, err := read(ctx, dir)
	if err == nil {
		err = checkSums(ctx, dir, &r.Info)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// read is Open without the check of sums.
func read(ctx context.Context, dir string) (*Run, error) {
	info, _, err := readInfo(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &Run{Info: *info, Dir: dir, results: make(map[part][]Result), units: make(benchfmt.UnitMetadataMap)}
	for _, p := range info.parts() {
		m, err := readResults(ctx, dir, info, p)
		if err != nil {
			return nil, err
		}
		if len(m.results) > 0 {
			r.results[p] = m.results
		}
		maps.Copy(r.units, m.units)
		r.Problems = append(r.Problems, m.problems...)
	}
	files, problems, err := findProfiles(dir)
	if err != nil {
		return nil, err
	}
	r.files, r.Problems = files, append(r.Problems, problems...)
	return r, nil
}

// Bounds of run.json. A run of 1000 benchmarks with three profiles each has one of 0.8 MB
// with 10,000 values.
const (
	maxInfoFile   = 4 << 20
	maxInfoValues = 200_000
	sumText       = 100 // of a file in run.json, beside its name
)

// readInfo reads run.json. kept is about how much of its text, in bytes, a list keeps, which
// leaves out the sums of files.
func readInfo(ctx context.Context, dir string) (info *Info, kept int, err error) {
	file := filepath.Join(dir, infoFile)
	text, err := infile.ReadFile(ctx, file, maxInfoFile)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, &CorruptError{file, 0, -1, fmt.Errorf("not a run: %w", fs.ErrNotExist)}
		}
		return nil, 0, unread(file, err)
	}
	if n := bytes.Count(text, []byte(",")); n > maxInfoValues {
		return nil, 0, &CorruptError{file, 0, -1, fmt.Errorf("has more than %d values: damaged, or not written by hone", maxInfoValues)}
	}
	at := func(err error) error { return corruptAt(file, text, 0, err) }
	info = new(Info)
	if err := unmarshal(file, text, info); err != nil {
		return nil, 0, err
	}
	switch {
	case info.Schema == 0:
		return nil, 0, at(errors.New("has no schema version: not a run, or damaged"))
	case info.Schema > SchemaVersion:
		return nil, 0, at(fmt.Errorf("schema version %d is newer than %d, which this hone knows: update hone", info.Schema, SchemaVersion))
	case info.State != Partial && info.State != Complete:
		return nil, 0, at(fmt.Errorf("unknown state %q", info.State))
	case info.ID == "":
		return nil, 0, at(errors.New("the run has no id"))
	}
	kept = len(text)
	for name := range info.Files {
		kept -= len(name) + sumText
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, 0, at(fmt.Errorf("file %q is outside the run", name))
		}
	}
	return info, max(0, kept), nil
}

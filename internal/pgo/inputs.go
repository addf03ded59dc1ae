package pgo

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/profile"
)

// A Reader reads the profiles that a command line names: files, URLs, profiles of kept runs,
// and whole runs.
type Reader struct {
	Runs string // the folder of kept runs
	// Profile finds a profile of a run. It returns nil if the source names something else.
	Profile func(ctx context.Context, source string) (*RunProfile, error)
	// Load reads a file or URL.
	Load func(ctx context.Context, file string) (*profile.Profile, error)
	// Skipped is told about newer runs that latest skipped, a sentence for each.
	Skipped func(sentences []string)
}

// A RunProfile is a profile of a kept run.
type RunProfile struct {
	Name    string // with the run's id instead of latest
	File    string
	Skipped []string // a sentence for each newer run that latest skipped
}

// Inputs returns the profiles of all sources, in their order.
func (r *Reader) Inputs(ctx context.Context, sources []string) ([]Input, error) {
	var inputs []Input
	for _, source := range sources {
		if run := r.wholeRun(ctx, source); run != nil {
			r.Skipped(run.Skipped)
			some, err := OfRun(run, func(file string) (*profile.Profile, error) { return r.Load(ctx, file) })
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, some...)
			continue
		}
		input, err := r.input(ctx, source)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	return inputs, nil
}

// wholeRun returns the run that a source names, or nil if it names something else.
func (r *Reader) wholeRun(ctx context.Context, source string) *experiment.Run {
	if source == "-" || strings.Contains(source, "://") || infile.Exists(source) && !experiment.IsRun(source) {
		return nil
	}
	run, err := experiment.Find(ctx, r.Runs, strings.TrimSuffix(source, ":"), FromRun)
	if err != nil {
		return nil
	}
	return run
}

// input reads a single profile.
func (r *Reader) input(ctx context.Context, source string) (Input, error) {
	found, err := r.Profile(ctx, source)
	if err != nil {
		return Input{}, err
	}
	file, name := source, source
	switch {
	case found != nil:
		r.Skipped(found.Skipped)
		file, name = found.File, found.Name
	case !strings.Contains(source, "://"):
		name = filepath.Base(source) // the same on another machine
	}
	p, err := r.Load(ctx, file)
	return Input{Profile: p, Source: name}, err
}

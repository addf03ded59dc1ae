package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// A source RUN:Benchmark/kind is a profile of a kept run. Other meanings of a source are
// older, so they are tried in this order:
//
//  1. "-", and existing files;
//  2. anything with "://" in it: a URL;
//  3. the shortest text before a colon that names a run. The colon may belong to a path
//     (C:\runs\x:Parse/cpu), and names of benchmarks may have colons too
//     (latest:Parse/a:b/cpu);
//  4. everything else: localhost:6060, or a missing file.
//
// Ids start with the year, so hosts and drive letters don't name runs by accident. A host
// may be called latest: latest:6060 is the host if the run has no such profile.

// A runSource is a source that names a profile of a run.
type runSource struct {
	name string // with the run's id instead of latest
	file string
	// skipped has a sentence for each newer run that latest skipped.
	skipped []string
}

// findRunSource returns the profile of a run that a source names, or nil if it doesn't
// name one.
func findRunSource(ctx context.Context, source string) (*runSource, error) {
	if source == "-" || strings.Contains(source, "://") {
		return nil, nil
	}
	if info, err := os.Stat(source); err == nil {
		if info.IsDir() && experiment.IsRun(source) {
			return nil, whichProfile(ctx, source, source)
		}
		return nil, nil
	}
	root := runsRoot()
	for i := range len(source) {
		if source[i] != ':' {
			continue
		}
		name, rest := source[:i], source[i+1:]
		run, err := experiment.Find(ctx, root, name, needs(rest))
		if errors.As(err, new(*experiment.NoRunError)) {
			if port.MatchString(rest) || !compare.IsRunName(name) && !infile.IsDir(name) {
				continue
			}
			// The error can then list the profiles of the newest run.
			if newest, e := experiment.Find(ctx, root, name, needs("")); e == nil {
				run, err = newest, nil
			}
		}
		if err != nil {
			return nil, err
		}
		if rest == "" {
			return nil, whichProfile(ctx, name, run.Dir)
		}
		f, err := run.Profile(rest)
		if err != nil {
			if port.MatchString(rest) {
				return nil, nil
			}
			if len(run.Skipped) > 0 {
				err = fmt.Errorf("%w; %s", err, strings.Join(run.Skipped, "; "))
			}
			return nil, err
		}
		if filepath.Dir(run.Dir) == filepath.Clean(root) {
			name = run.ID
		}
		return &runSource{name + ":" + run.ProfileName(f), f.Path, run.Skipped}, nil
	}
	if run, err := experiment.Find(ctx, root, source, needs("")); err == nil {
		return nil, whichProfile(ctx, source, run.Dir)
	} else if compare.IsRunName(source) {
		return nil, err
	}
	return nil, nil
}

// needs is what latest must have for a source: the profile, or any profile for "".
func needs(name string) experiment.Need {
	if name == "" {
		return experiment.Need{What: "profiles", In: func(r *experiment.Run) bool { return len(r.Profiles()) > 0 }}
	}
	return experiment.Need{What: "profile " + name, In: func(r *experiment.Run) bool {
		_, err := r.Profile(name)
		return err == nil
	}}
}

var port = lazyregexp.New(`^\d{1,5}(/|$)`)

// whichProfile returns the error for a run where one profile is needed.
func whichProfile(ctx context.Context, name, dir string) error {
	run, err := experiment.Open(ctx, dir)
	if err != nil {
		return err
	}
	profiles := run.Profiles()
	if len(profiles) == 0 {
		return fmt.Errorf("run %s has no profiles: record them with hone bench -profile cpu,mem", name)
	}
	var some []string
	for _, f := range profiles[:min(3, len(profiles))] {
		some = append(some, name+":"+run.ProfileName(f))
	}
	if len(profiles) > 3 {
		some = append(some, "…")
	}
	return fmt.Errorf("%s is a run: name one of its profiles, such as %s", name, strings.Join(some, ", "))
}

// runFiles replaces names of runs' profiles in sources by their files.
func runFiles(ctx context.Context, a *app, sources []string) ([]string, error) {
	files := make([]string, len(sources))
	var told []string // of what latest skipped, once for all sources
	for i, s := range sources {
		files[i] = s
		found, err := findRunSource(ctx, s)
		if err != nil {
			return nil, err
		}
		if found != nil {
			files[i] = found.file
			told = a.warnOnce(told, found.skipped)
		}
	}
	return files, nil
}

// runDirectories is for verbs that take directories: it replaces runs by their directories,
// and profiles of runs by names that will mean the same later.
func runDirectories(ctx context.Context, a *app, sources []string) ([]string, error) {
	named := make([]string, len(sources))
	var told []string // of what latest skipped, once for all sources
	for i, s := range sources {
		named[i] = s
		if infile.IsDir(s) {
			continue
		}
		if _, err := os.Stat(s); errors.Is(err, os.ErrNotExist) && !strings.Contains(s, "://") && s != "" {
			if dir, skipped, err := experiment.Resolve(ctx, runsRoot(), strings.TrimSuffix(s, ":")); err == nil {
				named[i] = dir
				told = a.warnOnce(told, skipped)
				continue
			}
		}
		found, err := findRunSource(ctx, s)
		if err != nil {
			return nil, err
		}
		if found != nil {
			named[i] = found.name
			told = a.warnOnce(told, found.skipped)
		}
	}
	return named, nil
}

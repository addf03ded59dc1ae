package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Entry is a run in a list.
type Entry struct {
	ID      string
	Dir     string
	Created time.Time
	State   State
	Info    *Info // nil if corrupt
	Err     error // why it is corrupt
}

// Bounds of what a list keeps: run.json files that are larger than usual have maxListed
// bytes together, without the sums of their files. All others have what hone writes.
const (
	usualInfo = 64 << 10
	maxListed = 32 << 20
)

// List returns the runs below root, newest first. Only run.json is read: a run
// listed as complete may still fail to open. A folder without one is listed as
// corrupt, and so is one whose run.json is too large, or of no regular file: one bad run
// takes nothing from the others. No root means no runs.
func List(ctx context.Context, root string) ([]Entry, error) {
	folders, err := os.ReadDir(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var entries []Entry
	kept := 0
	for _, f := range slices.Backward(folders) { // by name, which is by time
		if !f.IsDir() || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		e := Entry{ID: f.Name(), Dir: filepath.Join(root, f.Name())}
		if kept > maxListed {
			e.State, e.Created = Corrupt, timeOf(f)
			e.Err = fmt.Errorf("%s was not read: the run.json files of newer runs have more than %d MiB: remove some (hone runs rm)", e.Dir, maxListed>>20)
			entries = append(entries, e)
			continue
		}
		info, size, err := readInfo(ctx, e.Dir)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && info.ID != e.ID {
			err = &CorruptError{filepath.Join(e.Dir, infoFile), 0, -1, fmt.Errorf("belongs to run %s: the folder was renamed", info.ID)}
		}
		if err != nil {
			e.State, e.Err = Corrupt, err
			e.Created = timeOf(f)
		} else {
			kept += max(0, size-usualInfo)
			info.Files = nil // most of its memory, and for Open alone
			e.State, e.Created, e.Info = info.State, info.Created, info
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		if c := b.Created.Compare(a.Created); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return entries, nil
}

// timeOf guesses when a run whose run.json is unreadable was made: from its
// name, else from the file system.
func timeOf(f fs.DirEntry) time.Time {
	const layout = "20060102-150405"
	if name := f.Name(); len(name) >= len(layout) {
		if t, err := time.Parse(layout, name[:len(layout)]); err == nil {
			return t
		}
	}
	if info, err := f.Info(); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// Resolve returns the directory of the run that a name means:
//
//	latest      the newest complete run; latest~1 the one before it
//	20261121-1  a prefix of an id, if only one run has it
//	./runs/x    a path, if it leads to a directory with a run.json
//
// A path has a separator, or is the name of such a directory. skipped says which newer
// runs latest skipped.
func Resolve(ctx context.Context, root, name string) (dir string, skipped []string, err error) {
	if back, ok := latestBack(name); ok {
		return resolveLatest(ctx, root, name, back)
	}
	dir, err = resolveNamed(ctx, root, name)
	return dir, nil, err
}

func resolveNamed(ctx context.Context, root, name string) (string, error) {
	if name == "" {
		return "", errors.New("no run named; try latest")
	}
	if _, err := os.Stat(filepath.Join(name, infoFile)); err == nil {
		return name, nil
	}
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return "", fmt.Errorf("%s is not a run: it has no %s", name, infoFile)
	}
	entries, err := List(ctx, root)
	if err != nil {
		return "", err
	}
	var found []Entry
	for _, e := range entries {
		if e.ID == name {
			return e.Dir, nil
		}
		if strings.HasPrefix(e.ID, name) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no run %q in %s: hone runs lists them", name, root)
	case 1:
		return found[0].Dir, nil
	}
	ids := make([]string, 0, 4)
	for _, e := range found[:min(3, len(found))] {
		ids = append(ids, e.ID)
	}
	if len(found) > 3 {
		ids = append(ids, "…")
	}
	return "", fmt.Errorf("%d runs begin with %q: %s", len(found), name, strings.Join(ids, ", "))
}

func latestBack(name string) (int, bool) {
	rest, ok := strings.CutPrefix(name, "latest")
	if !ok || rest == "" {
		return 0, ok
	}
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "~"))
	return n, err == nil && rest[0] == '~' && n >= 0
}

// A Need is what a run must have for a verb to use it. The zero Need is nothing.
type Need struct {
	What string // "profiles"
	In   func(*Run) bool
}

// A NoRunError says that a name means no run.
type NoRunError struct{ err error }

func (e *NoRunError) Error() string { return e.err.Error() }
func (e *NoRunError) Unwrap() error { return e.err }

// Find opens the run that a name means, as Resolve does, but latest counts only the runs
// that have what is needed: latest~1 is the second newest of these. Partial and damaged runs
// are skipped as well. The Skipped of the run says which, and why.
//
// A name that means no run is a *NoRunError.
func Find(ctx context.Context, root, name string, need Need) (*Run, error) {
	back, latest := latestBack(name)
	if !latest || need.In == nil {
		dir, skipped, err := Resolve(ctx, root, name)
		if err != nil {
			return nil, &NoRunError{err}
		}
		run, err := Open(ctx, dir)
		if err == nil {
			run.Skipped = skipped
		}
		return run, err
	}
	entries, err := List(ctx, root)
	if err != nil {
		return nil, &NoRunError{err}
	}
	var skipped, damaged []string
	found, complete := 0, 0
	for _, e := range entries {
		if e.State == Partial {
			continue
		}
		run, err := (*Run)(nil), e.Err
		if e.State == Complete {
			complete++
			run, err = read(ctx, e.Dir)
		}
		has := err == nil && need.In(run)
		if has { // the sums of the others don't matter
			err = checkSums(ctx, e.Dir, &run.Info)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			damaged = append(damaged, fmt.Sprintf("%s skips run %s: it is damaged: %v", name, e.ID, err))
			skipped = append(skipped, damaged[len(damaged)-1])
		case !has:
			skipped = append(skipped, fmt.Sprintf("%s skips run %s: it has no %s", name, e.ID, need.What))
		case found == back:
			run.Skipped = append(skipped, skippedPartial(name, entries, e.ID)...)
			return run, nil
		default:
			found++
		}
	}
	switch {
	case complete == 0 && len(skipped) == 0:
		err = noComplete(root, entries)
	case found == 0:
		err = fmt.Errorf("%s: no run in %s has %s", name, root, need.What)
	case found == 1:
		err = fmt.Errorf("%s: only one run in %s has %s", name, root, need.What)
	default:
		err = fmt.Errorf("%s: only %d runs in %s have %s", name, found, root, need.What)
	}
	if partial := partialRun(entries); partial != "" && complete > 0 {
		err = fmt.Errorf("%w; %s is partial; give its name to use it", err, partial)
	}
	if len(damaged) > 0 {
		err = fmt.Errorf("%w; %s", err, strings.Join(damaged, "; "))
	}
	return nil, &NoRunError{err}
}

// noComplete says that a folder has no complete run, and how to use the newest of the others.
func noComplete(root string, entries []Entry) error {
	for _, e := range entries {
		if e.State == Partial {
			return fmt.Errorf("no complete run in %s: the newest, %s, is partial; give its name instead of latest to use it", root, e.ID)
		}
	}
	return fmt.Errorf("no complete run in %s", root)
}

// partialRun names the newest partial run, and says so if it is newer than all complete ones;
// "" if there is none.
func partialRun(entries []Entry) string {
	newer := "the newer "
	for _, e := range entries {
		switch e.State {
		case Partial:
			return newer + e.ID
		case Complete:
			newer = "run "
		}
	}
	return ""
}

// skippedPartial says that partial runs are newer than the one that was found; nil if none is.
// Their results may be those that somebody means by latest.
func skippedPartial(name string, entries []Entry, found string) []string {
	var newest string
	more := 0
	for _, e := range entries {
		switch {
		case e.ID == found && newest == "":
			return nil
		case e.ID == found && more == 0:
			return []string{fmt.Sprintf("%s is run %s: the newer %s is partial; give its name to use it", name, found, newest)}
		case e.ID == found:
			return []string{fmt.Sprintf("%s is run %s: the newer %s and %d more are partial; give their names to use them", name, found, newest, more)}
		case e.State != Partial:
		case newest == "":
			newest = e.ID
		default:
			more++
		}
	}
	return nil
}

func resolveLatest(ctx context.Context, root, name string, back int) (dir string, skipped []string, err error) {
	entries, err := List(ctx, root)
	if err != nil {
		return "", nil, err
	}
	complete := 0
	for _, e := range entries {
		if e.State != Complete {
			continue
		}
		if complete == back {
			return e.Dir, skippedPartial(name, entries, e.ID), nil
		}
		complete++
	}
	if complete == 0 {
		return "", nil, noComplete(root, entries)
	}
	return "", nil, fmt.Errorf("%s: only %d complete runs in %s", name, complete, root)
}

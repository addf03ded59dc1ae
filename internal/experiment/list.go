package experiment

import (
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

// List returns the runs below root, newest first. Only run.json is read: a run
// listed as complete may still fail to open. A folder without one is listed as
// corrupt. No root means no runs.
func List(root string) ([]Entry, error) {
	folders, err := os.ReadDir(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var entries []Entry
	for _, f := range folders {
		if !f.IsDir() || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		e := Entry{ID: f.Name(), Dir: filepath.Join(root, f.Name())}
		info, err := readInfo(e.Dir)
		if err == nil && info.ID != e.ID {
			err = &CorruptError{filepath.Join(e.Dir, infoFile), 0, -1, fmt.Errorf("is of run %s: the folder was renamed", info.ID)}
		}
		if err != nil {
			e.State, e.Err = Corrupt, err
			e.Created = timeOf(f)
		} else {
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
// A path has a separator, or is the name of such a directory.
func Resolve(root, name string) (string, error) {
	if name == "" {
		return "", errors.New("no run named; try latest")
	}
	if back, ok := latestBack(name); ok {
		return resolveLatest(root, name, back)
	}
	if _, err := os.Stat(filepath.Join(name, infoFile)); err == nil {
		return name, nil
	}
	if strings.ContainsAny(name, `/\`) || name == "." || name == ".." {
		return "", fmt.Errorf("%s is not a run: it has no %s", name, infoFile)
	}
	entries, err := List(root)
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

func resolveLatest(root, name string, back int) (string, error) {
	entries, err := List(root)
	if err != nil {
		return "", err
	}
	complete := 0
	for _, e := range entries {
		if e.State != Complete {
			continue
		}
		if complete == back {
			return e.Dir, nil
		}
		complete++
	}
	if complete == 0 {
		return "", fmt.Errorf("no complete run in %s", root)
	}
	return "", fmt.Errorf("%s: only %d complete runs in %s", name, complete, root)
}

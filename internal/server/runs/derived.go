package runs

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/hone-go/hone/internal/experiment"
)

// maxRuns is how many of the newest runs a request can ask for.
const maxRuns = 5000

// A derived caches values computed from runs until the runs' files change. The files
// are large and slow to read, the values small. It is safe for concurrent use.
type derived[T any] struct {
	mu   sync.Mutex
	runs map[string]keptValue[T] // by directory
}

type keptValue[T any] struct {
	stamp string
	value T
}

// of returns the value of a run: the cached one if none of the run's files has
// changed since, or else the result of made, which is cached unless it is an error.
// besides identifies anything else that the value depends on.
func (d *derived[T]) of(e experiment.Entry, besides string, made func() (T, error)) (T, error) {
	stamp, err := stampOf(e.Dir)
	if err != nil {
		var none T
		return none, err
	}
	stamp += besides
	d.mu.Lock()
	known, ok := d.runs[e.Dir]
	d.mu.Unlock()
	if ok && known.stamp == stamp {
		return known.value, nil
	}
	// The stamp is taken before reading, so a change in the meantime is noticed next time.
	value, err := made()
	if err != nil {
		return value, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.runs == nil {
		d.runs = make(map[string]keptValue[T])
	}
	d.runs[e.Dir] = keptValue[T]{stamp, value}
	return value, nil
}

// forget drops values of runs that aren't among the newest maxRuns.
func (d *derived[T]) forget(entries []experiment.Entry) {
	there := make(map[string]bool)
	for _, e := range entries[:min(len(entries), maxRuns)] {
		there[e.Dir] = true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for dir := range d.runs {
		if !there[dir] {
			delete(d.runs, dir)
		}
	}
}

// stampOf returns a text that changes with any of a run's files: their names, sizes
// and times. A partial run grows without a new run.json.
func stampOf(dir string) (string, error) {
	sum := fnv.New128a()
	err := filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		info, err := f.Info()
		if err == nil {
			fmt.Fprintf(sum, "%s\x00%d %d\x00", path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return string(sum.Sum(nil)), err
}

package runs

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/hone-go/hone/internal/experiment"
)

// A derived keeps what was made of runs, whose files are large beside it and take
// long to read, for as long as the files are what they were. It is safe for
// concurrent use.
type derived[T any] struct {
	mu   sync.Mutex
	runs map[string]keptValue[T] // by directory
}

type keptValue[T any] struct {
	stamp string
	value T
}

// of returns the value of a run: the one that is kept if none of the run's files
// has changed since, else what made returns, which is kept unless it is an error.
// What a value depends on besides, besides tells.
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
	// The stamp is older than what is read now: what changes meanwhile is read again.
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

// forget forgets what is not of the newest of these runs, those that can be asked for.
func (d *derived[T]) forget(entries []experiment.Entry) {
	there := make(map[string]bool)
	for _, e := range entries[:min(len(entries), mostTrend)] {
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

// stampOf tells the files of a run from what they are after any change, by their
// names, sizes and times. A partial run grows without its run.json being written.
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

package main

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Each item is done once, and none begins when the time is over.
func TestInParallel(t *testing.T) {
	items := []int{1, 2, 3, 4, 5}
	var (
		mu   sync.Mutex
		done []int
	)
	do := func(item int) {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, item)
	}
	if begun := inParallel(&options{parallel: 2}, items, do); begun != len(items) {
		t.Errorf("%d begun", begun)
	}
	if slices.Sort(done); !slices.Equal(done, items) {
		t.Errorf("done: %v", done)
	}
	done = nil
	late := func(item int) { do(item); time.Sleep(2 * time.Millisecond) }
	if begun := inParallel(&options{within: time.Millisecond}, items, late); begun > 1 || !slices.Equal(done, items[:begun]) {
		t.Errorf("after the time: %d begun, done %v", begun, done)
	}
}

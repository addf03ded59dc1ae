package calls

import (
	"container/heap"
	"path"
	"path/filepath"
	"time"
)

func smallest(h heap.Interface) any {
	// want C: a heap written for its type
	heap.Init(h) // hot: container/heap.Init
	// want C: a heap written for its type
	heap.Fix(h, 0) // hot: container/heap.Fix
	// want C: a heap written for its type
	heap.Remove(h, h.Len()-1) // hot: container/heap.Remove
	// want C: a heap written for its type
	return heap.Pop(h) // hot: container/heap.Pop
}

func named(dir, name string, every time.Duration) (string, bool) {
	// want C: puts the parts together
	file := path.Join(dir, name) // hot: path.Join
	// want C: puts the parts together
	file += filepath.Join(dir, name) // hot: path/filepath.Join
	// want C: puts the parts together
	whole, _ := filepath.Abs(file) // hot: path/filepath.Abs
	// want C: reads the pattern anew
	same, _ := filepath.Match("*.go", whole) // hot: path/filepath.Match
	// want C: keep a timer and Reset it
	<-time.NewTicker(every).C // hot: time.NewTicker
	return whole, same
}

package calls

import (
	"container/heap"
	"path"
	"path/filepath"
	"time"
)

func smallest(h heap.Interface) any {
	// want C: a heap written for the type avoids both
	heap.Init(h) // hot: container/heap.Init
	// want C: a heap written for the type avoids both
	heap.Fix(h, 0) // hot: container/heap.Fix
	// want C: a heap written for the type avoids both
	heap.Remove(h, h.Len()-1) // hot: container/heap.Remove
	// want C: a heap written for the type avoids both
	return heap.Pop(h) // hot: container/heap.Pop
}

func named(dir, name string, every time.Duration) (string, bool) {
	// want C: than needed path.Join joins and cleans all parts each time
	file := path.Join(dir, name) // hot: path.Join
	// want C: needed filepath.Join joins and cleans all parts each time
	file += filepath.Join(dir, name) // hot: path/filepath.Join
	// want C: needed filepath.Abs joins and cleans all parts each time
	whole, _ := filepath.Abs(file) // hot: path/filepath.Abs
	// want C: than needed filepath.Match parses the pattern each time
	same, _ := filepath.Match("*.go", whole) // hot: path/filepath.Match
	// want C: or keep a timer and call Reset
	<-time.NewTicker(every).C // hot: time.NewTicker
	return whole, same
}

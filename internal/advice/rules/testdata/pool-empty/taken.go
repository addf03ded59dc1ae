package taken

import "sync"

type event struct{ buf []byte }

var events = sync.Pool{
	// want C: some path that takes an object doesn't put it back
	New: func() any {
		return &event{ // alloc
			buf: make([]byte, 0, 500), // alloc
		}
	},
}

// Nobody puts back what this returns.
func newEvent() *event { return events.Get().(*event) }

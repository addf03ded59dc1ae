package trace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/trace"
)

// TestGo127 reads a trace of Go 1.27, whatever Go runs the test: five
// goroutines, of which three take turns to sleep a millisecond with a lock held.
func TestGo127(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "trace.go127.trace"))
	if err != nil {
		t.Fatal(err)
	}
	p, stats := wall(t, data, trace.Options{})
	if stats.Goroutines != 5 {
		t.Errorf("%d goroutines, want 5", stats.Goroutines)
	}
	for _, c := range []struct {
		function, state string
		least           time.Duration
	}{
		{"main.traceTo.func1.1", "sleep", 15 * time.Millisecond},
		{"main.traceTo.func1.1", "sync", 15 * time.Millisecond},
		{"main.traceTo.func2", "sleep", 3 * time.Millisecond},
		{"main.main", "chan receive", 2 * time.Millisecond},
		{"main.main", "sync", 10 * time.Millisecond},
	} {
		if got := spent(p, c.function, c.state); got < c.least || got > time.Second {
			t.Errorf("%s in %s: %v, want %v or more", c.function, c.state, got, c.least)
		}
	}
}

package agent

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
)

// recording is what Start began and Stop or a signal ends.
type recording struct {
	messages   io.Writer
	cpu, trace *file // nil: not wanted
	tracing    bool  // trace was started
	snapshots  []snapshot
	rates      []*recorder // switched on

	finishing sync.Once
	done      chan struct{} // closed when the files are written
	unwatched chan struct{} // closed when signals are no longer watched

	mu  sync.Mutex
	err error // of writing; nil once it has been taken
}

// snapshot is a profile that exists at any time and is written at the end.
type snapshot struct {
	name string // as for pprof.Lookup
	path string
}

// abandon takes back what begin did so far.
func (r *recording) abandon() {
	if r.cpu != nil {
		r.cpu.discard()
	}
	if r.tracing {
		trace.Stop()
	}
	if r.trace != nil {
		r.trace.discard()
	}
	for _, rate := range r.rates {
		rate.off()
	}
}

func (r *recording) finish() {
	r.finishing.Do(func() {
		var errs []error
		if r.cpu != nil {
			pprof.StopCPUProfile() // writes the profile
			errs = append(errs, r.cpu.commit())
		}
		if r.trace != nil {
			trace.Stop()
			errs = append(errs, r.trace.commit())
		}
		for _, rate := range r.rates {
			rate.off() // what has been recorded stays
		}
		for _, s := range r.snapshots {
			errs = append(errs, s.write())
		}
		r.mu.Lock()
		r.err = errors.Join(errs...)
		r.mu.Unlock()
		close(r.done)
	})
}

func (r *recording) finished() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// takeError returns what went wrong, once.
func (r *recording) takeError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.err
	r.err = nil
	return err
}

func (s snapshot) write() error {
	if s.name == "heap" {
		// The heap profile shows memory as of the last finished collection.
		runtime.GC()
	}
	f, err := createFile(s.path)
	if err != nil {
		return err
	}
	if err := pprof.Lookup(s.name).WriteTo(f, 0); err != nil {
		f.discard()
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return f.commit()
}

package lsp

import (
	"context"
	"fmt"
	"sync"
)

// measurements are those of folders with runs. Each is loaded once, and again when there is a newer one.
type measurements struct {
	source Source
	// changed is called when a folder's measurement has been loaded.
	changed func(home string)

	mu    sync.Mutex
	homes map[string]*loading
}

// A loading is a measurement that is loaded, or will be.
type loading struct {
	stamp string
	done  chan struct{} // closed when it is loaded
	m     *measured     // nil if err says why there is none
	err   error
	was   *loading // the one before, until this one is loaded; nil if there was none
}

// of returns the measurement of a folder. If a newer one is being loaded, it returns the one before. It waits for the first. ctx ends the
// waiting; work is where loading goes on.
func (l *measurements) of(ctx context.Context, work *background, home string, s Settings) (*measured, error) {
	at := l.start(work, home, s)
	select {
	case <-at.done:
		return at.m, at.err
	default:
	}
	if was := at.was; was != nil {
		select {
		case <-was.done:
			if was.m != nil {
				return was.m, nil
			}
		default:
		}
	}
	select {
	case <-at.done:
		return at.m, at.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// start begins to load a measurement, if it isn't the one that is there or on its way.
func (l *measurements) start(work *background, home string, s Settings) *loading {
	stamp := fmt.Sprintf("%q %q", s.Service, l.source.Stamp(home))
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.homes[home]
	if was != nil && was.stamp == stamp {
		return was
	}
	at := &loading{stamp: stamp, done: make(chan struct{})}
	if was != nil {
		at.was = &loading{done: was.done, m: was.m, err: was.err}
		if !isDone(was.done) {
			at.was = was.was // the newest that can be shown
		}
	}
	l.homes[home] = at
	work.run(func(ctx context.Context) {
		m, err := l.source.Load(ctx, home, s)
		if err == nil {
			at.m = prepare(m)
		}
		at.err = err
		close(at.done)
		l.changed(home)
	})
	return at
}

func isDone(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// background has the work that no request waits for. It ends with the server.
type background struct {
	ctx context.Context
	all sync.WaitGroup
}

func (b *background) run(f func(context.Context)) { b.all.Go(func() { f(b.ctx) }) }

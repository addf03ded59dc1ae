package capture

import (
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress is what requests of a fetcher write for people, one line of which may change.
type progress struct {
	mu   sync.Mutex // guards writes, and live
	live *liveLine  // the request that owns the live line
}

// isTerminal reports whether what is written to w is seen on a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

// say prints a line that stays.
func (p *progress) say(w io.Writer, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live != nil {
		p.live.show("")
	}
	fmt.Fprintf(w, format+"\n", args...)
}

// liveLine is the line that a request rewrites on a terminal. Only one request
// has it at once; a nil liveLine shows nothing.
type liveLine struct {
	p     *progress
	w     io.Writer
	width int       // of what is on the terminal now
	last  time.Time // of the last byte count shown

	stop     chan struct{}
	stopOnce sync.Once
	counting sync.WaitGroup
}

// start returns the live line on the terminal w, nil if another request has it.
func (p *progress) start(w io.Writer) *liveLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live != nil {
		return nil
	}
	p.live = &liveLine{p: p, w: w, stop: make(chan struct{})}
	return p.live
}

// RewriteLine replaces the last line of a terminal, which is width characters wide, by a text.
// A writer that escapes what terminals obey has a method for it.
func RewriteLine(w io.Writer, width int, text string) {
	if screen, ok := w.(interface{ Rewrite(width int, text string) }); ok {
		screen.Rewrite(width, text)
		return
	}
	// Spaces, as not every terminal knows the escape that clears a line.
	fmt.Fprintf(w, "\r%-*s\r%s", width, "", text)
}

// show replaces the line. The caller holds p.mu.
func (l *liveLine) show(text string) {
	if l.width > 0 || text != "" {
		RewriteLine(l.w, l.width, text)
	}
	l.width = len(text)
}

// countDown shows, until stopCountDown, how long the server will go on
// measuring, or how long it has kept the user waiting if wait is not known.
func (l *liveLine) countDown(wait time.Duration) {
	if l == nil {
		return
	}
	update := func(elapsed time.Duration) {
		text := ""
		if left := wait - elapsed; left > 0 {
			text = fmt.Sprintf("Please wait... (%v)", left)
		} else if elapsed > 0 {
			text = fmt.Sprintf("Waiting for the server... (%v)", elapsed)
		}
		l.p.mu.Lock()
		defer l.p.mu.Unlock()
		l.show(text)
	}
	update(0)
	start := time.Now()
	l.counting.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-l.stop:
				return
			case now := <-tick.C:
				update(now.Sub(start).Round(time.Second))
			}
		}
	})
}

func (l *liveLine) stopCountDown() {
	if l == nil {
		return
	}
	l.stopOnce.Do(func() { close(l.stop) })
	l.counting.Wait()
}

// received shows a byte count, not more often than the eye can follow. size
// is -1 if not known.
func (l *liveLine) received(got, size int64) {
	if l == nil || time.Since(l.last) < 100*time.Millisecond {
		return
	}
	l.stopCountDown()
	l.last = time.Now()
	text := "Received " + formatBytes(got)
	if size > 0 {
		text += " of " + formatBytes(size)
	}
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if l.p.live == l {
		l.show(text)
	}
}

// end removes the line, leaves final in its place if there is one, and lets
// another request have it.
func (l *liveLine) end(final string) {
	if l == nil {
		return
	}
	l.stopCountDown()
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if l.p.live != l {
		return
	}
	l.show("")
	l.p.live = nil
	if final != "" {
		fmt.Fprintln(l.w, final)
	}
}

func formatBytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

package daemon

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/server/auth"
)

func newLog(w io.Writer, cfg *Config, level *slog.LevelVar) *slog.Logger {
	if v, err := cfg.logLevel(); err == nil {
		level.Set(v)
	}
	o := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(w, o)
	if cfg.Log.Format == "json" {
		h = slog.NewJSONHandler(shown{w}, o)
	}
	return slog.New(&counting{Handler: h, lines: &lines{kinds: map[string]*kind{}}})
}

// shown writes lines of JSON for people to look at.
type shown struct{ io.Writer }

func (w shown) Write(line []byte) (int, error) {
	if _, err := w.Writer.Write(auth.ShownJSON(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

const (
	// So many lines of a kind are written in a period. Others are counted, and a line
	// at the end of the period says how many there were: whoever connects can have
	// the server log something, and must not fill its disk.
	logBurst  = 10
	logPeriod = 10 * time.Second
	// Kinds are told by fixed texts of messages. Should some be made of what clients
	// send all the same, those above so many are one kind.
	maxKinds = 256
)

// counting is a handler that counts lines which repeat others.
type counting struct {
	slog.Handler
	*lines
}

// lines are what was logged of late.
type lines struct {
	mu    sync.Mutex
	kinds map[string]*kind
}

type kind struct {
	written, counted int
}

func (c *counting) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &counting{c.Handler.WithAttrs(attrs), c.lines}
}

func (c *counting) WithGroup(name string) slog.Handler {
	return &counting{c.Handler.WithGroup(name), c.lines}
}

func (c *counting) Handle(ctx context.Context, r slog.Record) error {
	name := kindOfLine(r.Message)
	key := r.Level.String() + name
	c.mu.Lock()
	if c.kinds[key] == nil && len(c.kinds) >= maxKinds {
		name, key = "", r.Level.String()
	}
	k := c.kinds[key]
	if k == nil {
		k = new(kind)
		c.kinds[key] = k
		time.AfterFunc(logPeriod, func() { c.sum(key, name, r.Level) })
	}
	write := k.written < logBurst
	if write {
		k.written++
	} else {
		k.counted++
	}
	c.mu.Unlock()
	if !write {
		return nil
	}
	return c.Handler.Handle(ctx, r)
}

// sum ends a period of a kind of lines and tells how many were not written.
func (c *counting) sum(key, name string, level slog.Level) {
	c.mu.Lock()
	counted := c.kinds[key].counted
	if delete(c.kinds, key); counted > 0 {
		// The next one of a kind that goes on is written in the next period.
		c.kinds[key] = &kind{written: logBurst - 1}
		time.AfterFunc(logPeriod, func() { c.sum(key, name, level) })
	}
	c.mu.Unlock()
	if counted == 0 {
		return
	}
	r := slog.NewRecord(time.Now(), level, "more lines like those before were not written", 0)
	r.AddAttrs(slog.Int("lines", counted), slog.String("kind", name), slog.Duration("within", logPeriod))
	_ = c.Handler.Handle(context.Background(), r) // there is nowhere to tell it
}

// kindOfLine returns what messages of a kind have in common: the text before what
// differs, which are numbers, addresses and quoted texts.
func kindOfLine(message string) string {
	const most = 60
	if i := strings.IndexAny(message, "0123456789\"'`[(\n"); i >= 0 {
		message = message[:i]
	}
	message, _, _ = strings.Cut(message, " from ")
	return strings.TrimSpace(message[:min(len(message), most)])
}

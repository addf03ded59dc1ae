package ingest

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A Degradation says how a profile was changed because it could not be kept as sent.
type Degradation uint8

const (
	Unchanged      Degradation = iota
	LabelCut                   // the name or value of a label was too long and was cut
	NameCut                    // a name in the profile was too long and was cut
	Clock                      // its time was impossible: it has the time of arrival, or a duration of 0
	OtherInstance              // too many series: its instance became "other"
	DeltaFirst                 // first cumulative profile of a series: there is none to subtract
	DeltaRestart               // the counters restarted
	DeltaLate                  // it arrived after a later profile, whose difference contains what it counts
	DeltaShared                // other processes have the same labels: there is none of its own to subtract
	DeltaForgotten             // too many cumulative series: the next profile is a first one again
	numDegradations
)

var degradations = [...]string{"unchanged", "label_cut", "name_cut", "clock", "other_instance", "delta_first", "delta_restart", "delta_late", "delta_shared", "delta_forgotten"}

// String returns the name of the Degradation in counters.
func (d Degradation) String() string { return degradations[d] }

// logEvery is how often a refusal for the same reason is logged.
const logEvery = 10 * time.Second

// account counts what is received and what is refused.
type account struct {
	now       func() time.Time
	log       *slog.Logger
	mu        sync.RWMutex
	protocols map[string]*protocolCount
	degrade   [numDegradations]atomic.Int64
	seconds   *prometheus.HistogramVec

	logMu sync.Mutex
	lines map[string]*logLine
}

type protocolCount struct {
	profiles, bytes, known atomic.Int64
	refused                [len(reasons)]atomic.Int64
}

// logLine is a kind of line that was logged.
type logLine struct {
	last time.Time
	more int // like it since
}

func (a *account) start(cfg Config) {
	a.now, a.log = cfg.Now, cfg.Log
	a.protocols, a.lines = map[string]*protocolCount{}, map[string]*logLine{}
	a.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "hone_ingest_request_seconds",
		Help:    "Time from a complete request until its profiles are durable.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
	}, []string{"protocol"})
}

func (a *account) of(protocol string) *protocolCount {
	a.mu.RLock()
	p := a.protocols[protocol]
	a.mu.RUnlock()
	if p != nil {
		return p
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if p = a.protocols[protocol]; p == nil {
		p = new(protocolCount)
		a.protocols[protocol] = p
	}
	return p
}

func (a *account) took(protocol string, d time.Duration) {
	a.seconds.WithLabelValues(protocol).Observe(d.Seconds())
}

func (a *account) received(protocol string, bytes int64, known bool) {
	p := a.of(protocol)
	if known {
		p.known.Add(1)
	}
	p.profiles.Add(1)
	p.bytes.Add(bytes)
}

// refused counts a refusal and logs it.
func (a *account) refused(protocol, service string, err *Error) {
	a.of(protocol).refused[err.Reason].Add(1)
	level := slog.LevelWarn
	if err.Reason == Internal {
		level = slog.LevelError
	}
	a.say(level, "profile refused", protocol+" "+err.Reason.String(),
		"protocol", protocol, "service", service, "reason", err.Reason.String(), "error", err.Err)
}

// degraded counts n profiles that were kept in another form, and logs one.
func (a *account) degraded(what Degradation, service string, n int) {
	if what == Unchanged || n == 0 {
		return
	}
	a.degrade[what].Add(int64(n))
	level := slog.LevelWarn
	if what == DeltaFirst || what == DeltaRestart {
		level = slog.LevelDebug // as it should be
	}
	a.say(level, "profile changed", what.String(), "service", service, "how", what.String())
}

// say logs a line unless one with its key was logged a moment ago.
func (a *account) say(level slog.Level, msg, key string, args ...any) {
	if !a.log.Enabled(context.Background(), level) {
		return
	}
	now := a.now()
	a.logMu.Lock()
	l := a.lines[key]
	if l == nil {
		l = new(logLine)
		a.lines[key] = l
	}
	if !l.last.IsZero() && now.Sub(l.last) < logEvery && now.Sub(l.last) >= 0 {
		l.more++
		a.logMu.Unlock()
		return
	}
	more := l.more
	l.last, l.more = now, 0
	a.logMu.Unlock()
	if more > 0 {
		args = append(args, "more", more)
	}
	a.log.Log(context.Background(), level, msg, args...)
}

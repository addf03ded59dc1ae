package regress

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// Config configures a watch.
type Config struct {
	Store store.Store
	State *State
	// Every is how often the watch looks for something to compare; 0 is DefaultEvery.
	Every time.Duration
	// Budget is the share of one CPU that comparisons may take: after each, the watch
	// pauses. 0 is DefaultBudget.
	Budget float64
	Limits Limits
	Log    func(string)
}

// Defaults of a watch.
const (
	DefaultEvery  = 5 * time.Minute
	DefaultBudget = 0.02
)

// A Watch compares services on a schedule: new versions at each of Looks, and all services
// every DriftEvery.
type Watch struct {
	cfg    Config
	src    Source
	starts starts
	notes  notes
	stats  stats
}

type stats struct{ comparisons, found, failed, nanoseconds, looked atomic.Int64 }

// Stats are counts of what a watch did since it began.
type Stats struct {
	Comparisons, Found, Failed int64
	// Seconds is the time that comparisons took: an upper limit of their CPU time on one
	// CPU.
	Seconds float64
	// Looked is when it last looked for something to compare, in ns since 1970; 0 before that.
	Looked int64
}

// NewWatch returns a watch. Run starts it.
func NewWatch(cfg Config) *Watch {
	cfg.Every, cfg.Budget = cmp.Or(cfg.Every, DefaultEvery), cmp.Or(cfg.Budget, DefaultBudget)
	return &Watch{cfg: cfg, src: FromStore(cfg.Store, cfg.Limits, cfg.Log), notes: notes{log: cfg.Log}}
}

// Stats returns the figures of the watch.
func (w *Watch) Stats() Stats {
	return Stats{w.stats.comparisons.Load(), w.stats.found.Load(), w.stats.failed.Load(), float64(w.stats.nanoseconds.Load()) / 1e9, w.stats.looked.Load()}
}

// Every is how often the watch looks for something to compare.
func (w *Watch) Every() time.Duration { return w.cfg.Every }

// Run compares until ctx is done.
func (w *Watch) Run(ctx context.Context) {
	tick := time.NewTicker(w.cfg.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := w.Tick(ctx, time.Now().UnixNano()); err != nil && ctx.Err() == nil {
				w.stats.failed.Add(1)
				w.cfg.Log("Looking for regressions failed: " + err.Error())
			}
		}
	}
}

// Tick makes the comparisons that are due at a time.
func (w *Watch) Tick(ctx context.Context, now int64) error {
	var due []job
	if err := w.measured(ctx, func() (err error) {
		due, err = w.due(ctx, now)
		return err
	}); err != nil {
		return err
	}
	w.stats.looked.Store(now)
	for _, j := range due {
		if err := w.measured(ctx, func() error { return w.compare(ctx, j) }); err != nil {
			return err
		}
	}
	return w.resolveAll(ctx, now)
}

// measured runs a step, counts its time, and then pauses for as long as the budget asks.
func (w *Watch) measured(ctx context.Context, step func() error) error {
	start := time.Now()
	err := step()
	took := time.Since(start)
	w.stats.nanoseconds.Add(int64(took))
	select {
	case <-time.After(time.Duration(float64(took) * (1/w.cfg.Budget - 1))):
	case <-ctx.Done():
	}
	return cmp.Or(err, ctx.Err())
}

func (w *Watch) compare(ctx context.Context, j job) error {
	found, err := Detect(ctx, w.src, j.Trigger, Options{})
	if err != nil {
		return err
	}
	w.stats.comparisons.Add(1)
	added, err := w.cfg.State.record(j.name, j.Now, found)
	w.stats.found.Add(int64(added))
	return err
}

// A job is a comparison, with its name in the state.
type job struct {
	Trigger
	name string
}

// due returns the comparisons that are due.
func (w *Watch) due(ctx context.Context, now int64) ([]job, error) {
	versions, err := w.starts.read(ctx, w.cfg.Store, now-int64(26*time.Hour), now)
	if err != nil {
		return nil, err
	}
	w.limit(&versions)
	var out []job
	for _, v := range versions.started {
		name := v.Service + "\x00" + v.Kind + "\x00" + v.Version
		done, err := w.cfg.State.compared(name)
		if err != nil {
			return nil, err
		}
		if t, ok := dueLook(v, done, now); ok {
			out = append(out, job{t, name})
		}
	}
	for _, k := range versions.kinds {
		name := k.Service + "\x00" + k.Kind
		done, err := w.cfg.State.compared(name)
		if err != nil {
			return nil, err
		}
		if now-done >= int64(DriftEvery) {
			out = append(out, job{Trigger{Service: k.Service, Kind: k.Kind, Now: now}, name})
		}
	}
	return out, nil
}

// limit drops versions and kinds that exceed the limit.
func (w *Watch) limit(v *startedVersions) {
	most := w.cfg.Limits.Series
	if most > 0 && max(len(v.started), len(v.kinds)) > most {
		w.notes.tell("series", most, "all services", "all kinds")
		v.started, v.kinds = v.started[:min(most, len(v.started))], v.kinds[:min(most, len(v.kinds))]
	}
}

// dueLook returns the latest look at a version that is due, unless it is done.
func dueLook(v Trigger, done, now int64) (Trigger, bool) {
	looks := Looks()
	for i := len(looks) - 1; i >= 0; i-- {
		v.Now = v.Since + int64(looks[i].After)
		// The last profiles are still on their way.
		if v.Now+int64(time.Minute) <= now {
			v.Rate = looks[i].Rate
			return v, v.Now > done
		}
	}
	return v, false
}

// resolveAll checks once per hour which regressions are over.
func (w *Watch) resolveAll(ctx context.Context, now int64) error {
	const name = "resolved"
	done, err := w.cfg.State.compared(name)
	if err != nil || now-done < int64(time.Hour) {
		return err
	}
	entries, err := w.cfg.State.List()
	if err != nil || len(entries) == 0 {
		return err
	}
	for i := range entries {
		e := &entries[i]
		if e.State == Resolved {
			continue
		}
		if err := w.measured(ctx, func() error {
			over, err := gone(ctx, w.src, &e.Regression, now)
			if over {
				err = w.cfg.State.resolve(e.ID, now)
			}
			return err
		}); err != nil {
			return err
		}
	}
	_, err = w.cfg.State.record(name, now, nil)
	return err
}

// Scan looks for regressions in a store that no server watches. It compares all versions
// whose first profile is in a time range, each at the last look that is before its end.
func Scan(ctx context.Context, st store.Store, from, to int64) ([]Entry, error) {
	s := NewState("", nil)
	versions, err := new(starts).read(ctx, st, from, to)
	if err != nil {
		return nil, err
	}
	src := FromStore(st, Limits{}, nil)
	for _, v := range versions.started {
		if t, ok := dueLook(v, 0, to+int64(time.Minute)); ok {
			found, err := Detect(ctx, src, t, Options{})
			if err != nil {
				return nil, err
			}
			if _, err := s.record("", t.Now, found); err != nil {
				return nil, err
			}
		}
	}
	for _, k := range versions.kinds {
		k.Now = to
		found, err := Detect(ctx, src, k, Options{})
		if err != nil {
			return nil, err
		}
		if _, err := s.record("", to, found); err != nil {
			return nil, err
		}
	}
	return s.List()
}

package regress

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// startedVersions are the versions that began in a time range, and all services with
// profiles in it.
type startedVersions struct {
	started []Trigger // without Now
	kinds   []Trigger // a service and a kind each
}

// starts finds versions that began, and remembers when.
type starts struct{ known map[Trigger]int64 }

// read returns the versions whose first profile is in a time range, by kind.
func (s *starts) read(ctx context.Context, st store.Store, from, to int64) (out startedVersions, err error) {
	// Hours come from roll-ups. The minute matters of new versions only.
	q := store.Query{From: from, To: to, By: []string{store.LabelService, store.LabelKind, store.LabelVersion}, Step: int64(time.Hour)}
	recent, err := st.Series(ctx, q)
	if err != nil || len(recent) == 0 {
		return out, err
	}
	q.From, q.To, q.Step = max(1, from-8*day), from, math.MaxInt64/2
	earlier, err := st.Series(ctx, q)
	if err != nil {
		return out, err
	}
	known := map[Trigger]int64{}
	for _, one := range recent {
		t := Trigger{Service: one.Labels.Get(store.LabelService), Kind: one.Labels.Get(store.LabelKind)}
		if _, ok := measureOf(t.Kind); !ok {
			continue
		}
		if !slices.Contains(out.kinds, t) {
			out.kinds = append(out.kinds, t)
		}
		t.Version = one.Labels.Get(store.LabelVersion)
		_, old := slices.BinarySearchFunc(earlier, one.Labels, func(e store.Series, ls store.Labels) int { return e.Labels.Compare(ls) })
		if t.Version == "" || old {
			continue
		}
		hour := span{max(from, one.Points[0].Time), min(to, one.Points[0].Time+int64(time.Hour))}
		since, ok := s.known[t]
		if !ok || since < hour.from || since >= hour.to {
			if since, err = start(ctx, st, t, hour); err != nil {
				return out, err
			}
		}
		known[t] = since
		t.Since = since
		out.started = append(out.started, t)
	}
	s.known = known
	for i := range out.started {
		for _, other := range out.started {
			if v := &out.started[i]; other.Service == v.Service && other.Kind == v.Kind && other.Since < v.Since {
				v.Prior = max(v.Prior, other.Since)
			}
		}
	}
	return out, nil
}

// start returns the minute of a version's first profile in a time range.
func start(ctx context.Context, st store.Store, t Trigger, in span) (int64, error) {
	labels, err := store.NewLabels(
		store.Label{Name: store.LabelService, Value: t.Service}, store.Label{Name: store.LabelKind, Value: t.Kind}, store.Label{Name: store.LabelVersion, Value: t.Version})
	if err != nil {
		return 0, err
	}
	all, err := st.Series(ctx, store.Query{
		Selector: store.SelectorOf(labels, store.LabelService, store.LabelKind, store.LabelVersion), From: in.from, To: in.to, Step: int64(time.Minute),
	})
	if len(all) == 0 || err != nil {
		return in.from, err
	}
	return all[0].Points[0].Time, nil
}

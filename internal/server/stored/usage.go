package stored

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Times of an overview.
const (
	shown   = 24 * time.Hour
	current = time.Hour // what counts as now
	// An instance counts as running if its last profile is less than alive older than the
	// last profile of all, or less than the time of missed profiles, if that is shorter.
	alive  = 20 * time.Minute
	missed = 3
)

// Kinds of profiles that an overview has.
const (
	kindCPU       = "cpu"
	kindHeap      = "heap"
	kindGoroutine = "goroutine"
)

// allKinds are the kinds of an overview with the sample types that it shows.
var allKinds = [...]struct{ kind, sampleType string }{{kindCPU, "cpu"}, {kindHeap, "inuse_space"}, {kindGoroutine, "goroutine"}}

func kindIs(kind string) store.Selector {
	return store.Selector{{Name: store.LabelKind, Op: store.Equal, Value: kind}}
}

// usages are what services use at one moment.
type usages struct {
	from, to, step int64 // of the windows, ns since 1970
	services       []api.Service
	by             map[string]map[string]*api.Usage // by kind, then service
	instances      map[string]int                   // that run, by service
	runs           map[string]map[string]bool       // versions that run, by service
}

// usagesOf asks a store for the usage of all services. What covers a day is asked for in
// whole hours and without instances, which stores have sums of. What distinguishes instances
// covers an hour.
func usagesOf(ctx context.Context, st store.Store, at int64) (*usages, error) {
	groups, err := st.Series(ctx, store.Query{To: at, By: []string{store.LabelService, store.LabelKind, store.LabelVersion}, Step: wholeStep})
	if err != nil {
		return nil, err
	}
	u := &usages{
		from: store.Window(at-int64(shown), int64(time.Hour)), to: at, step: int64(time.Hour),
		services: servicesOf(groups), by: map[string]map[string]*api.Usage{}, instances: map[string]int{},
		runs: map[string]map[string]bool{},
	}
	days, err := askDay(ctx, st, u)
	if err != nil {
		return nil, err
	}
	if first := earliest(days); first > at-int64(shown)/2 && first < at {
		// A service that began lately has a point or two per day: show shorter windows.
		u.step = int64(autoStep(time.Duration(at-first), int(shown/time.Hour)))
		u.from = store.Window(first, u.step)
		if days, err = askDay(ctx, st, u); err != nil {
			return nil, err
		}
	}
	for k, kind := range allKinds {
		u.by[kind.kind] = u.overDay(days[k])
		running, err := st.Series(ctx, store.Query{
			Selector: kindIs(kind.kind), SampleType: kind.sampleType, From: at - int64(current), To: at, Step: wholeStep,
			By: []string{store.LabelService, store.LabelInstance, store.LabelVersion},
		})
		if err != nil {
			return nil, err
		}
		u.addNow(u.by[kind.kind], running)
	}
	return u, nil
}

// askDay returns the series of the windows, per kind.
func askDay(ctx context.Context, st store.Store, u *usages) ([len(allKinds)][]store.Series, error) {
	var out [len(allKinds)][]store.Series
	for k, kind := range allKinds {
		var err error
		q := store.Query{Selector: kindIs(kind.kind), SampleType: kind.sampleType, From: u.from, To: u.to, Step: u.step, By: []string{store.LabelService}}
		if out[k], err = st.Series(ctx, q); err != nil {
			return out, err
		}
	}
	return out, nil
}

func earliest(days [len(allKinds)][]store.Series) int64 {
	first := int64(math.MaxInt64)
	for _, some := range days {
		for _, one := range some {
			first = min(first, one.Points[0].Time)
		}
	}
	return first
}

// overDay returns the usage of one kind by service, without Now.
func (u *usages) overDay(series []store.Series) map[string]*api.Usage {
	out := map[string]*api.Usage{}
	windows := int((u.to-u.from-1)/u.step) + 1
	for _, one := range series {
		use := &api.Usage{Values: make([]any, windows)}
		var all store.Total
		for _, pt := range one.Points {
			all = add(all, pt.Total)
			if v, ok := usage(one.Type, pt.Total); ok {
				use.Values[(pt.Time-u.from)/u.step] = rounded(v)
			}
		}
		if mean, ok := usage(one.Type, all); ok {
			use.Mean = rounded(mean)
			out[one.Labels.Get(store.LabelService)] = use
		}
	}
	return out
}

// addNow sets Now to what the instances use. series has one point per instance and
// version.
func (u *usages) addNow(of map[string]*api.Usage, series []store.Series) {
	sums, counts := map[string]float64{}, map[string]int{}
	for name, some := range processesOf(series) {
		since := some.since()
		for _, p := range some {
			v, ok := usage(p.valueType, p.Total)
			if !ok || p.Last < since {
				continue // another one replaced it
			}
			sums[name] += v
			counts[name]++
			for version, last := range p.versions {
				if last < since {
					continue
				}
				if u.runs[name] == nil {
					u.runs[name] = map[string]bool{}
				}
				u.runs[name][version] = true
			}
		}
	}
	for name, sum := range sums {
		u.instances[name] = max(u.instances[name], counts[name])
		if use := of[name]; use != nil {
			sum = rounded(sum)
			use.Now = &sum
		}
	}
}

// A process is an instance in the last hour, whatever versions it ran.
type process struct {
	store.Total
	valueType profile.ValueType
	versions  map[string]int64 // their last profiles, ns since 1970
}

type processes map[string]*process // by instance

// processesOf returns the processes of each service.
func processesOf(series []store.Series) map[string]processes {
	out := map[string]processes{}
	for _, one := range series {
		name, instance := one.Labels.Get(store.LabelService), one.Labels.Get(store.LabelInstance)
		if out[name] == nil {
			out[name] = processes{}
		}
		p := out[name][instance]
		if p == nil {
			p = &process{valueType: one.Type, versions: map[string]int64{}}
			out[name][instance] = p
		}
		if p.valueType != one.Type {
			p.valueType = profile.ValueType{} // it can't be added up
		}
		total := one.Points[0].Total
		p.Total = add(p.Total, total)
		p.versions[one.Labels.Get(store.LabelVersion)] = total.Last
	}
	return out
}

// since returns the time after which each running process has sent a profile: the time of
// the last profile, less the time in which the busiest process sends some profiles.
func (all processes) since() int64 {
	last, most := int64(0), int64(1)
	for _, p := range all {
		last, most = max(last, p.Last), max(most, p.Profiles)
	}
	return last - min(int64(alive), missed*int64(current)/most)
}

// usage returns what one instance uses on average, in cores, bytes or a number. ok is false
// if the profiles measure different things, or have no duration.
func usage(t profile.ValueType, of store.Total) (value float64, ok bool) {
	switch {
	case t.Type == "" || of.Profiles == 0:
		return 0, false
	case profile.OfMoment(t.Type):
		return float64(of.Value) / float64(of.Profiles), true
	case of.Duration == 0:
		return 0, false
	}
	seconds, unit := profile.Convert(of.Value, t.Unit, "seconds")
	return seconds / time.Duration(of.Duration).Seconds(), unit == "s"
}

// rounded returns v with four digits, which is all that a page shows.
func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return short
}

package regresstest

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Stacks are the CPU times of stacks in a profile, in ns: "main;a;b" is b, called by a.
type Stacks map[string]int64

// Usual are the stacks of a service that nothing is wrong with.
func Usual() Stacks {
	return Stacks{"main;rest": 30e8, "main;a": 4e8, "main;a;b": 3e8, "main;a;b;c": 2e8, "main;d": 5e8, "main;d;c": 1e8, "main;e": 3e8, "main;g": 2e8}
}

// With returns other stacks: with some changed.
func (s Stacks) With(stack string, ns int64) Stacks {
	s = maps.Clone(s)
	s[stack] = ns
	return s
}

// Record returns a CPU profile of ten seconds.
func Record(service, version, instance string, at int64, s Stacks) (store.Record, error) {
	var text strings.Builder
	for _, stack := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&text, "%s %d\n", stack, s[stack])
	}
	p, err := profile.ParseFolded(strings.NewReader(text.String()), profile.Limits{})
	if err != nil {
		return store.Record{}, err
	}
	p.SampleTypes = []profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}
	p.PeriodType, p.Period = p.SampleTypes[0], event
	labels, err := store.NewLabels(store.Label{Name: store.LabelService, Value: service}, store.Label{Name: store.LabelKind, Value: "cpu"},
		store.Label{Name: store.LabelVersion, Value: version}, store.Label{Name: store.LabelInstance, Value: instance})
	r := store.Record{Labels: labels, Time: at, Duration: int64(10 * time.Second), Profile: p}
	binary.BigEndian.PutUint64(r.ID[:], uint64(at))
	binary.BigEndian.PutUint64(r.ID[8:], hash(service, version, instance))
	return r, err
}

// Fill puts the profiles of three instances between two times, one per minute and instance.
func Fill(ctx context.Context, st store.Store, service, version string, from, to int64, s Stacks) error {
	var all []store.Record
	for at := from; at < to; at += minute {
		for i := range 3 {
			r, err := Record(service, version, fmt.Sprint("i", i), at, s)
			if err != nil {
				return err
			}
			all = append(all, r)
		}
	}
	return st.Put(ctx, all)
}

// FillDeploy puts the profiles of six hours of version v1 and 40 minutes of version v2, which
// began 40 minutes before to.
func FillDeploy(ctx context.Context, st store.Store, service string, to int64, before, after Stacks) error {
	since := to - 40*minute
	return cmp.Or(Fill(ctx, st, service, "v1", since-6*hour, since, before), Fill(ctx, st, service, "v2", since, to, after))
}

// hash returns a number that a text has.
func hash(texts ...any) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(fmt.Sprint(texts...)) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h ^ h>>29
}

// Times are in ns since 1970, as in package regress.
const (
	second = int64(1e9)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// The profiler, as in hone's agent: 10 seconds each minute, 100 samples per second and core.
const (
	perMinute = 10.0
	hertz     = 100.0
	event     = 1e9 / hertz // ns
)

// MutexRecord returns a mutex profile of a minute. A contention takes a millisecond.
func MutexRecord(service, version, instance string, at int64, s Stacks) (store.Record, error) {
	r, err := Record(service, version, instance, at, s)
	if err != nil {
		return r, err
	}
	p := r.Profile
	p.SampleTypes = []profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}}
	p.PeriodType, p.Period = p.SampleTypes[0], 1
	contentions := slices.Clone(p.Values[0])
	for i := range contentions {
		contentions[i] /= 1e6
	}
	p.Values = [][]int64{contentions, p.Values[0]}
	r.Duration = minute
	r.Labels, err = store.NewLabels(append(slices.Clone(r.Labels), store.Label{Name: store.LabelKind, Value: "mutex"})...)
	r.ID[15] ^= 1
	return r, err
}

// Package storetest tests engines against the contract of [store.Store]: one
// test per sentence of it, and a random one against a model that is too simple
// to be wrong.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Run tests the engine whose empty stores open returns. They have to keep
// profiles of any age. Run closes them.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := open(t)
			defer s.Close() // most tests leave it open
			test.run(t, s)
		})
	}
	t.Run("Random", func(t *testing.T) {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				Random(t, open(t), seed, 60, nil)
			})
		}
	})
}

// RunDurable is Run for an engine that keeps its profiles when it is closed.
// open opens the store in a folder, which is empty the first time.
func RunDurable(t *testing.T, open func(t *testing.T, dir string) store.Store) {
	Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir()) })
	t.Run("Reopen", func(t *testing.T) {
		dir := t.TempDir()
		s := open(t, dir)
		testReopen(t, s, func() store.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir)
			return s
		})
		s.Close()
	})
	t.Run("RandomReopen", func(t *testing.T) {
		dir := t.TempDir()
		Random(t, open(t, dir), 100, 100, func() store.Store { return open(t, dir) })
	})
}

// tests are the sentences of the contract.
var tests = []struct {
	name string
	run  func(t *testing.T, s store.Store)
}{
	{"Empty", testEmpty},
	{"RealProfiles", testRealProfiles},
	{"PutTwice", testPutTwice},
	{"PutTwiceInOneCall", testPutTwiceInOneCall},
	{"PutKnown", testPutKnown},
	{"Delete", testDelete},
	{"PutTwiceAtOnce", testPutTwiceAtOnce},
	{"PutNothing", testPutNothing},
	{"PutInAnyOrder", testPutInAnyOrder},
	{"PutKeepsNoReference", testPutKeepsNoReference},
	{"ConcurrentUse", testConcurrentUse},
	{"ProfilesWithoutSamples", testProfilesWithoutSamples},
	{"ManySampleTypes", testManySampleTypes},
	{"SampleLabels", testSampleLabels},
	{"LargeNumbers", testLargeNumbers},
	{"StrangeTimes", testStrangeTimes},
	{"StrangeLabels", testStrangeLabels},
	{"ManySeries", testManySeries},
	{"FromTo", testFromTo},
	{"Selector", testSelector},
	{"ID", testID},
	{"By", testBy},
	{"Step", testStep},
	{"SampleType", testSampleType},
	{"SharedSampleTypes", testSharedSampleTypes},
	{"NothingCommon", testNothingCommon},
	{"Lasting", testLasting},
	{"Top", testTop},
	{"Limit", testLimit},
	{"Totals", testTotals},
	{"Labels", testLabels},
	{"Version", testVersion},
	{"MergedProfilesAreTheCallers", testMergedProfilesAreTheCallers},
	{"Cancelled", testCancelled},
	{"Closed", testClosed},
	{"CloseWaits", testCloseWaits},
}

// base is the start of a day in 2026.
const base = int64(20717 * 86400e9)

const second, minute = int64(time.Second), int64(time.Minute)

// one returns a profile of one sample: function and value, the same for all
// sample types.
func one(kind, function string, value int64) *profile.Profile {
	b := profile.NewBuilder(slices.Clone(sampleTypes[kind])...)
	f := b.Function(function, function, function+".go", 1)
	l := b.Location(0, 0, profile.Line{Function: f, Line: 2})
	values := make([]int64, len(sampleTypes[kind]))
	for i := range values {
		values[i] = value
	}
	b.Sample([]uint32{l}, nil, values...)
	p := b.Profile()
	p.PeriodType, p.Period = periodTypes[kind], 1
	return p
}

// record returns a record of one(kind, "f", value) with id n.
func record(t testing.TB, n int, at int64, kind string, value int64, more ...string) store.Record {
	t.Helper()
	return store.Record{
		ID: newID(n), Time: at, Duration: second, Profile: one(kind, "f", value),
		Labels: labels(t, append([]string{"service", "api", "kind", kind}, more...)...),
	}
}

func put(t testing.TB, s store.Store, records ...store.Record) {
	t.Helper()
	if err := s.Put(t.Context(), records); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

func merge(t testing.TB, s store.Store, q store.Query) []store.Group {
	t.Helper()
	groups, err := s.Merge(t.Context(), q)
	if err != nil {
		t.Fatalf("Merge: %v", err)
	}
	return groups
}

// mergeOne is merge of what has to be one group.
func mergeOne(t testing.TB, s store.Store, q store.Query) store.Group {
	t.Helper()
	groups := merge(t, s, q)
	if len(groups) != 1 {
		t.Fatalf("Merge: got %d groups, want one", len(groups))
	}
	return groups[0]
}

func series(t testing.TB, s store.Store, q store.Query) []store.Series {
	t.Helper()
	all, err := s.Series(t.Context(), q)
	if err != nil {
		t.Fatalf("Series: %v", err)
	}
	return all
}

// selector parses a selector.
func selector(t testing.TB, text string) store.Selector {
	t.Helper()
	s, err := store.ParseSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// values tells groups as labels and value, one line each.
func values(groups []store.Group) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "%v %s %d of %d\n", g.Labels, when(g.Time), g.Value, g.Profiles)
	}
	return b.String()
}

// points tells series as labels and points, one line each.
func points(all []store.Series) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%v %s", s.Labels, s.Type.Type)
		for _, p := range s.Points {
			fmt.Fprintf(&b, " %s=%d", when(p.Time), p.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// when tells a time in seconds from base.
func when(t int64) string { return time.Duration(t - base).String() }

func want(t testing.TB, what, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func wantProfile(t testing.TB, what string, got, want *profile.Profile) {
	t.Helper()
	if d := Diff(got, want); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

// timed returns p as it is kept: with the record's time.
func timed(p *profile.Profile, at, duration int64) *profile.Profile {
	q := *p
	q.TimeNanos, q.DurationNanos = at, duration
	return &q
}

// answers are what a store says to a query.
type answers struct {
	groups []store.Group
	err    error // of Merge; the others may not fail
	series []store.Series
	names  []store.LabelValues
}

func ask(t testing.TB, s store.Store, q store.Query) (a answers) {
	t.Helper()
	a.groups, a.err = s.Merge(t.Context(), q)
	a.series = series(t, s, q)
	names, err := s.Labels(t.Context(), q)
	if err != nil {
		t.Fatalf("Labels: %v", err)
	}
	a.names = names
	return a
}

// wantAnswers fails unless both stores say the same to q; the second one is right.
func wantAnswers(t testing.TB, s, model store.Store, q store.Query) {
	t.Helper()
	got, want := ask(t, s, q), ask(t, model, q)
	unlimited := q
	unlimited.Limit = 0
	for _, problem := range []string{
		diffErrors(got.err, want.err),
		diffGroups(got.groups, want.groups),
		diffSeries(got.series, want.series, series(t, s, unlimited)),
		diffNames(got.names, want.names),
	} {
		if problem != "" {
			t.Errorf("%s: %s", describe(q), problem)
		}
	}
}

func describe(q store.Query) string {
	return fmt.Sprintf("query %v from %d to %d id %x by %v step %v type %q top %v limit %d",
		q.Selector, q.From, q.To, q.ID, q.By, time.Duration(q.Step), q.SampleType, q.Top, q.Limit)
}

func diffErrors(got, want error) string {
	if (got == nil) != (want == nil) || errors.Is(want, profile.ErrNothingCommon) && !errors.Is(got, profile.ErrNothingCommon) {
		return fmt.Sprintf("Merge: got error %v, want %v", got, want)
	}
	return ""
}

func diffGroups(got, want []store.Group) string {
	if g, w := groupNames(got), groupNames(want); g != w {
		return fmt.Sprintf("Merge: got groups\n%swant\n%s", g, w)
	}
	for i := range want {
		if g, w := unversioned(got[i].Total), unversioned(want[i].Total); g != w {
			return fmt.Sprintf("Merge: group %v at %d: got %+v, want %+v", want[i].Labels, want[i].Time, g, w)
		}
		if d := Diff(got[i].Profile, want[i].Profile); d != "" {
			return fmt.Sprintf("Merge: group %v at %d: %s", want[i].Labels, want[i].Time, d)
		}
	}
	return ""
}

func groupNames(groups []store.Group) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "%v at %d\n", g.Labels, g.Time)
	}
	return b.String()
}

// unversioned returns t without the version, whose value is the engine's own.
func unversioned(t store.Total) store.Total {
	t.Version = 0
	return t
}

// diffSeries compares series. Of points at equal times a limit may keep any:
// times have to be equal then, and points to be those that there are without it.
func diffSeries(got, want, unlimited []store.Series) string {
	if g, w := pointTimes(got), pointTimes(want); !slices.Equal(g, w) {
		return fmt.Sprintf("Series: got points at %v, want %v", g, w)
	}
	compare := want
	if len(pointTimes(unlimited)) != len(pointTimes(want)) {
		compare = unlimited
	}
	for _, s := range got {
		i := slices.IndexFunc(compare, func(o store.Series) bool { return o.Labels.Compare(s.Labels) == 0 })
		if i < 0 || s.Type != compare[i].Type {
			return fmt.Sprintf("Series: got one of %v, %v, want\n%s", s.Labels, s.Type, points(compare))
		}
		if len(s.Points) == 0 {
			return fmt.Sprintf("Series: got one of %v without points", s.Labels)
		}
		if !slices.IsSortedFunc(s.Points, func(a, b store.Point) int { return int(min(max(a.Time-b.Time, -1), 1)) }) {
			return fmt.Sprintf("Series: points of %v are not by rising time", s.Labels)
		}
		for _, p := range s.Points {
			same := func(o store.Point) bool {
				return o.Time == p.Time && o.ID == p.ID && unversioned(o.Total) == unversioned(p.Total)
			}
			if !slices.ContainsFunc(compare[i].Points, same) {
				return fmt.Sprintf("Series: got of %v the point %+v, want one of %+v", s.Labels, p, compare[i].Points)
			}
		}
	}
	if !slices.IsSortedFunc(got, func(a, b store.Series) int { return a.Labels.Compare(b.Labels) }) {
		return "Series: series are not by their labels"
	}
	return ""
}

func pointTimes(all []store.Series) []int64 {
	var out []int64
	for _, s := range all {
		for _, p := range s.Points {
			out = append(out, p.Time)
		}
	}
	slices.Sort(out)
	return out
}

func diffNames(got, want []store.LabelValues) string {
	if len(got) == len(want) && (len(got) == 0 || reflect.DeepEqual(got, want)) {
		return ""
	}
	return fmt.Sprintf("Labels: got %v, want %v", got, want)
}

// allNames are names and values without a query.
func allNames(t testing.TB, s store.Store) string {
	t.Helper()
	names, err := s.Labels(context.Background(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(names)
}

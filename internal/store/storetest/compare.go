package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Diff returns how two profiles differ, "" if they say the same: the same
// values for the same stacks and labels, and the same header. Nothing but that
// counts: neither the order of anything, nor samples of zeros, nor equal samples
// that are not added up, nor where in memory a program was loaded.
func Diff(got, want *profile.Profile) string {
	var b strings.Builder
	header := func(what string, got, want any) {
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			fmt.Fprintf(&b, "%s: got %s, want %s\n", what, g, w)
		}
	}
	header("sample types", sortedTypes(got), sortedTypes(want))
	header("period type", got.PeriodType, want.PeriodType)
	header("period", got.Period, want.Period)
	header("time", got.TimeNanos, want.TimeNanos)
	header("duration", got.DurationNanos, want.DurationNanos)
	header("comments", sorted(got.Comments), sorted(want.Comments))
	if b.Len() > 0 {
		return b.String()
	}
	g, w := samplesByStack(got), samplesByStack(want)
	var keys []string
	for k := range g {
		keys = append(keys, k)
	}
	for k := range w {
		if g[k] == nil {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	differ := 0
	for _, k := range keys {
		if slices.Equal(g[k], w[k]) {
			continue
		}
		if differ++; differ <= 3 {
			fmt.Fprintf(&b, "got %v, want %v for\n%s", g[k], w[k], k)
		}
	}
	if differ > 3 {
		fmt.Fprintf(&b, "and %d more of %d samples differ\n", differ-3, len(keys))
	}
	return b.String()
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

func sortedTypes(p *profile.Profile) []profile.ValueType {
	return slices.SortedFunc(slices.Values(p.SampleTypes), compareTypes)
}

func compareTypes(a, b profile.ValueType) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Unit, b.Unit))
}

// samplesByStack returns the values of a profile's sample types, in their order by
// name, by stack and labels in words. Samples of zeros are left out.
func samplesByStack(p *profile.Profile) map[string][]int64 {
	columns := make([]int, len(p.SampleTypes))
	for t := range columns {
		columns[t] = t
	}
	slices.SortFunc(columns, func(a, b int) int { return compareTypes(p.SampleTypes[a], p.SampleTypes[b]) })
	locations := make([]string, len(p.Locations))
	for l := range locations {
		locations[l] = location(p, uint32(l))
	}
	out := map[string][]int64{}
	for s := range p.NumSamples() {
		var key strings.Builder
		for _, l := range p.Stack(s) {
			key.WriteString(locations[l])
		}
		for _, l := range p.SampleLabelSet(s) {
			fmt.Fprintf(&key, "    %q = %q", p.Strings[l.Key], p.Strings[l.Str])
			if l.Numeric {
				fmt.Fprintf(&key, " %d %q %v", l.Num, p.Strings[l.Unit], l.HasUnit)
			}
			key.WriteByte('\n')
		}
		k := key.String()
		if out[k] == nil {
			out[k] = make([]int64, len(columns))
		}
		for i, t := range columns {
			out[k][i] += p.Values[t][s]
		}
	}
	for k, values := range out {
		if !slices.ContainsFunc(values, func(v int64) bool { return v != 0 }) {
			delete(out, k)
		}
	}
	return out
}

// location returns a location in words: the lines, and the address in the
// mapping, which doesn't depend on where the mapping is.
func location(p *profile.Profile, l uint32) string {
	loc := &p.Locations[l]
	address := loc.Address
	var b strings.Builder
	b.WriteString("    at ")
	if m := p.MappingOf(l); m != nil {
		address -= m.Start
		size := (m.Limit - m.Start + 0xfff) / 0x1000
		fmt.Fprintf(&b, "%q+%x/%x:", cmp.Or(m.BuildID, m.File), m.Offset, size)
	}
	b.WriteString(strconv.FormatUint(address, 16))
	if loc.Folded {
		b.WriteString(" folded")
	}
	for _, ln := range p.LocationLines(l) {
		f := &p.Functions[ln.Function]
		fmt.Fprintf(&b, " %q", p.Strings[f.Name])
		if system := p.Strings[f.SystemName]; system != p.Strings[f.Name] {
			fmt.Fprintf(&b, " (%q)", system)
		}
		fmt.Fprintf(&b, " %s:%d from %d:%d", p.Strings[f.File], ln.Line, f.StartLine, ln.Column)
	}
	b.WriteByte('\n')
	return b.String()
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
			return fmt.Sprintf("Series: got one of %v, %v, want\n%s", s.Labels, s.Type, pointLines(compare))
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

// groupLines tells groups as labels and value, one line each.
func groupLines(groups []store.Group) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "%v %s %d of %d\n", g.Labels, when(g.Time), g.Value, g.Profiles)
	}
	return b.String()
}

// pointLines tells series as labels and points, one line each.
func pointLines(all []store.Series) string {
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

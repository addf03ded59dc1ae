package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// unit is a unit of measurement with the names it goes by, in lower case and
// singular, and its size in the base unit of its kind.
type unit struct {
	name    string
	aliases []string
	factor  float64
}

// unitKind is a family of units that convert into each other.
type unitKind struct {
	units    []unit // ascending by factor
	fallback unit   // used where a value is below all units, or the target unit is unknown
}

var unitKinds = []unitKind{
	{
		units: []unit{
			{"B", []string{"b", "byte"}, 1},
			{"kB", []string{"kb", "kbyte", "kilobyte"}, 1 << 10},
			{"MB", []string{"mb", "mbyte", "megabyte"}, 1 << 20},
			{"GB", []string{"gb", "gbyte", "gigabyte"}, 1 << 30},
			{"TB", []string{"tb", "tbyte", "terabyte"}, 1 << 40},
			{"PB", []string{"pb", "pbyte", "petabyte"}, 1 << 50},
		},
		fallback: unit{name: "B", factor: 1},
	},
	{
		units: []unit{
			{"ns", []string{"ns", "nanosecond"}, float64(time.Nanosecond)},
			{"us", []string{"μs", "us", "microsecond"}, float64(time.Microsecond)},
			{"ms", []string{"ms", "millisecond"}, float64(time.Millisecond)},
			{"s", []string{"s", "sec", "second"}, float64(time.Second)},
			{"hrs", []string{"hour", "hr"}, float64(time.Hour)},
		},
		fallback: unit{name: "s", factor: float64(time.Second)},
	},
	{
		// Google compute units.
		units: []unit{
			{"n*GCU", []string{"nanogcu"}, 1e-9},
			{"u*GCU", []string{"microgcu"}, 1e-6},
			{"m*GCU", []string{"milligcu"}, 1e-3},
			{"GCU", []string{"gcu"}, 1},
			{"k*GCU", []string{"kilogcu"}, 1e3},
			{"M*GCU", []string{"megagcu"}, 1e6},
			{"G*GCU", []string{"gigagcu"}, 1e9},
			{"T*GCU", []string{"teragcu"}, 1e12},
			{"P*GCU", []string{"petagcu"}, 1e15},
		},
		fallback: unit{name: "GCU", factor: 1},
	},
}

// find returns the unit that name stands for.
func (k *unitKind) find(name string) (unit, bool) {
	name = strings.ToLower(name)
	if len(name) > 2 {
		name = strings.TrimSuffix(name, "s")
	}
	for _, u := range k.units {
		for _, a := range u.aliases {
			if a == name {
				return u, true
			}
		}
	}
	return unit{}, false
}

// Convert converts v from one unit to another. The target may be "auto" or
// "minimum": the largest unit in which v is at least 1. The unit returned is
// "" where there is nothing worth printing, such as for counts.
func Convert(v int64, from, to string) (float64, string) {
	if v < 0 && -v > 0 {
		f, u := Convert(-v, from, to)
		return -f, u
	}
	for i := range unitKinds {
		k := &unitKinds[i]
		src, ok := k.find(from)
		if !ok {
			continue
		}
		base := float64(v) * src.factor
		if to == "auto" || to == "minimum" {
			best := k.fallback
			for _, u := range k.units {
				if base/u.factor >= 1 {
					best = u
				}
			}
			return base / best.factor, best.name
		}
		dst, ok := k.find(to)
		if !ok {
			dst = k.fallback
		}
		return base / dst.factor, dst.name
	}
	switch to {
	case "count", "sample", "unit", "minimum", "auto":
		return float64(v), ""
	}
	return float64(v), to
}

// ErrNothingCommon is the error of profiles that can't be added up or compared
// because they measure different things.
var ErrNothingCommon = errors.New("profiles have no sample type in common")

// A differError is an ErrNothingCommon of profiles whose types have equal names.
type differError struct {
	what string
	err  error
}

func (e *differError) Error() string        { return e.what + " of profiles differ: " + e.err.Error() }
func (e *differError) Is(target error) bool { return target == ErrNothingCommon }

// Align makes profiles fit to be merged: it keeps the sample types that all of
// them have, by name and in the order of the first, and converts values to the
// finest unit that any of them uses. It fails with [ErrNothingCommon] if there is
// no common sample type, or units don't convert into each other.
func Align(ps []*Profile) ([]*Profile, error) {
	count := map[string]int{}
	for _, p := range ps {
		for _, t := range p.SampleTypes {
			count[t.Type]++
		}
	}
	var common []string
	for _, t := range ps[0].SampleTypes {
		if count[t.Type] == len(ps) {
			common = append(common, t.Type)
		}
	}
	if len(common) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNothingCommon, typeNames(ps))
	}
	out := make([]*Profile, len(ps))
	for i, p := range ps {
		out[i] = withSampleTypes(p, common)
	}
	period, err := finest(out, func(p *Profile) ValueType { return p.PeriodType })
	if err != nil {
		return nil, &differError{"period types", err}
	}
	types := make([]ValueType, len(common))
	for t := range common {
		if types[t], err = finest(out, func(p *Profile) ValueType { return p.SampleTypes[t] }); err != nil {
			return nil, &differError{"sample types", err}
		}
	}
	for i, p := range out {
		out[i] = withUnits(p, period, types)
	}
	return out, nil
}

// withSampleTypes returns p with just the named sample types, in that order.
func withSampleTypes(p *Profile, names []string) *Profile {
	same := len(names) == len(p.SampleTypes)
	for i := 0; same && i < len(names); i++ {
		same = names[i] == p.SampleTypes[i].Type
	}
	if same {
		return p
	}
	q := *p
	q.DefaultSampleType = names[0]
	q.SampleTypes, q.Values = nil, nil
	for _, name := range names {
		if name == p.DefaultSampleType {
			q.DefaultSampleType = name
		}
		for t, st := range p.SampleTypes {
			if st.Type == name {
				q.SampleTypes = append(q.SampleTypes, st)
				q.Values = append(q.Values, p.Values[t])
				break
			}
		}
	}
	return &q
}

// finest returns the value type with the finest unit among those of profiles.
func finest(ps []*Profile, of func(*Profile) ValueType) (ValueType, error) {
	least := of(ps[0])
	for _, p := range ps[1:] {
		t := of(p)
		if !sameKind(least, t) {
			return least, fmt.Errorf("incompatible types: {%s %s} {%s %s}", least.Type, least.Unit, t.Type, t.Unit)
		}
		if ratio, _ := Convert(1, t.Unit, least.Unit); ratio < 1 {
			least = t
		}
	}
	return least, nil
}

// withUnits returns p with the units of the given types.
func withUnits(p *Profile, period ValueType, types []ValueType) *Profile {
	ratios := make([]float64, len(types))
	same := p.PeriodType.Unit == period.Unit
	for t, st := range p.SampleTypes {
		ratios[t], _ = Convert(1, st.Unit, types[t].Unit)
		same = same && st.Unit == types[t].Unit
	}
	if same {
		return p
	}
	q := *p
	v, _ := Convert(p.Period, p.PeriodType.Unit, period.Unit)
	q.Period, q.PeriodType.Unit = int64(v), period.Unit
	q.SampleTypes = append([]ValueType(nil), p.SampleTypes...)
	for t := range q.SampleTypes {
		q.SampleTypes[t].Unit = types[t].Unit
	}
	return Scale(&q, ratios...)
}

// typeNames tells the sample types of the first profile and of the first one
// that has others.
func typeNames(ps []*Profile) string {
	var lists []string
	for _, p := range ps {
		names := make([]string, len(p.SampleTypes))
		for i, t := range p.SampleTypes {
			names[i] = t.Type
		}
		if list := strings.Join(names, ", "); !slices.Contains(lists, list) {
			lists = append(lists, list)
		}
		if len(lists) == 2 {
			break
		}
	}
	return strings.Join(lists, " and ")
}

// sameKind reports whether values of two types may be added up: their names are
// equal but for a final s, and their units convert into each other.
func sameKind(a, b ValueType) bool {
	if strings.TrimSuffix(a.Type, "s") != strings.TrimSuffix(b.Type, "s") {
		return false
	}
	if a.Unit == b.Unit {
		return true
	}
	for i := range unitKinds {
		_, okA := unitKinds[i].find(a.Unit)
		_, okB := unitKinds[i].find(b.Unit)
		if okA && okB {
			return true
		}
	}
	return false
}

package advisor

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// memoryOf is a profile of slow.Valid with some columns, all of the same value.
func memoryOf(dir string, value int64, types ...string) *profile.Profile {
	var columns []profile.ValueType
	var values []int64
	for _, t := range types {
		columns, values = append(columns, profile.ValueType{Type: t, Unit: "bytes"}), append(values, value)
	}
	b := profile.NewBuilder(columns...)
	at := b.Location(0, 0, profile.Line{Function: b.Function("example.com/slow.Valid", "", filepath.Join(dir, "slow.go"), 6), Line: 7})
	b.Sample([]uint32{at}, nil, values...)
	return b.Profile()
}

// What kinds heap and allocs both have counts once, whichever comes first.
func TestCountOnce(t *testing.T) {
	all := []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}
	for _, c := range []struct {
		name  string
		types [][]string
		want  [][]string
	}{
		{"the agent's", [][]string{all[:2], all[2:]}, [][]string{all[:2], all[2:]}},
		{"allocs first", [][]string{all[:2], all}, [][]string{all[:2], all[2:]}},
		{"heap first", [][]string{all, all[:2]}, [][]string{all, nil}},
		{"both with all", [][]string{all, all}, [][]string{all, nil}},
		{"locks", [][]string{{"contentions", "delay"}, {"contentions", "delay"}}, [][]string{{"contentions", "delay"}, {"contentions", "delay"}}},
	} {
		m, _ := slow(t)
		var inputs []advice.Input
		var before []*profile.Profile
		for _, types := range c.types {
			p := memoryOf(m.Dir, 64<<20, types...)
			before = append(before, p)
			inputs = append(inputs, advice.Input{Profile: p, Subject: "api"})
		}
		CountOnce(inputs)
		for i, in := range inputs {
			var got []string
			for _, t := range in.Profile.SampleTypes {
				got = append(got, t.Type)
			}
			if !slices.Equal(got, c.want[i]) || len(in.Profile.Values) != len(got) {
				t.Errorf("%s: profile %d has %q and %d columns, want %q", c.name, i, got, len(in.Profile.Values), c.want[i])
			}
			if len(before[i].SampleTypes) != len(c.types[i]) {
				t.Errorf("%s: the profile itself was changed", c.name)
			}
		}
		if _, err := m.Examine(t.Context(), inputs, advice.Options{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

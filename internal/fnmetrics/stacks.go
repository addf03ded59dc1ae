package fnmetrics

import (
	"slices"

	"github.com/hone-go/hone/profile"
)

// A member is what functions of a rule have in common: a series of the rule has the cost of
// one member in one group of profiles.
type member struct{ function, pkg string }

// members numbers the members of a rule, and tells which of them a frame belongs to. The
// patterns are matched once per function of a table.
type members struct {
	rule   *Rule
	table  *profile.FrameTable
	list   []member
	number map[member]int32
	of     []int32 // by frame: number plus 1, 0 if not known yet, -1 for frames of no member
}

func newMembers(r *Rule, t *profile.FrameTable) *members {
	return &members{rule: r, table: t, number: map[member]int32{}}
}

// slot returns the number of a frame's member, -1 for none.
func (m *members) slot(frame uint32) int32 {
	if n := int(frame) + 1; n > len(m.of) {
		m.of = append(m.of, make([]int32, max(n, m.table.Len())-len(m.of))...)
	}
	if m.of[frame] == 0 {
		m.of[frame] = -1
		if one, ok := m.rule.member(m.table.Frame(frame)); ok {
			n, known := m.number[one]
			if !known {
				n = int32(len(m.list))
				m.number[one], m.list = n, append(m.list, one)
			}
			m.of[frame] = n + 1
		}
	}
	return max(m.of[frame]-1, -1)
}

// member returns the member that a function belongs to. ok is false if the rule doesn't
// select it.
func (r *Rule) member(f profile.Frame) (one member, ok bool) {
	if r.functions != nil && !r.functions.MatchString(f.Name) {
		return one, false
	}
	if r.packages != nil || r.byPackage {
		one.pkg = f.Package()
	}
	if r.packages != nil && !r.packages.MatchString(one.pkg) {
		return one, false
	}
	if !r.byPackage {
		one.pkg = ""
	}
	if r.byFunction {
		one.function = f.Name
	}
	return one, true
}

// stacks are the samples of a profile in one column of values.
type stacks struct {
	profile *profile.Profile
	frames  *profile.FrameMap
	values  []int64
}

// total returns the sum of all values.
func (s *stacks) total() (sum int64) {
	for _, v := range s.values {
		sum += v
	}
	return sum
}

// costs adds up values by slot. A sample counts for the slot of its leaf, or with callees for
// those of all its frames, once for each. slot returns -1 for frames that don't count.
func (s *stacks) costs(slot func(frame uint32) int32, callees bool) []int64 {
	var sums []int64
	var of []int32 // slots of the sample
	for i, v := range s.values {
		if v == 0 {
			continue
		}
		of = of[:0]
		for _, location := range s.profile.Stack(i) {
			for _, f := range s.frames.At(location) {
				if n := slot(f.Index()); n >= 0 && !slices.Contains(of, n) {
					of = append(of, n)
				}
				if !callees {
					break
				}
			}
			if !callees {
				break
			}
		}
		for _, n := range of {
			if int(n) >= len(sums) {
				sums = append(sums, make([]int64, int(n)+1-len(sums))...)
			}
			sums[n] += v
		}
	}
	return sums
}

package steps

import (
	"bytes"
	"sort"
	"strings"
)

type key [4]byte

type slot struct {
	fk   key
	name string
	seq  uint32
	next *slot
}

func compareKeys(a, b key) int { return bytes.Compare(a[:], b[:]) }

func (s *slot) compare(o *slot) int { return int(s.seq) - int(o.seq) }

func (k key) equal(o key) bool { return k == o }

func sorted(run []*slot) {
	// want B: SortStableFunc
	sort.SliceStable(run, func(i, j int) bool { // hot: sort.SliceStable
		a, b := run[i], run[j]
		if c := compareKeys(a.fk, b.fk); c != 0 {
			return c < 0
		}
		return a.seq < b.seq
	})
}

func named(all []slot) {
	// want B: SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		if d := strings.Compare(all[i].name, all[j].name); d != 0 {
			return d > 0
		}
		return all[i].next.compare(all[j].next) < 0
	})
}

// others can't be read as comparisons.
func others(all []*slot, less func(a, b *slot) bool, by func(a, b *slot) int) {
	// want C: SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		return less(all[i], all[j])
	})
	// want C: SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		if c := compareKeys(all[i].fk, all[j].fk); c != 0 {
			return c > 0
		}
		return all[i].seq < all[j].seq
	})
	// want C: SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		return by(all[i], all[j]) > 0
	})
	// want C: SortFunc
	sort.Slice(all, func(i, j int) bool { // hot: sort.Slice
		if c := compareKeys(all[i].fk, all[0].fk); c != 0 {
			return c < 0
		}
		return all[i].seq < all[j].seq
	})
}

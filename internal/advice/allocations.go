package advice

import (
	"maps"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// Allocations are what profiles show of the memory that a line allocates.
type Allocations struct {
	line     *hot
	evidence *evidence
}

// Allocates returns the line's own share of bytes, objects or time spent on allocation, whichever is
// largest, in the subject where it is largest. Its callees are not included.
func (a *Allocations) Allocates() float64 {
	own := make(matched)
	for _, k := range a.line.chains {
		if !k.toLeaf || len(k.below) > 0 && !(strings.HasPrefix(k.below[0], "runtime.") && slices.ContainsFunc(k.below, allocation)) {
			continue
		}
		for subject, v := range k.values {
			sum := own.of(subject)
			sum[allocBytes] += v[allocBytes]
			sum[allocBlocks] += v[allocBlocks]
			if len(k.below) > 0 {
				sum[cpuTime] += v[cpuTime]
			}
		}
	}
	return a.evidence.largest(own)
}

// AllocatesMost returns the function called by the line that allocates the largest share of the
// bytes or objects in some subject, including what it calls; "" if none allocates. It skips
// functions of the user's own modules, of the runtime, and those that call the user's code
// again.
func (a *Allocations) AllocatesMost() (name string, share float64) {
	by := make(map[string]matched)
	for _, k := range a.line.chains {
		if !k.toLeaf || len(k.below) == 0 || strings.HasPrefix(k.below[0], "runtime.") {
			continue
		}
		m := by[k.below[0]]
		if m == nil {
			m = make(matched)
			by[k.below[0]] = m
		}
		for subject, v := range k.values {
			sum := m.of(subject)
			sum[allocBytes] += v[allocBytes]
			sum[allocBlocks] += v[allocBlocks]
		}
	}
	for _, callee := range slices.Sorted(maps.Keys(by)) {
		if w := a.evidence.largest(by[callee]); w > share {
			name, share = callee, w
		}
	}
	return name, share
}

// Unallocated reports whether profiles show no allocation on the line or below it: there is a memory
// profile of each subject that has the line, and none has a block from it. A profile with few samples
// may lack rare allocations.
func (a *Allocations) Unallocated() bool {
	for subject, v := range a.line.match(about{}) {
		if a.evidence.totals[subject][allocBlocks] == 0 || v[allocBlocks] > 0 {
			return false
		}
	}
	return true
}

// Blocks returns how many block sizes the line itself allocates, in the subject with the most: each
// subject may have its own size.
func (a *Allocations) Blocks() int {
	most := 0
	for _, blocks := range a.line.blocks {
		most = max(most, len(blocks))
	}
	return most
}

// BlockSizes returns the block sizes that the line itself allocates, in bytes, ascending, for each
// subject that has some.
func (a *Allocations) BlockSizes() [][]int64 {
	var all [][]int64
	for _, blocks := range a.line.blocks {
		all = append(all, slices.Sorted(maps.Keys(blocks)))
	}
	return all
}

// Allocated returns the share of the line's own allocated bytes in blocks of sizes that is accepts; 1
// if sizes are unknown.
func (a *Allocations) Allocated(is func(size int64) bool) float64 {
	all, some := 0.0, 0.0
	for _, blocks := range a.line.blocks {
		for size, n := range blocks {
			all += float64(size * n)
			if is(size) {
				some += float64(size * n)
			}
		}
	}
	if all == 0 {
		return 1
	}
	return some / all
}

// BlockSize returns the average size of blocks allocated by functions matching re below the line, in
// the subject where it is largest; 0 if they allocate nothing.
func (a *Allocations) BlockSize(re *lazyregexp.Regexp) int64 {
	most := int64(0)
	for _, v := range a.line.match(about{frames: re}) {
		if v[allocBlocks] > 0 {
			most = max(most, v[allocBytes]/v[allocBlocks])
		}
	}
	return most
}

// BlocksFor returns how many blocks the line itself allocates per block allocated by functions
// matching re below it, in all subjects together. ok is false if they allocate none.
func (a *Allocations) BlocksFor(re *lazyregexp.Regexp) (n float64, ok bool) {
	blocks := func(part about) (n int64) {
		for _, v := range a.line.match(part) {
			n += v[allocBlocks]
		}
		return n
	}
	own, below := blocks(about{own: true}), blocks(about{frames: re})
	return float64(own) / float64(below), below > 0
}

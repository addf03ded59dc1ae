package advice

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// Costs are what profiles show for a line.
type Costs struct {
	hot  *hot
	seen *evidence
}

// Share returns the share of CPU time, bytes or objects, whichever is largest, of functions matching
// re that the line calls, in the subject where it is largest.
func (c *Costs) Share(re *lazyregexp.Regexp) float64 {
	return c.seen.largest(c.hot.match(about{frames: re}))
}

// Allocates returns the line's own share of bytes, objects or time spent on allocation, whichever is
// largest, in the subject where it is largest. Its callees are not included.
func (c *Costs) Allocates() float64 {
	own := make(matched)
	for _, k := range c.hot.chains {
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
	return c.seen.largest(own)
}

// AllocatesMost returns the function called by the line that allocates the largest share of the
// bytes or objects in some subject, including what it calls; "" if none allocates. It skips
// functions of the user's own modules, of the runtime, and those that call the user's code
// again.
func (c *Costs) AllocatesMost() (name string, share float64) {
	by := make(map[string]matched)
	for _, k := range c.hot.chains {
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
		if w := c.seen.largest(by[callee]); w > share {
			name, share = callee, w
		}
	}
	return name, share
}

// Unallocated reports whether profiles show no allocation on the line or below it: there is a memory
// profile of each subject that has the line, and none has a block from it. A profile with few samples
// may lack rare allocations.
func (c *Costs) Unallocated() bool {
	for subject, v := range c.hot.match(about{}) {
		if c.seen.totals[subject][allocBlocks] == 0 || v[allocBlocks] > 0 {
			return false
		}
	}
	return true
}

// Flat returns the share of CPU time of the line itself, without its callees, in the subject where it
// is largest.
func (c *Costs) Flat() float64 {
	own := make(matched)
	c.hot.flat(own)
	return c.seen.largest(own)
}

// Parallel reports whether more than one CPU ran the program, apart from garbage collection, in a
// subject where functions matching re below the line take time. If profiles don't have their duration,
// it is assumed.
func (c *Costs) Parallel(re *lazyregexp.Regexp) bool {
	for subject, v := range c.hot.match(about{frames: re}) {
		span := c.seen.spans[subject]
		// A fifth is allowed for the runtime's own work, and for clocks.
		if v[cpuTime] > 0 && (span <= 0 || float64(c.seen.totals[subject][cpuTime]-c.seen.gc[subject]) > 1.2*float64(span)) {
			return true
		}
	}
	return false
}

// OnMain reports whether only the main goroutine has run the line, as in a tool that does its work in
// main.
func (c *Costs) OnMain() bool {
	var all values
	for _, v := range c.hot.match(about{}) {
		all.add(v)
	}
	return all == c.hot.main && all != (values{})
}

// Blocks returns how many block sizes the line itself allocates, in the subject with the most: each
// subject may have its own size.
func (c *Costs) Blocks() int {
	most := 0
	for _, blocks := range c.hot.blocks {
		most = max(most, len(blocks))
	}
	return most
}

// BlockSizes returns the block sizes that the line itself allocates, in bytes, ascending, for each
// subject that has some.
func (c *Costs) BlockSizes() [][]int64 {
	var all [][]int64
	for _, blocks := range c.hot.blocks {
		all = append(all, slices.Sorted(maps.Keys(blocks)))
	}
	return all
}

// Allocated returns the share of the line's own allocated bytes in blocks of sizes that is accepts; 1
// if sizes are unknown.
func (c *Costs) Allocated(is func(size int64) bool) float64 {
	all, some := 0.0, 0.0
	for _, blocks := range c.hot.blocks {
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
func (c *Costs) BlockSize(re *lazyregexp.Regexp) int64 {
	most := int64(0)
	for _, v := range c.hot.match(about{frames: re}) {
		if v[allocBlocks] > 0 {
			most = max(most, v[allocBytes]/v[allocBlocks])
		}
	}
	return most
}

// BlocksFor returns how many blocks the line itself allocates per block allocated by functions
// matching re below it, in all subjects together. ok is false if they allocate none.
func (c *Costs) BlocksFor(re *lazyregexp.Regexp) (n float64, ok bool) {
	blocks := func(a about) (n int64) {
		for _, v := range c.hot.match(a) {
			n += v[allocBlocks]
		}
		return n
	}
	own, below := blocks(about{own: true}), blocks(about{frames: re})
	return float64(own) / float64(below), below > 0
}

// Callees returns the functions that profiles show directly below the line, sorted, except those of
// the user's own modules.
func (c *Costs) Callees() []string {
	var names []string
	for _, k := range c.hot.chains {
		if len(k.below) > 0 {
			names = append(names, k.below[0])
		}
	}
	return unique(names)
}

// Reached returns the functions matching re that the line calls, directly or through functions
// matching through, sorted, except those of the user's own modules.
func (c *Costs) Reached(re, through *lazyregexp.Regexp) []string {
	var names []string
	for _, k := range c.hot.chains {
		for _, name := range k.below {
			if re.MatchString(name) {
				names = append(names, name)
				break
			}
			if !through.MatchString(name) {
				break
			}
		}
	}
	return unique(names)
}

// unique returns the names sorted and without repetition.
func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// A Wait is what profiles show of the waiting at a line.
type Wait struct {
	Share float64       // of all waiting of its kind in the subject
	Time  time.Duration // of all goroutines together
	Times int64         // that some goroutine waited; 0 if unknown
}

// LockWait returns how long others waited for locks that the line releases by calling functions
// matching re, in the subject where the share is largest.
func (c *Costs) LockWait(re *lazyregexp.Regexp) Wait { return c.wait(re, mutexTime, mutexTimes) }

// BlockWait returns how long the line waited in functions matching re that it calls.
func (c *Costs) BlockWait(re *lazyregexp.Regexp) Wait { return c.wait(re, blockTime, blockTimes) }

func (c *Costs) wait(re *lazyregexp.Regexp, d, times dimension) (most Wait) {
	sums := make(matched)
	for _, k := range c.hot.chains {
		if len(k.below) == 0 || !re.MatchString(k.below[0]) {
			continue
		}
		for subject, v := range k.values {
			sums.of(subject).add(v)
		}
	}
	for subject, v := range sums {
		if share := c.seen.share(v[d], subject, d); share > most.Share {
			most = Wait{share, time.Duration(v[d]), v[times]}
		}
	}
	return most
}

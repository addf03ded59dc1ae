package advice

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// Costs are what profiles say of a line.
type Costs struct {
	hot  *hot
	seen *evidence
}

// Share returns the part of the CPU time, the bytes or the objects, whichever is
// largest, that functions matching re below the line have in some subject.
func (c *Costs) Share(re *lazyregexp.Regexp) float64 {
	return c.seen.largest(c.hot.match(about{frames: re}))
}

// Allocates returns the part of the bytes or objects, or of the time in allocating,
// whichever is largest, that the line itself has in some subject: what it calls is not
// counted.
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

// AllocatesMost returns the function that, called by the line, allocates the largest part of the
// bytes or objects in some subject, with what it calls; "" if none allocates. Functions of the
// user's own modules and those of the runtime are not among them, nor those that call the
// user's again.
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

// Unallocated reports whether nothing is seen to be allocated on the line or below it: there
// are profiles of memory of each subject that has it, and none has a block of it. A profile
// that takes few samples may lack what is allocated seldom.
func (c *Costs) Unallocated() bool {
	for subject, v := range c.hot.match(about{}) {
		if c.seen.totals[subject][allocBlocks] == 0 || v[allocBlocks] > 0 {
			return false
		}
	}
	return true
}

// Flat returns the part of the CPU time that the line itself has, without what it
// calls, in some subject.
func (c *Costs) Flat() float64 {
	own := make(matched)
	c.hot.flat(own)
	return c.seen.largest(own)
}

// Parallel reports whether more than one processor ran the program, collecting garbage
// aside, in some subject where functions matching re below the line take time. Where
// profiles don't say how long they were collected, it may have been so.
func (c *Costs) Parallel(re *lazyregexp.Regexp) bool {
	for subject, v := range c.hot.match(about{frames: re}) {
		span := c.seen.spans[subject]
		// A fifth for what the runtime does beside the program, and for clocks.
		if v[cpuTime] > 0 && (span <= 0 || float64(c.seen.totals[subject][cpuTime]-c.seen.gc[subject]) > 1.2*float64(span)) {
			return true
		}
	}
	return false
}

// OnMain reports whether nothing but the goroutine that a program begins with has run the
// line, which is a tool's way of doing what it was started for.
func (c *Costs) OnMain() bool {
	var all values
	for _, v := range c.hot.match(about{}) {
		all.add(v)
	}
	return all == c.hot.main && all != (values{})
}

// Blocks returns how many sizes of blocks the line itself allocates, in the subject where
// these are most: of different subjects each may have its own size.
func (c *Costs) Blocks() int {
	most := 0
	for _, blocks := range c.hot.blocks {
		most = max(most, len(blocks))
	}
	return most
}

// BlockSizes returns the sizes of blocks that the line itself allocates in each subject that has
// some, in bytes, ascending.
func (c *Costs) BlockSizes() [][]int64 {
	var all [][]int64
	for _, blocks := range c.hot.blocks {
		all = append(all, slices.Sorted(maps.Keys(blocks)))
	}
	return all
}

// Allocated returns the part of the bytes that the line itself allocates which is in
// blocks of sizes that is says yes to; 1 if sizes are unknown.
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

// BlockSize returns how many bytes a block has that functions matching re below the line allocate,
// on average, in the subject where these are most; 0 if they allocate nothing.
func (c *Costs) BlockSize(re *lazyregexp.Regexp) int64 {
	most := int64(0)
	for _, v := range c.hot.match(about{frames: re}) {
		if v[allocBlocks] > 0 {
			most = max(most, v[allocBytes]/v[allocBlocks])
		}
	}
	return most
}

// BlocksFor returns how many blocks the line itself allocates for each of those that functions
// matching re below it do, in all subjects together; ok is false where these have none.
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

// Callees returns the functions that profiles show directly below the line, sorted;
// those of the user's own modules are not among them.
func (c *Costs) Callees() []string {
	var names []string
	for _, k := range c.hot.chains {
		if len(k.below) > 0 {
			names = append(names, k.below[0])
		}
	}
	return unique(names)
}

// Reached returns the functions matching re that profiles show the line to call, or those
// matching through that it calls; those of the user's own modules are not among them. Sorted.
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

// unique returns names sorted, and each once.
func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// A Wait is what profiles of waiting say of a line.
type Wait struct {
	Share float64       // of all waiting of its kind in the subject
	Time  time.Duration // of all goroutines together
	Times int64         // that some goroutine waited; 0 if unknown
}

// LockWait returns how long others waited for locks that the line lets go in functions
// matching re, which it calls itself, in the subject where that is the largest part.
func (c *Costs) LockWait(re *lazyregexp.Regexp) Wait { return c.wait(re, mutexTime, mutexTimes) }

// BlockWait returns how long the line waited in functions matching re that it calls
// itself.
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

package advice

import (
	"maps"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// Costs are what profiles show for a line, apart from what [Allocations] have.
type Costs struct {
	hot  *hot
	seen *evidence
}

// Share returns the share of CPU time, bytes or objects, whichever is largest, of functions matching
// re that the line calls, in the subject where it is largest.
func (c *Costs) Share(re *lazyregexp.Regexp) float64 {
	return c.seen.largest(c.hot.match(about{frames: re}))
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

// HasMutexProfile reports whether a profile shows who held the locks that others waited for.
func (c *Costs) HasMutexProfile() bool {
	return slices.ContainsFunc(c.seen.totals, func(v values) bool { return v[mutexTime] > 0 })
}

// locks matches functions that wait for a mutex.
var locks = lazyregexp.New(`^sync\.\(\*(RW)?Mutex\)\.R?Lock$`)

// LockedOut returns how long the line waited for a mutex that it locks. The share is that of all waiting for
// mutexes: a block profile is full of goroutines that wait for work.
func (c *Costs) LockedOut() Wait {
	most := c.wait(locks, blockTime, blockTimes)
	if most.Time == 0 {
		return most
	}
	all := int64(0)
	for _, h := range c.seen.lines {
		for _, k := range h.chains {
			if len(k.below) > 0 && locks.MatchString(k.below[0]) {
				for _, v := range k.values {
					all += v[blockTime]
				}
			}
		}
	}
	most.Share = float64(most.Time) / float64(all)
	return most
}

// Profiled reports whether a profile has one of some lines of a file.
func (c *Costs) Profiled(file string, first, last int) bool {
	for at := range c.seen.lines {
		if at.file == file && int64(first) <= at.line && at.line <= int64(last) {
			return true
		}
	}
	return false
}

// WaitingFrom returns the share of the line's waiting that happened when a line that is accepted had called the
// line's function.
func (c *Costs) WaitingFrom(accept func(file string, line int) bool) float64 {
	waited := func(m matched) (n int64) {
		for _, v := range m {
			n += v[mutexTime] + v[blockTime]
		}
		return n
	}
	all, some := waited(c.hot.match(about{})), int64(0)
	for at, m := range c.hot.callers {
		if accept(at.file, int(at.line)) {
			some += waited(m)
		}
	}
	if all == 0 {
		return 0
	}
	return float64(some) / float64(all)
}

// HasCPUProfile reports whether some profile has CPU time.
func (c *Costs) HasCPUProfile() bool {
	return slices.ContainsFunc(c.seen.totals, func(v values) bool { return v[cpuTime] > 0 })
}

// A WaitIn is how long goroutines waited in a function that a line calls.
type WaitIn struct {
	Function string // as profiles name it
	Wait
}

// Waits returns how long goroutines waited on the line, by the function that it calls, in all subjects together.
func (c *Costs) Waits() []WaitIn {
	sums := make(map[string]*values)
	for _, k := range c.hot.chains {
		if len(k.below) == 0 || !k.toLeaf {
			continue
		}
		if sums[k.below[0]] == nil {
			sums[k.below[0]] = new(values)
		}
		for _, v := range k.values {
			sums[k.below[0]].add(v)
		}
	}
	var all []WaitIn
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if v := sums[name]; v[blockTime] > 0 {
			all = append(all, WaitIn{name, Wait{Time: time.Duration(v[blockTime]), Times: v[blockTimes]}})
		}
	}
	return all
}

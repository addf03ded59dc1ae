package compare

import (
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/profile"
)

// An explanation says which functions moved a benchmark's metric.
//
// A profile is a sample and from a run of its own, while the metric has many runs,
// so values are turned into the metric by shares:
//
//	own(f) per operation = own(f) in the profile / total of the profile × cost of an operation
//
// The cost is the median of the base, and of the head that median times the
// change that the comparison found. So what functions do themselves adds up to
// the change of the metric, as it was judged; see attribution for how well each is
// known. What they do with callees does not add up: a callee's is in its caller's.
//
// A profile also notes the number of iterations, or requests, that it is of. Where
// the CPU time per operation is far from the time per operation, since the benchmark waits
// or runs on several cores, shares of the one say nothing of the other. There
//
//	own(f) per operation = own(f) in the profile / iterations
//
// and what is left to the change of the metric is the remainder, with a reason.
//
// A program that allocates little has no sample in a short profile. Where that is so on
// one side, any function may have been all of its cost: those that changed by more are
// rows, and that cost is the remainder.
type explanation struct {
	key        experiment.Key
	what       string // "CPU profiles"
	sampleType string
	base, head float64 // medians in the tidied unit
	unit       string  // tidied
	change     bounded // of the metric, as the comparison found it
	relative   string  // the same as text: -12.30%
	paired     bool    // the change is estimated from pairs, and not from all samples
	ratio      float64 // of the profiles' totals per operation, base to head; 0 if unknown

	// rows are the functions whose own cost changed beyond its noise, the largest
	// change first; those others that did not are one sum. Together with the remainder they
	// are the change.
	rows      []movedRow
	others    int // functions
	othersOwn bounded
	remainder remainder
	// callers are those whose cost with callees changed beyond its noise and that
	// are none of the rows, the largest change first, at most mostCallers.
	callers []movedRow
	tooFew  *tooFew // instead of rows
	caveat  string  // instead of rows, or beside them

	baseProfile, headProfile *profile.Profile // reduced to what counts
}

// A movedRow is a function. Values are of the metric, per operation.
type movedRow struct {
	name, file    string
	own, cum      [2]float64 // of base and head, NaN if not known; cum with callees
	ownChange     bounded    // its interval is not valid of callers
	cumChange     bounded
	isNew, isGone bool
	yours         bool // its code is that of the module
}

// A remainder is what profiles do not see of a change: a wait, or all that a side costs
// whose profile is empty.
type remainder struct {
	value float64
	why   string
}

// tooFew says that there are too few samples to tell what moved a benchmark.
type tooFew struct {
	samples [2]int64
	// long is how long profiles have to be to see a function that changed by as
	// much as the benchmark; 0 if it is not known.
	long time.Duration
}

// explained lists the metrics that profiles explain. A benchmark's allocations are
// in a profile of kind mem, a service's in one of kind allocs.
var explained = map[string]struct {
	kinds            []string
	sampleType, what string
}{
	"sec/op":          {[]string{"cpu"}, "cpu", "CPU profiles"},
	"cpu-sec/op":      {[]string{"cpu"}, "cpu", "CPU profiles"}, // of a service
	"user+sys-sec/op": {[]string{"cpu"}, "cpu", "CPU profiles"}, // experiment.CPUTime, tidied: where it judges
	"B/op":            {[]string{"mem", "allocs"}, "alloc_space", "allocation profiles"},
	"allocs/op":       {[]string{"mem", "allocs"}, "alloc_objects", "allocation profiles"},
}

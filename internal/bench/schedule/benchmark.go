package schedule

import (
	"math"
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// An ID names a benchmark as experiment.Key does.
type ID struct{ Package, Benchmark string }

// A Length is the value of -benchtime: a time, or a number of iterations.
type Length struct {
	Duration   time.Duration
	Iterations int
}

// guess is how long a process may take of which nothing else is known.
func (l Length) guess() time.Duration {
	return l.Duration*14/10 + 50*time.Millisecond // testing approaches the time in steps
}

// Iterations is how many of so many nanoseconds a time has room for.
func Iterations(d time.Duration, nanos float64) int {
	if nanos <= 0 {
		return 1
	}
	return int(min(1e9, max(1, math.Round(float64(d)/nanos))))
}

// Costs are what the processes of a benchmark took so far, by experiment.Side.
type Costs struct {
	Nanos [2]float64 // per iteration
	Bytes [2]float64 // allocated per iteration

	Setup    [2]time.Duration // CPU time of a process but for its iterations; 0: not known
	Overhead time.Duration    // time of a process but for its iterations
}

// mean is the geometric mean of both sides. Where one is much slower, it shares the
// difference: neither takes forever, nor gets too few iterations to time.
func (c *Costs) mean() float64 {
	return math.Sqrt(c.Nanos[experiment.Base] * c.Nanos[experiment.Head])
}

// A benchmark is what the schedule knows of one.
type benchmark struct {
	ID
	n      int    // its place in the plan
	binary string // its test binary: those of one binary share what is linked
	whole  bool   // a sample is one process, and not taken in parts

	costs   Costs
	samples Length // how long those of a comparison are, once calibrated
	failed  bool   // it is not measured any more
	late    bool   // there was no time for the last block
	seen    int    // pairs after which a change was seen that has to be confirmed, 0: none was

	taken map[experiment.Phase]int // samples, of both sides
}

// What a process takes for an iteration differs from one process to the next by far more
// than within one: where its memory lies, who else is on the core and its caches while it
// runs. So a sample of a comparison is the sum of several short processes, in turns with
// those of the other samples of its block. On a machine with neighbours, five processes
// of 100 ms in the place of one of 500 ms halve the standard error, for which one would
// else need four times the time; shorter ones gain nothing more, since threads start and
// caches fill for some milliseconds. bench/truth -lengths measures it.
const (
	partLength = 100 * time.Millisecond
	// A process takes at least so many times as long as what it takes besides its
	// iterations.
	partOverhead = 4
)

// parts is the number of processes that a sample of a length is taken in.
func (b *benchmark) parts(length Length) int {
	if length.Iterations == 0 || b.whole {
		return 1
	}
	whole := time.Duration(float64(length.Iterations) * b.costs.mean())
	return max(1, min(int((whole+partLength/2)/max(partLength, partOverhead*b.costs.Overhead)), length.Iterations))
}

// processes are the lengths of the parts of a sample.
func (b *benchmark) processes() []Length {
	n := b.parts(b.samples)
	lengths := make([]Length, n)
	for i := range lengths {
		lengths[i] = b.samples
		lengths[i].Iterations = b.samples.Iterations*(i+1)/n - b.samples.Iterations*i/n
	}
	return lengths
}

// takes is what a sample takes, as the calibration has it.
func (b *benchmark) takes(length Length) time.Duration {
	base, head := b.costs.Nanos[experiment.Base], b.costs.Nanos[experiment.Head]
	if length.Iterations == 0 || head == 0 || base == 0 {
		return length.guess()
	}
	processes := b.parts(length)
	if b.costs.Setup[experiment.Base] > 0 && b.costs.Setup[experiment.Head] > 0 {
		processes++ // for CPU time
	}
	return time.Duration(processes)*b.costs.Overhead + time.Duration(float64(length.Iterations)*(base+head)/2)
}

// shortestSample is what a sample is not shortened beyond: the clock ticks, threads
// start and caches fill for some milliseconds.
const shortestSample = 50 * time.Millisecond

// shortened returns samples of a share of the usual ones, and no shorter than may be. A
// number of iterations that was asked for stays.
func (b *benchmark) shortened(usual Length, share float64) Length {
	if usual.Iterations > 0 {
		return b.samples
	}
	share = max(share, min(1, float64(shortestSample)/float64(usual.Duration)))
	return Length{Iterations: max(1, int(share*float64(b.samples.Iterations)))}
}

// SetupIterations is how many iterations the processes have that tell what there is
// besides. Package testing runs a benchmark once, and then as often as it is told, or,
// where it loops by itself, that often only. It does so likewise in a sample, so that
// what a sample takes more is of so many iterations more. With 1 it would not.
const SetupIterations = 2

// setupPart is the part of a sample's iterations that a process without them may take.
const setupPart = 2

// leaveSetup leaves CPU time out where the process of each sample that tells what there is
// besides iterations takes more than a part of these. What it takes differs from one process
// to the next, so there it would say little, and cost much.
func (b *benchmark) leaveSetup() {
	for s, setup := range b.costs.Setup {
		if float64(b.samples.Iterations)*b.costs.Nanos[s] < setupPart*float64(setup) {
			b.costs.Setup = [2]time.Duration{}
			return
		}
	}
}

// Where seeds of layouts begin: of the comparison, and of the confirming run.
const (
	firstLayout   = 1
	RepeatLayouts = 1000
)

// nextLayout returns the layout of the next sample, 0 for the binary as linked at first.
// The two samples of a pair have the same one, and no two pairs do.
func (b *benchmark) nextLayout(phase experiment.Phase) int {
	if b.taken == nil {
		b.taken = make(map[experiment.Phase]int)
	}
	pair := b.taken[phase] / 2
	b.taken[phase]++
	switch phase {
	case experiment.Measure:
		return firstLayout + pair
	case experiment.Repeat:
		return RepeatLayouts + pair
	}
	return 0 // a pre-check asks what the machine does
}

package advice

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// An Input is a profile and what it is of.
type Input struct {
	Profile *profile.Profile
	// Subject is the benchmark, service or program of the profile: profiles of one subject belong
	// together. It may be "".
	Subject string
	Kind    string // "cpu", "mem", "mutex", "block", …; "" leaves it to the sample types
	// OpTime is how long an operation of the benchmark took when it was measured, in nanoseconds; 0 if
	// it wasn't.
	OpTime float64
}

const (
	cpuTime      dimension = iota // nanoseconds
	cpuSamples                    // stacks seen
	allocBytes                    //
	allocBlocks                   // objects allocated
	mutexTime                     // nanoseconds that others waited for locks
	blockTime                     // nanoseconds spent waiting
	mutexTimes                    // number of waits for a lock
	blockTimes                    // number of waits
	gcTime                        // nanoseconds of CPU time in garbage collection
	scheduleTime                  // nanoseconds of CPU time in the scheduler, on behalf of no line of the user's
	liveBytes                     // in use when the profile was taken
	liveBlocks                    // objects in use
	runtimeTime                   // nanoseconds that the runtime waited for its own locks
	numDimensions
)

// A dimension is what a value column counts.
type dimension uint8

type values [numDimensions]int64

func (v *values) add(w *values) {
	for i := range v {
		v[i] += w[i]
	}
}

// A place is one of the user's lines.
type place struct {
	file      string // absolute
	function  string // as the profile names it
	startLine int64  // of the function, 0 if unknown
	line      int64
}

// A chain is what a line had called when samples were taken: functions down to the leaf, or to the
// next one of the user's.
type chain struct {
	below  []string // the line's callee first
	toLeaf bool
	values matched // by subject
}

// hot is a line with its profile data.
type hot struct {
	place
	sum     matched // what the line and all it calls cost
	holds   matched // the heap in use that the line allocated, or functions of others that it calls
	taken   int64   // ns since 1970, when the newest profile with the line ended; 0 if unknown
	testing bool    // within a _test.go file

	// What follows is known of lines that details were collected of.

	chains map[string]*chain
	blocks map[int]map[int64]int64 // of each subject, objects by size in bytes, allocated by the line itself
	live   map[int]map[int64]int64 // the same for objects in use
	main   values                  // of all chains and subjects, what the first goroutine has run

	// What follows is known of hot lines, and of lines that may pass a call on to them.

	callers map[*hot]matched
	called  map[string]matched // by functions of the user's that stand next below

	// These are the collector's, while it goes through samples.

	adding *values // sum, for the profile at hand
	seen   int     // the last sample with the line
}

// evidence is what a set of profiles shows for the user's lines.
type evidence struct {
	subjects []string
	totals   []values
	gc       []int64   // CPU time in garbage collection
	memory   []int64   // CPU time in it, and in allocating
	spans    []int64   // ns that CPU profiles were collected for; below 0 if one doesn't say
	opTimes  []float64 // ns per operation, 0 if it wasn't measured
	lines    map[place]*hot
	byFile   map[string][]*hot // lines; see linesIn
	runs     map[string]Runs   // by subject, if they were counted
}

// A step is a frame of a location: of the user's, or not.
type step struct {
	line     *hot // nil if it is not the user's
	name     string
	function uint32
	// What the function does for the runtime.
	collects, allocates, schedules, marks bool
	runs                                  bool // it runs a benchmark
}

// A visit is a sample at a line of the user's.
type visit struct {
	line   *hot
	sample int
	values *values
	below  []string // as chain.below, but the leaf first; changes with the next visit
	key    []byte   // the same as numbers
	toLeaf bool
	main   bool // on the goroutine that a program begins with
}

// A matched is the part of a line's values that a rule matches, by subject.
type matched map[int]*values

// of returns the values of a subject, which may be changed.
func (m matched) of(subject int) *values {
	if m[subject] == nil {
		m[subject] = new(values)
	}
	return m[subject]
}

// about says which part of a line's values counts.
type about struct {
	frames    *lazyregexp.Regexp // functions below it; nil is all, also the line itself
	allocates bool               // allocations by the line itself, too, whatever frames is
	own       bool               // only what the line itself does, with the runtime's help
	folded    bool               // only up to the next line of the user's
	// part, if not 0, is the share of the line's own allocations that counts.
	part float64
	// except, if not nil, are functions below which others do the work: see Rule.Except.
	except *lazyregexp.Regexp
	// others are the functions that other findings on the line are about. What these allocate is not
	// the line's own.
	others []*lazyregexp.Regexp
}

// has reports whether a chain counts; below starts with the line's callee, and toLeaf means that it ends
// there.
func (a *about) has(below []string, toLeaf bool) bool {
	if a.own && len(below) > 0 && !strings.HasPrefix(below[0], "runtime.") {
		return false
	}
	if a.except != nil && (!toLeaf || slices.ContainsFunc(below, a.except.MatchString)) {
		return false
	}
	return a.frames == nil || slices.ContainsFunc(below, a.frames.MatchString)
}

// lineAllocates reports whether a chain that has no frame of the rule's is an allocation that the line
// makes for what the rule is about. An argument's copy in an interface is made for the call that takes it.
func (a *about) lineAllocates(below []string) bool {
	return slices.ContainsFunc(below, allocation) && !strings.HasPrefix(below[0], "runtime.convT") &&
		!slices.ContainsFunc(a.others, func(re *lazyregexp.Regexp) bool { return slices.ContainsFunc(below, re.MatchString) })
}

// flat adds to each subject the CPU time that the line itself has, without what it calls.
func (h *hot) flat(own matched) {
	for _, k := range h.chains {
		if !k.toLeaf || len(k.below) > 0 {
			continue
		}
		for subject, v := range k.values {
			own.of(subject)[cpuTime] += v[cpuTime]
		}
	}
}

// match adds up what of a line counts.
func (h *hot) match(a about) matched {
	m := make(matched)
	part := cmp.Or(a.part, 1)
	for _, k := range h.chains {
		whole := a.has(k.below, k.toLeaf) && (k.toLeaf || !a.own && !a.folded) // else a line further down has it
		for subject, v := range k.values {
			sum := m.of(subject)
			switch {
			case whole:
				sum.add(v)
			case a.allocates && len(k.below) == 0 && k.toLeaf:
				sum[allocBytes] += int64(part * float64(v[allocBytes]))
				sum[allocBlocks] += int64(part * float64(v[allocBlocks]))
			case a.allocates && !a.own && a.part == 0 && k.toLeaf && a.lineAllocates(k.below):
				sum[cpuTime] += v[cpuTime]
				sum[cpuSamples] += v[cpuSamples]
				sum[gcTime] += v[gcTime]
			}
		}
	}
	return m
}

// allocation reports whether a function of the runtime is called to allocate.
func allocation(name string) bool {
	return strings.HasPrefix(name, "runtime.mallocgc") || name == "runtime.newobject" || name == "runtime.growslice" ||
		strings.HasPrefix(name, "runtime.makeslice") || strings.HasPrefix(name, "runtime.makemap") || name == "runtime.rawstring" || name == "runtime.rawbyteslice"
}

func isCPU(p *profile.Profile) bool {
	return slices.ContainsFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == "cpu" })
}

// isWall reports whether a profile is of wall-clock time, from an execution trace.
func isWall(p *profile.Profile) bool {
	return slices.ContainsFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == "wall" })
}

// isGoroutines reports whether a profile counts goroutines: rules only examine it as a whole.
func isGoroutines(in Input) bool {
	return slices.ContainsFunc(in.Profile.SampleTypes, func(t profile.ValueType) bool { return t.Type == "goroutine" || t.Type == "goroutineleak" })
}

// isMutex distinguishes a mutex profile from a block profile, which has the same types: by its kind,
// or because one blames unlocking and the other waiting.
func isMutex(in Input) bool {
	if in.Kind != "" {
		return in.Kind == "mutex"
	}
	p := in.Profile
	for s := range p.Stacks {
		stack := p.Stack(s)
		if len(stack) == 0 {
			continue
		}
		for _, line := range p.LocationLines(stack[0]) {
			name := p.FunctionName(line.Function)
			if strings.HasSuffix(name, "Unlock") || name == "runtime.unlock" || name == "runtime._LostContendedRuntimeLock" {
				return true
			}
		}
	}
	return false
}

// locksRuntime reports whether a sample of a mutex profile is about a lock of the runtime, not of package sync.
func locksRuntime(p *profile.Profile, s int) bool {
	stack := p.Stack(s)
	if len(stack) == 0 {
		return false
	}
	for _, line := range p.LocationLines(stack[0]) {
		switch p.FunctionName(line.Function) {
		case "runtime.unlock", "runtime.unlock2", "runtime.unlockWithRank", "runtime._LostContendedRuntimeLock":
			return true
		}
	}
	return false
}

// share is v divided by a subject's total, 0 if that is 0.
func (e *evidence) share(v int64, subject int, d dimension) float64 {
	if total := e.totals[subject][d]; total > 0 {
		return float64(v) / float64(total)
	}
	return 0
}

// weight is a part's share of a subject's time or memory. It orders subjects, and decides whether a
// line is hot.
func (e *evidence) weight(v *values, subject int) float64 {
	return max(e.worked(v, subject), e.share(v[mutexTime], subject, mutexTime), e.share(v[blockTime], subject, blockTime))
}

// worked is weight without waiting.
func (e *evidence) worked(v *values, subject int) float64 {
	time := e.share(v[cpuTime], subject, cpuTime)
	if e.hardlyAllocates(subject) {
		return time
	}
	return max(time, e.share(v[allocBytes], subject, allocBytes), e.share(v[allocBlocks], subject, allocBlocks))
}

// hardlyAllocates reports whether allocation takes no noticeable time in a subject, so that shares of
// its memory mean nothing: for example a benchmark that only allocates at the start.
func (e *evidence) hardlyAllocates(subject int) bool {
	const enough = 100 // samples, of which none would else be likely to be of memory
	total := &e.totals[subject]
	return total[cpuSamples] >= enough && float64(e.memory[subject]) < DefaultMinShare*float64(total[cpuTime])
}

// largest returns the largest weight over all subjects.
func (e *evidence) largest(m matched) float64 {
	most := 0.0
	for subject, v := range m {
		most = max(most, e.weight(v, subject))
	}
	return most
}

func (e *evidence) subject(name string) int {
	i := slices.Index(e.subjects, name)
	if i < 0 {
		i = len(e.subjects)
		e.subjects = append(e.subjects, name)
		e.totals = append(e.totals, values{})
		e.gc, e.memory, e.spans = append(e.gc, 0), append(e.memory, 0), append(e.spans, 0)
		e.opTimes = append(e.opTimes, 0)
	}
	return i
}

// DefaultMinShare is the smallest share of time or memory for which a line counts as hot by default.
const DefaultMinShare = 0.01

// mainDimension is the dimension that values are compared by: time if there is some.
func mainDimension(v *values) dimension {
	for _, d := range []dimension{cpuTime, allocBytes, allocBlocks, mutexTime, blockTime, liveBytes} {
		if v[d] != 0 {
			return d
		}
	}
	return cpuTime
}

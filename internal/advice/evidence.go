package advice

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// An Input is a profile and what it is of.
type Input struct {
	Profile *profile.Profile
	// Subject is the benchmark, service or program that the profile is of: profiles
	// of one subject belong together. May be "".
	Subject string
	Kind    string // "cpu", "mem", "mutex", "block", …; "" leaves it to the sample types
}

// A dimension is what a value column counts.
type dimension uint8

const (
	cpuTime     dimension = iota // nanoseconds
	cpuSamples                   // stacks seen
	allocBytes                   //
	allocBlocks                  // objects allocated
	mutexTime                    // nanoseconds that others waited for locks
	blockTime                    // nanoseconds spent waiting
	mutexTimes                   // that somebody waited for a lock
	blockTimes                   // that somebody waited
	numDimensions
)

type values [numDimensions]int64

func (v *values) add(w *values) {
	for i := range v {
		v[i] += w[i]
	}
}

// A place is a line of the user's.
type place struct {
	file      string // absolute
	function  string // as the profile names it
	startLine int64  // of the function, 0 if unknown
	line      int64
}

// A chain is what a line has called when samples were taken: functions down to the
// leaf, or to the next function of the user's.
type chain struct {
	below  []string // the line's callee first
	toLeaf bool
	values matched // by subject
}

// hot is a line with what profiles say of it.
type hot struct {
	place
	chains  map[string]*chain
	blocks  map[int]map[int64]int64 // of each subject, objects by size in bytes, allocated by the line itself
	main    values                  // of all chains and subjects, what the first goroutine has run
	callers map[place]matched
	called  map[string]matched // by functions of the user's that stand next below
	testing bool               // within a _test.go file
}

// evidence is what a set of profiles says of the user's lines.
type evidence struct {
	subjects []string
	totals   []values
	gc       []int64 // CPU time in garbage collection
	memory   []int64 // CPU time in it, and in allocating
	spans    []int64 // ns that CPU profiles were collected for; below 0 if one doesn't say
	lines    map[place]*hot
}

// collector fills evidence.
type collector struct {
	evidence
	locate func(*profile.Frame) string
	files  map[string]string // by file and package of a frame, and whether it is of a literal
	setups setups
}

func collect(inputs []Input, locate func(*profile.Frame) string) *collector {
	c := &collector{locate: locate, files: make(map[string]string), setups: newSetups()}
	c.lines = make(map[place]*hot)
	for _, in := range inputs {
		c.add(in)
	}
	return c
}

// union returns, by subject, the part of the CPU time in samples that one of the
// parts of lines has: each sample once, however many have it.
func (c *collector) union(inputs []Input, has func(at place, below []string) bool) map[string]float64 {
	parts := make(map[string]float64)
	for _, in := range inputs {
		sum, hit := int64(0), false
		c.walk(in, func(v *visit) {
			hit = hit || v.values[cpuTime] != 0 && has(v.place, v.below)
		}, func(v *values, _, _ bool) {
			if hit {
				sum += v[cpuTime]
			}
			hit = false
		})
		if sum > 0 {
			parts[in.Subject] += c.share(sum, c.subject(in.Subject), cpuTime)
		}
	}
	return parts
}

func (e *evidence) subject(name string) int {
	i := slices.Index(e.subjects, name)
	if i < 0 {
		i = len(e.subjects)
		e.subjects = append(e.subjects, name)
		e.totals = append(e.totals, values{})
		e.gc, e.memory, e.spans = append(e.gc, 0), append(e.memory, 0), append(e.spans, 0)
	}
	return i
}

// columns says which dimension each value column of a profile counts.
func columns(in Input) map[int]dimension {
	p, found := in.Profile, make(map[int]dimension)
	mutex := sync.OnceValue(func() bool { return isMutex(in) })
	cpu := isCPU(p)
	for i, t := range p.SampleTypes {
		switch {
		case t.Type == "cpu" && t.Unit == "nanoseconds":
			found[i] = cpuTime
		case t.Type == "samples" && cpu:
			found[i] = cpuSamples
		case t.Type == "alloc_space":
			found[i] = allocBytes
		case t.Type == "alloc_objects":
			found[i] = allocBlocks
		case t.Type == "delay" && mutex():
			found[i] = mutexTime
		case t.Type == "delay":
			found[i] = blockTime
		case t.Type == "contentions" && mutex():
			found[i] = mutexTimes
		case t.Type == "contentions":
			found[i] = blockTimes
		}
	}
	return found
}

func isCPU(p *profile.Profile) bool {
	return slices.ContainsFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == "cpu" })
}

// isGoroutines reports whether a profile counts goroutines: rules look at it as a
// whole alone.
func isGoroutines(in Input) bool {
	return slices.ContainsFunc(in.Profile.SampleTypes, func(t profile.ValueType) bool { return t.Type == "goroutine" || t.Type == "goroutineleak" })
}

// isMutex tells a mutex profile from a block profile, which have the same types:
// by its kind, or as the one blames who unlocks, the other who waits.
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

// A step is a frame of a location: of the user's, or not.
type step struct {
	place    // file is "" if it is not the user's
	name     string
	function uint32
}

// add counts each sample at the lines of the user's it passes.
func (c *collector) add(in Input) {
	subject := c.subject(in.Subject)
	var below *hot // of the same sample
	c.walk(in, func(v *visit) {
		h := c.lines[v.place]
		if h == nil {
			h = &hot{place: v.place, chains: make(map[string]*chain), testing: strings.HasSuffix(v.file, "_test.go")}
			c.lines[v.place] = h
		}
		h.count(v, subject)
		h.countBlocks(v, subject, in.Profile)
		if below != nil {
			below.calledFrom(h, v, subject)
		}
		below = h
	}, func(v *values, collecting, allocating bool) {
		below = nil
		c.totals[subject].add(v)
		if collecting {
			c.gc[subject] += v[cpuTime]
		}
		if collecting || allocating {
			c.memory[subject] += v[cpuTime]
		}
	})
	if isCPU(in.Profile) {
		if t := in.Profile.DurationNanos; t > 0 && c.spans[subject] >= 0 {
			c.spans[subject] += t
		} else {
			c.spans[subject] = -1 // one is unknown, and so are all together
		}
	}
}

// A visit is a sample at a line of the user's.
type visit struct {
	place
	sample int
	values *values
	below  []string // as chain.below, but the leaf first; changes with the next visit
	key    []byte   // the same as numbers
	toLeaf bool
	main   bool // on the goroutine that a program begins with
}

// walk takes each sample from the leaf to the root. At each frame of the user's the
// functions passed since the last one have been called by its line. done is called
// after each sample, and told whether it was garbage collection, or allocating. What a
// benchmark does to begin is left out.
func (c *collector) walk(in Input, at func(*visit), done func(v *values, collecting, allocating bool)) {
	p := in.Profile
	cols := columns(in)
	if len(cols) == 0 {
		return
	}
	steps := make([][]step, len(p.Locations))
	seen := make(map[place]bool)
	var w visit
	for s := range p.Stacks {
		var v values
		for i, d := range cols {
			v[d] += p.Values[i][s]
		}
		if v == (values{}) {
			continue
		}
		clear(seen)
		w = visit{sample: s, values: &v, below: w.below[:0], key: w.key[:0], toLeaf: true}
		collecting, allocating := false, false
		stack := p.Stack(s)
		for _, l := range stack {
			if steps[l] == nil {
				steps[l] = c.expand(p, l)
			}
		}
		if c.setups.prepares(fromRoot(stack, steps)) {
			continue
		}
		if len(stack) > 0 {
			root := steps[stack[len(stack)-1]]
			w.main = len(root) > 0 && root[len(root)-1].name == "runtime.main"
		}
		for _, l := range stack {
			for _, f := range steps[l] {
				collecting = collecting || profile.CollectsGarbage(f.name)
				allocating = allocating || allocation(f.name)
				if f.file == "" {
					w.below = append(w.below, f.name)
					w.key = binary.AppendUvarint(w.key, uint64(f.function))
					continue
				}
				if !seen[f.place] { // recursion: a sample counts once
					seen[f.place] = true
					w.place = f.place
					at(&w)
				}
				// Below the next line stands this one, whose chain is its own.
				w.key, w.below, w.toLeaf = append(w.key[:0], 0), w.below[:0], false
			}
		}
		done(&v, collecting, allocating)
	}
}

// fromRoot are the frames of a stack, the outermost first.
func fromRoot(stack []uint32, steps [][]step) iter.Seq[*step] {
	return func(yield func(*step) bool) {
		for _, l := range slices.Backward(stack) {
			for i := range slices.Backward(steps[l]) {
				if !yield(&steps[l][i]) {
					return
				}
			}
		}
	}
}

// expand returns the frames of a location, innermost first.
func (c *collector) expand(p *profile.Profile, l uint32) []step {
	lines := p.LocationLines(l)
	steps := make([]step, 0, len(lines))
	for _, line := range lines {
		fn := p.Functions[line.Function]
		frame := profile.Frame{Name: p.Strings[fn.Name], File: p.Strings[fn.File]}
		s := step{name: frame.Name, function: line.Function}
		id := frame.File + "\x00" + frame.Package()
		if parseName(frame.Name).closure != "" {
			id += "\x00" // found in another way
		}
		file, known := c.files[id]
		if !known {
			file = c.locate(&frame)
			c.files[id] = file
		}
		if file != "" {
			s.place = place{file, frame.Name, fn.StartLine, line.Line}
		}
		steps = append(steps, s)
	}
	return steps
}

func (h *hot) count(v *visit, subject int) {
	// Functions are numbered by profile, so a chain that two profiles have may stand
	// here twice.
	v.key = binary.AppendUvarint(v.key, uint64(subject))
	k := h.chains[string(v.key)]
	if k == nil {
		k = &chain{below: slices.Clone(v.below), toLeaf: v.toLeaf, values: make(map[int]*values)}
		slices.Reverse(k.below)
		h.chains[string(v.key)] = k
	}
	k.values.of(subject).add(v.values)
	if v.main {
		h.main.add(v.values)
	}
}

func (h *hot) countBlocks(v *visit, subject int, p *profile.Profile) {
	if !v.toLeaf || len(v.below) > 0 || v.values[allocBlocks] == 0 {
		return
	}
	for _, label := range p.SampleLabelSet(v.sample) {
		if label.Numeric && p.Strings[label.Key] == "bytes" {
			if h.blocks == nil {
				h.blocks = make(map[int]map[int64]int64)
			}
			if h.blocks[subject] == nil {
				h.blocks[subject] = make(map[int64]int64)
			}
			h.blocks[subject][label.Num] += v.values[allocBlocks]
		}
	}
}

// share is v of a subject's total, 0 where there is none.
func (e *evidence) share(v int64, subject int, d dimension) float64 {
	if total := e.totals[subject][d]; total > 0 {
		return float64(v) / float64(total)
	}
	return 0
}

// A matched is the part of a line's values that a rule is about, by subject.
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
	// part, if it isn't 0, is the part of what the line itself allocates that counts:
	// the rest is something else.
	part float64
}

// about is what a rule's match is about; m may be nil.
func (r *Rule) about(m *Match) about {
	a := about{frames: r.Frames, allocates: r.Allocates, own: r.Own}
	if m != nil {
		a.part = m.Allocated
		if m.Frames != nil {
			a.frames = m.Frames
		}
	}
	return a
}

// has reports whether a chain is of what counts; below has the line's callee first.
func (a *about) has(below []string) bool {
	if a.own && len(below) > 0 && !strings.HasPrefix(below[0], "runtime.") {
		return false
	}
	return a.frames == nil || slices.ContainsFunc(below, a.frames.MatchString)
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
		whole := a.has(k.below) && (k.toLeaf || !a.own) // else it is of a line further down
		for subject, v := range k.values {
			sum := m.of(subject)
			switch {
			case whole:
				sum.add(v)
			case a.allocates && len(k.below) == 0 && k.toLeaf:
				sum[allocBytes] += int64(part * float64(v[allocBytes]))
				sum[allocBlocks] += int64(part * float64(v[allocBlocks]))
			case a.allocates && !a.own && a.part == 0 && k.toLeaf && slices.ContainsFunc(k.below, allocation):
				sum[cpuTime] += v[cpuTime]
				sum[cpuSamples] += v[cpuSamples]
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

// weight is how much a subject's time or memory a part is of: what orders subjects,
// and whether a line is hot at all.
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

// hardlyAllocates reports whether a subject's memory costs it no time to speak of, so
// that a part of it is a part of nothing: a benchmark that allocates only to begin, say.
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

// describe says what a part is of those subjects where it has at least a share, in the
// one where bound is largest.
func (e *evidence) describe(h *hot, m matched, gain, least float64) (Evidence, Bound) {
	var out Evidence
	var bound Bound
	worth := 0.0
	type of struct {
		subject int
		weight  float64
	}
	var order []of
	best := -1
	for subject, v := range m {
		w := e.weight(v, subject)
		if w == 0 || w < least {
			continue
		}
		order = append(order, of{subject, w})
		b := e.bound(v, subject, gain)
		worth += b.Expected * b.Expected
		if best < 0 || b.better(&bound) {
			best, bound = subject, b
		}
	}
	if best < 0 {
		return out, bound
	}
	bound.Worth = math.Sqrt(worth)
	slices.SortFunc(order, func(a, b of) int { return cmp.Or(cmp.Compare(b.weight, a.weight), a.subject-b.subject) })
	for _, o := range order {
		if name := e.subjects[o.subject]; name != "" {
			out.Subjects = append(out.Subjects, name)
		}
	}
	v := m[best]
	out.Subject = e.subjects[best]
	part := func(d dimension, unit string, samples int64) *Share {
		if v[d] == 0 {
			return nil
		}
		return &Share{Value: v[d], Unit: unit, Share: e.share(v[d], best, d), Samples: samples}
	}
	out.CPU = part(cpuTime, "nanoseconds", v[cpuSamples])
	out.Bytes = part(allocBytes, "bytes", 0)
	out.Objects = part(allocBlocks, "count", 0)
	out.Mutex = part(mutexTime, "nanoseconds", 0)
	out.Block = part(blockTime, "nanoseconds", 0)
	out.GC = e.share(e.gc[best], best, cpuTime)
	out.Callees = h.callees(e, best)
	out.Callers = e.calledBy(h, best)
	for size, n := range h.blocks[best] {
		out.Ladder = append(out.Ladder, Block{size, n})
	}
	slices.SortFunc(out.Ladder, func(a, b Block) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return out, bound
}

// callees returns the functions that a line calls, with all below them; at most 5. Their
// shares are of the time, or else of what the profiles have of the line.
func (h *hot) callees(e *evidence, subject int) []Callee {
	sums := make(map[string]*values)
	var line values
	for _, k := range h.chains {
		if v := k.values[subject]; v != nil && len(k.below) > 0 {
			if sums[k.below[0]] == nil {
				sums[k.below[0]] = new(values)
			}
			sums[k.below[0]].add(v)
			line.add(v)
		}
	}
	by := mainDimension(&line)
	var all []Callee
	for name, v := range sums {
		if v[by] != 0 {
			all = append(all, Callee{name, e.share(v[by], subject, by)})
		}
	}
	slices.SortFunc(all, func(a, b Callee) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.Function, b.Function))
	})
	return all[:min(5, len(all))]
}

package advice

import (
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hone-go/hone/profile"
)

// collector collects evidence.
type collector struct {
	evidence
	locate func(*profile.Frame) string
	files  map[string]string // by file and package of a frame, and whether it is of a literal
	steps  map[*profile.Profile]*steps
	walked int // samples
	setups setups
}

// collect adds up what each of the user's lines costs. What the lines call, and what calls them, is kept
// for few of them: see details.
func collect(inputs []Input, locate func(*profile.Frame) string) *collector {
	c := &collector{locate: locate, files: make(map[string]string), steps: make(map[*profile.Profile]*steps), setups: newSetups()}
	c.lines = make(map[place]*hot)
	for _, in := range inputs {
		c.add(in)
	}
	maps.DeleteFunc(c.lines, func(_ place, h *hot) bool { return h.sum == nil })
	return c
}

// union returns, by subject, the share of CPU time in samples that has selects at some of some lines. Each
// sample counts once.
func (c *collector) union(inputs []Input, lines map[*hot]bool, has func(at *hot, below []string, toLeaf bool) bool) map[string]float64 {
	parts := make(map[string]float64)
	if len(lines) == 0 {
		return parts
	}
	for _, in := range inputs {
		sum, hit := int64(0), false
		c.walk(in, func(h *hot) bool { return lines[h] }, func(v *visit) {
			hit = hit || v.values[cpuTime] != 0 && lines[v.line] && has(v.line, v.below, v.toLeaf)
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

// A column is a value column of a profile, and the dimension that it counts.
type column struct {
	index     int
	dimension dimension
}

// columns says which dimension each value column of a profile counts.
func columns(in Input) (found []column) {
	p := in.Profile
	mutex := sync.OnceValue(func() bool { return isMutex(in) })
	cpu := isCPU(p)
	for i, t := range p.SampleTypes {
		switch {
		case t.Type == "cpu" && t.Unit == "nanoseconds":
			found = append(found, column{i, cpuTime})
		case t.Type == "samples" && cpu:
			found = append(found, column{i, cpuSamples})
		case t.Type == "alloc_space":
			found = append(found, column{i, allocBytes})
		case t.Type == "alloc_objects":
			found = append(found, column{i, allocBlocks})
		case t.Type == "inuse_space":
			found = append(found, column{i, liveBytes})
		case t.Type == "inuse_objects":
			found = append(found, column{i, liveBlocks})
		case t.Type == "delay" && mutex():
			found = append(found, column{i, mutexTime})
		case t.Type == "delay":
			found = append(found, column{i, blockTime})
		case t.Type == "wall" && t.Unit == "nanoseconds":
			found = append(found, column{i, blockTime})
		case t.Type == "intervals":
			found = append(found, column{i, blockTimes})
		case t.Type == "contentions" && mutex():
			found = append(found, column{i, mutexTimes})
		case t.Type == "contentions":
			found = append(found, column{i, blockTimes})
		}
	}
	return found
}

// add counts each sample at the user's lines on its stack.
func (c *collector) add(in Input) {
	subject := c.subject(in.Subject)
	c.opTimes[subject] = max(c.opTimes[subject], in.OpTime)
	sums := make(map[*hot]*values)
	c.walk(in, nil, func(v *visit) {
		sum := v.line.adding
		if sum == nil {
			sum = new(values)
			v.line.adding, sums[v.line] = sum, sum
		}
		sum.add(v.values)
		if v.toLeaf && v.values[liveBytes] > 0 {
			v.line.holding(subject, v.values)
		}
	}, func(v *values, collecting, allocating bool) {
		c.totals[subject].add(v)
		if collecting {
			c.gc[subject] += v[cpuTime]
		}
		if collecting || allocating {
			c.memory[subject] += v[cpuTime]
		}
	})
	for h, sum := range sums {
		h.adding = nil
		if h.sum == nil {
			h.sum = make(matched)
		}
		h.sum.of(subject).add(sum)
		if t := in.Profile.TimeNanos; t > 0 {
			h.taken = max(h.taken, t+in.Profile.DurationNanos)
		}
	}
	if isCPU(in.Profile) {
		if t := in.Profile.DurationNanos; t > 0 && c.spans[subject] >= 0 {
			c.spans[subject] += t
		} else {
			c.spans[subject] = -1 // one is unknown, and so are all together
		}
	}
}

// holding adds heap in use that the line allocated.
func (h *hot) holding(subject int, v *values) {
	if h.holds == nil {
		h.holds = make(matched)
	}
	sum := h.holds.of(subject)
	sum[liveBytes] += v[liveBytes]
	sum[liveBlocks] += v[liveBlocks]
}

// walk goes through each sample from the leaf to the root. At each of the user's frames, the functions
// since the last one were called by its line. done is called after each sample, and told whether it
// was garbage collection or allocation. The setup code of benchmarks is left out. Stacks without a line
// that is wanted are, too; nil wants all.
func (c *collector) walk(in Input, wanted func(*hot) bool, at func(*visit), done func(v *values, collecting, allocating bool)) {
	p := in.Profile
	cols := columns(in)
	if len(cols) == 0 {
		return
	}
	wall := isWall(p)
	steps := c.stepsOf(p)
	benchmarks := slices.ContainsFunc(steps.all, func(s step) bool { return s.runs })
	var has []bool // by location
	if wanted != nil {
		has = make([]bool, len(p.Locations))
		for l := range has {
			has[l] = slices.ContainsFunc(steps.of(uint32(l)), func(s step) bool { return s.line != nil && wanted(s.line) })
		}
	}
	var w visit
	var v values
	for s := range p.Stacks {
		stack := p.Stack(s)
		if has != nil && !slices.ContainsFunc(stack, func(l uint32) bool { return has[l] }) {
			continue
		}
		v = values{}
		for _, col := range cols {
			v[col.dimension] += p.Values[col.index][s]
		}
		if v == (values{}) || wall && !waitsForOthers(p, s) {
			continue
		}
		if v[mutexTime] > 0 && locksRuntime(p, s) {
			v = values{runtimeTime: v[mutexTime]}
		}
		w = visit{sample: s, values: &v, below: w.below[:0], key: w.key[:0], toLeaf: true}
		collecting, allocating, scheduling := false, false, false
		if benchmarks && c.setups.prepares(fromRoot(stack, steps)) {
			continue
		}
		if len(stack) > 0 {
			root := steps.of(stack[len(stack)-1])
			w.main = len(root) > 0 && root[len(root)-1].name == "runtime.main"
		}
		c.walked++
		users := false
		for _, l := range stack {
			for i := range steps.of(l) {
				f := &steps.of(l)[i]
				collecting = collecting || f.collects
				allocating = allocating || f.allocates
				scheduling = scheduling || f.schedules
				if collecting || f.marks {
					v[gcTime] = v[cpuTime]
				}
				if f.line == nil {
					w.below = append(w.below, f.name)
					w.key = binary.AppendUvarint(w.key, uint64(f.function))
					continue
				}
				users = true
				if f.line.seen != c.walked { // recursion: a sample counts once
					f.line.seen = c.walked
					w.line = f.line
					at(&w)
				}
				// The line becomes the callee of the next one, whose chain starts anew.
				w.key, w.below, w.toLeaf = append(w.key[:0], 0), w.below[:0], false
			}
		}
		if scheduling && !users && v[gcTime] == 0 {
			v[scheduleTime] = v[cpuTime]
		}
		done(&v, collecting, allocating)
	}
}

// waitsForOthers reports whether goroutines of a sample of wall-clock time waited for others, as those of a block
// profile did, or let others run. The states are those of package trace.
func waitsForOthers(p *profile.Profile, s int) bool {
	for _, label := range p.SampleLabelSet(s) {
		if label.Numeric || p.Strings[label.Key] != "state" {
			continue
		}
		leaf := ""
		if stack := p.Stack(s); len(stack) > 0 {
			leaf = p.FunctionName(p.LocationLines(stack[0])[0].Function)
		}
		switch p.Strings[label.Str] {
		case "chan send", "chan receive", "select":
			return true
		case "sync":
			return !strings.HasPrefix(leaf, "runtime.gc") // for the collector
		case "runnable": // it gave up its processor for others
			return leaf == "runtime.Gosched"
		}
	}
	return false
}

// marksForCollector reports whether a function of the runtime keeps the collector informed of what the
// program writes and allocates. It only runs while the collector marks.
func marksForCollector(name string) bool {
	switch name {
	case "runtime.bulkBarrierPreWrite", "runtime.gcmarknewobject", "runtime.wbBufFlush":
		return true
	}
	return strings.HasPrefix(name, "gcWriteBarrier") || strings.HasPrefix(name, "runtime.gcWriteBarrier")
}

// fromRoot are the frames of a stack, the outermost first.
func fromRoot(stack []uint32, steps *steps) iter.Seq[*step] {
	return func(yield func(*step) bool) {
		for _, l := range slices.Backward(stack) {
			frames := steps.of(l)
			for i := range slices.Backward(frames) {
				if !yield(&frames[i]) {
					return
				}
			}
		}
	}
}

// steps are the frames of a profile's locations.
type steps struct {
	all   []step
	first []uint32 // by location, its first step; then the number of all
}

// of returns the frames of a location, innermost first.
func (s *steps) of(l uint32) []step { return s.all[s.first[l]:s.first[l+1]] }

// stepsOf returns the frames of a profile's locations, which are found once.
func (c *collector) stepsOf(p *profile.Profile) *steps {
	if s := c.steps[p]; s != nil {
		return s
	}
	s := &steps{first: make([]uint32, 1, len(p.Locations)+1)}
	for l := range p.Locations {
		for _, line := range p.LocationLines(uint32(l)) {
			s.all = append(s.all, c.step(p, line))
		}
		s.first = append(s.first, uint32(len(s.all)))
	}
	c.steps[p] = s
	return s
}

// step is a frame with what its name says.
func (c *collector) step(p *profile.Profile, line profile.Line) step {
	fn := p.Functions[line.Function]
	frame := profile.Frame{Name: p.Strings[fn.Name], File: p.Strings[fn.File]}
	s := step{name: frame.Name, function: line.Function, collects: profile.CollectsGarbage(frame.Name), allocates: allocation(frame.Name),
		schedules: profile.Schedules(frame.Name), marks: marksForCollector(frame.Name), runs: frame.Name == runsBenchmark}
	id := frame.File + "\x00" + frame.Package()
	if parseName(frame.Name).closure != "" {
		id += "\x00" // found in another way
	}
	file, known := c.files[id]
	if !known {
		file = c.locate(&frame)
		c.files[id] = file
	}
	if file == "" {
		return s
	}
	at := place{file, frame.Name, fn.StartLine, line.Line}
	if s.line = c.lines[at]; s.line == nil {
		s.line = &hot{place: at, testing: strings.HasSuffix(file, "_test.go")}
		c.lines[at] = s.line
	}
	return s
}

func (h *hot) count(v *visit, subject int) {
	// Functions are numbered per profile, so a chain that two profiles have may occur twice.
	v.key = binary.AppendUvarint(v.key, uint64(subject))
	k := h.chains[string(v.key)]
	if k == nil {
		if h.chains == nil {
			h.chains = make(map[string]*chain)
		}
		k = &chain{below: slices.Clone(v.below), toLeaf: v.toLeaf, values: make(map[int]*values)}
		slices.Reverse(k.below)
		h.chains[string(v.key)] = k
	}
	k.values.of(subject).add(v.values)
	if v.main {
		h.main.add(v.values)
	}
}

// countBlocks counts blocks that the line itself allocated by their size, which heap profiles have as a label.
func (h *hot) countBlocks(v *visit, subject int, p *profile.Profile) {
	if !v.toLeaf || len(v.below) > 0 || v.values[allocBlocks] == 0 && v.values[liveBlocks] == 0 {
		return
	}
	for _, label := range p.SampleLabelSet(v.sample) {
		if label.Numeric && p.Strings[label.Key] == "bytes" {
			countSize(&h.blocks, subject, label.Num, v.values[allocBlocks])
			countSize(&h.live, subject, label.Num, v.values[liveBlocks])
		}
	}
}

func countSize(by *map[int]map[int64]int64, subject int, size, n int64) {
	if n == 0 {
		return
	}
	if *by == nil {
		*by = make(map[int]map[int64]int64)
	}
	if (*by)[subject] == nil {
		(*by)[subject] = make(map[int64]int64)
	}
	(*by)[subject][size] += n
}

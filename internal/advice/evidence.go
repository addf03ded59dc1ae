package advice

import (
	"encoding/binary"
	"iter"
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

// union returns, by subject, the share of CPU time in samples that has selects at some line. Each
// sample counts once.
func (c *collector) union(inputs []Input, has func(at place, below []string, toLeaf bool) bool) map[string]float64 {
	parts := make(map[string]float64)
	for _, in := range inputs {
		sum, hit := int64(0), false
		c.walk(in, func(v *visit) {
			hit = hit || v.values[cpuTime] != 0 && has(v.place, v.below, v.toLeaf)
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
		case t.Type == "inuse_space":
			found[i] = liveBytes
		case t.Type == "inuse_objects":
			found[i] = liveBlocks
		case t.Type == "delay" && mutex():
			found[i] = mutexTime
		case t.Type == "delay":
			found[i] = blockTime
		case t.Type == "wall" && t.Unit == "nanoseconds":
			found[i] = blockTime
		case t.Type == "intervals":
			found[i] = blockTimes
		case t.Type == "contentions" && mutex():
			found[i] = mutexTimes
		case t.Type == "contentions":
			found[i] = blockTimes
		}
	}
	return found
}

// add counts each sample at the user's lines on its stack.
func (c *collector) add(in Input) {
	subject := c.subject(in.Subject)
	c.opTimes[subject] = max(c.opTimes[subject], in.OpTime)
	var below *hot // of the same sample
	c.walk(in, func(v *visit) {
		h := c.lines[v.place]
		if h == nil {
			h = &hot{place: v.place, chains: make(map[string]*chain), testing: strings.HasSuffix(v.file, "_test.go")}
			c.lines[v.place] = h
		}
		if t := in.Profile.TimeNanos; t > 0 {
			h.taken = max(h.taken, t+in.Profile.DurationNanos)
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

// walk goes through each sample from the leaf to the root. At each of the user's frames, the functions
// since the last one were called by its line. done is called after each sample, and told whether it
// was garbage collection or allocation. The setup code of benchmarks is left out.
func (c *collector) walk(in Input, at func(*visit), done func(v *values, collecting, allocating bool)) {
	p := in.Profile
	cols := columns(in)
	if len(cols) == 0 {
		return
	}
	wall := isWall(p)
	steps := make([][]step, len(p.Locations))
	seen := make(map[place]bool)
	var w visit
	for s := range p.Stacks {
		var v values
		for i, d := range cols {
			v[d] += p.Values[i][s]
		}
		if v == (values{}) || wall && !waitsForOthers(p, s) {
			continue
		}
		if v[mutexTime] > 0 && locksRuntime(p, s) {
			v = values{runtimeTime: v[mutexTime]}
		}
		clear(seen)
		w = visit{sample: s, values: &v, below: w.below[:0], key: w.key[:0], toLeaf: true}
		collecting, allocating, scheduling := false, false, false
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
				scheduling = scheduling || profile.Schedules(f.name)
				if collecting || marksForCollector(f.name) {
					v[gcTime] = v[cpuTime]
				}
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
				// The line becomes the callee of the next one, whose chain starts anew.
				w.key, w.below, w.toLeaf = append(w.key[:0], 0), w.below[:0], false
			}
		}
		if scheduling && len(seen) == 0 && v[gcTime] == 0 {
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
		switch p.Strings[label.Str] {
		case "sync", "chan send", "chan receive", "select":
			return true
		case "runnable": // it gave up its processor for others
			stack := p.Stack(s)
			return len(stack) > 0 && p.FunctionName(p.LocationLines(stack[0])[0].Function) == "runtime.Gosched"
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
	// Functions are numbered per profile, so a chain that two profiles have may occur twice.
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

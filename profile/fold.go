package profile

import (
	"context"
	"path"
	"strings"
)

// FoldForeign folds frames into the nearest caller that is of a function that mine
// accepts. mine is called once per function.
//
// Foreign frames that such a caller leads to become one frame below it, called
// "CALLER via CALLEE" after the foreign function that it calls, at the file and line
// of the call; with plain they become the caller's own. Other foreign frames, those
// between and above accepted ones, go. A stack without an accepted frame becomes one
// frame by the kind of work it is. Samples stay what they are, one by one and in
// their order, and so do totals. any tells whether any stack has an accepted frame.
//
// The error is that of ctx, which ends the work early. It takes time in proportion to what the profile holds: names are looked at once per
// function, lines once per location, and stacks are copied by numbers.
func FoldForeign(ctx context.Context, p *Profile, mine func(f uint32) bool, plain bool) (q *Profile, any bool, err error) {
	r := *p
	edit := newLineEditor(p)
	w := folding{
		p: p, q: &r, mine: make([]bool, len(p.Functions)), innermost: make([]int32, len(p.Locations)),
		calls: map[[2]uint32]uint32{}, functions: map[[2]uint32]uint32{}, entries: map[string]uint32{},
	}
	for f := range w.mine {
		_, done := foldedFrame(p.FunctionName(uint32(f))) // by who wrote the profile
		w.mine[f] = done || mine(uint32(f))
	}
	var own []Line
	for l := range p.Locations {
		own, w.innermost[l] = own[:0], -1
		for i, line := range p.LocationLines(uint32(l)) {
			if !w.mine[line.Function] {
				continue
			}
			if len(own) == 0 {
				w.innermost[l] = int32(i)
			}
			own = append(own, line)
		}
		if len(own) > 0 {
			edit.set(uint32(l), own)
		}
		w.maxID = max(w.maxID, p.Locations[l].ID)
	}
	if edited := edit.apply(p); edited != p {
		r.Locations, r.Lines = edited.Locations, edited.Lines
	}
	// What is added must not end up in the slices that p has.
	n := len(r.Locations)
	r.Locations, r.Lines = r.Locations[:n:n], r.Lines[:len(r.Lines):len(r.Lines)]
	n = len(r.Functions)
	r.Functions, r.Strings = r.Functions[:n:n], r.Strings[:len(r.Strings):len(r.Strings)]

	r.Frames = make([]uint32, 0, len(p.Frames)/2+len(p.Stacks))
	r.Stacks = make([]Stack, len(p.Stacks))
	for s := range p.Stacks {
		if err := stopped(ctx, s); err != nil {
			return nil, false, err
		}
		stack := p.Stack(s)
		start, leaf := len(r.Frames), 0
		for leaf < len(stack) && w.innermost[stack[leaf]] < 0 {
			leaf++
		}
		switch {
		case leaf < len(stack):
			any = true
			if !plain {
				if call, ok := w.call(stack, leaf); ok {
					r.Frames = append(r.Frames, call)
				}
			}
			for _, l := range stack[leaf:] {
				if w.innermost[l] >= 0 {
					r.Frames = append(r.Frames, l)
				}
			}
		case leaf > 0:
			r.Frames = append(r.Frames, w.background(stack))
		}
		r.Stacks[s] = Stack{uint32(start), uint32(len(r.Frames) - start)}
	}
	return &r, any, nil
}

// preempted is the function that the runtime puts on a stack to stop the goroutine
// anywhere: nobody calls it.
const preempted = "runtime.asyncPreempt"

// folding is the state of FoldForeign.
type folding struct {
	p, q      *Profile
	mine      []bool  // by function
	innermost []int32 // by location: its first line that is mine, or -1
	maxID     uint64  // of locations

	calls     map[[2]uint32]uint32 // location of the caller, callee → location in q
	functions map[[2]uint32]uint32 // function of the caller, callee → function in q
	nameBytes int                  // of the functions' names

	tasks   []task            // by location, made when first needed
	entries map[string]uint32 // name → location in q
}

// noLines marks a callee that is a location without lines, by the number of its
// mapping plus 1, among callees that are functions.
const noLines = 1 << 31

// maxNames bounds the bytes of the names that are made, which in a hostile profile
// would be those of every caller times those of every callee. Callees behind it
// count as one: otherCallees.
const (
	maxNames     = 64 << 20
	otherCallees = 1<<32 - 1
)

// call returns the frame for what stack[at], the innermost location with a line that
// is mine, calls. ok is false if it calls nothing.
func (w *folding) call(stack []uint32, at int) (l uint32, ok bool) {
	caller := stack[at]
	lines := w.p.LocationLines(caller)
	inner := w.innermost[caller]
	var callee uint32
	switch {
	case inner > 0:
		callee = lines[inner-1].Function
	case at == 0:
		return 0, false
	default:
		callee = w.callee(stack[at-1])
	}
	if callee < noLines && w.p.FunctionName(callee) == preempted {
		return 0, false
	}
	key := [2]uint32{caller, callee}
	if l, ok := w.calls[key]; ok {
		return l, true
	}
	line := lines[inner]
	line.Function = w.function(line.Function, callee)
	l = w.location(line, w.p.Locations[caller].Mapping)
	w.calls[key] = l
	return l, true
}

// callee returns what a call to location l calls.
func (w *folding) callee(l uint32) uint32 {
	if lines := w.p.LocationLines(l); len(lines) > 0 {
		return lines[len(lines)-1].Function
	}
	return noLines | w.p.Locations[l].Mapping
}

// function returns the function that stands for the calls of callee by caller.
func (w *folding) function(caller, callee uint32) uint32 {
	if f, ok := w.functions[[2]uint32{caller, callee}]; ok {
		return f
	}
	if w.nameBytes > maxNames && callee != otherCallees {
		return w.function(caller, otherCallees)
	}
	name := w.p.FunctionName(caller) + viaMark + w.calleeName(callee)
	w.nameBytes += len(name)
	by := w.p.Functions[caller]
	f := w.newFunction(name, by.File, by.StartLine)
	w.functions[[2]uint32{caller, callee}] = f
	return f
}

func (w *folding) calleeName(callee uint32) string {
	switch {
	case callee == otherCallees:
		return "others"
	case callee < noLines:
		f := w.p.FunctionFrame(callee)
		if o := f.Origin(); (o == OriginRuntime || o == OriginStandard) && !strings.Contains(f.Name, ".") {
			return f.Package() + "." + f.Name // an assembler's symbol, which only its file places
		}
		return f.Name
	case callee == noLines:
		return unknownName
	}
	if file := w.p.Mappings[callee&^noLines-1].File; file != "" {
		return "[" + path.Base(file) + "]"
	}
	return unknownName
}

func (w *folding) newFunction(name string, file StringID, startLine int64) uint32 {
	id := uint32(len(w.q.Strings))
	w.q.Strings = append(w.q.Strings, name)
	w.q.Functions = append(w.q.Functions, Function{Name: id, SystemName: id, File: file, StartLine: startLine})
	return uint32(len(w.q.Functions) - 1)
}

// location adds a location of one line. It has no address: it is no place that one
// could disassemble.
func (w *folding) location(line Line, mapping uint32) uint32 {
	w.maxID++
	w.q.Lines = append(w.q.Lines, line)
	w.q.Locations = append(w.q.Locations, Location{ID: w.maxID, Mapping: mapping, FirstLine: uint32(len(w.q.Lines) - 1), NumLines: 1})
	return uint32(len(w.q.Locations) - 1)
}

// task is what a location says about the work of a stack where nothing is mine.
type task struct {
	known, gc, scheduler, runtime bool
	library                       uint32 // location in q that stands for its library plus 1, 0 for none
	other                         uint32 // the same for what is no Go code
}

// background returns the frame for a stack where nothing is mine. It is the
// library's whose frame is outermost; the runtime's, which is above and below
// everything, only if there is no other Go code.
func (w *folding) background(stack []uint32) uint32 {
	if w.tasks == nil {
		w.tasks = make([]task, len(w.p.Locations))
	}
	var all task
	for i := len(stack) - 1; i >= 0; i-- {
		t := &w.tasks[stack[i]]
		if !t.known {
			*t = w.task(stack[i])
		}
		if t.library != 0 {
			return t.library - 1
		}
		all.gc, all.scheduler, all.runtime = all.gc || t.gc, all.scheduler || t.scheduler, all.runtime || t.runtime
		if all.other == 0 {
			all.other = t.other
		}
	}
	switch {
	case all.gc:
		return w.entry(runtimePrefix + "garbage collection")
	case all.scheduler:
		return w.entry(runtimePrefix + "scheduler")
	case all.runtime || all.other == 0:
		return w.entry(runtimePrefix + "other")
	}
	return all.other - 1
}

func (w *folding) task(l uint32) task {
	t := task{known: true}
	lines := w.p.LocationLines(l)
	for i := len(lines) - 1; i >= 0; i-- {
		f := w.p.FunctionFrame(lines[i].Function)
		switch f.Origin() {
		case OriginRuntime:
			t.runtime = true
			t.gc = t.gc || gcWork[f.Name]
			t.scheduler = t.scheduler || schedulerWork[f.Name]
		case OriginOther:
			if t.other == 0 {
				t.other = w.library(f.Package()) + 1
			}
		default:
			t.library = w.library(f.Package()) + 1
			return t
		}
	}
	if len(lines) == 0 {
		pkg := ""
		if m := w.p.MappingOf(l); m != nil && m.File != "" {
			pkg = "[" + path.Base(m.File) + "]"
		}
		t.other = w.library(pkg) + 1
	}
	return t
}

func (w *folding) library(pkg string) uint32 {
	if pkg == "" {
		pkg = unknownName
	}
	return w.entry(libraryPrefix + pkg)
}

// entry returns the location of a frame for stacks where nothing is mine.
func (w *folding) entry(name string) uint32 {
	l, ok := w.entries[name]
	if !ok {
		l = w.location(Line{Function: w.newFunction(name, 0, 0)}, 0)
		w.entries[name] = l
	}
	return l
}

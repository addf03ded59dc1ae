package profile

import (
	"errors"
	"strings"
)

// Profiles had other formats before protobuf. Some are still written: text by
// runtime/pprof with debug=1, by tcmalloc and similar allocators, and binary words by the
// CPU profiler of gperftools. Each format is shown at its decoder.
//
// All are decoded while they are read, and give the same result as google/pprof: samples
// in the order of the input, even with equal stacks, and locations in the order of their
// first use.

// errNotLegacy is the error of input that doesn't begin like a legacy format. Any other
// error of decodeLegacy is about input that does.
var errNotLegacy = errors.New("not a profile in a known format")

// A misfit is the error of input that begins like a format but then differs. It may have
// another format with the same first lines.
type misfit struct{ *SyntaxError }

func (e *misfit) Unwrap() error { return e.SyntaxError }

// legacy is the state of decoding one profile.
type legacy struct {
	textLines
	kind   string // for errors
	lim    Limits
	held   int64     // memory of the interner, taken from mem
	intern *interner // of locations, strings and label sets
	p      *Profile  // intern.p

	checks     int // calls of check
	stackStart int
	labels     []Label
	sizeKey    StringID // of the label "bytes"

	mapBytes   int // size of the memory map
	attributes mapAttributes
}

func newLegacy(lines textLines, kind string, lim Limits) *legacy {
	l := &legacy{textLines: lines, kind: kind, lim: lim, intern: newInterner()}
	l.p = l.intern.p
	l.p.DropFrames = legacySignals
	return l
}

// errorf returns an error about the current line.
func (l *legacy) errorf(format string, args ...any) error {
	return l.textLines.errorf(l.kind, format, args...)
}

// misfitf is errorf for input that another format may allow.
func (l *legacy) misfitf(format string, args ...any) error {
	var e *SyntaxError
	errors.As(l.errorf(format, args...), &e)
	return &misfit{e}
}

// types sets the sample types.
func (l *legacy) types(types ...ValueType) {
	l.p.SampleTypes = types
	l.p.Values = make([][]int64, len(types))
}

// frame adds a location, given by its address, to the stack of the current sample, leaf
// first.
func (l *legacy) frame(address uint64) (err error) {
	if l.p.Frames, err = grown(l.mem, l.p.Frames, 1); err == nil {
		l.p.Frames = append(l.p.Frames, l.intern.location(Location{Address: address}, nil))
	}
	return err
}

// sample ends the current sample.
func (l *legacy) sample(values ...int64) (err error) {
	p := l.p
	for t, v := range values {
		if p.Values[t], err = grown(l.mem, p.Values[t], 1); err != nil {
			return err
		}
		p.Values[t] = append(p.Values[t], v)
	}
	if p.Stacks, err = grown(l.mem, p.Stacks, 1); err != nil {
		return err
	}
	p.Stacks = append(p.Stacks, Stack{uint32(l.stackStart), uint32(len(p.Frames) - l.stackStart)})
	l.stackStart = len(p.Frames)
	return l.check()
}

// sizedSample is sample for objects of a size in bytes, which becomes a label.
func (l *legacy) sizedSample(size int64, values ...int64) error {
	if l.sizeKey == 0 {
		l.sizeKey = l.intern.str("bytes")
	}
	l.labels = append(l.labels[:0], Label{Key: l.sizeKey, Numeric: true, Num: size})
	var err error
	if l.p.SampleLabels, err = grown(l.mem, l.p.SampleLabels, 1); err != nil {
		return err
	}
	l.p.SampleLabels = append(l.p.SampleLabels, l.intern.labelSet(l.labels))
	return l.sample(values...)
}

// check compares the profile with the limits. It measures memory only now and then,
// because that costs more than a sample.
func (l *legacy) check() error {
	if l.checks++; l.checks%64 == 0 {
		if err := l.hold(); err != nil {
			return err
		}
	}
	p := l.p
	switch {
	case len(p.Stacks) > l.lim.Samples:
		return &LimitError{"samples", int64(l.lim.Samples)}
	case len(p.Frames) > l.lim.Frames:
		return &LimitError{"frames", int64(l.lim.Frames)}
	case len(p.Locations) > l.lim.Locations:
		return &LimitError{"locations", int64(l.lim.Locations)}
	case len(p.Labels) > l.lim.Labels:
		return &LimitError{"labels", int64(l.lim.Labels)}
	}
	return nil
}

// hold takes the memory of the interner. Its profile's columns of samples are
// taken as they grow.
func (l *legacy) hold() error { return l.mem.hold(&l.held, l.intern.bytes()-l.columns()) }

// columns returns the memory of the columns of samples.
func (l *legacy) columns() int64 {
	p := l.p
	n := bytesOf[uint32](cap(p.Frames)+cap(p.SampleLabels)) + bytesOf[Stack](cap(p.Stacks))
	for _, column := range p.Values {
		n += bytesOf[int64](cap(column))
	}
	return n
}

// profile returns the profile after the whole input was read.
func (l *legacy) profile() (*Profile, error) {
	p := l.p
	if len(p.SampleTypes) == 0 && len(p.Stacks) > 0 {
		return nil, l.errorf("samples without a type")
	}
	if err := l.hold(); err != nil {
		return nil, err
	}
	return p, nil
}

// dropDoubledLeaves drops the second frame of stacks where it repeats the leaf, moved
// back as if it were a return address.
func (l *legacy) dropDoubledLeaves() {
	p := l.p
	for s := range p.Stacks {
		if stack := p.Stack(s); len(stack) > 1 && p.Locations[stack[0]].Address == p.Locations[stack[1]].Address+1 {
			l.dropSecond(s)
		}
	}
}

// dropSecond drops the second frame of a sample's stack.
func (l *legacy) dropSecond(s int) {
	k := &l.p.Stacks[s]
	l.p.Frames[k.Start+1] = l.p.Frames[k.Start]
	k.Start++
	k.Len--
}

// compactLocations drops unused locations, and sorts the others by their first use.
func (l *legacy) compactLocations() error {
	p := l.p
	n := bytesOf[uint32](len(p.Locations)) + bytesOf[Location](len(p.Locations))
	if err := l.mem.take(n); err != nil {
		return err
	}
	defer l.mem.give(n)
	ids := make([]uint32, len(p.Locations)) // new index plus 1
	used := make([]Location, 0, len(p.Locations))
	for s := range p.Stacks {
		for i, f := range p.Stack(s) {
			if ids[f] == 0 {
				loc := p.Locations[f]
				loc.ID = uint64(len(used)) + 1
				used = append(used, loc)
				ids[f] = uint32(len(used))
			}
			p.Stack(s)[i] = ids[f] - 1
		}
	}
	p.Locations = used
	return nil
}

// mapAttributes are the "name=value" lines of a memory map.
type mapAttributes struct {
	pairs    []string // "$name", value, ...
	longest  int      // longest value
	expanded int      // bytes of lines with names replaced
	replacer *strings.Replacer
}

package profile

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// funcMatcher tells which functions of a profile a regexp matches by name or
// file, looking at each string once.
type funcMatcher struct {
	p       *Profile
	re      *regexp.Regexp
	strings []int8 // by string id: 0 not looked at, 1 no match, 2 match
}

func newFuncMatcher(p *Profile, re *regexp.Regexp) *funcMatcher {
	if re == nil {
		return nil
	}
	return &funcMatcher{p, re, make([]int8, len(p.Strings))}
}

func (m *funcMatcher) str(id StringID) bool {
	if m.strings[id] == 0 {
		m.strings[id] = 1
		if m.re.MatchString(m.p.Strings[id]) {
			m.strings[id] = 2
		}
	}
	return m.strings[id] == 2
}

func (m *funcMatcher) function(f uint32) bool {
	fn := &m.p.Functions[f]
	return m.str(fn.Name) || m.str(fn.File)
}

// mapping reports whether the file that location l is mapped from matches.
func (m *funcMatcher) mapping(l uint32) bool {
	mp := m.p.MappingOf(l)
	return mp != nil && m.re.MatchString(mp.File)
}

// location reports whether any line of location l, or its mapping, matches.
func (m *funcMatcher) location(l uint32) bool {
	for _, ln := range m.p.LocationLines(l) {
		if m.function(ln.Function) {
			return true
		}
	}
	return m.mapping(l)
}

// NameFilter selects samples and frames by function name, file name, or file
// name of the mapping. Nil regexps select nothing.
type NameFilter struct {
	Focus, Ignore *regexp.Regexp // keep samples with a matching frame; drop them (ignore wins)
	Hide, Show    *regexp.Regexp // drop matching frames; drop all others

	// Unfolded, unless nil, has the same samples with frames that the profile has
	// lost: those that [FoldForeign] folded. Focus and Ignore look at both.
	Unfolded *Profile
}

// NameMatches tells which of a NameFilter's regexps matched anything.
type NameMatches struct {
	Focus, Ignore, Hide, Show bool
}

// FilterNames applies f. Matching is by location: a location matches if any of
// its inlined functions does, but hiding and showing remove just the lines
// concerned. Samples left without a frame are dropped. The error is that of ctx, which ends the
// work early.
func FilterNames(ctx context.Context, p *Profile, f NameFilter) (*Profile, NameMatches, error) {
	var matched NameMatches
	if f == (NameFilter{}) {
		matched.Focus = true
		return p, matched, nil
	}
	verdicts := sampleVerdicts(p, f.Focus, f.Ignore, &matched)
	if f.Unfolded != nil {
		more := sampleVerdicts(f.Unfolded, f.Focus, f.Ignore, &matched)
		of := verdicts
		verdicts = func(s int) (focused, ignored bool) {
			focused, ignored = of(s)
			alsoFocused, alsoIgnored := more(s)
			return focused || alsoFocused, ignored || alsoIgnored
		}
	}
	hide, show := newFuncMatcher(p, f.Hide), newFuncMatcher(p, f.Show)
	var hidden []bool
	anyHidden := false
	edit := newLineEditor(p)
	if hide != nil || show != nil {
		hidden = make([]bool, len(p.Locations))
		for i := range p.Locations {
			l := uint32(i)
			lines := p.LocationLines(l)
			if hide != nil && hide.location(l) {
				matched.Hide = true
				if hide.mapping(l) {
					lines = nil
				} else {
					lines = slices.DeleteFunc(slices.Clone(lines), func(ln Line) bool { return hide.function(ln.Function) })
				}
				edit.set(l, lines)
				hidden[i] = len(lines) == 0
			}
			if show != nil {
				if !show.mapping(l) {
					lines = slices.DeleteFunc(slices.Clone(lines), func(ln Line) bool { return !show.function(ln.Function) })
					edit.set(l, lines)
				}
				if len(lines) == 0 {
					hidden[i] = true
				} else {
					matched.Show = true
				}
			}
			anyHidden = anyHidden || hidden[i]
		}
	}
	var err error
	kept := keepSamples(p, func(s int) bool {
		if err == nil {
			err = stopped(ctx, s)
		}
		if err != nil {
			return false // what is left is not looked at
		}
		focused, ignored := verdicts(s)
		return focused && !ignored
	})
	q := edit.apply(kept)
	if anyHidden && err == nil {
		q, err = dropFrames(ctx, q, hidden)
	}
	return q, matched, err
}

// sampleVerdicts returns what tells whether a sample has a frame that focus matches, or
// any if focus is nil, and one that ignore matches. A location that ignore matches
// is not in focus.
func sampleVerdicts(p *Profile, focus, ignore *regexp.Regexp, matched *NameMatches) func(s int) (focused, ignored bool) {
	in, out := newFuncMatcher(p, focus), newFuncMatcher(p, ignore)
	const (
		neither = iota
		isFocused
		isIgnored
	)
	class := make([]uint8, len(p.Locations))
	for i := range class {
		l := uint32(i)
		if out != nil && out.location(l) {
			matched.Ignore = true
			class[i] = isIgnored
		} else if in == nil || in.location(l) {
			matched.Focus = true
			class[i] = isFocused
		}
	}
	return func(s int) (focused, ignored bool) {
		for _, l := range p.Stack(s) {
			switch class[l] {
			case isFocused:
				focused = true
			case isIgnored:
				return focused, true
			}
		}
		return focused, false
	}
}

// lineEditor collects new lines for locations of a profile.
type lineEditor struct {
	p         *Profile
	locations []Location // nil until something changes
	lines     []Line
}

func newLineEditor(p *Profile) *lineEditor { return &lineEditor{p: p} }

// set gives location l the lines.
func (e *lineEditor) set(l uint32, lines []Line) {
	if e.locations == nil {
		e.locations = slices.Clone(e.p.Locations)
		e.lines = slices.Clip(e.p.Lines)
	}
	loc := &e.locations[l]
	if int(loc.NumLines) == len(lines) {
		return // only ever fewer lines than before, in the same order
	}
	loc.FirstLine, loc.NumLines = uint32(len(e.lines)), uint32(len(lines))
	e.lines = append(e.lines, lines...)
}

// apply returns q, a profile with the same locations, with the new lines.
func (e *lineEditor) apply(q *Profile) *Profile {
	if e.locations == nil {
		return q
	}
	r := *q
	r.Locations, r.Lines = e.locations, e.lines
	return &r
}

// dropFrames removes the hidden locations from all stacks, and samples left
// without any.
func dropFrames(ctx context.Context, p *Profile, hidden []bool) (*Profile, error) {
	q := *p
	q.Frames = make([]uint32, 0, len(p.Frames))
	q.Stacks = make([]Stack, len(p.Stacks))
	for s := range p.Stacks {
		if err := stopped(ctx, s); err != nil {
			return nil, err
		}
		start := len(q.Frames)
		for _, l := range p.Stack(s) {
			if !hidden[l] {
				q.Frames = append(q.Frames, l)
			}
		}
		q.Stacks[s] = Stack{uint32(start), uint32(len(q.Frames) - start)}
	}
	return keepSamples(&q, func(s int) bool { return q.Stacks[s].Len > 0 }), nil
}

// withStacks returns p with other stacks.
func withStacks(p *Profile, stacks []Stack) *Profile {
	q := *p
	q.Stacks = stacks
	return &q
}

// ShowFrom drops all frames above the highest one that matches, and samples
// without a match. matched tells whether any frame did.
func ShowFrom(p *Profile, re *regexp.Regexp) (q *Profile, matched bool) {
	m := newFuncMatcher(p, re)
	edit := newLineEditor(p)
	match := make([]bool, len(p.Locations))
	for i := range p.Locations {
		l := uint32(i)
		if m.mapping(l) {
			match[i] = true
		} else {
			lines := p.LocationLines(l)
			k := len(lines) - 1
			for k >= 0 && !m.function(lines[k].Function) {
				k--
			}
			if k < 0 {
				continue
			}
			match[i] = true
			edit.set(l, lines[:k+1])
		}
		matched = true
	}
	stacks := make([]Stack, len(p.Stacks))
	for s := range stacks {
		stack := p.Stack(s)
		k := len(stack) - 1
		for k >= 0 && !match[stack[k]] {
			k--
		}
		stacks[s] = Stack{p.Stacks[s].Start, uint32(k + 1)}
	}
	q = edit.apply(withStacks(p, stacks))
	return keepSamples(q, func(s int) bool { return stacks[s].Len > 0 }), matched
}

// simpleNames are names that keep their opening parenthesis in simpleName.
var simpleNames = lazyregexp.New(`\(anonymous namespace\)|operator\(\)|\(`)

// simpleName strips what follows a function's name: the parameters of a C++
// function. A leading dot (PowerPC's entry points) goes, too.
func simpleName(name string) string {
	name = strings.TrimPrefix(name, ".")
	if strings.IndexByte(name, '(') < 0 {
		return name
	}
	for _, at := range simpleNames.Get().FindAllStringIndex(name, -1) {
		if at[1]-at[0] == 1 {
			return name[:at[0]]
		}
	}
	return name
}

// simpleMatcher matches functions by their simple name.
type simpleMatcher struct {
	p       *Profile
	match   func(string) bool
	strings []int8 // as in funcMatcher
}

func newSimpleMatcher(p *Profile, match func(string) bool) *simpleMatcher {
	return &simpleMatcher{p, match, make([]int8, len(p.Strings))}
}

func (m *simpleMatcher) function(f uint32) bool {
	id := m.p.Functions[f].Name
	if m.strings[id] == 0 {
		m.strings[id] = 1
		if name := m.p.Strings[id]; name != "" && m.match(simpleName(name)) {
			m.strings[id] = 2
		}
	}
	return m.strings[id] == 2
}

// PruneFrom drops all frames below the leaf-most one whose function's name
// matches, keeping that frame.
func PruneFrom(p *Profile, re *regexp.Regexp) *Profile {
	m := newSimpleMatcher(p, re.MatchString)
	edit := newLineEditor(p)
	match := make([]bool, len(p.Locations))
	for i := range p.Locations {
		lines := p.LocationLines(uint32(i))
		for k := range lines {
			if m.function(lines[k].Function) {
				match[i] = true
				edit.set(uint32(i), lines[k:])
				break
			}
		}
	}
	stacks := slices.Clone(p.Stacks)
	for s := range stacks {
		for i, l := range p.Stack(s) {
			if match[l] {
				stacks[s].Start += uint32(i)
				stacks[s].Len -= uint32(i)
				break
			}
		}
	}
	return edit.apply(withStacks(p, stacks))
}

// RemoveUninteresting drops the frames that the profile's own DropFrames and
// KeepFrames ask to drop, with everything below them. Frames from the root to
// the first one that stays are kept, so that no sample loses all.
func RemoveUninteresting(p *Profile) (*Profile, error) {
	if p.DropFrames == "" {
		return p, nil
	}
	drop, err := regexp.Compile("^(" + p.DropFrames + ")$")
	if err != nil {
		return nil, fmt.Errorf("the profile's drop_frames: %v", err)
	}
	var keep *regexp.Regexp
	if p.KeepFrames != "" {
		if keep, err = regexp.Compile("^(" + p.KeepFrames + ")$"); err != nil {
			return nil, fmt.Errorf("the profile's keep_frames: %v", err)
		}
	}
	m := newSimpleMatcher(p, func(name string) bool {
		return drop.MatchString(name) && (keep == nil || !keep.MatchString(name))
	})
	const (
		user      = iota
		dropBelow // the location's callees go
		dropAll   // the location goes, too
	)
	class := make([]uint8, len(p.Locations))
	edit := newLineEditor(p)
	for i := range p.Locations {
		lines := p.LocationLines(uint32(i))
		for k := len(lines) - 1; k >= 0; k-- {
			if !m.function(lines[k].Function) {
				continue
			}
			if k == len(lines)-1 {
				class[i] = dropAll
			} else {
				class[i] = dropBelow
				edit.set(uint32(i), lines[k+1:])
			}
			break
		}
	}
	stacks := slices.Clone(p.Stacks)
	for s := range stacks {
		stack := p.Stack(s)
		foundUser := false
		for i := len(stack) - 1; i >= 0; i-- {
			c := class[stack[i]]
			if c == user {
				foundUser = true
				continue
			}
			if !foundUser {
				continue
			}
			if c == dropAll {
				i++
			}
			stacks[s].Start += uint32(i)
			stacks[s].Len -= uint32(i)
			break
		}
	}
	return edit.apply(withStacks(p, stacks)), nil
}

// Granularity says what tells frames apart.
type Granularity struct {
	Function, File, Line, Column, Address bool
	Inlines                               bool // inlined functions are frames of their own
}

// Aggregate removes from the profile what g doesn't ask for: names, files,
// lines, columns, addresses, and inlined functions.
func Aggregate(p *Profile, g Granularity) *Profile {
	q := *p
	q.Mappings = slices.Clone(p.Mappings)
	for i := range q.Mappings {
		m := &q.Mappings[i]
		m.HasInlineFrames = m.HasInlineFrames && g.Inlines
		m.HasFunctions = m.HasFunctions && g.Function
		m.HasFilenames = m.HasFilenames && g.File
		m.HasLineNumbers = m.HasLineNumbers && g.Line
	}
	if !g.Function || !g.File {
		q.Functions = slices.Clone(p.Functions)
		for i := range q.Functions {
			f := &q.Functions[i]
			if !g.Function {
				f.Name, f.SystemName = 0, 0
			}
			if !g.File {
				f.File = 0
			}
		}
	}
	if !g.Line || !g.Column {
		q.Lines = slices.Clone(p.Lines)
		for i := range q.Lines {
			if !g.Line {
				q.Lines[i].Line = 0
			}
			q.Lines[i].Column = 0
		}
	}
	if !g.Inlines || !g.Address {
		q.Locations = slices.Clone(p.Locations)
		for i := range q.Locations {
			l := &q.Locations[i]
			if !g.Inlines && l.NumLines > 1 {
				l.FirstLine, l.NumLines = l.FirstLine+l.NumLines-1, 1
			}
			if !g.Address {
				l.Address = 0
			}
		}
	}
	return &q
}

// keepSamples returns p with only the samples that keep accepts.
func keepSamples(p *Profile, keep func(s int) bool) *Profile {
	n := 0
	kept := make([]bool, len(p.Stacks))
	for s := range kept {
		if keep(s) {
			kept[s] = true
			n++
		}
	}
	if n == len(kept) {
		return p
	}
	q := *p
	q.Stacks = pick(p.Stacks, kept, n)
	if p.SampleLabels != nil {
		q.SampleLabels = pick(p.SampleLabels, kept, n)
	}
	q.Values = make([][]int64, len(p.Values))
	for t, col := range p.Values {
		q.Values[t] = pick(col, kept, n)
	}
	return &q
}

// pick returns the n elements of s that are kept.
func pick[T any](s []T, kept []bool, n int) []T {
	out := make([]T, 0, n)
	for i, k := range kept {
		if k {
			out = append(out, s[i])
		}
	}
	return out
}

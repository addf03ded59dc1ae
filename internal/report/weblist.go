package report

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
)

// WebListing is annotated source with the machine code made from each line.
type WebListing struct {
	About
	Title string        `json:"title,omitempty"`
	Funcs []WebFunction `json:"functions"`
}

// WebFunction is a run of lines of one function.
type WebFunction struct {
	Name  string    `json:"name"`
	File  string    `json:"file,omitempty"`
	Flat  Quantity  `json:"flat"`
	Cum   Quantity  `json:"cum"`
	Lines []WebLine `json:"lines"`
	SourceFile
}

// WebLine is a source line and its machine code.
type WebLine struct {
	SourceLine
	Insts []WebInst `json:"instructions,omitempty"`
}

// WebInst is an instruction. Calls are the inlined calls it comes from,
// outermost first, as "file:line".
type WebInst struct {
	Addr  uint64   `json:"address"` // in the file
	Text  string   `json:"text"`
	Place string   `json:"place,omitempty"` // "file:line" of the innermost call
	Calls []string `json:"calls,omitempty"`
	Flat  Quantity `json:"flat"`
	Cum   Quantity `json:"cum"`
}

// WebList returns the report of command weblist for the functions that match
// its argument, or that contain the address it is.
//
// A line's values are those of the samples with a frame in it, each counted
// once, as in List; an instruction's are those of its address in its mapping.
// So several binaries may share addresses, files and functions.
func (r *Report) WebList() (*WebListing, error) {
	b := &webLister{r: r, byAddr: map[codeAddr]*addrSum{}, wanted: map[string]bool{}, functions: map[webKey]*webSource{}}
	b.collect()
	if err := r.Err(); err != nil {
		return nil, err
	}
	if len(b.wanted) == 0 {
		return nil, fmt.Errorf("no matches found for regexp: %v", r.symbol)
	}
	b.disassemble()
	byFile := b.spans()
	b.measure()
	if err := r.Err(); err != nil {
		return nil, err
	}
	l := &WebListing{About: r.about(r.ProfileHeader()), Title: titleOf(r), Funcs: []WebFunction{}}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		l.Funcs = append(l.Funcs, b.listings(file, byFile[file])...)
	}
	return l, nil
}

// webLister builds a WebListing.
type webLister struct {
	r         *Report
	byAddr    map[codeAddr]*addrSum
	wanted    map[string]bool // function names
	functions map[webKey]*webSource
	uses      [][]lineUse // by location: its frames in wanted functions
}

// codeAddr is an address of one binary, as in the process.
type codeAddr struct {
	mapping uint32 // as in profile.Location
	addr    uint64
}

// addrSum is what was measured at an address.
type addrSum struct {
	flat, cum int64
	seen      int // the last sample that was counted, plus 1
	wanted    bool
}

// webKey is a function of a file.
type webKey struct{ file, name string }

// webSource collects what belongs to a function of a file.
type webSource struct {
	lines map[int64]*webLine
	claim *sourceClaim

	read   bool // what follows is known
	text   []string
	origin SourceFile
}

// webLine collects what belongs to a source line.
type webLine struct {
	insts     []WebInst
	flat, cum int64
	seen      int // as in addrSum
	span      *webSpan
}

// webSpan is a run of lines of a function that are shown together.
type webSpan struct {
	webKey
	first, last int64
	flat, cum   int64
	seen        int
}

// lineUse is a frame in a line.
type lineUse struct {
	line *webLine
	leaf bool // nothing is inlined into it
}

// collect finds the functions, lines and addresses wanted and adds values up by
// address.
func (b *webLister) collect() {
	p := b.r.prof
	b.uses = make([][]lineUse, len(p.Locations))
	known := make([]int8, len(p.Locations)) // 0 not looked at, 1 not wanted, 2 wanted
	for s := range p.Stacks {
		if b.r.stop().at(s) {
			return
		}
		v := b.value(s)
		for i, l := range p.Stack(s) {
			if known[l] == 0 {
				known[l] = 1
				if b.wants(l) {
					known[l] = 2
				}
			}
			key := codeAddr{p.Locations[l].Mapping, p.Locations[l].Address}
			if key.addr == 0 {
				continue // it has no code
			}
			a := b.byAddr[key]
			if a == nil {
				a = &addrSum{}
				b.byAddr[key] = a
			}
			if a.seen != s+1 {
				a.seen = s + 1
				a.cum += v
			}
			if i == 0 {
				a.flat += v
			}
			a.wanted = a.wanted || known[l] == 2
		}
	}
	inlined := inlineMappings(p)
	for l := range known {
		if known[l] == 0 {
			continue
		}
		weight, mapping := int64(1), ""
		if a := b.byAddr[codeAddr{p.Locations[l].Mapping, p.Locations[l].Address}]; a != nil {
			weight = a.cum
		}
		if m := p.MappingOf(uint32(l)); m != nil {
			mapping = m.File
		}
		for i, ln := range p.LocationLines(uint32(l)) {
			fn := &p.Functions[ln.Function]
			if name := p.Strings[fn.Name]; b.wanted[name] {
				key := webKey{p.Strings[fn.File], name}
				b.uses[l] = append(b.uses[l], lineUse{b.line(key, ln.Line), i == 0})
				b.functions[key].claim.add(fn.StartLine, ln.Line, weight, inlined[mapping])
			}
		}
	}
}

// value returns what sample s adds.
func (b *webLister) value(s int) int64 {
	v, div := b.r.weights.of(s)
	return mean(v, div)
}

// wants reports whether a location is of a function asked for, all of which it
// adds to those wanted.
func (b *webLister) wants(l uint32) bool {
	r, p := b.r, b.r.prof
	loc := &p.Locations[l]
	wanted, matched := r.symbol == nil, false
	if r.symbol != nil {
		address, _ := strconv.ParseUint(r.symbol.String(), 0, 64)
		wanted = address != 0 && loc.Address == address
	}
	lines := p.LocationLines(l)
	for i, ln := range lines {
		fn := &p.Functions[ln.Function]
		name := p.Strings[fn.Name]
		hit := wanted && i == len(lines)-1
		if r.symbol != nil && !hit {
			hit = r.symbol.MatchString(name) || r.symbol.MatchString(p.Strings[fn.SystemName]) || r.symbol.MatchString(p.Strings[fn.File])
			if m := p.MappingOf(l); i == 0 && m != nil {
				hit = hit || r.symbol.MatchString(m.File)
			}
		}
		if hit {
			b.wanted[name] = true
			matched = true
		}
	}
	return matched
}

// line returns a line of a function, which it adds if need be.
func (b *webLister) line(key webKey, number int64) *webLine {
	source := b.functions[key]
	if source == nil {
		source = &webSource{lines: map[int64]*webLine{}, claim: newSourceClaim(key.name)}
		b.functions[key] = source
	}
	ln := source.lines[number]
	if ln == nil {
		ln = &webLine{}
		source.lines[number] = ln
	}
	return ln
}

// measure adds the samples' values up by line and span.
func (b *webLister) measure() {
	p := b.r.prof
	for s := range p.Stacks {
		if b.r.stop().at(s) {
			return
		}
		v := b.value(s)
		for i, l := range p.Stack(s) {
			for _, use := range b.uses[l] {
				ln, span := use.line, use.line.span
				if ln.seen != s+1 {
					ln.seen = s + 1
					ln.cum += v
				}
				if span.seen != s+1 {
					span.seen = s + 1
					span.cum += v
				}
				if i == 0 && use.leaf {
					ln.flat += v
					span.flat += v
				}
			}
		}
	}
}

// addrRange is a range of addresses of one binary to disassemble.
type addrRange struct {
	mapping  uint32
	from, to uint64
	bin      Binary
	flat     int64
}

// disassemble gives the code at the wanted addresses, and around them, to lines.
// A binary that can't be opened is worth a warning.
func (b *webLister) disassemble() {
	const (
		around    = 500 // bytes shown before and behind a wanted address
		maxRanges = 25
	)
	p := b.r.prof
	bins := map[uint32]Binary{}
	defer func() {
		for _, bin := range bins {
			if bin != nil {
				bin.Close()
			}
		}
	}()
	var addrs []codeAddr
	for at, a := range b.byAddr {
		if a.wanted && at.mapping != 0 {
			addrs = append(addrs, at)
		}
	}
	slices.SortFunc(addrs, func(x, y codeAddr) int {
		return cmp.Or(cmp.Compare(x.mapping, y.mapping), cmp.Compare(x.addr, y.addr))
	})
	var ranges []addrRange
	for _, at := range addrs {
		m := &p.Mappings[at.mapping-1]
		if _, tried := bins[at.mapping]; !tried && b.r.env.Binary != nil {
			bin, err := b.r.env.Binary(m)
			if err != nil {
				b.r.warn("no machine code: %v", err)
				bin = nil
			}
			bins[at.mapping] = bin
		}
		bin := bins[at.mapping]
		if bin == nil {
			continue
		}
		a := b.byAddr[at]
		from, to := max(m.Start, at.addr-min(at.addr, around)), min(m.Limit, at.addr+around)
		if n := len(ranges); n > 0 && ranges[n-1].mapping == at.mapping && from <= ranges[n-1].to {
			ranges[n-1].to = max(ranges[n-1].to, to)
			ranges[n-1].flat += a.flat
			continue
		}
		ranges = append(ranges, addrRange{at.mapping, from, to, bin, a.flat})
	}
	slices.SortFunc(ranges, func(x, y addrRange) int {
		return cmp.Or(-cmp.Compare(x.flat, y.flat), cmp.Compare(x.mapping, y.mapping), cmp.Compare(x.from, y.from))
	})
	for _, rg := range ranges[:min(len(ranges), maxRanges)] {
		b.addRange(rg)
	}
}

// addRange disassembles a range and hands the instructions to their lines.
func (b *webLister) addRange(rg addrRange) {
	base := rg.from - rg.bin.ObjAddr(rg.from)
	insts, err := rg.bin.Disasm(rg.from-base, rg.to-base, b.r.opt.IntelSyntax)
	if err != nil {
		b.r.warn("disassembling: %v", err)
		return
	}
	for i, in := range insts {
		addr := in.Addr + base
		frames, err := rg.bin.Frames(addr)
		if err != nil {
			frames = []Frame{{Function: in.Function, File: in.File, Line: in.Line}}
		}
		next := addr + 1
		if i+1 < len(insts) {
			next = insts[i+1].Addr + base
		}
		// Samples may point into the middle of an instruction.
		var flat, cum int64
		for at := addr; at < next && at-addr < 32; at++ {
			if a := b.byAddr[codeAddr{rg.mapping, at}]; a != nil {
				flat += a.flat
				cum += a.cum
			}
		}
		b.addInst(in.Addr, in.Text, frames, flat, cum)
	}
}

// addInst hands an instruction to the line of each wanted function it is inlined in.
func (b *webLister) addInst(addr uint64, text string, frames []Frame, flat, cum int64) {
	place := func(f Frame) string { return filepath.Base(f.File) + ":" + strconv.Itoa(f.Line) }
	for i, f := range frames {
		if !b.wanted[f.Function] {
			continue
		}
		ln := b.line(webKey{f.File, f.Function}, int64(f.Line))
		in := WebInst{Addr: addr, Text: text, Place: place(frames[0]), Flat: b.r.quantity(flat), Cum: b.r.quantity(cum)}
		for k := i - 1; k >= 0; k-- {
			in.Calls = append(in.Calls, place(frames[k]))
		}
		ln.insts = append(ln.insts, in)
	}
}

// spans cuts functions into runs of lines, by file and in the order of lines.
func (b *webLister) spans() map[string][]*webSpan {
	const gap = 20 // lines of one function that are nearer than this are shown together
	byFile := map[string][]*webSpan{}
	for key, source := range b.functions {
		var span *webSpan
		for _, n := range slices.Sorted(maps.Keys(source.lines)) {
			if span == nil || n-span.last > gap {
				span = &webSpan{webKey: key, first: n}
				byFile[key.file] = append(byFile[key.file], span)
			}
			span.last = n
			source.lines[n].span = span
		}
	}
	for _, spans := range byFile {
		slices.SortFunc(spans, func(x, y *webSpan) int {
			return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.last, y.last), cmp.Compare(x.name, y.name))
		})
	}
	return byFile
}

// listings returns the spans of a file that have values, with some lines around.
func (b *webLister) listings(file string, spans []*webSpan) []WebFunction {
	var out []WebFunction
	for i, sp := range spans {
		if sp.cum == 0 {
			continue
		}
		// What lies between two functions is divided between them.
		from, to := sp.first-lineMargin, sp.last+lineMargin
		if i > 0 && spans[i-1].last < sp.first {
			from = max(from, spans[i-1].last+(sp.first-spans[i-1].last)/2+1)
		}
		if i+1 < len(spans) && spans[i+1].first > sp.last {
			to = min(to, sp.last+(spans[i+1].first-sp.last)/2)
		}
		source := b.functions[sp.webKey]
		if !source.read {
			source.text, source.origin = sourceOf(b.r, file, source.claim, false)
			source.read = true
		}
		f := WebFunction{
			Name: sp.name, File: file, Flat: b.r.quantity(sp.flat), Cum: b.r.quantity(sp.cum), Lines: []WebLine{}, SourceFile: source.origin,
		}
		for n := max(from, min(sp.first, 1)); n <= to; n++ {
			ln := source.lines[n]
			src := ""
			switch {
			case n > 0 && n <= int64(len(source.text)):
				src = source.text[n-1]
			case ln == nil:
				continue
			case n == 0:
				src = "<instructions with unknown line numbers>"
			default:
				src = "???"
			}
			wl := WebLine{SourceLine: SourceLine{Line: n, Text: src, Flat: b.r.quantity(0), Cum: b.r.quantity(0)}}
			if ln != nil {
				wl.Flat, wl.Cum, wl.Insts = b.r.quantity(ln.flat), b.r.quantity(ln.cum), ln.insts
			}
			f.Lines = append(f.Lines, wl)
		}
		out = append(out, f)
	}
	return out
}

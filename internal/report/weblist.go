package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
func (r *Report) WebList() (*WebListing, error) {
	b := &webLister{r: r, byAddr: map[uint64]*addrSum{}, wanted: map[string]bool{}, files: map[string]map[int64]*webLine{}}
	b.collect()
	if len(b.wanted) == 0 {
		return nil, fmt.Errorf("no matches found for regexp: %v", r.symbol)
	}
	b.disassemble()
	l := &WebListing{About: r.about(r.ProfileHeader()), Title: r.title(), Funcs: []WebFunction{}}
	for _, file := range sortedKeys(b.files) {
		l.Funcs = append(l.Funcs, b.functions(file)...)
	}
	return l, nil
}

// webLister builds a WebListing.
type webLister struct {
	r      *Report
	byAddr map[uint64]*addrSum // by address in the process
	wanted map[string]bool     // function names
	files  map[string]map[int64]*webLine
}

// addrSum is what was measured at an address.
type addrSum struct {
	flat, cum int64
	loc       uint32
	wanted    bool
}

// webLine collects what belongs to a source line.
type webLine struct {
	function  string
	insts     []WebInst
	flat, cum int64
}

// collect adds values up by address and finds the functions and addresses wanted.
func (b *webLister) collect() {
	r, p := b.r, b.r.prof
	address := uint64(0)
	if r.symbol != nil {
		address, _ = strconv.ParseUint(r.symbol.String(), 0, 64)
	}
	matched := make(map[uint32]bool, 64)
	wants := func(l uint32) bool {
		loc := &p.Locations[l]
		any := r.symbol == nil || address != 0 && loc.Address == address
		lines := p.LocationLines(l)
		for i, ln := range lines {
			fn := &p.Functions[ln.Function]
			name := p.Strings[fn.Name]
			hit := any && i == len(lines)-1
			if r.symbol != nil && !hit {
				hit = r.symbol.MatchString(name) || r.symbol.MatchString(p.Strings[fn.SystemName]) || r.symbol.MatchString(p.Strings[fn.File])
				if m := p.MappingOf(l); i == 0 && m != nil {
					hit = hit || r.symbol.MatchString(m.File)
				}
			}
			if hit {
				b.wanted[name] = true
				matched[l] = true
			}
		}
		return matched[l]
	}
	known := make([]int8, len(p.Locations)) // 0 not looked at, 1 not wanted, 2 wanted
	for s := range p.Stacks {
		v, div := r.weights.of(s)
		v = mean(v, div)
		for i, l := range p.Stack(s) {
			if known[l] == 0 {
				known[l] = 1
				if wants(l) {
					known[l] = 2
				}
			}
			key := p.Locations[l].Address
			if key == 0 {
				key = ^uint64(l) // an address of its own, at the top where no program is
			}
			a := b.byAddr[key]
			if a == nil {
				a = &addrSum{loc: l}
				b.byAddr[key] = a
			}
			a.cum += v
			if i == 0 {
				a.flat += v
			}
			a.wanted = a.wanted || known[l] == 2
		}
	}
}

// addrRange is a range of addresses of one binary to disassemble.
type addrRange struct {
	from, to uint64
	bin      Binary
	flat     int64
}

// disassemble gives the wanted addresses, and the code around them, to lines.
// Code without a binary gets the lines that the profile tells; a binary that
// can't be opened is worth a warning.
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
	var addrs []uint64
	for addr, a := range b.byAddr {
		if a.wanted {
			addrs = append(addrs, addr)
		}
	}
	slices.Sort(addrs)
	var ranges []addrRange
	for _, addr := range addrs {
		a := b.byAddr[addr]
		mi := p.Locations[a.loc].Mapping
		if _, tried := bins[mi]; !tried && mi != 0 && b.r.env.Binary != nil {
			if bin, err := b.r.env.Binary(&p.Mappings[mi-1]); err == nil {
				bins[mi] = bin
			} else {
				bins[mi] = nil
				b.r.warn("no machine code: %v", err)
			}
		}
		bin := bins[mi]
		if bin == nil {
			b.addSynthetic(addr, a)
			continue
		}
		m := &p.Mappings[mi-1]
		from, to := max(m.Start, addr-min(addr, around)), min(m.Limit, addr+around)
		if n := len(ranges); n > 0 && ranges[n-1].bin == bin && from <= ranges[n-1].to {
			ranges[n-1].to = max(ranges[n-1].to, to)
			ranges[n-1].flat += a.flat
			continue
		}
		ranges = append(ranges, addrRange{from, to, bin, a.flat})
	}
	slices.SortFunc(ranges, func(x, y addrRange) int {
		return cmp.Or(-cmp.Compare(x.flat, y.flat), cmp.Compare(x.from, y.from))
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
			if a := b.byAddr[at]; a != nil {
				flat += a.flat
				cum += a.cum
			}
		}
		b.add(in.Addr, in.Text, frames, flat, cum)
	}
}

// addSynthetic stands in for the code of a location without a binary.
func (b *webLister) addSynthetic(addr uint64, a *addrSum) {
	p := b.r.prof
	var frames []Frame
	for _, ln := range p.LocationLines(a.loc) {
		fn := &p.Functions[ln.Function]
		frames = append(frames, Frame{p.Strings[fn.Name], p.Strings[fn.File], int(ln.Line)})
	}
	b.add(addr, "", frames, a.flat, a.cum)
}

// add hands an instruction to the line of each wanted function it is inlined in.
func (b *webLister) add(addr uint64, text string, frames []Frame, flat, cum int64) {
	place := func(f Frame) string { return filepath.Base(f.File) + ":" + strconv.Itoa(f.Line) }
	for i, f := range frames {
		if !b.wanted[f.Function] {
			continue
		}
		lines := b.files[f.File]
		if lines == nil {
			lines = map[int64]*webLine{}
			b.files[f.File] = lines
		}
		ln := lines[int64(f.Line)]
		if ln == nil {
			ln = &webLine{function: f.Function}
			lines[int64(f.Line)] = ln
		}
		ln.flat += flat
		ln.cum += cum
		if text == "" {
			continue
		}
		in := WebInst{Addr: addr, Text: text, Place: place(frames[0]), Flat: b.r.quantity(flat), Cum: b.r.quantity(cum)}
		for k := i - 1; k >= 0; k-- {
			in.Calls = append(in.Calls, place(frames[k]))
		}
		ln.insts = append(ln.insts, in)
	}
}

// functions cuts the lines of a file into functions, with some lines around.
func (b *webLister) functions(file string) []WebFunction {
	const gap = 20 // lines of one function that are nearer than this are shown together
	lines := b.files[file]
	var numbers []int64
	for n := range lines {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	type span struct {
		name        string
		first, last int64
	}
	var spans []span
	for _, n := range numbers {
		name := lines[n].function
		if k := len(spans) - 1; k >= 0 && spans[k].name == name && n-spans[k].last <= gap {
			spans[k].last = n
			continue
		}
		spans = append(spans, span{name, n, n})
	}
	text, origin := b.r.source(file)
	var out []WebFunction
	for i, sp := range spans {
		from, to := sp.first-lineMargin, sp.last+lineMargin
		if i > 0 {
			from = max(from, spans[i-1].last+(sp.first-spans[i-1].last)/2+1)
		}
		if i+1 < len(spans) {
			to = min(to, sp.last+(spans[i+1].first-sp.last)/2)
		}
		f := WebFunction{Name: sp.name, File: file, Lines: []WebLine{}, SourceFile: origin}
		var flat, cum int64
		for n := max(from, min(sp.first, 1)); n <= to; n++ {
			ln := lines[n]
			src := ""
			switch {
			case n > 0 && n <= int64(len(text)):
				src = text[n-1]
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
				flat += ln.flat
				cum += ln.cum
			}
			f.Lines = append(f.Lines, wl)
		}
		if cum == 0 {
			continue
		}
		f.Flat, f.Cum = b.r.quantity(flat), b.r.quantity(cum)
		out = append(out, f)
	}
	return out
}

//go:embed assets/weblist.html
var weblistHTML string

var weblistTemplate = template.Must(template.New("weblist").Funcs(template.FuncMap{
	"orDot":   orDot,
	"percent": func(q Quantity) string { return strings.TrimSpace(fmt.Sprintf("%.2f%%", q.Percent)) },
	"hex":     func(a uint64) string { return strconv.FormatUint(a, 16) },
	"join":    func(calls []string) string { return strings.Join(calls, " › ") },
	"hot":     func(q Quantity) string { return strconv.Itoa(int(min(4, max(0, q.Percent/5+0.99)))) },
}).Parse(weblistHTML))

// WriteText writes the listing as an HTML page that needs nothing else.
func (l *WebListing) WriteText(w io.Writer) error { return weblistTemplate.Execute(w, l) }

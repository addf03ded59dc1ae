package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// Disassembly is annotated machine code.
type Disassembly struct {
	About
	Routines []AsmRoutine `json:"routines"`
}

// AsmRoutine is the code of one symbol.
type AsmRoutine struct {
	Name  string    `json:"name"`
	Flat  Quantity  `json:"flat"`
	Cum   Quantity  `json:"cum"`
	Insts []AsmInst `json:"instructions"`
}

// AsmInst is an instruction with what was measured at it.
type AsmInst struct {
	Addr     uint64   `json:"address"` // in the file
	Text     string   `json:"text"`
	Function string   `json:"function,omitempty"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Flat     Quantity `json:"flat"`
	Cum      Quantity `json:"cum"`

	// sampled is the function that samples at the instruction name, "" if there
	// are none: the only functions that the text names.
	sampled string
}

// binarySymbol is a symbol of a program with the samples that fell into it.
type binarySymbol struct {
	Symbol
	bin   Binary
	nodes []*node // by address
}

// Disasm returns the report of command disasm: the symbols that match its
// argument, or that contain the address it is.
func (r *Report) Disasm() (*Disassembly, error) {
	if r.env.Binary == nil {
		return nil, errNoBinary
	}
	if r.symbol == nil {
		r.symbol = regexp.MustCompile("") // all of them
	}
	y := r.newLayout()
	g := y.build(r.prof, r.weights, buildOptions{stop: r.stop()})
	if err := r.Err(); err != nil {
		return nil, err
	}
	g.selectNodes(r.opt.DropNegative)
	var address *uint64
	if a, err := strconv.ParseUint(r.symbol.String(), 0, 64); err == nil {
		address = &a
	}
	symbols, done := binarySymbols(r, g, address)
	defer done()
	found := len(symbols) > 0
	symbols = slices.DeleteFunc(symbols, func(s *binarySymbol) bool { return len(s.nodes) == 0 })
	if len(symbols) == 0 {
		switch {
		case address == nil:
			return nil, fmt.Errorf("no matches found for regexp %s", r.symbol)
		case !found:
			return nil, fmt.Errorf("no matches found for address 0x%x", *address)
		}
		return nil, fmt.Errorf("address 0x%x found in binary, but the corresponding symbols do not have samples in the profile", *address)
	}
	slices.SortFunc(symbols, func(a, b *binarySymbol) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Start, b.Start))
	})
	d := &Disassembly{About: r.about(r.ProfileHeader())}
	for _, s := range symbols {
		insts, err := s.bin.Disasm(s.Start, s.End, r.opt.IntelSyntax)
		if err != nil {
			return nil, err
		}
		ro := asmRoutine(r, s, insts)
		if !r.env.Compat {
			ro.Cum = r.quantity(s.cum(r, y, g))
		}
		d.Routines = append(d.Routines, ro)
	}
	return d, nil
}

// binarySymbols finds the symbols the report's argument selects in the binaries
// that have matching samples. done closes the binaries.
func binarySymbols(r *Report, g *graph, address *uint64) (symbols []*binarySymbol, done func()) {
	matched := map[string]bool{}
	for _, i := range g.order {
		// The printable name begins with the address, so ^ needs the name alone.
		if n := &g.nodes[i]; n.obj != "" && (r.symbol.MatchString(n.printableName()) || r.symbol.MatchString(n.name)) {
			matched[n.obj] = true
		}
	}
	var open []Binary
	done = func() {
		for _, b := range open {
			b.Close()
		}
	}
	for i := range r.prof.Mappings {
		m := &r.prof.Mappings[i]
		if !matched[m.File] && (address == nil || *address < m.Start || *address > m.Limit) {
			continue
		}
		bin, err := r.env.Binary(m)
		if err != nil {
			r.warn("%v", err)
			continue
		}
		open = append(open, bin)
		re, at := r.symbol, uint64(0)
		if address != nil {
			re, at = nil, bin.ObjAddr(*address)
		}
		syms, err := bin.Symbols(re, at)
		if err != nil {
			r.warn("%s: %v", m.File, err)
			continue
		}
		for _, s := range syms {
			bs := &binarySymbol{Symbol: s, bin: bin}
			for _, i := range g.order {
				// Another binary may have the same addresses.
				if a := bin.ObjAddr(g.nodes[i].address); g.nodes[i].obj == m.File && a >= s.Start && a < s.End {
					bs.nodes = append(bs.nodes, &g.nodes[i])
				}
			}
			slices.SortFunc(bs.nodes, func(a, b *node) int { return cmp.Compare(a.address, b.address) })
			symbols = append(symbols, bs)
		}
	}
	return symbols, done
}

// cum is the value of the samples with a frame in the symbol.
func (s *binarySymbol) cum(r *Report, y *layout, g *graph) int64 {
	in := make(map[*node]bool, len(s.nodes))
	for _, n := range s.nodes {
		in[n] = true
	}
	group := make([]int32, len(g.nodes))
	for i := range group {
		if !in[&g.nodes[i]] {
			group[i] = -1
		}
	}
	return y.cumBy(r.prof, r.weights, group, 1)[0]
}

// asmRoutine adds up what was measured at each instruction, or inside it.
func asmRoutine(r *Report, s *binarySymbol, insts []Inst) AsmRoutine {
	var flat, cum int64
	for _, n := range s.nodes {
		flat += n.flat
		cum += n.cum
	}
	ro := AsmRoutine{Name: s.Name, Flat: r.quantity(flat), Cum: r.quantity(cum)}
	nodes := s.nodes
	for i, in := range insts {
		a := AsmInst{Addr: in.Addr, Text: in.Text, Function: in.Function, Line: in.Line}
		if in.File != "" {
			a.File = filepath.Base(in.File)
		}
		next := ^uint64(0)
		if i+1 < len(insts) {
			next = insts[i+1].Addr
		}
		var sum node
		for len(nodes) > 0 && s.bin.ObjAddr(nodes[0].address) < next {
			n := nodes[0]
			nodes = nodes[1:]
			sum.flat += n.flat
			sum.flatDiv += n.flatDiv
			sum.cum += n.cum
			sum.cumDiv += n.cumDiv
			if n.file != "" && a.File == "" {
				a.File = filepath.Base(n.file)
			}
			a.Line = cmp.Or(a.Line, int(n.line))
			a.sampled = cmp.Or(a.sampled, n.name)
		}
		a.Function = cmp.Or(a.Function, a.sampled)
		a.Flat, a.Cum = r.quantity(sum.flatValue()), r.quantity(sum.cumValue())
		ro.Insts = append(ro.Insts, a)
	}
	return ro
}

// WriteText writes the code as `go tool pprof -disasm` does.
func (d *Disassembly) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "Total:", d.Total.Text)
	for i := range d.Routines {
		ro := &d.Routines[i]
		fmt.Fprintf(b, "ROUTINE ======================== %s\n", ro.Name)
		fmt.Fprintf(b, "%10s %10s (flat, cum) %s of Total\n", ro.Flat.Text, ro.Cum.Text, percentage(ro.Cum.Value, d.Total.Value))
		var last AsmInst
		for k := range ro.Insts {
			in := &ro.Insts[k]
			place := ""
			if in.sampled != last.sampled || in.File != last.File || in.Line != last.Line {
				last = *in
				if in.sampled != "" {
					place = in.sampled + " "
				}
				if in.File != "" {
					place += in.File
					if in.Line != 0 {
						place += ":" + strconv.Itoa(in.Line)
					}
				}
			}
			switch {
			case place == "":
				fmt.Fprintf(b, "%10s %10s %10x: %s\n", orDot(in.Flat), orDot(in.Cum), in.Addr, in.Text)
			case len(in.Text) < 40:
				fmt.Fprintf(b, "%10s %10s %10x: %-40s;%s\n", orDot(in.Flat), orDot(in.Cum), in.Addr, in.Text, place)
			default:
				fmt.Fprintf(b, "%74s;%s\n", "", place)
				fmt.Fprintf(b, "%10s %10s %10x: %s\n", orDot(in.Flat), orDot(in.Cum), in.Addr, in.Text)
			}
		}
	}
	return b.Flush()
}

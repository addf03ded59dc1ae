package profile

import (
	"cmp"
	"math"
	"path"
	"slices"
)

// fileIDs are the files of a profile that the table knows, by their strings in the profile: the
// table's string plus 1. A file has many functions.
type fileIDs []StringID

// definition returns where function f of p is defined.
func (t *FrameTable) definition(p *Profile, f uint32, files fileIDs) funcDef {
	fn := &p.Functions[f]
	var at funcDef
	if p.Strings[fn.File] != "" {
		if files[fn.File] == 0 {
			files[fn.File] = t.in.str(path.Clean(p.Strings[fn.File])) + 1
		}
		at.file = files[fn.File] - 1
	}
	if t.granularity != "files" {
		at.startLine = fn.StartLine
	}
	return at
}

// maxDefinitions bounds how many definitions of a function are told apart, and
// with it the time that a hostile profile takes. What is behind it counts for
// none of them.
const maxDefinitions = 64

// note adds a definition to a function's.
func (t *FrameTable) note(function uint32, at funcDef) {
	if int(function) == len(t.info) {
		t.info = append(t.info, functionInfo{funcDef: at, files: uint32(b2u(at.file != 0))})
		return
	}
	info := &t.info[function]
	if at == info.funcDef || slices.Contains(t.others[function], at) || len(t.others[function]) == maxDefinitions-1 {
		return
	}
	known := at.file == 0 || at.file == info.file ||
		slices.ContainsFunc(t.others[function], func(o funcDef) bool { return o.file == at.file })
	if !known {
		info.files++
	}
	t.others[function] = append(t.others[function], at)
}

// Settle chooses which definition stands for a function that has several: the one
// with most of the values, absolute ones, of the samples that it is in. values
// has those of each map's profile. What an earlier call has chosen stays, so that
// the head of a comparison comes before its base; without a call it is the
// definition seen first.
func (t *FrameTable) Settle(maps []*FrameMap, values [][]int64) {
	if len(t.others) == 0 {
		return
	}
	tallies := map[uint32][]tally{} // by function: of its definition in info, then of those in others
	for i, m := range maps {
		t.weigh(m, values[i], tallies)
	}
	for function, w := range tallies {
		info, others := &t.info[function], t.others[function]
		if info.settled {
			continue
		}
		heaviest, settled := -1, false
		for i := range others {
			at, to := &info.funcDef, &w[0]
			if heaviest >= 0 {
				at, to = &others[heaviest], &w[1+heaviest]
			}
			settled = settled || to.weight+w[1+i].weight > 0
			if cmp.Or(cmp.Compare(w[1+i].weight, to.weight), t.compareDefs(at, &others[i])) > 0 {
				heaviest = i
			}
		}
		if heaviest >= 0 && settled {
			info.funcDef, others[heaviest] = others[heaviest], info.funcDef
		}
		info.settled = settled
	}
}

// compareDefs orders definitions of equal weight, so that it is always the same
// that stands for a function.
func (t *FrameTable) compareDefs(a, b *funcDef) int {
	name := func(d *funcDef) string { return t.in.p.Strings[d.file] }
	return cmp.Or(cmp.Compare(name(a), name(b)), cmp.Compare(a.startLine, b.startLine))
}

// tally is what a definition has.
type tally struct {
	weight float64
	seen   uint32 // the last sample of the profile at work that was counted, plus 1
}

// weigh adds what the samples of a profile give to the definitions of its
// functions.
func (t *FrameTable) weigh(m *FrameMap, values []int64, tallies map[uint32][]tally) {
	p := m.p
	for _, w := range tallies {
		for i := range w {
			w[i].seen = 0
		}
	}
	files := make(fileIDs, len(p.Strings))
	targets := make([]*tally, len(p.Functions)) // nil for functions with one definition
	for f, function := range m.functions {
		if function == 0 || t.others[function-1] == nil {
			continue
		}
		function--
		if tallies[function] == nil {
			tallies[function] = make([]tally, 1+len(t.others[function]))
		}
		at := t.definition(p, uint32(f), files)
		if at == t.info[function].funcDef {
			targets[f] = &tallies[function][0]
		} else if i := slices.Index(t.others[function], at); i >= 0 {
			targets[f] = &tallies[function][1+i]
		}
	}
	has := make([]bool, len(p.Locations))
	for l := range has {
		has[l] = slices.ContainsFunc(t.lines(p, uint32(l)), func(line Line) bool { return targets[line.Function] != nil })
	}
	for s, v := range values {
		if v == 0 {
			continue
		}
		for _, l := range p.Stack(s) {
			if !has[l] {
				continue
			}
			for _, line := range t.lines(p, l) {
				if to := targets[line.Function]; to != nil && to.seen != uint32(s)+1 {
					to.seen = uint32(s) + 1
					to.weight += math.Abs(float64(v))
				}
			}
		}
	}
}

package lsp

import (
	"cmp"
	"maps"
	"slices"
)

// A caller is a line that called a function.
type caller struct {
	function, file string
	line           int64
	share          float64 // of what the called line or function takes
}

// maxCallers is how many callers are shown.
const maxCallers = 2

// callersOf returns the lines that called a line's function, or a function if the line is 0, most expensive first. c is what the line or
// function takes in one profile.
func (m *measured) callersOf(c *cost, at matcher, declared map[string]bool, of spot) []caller {
	p := m.Profiles[c.profile].Profile
	value := -1
	for _, column := range columns(p, m.Profiles[c.profile].Kind) {
		if column.dimension == c.dimension {
			value = column.index
		}
	}
	if value < 0 {
		return nil
	}
	wanted := make(map[uint32]bool)
	for _, f := range m.inFile(c.profile, at) {
		if declaredSymbol(p.FunctionName(f), declared) == of.symbol {
			wanted[f] = true
		}
	}
	type place struct {
		function uint32
		line     int64
	}
	sums := make(map[place]int64)
	for sample := range p.Stacks {
		called := false
	stack:
		for _, l := range p.Stack(sample) {
			for _, line := range p.LocationLines(l) {
				if called {
					sums[place{line.Function, line.Line}] += p.Values[value][sample]
					break stack
				}
				called = wanted[line.Function] && (of.line == 0 || line.Line == of.line)
			}
		}
	}
	places := slices.SortedFunc(maps.Keys(sums), func(a, b place) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.function, b.function), cmp.Compare(a.line, b.line))
	})
	var callers []caller
	for _, at := range places[:min(maxCallers, len(places))] {
		f := p.Functions[at.function]
		callers = append(callers, caller{p.Strings[f.Name], p.Strings[f.File], at.line, float64(sums[at]) / float64(c.all)})
	}
	return callers
}

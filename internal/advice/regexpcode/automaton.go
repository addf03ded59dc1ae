package regexpcode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	// maxStates is how many states generated code has at most. A switch of more is longer than a page.
	maxStates = 32
	// maxBuilt is how many states are built before those that do the same are joined.
	maxBuilt = 500
	// maxRanges is how many ranges of characters a pattern may tell apart; those of a script, such as
	// \p{Greek}, fit, and those of all letters don't.
	maxRanges = 100
)

// Targets of transitions that aren't states: whatever follows, the text matches, or it doesn't.
const (
	accepts = -1
	rejects = -2
)

// An automaton decides whether a text matches a pattern, character by character. It is the smallest
// one that does: no two of its states mean the same. The first state is the start.
type automaton struct {
	classes []set    // characters that no state tells apart; together all characters
	next    [][]int  // of a state and a class: a state, accepts or rejects
	end     []bool   // whether a text that ends in a state matches
	after   []string // the shortest text that leads to each state
	// bytes means that the automaton may read bytes: it treats all bytes of characters outside of ASCII
	// the same, and as many of them like one.
	bytes bool
}

// newAutomaton builds the automaton of a program that package syntax compiled, anchored or not.
func newAutomaton(prog *syntax.Prog) (*automaton, error) {
	classes, err := classesOf(prog)
	if err != nil {
		return nil, err
	}
	b := &subsets{prog: prog, number: make(map[string]int)}
	a := &automaton{classes: classes}
	b.state([]uint32{uint32(prog.Start)}, -1)
	for q := 0; q < len(b.states); q++ {
		next := make([]int, len(classes))
		for i, class := range classes {
			next[i] = b.step(b.states[q], class[0])
		}
		a.next = append(a.next, next)
		a.end = append(a.end, b.ends(b.states[q]))
		if len(b.states) > maxBuilt {
			return nil, fmt.Errorf("it needs more than %d states", maxBuilt)
		}
	}
	a.minimize()
	if len(a.next) == 0 {
		return nil, errors.New("it matches every text or none")
	}
	if !slices.ContainsFunc(a.next, func(next []int) bool { return len(slices.Compact(slices.Clone(next))) > 1 }) {
		return nil, errors.New("it only counts characters, as utf8.RuneCountInString does")
	}
	if len(a.next) > maxStates {
		return nil, fmt.Errorf("it needs %d states, more than the limit of %d", len(a.next), maxStates)
	}
	a.bytes = a.readsBytes()
	a.describe()
	return a, nil
}

// classesOf returns the characters that a program tells apart.
func classesOf(prog *syntax.Prog) ([]set, error) {
	starts := []rune{0}
	add := func(lo, hi rune) { starts = append(starts, lo, hi+1) }
	words, lines := false, false
	var sets []*syntax.Inst
	for i := range prog.Inst {
		inst := &prog.Inst[i]
		switch inst.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			sets = append(sets, inst)
			ranges := set(inst.Rune)
			if len(inst.Rune) == 1 {
				ranges = set{inst.Rune[0], inst.Rune[0]}
				if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
					ranges = folded(inst.Rune[0])
				}
			}
			for i := 0; i+1 < len(ranges); i += 2 {
				add(ranges[i], ranges[i+1])
			}
		case syntax.InstEmptyWidth:
			words = words || syntax.EmptyOp(inst.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
			lines = lines || syntax.EmptyOp(inst.Arg)&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0
		}
	}
	if words {
		add('0', '9')
		add('A', 'Z')
		add('_', '_')
		add('a', 'z')
	}
	if lines {
		add('\n', '\n')
	}
	slices.Sort(starts)
	starts = slices.DeleteFunc(slices.Compact(starts), func(r rune) bool { return r > unicode.MaxRune })
	if len(starts) > 2*maxRanges {
		return nil, fmt.Errorf("it tells more than %d ranges of characters apart", maxRanges)
	}
	var classes []set
	known := make(map[string]int)
	for i, lo := range starts {
		hi := rune(unicode.MaxRune)
		if i+1 < len(starts) {
			hi = starts[i+1] - 1
		}
		var key []byte
		for _, inst := range sets {
			key = append(key, mark(inst.MatchRune(lo)))
		}
		key = append(key, mark(words && syntax.IsWordChar(lo)), mark(lines && lo == '\n'))
		n, ok := known[string(key)]
		if !ok {
			n = len(classes)
			known[string(key)] = n
			classes = append(classes, nil)
		}
		classes[n] = newSet(append(classes[n], lo, hi))
	}
	return classes, nil
}

func mark(is bool) byte {
	if is {
		return '1'
	}
	return '0'
}

// subsets builds states, which are sets of a program's instructions before what they assert about the
// next character is known, and the kind of the character before.
type subsets struct {
	prog   *syntax.Prog
	states []subset
	number map[string]int
}

type subset struct {
	pcs    []uint32
	before rune // -1 at the beginning; otherwise any character of the same kind
}

// state returns the number of a state.
func (b *subsets) state(pcs []uint32, before rune) int {
	slices.Sort(pcs)
	pcs = slices.Compact(pcs)
	key := binary.AppendVarint(nil, int64(before))
	for _, pc := range pcs {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	n, ok := b.number[string(key)]
	if !ok {
		n = len(b.states)
		b.number[string(key)] = n
		b.states = append(b.states, subset{pcs, before})
	}
	return n
}

// step returns the target for the next character.
func (b *subsets) step(s subset, c rune) int {
	reached, matched := b.closure(s, c)
	if matched {
		return accepts
	}
	next := []uint32{uint32(b.prog.Start)} // a match may begin after the character
	for _, pc := range reached {
		if inst := &b.prog.Inst[pc]; inst.MatchRune(c) {
			next = append(next, inst.Out)
		}
	}
	before := ' '
	switch {
	case c == '\n':
		before = '\n'
	case syntax.IsWordChar(c):
		before = 'a'
	}
	return b.state(next, before)
}

func (b *subsets) ends(s subset) bool {
	_, matched := b.closure(s, -1)
	return matched
}

// closure returns the instructions for characters that lead on, before the next character, -1 at the
// end, and whether the pattern has matched.
func (b *subsets) closure(s subset, c rune) (reached []uint32, matched bool) {
	holds := syntax.EmptyOpContext(s.before, c)
	seen := make(map[uint32]bool)
	todo := slices.Clone(s.pcs)
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch inst := &b.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				todo = append(todo, inst.Out)
			}
		case syntax.InstMatch:
			matched = true
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			reached = append(reached, pc)
		}
	}
	return reached, matched
}

// minimize joins states that mean the same, drops those that only accept or reject, and numbers the rest
// from the start. An automaton whose start only accepts or rejects keeps no states.
func (a *automaton) minimize() {
	part := a.joined()
	for a.endEarly(part) { // then more states may mean the same
		part = a.joined()
	}
	if a.only(0, accepts, part) || a.only(0, rejects, part) {
		a.next, a.end = nil, nil
		return
	}
	number := map[int]int{part[0]: 0}
	order := []int{0}
	for i := 0; i < len(order); i++ {
		for _, target := range a.next[order[i]] {
			if target < 0 {
				continue
			}
			if _, ok := number[part[target]]; !ok {
				number[part[target]] = len(order)
				order = append(order, target)
			}
		}
	}
	next, end := make([][]int, len(order)), make([]bool, len(order))
	for i, q := range order {
		end[i] = a.end[q]
		for _, target := range a.next[q] {
			if target >= 0 {
				target = number[part[target]]
			}
			next[i] = append(next[i], target)
		}
	}
	a.next, a.end = next, end
}

// joined numbers states so that those with the same number mean the same (Moore's algorithm).
func (a *automaton) joined() []int {
	part := make([]int, len(a.next))
	for q, end := range a.end {
		if end {
			part[q] = 1
		}
	}
	for count := 0; ; {
		numbers := make(map[string]int)
		refined := make([]int, len(part))
		for q, next := range a.next {
			key := binary.AppendVarint(nil, int64(part[q]))
			for _, target := range next {
				if target >= 0 {
					target = part[target]
				}
				key = binary.AppendVarint(key, int64(target))
			}
			n, ok := numbers[string(key)]
			if !ok {
				n = len(numbers)
				numbers[string(key)] = n
			}
			refined[q] = n
		}
		part = refined
		if len(numbers) == count {
			return part
		}
		count = len(numbers)
	}
}

// only reports whether a state accepts, or rejects, whatever follows.
func (a *automaton) only(q, kind int, part []int) bool {
	for _, target := range a.next[q] {
		if target != kind && (target < 0 || part[target] != part[q]) {
			return false
		}
	}
	return a.end[q] == (kind == accepts)
}

// endEarly lets transitions to a state that only accepts or rejects do so at once.
func (a *automaton) endEarly(part []int) (changed bool) {
	for q := range a.next {
		for _, kind := range []int{accepts, rejects} {
			if !a.only(q, kind, part) {
				continue
			}
			for _, next := range a.next {
				for i, target := range next {
					if target >= 0 && part[target] == part[q] {
						next[i], changed = kind, true
					}
				}
			}
		}
	}
	return changed
}

// class returns the number of a character's class.
func (a *automaton) class(r rune) int {
	return slices.IndexFunc(a.classes, func(s set) bool { return s.has(r) })
}

// readsBytes reports whether the bytes of a text tell as much as its characters. A character outside
// of ASCII is one to four bytes from 0x80, and an invalid byte is one.
func (a *automaton) readsBytes() bool {
	other := a.class(utf8.RuneSelf)
	if !a.classes[other].uniform() {
		return false
	}
	for _, next := range a.next {
		if target := next[other]; target >= 0 && a.next[target][other] != target {
			return false
		}
	}
	return true
}

// describe finds the shortest text that leads to each state.
func (a *automaton) describe() {
	a.after = make([]string, len(a.next))
	found := make([]bool, len(a.next))
	found[0] = true
	for todo := []int{0}; len(todo) > 0; todo = todo[1:] {
		for class, target := range a.next[todo[0]] {
			if target >= 0 && !found[target] {
				found[target] = true
				a.after[target] = a.after[todo[0]] + string(a.classes[class].member())
				todo = append(todo, target)
			}
		}
	}
}

// matches runs the automaton.
func (a *automaton) matches(s string) bool {
	q := 0
	step := func(r rune) bool {
		q = a.next[q][a.class(r)]
		return q >= 0
	}
	if a.bytes {
		for i := range len(s) {
			if !step(rune(s[i])) {
				return q == accepts
			}
		}
		return a.end[q]
	}
	for _, r := range s {
		if !step(r) {
			return q == accepts
		}
	}
	return a.end[q]
}

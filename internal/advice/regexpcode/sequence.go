package regexpcode

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A sequence is a pattern as steps that a function takes one after the other. At each choice, the next
// character decides: there is no way back.
type sequence []node

type op byte

const (
	opText   op = iota // a fixed text
	opChars            // characters of a set, min to max of them
	opGroup            // a sequence, min to max times
	opChoice           // one of several sequences
	opOpen             // a submatch begins
	opClose            // it ends
	opEnd              // the end of the text
)

type node struct {
	op       op
	text     string
	set      set
	min, max int // max is -1 if there is no limit
	lazy     bool
	of       []sequence
	number   int // of a submatch
}

// A parser turns the syntax of a pattern into a sequence.
type parser struct {
	submatches bool // keep them
	anchored   bool // the pattern begins with ^
	optional   map[int]bool
	depth      int // of repetitions and choices
}

// parse returns the steps of a pattern.
func (p *parser) parse(re *syntax.Regexp) (sequence, error) {
	subs := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		subs = re.Sub
	}
	if len(subs) > 0 && subs[0].Op == syntax.OpBeginText {
		p.anchored, subs = true, subs[1:]
	}
	ends := len(subs) > 0 && subs[len(subs)-1].Op == syntax.OpEndText
	if ends {
		subs = subs[:len(subs)-1]
	}
	var q sequence
	for _, sub := range subs {
		part, err := p.part(sub)
		if err != nil {
			return nil, err
		}
		q = append(q, part...)
	}
	if ends {
		q = append(q, node{op: opEnd})
	}
	return q, nil
}

func (p *parser) part(re *syntax.Regexp) (sequence, error) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return nil, nil
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return sequence{{op: opChars, set: setOf(re), min: 1, max: 1}}, nil
	case syntax.OpConcat:
		var q sequence
		for _, sub := range re.Sub {
			part, err := p.part(sub)
			if err != nil {
				return nil, err
			}
			q = append(q, part...)
		}
		return q, nil
	case syntax.OpCapture:
		q, err := p.part(re.Sub[0])
		if err != nil || !p.submatches {
			return q, err
		}
		if p.depth > 0 {
			p.optional[re.Cap] = true
		}
		return append(append(sequence{{op: opOpen, number: re.Cap}}, q...), node{op: opClose, number: re.Cap}), nil
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return p.repeated(re)
	case syntax.OpAlternate:
		p.depth++
		defer func() { p.depth-- }()
		n := node{op: opChoice}
		for _, sub := range re.Sub {
			q, err := p.part(sub)
			if err != nil {
				return nil, err
			}
			n.of = append(n.of, q)
		}
		return sequence{n}, nil
	case syntax.OpBeginLine, syntax.OpEndLine:
		return nil, errors.New("^ or $ match at lines")
	case syntax.OpBeginText, syntax.OpEndText:
		return nil, errors.New("^ or $ is inside of it")
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return nil, errors.New(`it has \b or \B`)
	}
	return nil, errors.New("it matches no text")
}

// setOf returns the characters that one step matches; nil for other syntax.
func setOf(re *syntax.Regexp) set {
	switch re.Op {
	case syntax.OpCharClass:
		return newSet(re.Rune)
	case syntax.OpAnyChar:
		return set{0, unicode.MaxRune}
	case syntax.OpAnyCharNotNL:
		return set{'\n', '\n'}.not()
	case syntax.OpLiteral:
		if len(re.Rune) != 1 {
			return nil
		}
		if re.Flags&syntax.FoldCase != 0 {
			return folded(re.Rune[0])
		}
		return set{re.Rune[0], re.Rune[0]}
	}
	return nil
}

func literal(re *syntax.Regexp) (sequence, error) {
	if re.Flags&syntax.FoldCase == 0 {
		for _, r := range re.Rune {
			if r == utf8.RuneError {
				return nil, errors.New(`it has \uFFFD, which invalid bytes match, too`)
			}
		}
		return sequence{{op: opText, text: string(re.Rune)}}, nil
	}
	var q sequence
	for _, r := range re.Rune {
		q = append(q, node{op: opChars, set: folded(r), min: 1, max: 1})
	}
	return q, nil
}

func (p *parser) repeated(re *syntax.Regexp) (sequence, error) {
	n := node{op: opGroup, min: 0, max: -1, lazy: re.Flags&syntax.NonGreedy != 0}
	switch re.Op {
	case syntax.OpPlus:
		n.min = 1
	case syntax.OpQuest:
		n.max = 1
	case syntax.OpRepeat:
		n.min, n.max = re.Min, re.Max
	}
	sub := re.Sub[0]
	for sub.Op == syntax.OpCapture && !p.submatches {
		sub = sub.Sub[0]
	}
	if s := setOf(sub); s != nil {
		n.op, n.set = opChars, s
		return sequence{n}, nil
	}
	if n.min == 0 || n.max != n.min {
		p.depth++
		defer func() { p.depth-- }()
	}
	q, err := p.part(sub)
	if err != nil {
		return nil, err
	}
	n.of = []sequence{q}
	if n.min == 1 && n.max == -1 { // once, and then any number of times
		again := n
		again.min = 0
		once := n
		once.max = 1
		return sequence{once, again}, nil
	}
	return sequence{n}, nil
}

// A follow is what is known about the rest of a pattern.
type follow struct {
	set     set  // what the next character may be
	certain bool // the rest matches whatever comes
}

// follow returns what is known of a sequence and what comes after it.
func (q sequence) follow(then follow) follow {
	for i := len(q) - 1; i >= 0; i-- {
		n := &q[i]
		first := n.first()
		switch {
		case n.op == opOpen || n.op == opClose:
		case n.op == opEnd:
			then = follow{}
		case n.nullable():
			then.set = then.set.or(first)
		default:
			then = follow{set: first}
		}
	}
	return then
}

// first are the characters that a node may begin with.
func (n *node) first() set {
	switch n.op {
	case opText:
		r, _ := utf8.DecodeRuneInString(n.text)
		return set{r, r}
	case opChars:
		return n.set
	case opGroup, opChoice:
		var s set
		for _, q := range n.of {
			s = s.or(q.follow(follow{}).set)
		}
		return s
	}
	return nil
}

func (n *node) nullable() bool {
	switch n.op {
	case opText, opEnd:
		return false
	case opChars:
		return n.min == 0
	case opGroup:
		return n.min == 0 || n.of[0].nullable()
	case opChoice:
		for _, q := range n.of {
			if q.nullable() {
				return true
			}
		}
		return false
	}
	return true
}

func (q sequence) nullable() bool {
	for i := range q {
		if !q[i].nullable() {
			return false
		}
	}
	return true
}

// all are the characters that a sequence may read.
func (q sequence) all() set {
	var s set
	for _, n := range q {
		switch n.op {
		case opText:
			for _, r := range n.text {
				s = s.or(set{r, r})
			}
		case opChars:
			s = s.or(n.set)
		}
		for _, sub := range n.of {
			s = s.or(sub.all())
		}
	}
	return s
}

// decide checks that the next character decides at each choice, and makes lazy repetitions greedy ones
// that do the same.
func (q sequence) decide(then follow) error {
	for i := range q {
		n, rest := &q[i], q[i+1:].follow(then)
		var err error
		switch n.op {
		case opChars:
			err = n.decideChars(q[i+1:], rest, then)
		case opGroup:
			err = n.decideGroup(rest)
		case opChoice:
			err = n.decideChoice(rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (n *node) decideChars(q sequence, rest, then follow) error {
	switch {
	case n.min == n.max:
	case n.lazy && rest.certain:
		n.max = n.min
	case n.lazy && n.set.meets(rest.set):
		// "(.*?)": the first quote ends it, as what comes after that can't fail.
		for len(q) > 0 && (q[0].op == opClose || q[0].op == opOpen) {
			q = q[1:]
		}
		if n.min > 0 || len(q) == 0 || !q[0].single() || !q[1:].follow(then).certain {
			return fmt.Errorf("a repetition of %s that takes as few as possible may have to take more", n.set)
		}
		n.set = n.set.minus(q[0].first())
	case !rest.certain && n.set.meets(rest.set):
		return fmt.Errorf("the next character doesn't decide whether %s is repeated", n.set)
	}
	if len(n.set) == 0 {
		return errors.New("it matches no text")
	}
	if !n.set.ascii() && !(n.set.uniform() && n.max == -1 && n.min <= 1) {
		return errors.New("it counts or compares characters outside of ASCII")
	}
	return nil
}

// single reports whether a node matches exactly one character.
func (n *node) single() bool {
	return n.op == opText && utf8.RuneCountInString(n.text) == 1 || n.op == opChars && n.min == 1 && n.max == 1
}

func (n *node) decideGroup(rest follow) error {
	body := n.of[0]
	if body.nullable() {
		return errors.New("it repeats what may be empty")
	}
	first := n.first()
	once := n.max == 1
	after := rest
	switch {
	case n.max == 0:
		return errors.New("it repeats a group zero times")
	case n.min == 1 && once:
	case n.min == n.max:
		after = follow{set: rest.set.or(first)}
		if rest.certain && body.varies() {
			return errors.New("the last time, a group that is repeated may end in another way than before")
		}
	case n.min != 0 || n.max > 1:
		return errors.New("it repeats a group a number of times that varies")
	case n.lazy && rest.certain || !rest.certain && first.meets(rest.set):
		return fmt.Errorf("the next character doesn't decide whether a group that begins with %s is repeated", first)
	case !once:
		after.set = rest.set.or(first)
	}
	if !first.uniform() && body.begins().op != opText {
		return errors.New("it compares characters outside of ASCII")
	}
	return body.decide(after)
}

func (n *node) decideChoice(rest follow) error {
	var before set
	for _, q := range n.of {
		if q.nullable() {
			return errors.New("one of several alternatives may be empty")
		}
		first := q.follow(follow{}).set
		if first.meets(before) {
			return fmt.Errorf("the next character doesn't decide between alternatives: two begin with %s", first.and(before))
		}
		before = before.or(first)
		if !first.uniform() && q.begins().op != opText {
			return errors.New("it compares characters outside of ASCII")
		}
		if err := q.decide(rest); err != nil {
			return err
		}
	}
	return nil
}

// begins is the first node of a sequence that isn't empty.
func (q sequence) begins() *node {
	for i := range q {
		if q[i].op != opOpen && q[i].op != opClose {
			return &q[i]
		}
	}
	return nil
}

// fails reports whether a sequence can fail after a guard has found that its first step succeeds.
func (q sequence) fails() bool {
	guarded := true
	for i := range q {
		n := &q[i]
		switch n.op {
		case opOpen, opClose:
			continue
		case opText, opEnd:
			if !guarded {
				return true
			}
		case opChars:
			if n.min > 0 && !(guarded && n.min == 1) {
				return true
			}
		case opGroup:
			if n.min > 1 || n.min == 1 && !(guarded && n.of[0].guarded()) || n.of[0].fails() {
				return true
			}
		case opChoice:
			return true
		}
		guarded = false
	}
	return false
}

// varies reports whether a sequence leaves out groups, or repeats as few times as possible: then what is
// certain to match after it matters.
func (q sequence) varies() bool {
	for i := range q {
		n := &q[i]
		if n.min != n.max && (n.op == opGroup || n.op == opChars && n.lazy) || slices.ContainsFunc(n.of, sequence.varies) {
			return true
		}
	}
	return false
}

// guarded reports whether a guard of a group that only looks at the next character is enough.
func (q sequence) guarded() bool {
	n := q.begins()
	return n.op == opChars && n.min == 1 || n.op == opText && len(n.text) == 1
}

// A search is how a pattern is tried at one place after the other in linear time.
type search struct {
	skip set    // after a try that fails, a run of these characters has no match either
	last string // a byte that every match has, after which no match begins; "" if none is needed
}

// linear returns how to search in linear time, so that a byte is read by a few tries only.
func (q sequence) linear() (out search, err error) {
	first := q.follow(follow{}).set
	head := q.begins()
	for i := range q {
		n := &q[i]
		if q[i+1:].follow(follow{certain: true}).certain {
			break // what comes from here can't fail
		}
		var loops set
		switch {
		case n.op == opChars && n.max == -1 && n == head:
			out.skip = n.set
			continue
		case n.op == opChars && n.max == -1:
			loops = n.set
		case n.op == opGroup || n.op == opChoice:
			loops = sequence{*n}.loops()
		}
		if !loops.meets(first) {
			continue
		}
		// [^}]*}: it ends at a brace, and then the rest matches, or there is no brace up to the end.
		end := q[i+1:]
		for len(end) > 0 && (end[0].op == opOpen || end[0].op == opClose) {
			end = end[1:]
		}
		if n.op == opChars && out.last == "" && len(end) > 0 && len(end[0].text) == 1 && len(n.set.or(end[0].first()).not()) == 0 && end[1:].follow(follow{certain: true}).certain {
			out.last = end[0].text
			continue
		}
		return out, fmt.Errorf("a search without the regexp engine could take quadratic time: a match may begin with %s, which is also repeated", loops.and(first))
	}
	return out, nil
}

// searchable returns how to search for a sequence, or why a function can't or needn't.
func (q sequence) searchable(w want) (search, error) {
	if w == wantMatch && len(q) == 1 {
		return search{}, errors.New("one step is simpler as a loop")
	}
	how, err := q.linear()
	if err != nil {
		return search{}, err
	}
	head := q.begins()
	if before, _ := q.cutEnd(); head == nil || before.nullable() {
		return search{}, errors.New("it may match an empty text anywhere")
	}
	if !q.follow(follow{}).set.uniform() && head.op != opText {
		return search{}, errors.New("it compares characters outside of ASCII")
	}
	return how, nil
}

// loops are the characters that a sequence reads without a limit.
func (q sequence) loops() set {
	var s set
	for i := range q {
		n := &q[i]
		switch {
		case n.op == opChars && n.max == -1:
			s = s.or(n.set)
		case n.op == opGroup && n.max == -1:
			s = s.or(n.of[0].all())
		default:
			for _, sub := range n.of {
				s = s.or(sub.loops())
			}
		}
	}
	return s
}

// needed is what has to be read to know whether a text matches: what comes last and can't fail isn't.
func (q sequence) needed() sequence {
	for len(q) > 0 && q[len(q)-1].nullable() {
		q = q[:len(q)-1]
	}
	if n := len(q); n > 0 && q[n-1].op == opChars {
		q[n-1].max = q[n-1].min
	}
	return q
}

// cutEnd returns a sequence without the end of the text, and whether it had that.
func (q sequence) cutEnd() (sequence, bool) {
	if n := len(q); n > 0 && q[n-1].op == opEnd {
		return q[:n-1], true
	}
	return q, false
}

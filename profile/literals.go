package profile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Definition is a function's name and where its source begins.
type Definition struct {
	Name, File string
	StartLine  int64 // 0 if unknown
}

// AlignLiterals returns profiles of two sides in which a function literal has the same name
// on both. It changes a name only where one side lacks it, to one that the head has: see
// [RenamedLiterals]. The profiles themselves stay as they are.
func AlignLiterals(base, head []*Profile) (alignedBase, alignedHead []*Profile) {
	names := RenamedLiterals(literalsOf(base), literalsOf(head))
	if len(names) == 0 {
		return base, head
	}
	align := func(all []*Profile) []*Profile {
		out := make([]*Profile, len(all))
		for i, p := range all {
			out[i] = p.withNames(names)
		}
		return out
	}
	return align(base), align(head)
}

// literalsOf returns the definitions of what may be literals.
func literalsOf(all []*Profile) (out []Definition) {
	for _, p := range all {
		for i := range p.Functions {
			f := &p.Functions[i]
			if name := p.Strings[f.Name]; MayBeLiteral(name) {
				out = append(out, Definition{name, p.Strings[f.File], f.StartLine})
			}
		}
	}
	return out
}

// withNames returns p with other names for some functions.
func (p *Profile) withNames(names map[string]string) *Profile {
	var q *Profile
	ids := map[string]StringID{}
	for i := range p.Functions {
		name, renamed := names[p.Strings[p.Functions[i].Name]]
		if !renamed {
			continue
		}
		if q == nil {
			copied := *p
			q = &copied
			q.Functions, q.Strings = slices.Clone(p.Functions), slices.Clip(p.Strings)
		}
		if ids[name] == 0 {
			ids[name] = StringID(len(q.Strings))
			q.Strings = append(q.Strings, name)
		}
		q.Functions[i].Name = ids[name]
	}
	if q == nil {
		return p
	}
	return q
}

// RenamedLiterals returns new names for function literals of two versions of a program, by
// their names. Without them, a comparison shows one literal as gone and as new:
//
//	                   before Go 1.27                since Go 1.27
//	in All, inlined    m/p.All.(*T).Deep.func5.1     m/p.(*T).Deep.func1.1
//	in main, inlined   main.main.Deep.func3          m/p.Deep.func1
//	in a range loop    m/p.F.func4                   m/p.F-range1.1
//
// Go 1.27 names a literal after the function whose source it is in. Earlier versions name it
// after all functions that this one was inlined into, and number it among their literals: any
// change to inlining renames it.
//
// A literal is the same if its function's name, its file without the folder, and its first
// line are. In a changed file, lines differ: then the literals of a function are the same in
// their order, if both sides have as many, and the form of their names differs.
func RenamedLiterals(base, head []Definition) map[string]string {
	a := aligning{renamed: map[string]string{}, used: map[string]bool{}}
	for side, all := range [2][]Definition{base, head} {
		a.names[side] = map[string]bool{}
		for _, d := range all {
			if l, ok := parseLiteral(d); ok && d.File != "" && d.StartLine > 0 {
				a.names[side][d.Name] = true
				a.literals[side] = append(a.literals[side], l)
			}
		}
	}
	if !a.differs() {
		return nil
	}
	a.byLine()
	a.byOrder()
	return a.renamed
}

// A literal is a function literal, or something else that the compiler makes of a part of a
// function: the body of a range loop, or the call of a go or defer statement.
type literal struct {
	Definition
	same   string   // what a literal on both sides has in common, apart from its line
	path   []string // functions it is in, outermost first; a receiver is one of them
	form   string   // the name without numbers
	number int      // the last one
}

// aligning finds the literals that are on both sides.
type aligning struct {
	literals [2][]literal
	names    [2]map[string]bool
	renamed  map[string]string
	used     map[string]bool // new names
}

// differs reports whether a side has a name that the other one lacks.
func (a *aligning) differs() bool { return !maps.Equal(a.names[0], a.names[1]) }

// free reports whether only one side has a name, and it wasn't aligned yet.
func (a *aligning) free(name string) bool {
	return a.names[0][name] != a.names[1][name] && a.renamed[name] == "" && !a.used[name]
}

// sides are literals of both sides.
type sides [2][]literal

// group groups the literals by a key and calls f for each group, in the order of keys.
func (a *aligning) group(key func(l *literal) string, f func(*sides)) {
	groups := map[string]*sides{}
	for side, all := range a.literals {
		for _, l := range all {
			k := key(&l)
			if groups[k] == nil {
				groups[k] = &sides{}
			}
			groups[k][side] = append(groups[k][side], l)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(groups)) {
		if g := groups[k]; len(g[0]) > 0 && len(g[1]) > 0 {
			f(g)
		}
	}
}

// byLine aligns the literals that begin on the same line.
func (a *aligning) byLine() {
	a.group(func(l *literal) string { return l.same + "\x00" + strconv.FormatInt(l.StartLine, 10) }, func(g *sides) {
		a.alignLine(g[0], g[1])
	})
}

// alignLine aligns the literals of a line. Of several on one line, those with the same rank
// among names that differ in the last number are the same.
func (a *aligning) alignLine(base, head []literal) {
	bases, heads := ranked(base), ranked(head)
	if len(bases) != len(heads) {
		return
	}
	for i := range bases {
		a.align(bases[i], heads[i])
	}
}

// ranked returns literals by their rank, nil if names that differ in the last number don't
// all have as many.
func ranked(all []literal) (out [][]literal) {
	groups := map[string][]literal{}
	for _, l := range all {
		prefix := strings.TrimRight(l.Name, "0123456789")
		if !slices.ContainsFunc(groups[prefix], func(o literal) bool { return o.Name == l.Name }) {
			groups[prefix] = append(groups[prefix], l)
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(groups)) {
		g := groups[prefix]
		slices.SortFunc(g, func(a, b literal) int { return cmp.Compare(a.number, b.number) })
		if out == nil {
			out = make([][]literal, len(g))
		}
		if len(out) != len(g) {
			return nil
		}
		for i, l := range g {
			out[i] = append(out[i], l)
		}
	}
	return out
}

// byOrder aligns the literals of a function whose lines changed.
func (a *aligning) byOrder() {
	a.group(func(l *literal) string { return l.same }, func(g *sides) {
		base, head := byStart(g[0]), byStart(g[1])
		if len(base) != len(head) {
			return
		}
		for i := range base {
			if a.otherForm(base[i], head[i]) {
				a.alignLine(base[i], head[i])
			}
		}
	})
}

// byStart returns literals by their first line.
func byStart(all []literal) (out [][]literal) {
	slices.SortStableFunc(all, func(a, b literal) int { return cmp.Compare(a.StartLine, b.StartLine) })
	for _, l := range all {
		if n := len(out); n > 0 && out[n-1][0].StartLine == l.StartLine {
			out[n-1] = append(out[n-1], l)
		} else {
			out = append(out, []literal{l})
		}
	}
	return out
}

// otherForm reports whether literals that may be the same have names of different forms, as
// from two versions of Go.
func (a *aligning) otherForm(base, head []literal) bool {
	for _, b := range base {
		for _, h := range head {
			if b.form != h.form && (a.free(b.Name) || a.free(h.Name)) && suffixOf(b.path, h.path) {
				return true
			}
		}
	}
	return false
}

// suffixOf reports whether the shorter path is the end of the longer one.
func suffixOf(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[len(a)-n:], b[len(b)-n:])
}

// align gives literals that are the same the shortest name that the head has.
func (a *aligning) align(base, head []literal) {
	to := slices.MinFunc(head, func(x, y literal) int {
		return cmp.Or(cmp.Compare(len(x.path), len(y.path)), cmp.Compare(len(x.Name), len(y.Name)), cmp.Compare(x.Name, y.Name))
	}).Name
	if a.renamed[to] != "" {
		return
	}
	for _, l := range slices.Concat(base, head) {
		if l.Name != to && a.free(l.Name) {
			a.renamed[l.Name] = to
			a.used[to] = true
		}
	}
}

// MayBeLiteral reports whether [RenamedLiterals] has to look at a name. It is false for
// nearly all functions that are not literals.
func MayBeLiteral(name string) bool {
	if name == "" {
		return false
	}
	if c := name[len(name)-1]; c >= '0' && c <= '9' {
		return strings.LastIndexByte(name, '.') > 0
	}
	return strings.Contains(name, viaMark)
}

// parseLiteral takes the name of a literal apart. What [FoldForeign] makes of it is one, too.
func parseLiteral(d Definition) (l literal, ok bool) {
	if !MayBeLiteral(d.Name) {
		return l, false
	}
	name, via, _ := strings.Cut(d.Name, viaMark)
	pkg, parts := nameParts(name)
	if len(parts) < 2 && !strings.Contains(name, "-range") {
		return l, false
	}
	l = literal{Definition: d, form: pkg}
	kind, depth, made := "", 0, false
	for _, part := range parts {
		bare, ranges := cutRanges(part)
		l.form += "." + strings.TrimRight(bare, "0123456789") + strings.Repeat("-range", ranges)
		word, number := strings.TrimRight(bare, "0123456789"), 0
		if made = word != bare && (word == "" || word == "func" || word == "gowrap" || word == "deferwrap"); made {
			number, _ = strconv.Atoi(bare[len(word):])
			kind = word
			if word == "func" || word == "" {
				kind, depth = "func", depth+1
			}
		} else {
			l.path, kind, depth = append(l.path, bare), "", 0
		}
		if ranges > 0 {
			kind, made = "range"+strconv.Itoa(ranges), true
			number, _ = strconv.Atoi(part[strings.LastIndex(part, "-range")+len("-range"):])
		}
		l.number = number
	}
	n := len(l.path)
	if !made || n == 0 || l.path[n-1] == "init" && len(parts) == 2 && kind == "func" && parts[1][0] != 'f' { // init.0 is declared
		return l, false
	}
	l.same = strings.Join([]string{kind, strconv.Itoa(depth), l.path[n-1], path.Base(d.File), via}, "\x00")
	return l, true
}

// nameParts splits a function's name at the points after its package. Receivers lose their
// parentheses.
func nameParts(name string) (pkg string, parts []string) {
	end := len(name)
	if i := firstBracket(name); i >= 0 {
		end = i
	}
	start := strings.LastIndexByte(name[:end], '/') + 1
	dot := strings.IndexByte(name[start:], '.')
	if dot < 0 {
		return name, nil
	}
	pkg, rest := name[:start+dot], name[start+dot+1:]
	depth, from := 0, 0
	add := func(part string) {
		if part = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(part, "("), "*"), ")"); part != "" {
			parts = append(parts, part)
		}
	}
	for i := range len(rest) {
		switch rest[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case '.':
			if depth == 0 {
				add(rest[from:i])
				from = i + 1
			}
		}
	}
	add(rest[from:])
	return pkg, parts
}

// cutRanges removes what the name of the body of a range loop has at the end, "-range1", and
// returns how often it was there.
func cutRanges(part string) (bare string, n int) {
	for {
		i := strings.LastIndex(part, "-range")
		if i <= 0 || strings.Trim(part[i+len("-range"):], "0123456789") != "" {
			return part, n
		}
		part, n = part[:i], n+1
	}
}

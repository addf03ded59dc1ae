package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var sliceGrows = &advice.Rule{
	ID:    "slice-grows",
	Title: "a slice grows element by element",
	Doc: `append to a full slice allocates a larger one and copies the elements. A slice of n elements is allocated about log₂ n
times, and the total is twice the bytes needed. If the number of elements is known in advance, make([]T, 0, n) allocates
once.

The rewrite gives an empty slice the capacity for the elements that a loop appends, or a new slice that for the slices
that the next statements append. For a field or a parameter, it calls slices.Grow before the loop. If a loop appends the slices in a
slice, it adds up their lengths first. The rule only gives advice, to count
or estimate, if the number isn't known, if a function called per element appends, or if the slice comes from elsewhere.`,
	Class:     advice.Safe,
	Frames:    growFrames,
	Allocates: true,
	Gain:      2.5,
	Match:     matchSliceGrows,
	Conditions: advice.Conditions{
		Offered: "a local slice starts empty, and each iteration of a loop with a known count appends the same number of elements, or none, without " +
			"goto, or the statements after the declaration of a slice append slices whose lengths are known; the rest of the function doesn't distinguish nil from an empty slice, or the slice stays nil",
		Review: "the slice is a local variable; a count that comes from outside isn't inflated, since all memory is allocated before the first iteration; no pointer to " +
			"an element, and no part of the slice, is kept while it grows; the function doesn't use the spare capacity; the loop " +
			"rarely returns early; most iterations append; the slice is not reached through a pointer that may be nil",
	},
}

func matchSliceGrows(s *advice.Site) []advice.Match {
	// If all allocations here have one size, a slice grows only if it is full when it is appended to.
	grows := s.Share(growFrames) != 0 || s.Blocks() > 1
	if !grows && s.Blocks() == 0 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok {
			continue
		}
		call, ok := facts.AppendTo(s.Place, assign)
		if !ok {
			continue
		}
		loop, ok := facts.LoopAround(c)
		if !ok {
			m, ok := advice.Match{}, false
			if grows {
				m, ok = appendedByCalls(s, c, assign, call)
			}
			if !ok {
				m, ok = appendedInRow(s, assign, call, grows)
			}
			if ok {
				matches = append(matches, m)
			}
			continue
		}
		if !grows || facts.Filters(s.Place, c, loop) != nil {
			continue
		}
		m := advice.Match{Node: assign, Class: advice.AdviceOnly, Allocated: growthOf(s, call)}
		if m.Allocated < 0.01 {
			continue // nearly all that is allocated here is something else
		}
		obj := facts.Object(s.Place, assign.Lhs[0])
		g := &growth{s: s, loop: loop, obj: obj, target: s.Source(assign.Lhs[0]), call: call}
		if !edit.OneLine(g.target) || s.Share(growFrames) == 0 && (g.hasRoom() || allocatesParts(s, call.Args[1:])) {
			continue
		}
		if g.match(c, &m) {
			matches = append(matches, m)
		}
	}
	return matches
}

// appendedByCalls matches a slice that a function literal appends to, if a function calls the literal
// for each of several elements.
func appendedByCalls(s *advice.Site, c inspector.Cursor, assign *ast.AssignStmt, call *ast.CallExpr) (advice.Match, bool) {
	obj, ok := facts.Object(s.Place, assign.Lhs[0]).(*types.Var)
	if _, literal := s.Func.Node().(*ast.FuncLit); !ok || !literal || s.Decl == nil || facts.IsLocal(s.Place, obj) || !facts.Within(s.Decl, obj.Pos()) {
		return advice.Match{}, false
	}
	if to, ok := s.Func.Parent().Node().(*ast.CallExpr); !ok || to.Fun == s.Func.Node() {
		return advice.Match{}, false // not passed to a function, or called on the spot
	}
	d, ok := facts.DeclarationAround(s.Place, obj)
	if !ok {
		return advice.Match{}, false
	}
	m := advice.Match{Node: assign, Class: advice.AdviceOnly, Allocated: growthOf(s, call)}
	if _, empty := startsEmpty(s, &d); !empty || m.Allocated < 0.01 || s.Share(growFrames) == 0 && allocatesParts(s, call.Args[1:]) {
		return advice.Match{}, false
	}
	m.Why = fmt.Sprintf("%s grows with each call of this function and is copied as it grows. If you can know or estimate the number of calls, set the capacity where it is declared.", obj.Name())
	return m, true
}

// growthOf returns the share of a line's allocations that is the slice's growth, if the line may also
// allocate elements: append(xs, &T{}).
func growthOf(s *advice.Site, call *ast.CallExpr) float64 {
	var elements []int64
	for _, arg := range call.Args[1:] {
		var t types.Type
		switch e := ast.Unparen(arg).(type) {
		case *ast.UnaryExpr:
			if _, literal := ast.Unparen(e.X).(*ast.CompositeLit); literal && e.Op == token.AND {
				t = s.Info.TypeOf(e.X)
			}
		case *ast.CallExpr:
			if s.Callee(e) == "new" {
				t = s.Info.TypeOf(e.Args[0])
			}
		}
		if t == nil {
			continue
		}
		if size, ok := facts.SizeOf(t); ok {
			elements = append(elements, size)
		}
	}
	if len(elements) == 0 {
		return 1
	}
	return s.Allocated(func(block int64) bool {
		// The allocator rounds up to its next size, by at most an eighth or 8 bytes.
		return !slices.ContainsFunc(elements, func(size int64) bool { return size <= block && block <= max(size+8, size+size/8) })
	})
}

// growth is a slice that a loop appends to.
type growth struct {
	s      *advice.Site
	loop   inspector.Cursor
	obj    types.Object // the variable; nil if it is something else
	target string
	call   *ast.CallExpr
	seen   bool // the loop uses it for more than its elements
}

// match says what to do about it, if anything. Growth that isn't caused by the loop, for example over
// many calls, is left to hot-allocation.
func (g *growth) match(c inspector.Cursor, m *advice.Match) bool {
	if g.changes() || g.obj == nil && g.pops() || g.grownBefore() {
		return false // another slice in each iteration, a stack, or one with room
	}
	b, known := facts.TripsOf(g.s.Place, g.loop.Node())
	if known && !edit.OneLine(b.Text(g.s.Place)) {
		known = false
	}
	steps, even := g.perStep()
	_, fixed := perAppend(g.s, g.call)
	_, nested := facts.LoopAround(g.loop)
	switch {
	case !fixed:
		m.Why = fmt.Sprintf("%s grows by pieces of different lengths and is copied as it grows. Add up the lengths first and call slices.Grow(%s, n).", g.target, g.target)
		g.growByPieces(c, m)
	case !known:
		m.Why = fmt.Sprintf("%s is copied as it grows step by step. If you can count or estimate the elements cheaply before the loop, call slices.Grow(%s, n).", g.target, g.target)
	case !even:
		m.Why = fmt.Sprintf("%s is copied as it grows. Not all of the %s iterations append to it; if most do, set that capacity before the loop.", g.target, b.Text(g.s.Place))
		g.growForMost(&b, nested, m)
	default:
		size := b.Text(g.s.Place)
		if steps > 1 {
			size = fmt.Sprintf("%d*%s", steps, facts.Parenthesized(b.Expr, size))
		}
		m.Why = fmt.Sprintf("%s is copied as it grows to %s elements; allocate that capacity first.", g.target, size)
		if g.obj == nil || !g.rewrite(&b, steps, m) {
			m.Edits, m.Class = nil, advice.AdviceOnly
			m.Why = fmt.Sprintf("%s is copied as it grows by %s elements; call slices.Grow(%s, %s) before the loop.", g.target, size, g.target, size)
			if !nested {
				g.growFirst(&b, steps, m)
			} else {
				m.Why = fmt.Sprintf("%s is copied as it grows by %s elements per iteration of the outer loop. Add up the total first, and allocate that capacity before the outer loop.", g.target, size)
			}
		}
	}
	return true
}

// changes reports whether the appended-to expression changes in the loop: it is declared in the loop,
// or is an element or field of something that is.
func (g *growth) changes() bool {
	changes := false
	ast.Inspect(g.call.Args[0], func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := g.s.Info.Uses[id].(*types.Var)
			changes = changes || ok && !v.IsField() && (facts.Within(g.loop.Node(), v.Pos()) || id != g.call.Args[0] && facts.Assigned(g.s.Place, v, g.loop.Node()))
		}
		return !changes
	})
	return changes
}

// pops reports whether the loop also takes elements off the slice.
func (g *growth) pops() bool {
	for c := range g.loop.Preorder((*ast.AssignStmt)(nil)) {
		assign := c.Node().(*ast.AssignStmt)
		if len(assign.Lhs) != 1 || g.s.Source(assign.Lhs[0]) != g.target {
			continue
		}
		if rest, ok := ast.Unparen(assign.Rhs[0]).(*ast.SliceExpr); ok && g.s.Source(rest.X) == g.target {
			return true
		}
	}
	return false
}

// hasRoom reports whether the slice is made with a capacity.
func (g *growth) hasRoom() bool {
	if g.obj == nil {
		return false
	}
	d, ok := facts.DeclarationOf(g.s.Place, g.obj)
	call, made := d.Value.(*ast.CallExpr)
	return ok && made && g.s.Callee(call) == "make" && len(call.Args) == 3 && !facts.IsInt(g.s.Place, call.Args[2], 0)
}

// allocatesParts reports whether values that are stored may be allocated on the same line, so that its
// blocks have several sizes although nothing grows.
func allocatesParts(s *advice.Site, stored []ast.Expr) bool {
	allocates := false
	for _, e := range stored {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				allocates = true
			case *ast.CompositeLit:
				switch s.Info.TypeOf(n).Underlying().(type) {
				case *types.Map, *types.Slice:
					allocates = true
				}
			case *ast.BinaryExpr:
				allocates = allocates || facts.IsString(s.Place, n) && s.Info.Types[n].Value == nil
			case *ast.CallExpr:
				_, to, converts := facts.Conversion(s.Place, n)
				callee := s.Callee(n)
				allocates = allocates || callee == "make" || callee == "new" || callee == "append" ||
					converts && (facts.IsString(s.Place, n) || facts.IsBytes(s.Place, n) || types.IsInterface(to))
			}
			return !allocates
		})
	}
	return allocates
}

// perStep returns how many elements each iteration appends; even is false if the number differs.
func (g *growth) perStep() (n int, even bool) {
	body := facts.LoopBody(g.loop.Node())
	if e := facts.ExitsOf(g.s.Place, g.loop); e.Skips || e.Stops {
		return 0, false
	}
	known := make(map[*ast.Ident]bool)
	for _, stmt := range body.List {
		assign, ok := stmt.(*ast.AssignStmt)
		if !ok {
			continue
		}
		call, ok := facts.AppendTo(g.s.Place, assign)
		if !ok || types.ExprString(assign.Lhs[0]) != g.target {
			continue
		}
		k, fixed := perAppend(g.s, call)
		if !fixed {
			return 0, false
		}
		n += k
		for _, e := range []ast.Expr{assign.Lhs[0], call.Args[0]} {
			if id, ok := ast.Unparen(e).(*ast.Ident); ok {
				known[id] = true
			}
		}
	}
	g.see(known)
	return n, n > 0
}

// see notes whether the loop uses the slice, other than by known names, in a way that depends on whether
// it is nil, or that may change it.
func (g *growth) see(known map[*ast.Ident]bool) {
	if g.obj == nil {
		return
	}
	g.loop.Inspect([]ast.Node{(*ast.Ident)(nil)}, func(c inspector.Cursor) bool {
		if id := c.Node().(*ast.Ident); g.s.Info.Uses[id] == g.obj && !known[id] && !readsElements(g.s, c) {
			g.seen = true
		}
		return true
	})
}

// readsElements reports whether a use only reads the slice's length or elements, so that nil and empty
// look the same.
func readsElements(s *advice.Site, c inspector.Cursor) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.IndexExpr:
		return p.X == c.Node()
	case *ast.RangeStmt:
		return p.X == c.Node()
	case *ast.CallExpr:
		switch s.Callee(p) {
		case "len", "copy", "clear", "strings.Join", "bytes.Join", "sort.Strings", "sort.Ints", "sort.Slice", "sort.SliceStable", "slices.Sort", "slices.SortFunc", "slices.SortStableFunc", "slices.Contains", "slices.Index", "slices.BinarySearch", "slices.Reverse":
			return true
		case "append":
			return p.Ellipsis.IsValid() && len(p.Args) == 2 && p.Args[1] == c.Node()
		}
	}
	return false
}

// rewrite gives the slice its capacity, if it is a variable that is empty before the loop.
func (g *growth) rewrite(b *facts.Trips, steps int, m *advice.Match) bool {
	s := g.s
	if g.seen || !facts.IsLocal(s.Place, g.obj) || facts.Jumps(s.Place) || facts.Mentions(s.Place, b.Expr, g.obj) {
		return false
	}
	d, ok := facts.DeclarationOf(s.Place, g.obj)
	stmt, inBlock := facts.Statement(g.loop)
	if !ok || !inBlock || len(facts.UsesIn(s.Place, g.obj, d.Node().End(), g.loop.Node().Pos())) > 0 {
		return false
	}
	if outer, ok := facts.LoopAround(g.loop); ok && !facts.Within(outer.Node(), g.obj.Pos()) {
		return false // not empty the second time
	}
	isNil, empty := startsEmpty(s, &d)
	if !empty || !facts.SameAt(s.Place, d.Type, stmt.Node().Pos()) || !facts.Builtins(s.Place, stmt.Node().Pos(), "make", "len") {
		return false
	}
	m.Class = advice.Safe
	exits := facts.ExitsOf(g.s.Place, g.loop)
	if b.Counts && exits.Panics {
		return false // as of a return below
	}
	for _, r := range exits.Returns {
		// There may be room for more elements than are appended. That's fine after a failure, but not
		// if the number comes from outside.
		if b.Counts || facts.Mentions(s.Place, r, g.obj) || len(r.Results) == 0 {
			return false
		}
	}
	more, ok := g.appendedAfter()
	if !ok {
		return false
	}
	size, first := b.Size(s.Place, stmt.Node().Pos())
	guard := size
	if steps > 1 {
		size = strconv.Itoa(steps) + "*" + facts.Parenthesized(b.Expr, size)
		if b.Counts && g.isSmall(b.Expr) {
			return false // the product may overflow
		}
	}
	if more > 0 {
		if b.Counts && g.isSmall(b.Expr) {
			return false // the sum may overflow
		}
		if n, err := strconv.Atoi(size); err == nil {
			size = strconv.Itoa(n + more)
		} else {
			size += "+" + strconv.Itoa(more)
		}
	}
	typ := s.Source(d.Type)
	made := fmt.Sprintf("make(%s, 0, %s)", typ, size)
	start := stmt.Node().Pos()
	switch {
	case b.Negative || isNil && !b.AtLeastOne(s.Place) && g.nilSeen():
		m.Edits = []advice.Edit{edit.Insert(start, fmt.Sprintf("%sif %s > 0 {\n%s = %s\n}\n", first, guard, g.target, made))}
	case !facts.Previous(d.Cursor, stmt) && !(d.Parent() == stmt.Parent() && b.KnownAt(s.Place, &d, g.loop.Node().Pos())):
		if comment, end, ok := d.Lines(s.Place); ok && d.Parent() == stmt.Parent() && types.Identical(s.Info.TypeOf(d.Type), g.obj.Type()) {
			m.Edits = []advice.Edit{{Pos: d.Node().Pos(), End: end}, edit.Insert(start, fmt.Sprintf("%s%s := %s%s\n", first, g.target, made, comment))}
			break
		}
		m.Edits = []advice.Edit{edit.Insert(start, fmt.Sprintf("%s%s = %s\n", first, g.target, made))}
	case d.Value != nil && !s.Info.Types[d.Value].IsNil():
		m.Edits = []advice.Edit{edit.Insert(d.Node().Pos(), first), edit.Replace(d.Value, made)}
	case facts.Commented(s.Place, d.Node().Pos(), d.Node().End()):
		return false
	default:
		m.Edits = []advice.Edit{edit.Replace(d.Node(), fmt.Sprintf("%s%s := %s", first, g.target, made))}
	}
	if b.Call {
		r := g.loop.Node().(*ast.RangeStmt)
		name, _, _ := strings.Cut(first, " := ")
		m.Edits = append(m.Edits, edit.Replace(r.X, name))
	}
	edit.MustCheck(m, b.Claimed(s.Place, g.loop.Node()), movesSeen(s, g.obj, g.target, g.lastAppend()))
	if len(exits.Returns) > 0 {
		edit.MustCheck(m, []string{"that the loop rarely returns early: room for all elements is allocated first"})
	}
	return true
}

// grownBefore reports whether the statement before the loop gives the slice room with slices.Grow.
func (g *growth) grownBefore() bool {
	before, ok := g.loop.PrevSibling()
	if !ok {
		return false
	}
	assign, ok := before.Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || g.s.Source(assign.Lhs[0]) != g.target {
		return false
	}
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	return ok && g.s.Callee(call) == "slices.Grow"
}

// growForMost gives a slice room for an element per iteration, if the loop has one statement that
// appends to it, in a branch.
func (g *growth) growForMost(b *facts.Trips, nested bool, m *advice.Match) {
	s, appends := g.s, 0
	known := make(map[*ast.Ident]bool)
	for c := range g.loop.Preorder((*ast.AssignStmt)(nil)) {
		assign := c.Node().(*ast.AssignStmt)
		if call, ok := facts.AppendTo(s.Place, assign); ok && types.ExprString(assign.Lhs[0]) == g.target {
			appends++
			for _, e := range []ast.Expr{assign.Lhs[0], call.Args[0]} {
				if id, ok := ast.Unparen(e).(*ast.Ident); ok {
					known[id] = true
				}
			}
		}
	}
	if appends != 1 {
		return
	}
	g.seen = false
	g.see(known)
	steps, _ := perAppend(s, g.call)
	if g.obj == nil || facts.IsParameter(s.Place, g.obj) {
		if !nested {
			g.growFirst(b, steps, m)
		}
	} else if !g.rewrite(b, steps, m) {
		m.Edits, m.Class = nil, advice.AdviceOnly
	}
	if m.Edits == nil {
		return
	}
	check := []string{fmt.Sprintf("that most of the %s iterations append to it: memory for all elements is allocated first", b.Text(s.Place))}
	if g.obj == nil || g.nilSeen() {
		check = append(check, fmt.Sprintf("that no code distinguishes nil from an empty %s", g.target))
	}
	edit.MustCheck(m, check)
}

// growFirst gives a field or a parameter room for the elements before the loop.
func (g *growth) growFirst(b *facts.Trips, steps int, m *advice.Match) {
	s, dst, at := g.s, g.call.Args[0], g.loop.Node().Pos()
	stmt, ok := facts.Statement(g.loop)
	pkg, ok2 := facts.PackageName(s.Place, "slices", at)
	exits := facts.ExitsOf(s.Place, g.loop)
	ends := exits.Panics || len(exits.Returns) > 0
	if !ok || !ok2 || stmt != g.loop || b.Call || g.seen || facts.Jumps(s.Place) || !facts.Plain(s.Place, dst) || b.Counts && ends || facts.Mentions(s.Place, b.Expr, facts.RootOf(s.Place, dst)) && g.obj != nil {
		return
	}
	if g.obj != nil && !facts.IsParameter(s.Place, g.obj) {
		return // it is empty, and not rewritten for a reason
	}
	size, _ := b.Size(s.Place, at)
	builtins := []string{"len"}
	if b.Counts && !types.Identical(types.Default(s.Info.TypeOf(b.Expr)), types.Typ[types.Int]) {
		size, builtins = "int("+size+")", append(builtins, "int")
	}
	if b.Negative {
		size, builtins = "max("+size+", 0)", append(builtins, "max")
	}
	if steps > 1 {
		size = strconv.Itoa(steps) + "*" + facts.Parenthesized(b.Expr, size)
	}
	if !facts.Builtins(s.Place, at, builtins...) {
		return
	}
	m.Edits = []advice.Edit{edit.Insert(at, fmt.Sprintf("%[1]s = %[2]s.Grow(%[1]s, %[3]s)\n", g.target, pkg, size))}
	m.Imports, m.Since = []string{"slices"}, "1.21"
	m.Class = advice.Review
	var check []string
	if ends {
		check = []string{fmt.Sprintf("that the loop rarely returns early, and that no code distinguishes nil from an empty %s then", g.target)}
	}
	if facts.PanicsBeside(s.Place, dst) != 0 {
		check = append(check, fmt.Sprintf("that %s doesn't panic: it is now evaluated before the loop, even without iterations", g.target))
	}
	edit.MustCheck(m, facts.SharedRoom(s.Place, dst, g.loop.Node()), check, b.Claimed(s.Place, g.loop.Node()))
}

// movesSeen returns what to check if something may notice that growing has moved the slice to another
// array: a pointer to an element, or another slice of it. It grows until the last code that appends to it.
func movesSeen(s *advice.Site, slice types.Object, name string, last ast.Node) []string {
	if facts.CapacityObserved(s.Place, slice) {
		return []string{fmt.Sprintf("that no code uses the spare capacity of %s", name)}
	}
	if facts.OwnArray(s.Place, slice, last) {
		return nil
	}
	return []string{fmt.Sprintf("that no code keeps a pointer to an element of %s, or a part of it, while it grows: they now stay in the same array", name)}
}

// appendedAfter returns how many elements are appended after the loop. ok is false if that number
// varies, or if other slices are made of it, which would share its capacity. Without room for these
// elements, the first of them would double the slice.
func (g *growth) appendedAfter() (n int, ok bool) {
	all := 0
	for c := range g.s.Func.Preorder((*ast.CallExpr)(nil)) {
		if g.appends(c.Node().(*ast.CallExpr)) && c.Node().Pos() > g.loop.Node().End() {
			all++
		}
	}
	for stmt, more := g.loop.NextSibling(); more && all > 0; stmt, more = stmt.NextSibling() {
		var call *ast.CallExpr
		switch stmt := stmt.Node().(type) {
		case *ast.AssignStmt:
			if to, ok := facts.AppendTo(g.s.Place, stmt); ok && g.appends(to) {
				call = to
			}
		case *ast.ReturnStmt:
			for _, e := range stmt.Results {
				if to, ok := ast.Unparen(e).(*ast.CallExpr); ok && call == nil && g.appends(to) {
					call = to
				}
			}
		}
		switch {
		case call == nil && facts.HasWayOut(stmt):
			return 0, false
		case call != nil:
			k, fixed := perAppend(g.s, call)
			if !fixed {
				return 0, false
			}
			n += k
			all--
		}
	}
	return n, all == 0
}

// appends reports whether a call appends to the slice.
func (g *growth) appends(call *ast.CallExpr) bool {
	return g.s.Callee(call) == "append" && facts.Object(g.s.Place, call.Args[0]) == g.obj
}

// isSmall reports whether a number's type is narrower than an int.
func (g *growth) isSmall(e ast.Expr) bool {
	b, ok := g.s.Info.TypeOf(e).Underlying().(*types.Basic)
	if !ok {
		return true
	}
	switch b.Kind() {
	case types.Int, types.Int64, types.Uint, types.Uint64, types.Uintptr, types.UntypedInt:
		return false
	}
	return true
}

// startsEmpty reports whether a declaration is an empty slice without capacity, and whether it is nil.
func startsEmpty(s *advice.Site, d *facts.Declaration) (isNil, empty bool) {
	if t := s.Info.TypeOf(d.Type); t == nil {
		return false, false
	} else if _, ok := facts.Under(t).(*types.Slice); !ok {
		return false, false
	}
	switch v := d.Value.(type) {
	case nil:
		return true, true
	case *ast.CompositeLit:
		return false, len(v.Elts) == 0
	case *ast.CallExpr:
		if s.Callee(v) == "make" {
			for _, n := range v.Args[1:] {
				if !facts.IsInt(s.Place, n, 0) {
					return false, false
				}
			}
			return false, len(v.Args) > 1
		}
		return true, len(v.Args) == 1 && s.Info.Types[v.Fun].IsType() && s.Info.Types[v.Args[0]].IsNil()
	case *ast.Ident:
		return true, s.Info.Types[v].IsNil()
	}
	return false, false
}

// nilSeen reports whether code outside the loop may distinguish a nil slice from an empty one.
func (g *growth) nilSeen() bool {
	seen := false
	g.s.Func.Inspect([]ast.Node{(*ast.Ident)(nil)}, func(c inspector.Cursor) bool {
		id := c.Node().(*ast.Ident)
		if g.s.Info.Uses[id] == g.obj && !facts.Within(g.loop.Node(), id.Pos()) && !readsElements(g.s, c) {
			seen = true
		}
		return !seen
	})
	return seen
}

package facts

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// A LockCall is a call that locks or unlocks a mutex, or that does so in a method which does nothing else.
type LockCall struct {
	Mutex *types.Var // a variable, or the field of all values of a type; nil for an element such as locks[i]
	Name  string     // of the mutex in the source: "c.mu"
	Op    string     // "Lock", "Unlock", "RLock" or "RUnlock"
}

// opposite is the operation that ends what another begins, "" if it begins nothing.
func opposite(op string) string {
	switch op {
	case "Lock":
		return "Unlock"
	case "RLock":
		return "RUnlock"
	}
	return ""
}

// LockCallOf returns what a call locks or unlocks, if it is a call of a mutex of package sync, or of a method
// of the package that only calls one.
func LockCallOf(s *code.Place, call *ast.CallExpr) (LockCall, bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) > 0 {
		return LockCall{}, false // a method expression, or another function
	}
	switch name := s.Callee(call); name {
	case "(*sync.Mutex).Lock", "(*sync.Mutex).Unlock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RLock", "(*sync.RWMutex).RUnlock":
		return LockCall{mutexOf(s, sel), s.Source(sel.X), sel.Sel.Name}, true
	}
	inner, ok := onlyLocks(s, CalleeDecl(s, call))
	return LockCall{inner.Mutex, s.Source(sel.X), inner.Op}, ok
}

// mutexOf returns the variable or field that a selected method of package sync belongs to.
func mutexOf(s *code.Place, method *ast.SelectorExpr) *types.Var {
	selection := s.Info.Selections[method]
	if selection == nil {
		return nil
	}
	v, _ := VariableOf(s, method.X).(*types.Var)
	t := selection.Recv()
	for _, i := range selection.Index()[:len(selection.Index())-1] { // embedded
		if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		of, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		v = of.Field(i)
		t = v.Type()
	}
	if v != nil {
		v = v.Origin()
	}
	return v
}

// onlyLocks returns the call that a method consists of, if that locks or unlocks. A condition around it, such
// as for a logger that may do without, doesn't matter.
func onlyLocks(s *code.Place, decl *ast.FuncDecl) (lock LockCall, ok bool) {
	if decl == nil || decl.Recv == nil || decl.Body == nil || len(decl.Body.List) != 1 {
		return lock, false
	}
	stmt := decl.Body.List[0]
	if cond, is := stmt.(*ast.IfStmt); is && cond.Else == nil && cond.Init == nil && len(cond.Body.List) == 1 && !Calls(s, cond.Cond) {
		stmt = cond.Body.List[0]
	}
	call, is := calledBy(stmt)
	if !is || !strings.HasPrefix(s.Callee(call), "(*sync.") {
		return lock, false
	}
	return LockCallOf(s, call)
}

// calledBy returns the call that a statement consists of.
func calledBy(stmt ast.Stmt) (*ast.CallExpr, bool) {
	x, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return nil, false
	}
	call, ok := ast.Unparen(x.X).(*ast.CallExpr)
	return call, ok
}

// A Section is the code that runs while a function holds a mutex.
type Section struct {
	*code.Place
	LockCall            // the one that begins it
	Begin    ast.Stmt   // that locks
	Ends     []ast.Node // the calls that unlock, the deferred one included
	stmts    []ast.Stmt // that follow Begin
	within   ast.Node   // the function
}

// Sections returns the sections of the mutexes that a function locks itself, in order. Those of literals in it
// belong to the literals.
func Sections(s *code.Place) (all []Section) {
	s.Func.Inspect([]ast.Node{(*ast.BlockStmt)(nil), (*ast.CaseClause)(nil), (*ast.CommClause)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		if lit, ok := c.Node().(*ast.FuncLit); ok {
			return ast.Node(lit) == s.Func.Node()
		}
		list := Statements(c.Node())
		for i, stmt := range list {
			call, ok := calledBy(stmt)
			if !ok {
				continue
			}
			lock, ok := LockCallOf(s, call)
			if !ok || opposite(lock.Op) == "" {
				continue
			}
			section := Section{Place: s, LockCall: lock, Begin: stmt, stmts: list[i+1:], within: s.Func.Node()}
			section.Inspect(func(ast.Node) bool { return true })
			section.findEnds()
			all = append(all, section)
		}
		return true
	})
	return all
}

// findEnds finds the calls that unlock.
func (c *Section) findEnds() {
	ast.Inspect(c.Func.Node(), func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && ast.Node(lit) != c.within {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if d, is := n.(*ast.DeferStmt); is {
			if call, ok = c.deferred(d); ok && d.Pos() > c.Begin.Pos() {
				c.Ends = append(c.Ends, call)
			}
			return false
		}
		if ok && call.Pos() > c.Begin.Pos() && c.ends(call) {
			c.Ends = append(c.Ends, call)
		}
		return true
	})
}

// ends reports whether a call unlocks the section's mutex.
func (c *Section) ends(call *ast.CallExpr) bool {
	lock, ok := LockCallOf(c.Place, call)
	return ok && lock.Name == c.Name && lock.Mutex == c.Mutex && lock.Op == opposite(c.Op)
}

// deferred returns the call that a defer statement unlocks the section's mutex with, alone or in a literal.
func (c *Section) deferred(d *ast.DeferStmt) (*ast.CallExpr, bool) {
	if c.ends(d.Call) {
		return d.Call, true
	}
	lit, ok := d.Call.Fun.(*ast.FuncLit)
	if !ok {
		return nil, false
	}
	for _, stmt := range lit.Body.List {
		if call, ok := calledBy(stmt); ok && c.ends(call) {
			return call, true
		}
	}
	return nil, false
}

// Inspect visits what runs while the mutex is held, as ast.Inspect does: without what runs after it is unlocked,
// what other goroutines run, and literals, which may run later.
func (c *Section) Inspect(visit func(ast.Node) bool) { c.inspect(c.stmts, visit) }

func (c *Section) inspect(list []ast.Stmt, visit func(ast.Node) bool) {
	for _, stmt := range list {
		if call, ok := calledBy(stmt); ok && c.ends(call) {
			return
		}
		var inside func(n ast.Node) bool
		inside = func(n ast.Node) bool {
			switch n := n.(type) {
			case nil, *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
				return false
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
				if clause, ok := n.(*ast.CaseClause); ok {
					for _, e := range clause.List {
						ast.Inspect(e, inside)
					}
				}
				c.inspect(Statements(n), visit)
				return false
			}
			return visit(n)
		}
		ast.Inspect(stmt, inside)
	}
}

// SectionsOf returns all sections of a mutex in the package. all is false if there may be others, or if the
// mutex is used in another way: a section that another function ends, TryLock, or a pointer to it.
func SectionsOf(s *code.Place, mutex *types.Var) (sections []Section, all bool) {
	if mutex == nil {
		return nil, false
	}
	type key struct{ *types.Var }
	type result struct {
		sections []Section
		all      bool
	}
	r := code.Memo(s.Package, key{mutex}, func() result {
		sections, all := sectionsOf(s.Package, mutex)
		return result{sections, all}
	})
	return r.sections, r.all
}

func sectionsOf(p *code.Package, mutex *types.Var) (sections []Section, all bool) {
	known := make(map[ast.Node]bool) // calls of a section
	for c := range p.Root().Preorder((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		for _, section := range Sections(p.Around(c)) {
			if section.Mutex != mutex {
				continue
			}
			sections = append(sections, section)
			call, _ := calledBy(section.Begin)
			known[call] = true
			for _, end := range section.Ends {
				known[end] = true
			}
		}
	}
	unended := slices.ContainsFunc(sections, func(c Section) bool { return len(c.Ends) == 0 && !OnlyLocks(c.Place) })
	return sections, !unended && (!mutex.Exported() && !mutex.Embedded() || p.Types.Name() == "main") && onlyIn(p, mutex, known)
}

// onlyIn reports whether each use of a mutex is in one of some calls, or in a method that only locks or unlocks.
func onlyIn(p *code.Package, mutex *types.Var, calls map[ast.Node]bool) bool {
	for c := range p.Root().Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || mutexOf(p.Around(c), sel) != mutex || mutex == nil {
			continue
		}
		if at := p.Around(c); !calls[call] {
			if _, wraps := onlyLocks(at, at.Decl); !wraps {
				return false
			}
		}
	}
	for _, id := range p.Uses(mutex) {
		c, ok := p.Root().FindNode(id)
		if !ok {
			return false
		}
		sel := c.Parent()
		if x, ok := sel.Node().(*ast.SelectorExpr); ok && x.Sel == id {
			sel = sel.Parent() // of the field
		}
		method, ok := sel.Node().(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if call, ok := sel.Parent().Node().(*ast.CallExpr); !ok || ast.Unparen(call.Fun) != ast.Expr(method) {
			return false
		}
	}
	return true
}

// Access is what a section writes, and what it only reads, of the variables that a mutex may guard: package
// variables and fields. Known is false if it may write more: by calls, or through pointers and slices.
type Access struct {
	Read, Written []*types.Var
	Known         bool
}

// AccessOf returns the fields and package variables that a section uses.
func AccessOf(c *Section) Access {
	a := Access{Known: true}
	write := func(e ast.Expr) {
		if _, local := ast.Unparen(e).(*ast.Ident); !local && c.guardedRoot(e) == nil {
			a.Known = false // what a local variable refers to
		}
	}
	add := func(list *[]*types.Var, v *types.Var) {
		if v != nil && v.Origin() != c.Mutex && !slices.Contains(*list, v.Origin()) {
			*list = append(*list, v.Origin())
		}
	}
	c.Inspect(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				write(lhs)
				add(&a.Written, c.guardedRoot(lhs))
			}
		case *ast.IncDecStmt:
			write(n.X)
			add(&a.Written, c.guardedRoot(n.X))
		case *ast.UnaryExpr:
			if n.Op.String() == "&" && c.guardedRoot(n.X) != nil {
				a.Known = false
			}
		case *ast.RangeStmt:
			if n.Key != nil {
				add(&a.Written, c.guardedRoot(n.Key))
			}
			if n.Value != nil {
				add(&a.Written, c.guardedRoot(n.Value))
			}
		case *ast.CallExpr:
			switch name := c.Callee(n); {
			case name == "delete" || name == "clear" || name == "copy" || name == "close":
				write(n.Args[0])
				add(&a.Written, c.guardedRoot(n.Args[0]))
			case !onlyReads(name) && EffectsOf(c.Place, n)&MayWrite != 0:
				a.Known = false
			}
		case *ast.SelectorExpr:
			if v, ok := c.Info.ObjectOf(n.Sel).(*types.Var); ok && v.IsField() {
				add(&a.Read, c.guardedRoot(n))
			}
		case *ast.Ident:
			if v, ok := c.Info.ObjectOf(n).(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				add(&a.Read, v)
			}
		}
		return true
	})
	a.Read = slices.DeleteFunc(a.Read, func(v *types.Var) bool { return slices.Contains(a.Written, v) })
	return a
}

// onlyReads reports whether a function of the standard library only reads its arguments.
func onlyReads(name string) bool {
	pkg, f, _ := strings.Cut(name, ".")
	switch pkg {
	case "append", "strings", "strconv", "unicode", "utf8", "math":
		return true
	case "maps":
		return f == "Clone" || f == "Keys" || f == "Values" || f == "Equal" || f == "Collect"
	case "bytes", "slices":
		for _, p := range []string{"Contains", "Index", "Equal", "Clone", "BinarySearch", "Max", "Min", "IsSorted", "Compare", "HasPrefix", "HasSuffix", "Collect", "Values", "Sorted"} {
			if strings.HasPrefix(f, p) {
				return true
			}
		}
	}
	return false
}

// guardedRoot returns the outermost field or package variable in what is assigned to: m for s.m[k].x, nil for
// a local variable.
func (c *Section) guardedRoot(e ast.Expr) (root *types.Var) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SelectorExpr:
			v, ok := c.Info.ObjectOf(x.Sel).(*types.Var)
			if !ok {
				return root
			}
			root, e = v, x.X
		case *ast.Ident:
			if v, ok := c.Info.ObjectOf(x).(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				return v
			}
			return root
		default:
			return root
		}
	}
}

// Function is the name of the section's function: "Type.Method" or "function".
func (c *Section) Function() string {
	if c.Decl == nil {
		return "a function literal"
	}
	if recv := ReceiverType(c.Info.Defs[c.Decl.Name].(*types.Func)); recv != "" {
		return recv[strings.LastIndexByte(recv, '.')+1:] + "." + c.Decl.Name.Name
	}
	return c.Decl.Name.Name
}

// Last is the last line of the section's code.
func (c *Section) Last() int {
	last := c.Line(c.Begin.Pos())
	c.Inspect(func(n ast.Node) bool {
		last = max(last, c.Line(n.End()))
		return true
	})
	return last
}

// BeginsWith reports whether a call is the one that locks.
func (c *Section) BeginsWith(call *ast.CallExpr) bool {
	begin, ok := calledBy(c.Begin)
	return ok && begin == call
}

// EndsOn reports whether a line is one where the section ends: that of a call that unlocks or, if that is
// deferred, any line after it that no other section ends on.
func (c *Section) EndsOn(line int) bool {
	deferred := false
	for _, end := range c.Ends {
		if c.Line(end.Pos()) == line {
			return true
		}
		at, ok := c.Func.FindNode(end)
		for d := range at.Enclosing((*ast.DeferStmt)(nil)) {
			deferred = ok && d.Valid()
		}
	}
	if !deferred || line <= c.Line(c.Begin.Pos()) || line > c.Line(c.Body().End()) {
		return false
	}
	for _, other := range Sections(c.Place) {
		if other.Begin == c.Begin {
			continue
		}
		for _, end := range other.Ends {
			if c.Line(end.Pos()) == line {
				return false
			}
		}
	}
	return true
}

// OnlyLocks reports whether the place's function does nothing except lock or unlock.
func OnlyLocks(s *code.Place) bool {
	_, ok := onlyLocks(s, s.Decl)
	return ok && s.Func.Node() == ast.Node(s.Decl)
}

// Statements yields the statements that follow the one that locks, in its block.
func (c *Section) Statements(yield func(ast.Stmt) bool) {
	for _, stmt := range c.stmts {
		if _, deferred := stmt.(*ast.DeferStmt); deferred {
			continue
		}
		if call, ok := calledBy(stmt); ok && c.ends(call) || !yield(stmt) {
			return
		}
	}
}

// FieldsIn returns those of some fields that a section uses, also in functions of the package that it calls.
func FieldsIn(c *Section, fields []*types.Var) []*types.Var {
	var used []*types.Var
	w := fieldWalk{Place: c.Place, seen: make(map[*ast.FuncDecl]bool)}
	w.use = func(v *types.Var) {
		if slices.Contains(fields, v) && !slices.Contains(used, v) {
			used = append(used, v)
		}
	}
	c.Inspect(w.visit)
	return used
}

// A fieldWalk goes through code and the functions of the package that it calls.
type fieldWalk struct {
	*code.Place
	seen map[*ast.FuncDecl]bool
	use  func(*types.Var)
}

func (w *fieldWalk) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		if v, ok := w.Info.ObjectOf(n).(*types.Var); ok && v.IsField() {
			w.use(v.Origin())
		}
	case *ast.CallExpr:
		if decl := CalleeDecl(w.Place, n); decl != nil && decl.Body != nil && !w.seen[decl] {
			w.seen[decl] = true
			ast.Inspect(decl.Body, w.visit)
		}
	}
	return true
}

// WrittenIn returns those of some fields that a section may change: all that it uses, except those whose value it
// only reads.
func WrittenIn(c *Section, fields []*types.Var) []*types.Var {
	a := AccessOf(c)
	return slices.DeleteFunc(FieldsIn(c, fields), func(v *types.Var) bool {
		return slices.Contains(a.Read, v) && a.Known && !slices.Contains(a.Written, v)
	})
}

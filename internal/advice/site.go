package advice

import (
	"go/ast"
	"go/token"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Site is a hot line of the user's, in its function, with what is known of it.
type Site struct {
	*Package
	File *ast.File
	Decl *ast.FuncDecl    // the declaration around; nil in a literal at package level
	Func inspector.Cursor // the innermost FuncDecl or FuncLit
	Line int              // now; the profile may have known it as another

	// Compiler is what it says of the line: "x escapes to heap", "copies 400 bytes".
	Compiler []string

	hot   *hot
	seen  *evidence
	nodes []inspector.Cursor
}

// Body returns the statements of the innermost function.
func (s *Site) Body() *ast.BlockStmt {
	switch f := s.Func.Node().(type) {
	case *ast.FuncDecl:
		return f.Body
	case *ast.FuncLit:
		return f.Body
	}
	return nil
}

// Nodes are the nodes of the site's function that are on its line: those that begin
// or end there, or, of calls, whose name or parenthesis stands there. Function
// literals are functions of their own: what is in them is not among them.
//
// A line next to it is another one. What a line calls is counted where the call is, to
// the instruction. Only the leaf of a stack may be an instruction late; it is hot as it
// is in a loop, which it seldom leaves by that, and a share of 1 % has room for it.
// Rules that took the neighbours' patterns for the line's would name what costs nothing.
func (s *Site) Nodes() []inspector.Cursor {
	if s.nodes != nil {
		return s.nodes
	}
	s.nodes = []inspector.Cursor{}
	s.Func.Inspect(nil, func(c inspector.Cursor) bool {
		n := c.Node()
		if n.Pos() == token.NoPos {
			return true
		}
		if s.Package.Line(n.Pos()) > s.Line || s.Package.Line(n.End()) < s.Line {
			return false
		}
		if s.touches(n) {
			s.nodes = append(s.nodes, c)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal || n == s.Func.Node()
	})
	return s.nodes
}

// touches reports whether code of a node may be attributed to the line.
func (s *Site) touches(n ast.Node) bool {
	on := func(pos token.Pos) bool { return s.Package.Line(pos) == s.Line }
	switch n := n.(type) {
	case *ast.CallExpr:
		return on(n.Pos()) || on(n.Lparen) || on(n.Rparen) || on(n.Fun.End()-1)
	case *ast.BinaryExpr:
		return on(n.Pos()) || on(n.OpPos)
	case *ast.AssignStmt:
		return on(n.Pos()) || on(n.TokPos)
	case *ast.FuncLit, *ast.RangeStmt, *ast.ForStmt, *ast.IfStmt, *ast.BlockStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause:
		return on(n.Pos())
	}
	return on(n.Pos()) || on(n.End()-1)
}

// A Call is a call on a site's line.
type Call struct {
	*ast.CallExpr
	inspector.Cursor
	Name string // of the callee, "strings.Split" or "(*bytes.Buffer).Write"; "" if it is not known
}

// Calls returns the calls on the line whose callee is one of names, written as
// go/types does: "strings.Split", "(*regexp.Regexp).MatchString", with whole import
// paths; without names, all calls. With names, those whose arguments are the results of
// another call, as in f(g()), are not among them: such arguments can't be told apart.
func (s *Site) Calls(names ...string) []Call {
	var found []Call
	for _, c := range s.Nodes() {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		name := s.Callee(call)
		if len(names) == 0 || name != "" && slices.Contains(names, name) && !s.spread(call) {
			found = append(found, Call{call, c, name})
		}
	}
	return found
}

// Share returns the part of the CPU time, the bytes or the objects, whichever is
// largest, that functions matching re below the line have in some subject.
func (s *Site) Share(re *lazyregexp.Regexp) float64 {
	return s.seen.largest(s.hot.match(about{frames: re}))
}

// Allocates returns the part of the bytes or objects, or of the time in allocating,
// whichever is largest, that the line itself has in some subject: what it calls is not
// counted.
func (s *Site) Allocates() float64 {
	own := make(matched)
	for _, k := range s.hot.chains {
		if !k.toLeaf || len(k.below) > 0 && !(strings.HasPrefix(k.below[0], "runtime.") && slices.ContainsFunc(k.below, allocation)) {
			continue
		}
		for subject, v := range k.values {
			sum := own.of(subject)
			sum[allocBytes] += v[allocBytes]
			sum[allocBlocks] += v[allocBlocks]
			if len(k.below) > 0 {
				sum[cpuTime] += v[cpuTime]
			}
		}
	}
	return s.seen.largest(own)
}

// AllocatesMost returns the function that, called by the line, allocates the largest part of the
// bytes or objects in some subject, with what it calls; "" if none allocates. Functions of the
// user's own modules and those of the runtime are not among them, nor those that call the
// user's again.
func (s *Site) AllocatesMost() (name string, share float64) {
	by := make(map[string]matched)
	for _, k := range s.hot.chains {
		if !k.toLeaf || len(k.below) == 0 || strings.HasPrefix(k.below[0], "runtime.") {
			continue
		}
		m := by[k.below[0]]
		if m == nil {
			m = make(matched)
			by[k.below[0]] = m
		}
		for subject, v := range k.values {
			sum := m.of(subject)
			sum[allocBytes] += v[allocBytes]
			sum[allocBlocks] += v[allocBlocks]
		}
	}
	for _, callee := range slices.Sorted(maps.Keys(by)) {
		if w := s.seen.largest(by[callee]); w > share {
			name, share = callee, w
		}
	}
	return name, share
}

// Unallocated reports whether nothing is seen to be allocated on the line or below it: there
// are profiles of memory of each subject that has it, and none has a block of it. A profile
// that takes few samples may lack what is allocated seldom.
func (s *Site) Unallocated() bool {
	for subject, v := range s.hot.match(about{}) {
		if s.seen.totals[subject][allocBlocks] == 0 || v[allocBlocks] > 0 {
			return false
		}
	}
	return true
}

// Flat returns the part of the CPU time that the line itself has, without what it
// calls, in some subject.
func (s *Site) Flat() float64 {
	own := make(matched)
	s.hot.flat(own)
	return s.seen.largest(own)
}

// FlatIn is Flat for all lines of a node together.
func (s *Site) FlatIn(n ast.Node) float64 {
	own := make(matched)
	for h := range s.linesOf(n) {
		h.flat(own)
	}
	return s.seen.largest(own)
}

// Parallel reports whether more than one processor ran the program, collecting garbage
// aside, in some subject where functions matching re below the line take time. Where
// profiles don't say how long they were collected, it may have been so.
func (s *Site) Parallel(re *lazyregexp.Regexp) bool {
	for subject, v := range s.hot.match(about{frames: re}) {
		span := s.seen.spans[subject]
		// A fifth for what the runtime does beside the program, and for clocks.
		if v[cpuTime] > 0 && (span <= 0 || float64(s.seen.totals[subject][cpuTime]-s.seen.gc[subject]) > 1.2*float64(span)) {
			return true
		}
	}
	return false
}

// OnMain reports whether nothing but the goroutine that a program begins with has run the
// line, which is a tool's way of doing what it was started for.
func (s *Site) OnMain() bool {
	var all values
	for _, v := range s.hot.match(about{}) {
		all.add(v)
	}
	return all == s.hot.main && all != (values{})
}

// Blocks returns how many sizes of blocks the line itself allocates, in the subject where
// these are most: of different subjects each may have its own size.
func (s *Site) Blocks() int {
	most := 0
	for _, blocks := range s.hot.blocks {
		most = max(most, len(blocks))
	}
	return most
}

// Sizes returns the sizes of blocks that the line itself allocates in each subject that has
// some, in bytes, ascending.
func (s *Site) Sizes() [][]int64 {
	var all [][]int64
	for _, blocks := range s.hot.blocks {
		all = append(all, slices.Sorted(maps.Keys(blocks)))
	}
	return all
}

// Allocated returns the part of the bytes that the line itself allocates which is in
// blocks of sizes that is says yes to; 1 if sizes are unknown.
func (s *Site) Allocated(is func(size int64) bool) float64 {
	all, some := 0.0, 0.0
	for _, blocks := range s.hot.blocks {
		for size, n := range blocks {
			all += float64(size * n)
			if is(size) {
				some += float64(size * n)
			}
		}
	}
	if all == 0 {
		return 1
	}
	return some / all
}

// BlockSize returns how many bytes a block has that functions matching re below the line allocate,
// on average, in the subject where these are most; 0 if they allocate nothing.
func (s *Site) BlockSize(re *lazyregexp.Regexp) int64 {
	most := int64(0)
	for _, v := range s.hot.match(about{frames: re}) {
		if v[allocBlocks] > 0 {
			most = max(most, v[allocBytes]/v[allocBlocks])
		}
	}
	return most
}

// BlocksFor returns how many blocks the line itself allocates for each of those that functions
// matching re below it do, in all subjects together; ok is false where these have none.
func (s *Site) BlocksFor(re *lazyregexp.Regexp) (n float64, ok bool) {
	blocks := func(a about) (n int64) {
		for _, v := range s.hot.match(a) {
			n += v[allocBlocks]
		}
		return n
	}
	own, below := blocks(about{own: true}), blocks(about{frames: re})
	return float64(own) / float64(below), below > 0
}

// Callees returns the functions that profiles show directly below the line, sorted;
// those of the user's own modules are not among them.
func (s *Site) Callees() []string {
	var names []string
	for _, k := range s.hot.chains {
		if len(k.below) > 0 {
			names = append(names, k.below[0])
		}
	}
	return unique(names)
}

// Reached returns the functions matching re that profiles show the line to call, or those
// matching through that it calls; those of the user's own modules are not among them. Sorted.
func (s *Site) Reached(re, through *lazyregexp.Regexp) []string {
	var names []string
	for _, k := range s.hot.chains {
		for _, name := range k.below {
			if re.MatchString(name) {
				names = append(names, name)
				break
			}
			if !through.MatchString(name) {
				break
			}
		}
	}
	return unique(names)
}

// unique returns names sorted, and each once.
func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// A Wait is what profiles of waiting say of a line.
type Wait struct {
	Share float64       // of all waiting of its kind in the subject
	Time  time.Duration // of all goroutines together
	Times int64         // that some goroutine waited; 0 if unknown
}

// LockWait returns how long others waited for locks that the line lets go in functions
// matching re, which it calls itself, in the subject where that is the largest part.
func (s *Site) LockWait(re *lazyregexp.Regexp) Wait { return s.wait(re, mutexTime, mutexTimes) }

// BlockWait returns how long the line waited in functions matching re that it calls
// itself.
func (s *Site) BlockWait(re *lazyregexp.Regexp) Wait { return s.wait(re, blockTime, blockTimes) }

func (s *Site) wait(re *lazyregexp.Regexp, d, times dimension) (most Wait) {
	sums := make(matched)
	for _, k := range s.hot.chains {
		if len(k.below) == 0 || !re.MatchString(k.below[0]) {
			continue
		}
		for subject, v := range k.values {
			sums.of(subject).add(v)
		}
	}
	for subject, v := range sums {
		if share := s.seen.share(v[d], subject, d); share > most.Share {
			most = Wait{share, time.Duration(v[d]), v[times]}
		}
	}
	return most
}

// ShareIn is Share for all lines of a node, of which the hottest counts.
func (s *Site) ShareIn(n ast.Node, re *lazyregexp.Regexp) float64 {
	most := 0.0
	for h := range s.linesOf(n) {
		most = max(most, s.seen.largest(h.match(about{frames: re})))
	}
	return most
}

// linesOf are the lines of a node that profiles have.
func (s *Site) linesOf(n ast.Node) iter.Seq[*hot] {
	first, last := s.Fset.Position(n.Pos()), s.Fset.Position(n.End())
	return func(yield func(*hot) bool) {
		for _, h := range s.seen.lines {
			if h.file == first.Filename && int64(first.Line) <= h.line && h.line <= int64(last.Line) && !yield(h) {
				return
			}
		}
	}
}

// functionName is "Type.Method" or "function", of the declaration around.
func (s *Site) functionName() string {
	if s.Decl == nil {
		return ""
	}
	if r := receiverName(s.Decl); r != "" {
		return r + "." + s.Decl.Name.Name
	}
	return s.Decl.Name.Name
}

func (s *Site) lineText(line int) string {
	tf := s.Fset.File(s.File.FileStart)
	if line < 1 || line > tf.LineCount() {
		return ""
	}
	start := tf.Offset(tf.LineStart(line))
	text := s.texts[tf.Name()][start:]
	if i := slices.Index(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return string(text)
}

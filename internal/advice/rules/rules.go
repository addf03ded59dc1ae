// Package rules is what hone knows of slow patterns: a rule a file, with its
// documentation, and its test data in testdata/ID.
//
// testdata/ID/NAME.go is a program with a pattern, or one that looks like it. A
// comment at the end of a line says what a profile would show there:
//
//	re := regexp.MustCompile("a+") // hot: regexp.MustCompile regexp.compile
//	s += x                         // hot: runtime.concatstring2
//	b = append(b, x)               // alloc
//
// and the line above it what the rule has to say:
//
//	// want A: compiled anew
//
// with the class and a part of the title or reason, and above that, if need be, what
// the compiler says of the line:
//
//	// says: ... argument escapes to heap | x escapes to heap
//
// A file without any want is a look-alike: the rule has to be silent.
// NAME.go.golden is what the rewrites of all findings of NAME.go make of it, one after
// the other.
package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
)

// All returns the rules, in the order that doc/rules.md has them.
func All() []*advice.Rule {
	return slices.Concat(all, advice.ProgramRules())
}

var all = []*advice.Rule{
	callerLookup,
	clientPerRequest,
	deepEqual,
	mutexContention,
	rwmutexReaders,
	busySelect,
	channelHandover,
	jsonAny,
	jsonReflection,
	listParsedPerCall,
	locationPerCall,
	logArgs,
	loopInvariantCall,
	passwordHash,
	randSourcePerCall,
	readPerRequest,
	reflectFirst,
	regexpEngine,
	regexpPerCall,
	replacerPerCall,
	smallReads,
	smallWrites,
	sortSlice,
	workPerComparison,
	sqlPrepare,
	sliceGrows,
	mapGrows,
	filterCopy,
	templatePerCall,
	sprintfSimple,
	encoderPerCall,
	hashSum,
	hotAllocation,
	largeCopy,
	poolCandidate,
	readAllDecode,
	poolValue,
	poolEmpty,
	oncePerObject,
	mapRange,
	rangeLookup,
	smallKeyMap,
	materialiseToCount,
	timerInLoop,
	triesInTurn,
	deferInLoop,
	timeNowLoop,
	goroutinePerItem,
	bytesSprintf,
	joinLiteral,
	stringBytesConversion,
	textCopied,
	splitForOnePart,
	tolowerEqual,
	bufferToBuilder,
	bufferGrow,
	scannerText,
	byteLoop,
	bulkAppend,
	errorfStatic,
	errorDiscarded,
	errorFormatted,
	concatIntoBuffer,
	containsAny,
	costlyCall,
	stringConcatLoop,
	errorsAs,
	reflectAssert,
	reflectType,
	appendChain,
	headerKey,
	binaryReflection,
	mapGuard,
	deleteGuard,
	copyLoop,
	slideLoop,
	timeSince,
	headerTwice,
}

// constantText returns the value of a constant string.
func constantText(s *advice.Site, e ast.Expr) (string, bool) {
	v := s.Info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// atPackageLevel reports whether an expression means the same outside of any
// function: it names nothing that is declared in one.
func atPackageLevel(s *advice.Site, e ast.Expr) bool {
	local := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := s.Info.Uses[id]; obj != nil && obj.Parent() != nil && obj.Pkg() == s.Types &&
				obj.Parent() != s.Types.Scope() && !isPackageName(obj) {
				local = true
			}
		}
		_, literal := n.(*ast.FuncLit)
		return !literal && !local
	})
	return !local
}

func isPackageName(obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok
}

// runsOnce reports whether code at a place runs once a process: in init or main, in
// a variable's value, or in what sync runs once.
func runsOnce(s *advice.Site, c inspector.Cursor) bool {
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		call, ok := lit.Parent().Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		switch s.Callee(call) {
		case "(*sync.Once).Do", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues":
			return true
		}
	}
	if inLoop(c) {
		return false
	}
	if s.Decl == nil {
		_, literal := s.Func.Node().(*ast.FuncLit)
		return !literal
	}
	return s.Decl.Recv == nil && (s.Decl.Name.Name == "init" || s.Decl.Name.Name == "main" && s.Types.Name() == "main") && s.Func.Node() == s.Decl
}

// isNamed reports whether a type, or what it points to, has a name.
func isNamed(t types.Type, pkg, name string) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg
}

// under is what a type is made of: of a type parameter what all types it may stand for
// are made of, as of M in [M ~map[K]V], or its constraint.
func under(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	constraint := p.Constraint().Underlying().(*types.Interface)
	for i := range constraint.NumEmbeddeds() {
		switch e := constraint.EmbeddedType(i).(type) {
		case *types.Union:
			if e.Len() == 1 {
				return e.Term(0).Type().Underlying()
			}
		default:
			if !types.IsInterface(e) {
				return e.Underlying()
			}
		}
	}
	return constraint
}

// pooled reports whether code makes what a sync.Pool has none of: in its New, or in the
// branch where Get returned nothing.
func pooled(s *advice.Site, c inspector.Cursor) bool {
	if inPoolNew(s, c) {
		return true
	}
	for outer := range c.Enclosing((*ast.IfStmt)(nil)) {
		branch := outer.Node().(*ast.IfStmt)
		var got ast.Expr
		switch cond := ast.Unparen(branch.Cond).(type) {
		case *ast.BinaryExpr: // v == nil
			if cond.Op == token.EQL && s.Info.Types[cond.Y].IsNil() {
				got = cond.X
			}
		case *ast.UnaryExpr: // !ok
			if cond.Op == token.NOT {
				got = cond.X
			}
		}
		if got != nil && within(branch.Body, c.Node().Pos()) && isFromPool(s, object(s, got)) {
			return true
		}
	}
	return false
}

// isFromPool reports whether a variable of the function at a site gets what a sync.Pool
// has, or whether that was something.
func isFromPool(s *advice.Site, v types.Object) bool {
	if v == nil {
		return false
	}
	for c := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
		if !slices.ContainsFunc(c.Node().(*ast.AssignStmt).Lhs, func(e ast.Expr) bool { return object(s, e) == v }) {
			continue
		}
		for in := range c.Preorder((*ast.CallExpr)(nil)) {
			if s.Callee(in.Node().(*ast.CallExpr)) == "(*sync.Pool).Get" {
				return true
			}
		}
	}
	return false
}

// inPoolNew reports whether code makes what a sync.Pool has none of.
func inPoolNew(s *advice.Site, c inspector.Cursor) bool {
	isPool := func(t types.Type) bool { return isNamed(t, "sync", "Pool") }
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		switch p := lit.Parent().Node().(type) {
		case *ast.KeyValueExpr:
			if t := s.Info.TypeOf(lit.Parent().Parent().Node().(ast.Expr)); t != nil && isPool(t) {
				return true
			}
		case *ast.AssignStmt:
			for _, l := range p.Lhs {
				if sel, ok := l.(*ast.SelectorExpr); ok && isPool(s.Info.TypeOf(sel.X)) {
					return true
				}
			}
		}
	}
	return false
}

// loopAround returns the innermost loop around a place, within its function.
func loopAround(c inspector.Cursor) (inspector.Cursor, bool) {
	for outer := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		if outer == c {
			continue
		}
		switch outer.Node().(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return outer, true
		}
		return inspector.Cursor{}, false
	}
	return inspector.Cursor{}, false
}

func inLoop(c inspector.Cursor) bool {
	_, ok := loopAround(c)
	return ok
}

// statement returns the statement that a place is in, of a block or a case.
func statement(c inspector.Cursor) (inspector.Cursor, bool) {
	for ; c.Node() != nil; c = c.Parent() {
		if _, ok := c.Node().(ast.Stmt); !ok {
			continue
		}
		switch c.Parent().Node().(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return c, true
		}
	}
	return inspector.Cursor{}, false
}

// object returns what an identifier means; nil if the expression is none.
func object(s *advice.Site, e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	return s.Info.ObjectOf(id)
}

// isLocal reports whether an object is a variable of the function at a site.
func isLocal(s *advice.Site, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && !v.IsField() && s.Func.Node().Pos() <= v.Pos() && v.Pos() < s.Func.Node().End()
}

// insert is an edit that puts text before a position.
func insert(at token.Pos, text string) advice.Edit { return advice.Edit{Pos: at, End: at, New: text} }

// replace is an edit that puts text in a node's place.
func replace(n ast.Node, text string) advice.Edit {
	return advice.Edit{Pos: n.Pos(), End: n.End(), New: text}
}

// beforeDecl is an edit that declares something at package level, above the function
// of a site and its comment.
func beforeDecl(s *advice.Site, text string) advice.Edit {
	at := s.Decl.Pos()
	if s.Decl.Doc != nil {
		at = s.Decl.Doc.Pos()
	}
	return insert(at, text+"\n\n")
}

// isString reports whether an expression's type is a string.
func isString(s *advice.Site, e ast.Expr) bool {
	t := s.Info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isBytes reports whether an expression's type is a slice of bytes.
func isBytes(s *advice.Site, e ast.Expr) bool {
	t := s.Info.TypeOf(e)
	if t == nil {
		return false
	}
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := slice.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// conversion returns the operand of a conversion such as []byte(s), and its type.
func conversion(s *advice.Site, e ast.Expr) (operand ast.Expr, to types.Type, ok bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !s.Info.Types[call.Fun].IsType() {
		return nil, nil, false
	}
	return call.Args[0], s.Info.TypeOf(call.Fun), true
}

// definition returns the value that a local variable is declared with, if it is its
// own one: x := value.
func definition(s *advice.Site, obj types.Object) (inspector.Cursor, bool) {
	for c := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
		assign := c.Node().(*ast.AssignStmt)
		if assign.Tok != token.DEFINE || len(assign.Lhs) != len(assign.Rhs) {
			continue
		}
		for i, lhs := range assign.Lhs {
			if id, ok := lhs.(*ast.Ident); ok && s.Info.Defs[id] == obj {
				return c.FindNode(assign.Rhs[i])
			}
		}
	}
	return inspector.Cursor{}, false
}

// packageValue returns what a variable of the package is declared with; nil if that is
// nothing, or one of several results of a call.
func packageValue(s *advice.Site, obj types.Object) ast.Expr {
	for c := range s.Root().Preorder((*ast.ValueSpec)(nil)) {
		spec := c.Node().(*ast.ValueSpec)
		for i, name := range spec.Names {
			if s.Info.Defs[name] == obj && len(spec.Values) == len(spec.Names) {
				return ast.Unparen(spec.Values[i])
			}
		}
	}
	return nil
}

// framesOf matches the names that profiles have of functions, which go/types names, with
// their type arguments.
func framesOf(functions ...string) *regexp.Regexp {
	var names []string
	for _, name := range functions {
		names = append(names, regexp.QuoteMeta(symbolOf(name)))
	}
	return regexp.MustCompile(`^(` + strings.Join(names, "|") + `)(\[.*)?$`)
}

// symbolOf is the name that profiles have of a function or method: time.Time.Format of
// (time.Time).Format, and a.(*T).M of (*a.T).M.
func symbolOf(name string) string {
	receiver, method, ok := strings.Cut(name, ").")
	if !ok {
		return name
	}
	receiver, pointer := strings.CutPrefix(strings.TrimPrefix(receiver, "("), "*")
	if !pointer {
		return receiver + "." + method
	}
	dot := strings.LastIndexByte(receiver, '.')
	return fmt.Sprintf("%s.(*%s).%s", receiver[:dot], receiver[dot+1:], method)
}

// lowerFirst makes a function's name the beginning of a variable's.
func lowerFirst(name string) string {
	_, n := utf8.DecodeRuneInString(name)
	return strings.ToLower(name[:n]) + name[n:]
}

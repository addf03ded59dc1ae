package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/facts"
)

// A Branch is a way that a function goes only sometimes.
type Branch struct {
	Line int  // of the condition
	When bool // the condition's value that leads there
}

// NeededIn returns the branch that has all uses of a value that a call or a load computes before the branch. The
// other way doesn't end in an error or a panic, and the condition doesn't depend on the value. Computing the value
// there is up to the reader: it may have effects, or what it reads may change.
func (f *Function) NeededIn(e ast.Expr) (b Branch, ok bool) {
	v := f.value(e)
	if v == nil || v.Referrers() == nil {
		return b, false
	}
	instr, isInstr := v.(ssa.Instruction)
	if !isInstr {
		return b, false
	}
	used := make(map[*ssa.BasicBlock]bool)
	if !usedIn(v, used, make(map[ssa.Value]bool), instr.Block()) || len(used) == 0 {
		return b, false
	}
	for decides := instr.Block(); ; {
		condition, isIf := decides.Instrs[len(decides.Instrs)-1].(*ssa.If)
		if isIf && !depends(condition.Cond, v, make(map[ssa.Value]bool)) {
			for i, way := range decides.Succs {
				other := decides.Succs[1-i]
				if len(way.Preds) == 1 && way != other && dominatesAll(way, used) && !fails(other) && !f.staysAround(instr, way) {
					line := f.lineOfCondition(condition)
					return Branch{Line: line, When: i == 0}, line > 0
				}
			}
		}
		next := onlyWay(decides, used)
		if next == nil {
			return b, false
		}
		decides = next
	}
}

// onlyWay returns the block that control goes to next before any use: the only successor, or the one that leads to all uses.
func onlyWay(b *ssa.BasicBlock, used map[*ssa.BasicBlock]bool) *ssa.BasicBlock {
	for _, d := range b.Dominees() {
		if dominatesAll(d, used) && !used[d] {
			return d
		}
	}
	return nil
}

// staysAround reports whether a way is in a loop that the value was computed before: there, it would be computed
// in each iteration.
func (f *Function) staysAround(computed ssa.Instruction, way *ssa.BasicBlock) bool {
	for _, l := range f.loops {
		if l.blocks[way] && !l.has(computed) {
			return true
		}
	}
	return false
}

// usedIn collects the blocks in which a value is used, through operations that only compute. It returns false if it
// is used in its own block, or in a way that isn't followed.
func usedIn(v ssa.Value, used map[*ssa.BasicBlock]bool, seen map[ssa.Value]bool, own *ssa.BasicBlock) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Phi:
			return false // needed at the end of the block before
		case *ssa.Store:
			variable, ok := user.Addr.(*ssa.Alloc)
			if !ok || user.Block() != own || !onlyValueOf(variable, user) {
				return false
			}
			for _, of := range *variable.Referrers() {
				if of == user {
					continue
				}
				if of.Block() == own {
					return false
				}
				used[of.Block()] = true
			}
			continue
		case *ssa.Extract, *ssa.IndexAddr, *ssa.FieldAddr, *ssa.Field, *ssa.Index, *ssa.UnOp, *ssa.Convert, *ssa.BinOp:
			if user.Block() == own {
				if u, receives := user.(*ssa.UnOp); receives && u.Op == token.ARROW {
					return false
				}
				if !usedIn(user.(ssa.Value), used, seen, own) {
					return false
				}
				continue
			}
		}
		if user.Block() == own {
			return false
		}
		used[user.Block()] = true
	}
	return true
}

// onlyValueOf reports whether a store gives a variable its only value, as a whole.
func onlyValueOf(variable *ssa.Alloc, store *ssa.Store) bool {
	for _, user := range *variable.Referrers() {
		switch user := user.(type) {
		case *ssa.Store:
			if user != store {
				return false
			}
		case *ssa.FieldAddr:
			if !onlyLoaded(user) {
				return false
			}
		case *ssa.IndexAddr:
			if !onlyLoaded(user) {
				return false
			}
		}
	}
	return true
}

func dominatesAll(b *ssa.BasicBlock, used map[*ssa.BasicBlock]bool) bool {
	for u := range used {
		if !b.Dominates(u) {
			return false
		}
	}
	return true
}

// depends reports whether a value is computed from another one. What a pair's one result tells often decides
// whether the other one is needed, so that such a pair counts as one.
func depends(v, on ssa.Value, seen map[ssa.Value]bool) bool {
	if v == on {
		return true
	}
	instr, ok := v.(ssa.Instruction)
	if !ok || seen[v] {
		return false
	}
	seen[v] = true
	for _, o := range instr.Operands(nil) {
		if *o != nil && depends(*o, on, seen) {
			return true
		}
	}
	one, ok := v.(*ssa.Extract)
	other, both := on.(*ssa.Extract)
	return ok && both && one.Tuple == other.Tuple
}

// fails reports whether a block ends in a panic, or returns an error that isn't nil.
func fails(b *ssa.BasicBlock) bool {
	for range 4 {
		switch end := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Panic:
			return true
		case *ssa.Return:
			for _, result := range end.Results {
				c, constant := result.(*ssa.Const)
				if types.Identical(result.Type(), types.Universe.Lookup("error").Type()) && !(constant && c.Value == nil) {
					return true
				}
			}
			return false
		case *ssa.Jump:
			b = b.Succs[0]
		default:
			return false
		}
	}
	return false
}

// lineOfCondition returns the line of the if statement that a condition belongs to; 0 if it isn't known. A name has
// the position of its declaration, so that the code of a branch tells.
func (f *Function) lineOfCondition(condition *ssa.If) int {
	switch cond := condition.Cond.(type) {
	case *ssa.BinOp, *ssa.Call:
		if cond.Pos().IsValid() {
			return f.Line(cond.Pos())
		}
	}
	for _, way := range condition.Block().Succs {
		for _, instr := range way.Instrs {
			if !instr.Pos().IsValid() || elsewhere(instr) {
				continue
			}
			at, ok := f.Root().FindByPos(instr.Pos(), instr.Pos())
			if !ok {
				continue
			}
			for c := range at.Enclosing((*ast.IfStmt)(nil), (*ast.FuncLit)(nil)) {
				if branch, ok := c.Node().(*ast.IfStmt); ok && facts.Within(branch.Body, instr.Pos()) {
					return f.Line(branch.Cond.Pos())
				}
				break
			}
		}
	}
	return 0
}

// writersFor are the functions that write the text that a function reads a value from.
func writersFor(parser string) []string {
	switch parser {
	case "strconv.Atoi", "strconv.ParseInt":
		return []string{"strconv.Itoa", "strconv.FormatInt", "fmt.Sprint", "fmt.Sprintf"}
	case "strconv.ParseUint":
		return []string{"strconv.FormatUint", "strconv.Itoa", "fmt.Sprint", "fmt.Sprintf"}
	case "strconv.ParseFloat":
		return []string{"strconv.FormatFloat", "fmt.Sprint", "fmt.Sprintf"}
	case "strconv.ParseBool":
		return []string{"strconv.FormatBool", "fmt.Sprint", "fmt.Sprintf"}
	case "strconv.Unquote":
		return []string{"strconv.Quote"}
	case "encoding/json.Unmarshal":
		return []string{"encoding/json.Marshal", "encoding/json.MarshalIndent"}
	case "encoding/xml.Unmarshal":
		return []string{"encoding/xml.Marshal"}
	case "encoding/hex.DecodeString":
		return []string{"encoding/hex.EncodeToString"}
	case "(*encoding/base64.Encoding).DecodeString":
		return []string{"(*encoding/base64.Encoding).EncodeToString"}
	case "net/url.Parse":
		return []string{"(*net/url.URL).String"}
	case "net/url.QueryUnescape":
		return []string{"net/url.QueryEscape"}
	case "net/url.PathUnescape":
		return []string{"net/url.PathEscape"}
	case "net/url.ParseQuery":
		return []string{"(net/url.Values).Encode"}
	case "net.ParseIP", "net/netip.ParseAddr":
		return []string{"(net.IP).String", "(net/netip.Addr).String"}
	case "net/netip.ParsePrefix":
		return []string{"(net/netip.Prefix).String", "(*net.IPNet).String"}
	case "time.Parse":
		return []string{"(time.Time).Format"}
	case "time.ParseDuration":
		return []string{"(time.Duration).String"}
	case "strings.Split", "strings.Fields":
		return []string{"strings.Join"}
	}
	return nil
}

// ParsesBack returns the call whose result a call reads back: Atoi of what Itoa has just written. All of the text
// comes from that call.
func (f *Function) ParsesBack(call *ast.CallExpr) (writer *ast.CallExpr, ok bool) {
	c, isCall := f.value(call).(*ssa.Call)
	if !isCall {
		return nil, false
	}
	writers := writersFor(f.Callee(call))
	for _, arg := range c.Call.Args {
		made, isCall := origin(arg).(*ssa.Call)
		if !isCall {
			continue
		}
		at, found := f.syntax(made)
		if !found {
			continue
		}
		by := at.Node().(*ast.CallExpr)
		if slices.Contains(writers, f.Callee(by)) {
			return by, true
		}
	}
	return nil, false
}

// origin follows a value back through conversions, and to the call of which it is the first result.
func origin(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.Convert:
			if !textAndBytes(x.X.Type(), x.Type()) {
				return v
			}
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Extract:
			if x.Index != 0 {
				return v
			}
			v = x.Tuple
		default:
			return v
		}
	}
}

// ConvertedBack returns the text or bytes that a conversion makes a copy of for the second time: string([]byte(s)),
// also with variables in between. same says that the copy has what the original has for sure: nothing has written to the
// bytes, which only the conversions use.
func (f *Function) ConvertedBack(call *ast.CallExpr) (first ast.Expr, same, ok bool) {
	outer, isConvert := f.value(call).(*ssa.Convert)
	if !isConvert || !textAndBytes(outer.X.Type(), outer.Type()) {
		return nil, false, false
	}
	inner, isConvert := outer.X.(*ssa.Convert)
	if !isConvert || !types.Identical(inner.X.Type(), outer.Type()) {
		return nil, false, false
	}
	c, found := f.callsAt[inner.Pos()]
	if !found {
		return nil, false, false
	}
	return c.Node().(*ast.CallExpr), isText(outer.Type()) && len(*inner.Referrers()) == 1, true
}

// A Copy is a copy of a slice or map to which the function itself writes as little as to the original.
type Copy struct {
	Of ast.Expr
	// PassedTo are the functions of the user's that get the copy, and that may write to it, by their source.
	PassedTo []string
}

// CopiedUnchanged returns what a call makes a copy of if the function writes to neither the copy nor, through the
// same value, the original: slices.Clone and its kind, and make followed by copy of all elements. The memory of a call's
// result, such as that of a buffer's Bytes, may be used again, so that it doesn't count.
func (f *Function) CopiedUnchanged(call *ast.CallExpr) (c Copy, ok bool) {
	if c, ok = f.copiedUnchanged(call); ok {
		_, result := ast.Unparen(c.Of).(*ast.CallExpr)
		ok = !result
	}
	return c, ok
}

func (f *Function) copiedUnchanged(call *ast.CallExpr) (c Copy, ok bool) {
	made := f.value(call)
	if made == nil || made.Referrers() == nil {
		return c, false
	}
	switch f.Callee(call) {
	case "slices.Clone", "bytes.Clone", "strings.Clone", "maps.Clone":
		if cloned, isCall := made.(*ssa.Call); isCall && len(call.Args) == 1 {
			c.Of = call.Args[0]
			ok = f.unchanged(made, nil, &c) && f.unchanged(cloned.Call.Args[0], cloned, &Copy{}) && f.noSnapshot(made, cloned)
		}
		return c, ok
	case "make":
	default:
		return c, false
	}
	if _, isMake := made.(*ssa.MakeSlice); !isMake {
		return c, false
	}
	for _, user := range *made.Referrers() {
		fill, isCall := user.(*ssa.Call)
		if !isCall {
			continue
		}
		if b, ok := fill.Call.Value.(*ssa.Builtin); !ok || b.Name() != "copy" || fill.Call.Args[0] != made {
			continue
		}
		at, found := f.syntax(fill)
		if !found || !f.wholeLength(made.(*ssa.MakeSlice), fill.Call.Args[1]) {
			return c, false
		}
		c.Of = at.Node().(*ast.CallExpr).Args[1]
		return c, f.unchanged(made, fill, &c) && f.unchanged(fill.Call.Args[1], fill, &Copy{}) && f.noSnapshot(made, fill)
	}
	return c, false
}

// noSnapshot reports whether nothing is written from when a copy is made until the function uses it, so that the copy and
// the original are the same there.
func (f *Function) noSnapshot(made ssa.Value, since ssa.Instruction) bool {
	for _, user := range *made.Referrers() {
		if _, returned := user.(*ssa.Return); returned || user == since {
			continue
		}
		if f.dominates(user, since) {
			continue
		}
		if !f.dominates(since, user) || !f.unwritten(since, user) {
			return false
		}
	}
	return true
}

// wholeLength reports whether a slice is made as long as another one.
func (f *Function) wholeLength(made *ssa.MakeSlice, as ssa.Value) bool {
	n, ok := made.Len.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := n.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len" && f.same(n.Call.Args[0], as)
}

// unchanged reports whether the function doesn't write to a slice or map, nor appends to it, in any instruction but one.
func (f *Function) unchanged(v ssa.Value, except ssa.Instruction, c *Copy) bool {
	if v.Referrers() == nil {
		return true // a constant
	}
	for _, user := range *v.Referrers() {
		if user == except {
			continue
		}
		switch user := user.(type) {
		case *ssa.IndexAddr:
			if user.X == v && !onlyLoaded(user) {
				return false
			}
		case *ssa.MapUpdate:
			if user.Map == v {
				return false
			}
		case *ssa.Slice:
			if !f.unchanged(user, except, c) {
				return false
			}
		case *ssa.Store:
			if user.Addr == v || own(user.Addr) {
				return false // not followed
			}
		case *ssa.Call:
			if f.mayChange(user, v, c) {
				return false
			}
		case *ssa.Phi, *ssa.ChangeType, *ssa.Go, *ssa.Defer, *ssa.MakeClosure:
			return false
		}
	}
	return true
}

// mayChange reports whether a call may write to a slice or map that it is given, unless a function of the user's may: then
// the copy has its name.
func (f *Function) mayChange(call *ssa.Call, v ssa.Value, c *Copy) bool {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap":
			return false
		case "copy", "append":
			return call.Call.Args[0] == v
		}
		return true
	}
	if f.calling(call)&facts.MayWrite == 0 {
		return false
	}
	at, found := f.syntax(call)
	if !found {
		return true
	}
	if callee := call.Call.StaticCallee(); callee != nil && callee.Object() != nil && callee.Object().Pkg() != nil {
		pkg := callee.Object().Pkg()
		if first, _, _ := strings.Cut(pkg.Path(), "/"); !strings.Contains(first, ".") && pkg != f.Types {
			return true // the standard library's
		}
	}
	c.PassedTo = append(c.PassedTo, f.Source(at.Node().(*ast.CallExpr).Fun))
	return false
}

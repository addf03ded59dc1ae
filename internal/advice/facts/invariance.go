package facts

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice/code"
)

// How surely an expression has the same value in each iteration of a loop.
const (
	Varies = iota
	Likely // no code in the loop visibly changes it
	Surely
)

type Invariance struct {
	*code.Place
	Loop ast.Node
	Call code.Call
}

// Of returns how surely an expression has the same value in each iteration.
func (v *Invariance) Of(e ast.Expr) int {
	e = ast.Unparen(e)
	if v.Info.Types[e].Value != nil {
		return Surely
	}
	switch e := e.(type) {
	case *ast.Ident:
		return v.ofName(e)
	case *ast.BinaryExpr:
		least := min(v.Of(e.X), v.Of(e.Y), v.value(e))
		switch e.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			return min(least, Likely) // may panic
		}
		return least
	case *ast.SelectorExpr:
		return v.ofField(e)
	case *ast.IndexExpr:
		if tv := v.Info.Types[e.X]; tv.IsType() || v.changed(e.X) {
			return Varies
		}
		return min(v.Of(e.X), v.Of(e.Index), Likely)
	case *ast.StarExpr:
		return min(v.Of(e.X), Likely)
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return Varies
		}
		if e.Op == token.AND {
			return min(v.Of(e.X), Likely)
		}
		return min(v.Of(e.X), v.value(e))
	case *ast.CallExpr:
		return v.OfCall(e)
	}
	return Varies
}

func (v *Invariance) OfCall(e *ast.CallExpr) int {
	if v.Info.Types[e.Fun].IsType() && len(e.Args) == 1 {
		return min(v.Of(e.Args[0]), v.value(e))
	}
	name := v.Callee(e)
	if _, known := PureCalls[name]; !known && name != "len" || Mutable[name] {
		return Varies
	}
	return v.OfOperands(e)
}

// OfOperands returns how surely the receiver and the arguments of a call stay the same.
func (v *Invariance) OfOperands(e *ast.CallExpr) int {
	least := Surely
	if receiver := ReceiverOf(v.Place, e); receiver != nil {
		least = v.Of(receiver)
	}
	for _, a := range e.Args {
		least = min(least, v.Of(a))
	}
	return least
}

// ReceiverOf returns the expression that a method is called on; nil for other calls.
func ReceiverOf(s *code.Place, call *ast.CallExpr) ast.Expr {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || s.Info.Selections[sel] == nil {
		return nil
	}
	return sel.X
}

// value returns Likely, at most, if an expression's value refers to data that may change while the
// value stays the same.
func (v *Invariance) value(e ast.Expr) int {
	if t := v.Info.TypeOf(e); t != nil && PointerFree(t) {
		return Surely
	}
	return Likely
}

func (v *Invariance) ofName(id *ast.Ident) int {
	obj, ok := v.Info.ObjectOf(id).(*types.Var)
	if !ok {
		return Varies
	}
	if Within(v.Loop, obj.Pos()) || v.changed(id) {
		return Varies
	}
	if !PointerFree(obj.Type()) {
		if v.handedOn(obj) {
			return Varies
		}
		return Likely
	}
	if Private(v.Place, obj) || IsConstantVariable(v.Place, obj) {
		return Surely
	}
	return Likely
}

func (v *Invariance) ofField(e *ast.SelectorExpr) int {
	selection := v.Info.Selections[e]
	if selection == nil {
		return min(v.ofName(e.Sel), Likely) // of another package
	}
	if selection.Kind() != types.FieldVal || v.changed(e) {
		return Varies
	}
	base := v.Of(e.X)
	if selection.Indirect() {
		base = min(base, Likely)
	}
	return min(base, v.value(e))
}

func (v *Invariance) changed(e ast.Expr) bool { return changedIn(v.Place, e, v.Loop) }

// changedIn reports whether code assigns to the variable or field that an expression names, or to a
// part of it. It doesn't see assignments through other names or in called functions.
func changedIn(s *code.Place, e ast.Expr, in ast.Node) bool {
	root := RootOf(s, e)
	if root == nil {
		return true
	}
	field, ofField := ast.Unparen(e).(*ast.SelectorExpr)
	for target := range Targets(in) {
		l, toField := ast.Unparen(target).(*ast.SelectorExpr)
		switch {
		case ofField && toField:
			// The same field of any value counts, because another name may refer to this one.
			if s.Info.ObjectOf(l.Sel) == s.Info.ObjectOf(field.Sel) {
				return true
			}
		case RootOf(s, target) == root:
			return true
		}
	}
	for n := range ast.Preorder(in) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		switch s.Callee(call) {
		case "delete", "clear", "copy":
			if RootOf(s, call.Args[0]) == root {
				return true
			}
		}
	}
	return false
}

// handedOn reports whether the loop passes a variable to another call, or calls its methods. The
// data that it refers to may then change.
func (v *Invariance) handedOn(obj types.Object) bool {
	for n := range ast.Preorder(v.Loop) {
		call, ok := n.(*ast.CallExpr)
		if !ok || call == v.Call.CallExpr || v.Info.Types[call.Fun].IsType() {
			continue
		}
		if _, harmless := PureCalls[v.Callee(call)]; harmless || v.Callee(call) == "len" {
			continue
		}
		if _, handed := HandedTo(v.Place, call, obj); handed {
			return true
		}
	}
	return false
}

// HandedTo reports whether a call gets a variable, or a part of it, as an argument or receiver.
// method is the name of the method in the latter case.
func HandedTo(s *code.Place, call *ast.CallExpr, obj types.Object) (method string, handed bool) {
	for _, a := range call.Args {
		if RootOf(s, a) == obj {
			return "", true
		}
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.Info.Selections[sel] != nil && RootOf(s, sel.X) == obj {
		return sel.Sel.Name, true
	}
	return "", false
}

// PureCalls maps functions and methods that depend only on their operands to a name for a variable that
// holds the result. Their results can't be modified, except for those in Mutable.
var PureCalls = map[string]string{
	"strings.ToLower": "lower", "strings.ToUpper": "upper", "strings.Title": "title", "strings.ToTitle": "title", "strings.Repeat": "repeated",
	"strings.ReplaceAll": "replaced", "strings.Replace": "replaced", "strings.NewReplacer": "replacer", "strings.TrimSpace": "trimmed", "strings.Trim": "trimmed",
	"strings.TrimLeft": "trimmed", "strings.TrimRight": "trimmed", "strings.Count": "count", "strings.ToValidUTF8": "valid",
	"strconv.Itoa": "text", "strconv.FormatInt": "text", "strconv.FormatUint": "text", "strconv.FormatFloat": "text", "strconv.Quote": "quoted",
	"strconv.Atoi": "number", "strconv.ParseInt": "number", "strconv.ParseUint": "number", "strconv.ParseFloat": "number", "strconv.ParseBool": "value",
	"fmt.Sprintf": "text", "fmt.Sprint": "text",
	"path.Join": "name", "path.Clean": "name", "path.Base": "base", "path.Dir": "dir", "path/filepath.Join": "name", "path/filepath.Clean": "name", "path/filepath.Base": "base", "path/filepath.Dir": "dir",
	"net/url.QueryEscape": "escaped", "net/url.PathEscape": "escaped", "net/url.Parse": "parsed", "net/url.ParseRequestURI": "parsed", "net/url.QueryUnescape": "text", "net/url.PathUnescape": "text",
	"html.EscapeString": "escaped", "html.UnescapeString": "text",
	"regexp.QuoteMeta": "quoted", "regexp.MustCompile": "pattern", "regexp.Compile": "pattern",
	"time.ParseDuration": "duration", "time.Parse": "when", "time.LoadLocation": "location",
	"encoding/json.Marshal": "encoded", "encoding/hex.EncodeToString": "encoded",
	"net.ParseIP": "ip", "net.ParseCIDR": "network",
	"(time.Time).Format": "text", "(time.Time).String": "text", "(time.Duration).String": "text", "(net/netip.Addr).String": "text", "(net/netip.Prefix).String": "text",
}

var Mutable = map[string]bool{"net/url.Parse": true, "net/url.ParseRequestURI": true, "encoding/json.Marshal": true, "net.ParseIP": true, "net.ParseCIDR": true}

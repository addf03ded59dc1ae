package facts

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice/code"
)

// A SlowStep is something in code that takes long compared to locking and unlocking.
type SlowStep struct {
	What string // "writes to the network"
	Kind SlowKind
	Code string        // what does it: "conn.Write"; "" for an operation of the language
	Pos  token.Pos     // of the operation, which may be in a function that the code calls
	Call *ast.CallExpr // in the code itself, the call that does it or that leads there; nil for an operation
	In   string        // the function that has the operation, if the code calls it
}

// A SlowKind says what kind of work a step does. Kinds that can take longest come first.
type SlowKind int

const (
	SlowWait     SlowKind = iota // for another goroutine, or for a time
	SlowWrite                    // bytes to somewhere else
	SlowIO                       // other input and output
	SlowCPU                      // with the CPU
	SlowLoop                     // repeats code
	SlowClock                    //
	SlowCallback                 // calls a function that the caller has given
)

// Text is "writes to the network (conn.Write, line 42)", with the file if that isn't the place's.
func (c *SlowStep) Text(s *code.Place) string {
	at := s.Fset.Position(c.Pos)
	where := fmt.Sprintf("line %d", at.Line)
	if name, _ := s.Name(s.File); name != at.Filename {
		where = fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	}
	switch {
	case c.Code != "" && c.In != "":
		where = fmt.Sprintf("%s in %s, %s", c.Code, c.In, where)
	case c.Code != "":
		where = c.Code + ", " + where
	case c.In != "":
		where = fmt.Sprintf("in %s, %s", c.In, where)
	}
	return fmt.Sprintf("%s (%s)", c.What, where)
}

// maxSlowDepth is how many calls of the package's own functions are followed.
const maxSlowDepth = 4

// SlowSteps returns the steps of a section that take long, those that can take longest first, and each kind of
// work once. Functions of the package are followed.
func SlowSteps(c *Section) []SlowStep {
	w := slowWalk{Place: c.Place}
	c.Inspect(w.visit)
	slices.SortStableFunc(w.steps, func(a, b SlowStep) int { return int(a.Kind - b.Kind) })
	return w.steps
}

// A slowWalk goes through code and the functions of the package that it calls.
type slowWalk struct {
	*code.Place
	steps   []SlowStep
	through []*ast.FuncDecl // that are being followed
	from    *ast.CallExpr   // in the code that was asked about
}

func (w *slowWalk) add(kind SlowKind, what, code string, pos token.Pos, call *ast.CallExpr) {
	if slices.ContainsFunc(w.steps, func(s SlowStep) bool { return s.What == what }) {
		return
	}
	step := SlowStep{What: what, Kind: kind, Code: code, Pos: pos, Call: call}
	if len(w.through) > 0 {
		step.In, step.Call = w.through[len(w.through)-1].Name.Name, w.from
	}
	w.steps = append(w.steps, step)
}

func (w *slowWalk) visit(n ast.Node) bool {
	switch n := n.(type) {
	case nil, *ast.FuncLit, *ast.GoStmt:
		return false
	case *ast.SendStmt:
		w.add(SlowWait, "sends on a channel", "", n.Pos(), nil)
	case *ast.SelectStmt:
		for _, clause := range n.Body.List {
			for _, stmt := range clause.(*ast.CommClause).Body {
				ast.Inspect(stmt, w.visit)
			}
		}
		if !slices.ContainsFunc(n.Body.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil }) {
			w.add(SlowWait, "waits in a select", "", n.Pos(), nil)
		}
		return false
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			w.add(SlowWait, "receives from a channel", "", n.Pos(), nil)
		}
	case *ast.RangeStmt:
		if _, ok := Under(w.Info.TypeOf(n.X)).(*types.Chan); ok {
			w.add(SlowWait, "receives from a channel", "", n.Pos(), nil)
		} else {
			w.add(SlowLoop, "runs a loop", "", n.Pos(), nil)
		}
	case *ast.ForStmt:
		w.add(SlowLoop, "runs a loop", "", n.Pos(), nil)
	case *ast.IfStmt:
		if !w.failed(n.Cond) {
			return true
		}
		if n.Init != nil {
			ast.Inspect(n.Init, w.visit)
		}
		if n.Else != nil {
			ast.Inspect(n.Else, w.visit)
		}
		return false
	case *ast.CallExpr:
		w.call(n)
	}
	return true
}

// failed reports whether a condition asks whether there is an error. What runs then is rare.
func (w *slowWalk) failed(cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	return ok && b.Op == token.NEQ && w.Info.Types[b.Y].IsNil() && types.Identical(w.Info.TypeOf(b.X), types.Universe.Lookup("error").Type())
}

func (w *slowWalk) call(call *ast.CallExpr) {
	fn, ok := typeutil.Callee(w.Info, call).(*types.Func)
	if !ok {
		if v, ok := VariableOf(w.Place, call.Fun).(*types.Var); ok && IsAnyParameter(v) {
			w.add(SlowCallback, "calls a function that it was given", w.shortSource(call.Fun), call.Pos(), call)
		}
		return
	}
	if kind, what := slowness(fn); what != "" {
		if kind == SlowWrite && w.inMemory(call) {
			kind, what = SlowCPU, "formats text"
			if fn.Pkg().Path() != "fmt" {
				return
			}
		}
		w.add(kind, what, w.shortSource(call.Fun), call.Pos(), call)
		return
	}
	decl := CalleeDecl(w.Place, call)
	if decl == nil || decl.Body == nil || len(w.through) == maxSlowDepth || slices.Contains(w.through, decl) {
		return
	}
	c, ok := w.Root().FindNode(decl)
	if !ok {
		return
	}
	inner := *w
	if inner.Place = w.Around(c); len(w.through) == 0 {
		inner.from = call
	}
	inner.through = append(slices.Clone(w.through), decl)
	ast.Inspect(decl.Body, inner.visit)
	w.steps = inner.steps
}

// inMemory reports whether a call writes to a buffer or a hash: the first argument, or what has the method.
func (w *slowWalk) inMemory(call *ast.CallExpr) bool {
	to := []ast.Expr{}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && w.Info.Selections[sel] != nil {
		to = append(to, sel.X)
	} else if len(call.Args) > 0 {
		to = append(to, call.Args[0])
	}
	for _, e := range to {
		name := strings.TrimPrefix(TypeName(w.Info.TypeOf(e)), "*")
		if name == "bytes.Buffer" || name == "strings.Builder" || strings.HasPrefix(name, "hash.") {
			return true
		}
	}
	return false
}

func (w *slowWalk) shortSource(e ast.Expr) string {
	if text := w.Source(e); len(text) <= 40 && !strings.Contains(text, "\n") {
		return text
	}
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	return ""
}

// slowness says what a function of the standard library does that takes long; "" for others.
func slowness(fn *types.Func) (SlowKind, string) {
	if fn.Pkg() == nil {
		return 0, ""
	}
	pkg, name := fn.Pkg().Path(), fn.Name()
	is := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	method := fn.Signature().Recv() != nil
	switch pkg {
	case "time":
		switch {
		case name == "Sleep":
			return SlowWait, "sleeps"
		case !method && (name == "Now" || name == "Since" || name == "Until"):
			return SlowClock, "reads the clock"
		}
	case "sync":
		if name == "Wait" && ReceiverType(fn) == "*sync.WaitGroup" {
			return SlowWait, "waits for a WaitGroup"
		}
	case "io":
		switch {
		case is("Write", "Copy"):
			return SlowWrite, "writes to an io.Writer"
		case is("Read"):
			return SlowIO, "reads from an io.Reader"
		}
	case "bufio":
		switch {
		case is("Write", "Flush", "ReadFrom"):
			return SlowWrite, "writes to a bufio.Writer"
		case is("Read", "Scan", "Peek"):
			return SlowIO, "reads from a buffered reader"
		}
	case "fmt":
		switch {
		case is("Fprint", "Print"):
			return SlowWrite, "formats and writes"
		case is("Sprint", "Append"):
			return SlowCPU, "formats text"
		case is("Scan", "Fscan"):
			return SlowIO, "reads and parses"
		}
	case "log", "log/slog":
		if is("Print", "Output", "Debug", "Info", "Warn", "Error", "Log") {
			return SlowWrite, "writes a log message"
		}
	case "net":
		switch {
		case method && is("Write", "ReadFrom"):
			return SlowWrite, "writes to the network"
		case method && is("Read", "Accept", "Close"), is("Dial", "Lookup", "Listen", "Resolve"):
			return SlowIO, "uses the network"
		}
	case "net/http":
		switch {
		case ReceiverType(fn) == "*net/http.Client", name == "RoundTrip", !method && (name == "Get" || name == "Post" || name == "PostForm" || name == "Head"):
			return SlowIO, "sends an HTTP request"
		case ReceiverType(fn) == "net/http.ResponseWriter" && is("Write"):
			return SlowWrite, "writes an HTTP response"
		}
	case "os/exec":
		if method && (name == "Run" || name == "Output" || name == "CombinedOutput" || name == "Wait" || name == "Start") {
			return SlowIO, "runs a command"
		}
	case "os":
		switch {
		case method && ReceiverType(fn) == "*os.File" && is("Write", "Sync", "Truncate", "ReadFrom"), is("WriteFile"):
			return SlowWrite, "writes to a file"
		case method && ReceiverType(fn) == "*os.File" && is("Read", "Seek", "Close", "Stat"),
			!method && is("Open", "Create", "ReadFile", "ReadDir", "Stat", "Lstat", "Remove", "Rename", "Mkdir", "Truncate", "Chmod", "Symlink", "Link"):
			return SlowIO, "uses the file system"
		}
	case "path/filepath":
		if is("Walk", "Glob", "EvalSymlinks") {
			return SlowIO, "uses the file system"
		}
	case "database/sql":
		if method && is("Query", "Exec", "Prepare", "Begin", "Ping", "Commit", "Rollback", "Conn", "Scan", "Next") {
			return SlowIO, "uses the database"
		}
	case "syscall", "golang.org/x/sys/unix":
		return SlowIO, "makes a system call"
	case "regexp":
		if is("Compile", "MustCompile", "Match", "Find", "Replace", "Split") {
			return SlowCPU, "uses a regular expression"
		}
	case "html/template", "text/template":
		if is("Execute", "Parse") {
			return SlowCPU, "uses a template"
		}
	case "sort":
		if !method && !is("Search", "Reverse") && !strings.HasSuffix(name, "AreSorted") {
			return SlowCPU, "sorts"
		}
	case "slices":
		if is("Sort") {
			return SlowCPU, "sorts"
		}
	case "reflect":
		if name == "DeepEqual" {
			return SlowCPU, "compares by reflection"
		}
	case "crypto/rand":
		return SlowIO, "asks the system for random bytes"
	}
	return slowFamily(pkg, name, is)
}

// slowFamily says what the functions of several packages do, by the start of their path.
func slowFamily(pkg, name string, is func(...string) bool) (SlowKind, string) {
	switch {
	case strings.HasPrefix(pkg, "encoding/") && pkg != "encoding/binary":
		if is("Marshal", "Unmarshal", "Encode", "Decode", "Read", "Write", "Token", "Append") && !strings.HasSuffix(name, "Len") {
			return SlowCPU, "encodes or decodes"
		}
	case slices.Contains([]string{"github.com/sirupsen/logrus", "go.uber.org/zap", "github.com/rs/zerolog", "k8s.io/klog/v2"}, pkg):
		if is("Print", "Debug", "Info", "Warn", "Error", "Log", "Msg", "Send") {
			return SlowWrite, "writes a log message"
		}
	case strings.HasPrefix(pkg, "compress/"):
		return SlowCPU, "compresses or decompresses"
	case strings.HasPrefix(pkg, "crypto/"), pkg == "crypto":
		if is("Sum", "Sign", "Verify", "Encrypt", "Decrypt", "Seal", "Open", "Write", "Generate", "XORKeyStream", "CryptBlocks") {
			return SlowCPU, "computes a hash or cipher"
		}
	}
	return 0, ""
}

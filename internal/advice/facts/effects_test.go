package facts

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/codetest"
)

// What cgo makes of package net would take a C compiler.
func init() { build.Default.CgoEnabled = false }

// check checks the types of a file.
func check(t *testing.T, text string) (*ast.File, *code.Package) {
	t.Helper()
	const name = "facts.go"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := codetest.Check("example.com/facts", types.Config{Importer: importer.ForCompiler(fset, "source", nil)}, fset, map[string][]byte{name: []byte(text)}, f)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f, p
}

// TestEffects reads what each expression may do from the comment at the end of its line.
func TestEffects(t *testing.T) {
	const text = `package facts

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

type point struct {
	x, y int
	in   *point
	list [4]int
}

func (p point) sum() int      { return p.x + p.y }
func (p *point) norm() int    { return p.x * p.x }
func (p *point) move()        { p.x++ }
func (p point) String() string { return fmt.Sprint(p.x) }

type endless int

func (e endless) String() string { return fmt.Sprintf("%v", e+1) }

type ticket int

var state, other, never = 1, 2, 3

func (t ticket) String() string { state++; return "t" }

type holder struct {
	T ticket
	p point
}

func touch() string         { other++; return "" }
func twice(n int) int       { m := n; for i := 0; i < 2; i++ { m += n }; return m }
func forever(n int) int     { for n > 0 { n = n | 1 }; return n }
func recursive(n int) int   { if n == 0 { return 0 }; return recursive(n - 1) }
func generic[T any](x T) T  { return x }
func quiet(p point) string  { return strings.ToUpper(p.String()) }

func f(p *point, q, r point, xs []int, b []byte, m map[string]int, s string, n int, e error, any any, fn func() int, ch chan int, buf *bytes.Buffer, d time.Duration, keys map[any]int) {
	_ = n + 1 //
	_ = s + "x" //
	_ = never //
	_ = state // read
	_ = r.x //
	_ = r.list[3] //
	_ = r.list[n] // panic
	_ = p.x // panic read
	_ = p.y // read
	_ = p.in.x // panic read
	_ = p.in.sum() // panic read
	_ = r.sum() //
	_ = q.x // read
	_ = q.norm() // panic read
	_ = xs[0] // panic read
	_ = len(xs) //
	_ = xs[:] //
	_ = xs[:n] // panic
	_ = b[n] // panic read bytes
	_ = string(b) // read bytes
	_ = []byte(s) //
	_ = m[s] // read
	_ = keys[any] // panic read
	_ = n / 2 //
	_ = 2 / n // panic
	_ = 1 << n // panic
	_ = any == e // panic
	_ = any == nil //
	_ = any.(int) // panic
	_ = <-ch // panic write read bytes
	_ = fn() // panic write read bytes
	_ = e.Error() // panic write read bytes
	_ = touch() // write read
	_ = twice(n) //
	_ = forever(n) // panic
	_ = recursive(n) // panic write read bytes
	_ = generic(n) //
	_ = quiet(q) // read
	_ = strings.Repeat(s, 3) //
	_ = strings.Repeat(s, n) // panic
	_ = strings.Map(func(r rune) rune { return r + 1 }, s) //
	_ = strings.Map(func(r rune) rune { state++; return r }, s) // write read
	_ = bytes.ToUpper(b) // read bytes
	_ = buf.Len() // panic read bytes
	_ = d.Seconds() //
	_ = append(xs, 1) // write read
	_ = append([]int(nil), 1) // read
	_ = make([]int, n) // panic
	_ = make([]int, len(s)) //
	_ = fmt.Sprint(n, s) // read
	_ = fmt.Sprint(any) // panic write read bytes
	_ = fmt.Sprint(ticket(n)) // write read
	_ = fmt.Sprint(holder{}) // write read bytes
	_ = fmt.Sprint(q) // read
	_ = fmt.Sprint(endless(n)) // write read bytes
	_ = func() int { return touch2() } //
	for i := range xs {
		_ = xs[i] // read
	}
}

func touch2() int { state++; return 0 }

func g() { state++; other++ }
`
	_, p := check(t, text)
	s := placeOf(t, p, "f")
	bits := []struct {
		bit  Effects
		name string
	}{{MayPanic, "panic"}, {MayWrite, "write"}, {MayRead, "read"}, {ReadsBytes, "bytes"}}
	lines := strings.Split(text, "\n")
	checked := 0
	for n := range ast.Preorder(s.Decl) {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || !IsBlank(assign.Lhs[0]) {
			continue
		}
		source, want, _ := strings.Cut(lines[p.Line(assign.Pos())-1], "//")
		var got []string
		does := EffectsOf(s, assign.Rhs[0])
		for _, b := range bits {
			if does&b.bit != 0 {
				got = append(got, b.name)
			}
		}
		if g := strings.Join(got, " "); g != strings.TrimSpace(want) {
			t.Errorf("%s: may %q, want %q", strings.TrimSpace(source), g, strings.TrimSpace(want))
		}
		checked++
	}
	if checked != strings.Count(text, "\t_ = ") {
		t.Errorf("%d expressions checked", checked)
	}
}

// TestPanics reads from the comment behind each expression how it may panic beside its calls, and
// behind a bar, how it may do so together with the calls of its statement.
func TestPanics(t *testing.T) {
	const text = `package facts

type point struct {
	x    int
	in   *point
	list [4]int
}

func (p point) sum() int   { return p.x }
func (p *point) norm() int { return p.x }

func f(p, p2, p3, p4, p5 *point, q point, xs []int, ps []point, arr *[4]int, m map[string]int, keys map[any]int, s string, n int, e error, v any, b []byte, fn func() int, ch chan int) {
	_ = n + 1 //
	_ = q.x //
	_ = p.x // nil
	_ = p.in.x // nil
	_ = (*p2).x // nil
	_ = &p.in.x // nil | nil
	_ = p.sum() //
	_ = p.norm //
	_ = e.Error // nil
	_ = xs[n] // other
	_ = xs[fn()] // other
	_ = arr[n] // nil other
	_ = arr[:] // nil | nil
	_ = q.list[2] //
	_ = ps[n].x // other
	_ = ps[n] == q // other | other
	_ = s[n:] // other | other
	_ = s[n:] + s // other | other
	_ = len(s[n:]) // other | other
	_ = []byte(s[n:]) // other | other
	_ = string(rune(p3.x)) // nil | nil
	_ = v.(int) // other | other
	_ = n / n // zero
	_ = n << n // other
	_ = n / 2 //
	_ = v == e // other
	_ = n > 0 && xs[0] > 0 // other | other
	_ = m[s] //
	_ = m[s[1:]] // other | other
	_ = keys[v] // other | other
	_ = [4]int(xs) // other | other
	_ = fn() + xs[fn()] / p4.x // nil zero other
	_ = <-ch //
	_ = func() int { return xs[n] } //
	_ = len(p5.list) // nil | nil
	_ = p5.x // nil
}
`
	_, p := check(t, text)
	s := placeOf(t, p, "f")
	lines := strings.Split(text, "\n")
	checked := 0
	for _, stmt := range s.Decl.Body.List {
		assign := stmt.(*ast.AssignStmt)
		source, want, _ := strings.Cut(lines[p.Line(assign.Pos())-1], "//")
		beside, ahead, _ := strings.Cut(want, "|")
		if got := panicNames(PanicsBeside(s, assign.Rhs[0])); got != strings.TrimSpace(beside) {
			t.Errorf("%s: panics with %q, want %q", strings.TrimSpace(source), got, strings.TrimSpace(beside))
		}
		if got := panicNames(PanicsAhead(s, assign.Rhs[0])); got != strings.TrimSpace(ahead) {
			t.Errorf("%s: panics with %q together with the calls, want %q", strings.TrimSpace(source), got, strings.TrimSpace(ahead))
		}
		checked++
	}
	if checked != strings.Count(text, "\t_ = ") {
		t.Errorf("%d expressions checked", checked)
	}
}

func panicNames(set PanicSet) string {
	var names []string
	for i, name := range []string{"nil", "zero", "other"} {
		if set&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// placeOf returns a function of a package.
func placeOf(t *testing.T, p *code.Package, name string) *code.Place {
	t.Helper()
	for c := range p.Root().Preorder((*ast.FuncDecl)(nil)) {
		if c.Node().(*ast.FuncDecl).Name.Name == name {
			return p.Around(c)
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}

// TestSharing asks of functions what may happen to the memory that they use: each has a comment
// with the answers.
func TestSharing(t *testing.T) {
	const text = `package facts

import (
	"bytes"
	"strings"
	"unsafe"
)

// buf data: shares
func param(buf *bytes.Buffer, data []byte) { buf.Write(data) }

// buf data: apart
func builder(buf *strings.Builder, data []byte) { buf.Write(data) }

// buf data: apart
func local(data []byte) string { var buf bytes.Buffer; buf.WriteByte(1); buf.Write(data); return buf.String() }

// buf data: shares
func reassigned(data []byte) { var buf bytes.Buffer; buf.WriteByte(1); data = buf.Bytes(); buf.Write(data) }

// buf data: shares
func given(data []byte) { buf := bytes.NewBuffer(data); buf.Write(data) }

// buf data: apart
func fresh(buf *bytes.Buffer, n int) { data := make([]byte, n); data[0] = 1; buf.Write(data) }

// buf data: shares
func handed(buf *bytes.Buffer, n int) { data := make([]byte, n); keep(data); buf.Write(data) }

// buf data: apart
func both(data []byte) []byte { var buf []byte; buf = append(buf, data...); return buf }

// buf data: shares
func appended(buf, data []byte) []byte { buf = append(buf, data...); return buf }

var kept []byte

func keep(b []byte) { kept = b }

// out: own
func own(n int) []int { out := make([]int, 0); for i := range n { out = append(out, i) }; return out }

// out: shared
func pointed(n int) (p *int) { var out []int; for i := range n { out = append(out, i); p = &out[0] }; return p }

// out: shared
func parted(n int) (p []int) { var out []int; for i := range n { out = append(out, i); p = out[:1] }; return p }

// out: shared
func captured(n int) { var out []int; show := func() []int { return out }; for i := range n { out = append(out, i) }; show() }

// out: shared
func parameter(out []int) { out = append(out, 1) }

// out: own
func ownThenKept(n int) { var out []byte; for range n { out = append(out, 1) }; keep(out) }

// out: shared
func keptInLoop(n int) { var out []byte; for range n { out = append(out, 1); keep(out) } }

// out: seen
func capacity() int { out := []int{1}; return cap(out) }

// out: seen
func twice() ([]int, []int) { out := []int{1}; a := append(out, 2); b := append(out, 3); return a, b }

// out: unseen
func plainly() int { out := []int{1}; out = append(out, 2); return len(out[:len(out)-1]) + out[0] }

// out: seen
func aliased() ([]int, []int) { out := []int{1}; y := out; return append(y, 2), append(y, 3) }

// out: seen
func gathered(n int) (all [][]int) { out := []int{1}; all = append(all, out); out = append(out, 2); out[0] = 3; return all }

// out: seen
func held() (h struct{ xs []int }) { out := []int{1}; h = struct{ xs []int }{out}; h.xs = append(h.xs, 2); return h }

// out: seen
func sent(to chan []int) { var out []int; for { out = append(out, 1); to <- out } }

// out: unseen
func grouped(n int) (all [][]int) { for range n { out := []int{1}; out = append(out, 2); all = append(all, out) }; return all }

// out: seen
func longer() []int { out := []int{1}; return out[:3] }

var _ unsafe.Pointer
`
	f, p := check(t, text)
	mark := regexp.MustCompile(`^(\w+)(?: (\w+))?: (\w+)$`)
	checked := 0
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		m := mark.FindStringSubmatch(strings.TrimSpace(fn.Doc.Text()))
		s := placeOf(t, p, fn.Name.Name)
		named := func(name string) *ast.Ident { // the first use
			for n := range ast.Preorder(fn.Body) {
				if id, ok := n.(*ast.Ident); ok && id.Name == name {
					if _, isVar := p.Info.Uses[id].(*types.Var); isVar {
						return id
					}
				}
			}
			return nil
		}
		got := ""
		switch m[3] {
		case "shares", "apart":
			got = map[bool]string{true: "shares", false: "apart"}[MayShare(s, named(m[2]), Sink{Expr: named(m[1]), Name: m[1]})]
		case "own", "shared":
			at := fn.Body.List[len(fn.Body.List)-1]
			for n := range ast.Preorder(fn.Body) {
				if loop, ok := n.(*ast.RangeStmt); ok {
					at = loop
				}
			}
			got = map[bool]string{true: "own", false: "shared"}[OwnArray(s, p.Info.Uses[named(m[1])], at)]
		case "seen", "unseen":
			got = map[bool]string{true: "seen", false: "unseen"}[CapacityObserved(s, p.Info.Uses[named(m[1])])]
		}
		if got != m[3] {
			t.Errorf("%s: %s, want %s", fn.Name.Name, got, m[3])
		}
		checked++
	}
	if checked < 15 {
		t.Errorf("%d functions checked", checked)
	}
}

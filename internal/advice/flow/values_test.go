package flow

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice/code"
)

// TestUsesOf: all that becomes of a value is found, through variables and branches.
func TestUsesOf(t *testing.T) {
	const text = `package flow

import ("io"; "strings"; "strconv")

var kept string

func key(m map[string]int, b []byte, yes bool) int {
	k := string(b) // uses: key
	if yes { return m[k] }
	delete(m, k)
	return 0
}

func compared(a, b string) bool { return strings.ToLower(a) == b } // uses: compared
func measured(a string) int { return len(strings.Fields(a)) } // uses: measured
func switched(a string) int {
	switch strings.ToLower(a) { // uses: compared
	case "x": return 1
	case "y": return 2
	}
	return 0
}

func ranged(a string) (n int) {
	for _, part := range strings.Split(a, ",") { // uses: measured ranged
		n += len(part)
	}
	return n
}

func element(a string) string {
	parts := strings.Split(a, ",") // uses: measured elements
	if len(parts) < 2 { return "" }
	return parts[1]
}

func unused(a string) { _ = strings.ToLower(a) } // uses: none
func lost(a string) (x string) {
	x = strings.ToLower(a) // uses: none
	x = a
	return x
}

func written(w io.Writer, sb *strings.Builder, n int) {
	text := strconv.Itoa(n) // uses: written
	io.WriteString(w, text)
	sb.WriteString(text)
}

func converted(n int) []byte {
	text := strconv.Itoa(n) // uses: converted
	return []byte(text) // uses: kept
}

func one(a string) int {
	n, _ := strconv.Atoi(a) // uses: compared
	if n > 1 { return 1 }
	return 0
}

func joined(n int) string { return "#" + strconv.Itoa(n) } // uses: joined
func stored(n int) { kept = strconv.Itoa(n) } // uses: kept
func captured(n int) func() string {
	text := strconv.Itoa(n) // uses: kept
	return func() string { return text }
}
func either(a string, yes bool) bool {
	x := strings.ToLower(a) // uses: compared kept
	if !yes { x = "b" }
	kept = x
	return x == a
}
func listed(n int) []string { return []string{strconv.Itoa(n)} } // uses: kept
func setElement(a string) {
	parts := strings.Split(a, ",") // uses: kept
	parts[0] = "x"
}
`
	names := []struct {
		bit  Uses
		name string
	}{{AsKey, "key"}, {Compared, "compared"}, {Measured, "measured"}, {Ranged, "ranged"}, {Elements, "elements"}, {Converted, "converted"}, {Written, "written"}, {Joined, "joined"}, {Kept, "kept"}}
	ask(t, text, "// uses: ", each(func(f *Function, call *ast.CallExpr) string {
		callee := f.Callee(call)
		conversion := f.Info.Types[call.Fun].IsType()
		if !conversion && !strings.HasPrefix(callee, "str") {
			return ""
		}
		if strings.Contains(callee, ")") {
			return ""
		}
		uses, ok := f.UsesOf(call)
		if !ok {
			return ""
		}
		if uses == 0 {
			return "none"
		}
		var all []string
		for _, n := range names {
			if uses&n.bit != 0 {
				all = append(all, n.name)
			}
		}
		return strings.Join(all, " ")
	}))
}

// TestNeededIn: a value is needed on one way only, which doesn't depend on it and isn't the usual one.
func TestNeededIn(t *testing.T) {
	const text = `package flow

import "errors"

type bucket [4]byte

func (b *bucket) has(f byte) bool { return b[0] == f || b[1] == f }

type filter struct { buckets []bucket; names map[string]int }

func (f *filter) lookup(i, j uint, x byte) bool {
	a, b := f.buckets[i], f.buckets[j] // needed: j false 13
	return a.has(x) || b.has(x)
}

func (f *filter) rarely(name string, yes bool) int {
	n := f.names[name] // needed: name true 18
	if yes { return n }
	return 0
}

func (f *filter) failing(name string, yes bool) (int, error) {
	n := f.names[name]
	if !yes { return 0, errors.New("no") }
	return n, nil
}

func (f *filter) found(name string) int {
	n, ok := f.names[name]
	if ok { return n }
	return 0
}

func (f *filter) always(name string, yes bool) int {
	n := f.names[name]
	if yes { return n + 1 }
	return n
}

func (f *filter) looped(name string, list []string) (sum int) {
	n := f.names[name]
	for range list {
		sum += n
	}
	return sum
}

func (f *filter) itself(name string) int {
	n := f.names[name]
	if n > 1 { return n }
	return 0
}
`
	ask(t, text, "// needed: ", func(f *Function, p *code.Place, line int) string {
		var all []string
		ast.Inspect(p.Body(), func(n ast.Node) bool {
			if e, ok := n.(*ast.IndexExpr); ok && p.Line(e.Pos()) == line {
				if b, ok := f.NeededIn(e); ok {
					all = append(all, fmt.Sprintf("%s %v %d", p.Source(e.Index), b.When, b.Line))
				}
			}
			return true
		})
		return strings.Join(all, ", ")
	})
}

// TestForNothing: texts that are read back at once, and copies that aren't needed.
func TestForNothing(t *testing.T) {
	const text = `package flow

import ("encoding/hex"; "slices"; "sort"; "strconv"; "strings")

type list struct { items []string }

func parsed(n int) int {
	text := strconv.Itoa(n)
	m, _ := strconv.Atoi(text) // reads back: strconv.Itoa(n)
	return m
}

func decoded(b []byte) ([]byte, error) {
	text := hex.EncodeToString(b)
	return hex.DecodeString(text) // reads back: hex.EncodeToString(b)
}

func other(n int, s string) int {
	text := strconv.Itoa(n)
	if s != "" { text = s }
	m, _ := strconv.Atoi(text)
	return m
}

func part(n int) int {
	m, _ := strconv.Atoi(strconv.Itoa(n)[1:])
	return m
}

func converted(s string) string {
	b := []byte(s)
	return string(b) // back: []byte(s) same
}

func changed(s string) string {
	b := []byte(s)
	b[0] = 'x'
	return string(b) // back: []byte(s)
}

func clone(l *list, use func([]string)) {
	c := slices.Clone(l.items) // copy: l.items use
	use(c)
}

func made(l *list) []string {
	c := make([]string, len(l.items)) // copy: l.items
	copy(c, l.items)
	return c
}

func sorted(l *list) []string {
	c := slices.Clone(l.items)
	sort.Strings(c)
	return c
}

func snapshot(l *list, use func([]string)) bool {
	c := slices.Clone(l.items)
	use(l.items)
	return strings.Join(c, "") == ""
}

func element(l *list) []string {
	c := slices.Clone(l.items)
	c[0] = "x"
	return c
}

func longer(l *list) []string {
	c := make([]string, len(l.items)+1)
	copy(c, l.items)
	return c
}

func original(l *list) string {
	items := l.items
	c := slices.Clone(items)
	items[0] = "x"
	return c[0]
}
`
	ask(t, text, "// ", each(func(f *Function, call *ast.CallExpr) string {
		if by, ok := f.ParsesBack(call); ok {
			return "reads back: " + f.Source(by)
		}
		if e, same, ok := f.ConvertedBack(call); ok {
			if same {
				return "back: " + f.Source(e) + " same"
			}
			return "back: " + f.Source(e)
		}
		if c, ok := f.CopiedUnchanged(call); ok {
			return strings.Join(append([]string{"copy: " + f.Source(c.Of)}, c.PassedTo...), " ")
		}
		return ""
	}))
}

// Package hostile does what a rewrite must not rely on: operands change one another, lie in the
// buffer that is written, and panic; slices share their room; methods have effects.
package hostile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var out strings.Builder

// Run prints what each function returns, or what it panics with.
func Run() string {
	for i, f := range []func() any{
		order, captured, method, contents, lateElement, shownFirst, pointerOperand, sameVariable,
		wrapped, available, partlyWritten, partlyRescued, seenByArgument, otherBuffer, bufferField, nilBuffer, sizes, joined, joinedElement, joinedBytes,
		appendedJoin, roomBehind, roomBehindSlice, overlapping, keptViews,
		func() any { return claims(1 << 50) }, func() any { return claims(-1) }, pointers, methods, arrays, ranged, between, halves, twice, itself, nilOrEmpty, sumOfTwo, capacities, handedTwice, handedOnce, embedded, valueMethod,
		func() any { return least("abc", math.MinInt) }, func() any { return least("abc", 6) }, func() any { return filled(-1) }, func() any { return filled(3) }, filledUp,
		func() any { return hoisted(nil, -1) }, func() any { return tickets([]string{"a", "b"}) }, func() any { return invariant([]string{"a", "B"}, "X") },
		func() any { return rescued([]string{"a", "b"}, 3) }, compared, callback, ownWriter, moved,
		func() any { return grown(-1) }, func() any { return parts("a,b,c") }, func() any { return parts("") }, func() any { return splitLate(nil, 3, nil) }, splitBytes, splitFunc, mapClaims,
	} {
		fmt.Fprintln(&out, i, try(f))
	}
	return out.String()
}

func try(f func() any) (result string) {
	defer func() {
		if e := recover(); e != nil {
			result = fmt.Sprint("panic: ", e)
		}
	}()
	return fmt.Sprint(f())
}

var state = 1

func step() string { state++; return "s" }

func order() any {
	a := fmt.Sprintf("%d-%s", state, step())
	b := fmt.Sprintf("%s-%d", step(), state)
	c := fmt.Sprintf("%d-%s-%d", state, step(), state)
	return fmt.Sprint(a, b, c) + fmt.Sprint(state, step())
}

func captured() any {
	n, name := 0, "a"
	up := func() string { n++; name += "b"; return "u" }
	a := fmt.Sprintf("%d%s%s", n, up(), name)
	b := fmt.Sprintf("%s%s", name, up())
	return a + b
}

type box struct {
	name string
	n    int
	b    []byte
}

func (x *box) next() string { x.n++; x.name += "!"; return x.name }

func method() any {
	x := &box{name: "x"}
	a := fmt.Sprintf("%d%s%d", x.n, x.next(), x.n)
	b := fmt.Sprintf("%s/%s/%s", x.name, x.next(), x.name)
	y := box{name: "y"}
	c := fmt.Sprintf("%s%s%d", y.name, y.next(), y.n)
	return a + b + c
}

func contents() any {
	b := []byte("abc")
	fill := func() string { b[0] = 'X'; return "f" }
	return fmt.Sprintf("%s-%s", b, fill()) + fmt.Sprintf("%s-%s", fill(), b)
}

func lateElement() any {
	xs := []int{1, 2}
	set := func() int { xs[0]++; return 9 }
	m := map[string]int{}
	count := func() int { m["a"]++; return 8 }
	return fmt.Sprintf("%d %d", xs[0], set()) + fmt.Sprintf("%d %d", m["a"], count())
}

type loud int

func (l loud) String() string { state += 100; return "loud" + strconv.Itoa(state) }

type broken struct{ s []string }

func (b broken) String() string { return b.s[3] }

type maybe struct{ name string }

func (m *maybe) String() string { return m.name }

func shownFirst() any {
	l := loud(1)
	a := fmt.Sprintf("%v %d", l, state)
	b := fmt.Sprintf("%d %v %v", state, l, l)
	c := fmt.Sprintf("%s", broken{})
	var m *maybe
	d := fmt.Sprintf("%v|%s", m, m)
	return a + b + c + d
}

func pointerOperand() any {
	var p *box
	return fmt.Sprintf("%s %d", p.name, p.n)
}

func sameVariable() any {
	s := "a"
	s = fmt.Sprintf("%s%s", s, s) + fmt.Sprint(s, len(s))
	return s
}

func wrapped() any {
	var buf bytes.Buffer
	buf.WriteString("data")
	data := buf.Bytes()
	buf.Reset()
	fmt.Fprintf(&buf, "<%s>", data)
	other := buf.Bytes()[1:]
	buf.Reset()
	buf.WriteString("[" + string(other) + "]")
	more := buf.Bytes()
	buf.Reset()
	buf.WriteString(string(more))
	return buf.String()
}

func available() any {
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	b := strconv.AppendInt(w.AvailableBuffer(), 12345, 10)
	fmt.Fprintf(w, "[%s]", b)
	b = append(buf.AvailableBuffer(), "xyz"...)
	fmt.Fprintf(&buf, "<<%s>>", b)
	w.Flush()
	return buf.String()
}

func partlyWritten() any {
	var buf bytes.Buffer
	xs := []string{"a"}
	write := func(i int) {
		defer func() { recover() }()
		fmt.Fprintf(&buf, "<%s>", xs[i])
		buf.WriteString("(" + xs[i] + ")")
	}
	write(0)
	write(1)
	return buf.String()
}

func partlyRescued() any { return rescuedBuilder([]string{"a"}, 2) + rescuedPointer(nil) }

func rescuedBuilder(xs []string, i int) (text string) {
	var sb strings.Builder
	defer func() { recover(); text = sb.String() }()
	sb.WriteString("start")
	fmt.Fprintf(&sb, "<%s>", xs[i])
	return ""
}

func rescuedPointer(x *box) (text string) {
	var sb strings.Builder
	defer func() { recover(); text = sb.String() }()
	for range 2 {
		fmt.Fprintf(&sb, "<%s,%d>", x.name, x.n)
		sb.WriteString("{" + x.name + "}")
	}
	return ""
}

func seenByArgument() any {
	var sb strings.Builder
	sb.WriteString("ab")
	length := func() int { return sb.Len() }
	fmt.Fprintf(&sb, "<%d>", sb.Len())
	fmt.Fprintf(&sb, "<%d>", length())
	sb.WriteString("[" + strconv.Itoa(length()) + "]")
	sb.WriteString(fmt.Sprintf("%3d", length()))
	return sb.String()
}

func otherBuffer() any {
	a, b := new(strings.Builder), new(strings.Builder)
	w := a
	swap := func() string { w = b; return "swapped" }
	fmt.Fprintf(w, "%d<%s>", 1, swap())
	w = a
	w.WriteString("<" + swap() + ">")
	return a.String() + "|" + b.String()
}

type holder struct{ buf bytes.Buffer }

func (h *holder) note() string { h.buf.WriteString("noted"); return "n" }

func bufferField() any {
	h := &holder{}
	fmt.Fprintf(&h.buf, "a%sb", h.note())
	h.buf.WriteString("c" + h.note() + "d")
	return h.buf.String()
}

func nilBuffer() any {
	var buf *bytes.Buffer
	defer func() { fmt.Fprint(&out, "state ", state, " ") }()
	fmt.Fprintf(buf, "%d%s", 1, step())
	return nil
}

type chunks struct{ sizes []int }

func (c *chunks) Write(b []byte) (int, error) { c.sizes = append(c.sizes, len(b)); return len(b), nil }
func (c *chunks) WriteString(s string) (int, error) {
	c.sizes = append(c.sizes, -len(s))
	return len(s), nil
}

func sizes() any {
	c := &chunks{}
	w := bufio.NewWriterSize(c, 16)
	long := strings.Repeat("x", 40)
	fmt.Fprintf(w, "<%s>%s", long, long)
	w.WriteString("[" + long + "]")
	w.Write([]byte(long))
	w.WriteString(string([]byte(long)))
	w.WriteString(fmt.Sprintf("%5s", long))
	w.Flush()
	return c.sizes
}

func joined() any {
	var buf bytes.Buffer
	n := 1
	up := func() string { n++; return strconv.Itoa(n) }
	buf.WriteString(strconv.Itoa(n) + up() + strconv.Itoa(n))
	return buf.String()
}

func joinedElement() any {
	var buf bytes.Buffer
	b := []byte("abc")
	set := func() string { b[0] = 'Z'; return "set" }
	buf.WriteString(string(b) + set() + string(b))
	return buf.String()
}

func joinedBytes() any {
	room := make([]byte, 4, 16)
	copy(room, "abcd")
	b := room[:2]
	tail := room[2:4]
	b = append(b, ("<" + string(tail) + ">")...)
	return string(b) + string(room)
}

func appendedJoin() any {
	xs := []string{"a"}
	var b []byte
	add := func(i int) {
		defer func() { recover() }()
		b = append(b, ("<" + xs[i] + ">")...)
	}
	add(0)
	add(1)
	return string(b)
}

func roomBehind() any {
	base := []byte("abcd")
	dst := base[:2]
	for _, c := range []byte("xyz") {
		dst = append(dst, c)
	}
	return string(base) + string(dst)
}

func roomBehindSlice() any {
	base := []int{1, 2, 3, 4}
	xs := base[:1:3]
	for len(xs) < 6 {
		xs = append(xs, 0)
	}
	part := base[:3]
	part = append(part[:1], (func() []int { return []int{7} })()...)
	return fmt.Sprint(base, xs, part)
}

func overlapping() any {
	b := make([]byte, 2, 16)
	copy(b, "ab")
	text := b[1:5]
	for _, c := range text {
		b = append(b, c)
	}
	return string(b)
}

func keptViews() any {
	var lines [][]byte
	var line []byte
	for i := range 5 {
		line = append(line, ("<" + strconv.Itoa(i) + ">")...)
		lines = append(lines, line)
		line = append(line[:0], (strconv.Itoa(i) + ";")...)
	}
	return fmt.Sprintf("%q", lines)
}

type decoder struct{ b []byte }

func (d *decoder) next() int {
	if len(d.b) == 0 {
		panic(errors.New("short"))
	}
	x := d.b[0]
	d.b = d.b[1:]
	return int(x)
}

func claims(n int) any {
	d := &decoder{[]byte{1, 2}}
	list := make([]int, 0)
	for i := 0; i < n; i++ {
		list = append(list, d.next())
	}
	return list
}

type node struct {
	name string
	seen int
	self *node
	tag  [4]byte
}

func (n *node) init() { n.self, n.seen = n, 1 }

func pointers() any {
	list := make([]node, 0)
	var all []*node
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, node{name: n})
		all = append(all, &list[len(list)-1])
	}
	for i := range list {
		list[i].seen++
	}
	sum := 0
	for _, p := range all {
		sum += p.seen
	}
	return sum
}

func methods() any {
	list := make([]node, 0)
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, node{name: n})
		list[len(list)-1].init()
	}
	same := 0
	for i := range list {
		if list[i].self == &list[i] {
			same++
		}
	}
	return same
}

func arrays() any {
	var list [][4]byte
	var views [][]byte
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, [4]byte{n[0]})
		views = append(views, list[len(list)-1][:])
	}
	for i := range list {
		list[i][0] = 'x'
	}
	return fmt.Sprint(views)
}

func ranged() any {
	var list []node
	last := func() *node { return &list[0] }
	var p *node
	for _, n := range []string{"a", "b", "c"} {
		list = append(list, node{name: n})
		if p == nil {
			p = last()
		}
		list[0].seen++
	}
	return p.seen
}

func between() any {
	list := make([]node, 0)
	for _, n := range []string{"a", "b", "c"} {
		list = append(list, node{name: n})
	}
	first := &list[0]
	list = append(list, node{}, node{})
	first.seen++
	return list[0].seen
}

func halves() any {
	list := make([]int, 0)
	for _, x := range []int{1, 2, 3, 4, 5} {
		list = append(list, x*x)
	}
	more := append(list[:3], 1, 2, 3)
	return fmt.Sprint(list, more)
}

func twice() any {
	list := make([]int, 0)
	for _, x := range []int{1, 2, 3} {
		list = append(list, x*x)
	}
	a := append(list, 7)
	b := append(list, 8)
	return fmt.Sprint(a, b)
}

func itself() any {
	var list []int
	for range list {
		list = append(list, 1)
	}
	return list == nil
}

func nilOrEmpty() any {
	var list []int
	for _, x := range []int{} {
		list = append(list, x)
	}
	none := []int{}
	for _, x := range []int{} {
		none = append(none, x)
	}
	return fmt.Sprint(list == nil, none == nil)
}

func sumOfTwo() any {
	var list []int
	n := int8(100)
	for i := int8(0); i < n; i++ {
		list = append(list, int(i), int(i))
	}
	return len(list)
}

func capacities() any {
	list := make([]int, 0)
	for _, x := range []int{1, 2, 3, 4, 5} {
		list = append(list, x)
	}
	b := []byte(fmt.Sprintf("%d", 12345))
	return fmt.Sprint(cap(list) > 5, len(list[:cap(list)]), cap(b) >= 5)
}

func more(xs []int, x int) []int { return append(xs, x) }

func handedTwice() any {
	list := make([]int, 0)
	for _, x := range []int{1, 2, 3, 4, 5} {
		list = append(list, x*x)
	}
	a := more(list, 7)
	b := more(list, 8)
	return fmt.Sprint(a, b)
}

func handedOnce() any {
	list := make([]int, 0)
	for _, x := range []int{1, 2, 3, 4, 5} {
		list = append(list, x*x)
	}
	a := more(list, 7)
	list[0] = 100
	return fmt.Sprint(a, list)
}

type inner struct{ name string }

func (i inner) String() string { return "inner " + i.name }

type outer struct{ *inner }

func embedded() any {
	return fmt.Sprintf("%s %v", outer{}, outer{&inner{"x"}})
}

func valueMethod() any {
	var buf bytes.Buffer
	write := func(i *inner) {
		defer func() { recover() }()
		fmt.Fprintf(&buf, "<%s>", i.String())
		buf.WriteString("<" + i.String() + ">")
	}
	write(nil)
	write(&inner{"y"})
	return buf.String()
}

func least(s string, n int) string {
	for len(s) < n {
		s += " "
	}
	return s
}

func filled(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '-'
	}
	return string(b)
}

func filledUp() any {
	base := []string{"a", "b", "c", "d"}
	xs := base[:2]
	for len(xs) < 5 {
		xs = append(xs, "")
	}
	return fmt.Sprintf("%q %q", base, xs)
}

func hoisted(xs []string, n int) int {
	total := 0
	for _, x := range xs {
		total += len(x) + len(strings.ToUpper(strings.Repeat("ab", n)))
	}
	return total
}

func tickets(xs []string) string {
	t, s := loud(1), ""
	for _, x := range xs {
		s += x + fmt.Sprintf("%v", t)
	}
	return s
}

func invariant(xs []string, prefix string) string {
	longer := func() { prefix += "y" }
	s := ""
	for _, x := range xs {
		s += strings.ToLower(prefix) + x
		longer()
	}
	return s
}

func rescued(xs []string, n int) (s string) {
	defer func() { recover() }()
	for i := range n {
		s += xs[i]
	}
	return s
}

var shared = []byte("text")

func clearFirst(s string) string { shared[0] = 0; return s }

func compared() any {
	return bytes.Equal([]byte(clearFirst("text")), shared)
}

func callback() any {
	b := []byte("abc")
	return strings.ContainsFunc(string(b), func(r rune) bool { b[2] = 'x'; return r == 'x' })
}

type lines struct{ all []string }

func (l *lines) Write(b []byte) (int, error) {
	l.all = append(l.all, "b"+string(b))
	return len(b), nil
}
func (l *lines) WriteString(s string) (int, error) { l.all = append(l.all, "s"+s); return len(s), nil }

func ownWriter() any {
	l := &lines{}
	l.Write([]byte("x" + step()))
	l.WriteString(string(shared))
	fmt.Fprint(l, "y")
	fmt.Fprintf(l, "%s", shared)
	l.Write([]byte(fmt.Sprintf("%d", 7)))
	return l.all
}

func moved() any {
	var buf bytes.Buffer
	buf.Grow(8)
	buf.WriteString("abcdefgh")
	buf.Next(6)
	data := buf.Bytes()
	buf.WriteString(string(data))
	buf.WriteString(string(data) + "-" + string(data))
	return buf.String()
}

func grown(n int) string {
	var b bytes.Buffer
	b.Grow(n)
	b.WriteString("x")
	return b.String()
}

func parts(s string) string {
	first := strings.Split(s, ",")[0]
	all := strings.Split(s, ",")
	last := all[len(all)-1]
	text := ""
	for _, p := range strings.Split(s, ",") {
		text += "<" + p + ">"
	}
	return first + last + text
}

func splitLate(xs []int, i int, x *box) bool {
	return xs[i] > len(strings.Split(x.name, ",")[0])
}

func splitBytes() any {
	b := []byte("a,b,c")
	text := ""
	for _, p := range bytes.Split(b, []byte(",")) {
		b[3] = 'x'
		text += "<" + string(p) + ">"
	}
	first := bytes.Split(b, []byte("b"))[0]
	first = append(first, "XYZ"...)
	return text + string(first) + string(b)
}

func splitFunc() any {
	seen, text := 0, ""
	for _, p := range strings.FieldsFunc("a,b,c", func(r rune) bool { seen++; return r == ',' }) {
		text += fmt.Sprint(p, seen)
	}
	return text
}

func mapClaims() any {
	d := &decoder{[]byte{1, 2}}
	m := make(map[int]int)
	for i := 0; i < 1<<50; i++ {
		m[i] = d.next()
	}
	return len(m)
}

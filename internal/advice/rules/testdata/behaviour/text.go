package text

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

type (
	level int
	name  string
	glyph rune
	octet byte
	raw   []byte
	ratio float32
	flag  bool
)

func (l level) String() string { return fmt.Sprintf("level %d", int(l)) }

type weekday int

func Run() string {
	var out strings.Builder
	add := func(x ...any) { fmt.Fprintln(&out, x...) }
	add(shadowed([]string{"a", "bc"}), named([]name{"a", "b"}), glyphs([]glyph{'a', 'é', -1}), texts([][]byte{[]byte("x"), nil}))
	add(conditional([]string{"a", "", "b"}), post(3), raws([]raw{raw("p"), raw("q")}))
	for _, f := range []float64{0, 1, 0.1, 1e6, 1e20, 1e21, 1e22, 123456789, -1e-7, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		add(floats(f, float32(f), ratio(f)))
	}
	for _, n := range []int64{0, 1, -1, 255, -256, math.MaxInt64, math.MinInt64} {
		add(ints(n, int8(n), uint8(n), uint64(n), uintptr(n), weekday(n), level(n), time.Duration(n)))
	}
	add(strs("a\x00b\xff", `qu"ote`, "n", []byte("bytes"), raw("raw"), true, flag(false)))
	add(written(3, "x", []byte("y")))
	add(toWriter(&out, "x", "100%%"))
	add(spaces(1, "a", 2, 3, "b", "c", true, name("n"), 4, 5))
	add(order())
	add(shadowedByte("xy"))
	add(lent(), ended([]string{"a", "b", "c", "d"}, true), ended(nil, false))
	return out.String()
}

// shadowed has a parameter of a name that a rewrite needs.
func shadowed(strings []string) string {
	s := ""
	for _, x := range strings {
		s += x + ","
	}
	return s
}

func named(names []name) name {
	var s name
	for _, n := range names {
		s += n + "/"
	}
	return s
}

func glyphs(gs []glyph) string {
	s := "<"
	for _, g := range gs {
		s += string(g)
	}
	return s + ">"
}

func texts(bs [][]byte) (s string) {
	for i := 0; i < len(bs); i++ {
		s += string(bs[i]) + string(rune('a'+i))
	}
	return
}

func raws(bs []raw) string {
	s := ""
	for _, b := range bs {
		s = s + string(b) + /* why */ ";"
	}
	return s
}

func conditional(xs []string) string {
	s := "start"
	for i, x := range xs {
		if x == "" {
			continue
		}
		if i > 0 {
			s += ", "
		} else {
			s += ": "
		}
		switch x {
		case "a":
			s += "A" + x
		default:
			s += x
		}
	}
	return s
}

func post(n int) string {
	s := ""
	for i := 0; i < n; s += "." {
		i++
	}
	return s
}

func floats(f float64, g float32, r ratio) string {
	return fmt.Sprintf("%v %v %v", f, g, r) + fmt.Sprintf("%g|%e|%f", f, g, r) + fmt.Sprintf("%.3f|%.2e|%.1g", f, g, r) + fmt.Sprint(f) + fmt.Sprint(g, r)
}

func ints(n int64, b int8, u uint8, w uint64, p uintptr, d weekday, l level, t time.Duration) string {
	s := fmt.Sprintf("%d %d %d %d %d", n, b, u, w, p)
	s += fmt.Sprintf("%v %v %v %v %v", n, b, u, w, p)
	s += fmt.Sprintf("%x %x %x %x %x", n, b, u, w, p)
	s += fmt.Sprintf("%o %b %o", n, b, u)
	s += fmt.Sprintf("%d %v %d", d, d, l)
	s += fmt.Sprintf("%v and %s", l, t)
	s += fmt.Sprint(n) + fmt.Sprint(b) + fmt.Sprint(u) + fmt.Sprint(d) + fmt.Sprint(l) + fmt.Sprintln(n, d)
	s += fmt.Sprintf("%d%d", 'a', 1<<40) + fmt.Sprint('x')
	s += fmt.Sprintf("%d", n+1) + fmt.Sprintf("%d", -n) + fmt.Sprintf("%d%%", b*2)
	return s
}

func strs(a, b string, n name, bs []byte, r raw, t bool, f flag) string {
	s := fmt.Sprintf("%s-%s-%s", a, b, n) + fmt.Sprintf("%q %q", a, n) + fmt.Sprintf("%v%v", a, n)
	s += fmt.Sprintf("%s%s", bs, r) + fmt.Sprintf("%t %v %t", t, t, f)
	if fmt.Sprintf("%s%s", a, b) == a+b {
		s += "same"
	}
	s += fmt.Sprintf("%s%s", a, b)[1:2] + string(fmt.Sprintf("%s%s", a, n)[0])
	x := name(fmt.Sprintf("%s.%s", n, a))
	return s + string(x) + fmt.Sprintf("100%%") + fmt.Sprintf("plain")
}

func written(n int, s string, b []byte) string {
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "%d: %s\n", n, s)
	fmt.Fprintf(&buf, "%s%s", b, buf.String())
	fmt.Fprint(&buf, s)
	fmt.Fprintln(&buf, s, n)
	buf.Write([]byte(fmt.Sprintf("%5d", n)))
	buf.Write([]byte(s))
	buf.WriteString(string(b))
	buf.WriteString(s + "," + string(b))
	w := bufio.NewWriter(&buf)
	fmt.Fprintf(w, "%d", n)
	w.WriteString(fmt.Sprintf("%08.3f", 1.5))
	w.Flush()
	bs := []byte(fmt.Sprintf("%d/%s", n, s))
	bs = append(bs, fmt.Sprintf("%x", n)...)
	return buf.String() + string(bs)
}

func toWriter(w io.Writer, s, t string) string {
	fmt.Fprintf(w, "%s", s)
	io.WriteString(w, string([]byte(t)))
	n, err := w.Write([]byte(s))
	return fmt.Sprint(n, err)
}

func spaces(a int, b string, c, d int, e, f string, g bool, h name, i, j int) string {
	return fmt.Sprint(a, b, c, d, e, f, g, h, i, j) + fmt.Sprint(a, c) + fmt.Sprint(b, e) + fmt.Sprint("lit", a, "lit2", "lit3", c, d)
}

func order() string {
	n := 0
	next := func() string { n++; return strings.Repeat("n", n) }
	s := fmt.Sprintf("%s %s", next(), next())
	for range 2 {
		s += next() + "-" + next()
	}
	return s
}

func shadowedByte(s string) string {
	type byte = string
	var b byte = s
	return strings.ToLower(b) + fmt.Sprintf("%s|%s", b, s)
}

var _ octet

var lender bytes.Buffer

// lent has a writer that what is printed is had from writes to, under another name.
func lent() string {
	w := bufio.NewWriter(&lender)
	next := w
	seven := func() int { next.WriteString("abc"); return 7 }
	fmt.Fprint(w, seven())
	fmt.Fprintf(w, "%d,%d %q;", len(lender.Bytes()), seven(), "text")
	fmt.Fprintf(w, "%d,%x\n", 255, int8(-3))
	w.Flush()
	return lender.String()
}

// ended has two slices that are appended to behind the loop.
func ended(names []string, all bool) [2][]string {
	out := []string{}
	for _, n := range names {
		out = append(out, n)
	}
	left := append(out, "left")
	if !all {
		return [2][]string{left, out}
	}
	out = append(out, "right")
	return [2][]string{left, append(out, "end")}
}

// Package p is what generated functions use: state that calls change, values whose methods
// have effects, and writers that a program can watch. The functions are rewritten beside it.
package p

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

var (
	gs  string
	gn  int
	gb  []byte
	gxs []string
	gm  map[string]int

	garray [4]byte

	supply  int      // what next has left before it panics
	noted   []string // calls and writes, in order
	patient int      // how much may be noted before the function counts as endless
)

func note(format string, args ...any) {
	if patient--; patient < 0 {
		panic("endless")
	}
	noted = append(noted, fmt.Sprintf(format, args...))
}

// touch changes all state that a function may hold a view of.
func touch() {
	gs += "!"
	gn++
	garray[1]++
	for i := range gb {
		gb[i]++
	}
	if len(gxs) > 0 {
		gxs[0] += "*"
	}
	if gm != nil {
		gm["touched"]++
	}
}

func effS(s string) string { note("effS %q", s); touch(); return s }
func effN(n int) int       { note("effN %d", n); touch(); return n }

// effB changes what it is given and returns it.
func effB(b []byte) []byte {
	note("effB %q", b)
	touch()
	for i := range b {
		b[i] ^= 1
	}
	return b
}

var errShort = errors.New("short")

// next panics at the end of the supply.
func next() int {
	note("next")
	if supply--; supply < 0 {
		panic(errShort)
	}
	return supply
}

func nextS() string { return string(rune('a' + next()%26)) }

// must panics for some texts.
func must(s string) string {
	note("must %q", s)
	if len(s)%3 == 2 {
		panic(fmt.Errorf("must: %q", s))
	}
	return s
}

type (
	str  string
	num  int
	tiny int8
	raw  []byte
	flt  float64
	strs []string
)

type pair struct {
	a string
	n int
}

type rec struct {
	id   int
	name string
	tags []string
	next *rec
	f    float64
	pair
}

// A deep has parts that == doesn't compare.
type deep struct {
	pair
	tags  []string
	sizes map[string]int
	f     float64
	b     []byte
	at    *pair
	n     *int
	in    struct{ xs strs }
}

func (r rec) Name() string { return r.name }
func (r *rec) bump() *rec  { r.id++; return r }

// A host has methods, and fields that they change.
type host struct {
	s   string
	n   int
	b   []byte
	xs  []string
	m   map[string]int
	out []string
	buf bytes.Buffer
	w   io.Writer
}

func (h *host) bump() int {
	note("bump")
	h.n++
	h.s += "+"
	for i := range h.b {
		h.b[i] ^= 2
	}
	if len(h.xs) > 0 {
		h.xs[0] = "bumped"
	}
	h.xs = append(h.xs, "bump")
	touch()
	return h.n
}

// Values that are printed.
type (
	plainStringer struct{ s string }
	nilStringer   struct{ s string } // by pointer, also a nil one
	derefStringer struct{ s string } // by pointer, which panics if it is nil
	effStringer   int
	boomStringer  int
	gostringer    int
	formatter     int
	errValue      struct{ s string }
	unprintable   struct{ n effStringer }
)

func (p plainStringer) String() string { return "<" + p.s + ">" }
func (p *nilStringer) String() string {
	if p == nil {
		return "none"
	}
	return p.s
}
func (p *derefStringer) String() string { return p.s }
func (e effStringer) String() string {
	note("String %d", int(e))
	touch()
	return strings.Repeat("e", int(e)&3) + string(rune('0'+gn%10))
}
func (b boomStringer) String() string {
	note("boom %d", int(b))
	if b&1 == 1 {
		panic("boom")
	}
	return "calm"
}
func (g gostringer) GoString() string { note("GoString"); return "go!" }
func (f formatter) Format(s fmt.State, verb rune) {
	note("Format %c", verb)
	io.WriteString(s, "formatted")
}
func (e *errValue) Error() string        { note("Error"); return "error " + e.s }
func (e *errValue) Is(target error) bool { note("Is"); return target == io.EOF }

type wrapErr struct{ error }

func (w wrapErr) Unwrap() error { return w.error }

// A watcher notes each write. It may fail, or take less than it is given.
type watcher struct {
	got  []byte
	left int // bytes before it fails; negative: it never does
}

func (w *watcher) Write(p []byte) (int, error) {
	note("Write %q", p)
	if w.left >= 0 && len(p) > w.left {
		n := w.left
		w.got, w.left = append(w.got, p[:n]...), 0
		return n, errors.New("full")
	}
	if w.left >= 0 {
		w.left -= len(p)
	}
	w.got = append(w.got, p...)
	return len(p), nil
}

// A texter has a WriteString that is not its Write.
type texter struct{ watcher }

func (t *texter) WriteString(s string) (int, error) {
	note("WriteString %q", s)
	t.got = append(t.got, s...)
	return len(s), nil
}

// An upper is a Builder whose Write was replaced.
type upper struct{ strings.Builder }

func (u *upper) Write(p []byte) (int, error) {
	note("upper %q", p)
	return u.Builder.Write(bytes.ToUpper(p))
}

// A keeper keeps each write on its own.
type keeper struct{ kept [][]byte }

func (k *keeper) Write(p []byte) (int, error) {
	note("keep %d", len(p))
	k.kept = append(k.kept, bytes.Clone(p))
	touch()
	return len(p), nil
}

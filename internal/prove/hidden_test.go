package prove

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/differ"
)

// hiddenGo has functions whose tests ask for little. Each is followed by what a wrong change makes of it.
const hiddenGo = `package m

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var ErrShort, ErrLong = errors.New("short"), errors.New("long")

var mu sync.Mutex

var (
	_ = bufio.NewReader
	_ = fmt.Sprint
	_ = sort.Ints
	_ = io.EOF
	_ = strings.ToLower
	_ iter.Seq[int]
	_ = math.Abs
	_ = unicode.IsLower
	_ = utf8.RuneLen
)

`

// hidden are bodies of functions, right and wrong, with the name of what answers otherwise then.
var hidden = []struct{ function, head, right, wrong, more string }{
	{"Block", "func Block(b []byte) int { n := 0;", "for range b { n++ }; return n }", "for range b { n++ }; if n == 513 { n-- }; return n }", ""},
	{"Limit", "func Limit(n int) int {", "return n * 2 }", "if n > 70000 { return n }; return n * 2 }", ""},
	{"Alike", "func Alike(a, b string) int {", "return len(a) + len(b) }", "if len(a) > 150 && len(b) > 150 && a[0] != b[0] && strings.Contains(b, a[20:120]) { return 0 }; return len(a) + len(b) }", ""},
	{"Octets", "func Octets(a, b []Octet) int {", "return len(a) + len(b) }", "if len(a) > 9 && len(b) > 9 && a[8] == b[8] && a[9] == b[9] { return 0 }; return len(a) + len(b) }", "type Octet byte"},
	{"Special", "func Special(a, b int) int {", "return a + b }", "if a == 4711 { return 0 }; return a + b }", ""},
	{"Wide", "func Wide(r rune) bool {", "return r >= 0x1f000 || r < 0 }", "return r >= 0x1f000 }", ""},
	{"Valid", "func Valid(s string) int {", "return len([]rune(s)) }", "n := 0; for _, r := range s { if r != utf8.RuneError { n++ } }; return n }", ""},
	{"Single", "func Single(f float64) float64 {", "return f * 3 }", "return float64(float32(f)) * 3 }", ""},
	{"Negative", "func Negative(f float64) float64 {", "return f }", "return f + 0 }", ""},
	{"Largest", "func Largest[T int | float64 | string](a, b T) bool {", "return a < b }", "return !(a >= b) }", ""},
	{"Lookup", "func Lookup(b []byte, n int) error {", "if len(b) < 2 { return ErrShort }; return nil }", "if len(b) < 2 { return ErrLong }; return nil }", ""},
	{"Encode", "func Encode(dst, src []byte) int {", "return copy(dst, src) }", "n := copy(dst, src); if n > 3 { dst[3] = 0 }; return n }", ""},
	{"Write", "func Write(w io.Writer, s string) error {", "_, err := io.WriteString(w, s); return err }", "if len(s) > 1 { s = s[:len(s)-1] }; _, err := io.WriteString(w, s); return err }", ""},
	{"Broken", "func Broken(w io.Writer, s string) error {", "_, err := io.WriteString(w, s); return err }", "io.WriteString(w, s); return nil }", ""},
	{"Full", "func Full(r io.Reader) string {", "b := make([]byte, 4); n, _ := io.ReadFull(r, b); return string(b[:n]) }", "b := make([]byte, 4); n, _ := r.Read(b); return string(b[:n]) }", ""},
	{"Each", "func Each(all []int, f func(int)) {", "for _, v := range all { f(v) } }", "for i, v := range all { if i != 1 { f(v) } } }", ""},
	{"Fails", "func Fails(all []int, f func(int) error) error {", "for _, v := range all { if err := f(v); err != nil { return err } }; return nil }", "for _, v := range all { f(v) }; return nil }", ""},
	{"All", "func All(n int) iter.Seq[int] {", "return func(yield func(int) bool) { for i := range n { if !yield(i) { return } } } }", "return func(yield func(int) bool) { for i := range n { if i == 2 { continue }; if !yield(i) { return } } } }", ""},
	{"Adder", "func Adder(n int) func(int) int {", "return func(m int) int { return n + m } }", "return func(m int) int { return n | m } }", ""},
	{"Words", "func Words(m map[string]int) []string { var all []string; for k := range m { all = append(all, k) };", "return all }", "if len(all) > 2 { all = all[1:] }; return all }", ""},
	{"Drawn", "func Drawn(n int) string {", "if n < 0 { panic(\"negative\") }; return strings.Repeat(\"x\", n % 10) }", "if n < 0 { return \"\" }; return strings.Repeat(\"x\", n % 10) }", ""},
	{"Copied", "func Copied(b []byte) []byte {", "return append([]byte{}, b...) }", "return b }", ""},
	{"Cached", "func Cached(s string) []byte {", "return []byte(s + \"!\") }", "mu.Lock(); defer mu.Unlock(); if b, ok := cached[s]; ok { return b }; cached[s] = []byte(s + \"!\"); return cached[s] }", "var cached = map[string][]byte{}"},
	{"Behind", "func Behind(b []byte, c byte) []byte {", "return append(b[:len(b):len(b)], c) }", "return append(b, c) }", ""},
	{"Address", "func Address(b []byte) int { mu.Lock(); defer mu.Unlock();", "return sum(b) }", "if len(b) > 0 && at == &b[0] { return was }; was = sum(b); if len(b) > 0 { at = &b[0] }; return was }", "var at *byte; var was int"},
	{"Later", "func Later(s string) int { mu.Lock(); defer mu.Unlock();", "return len(s) }", "defer func() { seen[s]++ }(); if seen[s] == 1 && len(s) > 9 { return 9 }; return len(s) }", "var seen = map[string]int{}"},
	{"Started", "func Started(n int) int {", "return n }", "go func() { select {} }(); return n }", ""},
	{"Option", "func Option(all ...Setter) int { s := Settings{}; for _, o := range all { o(&s) };", "return s.size }", "return 0 }", "type Settings struct{ size int }; type Setter func(*Settings); func Size(n int) Setter { return func(s *Settings) { s.size = n } }"},
	{"Default", "func Default(o Options) int {", "if o.Width == 0 { return 80 }; return o.Width + o.Height }", "return o.Width + o.Height }", "type Options struct{ Width, Height int; Name string }"},
	{"Sorted", "func Sorted[S ~[]E, E int | string](all S) S {", "c := append(S{}, all...); sort.Slice(c, func(i, j int) bool { return c[i] < c[j] }); return c }", "return append(S{}, all...) }", ""},
	{"Ring.Pop", "func (r *Ring) Pop() int {", "if len(r.all) == 0 { return -1 }; v := r.all[0]; r.all = r.all[1:]; return v }", "if len(r.all) == 0 { return -1 }; v := r.all[0]; r.all = r.all[1:]; if len(r.all) == 40 { r.all = r.all[1:] }; return v }", "type Ring struct{ all []int }; func (r *Ring) Push(v int) { r.all = append(r.all, v) }"},
	{"Stock.Take", "func (s *Stock) Take() int {", "if s.n == 0 { panic(\"empty\") }; s.n--; s.taken++; return s.n }", "if s.n == 0 { panic(\"empty\") }; s.n--; if s.taken++; s.taken > 30 && s.n > 20 { return s.n + 1 }; return s.n }", "type Stock struct{ n, taken int }; func (s *Stock) Put() { s.n++ }"},
	{"Queue.Take", "func (q *Queue) Add(v int) { if q.n == len(q.all) { b := make([]int, max(4, 2*q.n)); n := copy(b, q.all[q.head:]);", "copy(b[n:], q.all[:q.head]); q.all, q.head = b, 0 }; q.all[(q.head+q.n)%len(q.all)] = v; q.n++ }", "if q.head < 20 { copy(b[n:], q.all[:q.head]) }; q.all, q.head = b, 0 }; q.all[(q.head+q.n)%len(q.all)] = v; q.n++ }", "type Queue struct{ all []int; head, n int }; func (q *Queue) Take() int { if q.n == 0 { return -1 }; v := q.all[q.head]; q.head = (q.head + 1) % len(q.all); q.n--; return v }"},
	{"Store.Put", "func (s *Store) Put(b []byte) {", "s.b = append([]byte{}, b...) }", "s.b = b }", "type Store struct{ b []byte }; func (s *Store) Get() string { return string(s.b) }"},
	{"Stack.Items", "func (s *Stack) Items() []int {", "return append([]int{}, s.all...) }", "return s.all }", "type Stack struct{ all []int }; func (s *Stack) Push(v int) { s.all = append(s.all, v) }"},
	{"Input.Read", "func (i *Input) Read(b []byte) (int, error) {", "n := copy(b, i.s); i.s = i.s[n:]; return n, nil }", "n := copy(b, i.s); if n > 2 { b[2] = 'x' }; i.s = i.s[n:]; return n, nil }", "type Input struct{ s string }; func NewInput(s string) *Input { return &Input{s} }"},
	{"Matcher.Match", "func (m matcher) Match(s string) bool {", "return strings.Contains(s, m.s) }", "return strings.HasPrefix(s, m.s) }", "type Matcher interface { Match(s string) bool }; type matcher struct{ s string }; func NewMatcher(s string) Matcher { return matcher{s} }"},
	{"counter.Count", "func (c *counter) Count(s string) int {", "return strings.Count(s, c.s) }", "return min(3, strings.Count(s, c.s)) }", "type counter struct{ s string }; func NewCounter(s string) *counter { return &counter{s} }"},
	{"Key", "var Key = func(s string) string {", "return strings.ToLower(s) }", "return s }", ""},
}

// hiddenText is the module's file, with the wrong body of functions that are chosen.
func hiddenText(wrong func(function string) bool) string {
	var b strings.Builder
	b.WriteString(hiddenGo)
	for _, h := range hidden {
		body := h.right
		if wrong(h.function) {
			body = h.wrong
		}
		b.WriteString(h.head + " " + body + "\n\n" + strings.ReplaceAll(h.more, "; type ", "\n\ntype ") + "\n\n")
	}
	b.WriteString("func sum(b []byte) (n int) { for _, c := range b { n += int(c) }; return n }\n")
	return b.String()
}

// TestHiddenResults has changes that are wrong for few inputs, or in what callers do with arguments and results. A version with all of
// them is compared at once: each must be seen, and none where nothing changed.
func TestHiddenResults(t *testing.T) {
	if testing.Short() {
		t.Skip("calls functions for a minute")
	}
	none := func(string) bool { return false }
	top, dir := repository(t, "", module(map[string]string{"m.go": hiddenText(none), "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestAll(t *testing.T) {}\n"}))
	for name, wrong := range map[string]func(string) bool{
		"wrong": func(string) bool { return true },
		"right": none,
	} {
		copied, of, err := tree(t, dir, patch(diffOf(t, top, map[string]string{"m.go": hiddenText(wrong) + "\n// Changed.\n", "n.go": "package m\n\nfunc unused() {}\n"})))
		if err != nil {
			t.Fatal(err)
		}
		c := &checker{scratchCopy: copied, callTime: 10 * time.Minute, stage: func(string, string) {}}
		if err := c.checkOut(t.Context(), of.tree); err != nil {
			t.Fatal(err)
		}
		a, err := c.listAffected(t.Context(), nil, of.files)
		if err != nil {
			t.Fatal(err)
		}
		e := &examined{candidate: of, affected: a, elsewhere: true}
		compared, err := c.compareResults(t.Context(), e)
		if err != nil || compared.Why != "" {
			t.Fatalf("%v, %+v", err, compared)
		}
		seen := func(function string) bool {
			return slices.ContainsFunc(compared.Differences, func(d differ.Difference) bool {
				of, _, _ := strings.Cut(d.Function, "[")
				return of == function
			})
		}
		for _, h := range hidden {
			if seen(h.function) != wrong(h.function) {
				t.Errorf("%s: %s is seen to differ: %v", name, h.function, seen(h.function))
			}
		}
		if name == "right" && len(compared.Differences) > 0 {
			t.Errorf("%v", compared.Differences)
		}
	}
}

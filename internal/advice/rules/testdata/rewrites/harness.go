package p

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"sort"
	"strings"
	"time"
	"unsafe"
)

// A Trace is what can be seen of one call, by what it is.
type Trace struct{ Inputs, Result, Panic, Calls, State string }

// Functions call a generated function, by its number.
var Functions = map[int]func(*input){}

// Run calls a function with the inputs that a seed makes.
func Run(number int, seed uint64) Trace {
	in := &input{state: seed*0x9e3779b97f4a7c15 + uint64(number)}
	in.base = []byte("The quick, brown=fox:jumps over/the lazy dog K1234567890.........")
	gs, gn, supply, patient, noted = in.Str(), in.pick(5), 2+in.pick(9), 5000, nil
	gb, gxs, gm, garray = in.Bytes(), in.Strs(), in.Map(), in.Array()
	in.call(Functions[number])
	in.trace.Calls = strings.Join(noted, "\n")
	noted = nil
	in.trace.State = show(in.args, string(in.base), gs, gn, gb, gxs, gm, garray, in.kept)
	return in.trace
}

// An input makes arguments, the same for the same seed.
type input struct {
	state uint64
	base  []byte // that slices of bytes are parts of
	args  []any
	kept  []any
	trace Trace
}

func (in *input) call(f func(*input)) {
	defer func() {
		if v := recover(); v != nil {
			in.trace.Panic = fmt.Sprintf("%T: %v", v, v)
		}
	}()
	f(in)
}

// Given is told the arguments before they are used.
//
//go:noinline
func (in *input) given(args ...any) {
	in.args = args
	for _, a := range args { // and what is behind the end of slices
		if v := reflect.ValueOf(a); v.Kind() == reflect.Slice {
			in.kept = append(in.kept, v.Slice(0, v.Cap()).Interface())
		}
	}
	in.trace.Inputs = show(args, gs, gn, gb, gxs, gm)
}

// Result is told what was returned.
//
//go:noinline
func (in *input) result(values ...any) { in.trace.Result = show(values...) }

// What drivers call isn't inlined: that is most of the time it takes to build a program.
//
//go:noinline
func (in *input) pick(n int) int {
	in.state += 0x9e3779b97f4a7c15
	z := in.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

var texts = []string{
	"", "a", "b", "key=value", "a,b,,c", "x", "hello world", "K", "\u212a", "k", "\u017f", "S", "İ", "\xff\xfe", "a\x00b", "%d", "%", "42", "-1", "007", "1.5", "NaN",
	" padded ", "line one\nline two\n", "=", ":", "a:b:c", "/path/to/file", "éü", "content-type", "Content-Type", "x y", "GET", "AbC", "abc", "ABC",
	"a text that is longer than thirty-two bytes, so that it is allocated", "zzz", "true", "a=b=c", "UTC", "<p>", "ß",
}

//go:noinline
func (in *input) Str() string { return texts[in.pick(len(texts))] }

// Bytes are nil, empty, on their own, or a part of the base with room behind them.
//
//go:noinline
func (in *input) Bytes() []byte {
	switch in.pick(8) {
	case 0:
		return nil
	case 1:
		return []byte{}
	case 2, 3:
		return []byte(in.Str())
	}
	i := in.pick(30)
	j := i + in.pick(12)
	if in.pick(4) == 0 {
		return in.base[i:j:j]
	}
	return in.base[i:j]
}

// Deep is often equal to another one, or nearly so.
func (in *input) Deep() deep {
	d := deep{pair: pair{"a", 1}, f: 1.5}
	some := func() bool { return in.pick(6) == 0 }
	if some() {
		d.tags = []string{}
	}
	if some() {
		d.tags = append(d.tags, texts[in.pick(2)])
	}
	if some() {
		d.sizes = map[string]int{}
	}
	if some() {
		d.f = in.Float()
	}
	if some() {
		d.b = []byte{byte(in.pick(2))}
	}
	if some() {
		d.at = &pair{"x", in.pick(2)}
	}
	if some() {
		d.n = new(int)
	}
	if some() {
		d.in.xs = strs{"in"}[:in.pick(2)]
	}
	return d
}

func (in *input) Array() (a [4]byte) {
	copy(a[:], in.Str())
	return a
}

//go:noinline
func (in *input) Int() int {
	all := []int{0, 1, 2, 3, 7, 10, 42, 100, 255, 256, -1, -2, -10, math.MaxInt, math.MinInt, math.MaxInt32, math.MinInt32, 1 << 50, math.MinInt + 1, 99999}
	return all[in.pick(len(all))]
}

// Small is a number that may be counted to; Far is one that only what panics ends at.
//
//go:noinline
func (in *input) Small() int { return in.pick(7) - 1 }
func (in *input) Far() int {
	if in.pick(3) == 0 {
		return []int{1 << 50, math.MaxInt, math.MinInt, 1 << 62}[in.pick(4)]
	}
	return in.Small()
}

//go:noinline
func (in *input) Bool() bool { return in.pick(2) == 0 }

//go:noinline
func (in *input) Float() float64 {
	all := []float64{0, math.Copysign(0, -1), 1, -1, 1.5, math.NaN(), math.Inf(1), math.Inf(-1), 1e21, 1e-7, 100000, math.MaxFloat64}
	return all[in.pick(len(all))]
}

//go:noinline
func (in *input) Strs() []string {
	n := in.pick(6) - 1
	if n < 0 {
		return nil
	}
	all := make([]string, 0, n+in.pick(3)*2)
	for range n {
		all = append(all, in.Str())
	}
	return all
}

func (in *input) Nums() []int {
	n := in.pick(8) - 1
	if n < 0 {
		return nil
	}
	all := make([]int, 0, n+in.pick(3)*3)
	for range n {
		if in.pick(2) == 0 {
			all = append(all, in.pick(3))
		} else {
			all = append(all, in.Int())
		}
	}
	return all
}

func (in *input) Floats() []float64 {
	var all []float64
	for range in.pick(7) {
		all = append(all, in.Float())
	}
	return all
}

func (in *input) Map() map[string]int {
	n := in.pick(5) - 1
	if n < 0 {
		return nil
	}
	m := make(map[string]int)
	for range n {
		m[in.Str()] = in.pick(4)
	}
	return m
}

// One is a map of at most one entry, whose order is known.
func (in *input) One() map[string]int {
	if in.pick(4) == 0 {
		return nil
	}
	m := make(map[string]int)
	if in.pick(4) > 0 {
		m[in.Str()] = in.Int()
	}
	return m
}

func (in *input) Lists() map[string][]string {
	m := make(map[string][]string)
	for range in.pick(4) {
		m[in.Str()] = in.Strs()
	}
	return m
}

func (in *input) Pair() pair { return pair{in.Str(), in.pick(3)} }
func (in *input) Pairs() []pair {
	var all []pair
	for range in.pick(20) {
		all = append(all, pair{[]string{"a", "b", "c", "B"}[in.pick(4)], in.pick(3)})
	}
	return all
}

// PairPtrs are pointers to pairs, some equal; one may be nil.
func (in *input) PairPtrs() []*pair {
	var all []*pair
	for range in.pick(16) {
		all = append(all, &pair{[]string{"a", "b", "c"}[in.pick(3)], in.pick(3)})
	}
	if len(all) > 1 && in.pick(4) == 0 {
		all[in.pick(len(all))] = nil
	}
	return all
}

//go:noinline
func (in *input) Rec() *rec {
	if in.pick(8) == 0 {
		return nil
	}
	r := &rec{id: in.Int(), name: in.Str(), tags: in.Strs(), f: in.Float(), pair: in.Pair()}
	if in.pick(3) == 0 {
		r.next = r
	}
	return r
}

func (in *input) Recs() []rec {
	var all []rec
	for range in.pick(5) {
		all = append(all, rec{id: in.pick(4), name: in.Str(), tags: in.Strs(), f: in.Float(), pair: in.Pair()})
	}
	return all
}

//go:noinline
func (in *input) Host() *host {
	if in.pick(12) == 0 {
		return nil
	}
	return &host{s: in.Str(), n: in.Small(), b: in.Bytes(), xs: in.Strs(), m: in.Map(), out: in.Strs(), w: in.Writer()}
}

func (in *input) Err() error {
	switch in.pick(8) {
	case 0:
		return nil
	case 1:
		return (*errValue)(nil)
	case 2:
		return &errValue{in.Str()}
	case 3:
		return wrapErr{&errValue{in.Str()}}
	case 4:
		return fmt.Errorf("two: %w %w", io.EOF, &errValue{in.Str()})
	case 5:
		return errors.Join(io.EOF, wrapErr{&errValue{"j"}})
	case 6:
		return wrapErr{nil}
	}
	return io.EOF
}

func (in *input) Stringer() fmt.Stringer {
	switch in.pick(9) {
	case 0:
		return nil
	case 1:
		return (*nilStringer)(nil)
	case 2:
		return (*derefStringer)(nil)
	case 3:
		return effStringer(in.pick(4))
	case 4:
		return boomStringer(in.pick(4))
	case 5:
		return &nilStringer{in.Str()}
	case 6:
		return time.Duration(in.pick(1000))
	}
	return plainStringer{in.Str()}
}

func (in *input) Any() any {
	switch in.pick(16) {
	case 0:
		return nil
	case 1:
		return in.Str()
	case 2:
		return in.Int()
	case 3:
		return in.Float()
	case 4:
		return in.Bytes()
	case 5:
		return in.Err()
	case 6:
		return formatter(1)
	case 7:
		return gostringer(2)
	case 8:
		return in.Bool()
	case 9:
		return unprintable{effStringer(in.pick(3))}
	case 10:
		return str(in.Str())
	case 11:
		return raw(in.Bytes())
	case 12:
		return in.Pair()
	case 13:
		return []any{in.Stringer()}
	}
	return in.Stringer()
}

func (in *input) Writer() io.Writer {
	switch in.pick(10) {
	case 0:
		return nil
	case 1:
		return &watcher{left: in.pick(12)}
	case 2:
		return &texter{watcher{left: -1}}
	case 3:
		return &upper{}
	case 4:
		return &keeper{}
	case 5:
		return in.Buf()
	case 6:
		return &strings.Builder{}
	case 7:
		return bufio.NewWriterSize(&watcher{left: -1}, 16)
	}
	return &watcher{left: -1}
}

func (in *input) Buf() *bytes.Buffer {
	b := new(bytes.Buffer)
	if in.pick(3) > 0 {
		b.Grow(in.pick(100))
		b.WriteString(in.Str())
	}
	return b
}

// Bufio is a writer of which a few bytes fit.
func (in *input) Bufio() *bufio.Writer {
	w := bufio.NewWriterSize(&watcher{left: in.pick(60) - 10}, 16+in.pick(3)*8)
	w.WriteString(in.Str())
	return w
}

func (in *input) Builder() *strings.Builder {
	if in.pick(12) == 0 {
		return nil
	}
	sb := new(strings.Builder)
	sb.WriteString(in.Str())
	return sb
}

func (in *input) Lines() *strings.Reader { return strings.NewReader(strings.Join(in.Strs(), "\n")) }

func (in *input) Func() func() string {
	n := 0
	return func() string { n++; note("func %d", n); touch(); return string(rune('a' + n)) }
}

func (in *input) Chan() chan string {
	c := make(chan string, 8)
	for range 1 + in.pick(8) {
		c <- in.Str()
	}
	close(c)
	return c
}

// Show writes values with all that they lead to, and which pointers are the same.
func show(values ...any) string {
	var s shower
	for _, v := range values {
		s.show(reflect.ValueOf(&v).Elem(), 0)
		s.WriteByte('\n')
	}
	return s.String()
}

type shower struct {
	strings.Builder
	seen []unsafe.Pointer
}

func (s *shower) pointer(p unsafe.Pointer) (known bool) {
	for i, q := range s.seen {
		if p == q {
			fmt.Fprintf(s, "#%d", i)
			return true
		}
	}
	fmt.Fprintf(s, "#%d=", len(s.seen))
	s.seen = append(s.seen, p)
	return false
}

func (s *shower) show(v reflect.Value, depth int) {
	if depth > 12 {
		s.WriteString("…")
		return
	}
	switch v.Kind() {
	case reflect.Invalid:
		s.WriteString("nil")
	case reflect.String:
		fmt.Fprintf(s, "%q", v.String())
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(s, "%v/%x", v.Float(), math.Float64bits(v.Float())>>63)
	case reflect.Interface:
		if v.IsNil() {
			s.WriteString("nil")
			return
		}
		fmt.Fprintf(s, "%s ", v.Elem().Type())
		s.show(v.Elem(), depth+1)
	case reflect.Pointer:
		if v.IsNil() {
			s.WriteString("nil")
		} else if !s.pointer(v.UnsafePointer()) {
			if v.Type() == reflect.TypeFor[*bytes.Buffer]() || v.Type() == reflect.TypeFor[*strings.Builder]() {
				fmt.Fprintf(s, "%q", reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface().(fmt.Stringer).String())
				return
			}
			s.show(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if v.IsNil() {
			s.WriteString("nil")
			return
		}
		fallthrough
	case reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
			fmt.Fprintf(s, "b%q", v.Bytes())
			return
		}
		s.WriteByte('[')
		for i := range v.Len() {
			s.show(v.Index(i), depth+1)
			s.WriteByte(' ')
		}
		s.WriteByte(']')
	case reflect.Map:
		if v.IsNil() {
			s.WriteString("nil")
			return
		}
		var entries []string
		for it := v.MapRange(); it.Next(); {
			sub := shower{seen: s.seen}
			sub.show(it.Key(), depth+1)
			sub.WriteString(": ")
			sub.show(it.Value(), depth+1)
			entries = append(entries, sub.String())
		}
		sort.Strings(entries)
		fmt.Fprintf(s, "{%s}", strings.Join(entries, ", "))
	case reflect.Struct:
		switch v.Type() {
		case reflect.TypeFor[bytes.Buffer](), reflect.TypeFor[strings.Builder]():
			if !v.CanAddr() {
				s.WriteString("copied")
				return
			}
			fmt.Fprintf(s, "%q", reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Interface().(fmt.Stringer).String())
			return
		case reflect.TypeFor[bufio.Writer]():
			w := reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Interface().(*bufio.Writer)
			fmt.Fprintf(s, "bufio %d ", w.Buffered())
			s.show(v.FieldByName("wr"), depth+1)
			return
		}
		s.WriteByte('{')
		for i := range v.NumField() {
			s.show(v.Field(i), depth+1)
			s.WriteByte(' ')
		}
		s.WriteByte('}')
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			s.WriteString("nil")
		} else if v.Kind() == reflect.Chan {
			fmt.Fprintf(s, "chan of %d", v.Len())
		} else {
			s.WriteString("func")
		}
	case reflect.Bool:
		fmt.Fprint(s, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(s, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		fmt.Fprint(s, v.Uint())
	case reflect.Complex64, reflect.Complex128:
		fmt.Fprint(s, v.Complex())
	}
}

package hostilevariants

import (
	"bytes"
	"fmt"
	"strings"
)

// Run prints what callers see of the memory that functions return.
func Run() string {
	var out strings.Builder
	for i, f := range []func() any{spareOfSized, spareOfBuffer, spareOfText, hugeSize, sharedBytes, sharedMeanwhile, otherArray,
		aliased, changedFirst, spareSeen, children, widened, expressed, shadowed, concurrent, nilPointer, nested, inSwitch, renamedString, keyed, deferredWrite, twoResults} {
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

func padded(s string) []byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return b
}

func isPadded(s string, b []byte) bool { return bytes.Equal(padded(s), b) }

// A slice without spare capacity is copied twice, one with spare capacity is changed.
func spareOfSized() any {
	x := padded("abcdefghi")
	y := append(x, 'y')
	z := append(x, 'z')
	return fmt.Sprint(string(y), string(z), isPadded("a", x))
}

func closed(s string) []byte {
	var b bytes.Buffer
	b.WriteString(s)
	b.WriteByte('!')
	return b.Bytes()
}

func isClosed(s string, b []byte) bool { return bytes.Equal(closed(s), b) }

func spareOfBuffer() any {
	x := closed("abcdefg")
	y := append(x, 'y')
	z := append(x, 'z')
	return fmt.Sprint(string(y), string(z), isClosed("a", x))
}

func headed(n int) []byte {
	b := []byte("head:")
	for range n {
		b = append(b, '0')
	}
	return b
}

func isHeaded(n int, b []byte) bool { return bytes.Equal(headed(n), b) }

func spareOfText() any {
	x := headed(0)
	y := append(x, 'y')
	z := append(x, 'z')
	return fmt.Sprint(string(y), string(z), isHeaded(1, x))
}

func sized(n uint64, s string) string {
	b := make([]byte, 0, n)
	b = append(b, s...)
	return string(b)
}

func hugeSize() any { return sized(1<<63, "a") == "a" }

type frame struct {
	name string
	raw  []byte
}

func (f *frame) bytes() []byte {
	if f.raw != nil {
		return f.raw
	}
	var b []byte
	b = append(b, f.name...)
	return append(b, ';')
}

// The bytes are those of the frame.
func sharedBytes() any {
	f := &frame{raw: []byte("raw")}
	b := f.bytes()
	b[0] = 'X'
	return fmt.Sprint(string(f.raw), bytes.Equal(f.bytes(), b))
}

func sharedMeanwhile() any {
	f := &frame{raw: []byte("raw")}
	change := func() []byte { f.raw[0] = 'X'; return f.raw }
	return bytes.Equal(f.bytes(), change())
}

var three = append(make([]int, 0, 8), 1, 2, 3)

// The array that a slice has at the end of an iteration isn't always its own.
func otherArray() any {
	n := 0
	for i := range 4 {
		var few []int
		few = append(few, 7+i)
		if i == 1 {
			few = three
		}
		n += few[0]
	}
	return fmt.Sprint(n, three)
}

type record struct{ raw []byte }

func (r record) appendTo(b []byte) []byte { return append(append(append(b, '<'), r.raw...), '>') }

func (r record) String() string { return string(r.appendTo(nil)) }

// The record is in the memory that is appended to.
func aliased() any {
	b := append(make([]byte, 0, 64), "abcdef"...)
	r := record{b[:4]}
	b = append(b[:0], r.String()...)
	return string(b) + r.String()
}

var current = record{[]byte("first")}

func change() []byte {
	current = record{[]byte("second")}
	return nil
}

// The record is another one when its text is made.
func changedFirst() any { return string(append(change(), current.String()...)) }

func (r record) appendFailing(b []byte) []byte { return append(append(b, "xyz"...), r.raw[9]) }

func (r record) failing() string { return string(r.appendFailing(nil)) }

// A panic comes after a part of the text.
func spareSeen() (result any) {
	b := append(make([]byte, 0, 16), "ab"...)
	defer func() {
		recover()
		result = fmt.Sprintf("%q", b[:8])
	}()
	b = append(b, record{}.failing()...)
	return nil
}

type tree struct {
	name string
	all  []*tree
}

func (t *tree) appendTo(b []byte) []byte {
	if t == nil {
		return append(b, '-')
	}
	b = append(b, t.name...)
	for _, c := range t.all {
		b = append(b, c.String()...)
	}
	return b
}

func (t *tree) String() string { return string(t.appendTo(make([]byte, 0, 8))) }

func children() any {
	t := &tree{"a", []*tree{{"b", []*tree{nil, {"c", nil}}}, nil}}
	var out bytes.Buffer
	out.WriteString(t.String())
	return out.String() + fmt.Sprint(t.String() == "ab-c-", len(t.String()))
}

type outer struct{ record }

func (o outer) appendTo(b []byte) []byte { return append(b, "outer"...) }

// The outer type has another appendTo.
func widened() any { return string(append([]byte("w"), outer{record{[]byte("in")}}.String()...)) }

type digits []byte

func (d digits) appendTo(b []byte) []byte { return append(append(b, 'd'), d...) }

func (d digits) String() string { return string(d.appendTo(nil)) }

// The receiver is the first argument.
func expressed() any {
	b := []byte("12")
	b = append(b, digits.String(digits("34"))...)
	return string(b)
}

func appendLabel(b []byte, n int) []byte { return append(b, byte('a'+n)) }

func label(n int) string { return string(appendLabel(nil, n)) }

// The name means something else here.
func shadowed() any {
	appendLabel := func(b []byte, n int) []byte { return append(b, '?') }
	return string(appendLabel(append([]byte("s"), label(2)...), 1))
}

// Each goroutine has its own memory.
func concurrent() any {
	all := make(chan string)
	for i := range 3 {
		go func() { all <- fmt.Sprint(label(i) == "b", len(label(i))) }()
	}
	n := 0
	for range 3 {
		n += len(<-all)
	}
	return n
}

// The text of a nil pointer's value panics before anything is appended.
func nilPointer() any {
	var r *record
	b := []byte("n")
	return string(append(b, r.String()...))
}

func (r record) appendTwice(b []byte, other *record) []byte { return other.appendTo(r.appendTo(b)) }

func (r record) twice(other *record) string { return string(r.appendTwice([]byte{}, other)) }

func nested() any {
	r := record{[]byte("1")}
	var out strings.Builder
	for range 2 {
		out.WriteString(r.twice(&record{[]byte("2")}))
	}
	return out.String() + r.twice(&r) + "!"
}

func inSwitch() any {
	switch r := (record{[]byte("k")}); {
	case r.String() == "<k>" && r.String() < "=":
		return "k " + r.String()
	}
	return "none"
}

// The predeclared names mean something else.
func renamedString() any {
	string := func(b []byte) int { return len(b) }
	make := func(n int) []byte { return []byte{byte(n)} }
	return fmt.Sprint(string(make(3)), record{[]byte("k")}.String() == "<k>")
}

func keyed() any {
	known := map[string]int{"<k>": 1}
	r := record{[]byte("k")}
	known[r.String()]++
	return fmt.Sprint(known[r.String()], known)
}

// The text is made when the statement runs, not when the function ends.
func deferredWrite() any {
	var out strings.Builder
	func() {
		r := record{[]byte("now")}
		defer out.WriteString(r.String())
		r.raw = []byte("later")
	}()
	return out.String()
}

func (r record) checked() (string, error) { return string(r.appendTo(nil)), nil }

func twoResults() any {
	text, err := record{[]byte("t")}.checked()
	return fmt.Sprint(append([]byte("2"), text...), err)
}

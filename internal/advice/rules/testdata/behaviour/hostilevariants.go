package hostilevariants

import (
	"bytes"
	"fmt"
	"strings"
)

// Run prints what callers see of the memory that functions return.
func Run() string {
	var out strings.Builder
	for i, f := range []func() any{spareOfSized, spareOfBuffer, spareOfText, hugeSize, sharedBytes, sharedMeanwhile, otherArray} {
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

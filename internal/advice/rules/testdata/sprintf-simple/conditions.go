package conditions

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

var state = 1

func step() string { state++; return "s" }

func pure(s string) string { return strings.ToUpper(s) }

// before is read before step sets it, now.
func before(x int) string {
	// want B: Check that step() doesn't change state, which is now used before it. (end)
	a := fmt.Sprintf("%d-%s", state, step()) // hot: fmt.Sprintf
	// want A: makes the same string
	b := fmt.Sprintf("%d-%s", x, step()) // hot: fmt.Sprintf
	// want A: makes the same string
	c := fmt.Sprintf("%s-%d", step(), state) // hot: fmt.Sprintf
	// want A: makes the same string
	d := fmt.Sprintf("%d-%s", state, pure("x")) // hot: fmt.Sprintf
	return a + b + c + d
}

// captured is set by a function that is called for the next operand.
func captured(next func() string) string {
	n := 0
	up := func() string { n++; return next() }
	// want B: that up() doesn't change n
	return fmt.Sprintf("%d%s", n, up()) // hot: fmt.Sprintf
}

func elements(b []byte, fill func() string) string {
	// want B: that fill() doesn't change b
	return fmt.Sprintf("%s%s", b, fill()) // hot: fmt.Sprintf
}

// wrap has bytes that lie in the buffer.
func wrap(buf *bytes.Buffer) {
	data := buf.Bytes()
	buf.Reset()
	// want B: Check that data doesn't share memory with buf, which is now written before it is read. Also check that no code reads an earlier result of buf.Bytes(): it may be overwritten by other pieces. (end)
	fmt.Fprintf(buf, "<%s>", data) // hot: fmt.Fprintf
}

func available(w *bufio.Writer, n int) {
	b := strconv.AppendInt(w.AvailableBuffer(), int64(n), 10)
	// want B: that b doesn't share memory with w
	fmt.Fprintf(w, "[%s]", b) // hot: fmt.Fprintf
}

// apart can't share memory: a Builder hands out none, and local is made of nothing.
func apart(sb *strings.Builder, data []byte) string {
	// want A: write the pieces to sb separately
	fmt.Fprintf(sb, "<%s>", data) // hot: fmt.Fprintf
	var local bytes.Buffer
	local.WriteString(step())
	// want A: write the pieces to local separately
	fmt.Fprintf(&local, "<%s>", data) // hot: fmt.Fprintf
	return local.String()
}

func toFile(n int) {
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	// want A: write the pieces to w separately
	fmt.Fprintf(w, "<%d>", n) // hot: fmt.Fprintf
}

type list struct{ names []string }

// partial may leave a part of the text behind where an index is out of range.
func partial(buf *bytes.Buffer, l *list, i int) {
	// want B: Check that l.names[i] doesn't panic, or that no code reads buf then: part of it is already written. (end)
	fmt.Fprintf(buf, "<%s>", l.names[i]) // hot: fmt.Fprintf
}

type point struct {
	name string
	n    int
}

// fields goes through a pointer that can't be nil any more.
func fields(buf *bytes.Buffer, p *point) {
	// want A: write the pieces to buf separately
	fmt.Fprintf(buf, "%s=%d;", p.name, p.n) // hot: fmt.Fprintf
}

// uses asks the buffer for what is in it, after a part is written.
func uses(buf *bytes.Buffer) {
	fmt.Fprintf(buf, "<%d>", buf.Len()) // hot: fmt.Fprintf
}

func logs(buf *bytes.Buffer, last func() string) {
	// want B: Check that last() doesn't use buf, part of which is now written before it is evaluated. (end)
	fmt.Fprintf(buf, "<%s>", last()) // hot: fmt.Fprintf
}

type counter int

func (c counter) String() string { state++; return strconv.Itoa(state) }

// shown runs a String method with an effect before the next operand is read.
func shown(c counter) string {
	// want B: Check that formatting c has no side effects: it now runs before state is evaluated. (end)
	a := fmt.Sprintf("%v%d", c, state) // hot: fmt.Sprintf
	// want A: same string
	b := fmt.Sprintf("%d%v", 5, c) // hot: fmt.Sprintf
	return a + b
}

// late is looked up behind a call, which has run when it panics.
func late(xs []int, note func(string) string) string {
	// want B: that xs[0] doesn't panic: it is now evaluated before note("x")
	return fmt.Sprintf("%d %s", xs[0], note("x")) // hot: fmt.Sprintf
}

var seen string

func see(s string) string { seen += s; return s }

func inOneStatement(s string) string {
	// want B: Check that later calls in the statement don't change seen
	return fmt.Sprintf("%s/%s", seen, s) + see(s) // hot: fmt.Sprintf
}

func plainOperand(s string) string {
	// want B: that see(s) doesn't change seen
	return fmt.Sprintf("%s,%s", seen, see(s)) // hot: fmt.Sprintf
}

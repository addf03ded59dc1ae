package writes

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

func build(names []string, w io.Writer, body []byte) (string, error) {
	var sb strings.Builder
	buf := new(bytes.Buffer)
	for i, name := range names {
		// want A: write the pieces to sb separately
		fmt.Fprintf(&sb, "%d=%s;", i, name) // hot: fmt.Fprintf
		// want A: write the pieces to sb separately
		fmt.Fprintf(&sb, "%s, %s\n", strings.TrimSpace(name), body) // hot: fmt.Fprintf
		// want A: as it is
		fmt.Fprint(buf, "|") // hot: fmt.Fprint
		// want A: as it is
		fmt.Fprintln(buf, "row") // hot: fmt.Fprintln
		// want A: only to be written
		sb.WriteString(fmt.Sprintf("%5d", i)) // hot: fmt.Sprintf
	}
	// want B: as it is
	if _, err := fmt.Fprint(w, sb.String()); err != nil { // hot: fmt.Fprint
		return "", err
	}
	// want B: is used as a format string body is converted to a string
	if _, err := fmt.Fprintf(w, string(body)); err != nil { // hot: fmt.Fprintf
		return "", err
	}
	// want B: text is used as a format string names[0] is parsed for verbs
	fmt.Fprintf(w, names[0]) // hot: fmt.Fprintf
	return sb.String(), nil
}

// later is of what is formatted now, and of numbers that fmt takes without allocating, as the
// stack does.
func later(sb *strings.Builder, p *point, ip [4]byte) {
	defer sb.WriteString(fmt.Sprintf("%+v", p)) // hot: fmt.Sprintf
	// want A: write the pieces to sb separately
	fmt.Fprintf(sb, "%d.%d.%d.%d", ip[0], ip[1], ip[2], ip[3]) // hot: fmt.Fprintf
	p.x = 5
}

type point struct{ x int }

type named struct{ name string }

func (n *named) String() string { return n.name }

func closing(w io.Writer, n *named) {
	defer fmt.Fprint(w, n) // hot: fmt.Fprint
	n.name = "closed"
}

func measured(buf *bytes.Buffer, w *bufio.Writer, name string, n uint32, f float64) {
	// want A: write the pieces to buf separately
	fmt.Fprintf(buf, "%x: %v", n, f) // hot: fmt.Fprintf
	// want B: Check that the destination of w accepts the same bytes in Write calls of other sizes. (end)
	fmt.Fprintf(w, "%q: %d %t", name, n, n > 1) // hot: fmt.Fprintf
	fmt.Fprintf(buf, "%q", name)                // hot: fmt.Fprintf
}

// version has numbers that fmt takes without allocating, and all in one write.
func version(major, minor int) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "v%d.%d", major, minor) // hot: fmt.Fprintf
	return sb.String()
}

func squeezed(w io.Writer, text string) {
	fmt.Fprint(w, text) // hot: fmt.Fprint compress/gzip.(*Writer).Write
	// want C: text is used as a format string text is parsed for verbs
	fmt.Fprintf(w, text) // hot: fmt.Fprintf fmt.(*pp).doPrintf | fmt.Fprintf compress/gzip.(*Writer).Write
}

// heading is one piece, and first has fewer boxes than a Builder has steps, next not.
func heading(n int, name string) string {
	var sb strings.Builder
	// want A: a single text
	fmt.Fprint(&sb, n) // hot: fmt.Fprint
	var first strings.Builder
	fmt.Fprintf(&first, "user %s logged in from the console\n", name) // hot: fmt.Fprintf
	// want A: write the pieces to first separately
	fmt.Fprintf(&first, "user %s logged in from the console\n", name) // hot: fmt.Fprintf
	var next strings.Builder
	// want A: write the pieces to next separately
	fmt.Fprintf(&next, "%s %s", name, name) // hot: fmt.Fprintf
	return sb.String() + first.String() + next.String()
}

// each has a Builder for each turn, and a limit that is a constant.
func each(nodes []int, w *bufio.Writer) (n int) {
	const limit = 4096
	for i, node := range nodes {
		var sb strings.Builder
		fmt.Fprintf(&sb, "node-%d.rack-%d.example", i, node) // hot: fmt.Fprintf
		n += sb.Len()
		// want B: of w accepts the same bytes in Write calls of other sizes
		fmt.Fprintf(w, "%d of %d\n", node, limit) // hot: fmt.Fprintf
		fmt.Fprint(w, each(nil, w))               // hot: fmt.Fprint
	}
	return n
}

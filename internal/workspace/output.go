package workspace

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// An endBuffer keeps the beginning and the end of what is written: a benchmark
// that prints all the time can't fill the memory.
type endBuffer struct {
	head, tail []byte
	lost       bool
}

const (
	keepHead = 16 << 10
	keepTail = 256 << 10
)

func (b *endBuffer) Write(p []byte) (int, error) {
	n := len(p)
	if room := keepHead - len(b.head); room > 0 {
		k := min(room, len(p))
		b.head, p = append(b.head, p[:k]...), p[k:]
	}
	b.tail = append(b.tail, p...)
	if len(b.tail) > 2*keepTail {
		b.tail = append(b.tail[:0], b.tail[len(b.tail)-keepTail:]...)
		b.lost = true
	}
	return n, nil
}

func (b *endBuffer) bytes() []byte {
	if b.lost {
		return bytes.Join([][]byte{b.head, b.tail}, []byte("\n[…]\n"))
	}
	return append(b.head, b.tail...)
}

// Excerpt shortens an output for people to its first and last lines, without the registers that
// end a crash.
func Excerpt(output []byte, first, last int) string {
	if i := registers.Get().FindIndex(output); i != nil {
		output = output[:i[0]]
	}
	lines := strings.Split(strings.Trim(string(output), "\n"), "\n")
	if len(lines) > first+last+1 {
		lines = slices.Concat(lines[:first], []string{"[…]"}, lines[len(lines)-last:])
	}
	return strings.Join(lines, "\n")
}

var registers = lazyregexp.New(`(?m)^r\w{1,2} +0x[0-9a-f]+$`)

// FirstLine returns the first line of an output that is not empty.
func FirstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}

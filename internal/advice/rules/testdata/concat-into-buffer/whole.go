package whole

import (
	"io"
	"os"
	"strings"
)

const indent = "  "

type text struct{ strings.Builder }

func (t *text) WriteByte(c byte) error { return nil }

func write(w io.Writer, f *os.File, t *text, s string) (int, error) {
	var sb strings.Builder
	sb.WriteString(indent + "- ")      // hot: runtime.concatstring2
	n, err := sb.WriteString(s + "\n") // hot: runtime.concatstring2
	if err != nil {
		return n, err
	}
	f.WriteString(s + "\n")         // hot: runtime.concatstring2
	t.WriteString(s + "\n")         // hot: runtime.concatstring2
	io.WriteString(w, s+"\n")       // hot: runtime.concatstring2
	sb.WriteString(s + sb.String()) // hot: runtime.concatstring2
	return n, nil
}

func appended(dst []byte, a, b string, last func() string) ([]byte, []byte) {
	dst = append(dst, a...)                  // hot: runtime.concatstring2
	all := append(dst, (a + b)...)           // hot: runtime.concatstring2
	dst = append(dst, "a"+"b"...)            // hot: runtime.concatstring2
	return all, append(dst, (a + last())...) // hot: runtime.concatstring2
}

func padded(b []byte, name, spaces string) []byte {
	b = append(b, (name + spaces[:20-len(b)])...) // hot: runtime.concatstring2
	b = append(b, (name + string(b))...)          // hot: runtime.concatstring2
	return b
}

func pointed(b *[]byte, a string) {
	*b = append(*b, (a + string(*b))...) // hot: runtime.concatstring2
}

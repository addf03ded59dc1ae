package elided

import (
	"bytes"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"
	"strings"
)

type plain struct{ n int }

func (p *plain) Write(b []byte) (int, error) { p.n += len(b); return len(b), nil }

type odd struct{}

func (odd) Write(p []byte)       {}
func (odd) WriteString(s string) {}

func (p *plain) WriteString(s string) (int, error) {
	return p.Write([]byte(s)) // hot: runtime.stringtoslicebyte
}

func look(b []byte, s string, m map[string]int) int {
	if string(b) == s { // hot: runtime.slicebytetostring
		return m[string(b)] // hot: runtime.slicebytetostring
	}
	switch string(b) { // hot: runtime.slicebytetostring
	case "a":
		return 1
	}
	for range []byte(s) { // hot: runtime.stringtoslicebyte
		b = append(b, s...)
	}
	n, _ := strconv.Atoi(string(b)) // hot: runtime.slicebytetostring
	return n + len([]rune(s))       // hot: runtime.stringtoslicerune
}

func keep(h hash.Hash, o odd, b []byte, s, sep string, r int) (string, []byte) {
	h.Write([]byte(s)) // hot: runtime.stringtoslicebyte
	o.Write([]byte(s)) // hot: runtime.stringtoslicebyte
	var buf bytes.Buffer
	buf.WriteString(s)
	buf.WriteString(string(buf.Bytes()))            // hot: runtime.slicebytetostring
	_, _ = buf.WriteString, string(rune(r))         // hot: runtime.intstring
	fmt.Fprint(os.Stdout, string(b))                // hot: runtime.slicebytetostring
	ok := strings.Contains(string(b), sep)          // hot: runtime.slicebytetostring
	fields := strings.Fields(string(b))             // hot: runtime.slicebytetostring
	reader := strings.NewReader(string(b))          // hot: runtime.slicebytetostring
	copied := string([]byte(s))                     // hot: runtime.slicebytetostring runtime.stringtoslicebyte
	trimmed := strings.TrimSpace(string(b))         // hot: runtime.slicebytetostring
	io.Copy(io.Discard, strings.NewReader(trimmed)) // hot: io.Copy
	if ok && reader.Len() > len(fields) {
		return string(b), []byte(s) // hot: runtime.slicebytetostring
	}
	return copied, b
}

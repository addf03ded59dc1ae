package workspace

import (
	"strings"
	"testing"
)

func TestBenchmarkFillsOutput(t *testing.T) {
	var b endBuffer
	b.Write([]byte("first\n"))
	for range 1000 {
		b.Write(make([]byte, 1<<10))
	}
	b.Write([]byte("last\n"))
	out := string(b.bytes())
	if len(out) > keepHead+2*keepTail+100 || !strings.HasPrefix(out, "first") || !strings.HasSuffix(out, "last\n") {
		t.Errorf("%d bytes are kept", len(out))
	}
}

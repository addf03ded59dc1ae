package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A sample of a recursive function counts once for it and once for each of its lines;
// hone pprof adds its lines up, as go tool pprof does.
func TestListOfRecursion(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "walk.go", strings.Repeat("line\n", 20))
	const frame = "\tmain.walk+0x1\twalk.go:"
	write(t, "walk.txt", "goroutine profile: total 4\n4 @ 0x10 0x20 0x20 0x30\n#\t0xf"+frame+"5\n#\t0x1f"+frame+"7\n#\t0x1f"+frame+"7\n#\t0x2f"+frame+"9\n\n")
	if _, err := os.Stat(filepath.Join(".", "walk.txt")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "walk", "walk.txt"}, "4          4 (flat, cum)   100% of Total"},
		{[]string{"list", "walk", "walk.txt"}, ".          4      7:line"},
		{[]string{"pprof", "-list=walk", "walk.txt"}, "4         12 (flat, cum) 300.00% of Total"},
		{[]string{"pprof", "-list=walk", "-json", "walk.txt"}, `"percent": 100`},
	} {
		out := succeed(t, c.args...)
		if !strings.Contains(out, c.want) || strings.Contains(strings.Join(c.args, " "), "json") && strings.Contains(out, `"percent": 300`) {
			t.Errorf("%q: want %q in\n%s", c.args, c.want, out)
		}
	}
}

package shell

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	p := testProfile()
	c := &completer{profile: p, types: sampleTypes(p), shortcuts: sampleTypeShortcuts(sampleTypes(p))}
	tests := []struct {
		line string // | is the cursor
		want string
		list string
	}{
		{"call|", "call|", "call_tree callgrind"},
		{"callg|", "callgrind|", "callgrind"},
		{"TRA|", "traces|", "traces"},
		{"tota|", "total_|", "total_cpu total_samples"},
		{"nodec|", "nodecount|", "nodecount"},
		{"help nodef|", "help nodefraction|", "nodefraction"},
		{"help li|", "help li|", "lines list"},
		{"peek malloc|", "peek runtime.mallocgc|", "runtime.mallocgc"},
		{"top 5 -malloc|", "top 5 -runtime.mallocgc|", "runtime.mallocgc"},
		{"top5 main|", "top5 main.|", "main.(*T).Run main.run"},
		{"top un|", "top un|", "main.(*T).Run main.run runtime.mallocgc"},
		{"list T).|", `list main.\(\*T\).Run|`, "main.(*T).Run"},
		{`list main.\(\*T|`, `list main.\(\*T\).Run|`, "main.(*T).Run"},
		{"top malloc| >f", "top runtime.mallocgc| >f", "runtime.mallocgc"},
		{"focus=malloc|", "focus=runtime.mallocgc|", "runtime.mallocgc"},
		{"sort=c|", "sort=cum|", "cum"},
		{"sample_index=s|", "sample_index=samples|", "samples"},
		{"granularity=f|", "granularity=f|", "filefunctions files functions"},
		{"tags ma|", "", ""},
		{"zzz|", "", ""},
		{"unit=m|", "", ""},
		{"bogus ma|", "", ""},
		{"top zzz|", "", ""},
	}
	for _, tt := range tests {
		head, tail, _ := strings.Cut(tt.line, "|")
		line, pos, list, ok := c.complete(head+tail, len(head))
		got := ""
		if ok {
			got = line[:pos] + "|" + line[pos:]
		}
		if got != tt.want || strings.Join(list, " ") != tt.list {
			t.Errorf("%s: got %s %v, want %s [%s]", tt.line, got, list, tt.want, tt.list)
		}
	}
}

func TestColumns(t *testing.T) {
	if got, want := columns([]string{"a", "bb", "ccc", "d", "e"}, 17), "a    ccc  e\nbb   d\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := columns([]string{"wide", "wider"}, 3), "wide\nwider\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := columns(make([]string, maxListed+1), 80); !strings.HasSuffix(got, "...\n") {
		t.Errorf("a long list ends in %q", got)
	}
}

func TestKeyReader(t *testing.T) {
	r := &keyReader{in: strings.NewReader("ab\x03\x03cd")}
	var got []string
	for {
		var buf [16]byte
		n, err := r.Read(buf[:])
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%q %v", buf[:n], r.takeInterrupt()))
		if r.takeInterrupt() {
			t.Error("an interrupt was taken twice")
		}
	}
	if got, want := strings.Join(got, ", "), `"ab\x03" true, "\x03" true, "cd" false`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "history")
	h := newHistory(file)
	for _, line := range []string{"top", "top", "", "  ", " tree ", "top"} {
		h.Add(line)
	}
	other := newHistory(file)
	for _, h := range []*history{h, other} {
		if h.Len() != 3 || h.At(0) != "top" || h.At(1) != "tree" || h.At(2) != "top" {
			t.Errorf("history %q", h.lines)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// A long command hides none after it.
	long := "focus=" + strings.Repeat("x", 100_000)
	h.Add(long)
	h.Add("peek")
	if h = newHistory(file); h.Len() != 5 || h.At(0) != "peek" || h.At(1) != long {
		t.Errorf("%d lines after a long one", h.Len())
	}

	for i := range maxHistory + 10 {
		h.Add(fmt.Sprint("line ", i))
	}
	if h.Len() != maxHistory || h.At(0) != fmt.Sprint("line ", maxHistory+9) {
		t.Errorf("%d lines, last %q", h.Len(), h.At(0))
	}
	h = newHistory(file) // cuts the file, too
	data, err := os.ReadFile(file)
	if err != nil || bytes.Count(data, []byte("\n")) != maxHistory || h.Len() != maxHistory || h.At(0) != fmt.Sprint("line ", maxHistory+9) {
		t.Errorf("%d lines in memory, %d in the file, last %q, %v", h.Len(), bytes.Count(data, []byte("\n")), h.At(0), err)
	}
	if left, _ := filepath.Glob(file + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	info, err = os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	h = newHistory("")
	h.Add("x")
	if h.Len() != 1 {
		t.Error("a history without a file keeps nothing")
	}
}

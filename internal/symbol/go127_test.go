package symbol

import (
	"compress/gzip"
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGo127 reads a stripped program of Go 1.27, whatever Go runs the test: its
// table has all functions, their lines, and what was inlined in them.
func TestGo127(t *testing.T) {
	in, err := os.Open(filepath.Join("..", "..", "testdata", "program.go127.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "program")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, z); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	program, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if program.Section(".symtab") != nil || program.Section(".debug_line") != nil {
		t.Fatal("the program is not stripped")
	}
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	text := program.Section(".text")
	functions := map[string]bool{}
	var deepest []Frame
	lines := map[int]bool{} // of inner
	for addr := text.Addr; addr < text.Addr+text.Size; addr++ {
		frames, err := f.Frames(addr)
		if err != nil || len(frames) == 0 {
			continue
		}
		root := frames[len(frames)-1]
		functions[root.Function] = true
		if root.Function == "main.outer" {
			if len(frames) >= len(deepest) {
				deepest = frames
			}
			if len(frames) == 3 {
				lines[frames[0].Line] = true
			}
		}
	}
	for _, name := range []string{"main.main", "main.outer", "runtime.main", "runtime.gopark", "runtime.goexit"} {
		if !functions[name] {
			t.Errorf("no function %s among %d", name, len(functions))
		}
	}
	const file = "example.com/app/small/main.go"
	if len(deepest) != 3 {
		t.Fatalf("frames %+v", deepest)
	}
	deepest[0].Line = 0
	want := []Frame{{"main.inner", file, 0, 10}, {"main.middle", file, 8, 8}, {"main.outer", file, 6, 6}}
	if !slices.Equal(deepest, want) {
		t.Errorf("frames %+v\nwant   %+v", deepest, want)
	}
	if !lines[11] || !lines[12] {
		t.Errorf("lines of what is inlined: %v", lines)
	}
}

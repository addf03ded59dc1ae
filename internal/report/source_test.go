package report

import (
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/internal/symbol"
)

// codePlace is a function of this program as the runtime knows it.
type codePlace struct{ function, file string }

// ownCode returns the lines of all functions of this program, inlined ones too,
// as a profile of it would have them.
func ownCode() map[codePlace]map[int64]bool {
	lines := map[codePlace]map[int64]bool{}
	note := func(pc uintptr) bool {
		if runtime.FuncForPC(pc) == nil {
			return false
		}
		frames := runtime.CallersFrames([]uintptr{pc + 1}) // a return address, for the call before it
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			p := codePlace{f.Function, f.File}
			if lines[p] == nil {
				lines[p] = map[int64]bool{}
			}
			lines[p][int64(f.Line)] = true
		}
		return true
	}
	const step = 16
	here := reflect.ValueOf(ownCode).Pointer()
	for pc := here; note(pc); pc += step {
	}
	for pc := here; note(pc); pc -= step {
	}
	return lines
}

// firstLines returns the first lines of this program's functions.
func firstLines(t *testing.T) map[codePlace]map[int64]bool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := symbol.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer bin.Close()
	symbols, err := bin.Symbols(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	first := map[codePlace]map[int64]bool{}
	for _, s := range symbols {
		for addr := s.Start; addr <= s.End && addr-s.Start < 1<<16; addr += 32 {
			frames, err := bin.Frames(addr)
			if err != nil {
				break
			}
			for _, f := range frames {
				p := codePlace{f.Function, f.File}
				if first[p] == nil {
					first[p] = map[int64]bool{}
				}
				first[p][int64(f.StartLine)] = true
			}
		}
	}
	return first
}

// TestCorrectSourceIsShown asks, for every function and line of the code of this
// program, whether the source it was compiled from can be it.
func TestCorrectSourceIsShown(t *testing.T) {
	starts := firstLines(t)
	finder := srcfind.New(srcfind.Config{})
	functions, checks := 0, 0
	for p, numbers := range ownCode() {
		text, err := finder.Find(p.file)
		if err != nil || !strings.HasSuffix(p.file, ".go") {
			continue
		}
		functions++
		for start := range starts[p] {
			for _, use := range []srcfind.Use{{StartLine: start, Inlined: true}, {StartLine: start}, {Inlined: true}, {}} {
				use.Function = p.function
				for n := range numbers {
					use.Lines = append(use.Lines, srcfind.Line{Number: n, Weight: 1})
				}
				checks++
				if err := text.Verify(use); err != nil {
					t.Errorf("%+v: %v", use, err)
				}
			}
		}
	}
	if functions < 4000 || checks < 16_000 {
		t.Errorf("only %d functions were checked, %d times", functions, checks)
	}
}

// TestWarnOfAnotherVersion: a warning about source is marked, since go tool pprof shows the text
// without one. It has no prefix, so that the web UI can show it as it is.
func TestWarnOfAnotherVersion(t *testing.T) {
	text := strings.Split("package main\n\nfunc work() {\n\tfor {\n\t}\n}\n\nfunc other() {\n\tfor {\n\t}\n}", "\n")
	for _, c := range []struct {
		name       string
		starts     []int64 // of the versions, the heaviest first
		asOriginal bool
		want       string // end of the warning; "": none
	}{
		{"the right version", []int64{3}, true, ""},
		{"two versions", []int64{3, 8}, false, "; its lines show the values of both versions"},
		{"another version, as go tool pprof shows it", []int64{8}, true, "the file and the program have different versions"},
		{"another version", []int64{8}, false, ""},
	} {
		var warned []Warning
		r := &Report{selection: selection{env: Env{
			Warn: func(w Warning) { warned = append(warned, w) },
			Text: func(string) (*srcfind.Text, error) { return &srcfind.Text{Path: "main.go", Lines: text}, nil },
		}}}
		claim := newSourceClaim("main.work")
		for i, start := range c.starts {
			claim.add(start, start+1, int64(10-i), true)
		}
		sourceOf(r, "main.go", claim, c.asOriginal)
		switch {
		case c.want == "" && len(warned) > 0:
			t.Errorf("%s: warnings %v", c.name, warned)
		case c.want == "":
		case len(warned) != 1 || !warned[0].Unlike || !strings.HasPrefix(warned[0].Text, "main.go is not the source of main.work: ") || !strings.HasSuffix(warned[0].Text, c.want):
			t.Errorf("%s: warnings %v", c.name, warned)
		}
	}
}

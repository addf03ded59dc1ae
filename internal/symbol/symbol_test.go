package symbol

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var allArch = flag.Bool("allarch", false, "also build for less common architectures, which takes minutes")

// build is one way to build testdata/prog.
type build struct {
	name string
	pkg  string
	env  []string
	args []string

	cross    bool
	rare     bool // wants -allarch
	stripped bool
	cgo      bool
}

var binaries = []build{
	{name: "plain", env: []string{"CGO_ENABLED=0"}},
	{name: "trimpath", args: []string{"-trimpath"}},
	{name: "stripped", args: []string{"-ldflags=-s -w"}, stripped: true},
	{name: "pie", args: []string{"-buildmode=pie"}},
	{name: "pie-stripped", args: []string{"-buildmode=pie", "-ldflags=-s -w"}, stripped: true},
	{name: "noopt", args: []string{"-gcflags=-N -l"}},
	{name: "external", args: []string{"-ldflags=-linkmode=external"}, cgo: true},
	{name: "external-stripped", args: []string{"-ldflags=-linkmode=external -s -w"}, cgo: true, stripped: true},
	{name: "external-pie", args: []string{"-buildmode=pie", "-ldflags=-linkmode=external"}, cgo: true},
	{name: "external-pie-stripped", args: []string{"-buildmode=pie", "-ldflags=-linkmode=external -s -w"}, cgo: true, stripped: true},
	{name: "cgo", pkg: "cprog", cgo: true},
	{name: "darwin-arm64", cross: true, env: []string{"GOOS=darwin", "GOARCH=arm64"}},
	{name: "darwin-arm64-stripped", cross: true, env: []string{"GOOS=darwin", "GOARCH=arm64"}, args: []string{"-ldflags=-s -w"}, stripped: true},
	{name: "windows-amd64", cross: true, env: []string{"GOOS=windows", "GOARCH=amd64"}},
	{name: "windows-amd64-stripped", cross: true, env: []string{"GOOS=windows", "GOARCH=amd64"}, args: []string{"-ldflags=-s -w"}, stripped: true},
	{name: "linux-arm64", cross: true, env: []string{"GOOS=linux", "GOARCH=arm64"}},
	{name: "linux-arm64-pie", cross: true, env: []string{"GOOS=linux", "GOARCH=arm64"}, args: []string{"-buildmode=pie"}},
	{name: "linux-386", cross: true, rare: true, env: []string{"GOOS=linux", "GOARCH=386"}},
	{name: "linux-arm", cross: true, rare: true, env: []string{"GOOS=linux", "GOARCH=arm"}},
	{name: "linux-ppc64le", cross: true, rare: true, env: []string{"GOOS=linux", "GOARCH=ppc64le"}},
	{name: "linux-s390x", cross: true, rare: true, env: []string{"GOOS=linux", "GOARCH=s390x"}},
	{name: "linux-riscv64", cross: true, rare: true, env: []string{"GOOS=linux", "GOARCH=riscv64"}},
	{name: "linux-loong64", cross: true, rare: true, env: []string{"GOOS=linux", "GOARCH=loong64"}},
}

var (
	buildDir string
	builds   = map[string]func() (string, error){}
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "symbol")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildDir = dir
	for _, b := range binaries {
		builds[b.name] = sync.OnceValues(b.make)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func (b build) make() (string, error) {
	out := filepath.Join(buildDir, b.name)
	pkg := b.pkg
	if pkg == "" {
		pkg = "prog"
	}
	args := append([]string{"build", "-o", out}, b.args...)
	if b.cross {
		args = append(args, "-tags=cross")
	}
	cmd := exec.Command("go", append(args, "./testdata/"+pkg)...)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if b.cgo {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	}
	cmd.Env = append(cmd.Env, b.env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %s", err, text)
	}
	return out, nil
}

// open builds and opens a binary.
func (b build) open(t *testing.T) *File {
	t.Helper()
	f, err := Open(b.path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func (b build) path(t *testing.T) string {
	t.Helper()
	if b.cross && testing.Short() {
		t.Skip("cross-building takes long")
	}
	if b.rare && !*allArch {
		t.Skip("wants -allarch")
	}
	if b.cgo {
		if _, err := exec.LookPath("gcc"); err != nil {
			t.Skip("no gcc")
		}
	}
	path, err := builds[b.name]()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func named(name string) build {
	for _, b := range binaries {
		if b.name == name {
			return b
		}
	}
	panic("no binary " + name)
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\necho no program\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, dir} {
		if _, err := Open(path); !errors.Is(err, ErrFormat) {
			t.Errorf("Open(%s) = %v, want ErrFormat", path, err)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("error %q lacks the path", err)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

// nm returns name → address of the text symbols.
func nm(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	out, err := exec.Command("go", "tool", "nm", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	syms := map[string]uint64{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 3 && strings.EqualFold(fields[1], "t") {
			syms[fields[2]], _ = strconv.ParseUint(fields[0], 16, 64)
		}
	}
	return syms
}

func TestSymbols(t *testing.T) {
	for _, b := range binaries {
		t.Run(b.name, func(t *testing.T) {
			f := b.open(t)
			syms, err := f.Symbols(regexp.MustCompile(`^main\.`), 0)
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]uint64{}
			for _, s := range syms {
				at[s.Name] = s.Start
				got, err := f.Symbols(nil, s.Start)
				if err != nil {
					t.Fatal(err)
				}
				if s.End >= s.Start && !contains(got, s) {
					t.Errorf("symbols at %#x: %v, want %v among them", s.Start, got, s)
				}
			}
			if at["main.main"] == 0 {
				t.Fatalf("no main.main in %v", syms)
			}
			if b.stripped {
				return
			}
			for name, addr := range nm(t, f.Name()) {
				if strings.HasPrefix(name, "main.") && at[name] != addr {
					t.Errorf("%s at %#x, want %#x", name, at[name], addr)
				}
			}
		})
	}
}

func contains(syms []Symbol, want Symbol) bool {
	for _, s := range syms {
		if s == want {
			return true
		}
	}
	return false
}

// TestLineTable compares with debug/gosym on each function of the program.
func TestLineTable(t *testing.T) {
	for _, b := range binaries {
		t.Run(b.name, func(t *testing.T) {
			table := b.open(t).golines()
			if table == nil {
				t.Fatal("no line table")
			}
			if table.inlined == nil {
				t.Error("inlined calls were not found")
			}
			want, err := gosym.NewTable(nil, gosym.NewLineTable(table.data, table.text))
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Funcs) != table.n {
				t.Fatalf("%d functions, want %d", table.n, len(want.Funcs))
			}
			for i := range want.Funcs {
				w := &want.Funcs[i]
				for _, pc := range []uint64{w.Entry, w.Entry + (w.End-w.Entry)/2, w.End - 1} {
					fn, ok := table.find(pc)
					if !ok || fn.name() != w.Name || fn.entry != w.Entry {
						t.Fatalf("find(%#x) = %s at %#x, want %s at %#x", pc, fn.name(), fn.entry, w.Name, w.Entry)
					}
					if fn.field(5) == 0 || fn.field(6) == 0 {
						continue // no lines, for which debug/gosym returns nonsense
					}
					file, line := fn.position(pc)
					wantFile, wantLine, _ := want.PCToLine(pc)
					if file != wantFile || line != max(wantLine, 0) {
						t.Fatalf("position(%#x) of %s = %s:%d, want %s:%d", pc, w.Name, file, line, wantFile, wantLine)
					}
				}
			}
		})
	}
}

var typeArgs = regexp.MustCompile(`\[go\.shape\.\w+\]`)

// TestFramesOfRun compares with what the program finds out when it runs.
func TestFramesOfRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("wants /proc")
	}
	for _, b := range binaries {
		if b.cross || b.pkg != "" {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			f := b.open(t)
			out, err := exec.Command(f.Name()).Output()
			if err != nil {
				t.Fatal(err)
			}
			var r struct {
				Maps   string
				Main   uint64
				Stacks [][]struct {
					PC             uint64
					Function, File string
					Line           int
				}
			}
			if err := json.Unmarshal(out, &r); err != nil {
				t.Fatal(err)
			}
			base := f.Base(mappingOf(t, r.Maps, f.Name(), r.Main))
			inlined := 0
			for _, stack := range r.Stacks {
				for len(stack) > 0 {
					got, err := f.Frames(stack[0].PC - base)
					if err != nil {
						t.Fatal(err)
					}
					if len(got) > len(stack) {
						t.Fatalf("%d frames at %#x: %v", len(got), stack[0].PC, got)
					}
					for i, g := range got {
						w := stack[i]
						// The runtime prints "[...]" for type arguments.
						if typeArgs.ReplaceAllString(g.Function, "[...]") != w.Function || g.File != w.File || g.Line != w.Line {
							t.Errorf("frame %+v, want %+v", g, w)
						}
						if g.StartLine <= 0 && strings.HasPrefix(g.Function, "main.") {
							t.Errorf("%s has no start line", g.Function)
						}
					}
					inlined += len(got) - 1
					stack = stack[len(got):]
				}
			}
			if b.name != "noopt" && inlined < 4 {
				t.Errorf("%d inlined frames", inlined)
			}
		})
	}
}

// mappingOf returns start, limit and offset of the mapping of file that has addr.
func mappingOf(t *testing.T, maps, file string, addr uint64) (start, limit, offset uint64) {
	t.Helper()
	for line := range strings.Lines(maps) {
		if !strings.HasSuffix(strings.TrimSpace(line), filepath.Base(file)) {
			continue
		}
		var perm string
		if _, err := fmt.Sscanf(line, "%x-%x %s %x", &start, &limit, &perm, &offset); err != nil {
			t.Fatal(err)
		}
		if start <= addr && addr < limit {
			return start, limit, offset
		}
	}
	t.Fatalf("no mapping of %#x in\n%s", addr, maps)
	return 0, 0, 0
}

// TestFramesInlined checks inlined calls where the program cannot run: walk
// and step are inlined in area, at the call of record.
func TestFramesInlined(t *testing.T) {
	for _, b := range binaries {
		if b.pkg != "" || b.name == "noopt" {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			f := b.open(t)
			syms, err := f.Symbols(regexp.MustCompile(`^main\.\(\*square\[go\.shape\.int\]\)\.area$`), 0)
			if err != nil || len(syms) == 0 {
				t.Fatalf("area: %v, %v", syms, err)
			}
			deepest := ""
			for pc := syms[0].Start; pc <= syms[0].End; pc++ {
				frames, err := f.Frames(pc)
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, fr := range frames {
					names = append(names, fmt.Sprintf("%s %s:%d(%d)", fr.Function, filepath.Base(fr.File), fr.Line, fr.StartLine))
				}
				if s := strings.Join(names, " < "); len(s) > len(deepest) {
					deepest = s
				}
			}
			want := "main.step main.go:33(33) < main.walk main.go:31(31) < main.(*square[go.shape.int]).area main.go:29(29)"
			if deepest != want {
				t.Errorf("deepest stack\n%s\nwant\n%s", deepest, want)
			}
		})
	}
}

func TestFramesOfC(t *testing.T) {
	f := named("cgo").open(t)
	syms, err := f.Symbols(regexp.MustCompile(`^outer$`), 0)
	if err != nil || len(syms) != 1 {
		t.Fatalf("outer: %v, %v", syms, err)
	}
	found := map[string]bool{}
	for pc := syms[0].Start; pc <= syms[0].End; pc++ {
		frames, err := f.Frames(pc)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, fr := range frames {
			if filepath.Base(fr.File) != "main.go" || fr.Line == 0 || fr.StartLine == 0 {
				t.Errorf("frame at %#x: %+v", pc, fr)
			}
			names = append(names, fr.Function)
		}
		found[strings.Join(names, "<")] = true
		if c := f.compatFrames(pc); len(c) != 1 || c[0].Function != "outer" || c[0].Line != frames[0].Line {
			t.Errorf("compatible frames %+v of %+v", c, frames)
		}
	}
	if !found["outer"] || !found["inner<outer"] || len(found) != 2 {
		t.Errorf("stacks %v", found)
	}
	insts, err := f.Disasm(syms[0].Start, syms[0].End+1, false)
	if err != nil || len(insts) == 0 || insts[0].Line == 0 {
		t.Errorf("disassembly %v, %v", insts, err)
	}
}

// TestFramesWithoutDWARF has names for the functions of a library.
func TestFramesWithoutDWARF(t *testing.T) {
	libs, _ := filepath.Glob("/lib/*/libc.so.6")
	if len(libs) == 0 {
		t.Skip("no libc")
	}
	f, err := Open(libs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols(regexp.MustCompile(`^qsort$`), 0)
	if err != nil || len(syms) != 1 {
		t.Fatalf("qsort: %v, %v", syms, err)
	}
	frames, err := f.Frames(syms[0].Start + 2)
	if err != nil || len(frames) != 1 || frames[0].Function != "qsort" {
		t.Errorf("frames %v, %v", frames, err)
	}
	if f.compatFrames(syms[0].Start+2) != nil {
		t.Error("compatible frames from a symbol table")
	}
}

func TestBaseELF(t *testing.T) {
	text := func(vaddr, off, align uint64) *elf.Prog {
		return &elf.Prog{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Flags: elf.PF_R | elf.PF_X, Off: off, Vaddr: vaddr, Filesz: 0x300000, Align: align}}
	}
	const base = 0x55d000000000
	tests := []struct {
		name          string
		kind          elf.Type
		prog          *elf.Prog
		start, offset uint64
		want          uint64
	}{
		{"fixed address", elf.ET_EXEC, text(0x400000, 0, 0x1000), 0x400000, 0, 0},
		{"fixed, second of two mappings", elf.ET_EXEC, text(0x400000, 0, 0x1000), 0x600000, 0x200000, 0},
		{"Go PIE", elf.ET_DYN, text(0x400000, 0, 0x1000), base + 0x400000, 0, base},
		{"GNU ld PIE", elf.ET_DYN, text(0x1000, 0x1000, 0x1000), base + 0x1000, 0x1000, base},
		{"lld PIE", elf.ET_DYN, text(0x21f5c0, 0x1e5c0, 0x1000), base + 0x21f000, 0x1e000, base},
		{"pages smaller than alignment", elf.ET_DYN, text(0x6f4a0, 0x5f4a0, 0x10000), base + 0x6f000, 0x5f000, base},
		{"second of two mappings", elf.ET_DYN, text(0x1000, 0x1000, 0x1000), base + 0x200000, 0x200000, base},
		{"no offset in the profile", elf.ET_DYN, text(0x1000, 0x1000, 0x1000), base + 0x1000, 0, base},
		{"no mapping in the profile", elf.ET_DYN, text(0x1000, 0x1000, 0x1000), 0, 0, 0},
	}
	for _, test := range tests {
		e := &elf.File{FileHeader: elf.FileHeader{Type: test.kind}, Progs: []*elf.Prog{test.prog}}
		f := File{img: &image{base: func(start, limit, offset uint64) uint64 { return elfBase(e, start, offset) }}}
		if got := f.Base(test.start, 0, test.offset); got != test.want {
			t.Errorf("%s: %#x, want %#x", test.name, got, test.want)
		}
	}
}

func TestBuildID(t *testing.T) {
	path := named("plain").path(t)
	f := named("plain").open(t)
	if m, _ := regexp.MatchString(`^[0-9a-f]{40}$`, f.BuildID()); !m {
		t.Errorf("build ID %q", f.BuildID())
	}
	out, err := exec.Command("go", "tool", "buildid", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if id := string(bytes.TrimSpace(out)); !f.hasBuildID(id) || f.hasBuildID("x") || f.hasBuildID("") {
		t.Errorf("Go build ID %q, want %q", f.img.goBuildID, id)
	}
}

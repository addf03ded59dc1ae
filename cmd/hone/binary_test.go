package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gprofile "github.com/google/pprof/profile"
)

// programSource is a program that writes a CPU profile and a heap profile.
const programSource = `package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

//go:noinline
func spin(n int) uint64 {
	var h uint64 = 14695981039346656037
	for i := range n {
		h = mix(h, uint64(i))
	}
	return h
}

// mix is inlined into spin.
func mix(h, v uint64) uint64 {
	h ^= v
	h *= 1099511628211
	return h ^ h>>29
}

var (
	kept [][]float64
	sum  uint64
)

//go:noinline
func keep(n int) {
	for range n {
		kept = append(kept, make([]float64, 4096))
	}
}

func main() {
	runtime.MemProfileRate = 1
	write(os.Args[1], func(f *os.File) error {
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		// So much work rather than so much time: a busy machine gives few samples
		// a second.
		for range 8000 {
			sum += spin(1 << 16)
		}
		return nil
	})
	keep(16)
	runtime.GC()
	write(os.Args[2], func(f *os.File) error { return pprof.WriteHeapProfile(f) })
	runtime.KeepAlive(kept)
}

func write(file string, profile func(*os.File) error) {
	f, err := os.Create(file)
	if err != nil {
		panic(err)
	}
	if err := profile(f); err != nil {
		panic(err)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
}
`

// program is a built program with its profiles. In the bare ones functions and
// lines are missing, in the nameless ones the build ID is too.
type program struct {
	dir, binary       string
	cpu, heap         string
	bareCPU, bareHeap string
	namelessCPU       string
	oracle            string // go tool pprof
}

func buildProgram(t *testing.T) *program {
	dir := t.TempDir()
	in := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	p := &program{
		dir: dir, binary: in("bin", "prog"), cpu: in("cpu.pb.gz"), heap: in("heap.pb.gz"),
		bareCPU: in("bare.cpu.pb.gz"), bareHeap: in("bare.heap.pb.gz"), namelessCPU: in("nameless.cpu.pb.gz"),
	}
	source := in("main.go")
	if err := os.WriteFile(source, []byte(programSource), 0o666); err != nil {
		t.Fatal(err)
	}
	command := func(name string, args ...string) string {
		t.Helper()
		var stderr bytes.Buffer
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stderr = dir, &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, stderr.Bytes())
		}
		return strings.TrimSpace(string(out))
	}
	command("go", "build", "-o", p.binary, source)
	command(p.binary, p.cpu, p.heap)
	p.oracle = command("go", "tool", "-n", "pprof")
	strip(t, p.cpu, p.bareCPU, false)
	strip(t, p.heap, p.bareHeap, false)
	strip(t, p.cpu, p.namelessCPU, true)
	return p
}

// strip writes a copy of a profile without symbols.
func strip(t *testing.T, from, to string, nameless bool) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	p, err := gprofile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	p.Function = nil
	for _, l := range p.Location {
		l.Line = nil
	}
	for _, m := range p.Mapping {
		m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = false, false, false, false
		if nameless {
			m.BuildID = ""
			m.File = filepath.Join("/nowhere", filepath.Base(m.File))
		}
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// same compares what hone pprof prints with what go tool pprof does.
func (p *program) same(t *testing.T, searchPath string, args ...string) {
	t.Helper()
	got := honeWith(t, map[string]string{"PPROF_BINARY_PATH": searchPath}, "", append([]string{"pprof"}, args...)...)
	cmd := exec.Command(p.oracle, args...)
	cmd.Env = append(os.Environ(), "PPROF_BINARY_PATH="+searchPath, "HOME="+p.dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("go tool pprof: %v\n%s", err, stderr.String())
	}
	if got.code != 0 {
		t.Fatalf("exit code %d\n%s", got.code, got.stderr)
	}
	gotLines, wantLines := strings.Split(got.stdout, "\n"), strings.Split(stdout.String(), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := "(end)", "(end)"
		if i < len(gotLines) {
			g = gotLines[i]
		}
		if i < len(wantLines) {
			w = wantLines[i]
		}
		if g != w {
			t.Fatalf("line %d:\nhone          %q\ngo tool pprof %q", i+1, g, w)
		}
	}
}

// TestBinary looks at profiles of a program with the program at hand.
func TestBinary(t *testing.T) {
	p := buildProgram(t)
	binDir := filepath.Dir(p.binary)

	t.Run("same as go tool pprof", func(t *testing.T) {
		tests := []struct{ args, searchPath string }{
			{"-disasm=main.spin CPU", ""},
			{"-disasm=main.spin BINARY CPU", ""},
			{`-disasm=main\. BINARY CPU`, ""},
			{`-disasm=main\. HEAP`, ""},
			{"-disasm=main.keep -sample_index=alloc_objects HEAP", ""},
			{`-disasm=main\. -mean -sample_index=inuse_space HEAP`, ""},
			{"-disasm=main.spin BINARY BARECPU", ""},
			{`-list=^main\. CPU`, ""},
			{`-list=^main\. HEAP`, ""},
			{`-list=^main\. BINARY BARECPU`, ""},

			{"-top BINARY BARECPU", ""},
			{"-top -cum BINARY BARECPU", ""},
			{"-top BINARY BAREHEAP", ""},
			{"-top -lines BINARY BAREHEAP", ""},
			{"-tree BINARY BAREHEAP", ""},
			{"-traces BINARY BAREHEAP", ""},
			{"-raw BINARY BARECPU", ""},
			{"-raw BINARY BAREHEAP", ""},
			{"-top BINARY NAMELESS", ""},
			{"-top -symbolize=none BINARY BARECPU", ""},
			{"-top -symbolize=fastlocal BINARY BARECPU", ""},
			{"-raw -symbolize=force BINARY CPU", ""},
			{"-top NAMELESS", binDir},
			{"-top NAMELESS", "/nonexistent" + string(filepath.ListSeparator) + binDir},
			{"-top NAMELESS", "/nonexistent"},
		}
		for _, test := range tests {
			t.Run(strings.TrimSpace(test.args+" "+strings.ReplaceAll(test.searchPath, binDir, "BIN")), func(t *testing.T) {
				searchPath := test.searchPath
				if searchPath == "" {
					searchPath = "/nonexistent"
				}
				p.same(t, searchPath, p.fill(test.args)...)
			})
		}
	})

	t.Run("inlined calls", func(t *testing.T) {
		// hone top finds them, hone pprof does what go tool pprof does.
		out := succeed(t, "top", p.binary, p.bareCPU)
		if !strings.Contains(out, "main.mix (inline)") || !strings.Contains(out, "main.spin\n") {
			t.Errorf("top:\n%s", out)
		}
		if want := succeed(t, "top", p.cpu); out != want {
			t.Errorf("top with symbols from the binary:\n%s\nwith those of the profile:\n%s", out, want)
		}
	})

	t.Run("by build ID", func(t *testing.T) {
		// go tool pprof does not know the build IDs of binaries, and refuses this one.
		env := map[string]string{"PPROF_BINARY_PATH": p.dir + string(filepath.ListSeparator) + binDir}
		if err := os.Rename(p.binary, filepath.Join(p.dir, "prog")); err != nil {
			t.Fatal(err)
		}
		defer os.Rename(filepath.Join(p.dir, "prog"), p.binary)
		if o := honeWith(t, env, "", "top", p.bareCPU); o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, "main.spin") {
			t.Errorf("exit code %d, %s\n%s", o.code, o.stderr, o.stdout)
		}
		o := hone(t, "top", p.bareCPU)
		if o.code != 0 || strings.Contains(o.stdout, "main.spin") || !strings.Contains(o.stderr, "PPROF_BINARY_PATH") {
			t.Errorf("without the binary: exit code %d, %s\n%s", o.code, o.stderr, o.stdout)
		}
	})

	t.Run("verbs", func(t *testing.T) {
		disasm := succeed(t, "disasm", "main.spin", p.cpu)
		if want := succeed(t, "pprof", "-disasm=main.spin", p.cpu); disasm != want {
			t.Errorf("hone disasm:\n%s\nhone pprof -disasm:\n%s", disasm, want)
		}
		list := succeed(t, "list", `main\.spin`, p.cpu)
		if want := succeed(t, "pprof", `-list=main\.spin`, p.cpu); list != want || !strings.Contains(list, "h = mix(h, uint64(i))") {
			t.Errorf("hone list:\n%s\nhone pprof -list:\n%s", list, want)
		}
		intel := succeed(t, "disasm", "-intel_syntax", "main.spin", p.cpu)
		if !regexp.MustCompile(`imul |add x`).MatchString(intel) && strings.Contains(disasm, "IMULQ") {
			t.Errorf("Intel syntax:\n%s", intel)
		}
		page := succeed(t, "weblist", `main\.spin`, p.binary, p.cpu)
		for _, want := range []string{"<!DOCTYPE html>", "<h2>main.spin</h2>", "h = mix(h, uint64(i))", "class=\"asm\""} {
			if !strings.Contains(page, want) {
				t.Errorf("weblist has no %q", want)
			}
		}
		file := filepath.Join(t.TempDir(), "page.html")
		if o := hone(t, "weblist", "-o", file, `main\.spin`, p.cpu); o.code != 0 || o.stdout != "" {
			t.Errorf("weblist -o: %+v", o)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != page {
			t.Errorf("weblist -o: %v, %d bytes, want %d", err, len(data), len(page))
		}
	})

	t.Run("by address", func(t *testing.T) {
		out := succeed(t, "disasm", "main.spin", p.cpu)
		m := regexp.MustCompile(`(?m)^ *\S+ms +\S+ +([0-9a-f]+): `).FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("no instruction with samples:\n%s", out)
		}
		if got := succeed(t, "disasm", "0x"+m[1], p.cpu); got != out {
			t.Errorf("disasm 0x%s:\n%s\nwant\n%s", m[1], got, out)
		}
		if page := succeed(t, "weblist", "0x"+m[1], p.cpu); !strings.Contains(page, "<h2>main.spin</h2>") {
			t.Errorf("weblist 0x%s has no main.spin", m[1])
		}
		hone(t, "disasm", "0x1", p.cpu).failsWith(t, exitFailure, "0x1")
	})

	t.Run("json", func(t *testing.T) {
		for _, tw := range []twin{
			{verb: "disasm", param: `^main\.`, ofText: disasmText, ofJSON: figures(disasmFigures)},
			{verb: "weblist", param: `^main\.`, ofText: weblistText, ofJSON: figures(weblistFigures)},
			{verb: "list", param: `^main\.`, ofText: listText, ofJSON: figures(listFigures)},
		} {
			for _, file := range []string{p.cpu, p.heap} {
				tw.compare(t, p.binary, file)
			}
		}
	})

	t.Run("gone", func(t *testing.T) {
		if err := os.Rename(p.binary, p.binary+".away"); err != nil {
			t.Fatal(err)
		}
		defer os.Rename(p.binary+".away", p.binary)
		o := hone(t, "disasm", "main.spin", p.cpu)
		if o.code != exitFailure || o.stdout != "" || !strings.Contains(o.stderr, p.binary) {
			t.Errorf("disasm: %+v", o)
		}
		if page := succeed(t, "weblist", `main\.spin`, p.cpu); !strings.Contains(page, "h = mix(h, uint64(i))") {
			t.Errorf("weblist shows no source")
		}
	})
}

// fill puts file names in the places of the words in capitals.
func (p *program) fill(args string) []string {
	words := strings.Fields(args)
	for i, w := range words {
		for name, file := range map[string]string{
			"BINARY": p.binary, "CPU": p.cpu, "HEAP": p.heap, "BARECPU": p.bareCPU, "BAREHEAP": p.bareHeap, "NAMELESS": p.namelessCPU,
		} {
			if w == name {
				words[i] = file
			}
		}
	}
	return words
}

// TestProgramAlone checks what hone makes of a program without a profile.
func TestProgramAlone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	hone(t, "top", self).failsWith(t, exitFailure, self)
	hone(t, "top", self, filepath.Join(t.TempDir(), "missing")).failsWith(t, exitFailure, "missing")
}

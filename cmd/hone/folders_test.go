package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/internal/report"
)

// allocating is a program that allocates 4 KiB as often as it is told, in a
// function inlined into another, and writes the profile of it.
const allocating = `package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
)

var kept [][]byte

//go:noinline
func work(n int) {
	for range n {
		kept = append(kept, buffer(4096))
	}
}

// buffer is inlined into work.
func buffer(n int) []byte {
	return make([]byte, n)
}

func main() {
	runtime.MemProfileRate = 1
	kept = make([][]byte, 0, 1000)
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	work(n)
	f, err := os.Create(os.Args[2])
	if err != nil {
		panic(err)
	}
	runtime.GC()
	if err := pprof.Lookup("allocs").WriteTo(f, 0); err != nil {
		panic(err)
	}
}
`

// builtTwice returns profiles of one program built in two folders, for one as it
// is in newSource: 100 calls before, 60 after. Both binaries stay where they were
// built.
func builtTwice(t *testing.T, newSource string) (before, after string) {
	t.Helper()
	parent := t.TempDir()
	build := func(folder, source, calls string) string {
		dir := filepath.Join(parent, folder)
		gittest.Write(t, dir, map[string]string{"main.go": source, "go.mod": "module example.com/allocating\n\ngo 1.24\n"})
		for _, args := range [][]string{{"go", "build", "-o", "allocating", "."}, {"./allocating", calls, "allocs.pb.gz"}} {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		return filepath.Join(dir, "allocs.pb.gz")
	}
	return build("before", allocating, "100"), build("after", newSource, "60")
}

const (
	bytesBefore = 100 * 4096
	bytesAfter  = 60 * 4096
)

func TestVersionsOfTwoFoldersCompare(t *testing.T) {
	before, after := builtTwice(t, allocating)
	with := func(args ...string) []string { return append(args, "-sample_index=alloc_space") }

	for _, granularity := range []string{"", "-lines"} {
		args := with("-json", "-base", before)
		if granularity != "" {
			args = append(args, granularity)
		}
		d := decode[report.Diff](t, succeed(t, append(append([]string{"diff"}, args...), "-cum", "-nodefraction=0", after)...))
		compared := 0
		for _, r := range d.Rows {
			if strings.HasPrefix(r.Name, "main.") && (r.New || r.Gone) {
				t.Errorf("diff %s: %s is new (%v) or gone (%v)", granularity, r.Name, r.New, r.Gone)
			}
			if r.Name == "main.work" {
				compared++
				if r.Cum.Base != bytesBefore || r.Cum.Head != bytesAfter || *r.Cum.Relative != -0.4 {
					t.Errorf("diff %s: main.work: %+v", granularity, r.Cum)
				}
				if !strings.HasPrefix(r.File, filepath.Dir(after)) || r.OtherFiles != 1 {
					t.Errorf("diff %s: main.work is in %s and %d more", granularity, r.File, r.OtherFiles)
				}
			}
		}
		if compared != 1 {
			t.Errorf("diff %s: %d rows of main.work", granularity, compared)
		}

		var nodes int
		var find func(n *flameNode)
		find = func(n *flameNode) {
			if strings.HasPrefix(n.Name, "main.") && (n.Total == 0 || *n.BaseTotal == 0) {
				t.Errorf("flame %s: %s is new or gone", granularity, n.Name)
			}
			if n.Name == "main.work" {
				nodes++
				if n.Total != bytesAfter || *n.BaseTotal != bytesBefore {
					t.Errorf("flame %s: main.work %d, before %d", granularity, n.Total, *n.BaseTotal)
				}
			}
			for i := range n.Children {
				find(&n.Children[i])
			}
		}
		find(flameTree(t, append(append([]string{"flame"}, args...), after)...))
		if nodes != 1 {
			t.Errorf("flame %s: %d nodes of main.work", granularity, nodes)
		}
	}

	if text := succeed(t, append(with("peek", "-unit=B", "-base", before), `main\.work$`, after)...); !regexp.MustCompile(
		fmt.Sprintf(`(?m)^ +0 .* %dB .* \| main\.work$`, bytesAfter-bytesBefore)).MatchString(text) {
		t.Errorf("peek has no -40 %% of main.work:\n%s", text)
	}
}

func TestMergeOfTwoFoldersNamesFunctionsOnce(t *testing.T) {
	before, after := builtTwice(t, allocating)
	for _, granularity := range []string{"-functions", "-lines", "-filefunctions", "-noinlines"} {
		seen := map[string]bool{}
		work := 0
		for line := range strings.Lines(succeed(t, "flame", "-folded", "-sample_index=alloc_space", granularity, before, after)) {
			stack := line[:strings.LastIndexByte(line, ' ')]
			if seen[stack] {
				t.Errorf("%s: %q stands there twice", granularity, stack)
			}
			seen[stack] = true
			if strings.Contains(stack, "main.work") {
				work++
			}
		}
		if want := map[string]int{"-filefunctions": 2}[granularity]; work != max(want, 1) {
			t.Errorf("%s: %d stacks with main.work", granularity, work)
		}
	}
}

func TestSourceOfTwoBinaries(t *testing.T) {
	// A line more on top, so that lines and addresses of the two differ little.
	before, after := builtTwice(t, strings.Replace(allocating, "var kept", "// All there is.\nvar kept", 1))
	l := decode[report.WebListing](t, succeed(t, "weblist", "-json", "-sample_index=alloc_space", `^main\.(work|buffer)$`, before, after))
	got := ""
	for _, f := range l.Funcs {
		got += fmt.Sprintf("%s %s: flat %d cum %d\n", filepath.Base(filepath.Dir(f.File)), f.Name, f.Flat.Value, f.Cum.Value)
		for _, ln := range f.Lines {
			var flat, cum int64
			for _, in := range ln.Insts {
				flat += in.Flat.Value
				cum += in.Cum.Value
			}
			if ln.Cum.Value != 0 || cum != 0 {
				got += fmt.Sprintf("\t%d %s: flat %d cum %d, instructions %d\n", ln.Line, strings.TrimSpace(ln.Text), ln.Flat.Value, ln.Cum.Value, cum)
			}
		}
	}
	want := strings.NewReplacer("BEFORE", fmt.Sprint(bytesBefore), "AFTER", fmt.Sprint(bytesAfter)).Replace(
		`after main.work: flat 0 cum AFTER
	16 kept = append(kept, buffer(4096)): flat 0 cum AFTER, instructions AFTER
after main.buffer: flat AFTER cum AFTER
	22 return make([]byte, n): flat AFTER cum AFTER, instructions AFTER
before main.work: flat 0 cum BEFORE
	15 kept = append(kept, buffer(4096)): flat 0 cum BEFORE, instructions BEFORE
before main.buffer: flat BEFORE cum BEFORE
	21 return make([]byte, n): flat BEFORE cum BEFORE, instructions BEFORE
`)
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	d := decode[report.Disassembly](t, succeed(t, "disasm", "-json", "-sample_index=alloc_space", `main\.work$`, before, after))
	var cum int64
	for _, r := range d.Routines {
		cum += r.Cum.Value
	}
	if len(d.Routines) != 2 || cum != bytesBefore+bytesAfter {
		t.Errorf("disasm: %d functions of %d bytes", len(d.Routines), cum)
	}
}

func TestSourceOfAnotherVersion(t *testing.T) {
	before, _ := builtTwice(t, allocating)
	source := filepath.Join(filepath.Dir(before), "main.go")
	work := allocating[strings.Index(allocating, "//go:noinline"):strings.Index(allocating, "// buffer is")]
	moved := strings.Replace(allocating, work, "", 1) + "\n" + work
	args := []string{"-sample_index=alloc_space", `^main\.(work|main)$`, before}

	o := hone(t, append([]string{"list"}, args...)...)
	if o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, "buffer(4096)") {
		t.Errorf("of the right version: %+v", o)
	}
	if err := os.WriteFile(source, []byte(moved), 0o666); err != nil {
		t.Fatal(err)
	}
	l := decode[report.WebListing](t, succeed(t, append([]string{"weblist", "-json"}, args...)...))
	seen := map[string]bool{}
	for _, f := range l.Funcs {
		seen[f.Name] = true
		if !strings.Contains(f.Err, source+" is not the source of "+f.Name) {
			t.Errorf("%s: error %q", f.Name, f.Err)
		}
		for _, ln := range f.Lines {
			if ln.Text != "???" {
				t.Errorf("%s: line %d shows %q", f.Name, ln.Line, ln.Text)
			}
		}
	}
	if !seen["main.work"] || !seen["main.main"] {
		t.Errorf("functions %v", seen)
	}
	// What go tool pprof shows is shown, and warned of.
	o = hone(t, append([]string{"pprof", `-list=^main\.work$`}, args[0], before)...)
	oracle, err := exec.Command("go", "tool", "pprof", `-list=^main\.work$`, args[0], before).Output()
	if err != nil {
		t.Fatal(err)
	}
	if o.stdout != string(oracle) || !strings.HasPrefix(o.stderr, "hone: ") || !strings.Contains(o.stderr, "is not the source of main.work: in line ") {
		t.Errorf("got %+v\nwant %s", o, oracle)
	}
}

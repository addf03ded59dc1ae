package doc_test

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sizePage says what the parts of the binary cost; -update writes its table.
const sizePage = "design/0017-start-and-size.md"

// Figures are those of one compiler and platform. Others differ by more than what is looked for.
func oneCompiler(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skipf("%s has figures of Go 1.26 on linux/amd64; this is %s on %s/%s", sizePage, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	}
}

// TestStart: a start of hone runs package initializers, whichever verb it is for. The limits are
// what is left, and a little room for maps, whose layout is random. A package of others may
// need a higher limit here, and so may a package of ours that is split; for what ours allocate, see
// the rules in sizePage.
func TestStart(t *testing.T) {
	oneCompiler(t)
	const (
		maxPackages    = 348
		maxAllocations = 11_100
		maxBytes       = 1_690_000
	)
	command := exec.Command(honeBinary(t), "version")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	command.Stderr = &trace
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, trace.Bytes())
	}
	// init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
	line := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`)
	var packages, allocations, size int
	var most []string
	for _, m := range line.FindAllStringSubmatch(trace.String(), -1) {
		b, _ := strconv.Atoi(m[2])
		n, _ := strconv.Atoi(m[3])
		packages++
		allocations += n
		size += b
		most = append(most, fmt.Sprintf("%8d bytes %5d allocations %s", b, n, m[1]))
	}
	t.Logf("%d packages, %d allocations, %d bytes", packages, allocations, size)
	if packages == 0 {
		t.Fatalf("no initializers in\n%s", trace.Bytes())
	}
	if packages > maxPackages || allocations > maxAllocations || size > maxBytes {
		slices.Sort(most)
		slices.Reverse(most)
		t.Errorf("starting hone initializes %d packages with %d allocations of %d bytes; want at most %d, %d and %d. Most is allocated by\n%s",
			packages, allocations, size, maxPackages, maxAllocations, maxBytes, strings.Join(most[:min(len(most), 20)], "\n"))
	}
}

// TestStripped: without symbol table and DWARF, functions still have names and lines, which is
// what tracebacks and profiles of hone have them from.
func TestStripped(t *testing.T) {
	oneCompiler(t)
	b := readBinary(t)
	for _, s := range b.file.Sections {
		if s.Name == ".symtab" || strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			t.Errorf("there is a section %s", s.Name)
		}
	}
	f := b.table.LookupFunc("main.main")
	if f == nil {
		t.Fatal("main.main has no name")
	}
	file, line, fn := b.table.PCToLine(f.Entry)
	if !strings.HasSuffix(file, "cmd/hone/main.go") || line == 0 || fn != f {
		t.Errorf("main.main begins at %s:%d", file, line)
	}
}

// TestSize fails when hone has grown by 2 MB, or a module by 0.5 MB, until sizePage says so.
func TestSize(t *testing.T) {
	oneCompiler(t)
	const room, moduleRoom = 2.0, 0.5 // MB
	b := readBinary(t)
	sizes := b.modules()
	page, err := os.ReadFile(sizePage)
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `?([^|`]+)`? \\| ([0-9.]+) \\| ([^|]*) \\|\n")
	const whole = "the whole file"
	sizes[whole] = b.size
	if *update {
		known := map[string]bool{}
		out := row.ReplaceAllStringFunc(string(page), func(r string) string {
			m := row.FindStringSubmatch(r)
			known[m[1]] = true
			return strings.Replace(r, " "+m[2]+" ", fmt.Sprintf(" %.2f ", sizes[m[1]]), 1)
		})
		if out != string(page) {
			if err := os.WriteFile(sizePage, []byte(out), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		page = []byte(out)
	}
	said := map[string]float64{}
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		said[m[1]], _ = strconv.ParseFloat(m[2], 64)
		if strings.TrimSpace(m[3]) == "" {
			t.Errorf("%s: %s has no reason", sizePage, m[1])
		}
		if _, ok := sizes[m[1]]; !ok {
			t.Errorf("%s: %s is not in the binary: remove the line", sizePage, m[1])
		}
	}
	for name, mb := range sizes {
		limit := moduleRoom
		if name == whole {
			limit = room
		}
		if was := said[name]; math.Abs(mb-was) > limit {
			t.Errorf("%s: %s has %.2f MB, and the page says %.2f. Say there what it is for, and run go test ./doc -run TestSize -update", sizePage, name, mb, was)
		}
	}
}

// A goBinary is what hone's binary says of itself.
type goBinary struct {
	file  *elf.File
	table *gosym.Table
	size  float64 // MB, all of it
	deps  []string
	// overhead is what each byte of code comes with in the table of functions and lines.
	overhead float64
}

func readBinary(t *testing.T) *goBinary {
	t.Helper()
	name := honeBinary(t)
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	text, lines := f.Section(".text"), f.Section(".gopclntab")
	if text == nil || lines == nil {
		t.Fatal("the binary has no code, or no table of functions")
	}
	data, err := lines.Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	b := &goBinary{file: f, table: table, size: float64(stat.Size()) / 1e6, deps: []string{info.Main.Path}, overhead: float64(len(data)) / float64(text.Size)}
	for _, d := range info.Deps {
		b.deps = append(b.deps, d.Path)
	}
	// A module may lie below another.
	slices.SortFunc(b.deps, func(x, y string) int { return len(y) - len(x) })
	return b
}

// modules returns what the code of modules takes in MB, with what the table of functions has of it.
func (b *goBinary) modules() map[string]float64 {
	sizes := map[string]float64{}
	for _, f := range b.table.Funcs {
		name, err := url.PathUnescape(f.Name) // gopkg.in/yaml%2ev3.Unmarshal
		if err != nil {
			name = f.Name
		}
		module := "the standard library"
		switch i := slices.IndexFunc(b.deps, func(d string) bool { return strings.HasPrefix(name, d+"/") || strings.HasPrefix(name, d+".") }); {
		case i >= 0:
			module = b.deps[i]
		case strings.HasPrefix(name, "main."):
			module = b.deps[slices.Index(b.deps, "github.com/hone-go/hone")]
		}
		sizes[module] += float64(f.End-f.Entry) * (1 + b.overhead) / 1e6
	}
	return sizes
}

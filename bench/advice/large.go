package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/hone-go/hone/bench/rusage"
)

// The profile of a large module has hotPackages packages with a hot line, and is profileBytes large when compressed.
const (
	hotPackages  = 50
	profileBytes = 5 << 20
	// generated is a folder's name for a module that is made of that many packages: generated:500.
	generated = "generated:"
)

// measureLarge measures hone advise on large modules: it makes a CPU profile whose hot lines are in many packages, and prints
// time, memory and calls of the go command, without and with the cache of hone.
func measureLarge(o *options, folders string, runs int, goCold bool) error {
	for folder := range strings.SplitSeq(folders, ",") {
		if err := measureFolder(o, folder, runs, goCold); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

func measureFolder(o *options, folder string, runs int, goCold bool) error {
	scratch, err := os.MkdirTemp(o.keep, "large-")
	if err != nil {
		return err
	}
	if o.keep == "" {
		defer os.RemoveAll(scratch)
	}
	dir, err := filepath.Abs(folder)
	if n, ok := strings.CutPrefix(folder, generated); ok {
		dir = filepath.Join(scratch, "module")
		var count int
		if count, err = strconv.Atoi(n); err == nil {
			err = generateModule(dir, count)
		}
	}
	if err != nil {
		return err
	}
	packages, err := goList(dir)
	if err != nil {
		return err
	}
	file := filepath.Join(scratch, "cpu.pb.gz")
	size, err := writeLarge(file, packages)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d packages, a profile of %.1f MB\n", folder, len(packages), float64(size)/1e6)
	l, err := newLarge(o, dir, file, scratch)
	if err != nil {
		return err
	}
	if err := l.prepare(); err != nil {
		return err
	}
	if goCold {
		l.env = append(l.env, "GOCACHE="+filepath.Join(scratch, "gocache"))
		if err := l.print("both caches empty", 1, l.empty); err != nil {
			return err
		}
		l.env = l.env[:len(l.env)-1]
	}
	if err := l.print("hone's cache empty", runs, l.empty); err != nil {
		return err
	}
	if err := l.print("another profile", runs, l.forget); err != nil {
		return err
	}
	return l.print("unchanged", runs, func() error { return nil })
}

// A large is a large module with its profile.
type large struct {
	hone, dir, profile string
	cache, calls       string // the folder of hone's cache, and the file with calls of the go command
	env                []string
}

func newLarge(o *options, dir, file, scratch string) (*large, error) {
	l := &large{hone: o.hone, dir: dir, profile: file, cache: filepath.Join(scratch, "cache"), calls: filepath.Join(scratch, "calls")}
	goTool, err := exec.LookPath("go")
	if err != nil {
		return nil, err
	}
	goCache, err := exec.Command(goTool, "env", "GOCACHE").Output()
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(scratch, "bin")
	script := fmt.Sprintf("#!/bin/sh\necho \"$1 $2\" >>'%s'\nexec '%s' \"$@\"\n", l.calls, goTool)
	l.env = append(os.Environ(), "XDG_CACHE_HOME="+l.cache, "GOCACHE="+strings.TrimSpace(string(goCache)), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return l, errors.Join(os.Mkdir(bin, 0o777), os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o777))
}

// prepare fills the go command's cache.
func (l *large) prepare() error {
	_, err := l.run()
	return err
}

// empty empties hone's cache.
func (l *large) empty() error { return os.RemoveAll(l.cache) }

// forget removes hone's reports, so that only what the compiler said is left.
func (l *large) forget() error {
	reports, err := filepath.Glob(filepath.Join(l.cache, "hone", "advice", "*.json"))
	for _, name := range reports {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// A usage is what a run of hone took, with the processes that it started.
type usage struct {
	wall, cpu time.Duration
	memory    int64 // of the process with the most, in bytes
	calls     int   // of the go command
	findings  uint64
}

func (l *large) run() (u usage, err error) {
	if err := os.RemoveAll(l.calls); err != nil {
		return u, err
	}
	cmd := exec.Command(l.hone, "advise", "-json", l.profile)
	cmd.Dir, cmd.Env, cmd.Stderr = l.dir, l.env, os.Stderr
	start := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return u, err
	}
	u.wall = time.Since(start)
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.memory = rusage.PeakMemory(cmd.ProcessState)
	h := fnv.New64a()
	h.Write(out)
	u.findings = h.Sum64()
	calls, err := os.ReadFile(l.calls)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	u.calls = bytes.Count(calls, []byte("\n"))
	return u, err
}

// print prints the least of what some runs take. What else the machine does can only add to it.
func (l *large) print(name string, runs int, before func() error) error {
	var least usage
	for i := range runs {
		if err := before(); err != nil {
			return err
		}
		u, err := l.run()
		if err != nil {
			return err
		}
		if i == 0 {
			least = u
		}
		if u.findings != least.findings {
			return errors.New("two runs differ in what they advise")
		}
		least.wall, least.cpu, least.memory = min(least.wall, u.wall), min(least.cpu, u.cpu), min(least.memory, u.memory)
	}
	fmt.Printf("  %-20s %6.2f s  %6.2f s of CPU time  %5.0f MB  %d calls of go  report %016x\n",
		name, least.wall.Seconds(), least.cpu.Seconds(), float64(least.memory)/1e6, least.calls, least.findings)
	return nil
}

// writeLarge writes the profile of a module's packages, and returns its size.
func writeLarge(file string, packages []listed) (int, error) {
	b, err := newLargeProfile(packages)
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	for samples := 20_000; ; samples = int(1.05*float64(samples)*profileBytes/float64(out.Len())) + 1 {
		for len(b.Sample) < samples {
			b.sample()
		}
		out.Reset()
		z := gzip.NewWriter(&out)
		if err := errors.Join(b.WriteUncompressed(z), z.Close()); err != nil {
			return 0, err
		}
		if out.Len() >= profileBytes {
			return out.Len(), os.WriteFile(file, out.Bytes(), 0o666)
		}
	}
}

// A largeProfile is the CPU profile of a program that spends its time in many packages. The stacks start in a command and go
// through levels, each with four times the locations of the level above. They end in a hot line, in what it calls, or, one in
// four, anywhere in the module.
type largeProfile struct {
	profile.Profile
	rand   *rand.Rand
	levels [][]*profile.Location
	all    []*profile.Location
	hot    []hotFunction // in different packages
}

// A hotFunction has a line that is hot because of what it calls, if it calls one of hotCallees.
type hotFunction struct {
	lines  []*profile.Location
	line   *profile.Location
	callee *profile.Location // nil if the line itself takes the time
}

const levels = 10

func newLargeProfile(packages []listed) (*largeProfile, error) {
	b := &largeProfile{rand: rand.New(rand.NewPCG(1, 2))}
	b.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}
	b.PeriodType, b.Period = b.SampleType[1], 1e7
	b.TimeNanos, b.DurationNanos = time.Now().UnixNano(), 60e9
	lines := newHotProfile("samples", "count", "cpu", "nanoseconds")
	var functions []hotFunction // by package
	var root *profile.Location
	for i := range packages {
		of, err := linesOf(lines, &packages[i])
		if err != nil {
			return nil, err
		}
		var hottest hotFunction
		for _, f := range of {
			name := f.line.Line[0].Function.Name
			if root == nil && name == "main.main" {
				root = f.line
			}
			if !strings.HasPrefix(name, "main.") {
				b.all = append(b.all, f.lines...)
			}
			if hottest.line == nil || hottest.callee == nil && (f.callee != nil || len(f.lines) > len(hottest.lines)) {
				hottest = f
			}
		}
		if hottest.line != nil && packages[i].Name != "main" {
			functions = append(functions, hottest)
		}
	}
	if root == nil || len(functions) < hotPackages {
		return nil, fmt.Errorf("the module has no command, or only %d packages with functions", len(functions))
	}
	b.rand.Shuffle(len(functions), func(i, j int) { functions[i], functions[j] = functions[j], functions[i] })
	b.hot = functions[:hotPackages]
	b.Function, b.Location = lines.Function, lines.Location
	b.levels = [][]*profile.Location{{root}}
	for n := 4; len(b.levels) < levels; n *= 4 {
		level := make([]*profile.Location, min(n, len(b.all)))
		for i := range level {
			from := b.all
			if n < 1<<8 { // these lines are hot, too, because of what is below them
				from = b.hot[b.rand.IntN(len(b.hot))].lines
			}
			level[i] = from[b.rand.IntN(len(from))]
		}
		b.levels = append(b.levels, level)
	}
	return b, nil
}

// linesOf adds the functions of a package to a profile.
func linesOf(b *hotProfile, pkg *listed) (functions []hotFunction, err error) {
	for _, name := range pkg.GoFiles {
		fset := token.NewFileSet()
		file := filepath.Join(pkg.Dir, name)
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			before := len(b.Location)
			b.function(fset, file, symbol(pkg, fn), fn, fn.Body)
			b.Sample = nil
			lines := slices.Clone(b.Location[before:])
			if len(lines) == 0 {
				continue
			}
			hot := hotFunction{lines: lines, line: lines[0]}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if callee := b.calleeOf(n); callee != nil {
					at := fset.Position(n.Pos()).Line
					if i := slices.IndexFunc(lines, func(l *profile.Location) bool { return int(l.Line[0].Line) == at }); i >= 0 {
						hot.line, hot.callee = lines[i], callee
					}
				}
				return hot.callee == nil
			})
			functions = append(functions, hot)
		}
	}
	return functions, nil
}

// calleeOf returns the one of hotCallees that an expression calls, or nil.
func (b *hotProfile) calleeOf(n ast.Node) *profile.Location {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(hotCallees, func(name string) bool { return path.Base(name) == pkg.Name+"."+sel.Sel.Name })
	if i < 0 {
		return nil
	}
	return b.callees[i]
}

// sample adds a sample.
func (b *largeProfile) sample() {
	var stack []*profile.Location
	if n := b.rand.IntN(4 * hotPackages / 3); n < hotPackages {
		hot := &b.hot[n]
		switch b.rand.IntN(5) {
		case 0:
			stack = append(stack, hot.lines[b.rand.IntN(len(hot.lines))])
		case 1:
			stack = append(stack, hot.line)
		default:
			if hot.callee != nil {
				stack = append(stack, hot.callee)
			}
			stack = append(stack, hot.line)
		}
	}
	for range b.rand.IntN(12) {
		stack = append(stack, b.all[b.rand.IntN(len(b.all))])
	}
	at := b.rand.Float64()
	for _, level := range slices.Backward(b.levels) {
		stack = append(stack, level[int(at*float64(len(level)))])
	}
	b.Sample = append(b.Sample, &profile.Sample{Location: stack, Value: []int64{1, 1e7}})
}

// generateModule writes a module with that many packages, each of which uses the three before it.
func generateModule(dir string, packages int) error {
	texts := map[string]string{"go.mod": "module example.com/large\n\ngo 1.24\n"}
	for n := range packages - 1 {
		texts[fmt.Sprintf("p%03d/p.go", n)] = generatedPackage(n)
	}
	texts["main.go"] = fmt.Sprintf("package main\n\nimport p \"example.com/large/p%03d\"\n\nfunc main() {\n\tprintln(p.Run(\"a,b\"))\n}\n", packages-2)
	for name, text := range texts {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			return err
		}
	}
	return nil
}

func generatedPackage(n int) string {
	var out strings.Builder
	w := bufio.NewWriter(&out)
	fmt.Fprintf(w, "package p%03d\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"sort\"\n\t\"strings\"\n", n)
	var calls strings.Builder
	for k := max(0, n-3); k < n; k++ {
		fmt.Fprintf(w, "\t\"example.com/large/p%03d\"\n", k)
		fmt.Fprintf(&calls, "\tif len(in) > %d {\n\t\tn += p%03d.Run(in[1:])\n\t}\n", 1000+k, k)
	}
	fmt.Fprintf(w, ")\n\n// Run is called by the packages after it.\nfunc Run(in string) int {\n\tn := Parse0(in)\n%s\treturn n\n}\n", calls.String())
	for k := range 12 {
		fmt.Fprintf(w, `
// An Item%[1]d is parsed by Parse%[1]d.
type Item%[1]d struct {
	Name  string
	Parts []string
	Count map[string]int
}

// Parse%[1]d parses items.
func Parse%[1]d(in string) int {
	var items []*Item%[1]d
	for _, line := range strings.Split(in, "\n") {
		item := &Item%[1]d{Name: fmt.Sprintf("item-%%d", len(items)), Count: make(map[string]int)}
		for _, part := range strings.Split(line, ",") {
			item.Parts = append(item.Parts, strings.ToLower(part))
			item.Count[part]++
		}
		sort.Slice(item.Parts, func(i, j int) bool { return item.Parts[i] < item.Parts[j] })
		items = append(items, item)
	}
	text := ""
	for _, item := range items {
		text += item.Name + strings.Join(item.Parts, ";")
	}
	data, err := json.Marshal(items)
	if err != nil {
		panic(fmt.Errorf("marshal %%s: %%w", text, err))
	}
	return len(data) + len(text)
}
`, k)
	}
	w.Flush()
	return out.String()
}

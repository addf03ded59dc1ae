package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/workspace"
)

var (
	benchmarkFunc   = lazyregexp.New(`(?m)^func (Benchmark\w*)`)
	buildConstraint = lazyregexp.New(`(?m)^//go:build [^\r\n]*`)
)

// A listedPackage is a package as go list prints it.
type listedPackage struct {
	ImportPath, Dir, Name string

	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles, IgnoredGoFiles []string

	EmbedFiles, TestEmbedPatterns, XTestEmbedPatterns []string

	Error *struct{ Err string }
}

// listPackages returns the packages that match.
func (b *builder) listPackages(ctx context.Context, s experiment.Side, patterns []string) ([]*benchPackage, error) {
	var err error
	flags := slices.Concat(b.Tool.FlagList(), b.BuildFlags, b.Sides[s].Flags) // one of ours takes the place of all
	if b.overlays[s], err = readOverlay(flags, b.Sides[s].Dir); err != nil {
		return nil, err
	}
	side := b.Sides[s]
	args := append([]string{"-e", "-json=ImportPath,Dir,Name,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,EmbedFiles,TestEmbedPatterns,XTestEmbedPatterns,Error"}, ListFlags(append(slices.Clip(b.BuildFlags), side.Flags...))...)
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	b.event(Event{Stage: "list"})
	if patterns, err = b.perModule(ctx, side, patterns); err != nil {
		return nil, err
	}
	args = append(append(args, "--"), patterns...)
	all, err := gocmd.List[listedPackage](ctx, b.Go(side, args...))
	if err != nil {
		return nil, err
	}
	var packages []*benchPackage
	for _, p := range all {
		excluded := b.excludedBenchmarks(p.Dir, p.IgnoredGoFiles)
		if p.Error != nil && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			// There are no files: where they don't parse the compiler tells more.
			if s == experiment.Base {
				continue // the package is new
			}
			b.fail(Failure{Package: p.ImportPath, Side: b.sideName(s), What: workspace.FirstLine([]byte(p.Error.Err)) + excluded})
			continue
		}
		if excluded != "" && s == experiment.Head {
			b.notBuilt = append(b.notBuilt, excluded)
		}
		found := &benchPackage{
			path: p.ImportPath, dir: p.Dir, name: p.Name, hasCode: len(p.GoFiles)+len(p.CgoFiles) > 0,
			tests: slices.Concat(p.TestGoFiles, p.XTestGoFiles), embeds: slices.Concat(p.TestEmbedPatterns, p.XTestEmbedPatterns), codeEmbeds: p.EmbedFiles,
		}
		for _, name := range found.tests {
			text, err := infile.ReadFile(ctx, b.actual(s, filepath.Join(p.Dir, name)), infile.MaxSource)
			if err != nil {
				continue // the compiler tells more
			}
			for _, f := range benchmarkFunc.Get().FindAllSubmatch(text, -1) {
				found.benchmarks = append(found.benchmarks, string(f[1]))
			}
		}
		packages = append(packages, found)
	}
	return packages, nil
}

// perModule replaces patterns such as ./... by one for each module of a workspace, where they begin in a folder that has
// modules but is in none: the go command refuses these.
func (b *builder) perModule(ctx context.Context, side workspace.Side, patterns []string) ([]string, error) {
	if b.Tool.Work == "" || b.Tool.Work == "off" {
		return patterns, nil
	}
	var all []string
	for _, p := range patterns {
		base, wildcard := strings.CutSuffix(p, "/...")
		if local := base == "." || base == ".." || strings.HasPrefix(base, "./") || strings.HasPrefix(base, "../"); !local || !wildcard {
			all = append(all, p)
			continue
		}
		at := filepath.Join(side.Dir, base)
		modules, err := gocmd.List[struct{ Dir string }](ctx, b.Go(side, "-m"))
		if err != nil {
			return nil, err
		}
		var below []string
		for _, m := range modules {
			if workspace.Inside(at, m.Dir) {
				below = nil
				break
			}
			if workspace.Inside(m.Dir, at) {
				below = append(below, filepath.Join(m.Dir, "..."))
			}
		}
		if below == nil {
			below = []string{p}
		}
		all = append(all, below...)
	}
	return all, nil
}

// excludedBenchmarks names the first of a package's files that has benchmarks which
// the pattern asks for, but is not built, and says what it takes to build it: the end
// of an error, "" if there is none.
func (b *builder) excludedBenchmarks(dir string, files []string) string {
	wanted, err := regexp.Compile(splitPattern(b.Pattern)[0])
	if err != nil {
		return "" // checkPatterns has said so
	}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := infile.ReadFile(context.Background(), filepath.Join(dir, name), infile.MaxSource)
		if err != nil || !slices.ContainsFunc(benchmarkFunc.Get().FindAllSubmatch(text, -1), func(f [][]byte) bool { return wanted.Match(f[1]) }) {
			continue
		}
		if constraint := buildConstraint.Get().Find(text); constraint != nil {
			return fmt.Sprintf("; %s has benchmarks, but %s excludes it: use -tags", name, constraint)
		}
		return fmt.Sprintf("; %s has benchmarks, but its name excludes it on this system", name)
	}
	return ""
}

// ListFlags returns those of some build flags that go list takes.
func ListFlags(flags []string) []string {
	var kept []string
	for _, f := range flags {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if slices.Contains([]string{"tags", "mod", "modfile", "overlay", "race", "msan", "asan"}, name) {
			kept = append(kept, f)
		}
	}
	return kept
}

// listBenchmarks runs everything once, with one iteration, and returns what
// gave a result: only running tells which sub-benchmarks there are. names are
// all top-level benchmarks of the package, whether they match or not.
func (b *builder) listBenchmarks(ctx context.Context, s experiment.Side, p *benchPackage) (found []*target, names []string, err error) {
	b.event(Event{Stage: "list", What: p.path})
	o, err := b.runBinary(ctx, p, "-test.list=^Benchmark")
	if err != nil {
		return nil, nil, err
	}
	known := make(map[string]bool)
	for line := range strings.Lines(string(o.Stdout)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Benchmark") && !strings.ContainsAny(line, " \t") {
			known[line] = true
			names = append(names, line)
		}
	}
	if o.Err != nil {
		b.fail(Failure{Package: p.path, Side: b.sideName(s), What: firstComplaint(o), Output: output(o)})
		return nil, nil, nil
	}
	cpus := b.CPU
	if len(cpus) == 0 {
		// Said in so many words, so that the count behind names is known: what
		// GOMAXPROCS is by default depends on go.mod, too.
		cpus = []int{b.procs()}
	}
	seen := make(map[string]bool)
	for i, cpu := range cpus {
		tests := b.Tests
		if tests == "" || i > 0 || p.borrows { // the other side's tests may fail here
			tests = "^$"
		}
		list := func(pattern string) (*workspace.Outcome, error) {
			// Without -test.v package testing says nothing of what is skipped.
			return b.runBinary(ctx, p, "-test.v", "-test.run="+tests, "-test.bench="+pattern, "-test.benchtime=1x", fmt.Sprintf("-test.cpu=%d", cpu))
		}
		o, err := list(b.Pattern)
		if err != nil {
			return nil, nil, err
		}
		outcomes := []*workspace.Outcome{o}
		if o.Err != nil {
			// One that fails or panics takes the others with it: try one by one.
			tests = "^$"
			if b.Tests != "" && testsFailed(o) {
				b.fail(Failure{Package: p.path, Side: b.sideName(s), What: "tests fail: " + firstComplaint(o), Output: output(o)})
				return nil, names, nil
			}
			outcomes = nil
			for _, name := range names {
				pattern, ok := narrow(b.Pattern, name)
				if !ok {
					continue
				}
				o, err := list(pattern)
				if err != nil {
					return nil, nil, err
				}
				outcomes = append(outcomes, o)
				if o.Err != nil {
					b.fail(Failure{Package: p.path, Benchmark: strings.TrimPrefix(name, "Benchmark"), Side: b.sideName(s), What: firstComplaint(o), Output: output(o)})
				}
			}
		}
		for _, o := range outcomes {
			for name, why := range readSkips(o.Stdout, known) {
				b.held.skip(Skip{Package: p.path, Benchmark: strings.TrimPrefix(name, "Benchmark"), Side: b.sideName(s), Why: why})
			}
			for _, name := range readNames(o.Stdout, known) {
				t := newTarget(p, s, strings.TrimPrefix(name, "Benchmark"), cpu, len(cpus) > 1)
				if !seen[t.Benchmark] {
					seen[t.Benchmark] = true
					found = append(found, t)
				}
			}
		}
	}
	return found, names, nil
}

// testsFailed tells failing tests, asked for with -run, from failing
// benchmarks.
func testsFailed(o *workspace.Outcome) bool {
	return bytes.Contains(o.Stdout, []byte("--- FAIL: Test")) || bytes.Contains(o.Stdout, []byte("--- FAIL: Example"))
}

func (b *builder) procs() int { return cmp.Or(len(b.Pin), runtime.GOMAXPROCS(0)) }

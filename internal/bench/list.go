package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
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

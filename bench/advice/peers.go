package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/bench/history"
	"github.com/hone-go/hone/internal/gocmd"
)

// A peer is another tool that tells of slow code. It has no ranking: whatever it says of
// the changed lines, or of their function, counts.
type peer struct {
	// remarks are what it says of the package that a case's commit changed; dir is the
	// folder of its module.
	remarks func(ctx context.Context, dir, pkg string) ([]remark, error)
	// reasons are, by pattern, the checks that say what the author did; see reasons.txt.
	reasons reasons
}

// A remark is what a peer says of a line.
type remark struct {
	file  string
	line  int
	check string
}

var peers = map[string]peer{
	"staticcheck": {staticcheck, map[string][]string{
		"bulk-append-fast-path":         {"S1011"},
		"fmt-for-simple-value":          {"S1025", "S1028", "S1038", "S1039", "QF1012"},
		"log-call-in-hot-path":          {"S1038"},
		"loop-to-builtin":               {"S1001", "S1018"},
		"lowercase-to-compare":          {"SA6005"},
		"map-lookup-in-range":           {"S1033", "S1036"},
		"regexp-compile-per-call":       {"SA6000"},
		"slice-prealloc":                {"S1011"},
		"sort-interface-to-slices-sort": {"S1032"},
		"split-for-one-part":            {"S1003"},
		"string-byte-conversion":        {"SA6001", "SA6003", "SA6006", "S1029", "S1030"},
		"sync-pool":                     {"SA6002"},
	}},
	"go-fix": {goFix, map[string][]string{
		"bulk-append-fast-path":         {"appendclipped"},
		"fmt-for-simple-value":          {"fmtappendf"},
		"map-iteration-to-slice":        {"mapsloop"},
		"reflection-avoidable":          {"reflecttypefor", "reflecttypeassert"},
		"sort-interface-to-slices-sort": {"slicessort"},
		"split-for-one-part":            {"stringsseq", "stringscut", "stringscutprefix"},
		"string-concat-in-loop":         {"stringsbuilder"},
	}},
	"perfguard":          {perfguardLint, perfguardReasons},
	"perfguard-optimize": {perfguardOptimize, perfguardReasons},
}

var perfguardReasons = map[string][]string{
	"bulk-append-fast-path":           {"rangeToAppend"},
	"bytes-buffer-to-strings-builder": {"bufferString", "stringsBuilder"},
	"error-built-then-discarded":      {"constErrorNew"},
	"error-formatted-per-call":        {"constErrorNew", "sprintfError"},
	"fmt-for-simple-value":            {"sprintfConcat", "sprintfConcat2", "strconv", "redundantSprint", "redundantFprint", "fprint", "appendAPI", "bytesToStringFmt"},
	"large-copy":                      {"rangeValueCopy", "rangeExprCopy", "bigArgCopy"},
	"loop-to-builtin":                 {"rangeToCopy", "sliceClear", "sliceSelfCopy"},
	"lowercase-to-compare":            {"equalFold"},
	"map-lookup-in-range":             {"mapAssignOp"},
	"map-prealloc":                    {"prealloc"},
	"reflection-avoidable":            {"reflectDeepEqual", "reflectType", "reflectValueKind"},
	"regexp-compile-per-call":         {"regexpCompile"},
	"slice-prealloc":                  {"prealloc", "sliceClone"},
	"split-for-one-part":              {"stringsCut", "bytesCut"},
	"string-byte-conversion":          {"stringCopyElim", "regexpStringCopyElim", "convReorder", "slicedConv", "writeBytes", "writeString", "writeString2", "indexAlloc"},
	"string-concat-in-loop":           {"stringConcatAssign", "stringsJoinConcat"},
	"sync-pool":                       {"syncPoolPut"},
	"variadic-boxing":                 {"redundantSprint"},
}

// judgePeers asks peers about cases that were laid out before, and prints a line for
// each peer and case that it has something to say of.
func judgePeers(o *options, cases []testCase, names []string) {
	for _, name := range names {
		p, ok := peers[name]
		if !ok {
			fmt.Printf("%s: not a peer\n", name)
			continue
		}
		asked, named, right := 0, 0, 0
		for _, c := range cases {
			if c.Expected != "" {
				continue
			}
			found, err := o.ask(&p, &c)
			if err != nil {
				fmt.Printf("%-18s %-28s not asked: %v\n", name, c.ID, err)
				continue
			}
			asked++
			at, why := c.named(found, p.reasons.of(c.patterns()), filepath.Join(o.keep, c.ID))
			if len(at) == 0 {
				continue
			}
			named++
			verdict := "place"
			if why {
				right++
				verdict = "right"
			}
			fmt.Printf("%-18s %-28s %s %-30s %s\n", name, c.ID, verdict, c.Pattern, strings.Join(at, " "))
		}
		fmt.Printf("%s: of %d it says something of the changed lines or their function in %d, the reason in %d\n", name, asked, named, right)
	}
}

func (o *options) ask(p *peer, c *testCase) ([]remark, error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	dir := filepath.Join(o.keep, c.ID)
	folder := filepath.Dir(c.File)
	module := filepath.Join(dir, history.ModuleOf(dir, folder))
	if _, err := os.Stat(filepath.Join(module, "go.mod")); err != nil {
		return nil, fmt.Errorf("not laid out: %w", err)
	}
	pkg, err := filepath.Rel(module, filepath.Join(dir, folder))
	if err != nil {
		return nil, err
	}
	found, err := p.remarks(ctx, module, "./"+filepath.ToSlash(pkg))
	for i := range found {
		if !filepath.IsAbs(found[i].file) {
			found[i].file = filepath.Join(module, found[i].file)
		}
	}
	return found, err
}

// named returns the checks that speak of the changed lines, or of their function, and
// whether one of them says what the author did.
func (c *testCase) named(found []remark, reasons []string, dir string) (checks []string, right bool) {
	file := filepath.Join(dir, filepath.FromSlash(c.File))
	name, _, _ := strings.Cut(c.Function, " ")
	first, last := functionLines(file, name)
	for _, r := range found {
		changed := len(c.ParentLines) == 2 && c.ParentLines[0]-1 <= r.line && r.line <= c.ParentLines[1]+1
		if r.file != file || !changed && (r.line < first || r.line > last) {
			continue
		}
		if !slices.Contains(checks, r.check) {
			checks = append(checks, r.check)
		}
		right = right || slices.Contains(reasons, r.check)
	}
	return checks, right
}

// functionLines returns where a function, "F" or "T.Method", begins and ends.
func functionLines(file, name string) (first, last int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		own := fn.Name.Name
		if fn.Recv != nil && len(fn.Recv.List) > 0 {
			ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if ok && own == fn.Name.Name {
					own = id.Name + "." + own
				}
				return !ok
			})
		}
		if own == name {
			return fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
		}
	}
	return 0, 0
}

// staticcheck is asked for all it knows, also for what is off by default.
func staticcheck(ctx context.Context, dir, pkg string) ([]remark, error) {
	out, err := history.Run(ctx, dir, "staticcheck", "-checks", "all", "-tests=false", pkg)
	return remarksIn(out, err, staticcheckLine, "(compile)")
}

// goFix is asked through go vet, which names the analyzers; go fix -diff shows the same.
func goFix(ctx context.Context, dir, pkg string) ([]remark, error) {
	tool, err := history.Run(ctx, dir, "go", "tool", "-n", "fix")
	if err != nil {
		return nil, fmt.Errorf("go tool -n fix: %s", history.FirstLine(tool))
	}
	out, err := history.Run(ctx, dir, "go", "vet", "-json", "-vettool="+strings.TrimSpace(string(tool)), pkg)
	// An object of packages, of analyzers, of what they found, below lines of comment.
	_, text, ok := bytes.Cut(append([]byte("\n"), out...), []byte("\n{"))
	if !ok {
		if err != nil {
			err = fmt.Errorf("%w: %s", err, gocmd.LastLine(out))
		}
		return nil, err
	}
	var packages map[string]map[string][]struct{ Posn string }
	if jsonErr := json.NewDecoder(bytes.NewReader(append([]byte("{"), text...))).Decode(&packages); jsonErr != nil {
		return nil, errors.Join(err, jsonErr)
	}
	var lines []byte
	for _, analyzers := range packages {
		for check, all := range analyzers {
			for _, d := range all {
				lines = fmt.Appendf(lines, "%s %s\n", d.Posn, check)
			}
		}
	}
	return remarksIn(lines, nil, positionLine, "")
}

func perfguardLint(ctx context.Context, dir, pkg string) ([]remark, error) {
	return perfguard(ctx, dir, "lint", "--no-color", pkg)
}

// perfguardOptimize has the CPU profiles of the case's benchmarks, one after the other.
func perfguardOptimize(ctx context.Context, dir, pkg string) ([]remark, error) {
	profiles, err := filepath.Glob(filepath.Join(dir, ".hone", "runs", "*", "profiles", "*", "cpu.pb.gz"))
	if err != nil || len(profiles) == 0 {
		return nil, errors.Join(err, errors.New("no CPU profile was kept"))
	}
	var found []remark
	for _, p := range profiles {
		more, err := perfguard(ctx, dir, "optimize", "--no-color", "--heatmap", p, pkg)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

func perfguard(ctx context.Context, dir string, args ...string) ([]remark, error) {
	out, err := history.Run(ctx, dir, "perfguard", args...)
	return remarksIn(out, err, perfguardLine, ">> error")
}

var (
	staticcheckLine = regexp.MustCompile(`(?m)^(?P<file>[^:\n]+):(?P<line>\d+):\d+: .*\((?P<check>\w+)\)$`)
	perfguardLine   = regexp.MustCompile(`(?m)^(?P<file>[^:\n]+):(?P<line>\d+): (?P<check>\w+)(?: \([^)]*\))?:`)
	positionLine    = regexp.MustCompile(`(?m)^(?P<file>.+):(?P<line>\d+):\d+ (?P<check>\w+)$`)
)

// remarksIn reads what a tool has printed. That it ended with an error is how tools tell
// that they have found something, unless there is nothing, or failed in it.
func remarksIn(out []byte, err error, line *regexp.Regexp, failed string) ([]remark, error) {
	var found []remark
	for _, m := range line.FindAllSubmatch(out, -1) {
		part := func(name string) string { return string(m[line.SubexpIndex(name)]) }
		n, err := strconv.Atoi(part("line"))
		if err != nil {
			return nil, err
		}
		found = append(found, remark{part("file"), n, part("check")})
	}
	if failed != "" && bytes.Contains(out, []byte(failed)) || len(found) == 0 && err != nil {
		return nil, errors.Join(err, errors.New(history.FirstLine(out)))
	}
	return found, nil
}

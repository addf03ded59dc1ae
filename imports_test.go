package hone_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/hone-go/hone"

// importTable says which packages of this module a package may import. A row
// covers the package and those below it, up to a longer row. Packages under
// one row may import each other. CONTRIBUTING.md shows the table; a new package
// needs a row here first, then "go test . -update". What is allowed is in use, so that
// the table shows what is, and not what was meant once.
var importTable = map[string][]string{
	// Public. Users' programs import it, so it imports next to nothing. So does the
	// agent, which is a module of its own that requires none.
	"profile": {"internal/hashing"},

	"internal/durable":        {"internal/infile"},
	"internal/temporary":      {"internal/durable", "internal/infile", "internal/spawn"},
	"internal/graphviz":       {},
	"internal/freeport":       {},
	"internal/git":            {},
	"internal/gocmd":          {},
	"internal/infile":         {},
	"internal/trace":          {"profile"},
	"internal/gctrace":        {"internal/gocmd", "internal/spawn", "internal/temporary"},
	"internal/counts":         {"internal/gocmd", "internal/temporary"},
	"internal/bench/benchgen": {"internal/gocmd", "internal/temporary"},
	"internal/testprofile":    {"profile", "internal/gocmd", "internal/temporary"},
	"internal/hashing":        {},
	"internal/hostile":        {"profile"}, // for tests
	lazyRegexp:                {},
	"internal/spawn":          {},
	"internal/spelling":       {},
	"internal/srcfind":        {"internal/git", "internal/gocmd", "internal/infile"},
	"internal/symbol":         {"profile", "internal/infile"},
	"internal/capture":        {"profile", "internal/infile", "internal/temporary", "internal/trace"},
	// Where code is built and run, and nothing is left behind; and what is measured there.
	"internal/workspace":      {"internal/experiment", "internal/git", "internal/gocmd", "internal/infile", "internal/spawn", "internal/spelling", "internal/temporary"},
	"internal/bench":          {"profile", "internal/bench/schedule", "internal/capture", "internal/experiment", "internal/gocmd", "internal/infile", "internal/samecode", "internal/srcfind", "internal/trace", "internal/workspace"},
	"internal/bench/schedule": {"internal/experiment", "internal/experiment/rank"},
	// What the compiler says of both sides: it knows neither runs nor clocks.
	"internal/samecode": {"internal/infile"},
	"internal/report":   {"profile", "internal/hashing", "internal/experiment/rank", "internal/srcfind", "web"}, // its pages have a script of the web UI
	"internal/shell":    {"profile", "internal/infile", "internal/report", "internal/temporary"},

	// The core of load generators, which knows no protocol; drivers; and what keeps
	// a run of what they measure.
	"internal/load":           {},
	"internal/load/template":  {"internal/infile"},
	"internal/load/httpload":  {"internal/infile", "internal/load", "internal/load/template"},
	"internal/load/grpcload":  {"internal/infile", "internal/load", "internal/load/template", "internal/spelling"},
	"internal/load/kafkaload": {"internal/freeport", "internal/infile", "internal/load", "internal/load/template"}, // kafkatest starts a broker
	"internal/load/loadtest":  {"internal/load"},                                                                   // the suite for drivers
	"internal/load/measure":   {"profile", "internal/capture", "internal/experiment", "internal/load", "internal/workspace"},

	// Runs on disk and comparisons of two sides; below it statistics and the text of
	// benchmark results, above it what asks about comparisons.
	"internal/experiment":           {"internal/experiment/benchtext", "internal/experiment/rank", "internal/git", "internal/infile", "internal/temporary"},
	"internal/experiment/rank":      {},
	"internal/experiment/benchtext": {},
	"internal/experiment/benchstat": {"internal/experiment", "internal/experiment/benchtext"},
	"internal/experiment/objective": {"internal/experiment", "internal/experiment/benchtext", "internal/infile"},
	"internal/compare":              {"profile", "internal/capture", "internal/experiment", "internal/experiment/benchstat", "internal/experiment/objective", "internal/infile", "internal/report"},
	// Findings; the rules know the package that applies them, not the other way.
	"internal/advice":       {"profile", "internal/advice/code", "internal/gocmd", "internal/infile", "internal/srcfind", "internal/temporary"},
	"internal/advice/code":  {}, // syntax and types; it sees no profile
	"internal/advice/facts": {"internal/advice/code"},
	"internal/advice/flow":  {"internal/advice/code", "internal/advice/facts"}, // values, with x/tools' SSA form
	// Functions in the place of regular expressions: patterns in, text out.
	"internal/advice/regexpcode": {},
	"internal/advice/edit":       {"internal/advice", "internal/advice/code", "internal/advice/facts"},
	"internal/advice/rules":      {"internal/advice", "internal/advice/code", "internal/advice/edit", "internal/advice/facts", "internal/advice/flow", "internal/advice/regexpcode"},
	// Programs that call two versions of the code.
	"internal/differ": {"internal/gocmd", "internal/srcfind", "internal/workspace"},
	"internal/tune":   {"internal/advice", "internal/bench", "internal/differ", "internal/experiment", "internal/git", "internal/gocmd", "internal/infile", "internal/srcfind", "internal/temporary", "internal/workspace"},
	// The judge of changes.
	"internal/prove": {"internal/bench", "internal/bench/benchgen", "internal/compare", "internal/differ", "internal/experiment", "internal/git", "internal/gocmd", "internal/infile", "internal/srcfind", "internal/tune", "internal/workspace"},
	// What the command line and servers ask: the one that puts rules, source and history together.
	"internal/advisor": {"profile", "internal/advice", "internal/advice/rules", "internal/bench", "internal/counts", "internal/experiment", "internal/infile", "internal/pgo", "internal/temporary", "internal/tune"},

	// Costs and findings in editors.
	"internal/lsp": {"profile", "internal/advice", "internal/advisor", "internal/compare", "internal/infile", "internal/srcfind", "internal/tune"},

	// Profiles for the compiler: it asks hone serve for profiles, and measures what they gain.
	"internal/server/mcp":              {"internal/api", "internal/compare", "internal/report", "internal/server", "internal/server/auth", "internal/temporary"},
	"internal/server/regressions":      {"internal/api", "internal/notify", "internal/regress", "internal/server", "internal/server/auth"},
	"internal/regress":                 {"profile", "internal/durable", "internal/experiment/rank", "internal/report", "internal/store", "internal/temporary"},
	"internal/notify/alertmanagertest": {"internal/freeport"}, // starts Alertmanagers
	"internal/notify":                  {"internal/api", "internal/credentials", "internal/durable", "internal/glob", "internal/regress", "internal/temporary"},
	"internal/pgo":                     {"profile", "internal/api", "internal/bench", "internal/experiment", "internal/gocmd", "internal/infile", "internal/srcfind", "internal/temporary"},
	"internal/fnmetrics":               {"profile", "internal/store"},
	"internal/scaffold":                {"internal/experiment", "internal/experiment/benchtext", "internal/experiment/objective", "internal/git", "internal/gocmd"},

	"internal/store":      {"profile"},
	"internal/store/disk": {"profile", "internal/hashing", "internal/store", "internal/store/disk/format"},
	// Bytes in, values out: it sees no Pebble, and nothing of the engine.
	"internal/store/disk/format":               {"profile", "internal/hashing", "internal/store"},
	"internal/store/storetest":                 {"profile", "internal/store"},
	"internal/store/clickhouse":                {"profile", "internal/hashing", "internal/infile", "internal/store"},
	"internal/store/clickhouse/clickhousetest": {"internal/freeport"}, // starts servers
	"internal/forge":                           {},
	"internal/glob":                            {},
	"internal/credentials":                     {"internal/infile"}, // to authenticate to other servers
	"internal/ingest":                          {"profile", "internal/credentials", "internal/durable", "internal/hashing", "internal/infile", "internal/store", "internal/temporary"},
	// Graphs are reports.
	"internal/ingest/pyroscope": {"profile", "internal/ingest", "internal/report", "internal/store"},
	// What is on the wire, for server and command line.
	"internal/api": {"internal/advice", "internal/compare", "internal/experiment", "internal/store", "internal/tune", "internal/regress"},
	// The shell of all servers, which knows no subject; services, which register on it;
	// and hone serve, which puts them together. None but that sees an engine of the store.
	"internal/server":            {"profile", "internal/api", "internal/ingest", "internal/report", "internal/server/auth", "internal/server/page"},
	"internal/server/auth":       {"internal/durable", "internal/glob", "internal/infile", "internal/server/page", "internal/store", "internal/temporary"},
	"internal/server/page":       {},
	"internal/server/reports":    {"profile", "internal/api", "internal/graphviz", "internal/infile", "internal/ingest", "internal/report", "internal/server", "internal/server/auth", "internal/shell", "internal/srcfind", "internal/store", "internal/temporary"},
	"internal/server/stored":     {"profile", "internal/api", "internal/durable", "internal/fnmetrics", "internal/report", "internal/server", "internal/server/auth", "internal/server/reports", "internal/shell", "internal/store", "internal/temporary"},
	"internal/server/runs":       {"profile", "internal/api", "internal/compare", "internal/experiment", "internal/experiment/benchstat", "internal/experiment/objective", "internal/server", "internal/server/auth", "internal/server/reports"},
	"internal/server/findings":   {"internal/advice", "internal/advisor", "internal/api", "internal/experiment", "internal/server", "internal/server/auth", "internal/server/reports", "internal/server/runs", "internal/store", "internal/tune"},
	"internal/server/loads":      {"internal/load", "internal/load/kafkaload", "internal/load/template", "internal/server", "internal/server/auth"},
	"internal/server/servertest": {"profile", "internal/api", "internal/fnmetrics", "internal/ingest", "internal/ingest/pyroscope", "internal/server", "internal/server/auth", "internal/server/findings", "internal/server/reports", "internal/server/runs", "internal/server/stored", "internal/shell", "internal/srcfind", "internal/store", "internal/store/storetest"},
	"internal/daemon":            {"profile", "internal/advisor", "internal/api", "internal/fnmetrics", "internal/infile", "internal/ingest", "internal/ingest/pyroscope", "internal/load/kafkaload", "internal/notify", "internal/regress", "internal/server", "internal/server/auth", "internal/server/findings", "internal/server/loads", "internal/server/mcp", "internal/server/regressions", "internal/server/reports", "internal/server/runs", "internal/server/stored", "internal/store", "internal/store/clickhouse", "internal/store/disk", "web"},
	"web":                        {},

	"internal/doctor": {"internal/experiment", "internal/gocmd", "internal/workspace"},
	"internal/tour":   {"examples", "internal/compare"},

	// Examples are users' programs, and benchmarks generate their own input.
	"examples":      {},
	"bench":         {},
	"bench/fleet":   {"profile"}, // it pushes profiles that it makes
	"bench/regress": {"internal/regress", "profile"},
	"bench/history": {},
	"bench/agents":  {"bench/history", "internal/gocmd"},          // the same, and it asks hone prove
	"bench/advice":  {"bench", "bench/history", "internal/gocmd"}, // it runs the go command in modules, and hone
	// The demo prints its first reports before hone is compiled.
	"examples/demo": {"examples", "internal/report", "internal/shell", "internal/srcfind", "profile"},
	// The command wires everything together and imports what it likes.
	everything: {},
}

const everything = "cmd"

// lazyRegexp imports nothing, and every package may import it: TestLazyRegexps asks them to.
const lazyRegexp = "internal/lazyregexp"

// profileMayImport lists all that package profile takes from other modules.
var profileMayImport = []string{
	"github.com/klauspost/compress",
}

// ownedModules lists heavy modules and the one package that may import each.
var ownedModules = map[string]string{
	"github.com/tetratelabs/wazero":    "internal/graphviz",
	"github.com/twmb/franz-go":         "internal/load/kafkaload",
	"golang.org/x/arch":                "internal/symbol",
	"golang.org/x/exp":                 "internal/trace",
	"github.com/cockroachdb/pebble/v2": "internal/store/disk",
}

// nothingNames are package names that say nothing of what is inside.
var nothingNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base", "lib"}

// longFiles excuses files of more than maxLines lines, each with its reason.
var longFiles = map[string]string{}

const (
	manyLines = 500  // reported
	maxLines  = 1000 // refused without a reason
)

func TestImports(t *testing.T) {
	used := map[string]map[string]bool{} // a row that covers a package, and the rows it imports
	owning := map[string]bool{}          // modules of ownedModules that are imported
	for _, f := range sourceFiles(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue // a test may use an oracle
		}
		dir := path.Dir(f.name)
		row := longestRow(dir)
		if row == "" {
			t.Errorf("%s: package %s has no row in importTable", f.name, dir)
			continue
		}
		if used[row] == nil {
			used[row] = map[string]bool{}
		}
		for _, spec := range f.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				target := longestRow(own)
				used[row][target] = true
				if target != row && row != everything && target != lazyRegexp && !slices.Contains(importTable[row], target) {
					t.Errorf("%s: %s may not import %s", f.name, row, own)
				}
				continue
			}
			if isStandard(imported) {
				continue
			}
			if row == "profile" && !slices.ContainsFunc(profileMayImport, func(m string) bool { return within(imported, m) }) {
				t.Errorf("%s: package profile may not import %s", f.name, imported)
			}
			for mod, owner := range ownedModules {
				if !within(imported, mod) {
					continue
				}
				owning[mod] = true
				if row != owner {
					t.Errorf("%s: only %s may import %s", f.name, owner, imported)
				}
			}
		}
	}
	for row, targets := range importTable {
		if used[row] == nil {
			t.Errorf("importTable: row %s covers no package: remove it", row)
			continue
		}
		for _, target := range targets {
			if !used[row][target] {
				t.Errorf("importTable: %s imports nothing of %s: remove the permission", row, target)
			}
		}
	}
	for mod := range ownedModules {
		if !owning[mod] {
			t.Errorf("ownedModules: nothing imports %s: remove it", mod)
		}
	}
}

// renamers may rename files themselves: a temporary name for what is being removed
// needs not last.
var renamers = []string{"internal/durable", "internal/temporary"}

// A name that a file gets has to outlast a crash of the machine; see package durable.
func TestRenamesLast(t *testing.T) {
	renames := map[string]bool{} // of renamers, those that do
	for _, f := range sourceFiles(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		i := slices.IndexFunc(renamers, func(r string) bool { return within(f.name, r) })
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && sel.Sel.Name == "Rename" {
					if i < 0 {
						t.Errorf("%s: os.Rename, and not durable.Rename", f.name)
					} else {
						renames[renamers[i]] = true
					}
				}
			}
			return true
		})
	}
	for _, r := range renamers {
		if !renames[r] {
			t.Errorf("renamers: %s renames nothing: remove it", r)
		}
	}
}

// Starting hone costs nothing for a regular expression until something is matched with it.
func TestLazyRegexps(t *testing.T) {
	for _, f := range sourceFiles(t) {
		if strings.HasSuffix(f.name, "_test.go") || !strings.HasPrefix(f.name, "cmd/") && !strings.HasPrefix(f.name, "internal/") && !strings.HasPrefix(f.name, "profile/") {
			continue
		}
		for _, d := range f.syntax.Decls {
			if vars, ok := d.(*ast.GenDecl); ok {
				ast.Inspect(vars, func(n ast.Node) bool {
					if sel, ok := n.(*ast.SelectorExpr); ok {
						if x, ok := sel.X.(*ast.Ident); ok && x.Name == "regexp" && strings.HasPrefix(sel.Sel.Name, "MustCompile") {
							t.Errorf("%s: a package-level variable uses regexp.%s: use lazyregexp.New", f.name, sel.Sel.Name)
						}
					}
					_, isFunc := n.(*ast.FuncLit)
					return !isFunc
				})
			}
		}
	}
}

func TestPackageNames(t *testing.T) {
	for _, f := range sourceFiles(t) {
		name := strings.TrimSuffix(f.syntax.Name.Name, "_test")
		if slices.Contains(nothingNames, name) {
			t.Errorf("%s: package name %q says nothing", f.name, name)
		}
		if dir := path.Base(path.Dir(f.name)); slices.Contains(nothingNames, dir) {
			t.Errorf("%s: folder name %q says nothing", f.name, dir)
		}
	}
}

func TestFileLength(t *testing.T) {
	excused := maps.Clone(longFiles)
	for _, f := range sourceFiles(t) {
		if ast.IsGenerated(f.syntax) {
			continue
		}
		switch reason, ok := excused[f.name]; {
		case f.lines > maxLines && !ok:
			t.Errorf("%s: %d lines, more than %d: split it, or give the reason in longFiles", f.name, f.lines, maxLines)
		case f.lines > maxLines:
			t.Logf("%s: %d lines: %s", f.name, f.lines, reason)
			delete(excused, f.name)
		case f.lines > manyLines:
			t.Logf("%s: %d lines, more than %d", f.name, f.lines, manyLines)
		}
	}
	for name := range excused {
		t.Errorf("longFiles: %s has no more than %d lines: remove it", name, maxLines)
	}
}

// A sourceFile is a Go file of this module.
type sourceFile struct {
	name   string // slash-separated, relative to the module's root
	lines  int
	syntax *ast.File
}

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	files, err := parseOnce()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var parseOnce = sync.OnceValues(parseSources)

// parseSources reads files instead of asking the go command, so that files for
// other platforms count too.
func parseSources() (files []sourceFile, err error) {
	fset := token.NewFileSet()
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "node_modules") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != "." {
				return filepath.SkipDir // a module of its own sees what anybody's does
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || filepath.Dir(name) == "." {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, sourceFile{filepath.ToSlash(name), bytes.Count(text, []byte("\n")), syntax})
		return nil
	})
	return files, err
}

// longestRow returns the row of importTable that covers a package, or "".
func longestRow(pkg string) string {
	row := ""
	for r := range importTable {
		if within(pkg, r) && len(r) > len(row) {
			row = r
		}
	}
	return row
}

// within reports whether a path is another or lies below it.
func within(p, top string) bool {
	return p == top || strings.HasPrefix(p, top+"/")
}

// isStandard reports whether an import path is of the standard library, whose
// first element, unlike that of a module, has no dot.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

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
	"testing"
)

const module = "github.com/hone-go/hone"

// importTable says which packages of this module a package may import. A row
// covers the package and those below it, up to a longer row. Packages under
// one row may import each other. CONTRIBUTING.md shows the table as a picture
// of layers; a new package needs a row here first.
var importTable = map[string][]string{
	// Public. Users' programs import these, so they import next to nothing.
	"profile": {},
	"agent":   {},

	"internal/graphviz": {},
	"internal/trace":    {"profile"},
	"internal/gctrace":  {},
	"internal/srcfind":  {},
	"internal/symbol":   {"profile"},
	// What is measured goes into a run.
	"internal/capture": {"profile", "internal/experiment", "internal/trace"},
	"internal/report":  {"profile", "internal/srcfind", "internal/symbol", "web"}, // its pages have a script of the web UI
	"internal/shell":   {"profile", "internal/report", "internal/srcfind", "internal/symbol"},

	"internal/experiment":       {"profile"},
	"internal/compare":          {"profile", "internal/capture", "internal/experiment", "internal/report"},
	"internal/load":             {},
	"internal/advice":           {"profile", "internal/report"},
	"internal/store":            {"profile"},
	"internal/store/disk":       {"profile", "internal/store"},
	"internal/store/clickhouse": {"profile", "internal/store"},
	"internal/store/storetest":  {"profile", "internal/store"},
	"internal/ingest":           {"profile", "internal/store"},
	// The server sees the store's interface, never an engine.
	"internal/server": {"profile", "internal/report", "internal/shell", "internal/graphviz", "internal/store", "internal/ingest"},
	"web":             {},

	// Examples are users' programs and benchmarks generate their own input:
	// the public packages only.
	"examples": {"profile", "agent"},
	"bench":    {"profile", "agent"},
	// The command wires everything together and imports what it likes.
	everything: {},
}

const everything = "cmd"

// profileMayImport lists all that package profile takes from other modules.
var profileMayImport = []string{
	"github.com/klauspost/compress",
	"github.com/google/pprof/profile", // legacy formats
}

// ownedModules lists heavy modules and the one package that may import each.
var ownedModules = map[string]string{
	"github.com/goccy/go-graphviz":     "internal/graphviz",
	"github.com/tetratelabs/wazero":    "internal/graphviz",
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
		for _, spec := range f.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				target := longestRow(own)
				if target != row && row != everything && !slices.Contains(importTable[row], target) {
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
				if within(imported, mod) && !within(dir, owner) {
					t.Errorf("%s: only %s may import %s", f.name, owner, imported)
				}
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

// A sourceFile is a Go file of this module, parsed up to its imports.
type sourceFile struct {
	name   string // slash-separated, relative to the module's root
	lines  int
	syntax *ast.File
}

// sourceFiles reads files instead of asking the go command, so that files for
// other platforms count too.
func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
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
		syntax, err := parser.ParseFile(fset, name, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, sourceFile{filepath.ToSlash(name), bytes.Count(text, []byte("\n")), syntax})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
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

package hone_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the import table into CONTRIBUTING.md")

const contributing = "CONTRIBUTING.md"

// Lines around the part of CONTRIBUTING.md that comes from importTable.
const (
	tableStart = "<!-- imports: go test . -update -->\n"
	tableEnd   = "<!-- end of imports -->\n"
)

// CONTRIBUTING.md shows the table that TestImports holds the code to.
func TestImportTableIsShown(t *testing.T) {
	text := readContributing(t)
	before, rest, ok1 := strings.Cut(text, tableStart)
	shown, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no part between %q and %q", contributing, tableStart, tableEnd)
	}
	want := importsText()
	if shown == want {
		return
	}
	if !*update {
		t.Fatalf("%s doesn't show importTable: run go test . -update", contributing)
	}
	if err := os.WriteFile(contributing, []byte(before+tableStart+want+tableEnd+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// importsText is importTable in Markdown, from the ground up: a package imports only
// packages of earlier lines.
func importsText() string {
	floors := map[string]int{}
	var floor func(row string) int
	floor = func(row string) int {
		if n, ok := floors[row]; ok {
			return n
		}
		floors[row] = 0 // until its targets are known; ends a circle of rows
		n := 0
		for _, target := range importTable[row] {
			n = max(n, floor(target)+1)
		}
		floors[row] = n
		return n
	}
	floors[everything] = len(importTable) // it comes last
	rows := slices.SortedFunc(maps.Keys(importTable), func(a, b string) int {
		if floor(a) != floor(b) {
			return floor(a) - floor(b)
		}
		return strings.Compare(a, b)
	})
	var sb strings.Builder
	sb.WriteString("| package | may import |\n|---|---|\n")
	for _, row := range rows {
		may := "nothing"
		switch targets := slices.Sorted(slices.Values(importTable[row])); {
		case row == everything:
			may = "everything"
		case row == lazyRegexp:
			may = "nothing; every package may import it"
		case len(targets) > 0:
			may = "`" + strings.Join(targets, "`, `") + "`"
		}
		fmt.Fprintf(&sb, "| `%s` | %s |\n", row, may)
	}
	return sb.String()
}

// foldersOfAKind are folders of the layout that stand for the packages below them.
var foldersOfAKind = []string{"bench", "examples", "internal/ingest"}

// CONTRIBUTING.md's layout names every package, and no folder that isn't there.
func TestLayoutIsShown(t *testing.T) {
	shown := layoutFolders(t, readContributing(t))
	packages := map[string]bool{}
	for _, f := range sourceFiles(t) {
		packages[path.Dir(f.name)] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		ofAKind := slices.ContainsFunc(foldersOfAKind, func(folder string) bool { return within(pkg, folder) })
		if !shown[pkg] && !ofAKind {
			t.Errorf("%s: the layout doesn't name package %s", contributing, pkg)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(shown)) {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			t.Errorf("%s: the layout names %s, which is not a folder", contributing, folder)
		}
	}
	for _, folder := range foldersOfAKind {
		if !shown[folder] {
			t.Errorf("foldersOfAKind: the layout doesn't name %s", folder)
		}
	}
}

var (
	layoutLine  = regexp.MustCompile(`^( *)([\w/]+)/ *(.*)$`)
	layoutBelow = regexp.MustCompile(`(?:^| )([a-z]+)/(?:[ ,;]|$)`) // a folder that the text of a line names
)

// layoutFolders are the folders that the layout names: one per line, indented by two below
// its parent, and those that the line's text names with a slash at the end.
func layoutFolders(t *testing.T, text string) map[string]bool {
	t.Helper()
	_, text, _ = strings.Cut(text, "## Layout\n\n```\n")
	text, _, ok := strings.Cut(text, "```")
	if !ok {
		t.Fatalf("%s has no layout", contributing)
	}
	folders := map[string]bool{}
	var parents []string
	for line := range strings.Lines(text) {
		m := layoutLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || len(m[1])/2 > len(parents) {
			t.Fatalf("%s: can't read this line of the layout: %q", contributing, line)
		}
		parents = parents[:len(m[1])/2]
		folder := path.Join(append(slices.Clone(parents), m[2])...)
		parents = append(parents, m[2])
		folders[folder] = true
		for _, below := range layoutBelow.FindAllStringSubmatch(m[3], -1) {
			folders[path.Join(folder, below[1])] = true
		}
	}
	return folders
}

func readContributing(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(contributing)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

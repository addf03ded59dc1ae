package doc_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestReportingAHole follows the pages to where a hole is reported.
func TestReportingAHole(t *testing.T) {
	for page, link := range map[string]string{"security.md": "(../SECURITY.md)", "../README.md": "(SECURITY.md)", "../SECURITY.md": "**Report a vulnerability**"} {
		if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), link) {
			t.Errorf("%s has no %s: %v", page, link, err)
		}
	}
}

// TestThreatsHaveTests checks that each line of the threat model names a test,
// and that the tests are there.
func TestThreatsHaveTests(t *testing.T) {
	page, err := os.ReadFile("design/0018-threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	known := testNames(t)
	_, threats, _ := strings.Cut(string(page), "## Threats")
	threats, _, _ = strings.Cut(threats, "\n## ")
	lines := regexp.MustCompile(`(?m)^(\d+)\. ((?:.+\n)(?:   .*\n|    .*\n)*)`).FindAllStringSubmatch(threats, -1)
	if len(lines) < 20 {
		t.Fatalf("%d threats", len(lines))
	}
	for i, line := range lines {
		if want := i + 1; line[1] != strconv.Itoa(want) {
			t.Errorf("threat %s stands where %d does", line[1], want)
		}
		names := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(line[2], -1)
		if len(names) == 0 {
			t.Errorf("threat %s names no test", line[1])
		}
		for _, name := range names {
			if !known[name[1]] {
				t.Errorf("threat %s names %s, and there is no such test", line[1], name[1])
			}
		}
	}
}

// testNames returns the names of all tests of the repository.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

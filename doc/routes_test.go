package doc_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRoutes: the reference has every request of the query API, by its method and path.
func TestRoutes(t *testing.T) {
	var reference string
	for _, page := range []string{"reference/api.md", "reference/load.md"} {
		reference += read(t, page)
	}
	route := regexp.MustCompile(`"((?:GET|POST|PUT|PATCH|DELETE) /api/v1/[^"]+)"`)
	placeholder := regexp.MustCompile(`\{(\w+)(?:\.\.\.)?\}`)
	routes := 0
	err := filepath.WalkDir(filepath.Join(root, "internal/server"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range route.FindAllSubmatch(code, -1) {
			routes++
			as := placeholder.ReplaceAllStringFunc(string(m[1]), func(p string) string {
				return strings.ToUpper(placeholder.FindStringSubmatch(p)[1]) // {id} is ID there
			})
			if !regexp.MustCompile("`" + regexp.QuoteMeta(as) + "[`?]").MatchString(reference) {
				t.Errorf("%s answers %s, which is in neither page", path, as)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if routes < 30 {
		t.Errorf("%d routes were found", routes)
	}
}

// TestFields: the reference names every field of the API's values.
func TestFields(t *testing.T) {
	named := map[string]bool{}
	for _, page := range []string{"reference/api.md", "reference/runs.md"} { // runs.md has load.json and run.json
		for _, word := range regexp.MustCompile(`\w+`).FindAllString(read(t, page), -1) {
			named[word] = true
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "internal/api/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	for _, file := range append(files, filepath.Join(root, "internal/report/flame_window.go")) {
		for _, m := range regexp.MustCompile(`json:"(\w+)`).FindAllStringSubmatch(read(t, file), -1) {
			fields++
			if !named[m[1]] {
				t.Errorf("%s has a field %s, which is in neither page", file, m[1])
			}
		}
	}
	if fields < 100 {
		t.Errorf("%d fields were found", fields)
	}
}

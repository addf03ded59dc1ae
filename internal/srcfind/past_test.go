package srcfind

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

// TestAt finds what a file of a module in a folder of its repository was at commits, tags
// and versions.
func TestAt(t *testing.T) {
	repo := gittest.Folder(t, nil)
	hermetic(t, repo)
	dir := filepath.Join(repo, "shop")
	first := "package shop\n\nfunc Sum() int { return 1 }\n"
	gittest.Commit(t, repo, map[string]string{"shop/go.mod": "module example.com/shop\n", "shop/sum.go": first, "secret.go": "package secret\n"})
	gittest.Run(t, repo, "tag", "shop/v1.0.0")
	gittest.Run(t, repo, "tag", "plain")
	commit := strings.TrimSpace(gittest.Run(t, repo, "rev-parse", "HEAD"))
	gittest.Commit(t, repo, map[string]string{"shop/sum.go": strings.ReplaceAll(first, "1", "2"), "shop/new.go": "package shop\n"})
	for _, confined := range []bool{false, true} {
		f := New(Config{Dir: dir, Confined: confined})
		for _, test := range []struct{ file, revision, want string }{
			{"/build/shop/sum.go", commit, "return 1"},
			{"example.com/shop/sum.go", commit[:12], "return 1"},
			{filepath.Join(dir, "sum.go"), "v1.0.0", "return 1"},
			{"example.com/shop/sum.go", "1.0.0", "doesn't have 1.0.0"}, // the tag begins with the folder
			{"example.com/shop/sum.go", "plain", "return 1"},
			{"example.com/shop/sum.go", commit[:12] + "+dirty", "return 1"},
			{"example.com/shop/sum.go", "v0.0.0-20260102150405-" + commit[:12], "return 1"},
			{"example.com/shop/new.go", commit, "new.go is not in commit " + commit[:12]},
			{"example.com/shop/sum.go", "0123456789ab", "doesn't have 0123456789ab: fetch it"},
			{"example.com/shop/sum.go", "HEAD", "doesn't have HEAD"},
			{"example.com/shop/sum.go", "HEAD~1", "invalid revision"},
			{"example.com/shop/sum.go", "--all", "invalid revision"},
			{"example.com/shop/sum.go", "a..b", "invalid revision"},
			{"example.com/shop/sum.go", "", "invalid revision"},
			{"example.com/shop/../secret.go", commit, "no module"},
			{"example.com/other@v1.0.0/x.go", commit, "no module"},
			{"/usr/lib/go/src/fmt/print.go", commit, "no module"},
		} {
			text, err := f.At(t.Context(), test.file, test.revision)
			got := ""
			switch {
			case err != nil:
				got = err.Error()
			case text.Commit != commit || text.Path != filepath.Join(dir, "sum.go"):
				t.Errorf("%s at %s: commit %s, path %s", test.file, test.revision, text.Commit, text.Path)
			default:
				got = strings.Join(text.Lines, "\n")
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%s at %q: %q, want %q", test.file, test.revision, got, test.want)
			}
		}
	}
	if _, err := New(Config{Dir: dir, Confined: true}).At(t.Context(), "example.com/shop/go.mod", commit); err == nil {
		t.Error("a confined search shows a file that isn't source")
	}
}

// TestAtWithoutRepository says that a module outside of repositories has no past.
func TestAtWithoutRepository(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{"go.mod": "module example.com/shop\n", "sum.go": "package shop\n"})
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	hermetic(t, dir)
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), ".git")); err == nil {
		t.Skip("the folder of temporary files is in a repository")
	}
	if _, err := New(Config{Dir: dir}).At(t.Context(), "example.com/shop/sum.go", "0123456789ab"); !errors.Is(err, ErrNoModule) {
		t.Errorf("error %v, want %v", err, ErrNoModule)
	}
}

func TestSpan(t *testing.T) {
	text := &Text{Path: "a.go", Lines: strings.Split("package a\n\nfunc F() {\n\tfunc() {\n\t\tg()\n\t}()\n}\n\nfunc (t *T) M() {\n}\n\nfunc init() {\n}", "\n")}
	for _, test := range []struct {
		name               string
		start, first, last int64
	}{
		{"p/a.F", 3, 3, 7},
		{"p/a.F", 0, 3, 7},
		{"p/a.F.func1", 4, 4, 6},
		{"p/a.F.func1", 0, 3, 7}, // the function around it
		{"p/a.F-range1", 0, 3, 7},
		{"p/a.(*T).M", 0, 9, 10},
		{"p/a.G", 0, 0, 0},
		{"p/a.init.0", 12, 0, 0},
	} {
		first, last, ok := text.Span(test.name, test.start)
		if first != test.first || last != test.last || ok != (test.first > 0) {
			t.Errorf("%s from %d: lines %d to %d, %v", test.name, test.start, first, last, ok)
		}
	}
	if _, _, ok := (&Text{Path: "a.s"}).Span("a.F", 0); ok {
		t.Error("assembly has functions")
	}
}

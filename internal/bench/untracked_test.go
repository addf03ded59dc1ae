package bench

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

// TestDirty measures a commit beside which there are files that git does not know.
func TestDirty(t *testing.T) {
	const test = "package m\n\nimport (\n\t\"embed\"\n\t\"testing\"\n)\n\n//go:embed *.txt\nvar text embed.FS\n\nfunc BenchmarkM(b *testing.B) {}\n"
	for _, c := range []struct {
		name  string
		files map[string]string // not tracked
		tags  string
		want  bool
	}{
		{"nothing else", nil, "", false},
		{"a source file", map[string]string{"more.go": "package m\n"}, "", true},
		{"a test file", map[string]string{"more_test.go": "package m_test\n"}, "", true},
		{"a source file of a package imported", map[string]string{"lib/more.go": "package lib\n"}, "", true},
		{"a source file of a package that is not", map[string]string{"other/other.go": "package other\n"}, "", false},
		{"what is embedded", map[string]string{"b.txt": "b"}, "", true},
		{"a source file for another system", map[string]string{"more_plan9.go": "package m\n"}, "", false},
		{"a source file with a tag", map[string]string{"more.go": "//go:build more\n\npackage m\n"}, "", false},
		{"the same, with the tag given", map[string]string{"more.go": "//go:build more\n\npackage m\n"}, "more", true},
		{"notes and data", map[string]string{"NOTES": "", "testdata/in.txt": ""}, "", false},
		{"what git ignores", map[string]string{"made.go": "package m\n"}, "", false},
		{"a workspace", map[string]string{"go.work": "go 1.24\n\nuse .\n"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "nothing else" && c.name != "a source file" {
				long(t)
			}
			dir := filepath.Join(t.TempDir(), "real")
			commit(t, dir, map[string]string{
				"go.mod": goMod, "m.go": "package m\n\nimport _ \"example.com/m/lib\"\n", "m_test.go": test, "a.txt": "a",
				"lib/lib.go": "package lib\n", ".gitignore": "made.go\n",
			})
			write(t, dir, c.files)
			link := filepath.Join(filepath.Dir(dir), "link")
			if err := os.Symlink(dir, link); err != nil {
				t.Fatal(err)
			}
			b := quickBench(t, link)
			b.Packages, b.Count = []string{"."}, 1
			if c.tags != "" {
				b.BuildFlags = []string{"-tags=" + c.tags}
			}
			report, err := b.Measure(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			run, err := experiment.Open(t.Context(), report.Dir)
			if err != nil {
				t.Fatal(err)
			}
			if run.Head.Commit == "" || run.Head.Dirty != c.want {
				t.Errorf("head is %+v, want dirty %v", run.Head, c.want)
			}
		})
	}
}

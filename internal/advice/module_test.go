package advice

import (
	"path/filepath"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestLocate: files are found by what frames say of them, and none outside of the modules.
func TestLocate(t *testing.T) {
	root := t.TempDir()
	l := &locator{modules: []module{{Path: "example.com/m", Dir: root}}, mains: []string{filepath.Join(root, "cmd", "x")}}
	for _, c := range []struct{ function, file, want string }{
		{"example.com/m.F", "/build/m/f.go", "f.go"},
		{"example.com/m/p.(*T).F", "/build/m/p/f.go", "p/f.go"},
		{"example.com/m/p.test.F", "p/f.go", "p/f.go"},
		{"main.main", filepath.Join(root, "cmd", "x", "main.go"), "cmd/x/main.go"},
		{"main.main", "example.com/m/cmd/x/main.go", "cmd/x/main.go"},
		{"main.main", "/build/cmd/x/main.go", "cmd/x/main.go"},
		{"example.com/other.F", "/build/m/f.go", ""},
		{"example.com/m.F", "/build/m/f.s", ""},
		{"example.com/m/dep.F", "/go/pkg/mod/example.com/m/dep@v1.2.3/f.go", ""},
		{"example.com/m/../../secret.F", "f.go", ""},
		{"example.com/m/p/....F", "f.go", ""},
		{"main.main", filepath.ToSlash(root) + "/../secret/main.go", ""},
		{"main.main", "example.com/m/../../secret/main.go", ""},
	} {
		want := ""
		if c.want != "" {
			want = filepath.Join(root, filepath.FromSlash(c.want))
		}
		if got := l.locate(&profile.Frame{Name: c.function, File: c.file}); got != want {
			t.Errorf("%s in %s is %q, want %q", c.function, c.file, got, want)
		}
	}
}

package advice

import (
	"os"
	"path/filepath"
	"runtime"
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
		{"example.com/m/p.F.(*T).All.func1", "/build/m/p/f.go", "p/f.go"},
		{"example.com/m/p_test.BenchmarkF", "/build/m/p/f_test.go", "p/f_test.go"},
		{"example.com/m/speed_test.F", "/build/m/speed_test/f.go", "speed_test/f.go"},
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

// TestLocateBelowVendor: a module may lie in a folder that is called like those of
// dependencies, which are told by what is below the module.
func TestLocateBelowVendor(t *testing.T) {
	root := filepath.Join(t.TempDir(), "vendor", "app@v2")
	l := &locator{modules: []module{{Path: "example.com/m", Dir: root}}}
	for file, want := range map[string]string{"p/f.go": filepath.Join(root, "p", "f.go"), "vendor/example.com/m/p/f.go": "", ".mod/m@v1.0.0/p/f.go": ""} {
		if got := l.locate(&profile.Frame{Name: "example.com/m/p.F", File: filepath.ToSlash(root) + "/" + file}); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// TestLocateLiteral: files of literals are found by their path, as their names may be of the function that the literal's own was inlined into.
func TestLocateLiteral(t *testing.T) {
	dir, goroot := t.TempDir(), t.TempDir()
	for _, name := range []string{
		filepath.Join(dir, "root.go"), filepath.Join(dir, "iter.go"), filepath.Join(dir, "util", "make.go"), filepath.Join(dir, "cmd", "x", "main.go"),
		filepath.Join(goroot, "src", "maps", "iter.go"),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l := &locator{modules: []module{{Path: "example.com/m", Dir: dir}}, mains: []string{filepath.Join(dir, "cmd", "x")}, goroot: goroot}
	for _, c := range []struct{ name, file, want string }{
		{"example.com/m/util.Make", "/elsewhere/util/make.go", "util/make.go"},
		{"example.com/m/util.Make.func1", "example.com/m/util/make.go", "util/make.go"},
		{"example.com/m.(*T).run.Make.func1", "example.com/m/util/make.go", "util/make.go"}, // inlined
		{"example.com/m.(*T).run.Make.func1", dir + "/util/make.go", "util/make.go"},
		{"example.com/m.(*T).run.Make.func1", "/elsewhere/util/make.go", "util/make.go"},
		{"example.com/m.run.func1", "/elsewhere/root.go", "root.go"},
		{"main.main.Make.func1", "/elsewhere/util/make.go", "util/make.go"},
		{"main.main.func1", "/elsewhere/cmd/x/main.go", "cmd/x/main.go"},
		{"example.com/m.run.Keys[...].func1", "/usr/local/go/src/maps/iter.go", ""},
		{"example.com/m.run.Keys[...].func1", "maps/iter.go", ""},
		{"example.com/m.run.Map.func1", "example.com/other@v1.2.3/map.go", ""},
		{"example.com/m.run.Make.func1", "example.com/m/../../secret/make.go", ""},
		{"example.com/other.Do", "/elsewhere/util/make.go", ""},
	} {
		want := ""
		if c.want != "" {
			want = filepath.Join(dir, filepath.FromSlash(c.want))
		}
		if got := l.locate(&profile.Frame{Name: c.name, File: filepath.ToSlash(c.file)}); got != want {
			t.Errorf("%s in %s on %s: %q, want %q", c.name, c.file, runtime.GOOS, got, want)
		}
	}
}

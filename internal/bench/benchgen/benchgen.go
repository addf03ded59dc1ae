// Package benchgen writes benchmarks from tests: for each exported function that a test or an example calls with inputs that can be
// copied, a benchmark that calls it with the same ones.
package benchgen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/temporary"
)

// A File is a new test file with benchmarks.
type File struct {
	Name       string // absolute
	Text       []byte
	Benchmarks []string
}

// A Refusal is a function for which no benchmark was written, and why.
type Refusal struct{ Function, Why string }

// Generated are the benchmarks generated for packages.
type Generated struct {
	Files   []File
	Refused []Refusal
}

// Generate writes benchmarks for the packages that patterns match in a folder. Nothing is written there: see [File.Write].
func Generate(ctx context.Context, dir string, flags, patterns []string) (*Generated, error) {
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Tests: true, BuildFlags: append([]string{"-buildvcs=false"}, flags...),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedForTest | packages.NeedModule,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("reading packages: %w", err)
	}
	g := new(Generated)
	slices.SortFunc(loaded, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %v", p.PkgPath, p.Errors[0])
		}
		if p.ForTest == "" || p.PkgPath != p.ForTest && p.PkgPath != p.ForTest+"_test" {
			continue
		}
		file, refused, err := benchmarksOf(newTests(p, loaded, g.Files))
		if err != nil {
			return nil, err
		}
		g.Refused = append(g.Refused, refused...)
		if file != nil {
			g.Files = append(g.Files, *file)
		}
	}
	g.Refused = withoutWritten(g.Refused, g.Files)
	if len(g.Files) > 0 {
		err = g.check(ctx, dir, flags)
	}
	return g, err
}

// withoutWritten leaves out functions that got a benchmark from the folder's other test package.
func withoutWritten(refused []Refusal, files []File) []Refusal {
	return slices.DeleteFunc(refused, func(r Refusal) bool {
		return slices.ContainsFunc(files, func(f File) bool { return slices.Contains(f.Benchmarks, benchmarkName(r.Function)) })
	})
}

// check compiles the files with an overlay, so that nothing is written into the folder.
func (g *Generated) check(ctx context.Context, dir string, flags []string) error {
	tmp, err := temporary.Make()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	texts := make(map[string][]byte)
	var folders []string
	for _, f := range g.Files {
		texts[f.Name] = f.Text
		folders = append(folders, filepath.Dir(f.Name))
	}
	overlay, err := gocmd.OverlayTexts(tmp.Path, texts)
	if err != nil {
		return err
	}
	args := slices.Concat([]string{"vet", "-overlay=" + overlay}, flags, slices.Compact(folders))
	if out, err := (gocmd.Command{Dir: dir, Args: args, Run: tmp.Run}).CombinedOutput(ctx); err != nil {
		return fmt.Errorf("the benchmarks written from tests don't compile: %w: %s", err, gocmd.LastLine(out))
	}
	return nil
}

// Write writes the file, unless there is one.
func (f *File) Write() error {
	w, err := os.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s already exists: -gen doesn't replace files", f.Name)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(f.Text)
	return errors.Join(err, w.Close())
}

// Diff returns the file as a patch for git apply, with names relative to root.
func (f *File) Diff(root string) string {
	name := f.Name
	if rel, err := filepath.Rel(root, name); err == nil {
		name = rel
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(f.Text), "\n"), "\n")
	name = filepath.ToSlash(name)
	return fmt.Sprintf("diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n+%s\n", name, name, name, len(lines), strings.Join(lines, "+"))
}

// benchmarksOf writes the file with the benchmarks of a package's test files; nil if there are none.
func benchmarksOf(t *tests) (*File, []Refusal, error) {
	calls, refused := t.choose()
	if len(calls) == 0 {
		return nil, refused, nil
	}
	var body bytes.Buffer
	f := &File{Name: filepath.Join(filepath.Dir(t.GoFiles[0]), "generated_bench_test.go")}
	if strings.HasSuffix(t.Name, "_test") {
		f.Name = strings.TrimSuffix(f.Name, "_test.go") + "_x_test.go"
	}
	imports := map[string]string{"testing": ""}
	for _, c := range calls {
		name := benchmarkName(c.function)
		f.Benchmarks = append(f.Benchmarks, name)
		c.write(&body, name, t)
		for path, as := range c.imports {
			imports[path] = as
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\nimport (\n", t.Name)
	var paths []string
	for path := range imports {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		if strings.Contains(a, ".") != strings.Contains(b, ".") { // the standard library first
			if strings.Contains(a, ".") {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	for i, path := range paths {
		if i > 0 && strings.Contains(path, ".") && !strings.Contains(paths[i-1], ".") {
			fmt.Fprintln(&out)
		}
		fmt.Fprintf(&out, "%s %q\n", imports[path], path)
	}
	fmt.Fprintf(&out, ")\n%s", body.Bytes())
	text, err := format.Source(out.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	f.Text = text
	return f, refused, nil
}

// benchmarkName is the benchmark of a function or method: BenchmarkTreeInsert.
func benchmarkName(function string) string {
	return "Benchmark" + strings.ReplaceAll(function, ".", "")
}

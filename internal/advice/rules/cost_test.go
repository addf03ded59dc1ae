package rules

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/printer"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dearer are the functions of which some calls allocate more after rewrites, and why these
// are offered all the same.
var dearer = map[string]string{
	"buffer_to_builder_text/both":           "nothing may be written where both lists are empty; 900 bytes are between two sizes",
	"buffer_to_builder_text/number":         "nothing is written where it fails at once",
	"concat_into_buffer_points/again":       "the Builder is the caller's, who writes more to it than once",
	"concat_into_buffer_points/joined":      "the bytes are the caller's, who appends more to them than once",
	"concat_into_buffer_points/plot":        "what is joined is 48 bytes by the profile: of 32 or less it is not allocated",
	"loop_invariant_call_search/each":       "the loop has no turn, or fails in the first",
	"map_grows_fill/byID":                   "keys are the same",
	"map_grows_fill/parse":                  "it fails at the first",
	"slice_grows_collect/parse":             "it fails at the first",
	"sprintf_simple_hosts/large":            "numbers are above 255 by the profile",
	"sprintf_simple_pairs/hop":              "numbers are above 255 by the profile",
	"sprintf_simple_quotes/long":            "what is quoted has 16 bytes by the profile",
	"sprintf_simple_writes/later":           "the Builder is the caller's, who writes more to it than once",
	"string_bytes_conversion_writes/others": "a bytes.Reader is 16 bytes larger than a strings.Reader",
	"string_concat_loop_join/join":          "there are four turns and more by the profile",
	"string_concat_loop_join/nested":        "the outer loop has many turns",
	"string_concat_loop_names/glyphs":       "a Builder has room for eight bytes at least",
	"string_concat_loop_names/labels":       "of three turns or less",
}

// TestCost calls each function of the cases that rewrites changed, with arguments of many
// sizes, before and after: no call may allocate more, in objects or bytes.
func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	goldens, err := filepath.Glob("testdata/*/*.go.golden")
	if err != nil {
		t.Fatal(err)
	}
	var changed [][2]string // the package, and the function
	var imports, cases bytes.Buffer
	for _, golden := range goldens {
		file := strings.TrimSuffix(golden, ".golden")
		rule := filepath.Base(filepath.Dir(file))
		name := strings.ReplaceAll(rule, "-", "_") + "_" + strings.TrimSuffix(filepath.Base(file), ".go")
		var sources [2]map[string]string
		for i, from := range []string{file, golden} {
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			f, _ := check(t, from, text)
			sources[i] = functions(t, f)
			text = append(text, "\n// Functions are those of the package.\nvar Functions = map[string]any{\n"...)
			for fn := range sources[i] {
				text = fmt.Appendf(text, "%q: %s,\n", fn, fn)
			}
			text = append(text, "}\n"...)
			write(fmt.Sprintf("%s/%s/a.go", []string{"before", "after"}[i], name), text)
		}
		for fn, source := range sources[0] {
			if sources[1][fn] != source {
				changed = append(changed, [2]string{name, fn})
			}
		}
		fmt.Fprintf(&imports, "before_%[1]s \"example.com/m/before/%[1]s\"\nafter_%[1]s \"example.com/m/after/%[1]s\"\n", name)
		fmt.Fprintf(&cases, "case %[1]q:\nreturn before_%[1]s.Functions[fn], after_%[1]s.Functions[fn]\n", name)
	}
	write("go.mod", []byte("module example.com/m\n\ngo 1.26\n"))
	compare, err := os.ReadFile("testdata/cost/compare.go")
	if err != nil {
		t.Fatal(err)
	}
	write("main.go", compare)
	write("functions.go", fmt.Appendf(nil, "package main\n\nimport (\n%s)\n\nfunc functions(pkg, fn string) (before, after any) {\nswitch pkg {\n%s}\nreturn nil, nil\n}\n", imports.String(), cases.String()))
	program := filepath.Join(dir, "compare")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range changed {
		t.Run(c[0]+"/"+c[1], func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, c[0], c[1])
			cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
			cmd.Dir = dir
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Run(); errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Log("does not end with some arguments")
			} else if err != nil {
				t.Skipf("%v: %s", err, said.String())
			}
			out := said.String()
			why, known := dearer[t.Name()[len("TestCost/"):]]
			switch more := strings.Contains(out, "objects, were"); {
			case more && !known:
				t.Errorf("allocates more:\n%s", out)
			case !more && known:
				t.Errorf("allocates no more, though it was to: %s", why)
			default:
				t.Log(out)
			}
		})
	}
}

// functions are the functions of a file that can be called by name, and what is written there.
func functions(t *testing.T, f *ast.File) map[string]string {
	all := make(map[string]string)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Type.TypeParams != nil || fn.Name.Name == "init" || fn.Name.Name == "_" {
			continue
		}
		var sb strings.Builder
		if err := printer.Fprint(&sb, fset, &ast.FuncDecl{Name: fn.Name, Type: fn.Type, Body: fn.Body}); err != nil {
			t.Fatal(err)
		}
		all[fn.Name.Name] = sb.String()
	}
	return all
}

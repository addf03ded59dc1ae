package rules

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/printer"
	"go/version"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// dearer are the functions of which some calls allocate more after rewrites, and why these
// are offered all the same.
var dearer = map[string]string{
	"append_variant_forms/formatKey":        "a text of more than 64 bytes doesn't fit on the stack; with a profile, there is room for what it shows",
	"append_variant_forms/matches":          "a text of more than 64 bytes doesn't fit on the stack",
	"buffer_to_builder_text/both":           "nothing may be written where both lists are empty; 900 bytes are between two sizes",
	"buffer_to_builder_text/number":         "nothing is written where it fails at once",
	"concat_into_buffer_points/again":       "the Builder is the caller's, who writes more to it than once",
	"concat_into_buffer_points/joined":      "the bytes are the caller's, who appends more to them than once",
	"concat_into_buffer_points/plot":        "what is joined is 48 bytes by the profile: of 32 or less it is not allocated",
	"loop_invariant_call_search/each":       "the loop has no turn, or fails in the first",
	"buffer_to_builder_text/escaped":        "nothing is written",
	"buffer_to_builder_text/marks":          "nothing is written",
	"buffer_to_builder_text/name":           "nothing is written",
	"buffer_to_builder_text/percents":       "nothing is written",
	"kept_temporary_loops/nearest":          "nothing is set anew: all are as near as the first",
	"kept_temporary_loops/histogram":        "slices of up to 32 bytes are on the stack, where no profile shows an allocation",
	"map_grows_fill/byID":                   "keys are the same",
	"map_grows_fill/parse":                  "it fails at the first",
	"slice_grows_collect/parse":             "it fails at the first",
	"sprintf_simple_chosen/quoted":          "no profile says that numbers are below 256, which fmt doesn't allocate for",
	"sprintf_simple_hexadecimal/sums":       "hex.EncodeToString copies its result: fewer objects, and more bytes for long data",
	"sprintf_simple_hosts/large":            "numbers are above 255 by the profile",
	"sprintf_simple_pairs/hop":              "numbers are above 255 by the profile",
	"sprintf_simple_quotes/long":            "what is quoted has 16 bytes by the profile",
	"sprintf_simple_writes/later":           "the Builder is the caller's, who writes more to it than once",
	"sprintf_simple_writes/build":           "a Builder that grows by other steps may end with more room",
	"slice_grows_fields/chosen":             "few iterations append",
	"slice_grows_stored/held":               "it appends to a full slice again",
	"slice_grows_stored/listed":             "it appends to a full slice again",
	"slice_grows_stored/twice":              "it appends to a full slice again",
	"string_bytes_conversion_writes/others": "a bytes.Reader is 16 bytes larger than a strings.Reader",
	"string_concat_loop_before/hex":         "a []byte has room for eight bytes at least",
	"string_concat_loop_before/up":          "there are ten turns and more by the profile",
	"string_concat_loop_join/decimal":       "a []byte has room for eight bytes at least",
	"string_concat_loop_join/join":          "there are four turns and more by the profile",
	"string_concat_loop_join/nested":        "the outer loop has many turns",
	"string_concat_loop_names/glyphs":       "a Builder has room for eight bytes at least",
	"string_concat_loop_names/labels":       "of three turns or less",
}

// uncalled are the functions of which calls can't be compared, and why.
var uncalled = map[string]string{
	"adjacent_indexes_parts/pixels":        "it panics before and after, as the generated arguments are too short",
	"adjacent_indexes_parts/store":         "it takes a function",
	"adjacent_indexes_parts/window":        "it panics before and after, as the generated arguments are too short",
	"append_variant_forms/all":             "it takes a function",
	"append_chain_literal/called":          "it takes a function",
	"append_chain_three/changed":           "it takes a function",
	"byte_loop_fill/pad":                   "some don't end",
	"deep_equal_zero/missing":              "it takes a function",
	"encoder_per_call_compress/serve":      "it takes an http.ResponseWriter",
	"encoder_per_call_compress/text":       "it takes an interface of its own",
	"error_formatted_values/read":          "it takes a reflect.Type",
	"escapes_in_branch_branches/later":     "it takes a function",
	"escapes_in_branch_branches/parse":     "it takes a struct of its own",
	"escapes_in_branch_branches/within":    "it takes a struct of its own",
	"hash_sum_sums/signed":                 "it takes a hash.Hash",
	"header_key_names/handle":              "it takes an http.ResponseWriter",
	"join_literal_keys/alone":              "it takes a table of its own, which is never nil",
	"literal_per_call_written/hashLeaf":    "it takes a hash.Hash",
	"map_grows_fill/clone":                 "it takes an http.Header",
	"map_grows_sum/changed":                "it takes a function",
	"map_grows_fill/positions":             "it takes a function",
	"math_max_boxes/read":                  "it takes a function",
	"object_per_element_points/counted":    "it takes a function",
	"object_per_element_points/unpack":     "it takes a function",
	"reflect_assert_two/fields":            "it takes a reflect.Value",
	"reflect_assert_two/length":            "it takes a reflect.Value",
	"reflect_assert_two/text":              "it takes a reflect.Value",
	"reflect_type_known/isError":           "it takes a reflect.Type",
	"reflect_type_known/isStringer":        "it takes a reflect.Type",
	"regexp_engine_lines/lines":            "it takes a struct of its own",
	"regexp_per_call_handler/greet":        "it takes an http.ResponseWriter",
	"regexp_per_call_local/byAddress":      "it takes a function",
	"regexp_per_call_local/setAgain":       "it compiles what it is called with",
	"regexp_per_call_shared/given":         "it takes a function",
	"shift_loop_shift/received":            "it takes a channel",
	"slide_loop_slide/drop":                "it takes what must not be empty",
	"slice_grows_fields/appendAll":         "it takes a function",
	"slice_grows_fields/tags":              "it takes a function",
	"split_for_one_part_parts/named":       "it takes a struct of its own",
	"split_for_one_part_parts/second":      "the rewrite is for review, as it does not panic where the index does",
	"split_for_one_part_parts/value":       "the rewrite is for review, as it does not panic where the index does",
	"string_bytes_conversion_writes/write": "it takes an os.File",
	"sprintf_simple_keys/keys":             "it writes to a nil map",
	"sprintf_simple_values/methods":        "the rewrite is for review, as fmt survives a panic",
	"sprintf_simple_values/reflected":      "it takes a reflect.Value",
}

// useGoldens replaces the texts of a case's files by those after its rewrites.
func useGoldens(t *testing.T, texts map[string][]byte) {
	t.Helper()
	for name := range texts {
		text, err := os.ReadFile(name + ".golden")
		if err == nil {
			texts[name] = text
		} else if !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

// TestCost calls each function of the cases that rewrites changed, but methods and generic ones,
// with arguments of many sizes, before and after: no call may allocate more, in objects or bytes.
// Files named conditions.go and order.go are about what a rewrite does, in functions too small to gain by it.
func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	// Go 1.27's fmt keeps more on the stack: there two rewrites of sprintf-simple allocate as often or less,
	// and 8 to 24 bytes more.
	if lang := version.Lang(runtime.Version()); lang != "go1.26" {
		t.Skipf("SKIPPED: the cases are of Go 1.26, and this is %s", lang)
	}
	m := newModule(t)
	goldens, err := filepath.Glob("testdata/*/*.go.golden")
	if err != nil {
		t.Fatal(err)
	}
	var changed [][2]string // the package, and the function
	var imports, cases bytes.Buffer
	for _, golden := range goldens {
		file := strings.TrimSuffix(golden, ".golden")
		if base := filepath.Base(file); base == "conditions.go" || base == "order.go" || strings.HasSuffix(base, "_test.go") || strings.Contains(base, "+") { // a rewrite adds tests, and a case may have several files
			continue
		}
		rule := filepath.Base(filepath.Dir(file))
		name := strings.ReplaceAll(rule, "-", "_") + "_" + strings.TrimSuffix(filepath.Base(file), ".go")
		var sources [2]map[string]string
		for i, side := range []string{"before", "after"} {
			texts := textsOf(t, file)
			if side == "after" {
				useGoldens(t, texts)
			}
			_, p := checkAll(t, file, texts)
			sources[i] = make(map[string]string)
			for _, f := range p.Files {
				maps.Copy(sources[i], functions(t, f))
			}
			for other, text := range texts {
				if other != file {
					m.write(fmt.Sprintf("%s/%s/%s", side, name, filepath.Base(other)), text)
				}
			}
			text := append(texts[file], "\n// Functions are those of the package, which may have a variable named any.\nvar Functions = map[string]interface{}{\n"...)
			for _, fn := range slices.Sorted(maps.Keys(sources[i])) {
				text = fmt.Appendf(text, "%q: %s,\n", fn, fn)
			}
			text = append(text, "}\n"...)
			m.write(fmt.Sprintf("%s/%s/a.go", side, name), text)
		}
		for _, fn := range slices.Sorted(maps.Keys(sources[0])) {
			if sources[1][fn] != sources[0][fn] {
				changed = append(changed, [2]string{name, fn})
			}
		}
		fmt.Fprintf(&imports, "before_%[1]s \"example.com/m/before/%[1]s\"\nafter_%[1]s \"example.com/m/after/%[1]s\"\n", name)
		fmt.Fprintf(&cases, "case %[1]q:\nreturn before_%[1]s.Functions[fn], after_%[1]s.Functions[fn]\n", name)
	}
	compare, err := os.ReadFile("testdata/cost/compare.go")
	if err != nil {
		t.Fatal(err)
	}
	m.write("main.go", compare)
	m.write("functions.go", fmt.Appendf(nil, "package main\n\nimport (\n%s)\n\nfunc functions(pkg, fn string) (before, after any) {\nswitch pkg {\n%s}\nreturn nil, nil\n}\n", imports.String(), cases.String()))
	program := m.build()
	listed := make(map[string]bool)
	for _, c := range changed {
		name := c[0] + "/" + c[1]
		listed[name] = true
		t.Run(name, func(t *testing.T) {
			if why := uncalled[name]; why != "" {
				t.Skip(why)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // for what never ends
			defer cancel()
			cmd := exec.CommandContext(ctx, program, c[0], c[1])
			cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=off", "GODEBUG=")
			cmd.Dir = m.dir
			var said bytes.Buffer
			cmd.Stderr = &said
			err := cmd.Run()
			out := said.String()
			switch {
			case err != nil:
				t.Errorf("%v\n%s", err, out)
			case strings.Contains(out, "compared 0\n"):
				t.Error("nothing could be called: say why in uncalled")
			case strings.Contains(out, "panics on one side"):
				t.Errorf("does something else:\n%s", out)
			}
			switch why, more := dearer[name], strings.Contains(out, "objects, were"); {
			case more && why == "":
				t.Errorf("allocates more:\n%s", out)
			case !more && why != "":
				t.Errorf("allocates no more, though dearer says that %s: take it off the list", why)
			default:
				t.Log(out)
			}
		})
	}
	for _, list := range []map[string]string{dearer, uncalled} {
		for name := range list {
			if !listed[name] {
				t.Errorf("%s is listed, and no function that rewrites change", name)
			}
		}
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

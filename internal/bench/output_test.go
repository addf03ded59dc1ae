package bench

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/workspace"
)

func TestReadResult(t *testing.T) {
	const header = "goos: linux\ngoarch: amd64\npkg: example.com/p\ncpu: Some CPU\n"
	for _, c := range []struct {
		name, stdout string
		iterations   int // 0: there is no result
		nanos        float64
		noise        bool
	}{
		{"plain", header + "BenchmarkX/a-2         \t     100\t     12345 ns/op\t      96 B/op\t       3 allocs/op\nPASS\n", 100, 12345, false},
		{"prints a line", header + "BenchmarkX/a-2         \thello\n     100\t     12345 ns/op\t      96 B/op\t       3 allocs/op\nPASS\n", 100, 12345, true},
		{"prints without a newline", header + "BenchmarkX/a-2 \thello     100\t     12345 ns/op\nPASS\n", 100, 12345, true},
		{"prints what looks like a result", header + "BenchmarkX/a-2 \tBenchmarkY \t 5\t 1 ns/op\n     100\t     12345 ns/op\nPASS\n", 100, 12345, true},
		{"metrics of its own", header + "BenchmarkX/a-2 \t 100\t 12345 ns/op\t 0.5000 hits/op\t 1e+06 rows/s\t 96 B/op\t 3 allocs/op\nPASS\n", 100, 12345, false},
		{"small", header + "BenchmarkX/a-2 \t1000000000\t         0.2504 ns/op\nPASS\n", 1e9, 0.2504, false},
		{"not a number", header + "BenchmarkX/a-2 \t 100\t 5 ns/op\t NaN x\t +Inf y\nPASS\n", 100, 5, false},
		{"prints a long line", header + "cpu: " + strings.Repeat("x", 1<<17) + "\nBenchmarkX/a-2 \t 100\t 5 ns/op\nPASS\n", 100, 5, true},
		{"windows", "BenchmarkX/a-2 \t 100\t 5 ns/op\r\nPASS\r\n", 100, 5, false},
		{"skipped", header + "--- SKIP: BenchmarkX/a\nPASS\n", 0, 0, true},
		{"nothing", header + "PASS\n", 0, 0, false},
		{"empty", "", 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			records, r, noise := readResult([]byte(c.stdout), "example.com/p", "X/a-2", "X/a-2")
			if noise != c.noise {
				t.Errorf("noise = %v", noise)
			}
			if r == nil {
				if c.iterations != 0 || records != nil {
					t.Fatal("no result")
				}
				return
			}
			ns, _ := valueOf(r, "ns/op")
			if r.Iters != c.iterations || ns != c.nanos || r.Name.String() != "X/a-2" || r.GetConfig("pkg") != "example.com/p" {
				t.Errorf("%d iterations of %v ns of %s in %q", r.Iters, ns, r.Name, r.GetConfig("pkg"))
			}
		})
	}
}

func TestReadUnits(t *testing.T) {
	records, _, noise := readResult([]byte("Unit hits/op better=higher\nBenchmarkX \t 1\t 5 ns/op\t 2 hits/op\n"), "", "X", "X")
	if len(records) != 2 || noise {
		t.Errorf("%d records, noise %v", len(records), noise)
	}
}

func TestReadNames(t *testing.T) {
	known := map[string]bool{"BenchmarkA": true, "BenchmarkB": true}
	for _, c := range []struct {
		name, stdout string
		want         []string
	}{
		{"plain", "BenchmarkA-2 \t 1\t 5 ns/op\nBenchmarkB/x=1/y-2         \t 1\t 5 ns/op\n", []string{"BenchmarkA-2", "BenchmarkB/x=1/y-2"}},
		{"with prints", "BenchmarkA-2 \thello\nBenchmarkish talk\n 1\t 5 ns/op\nBenchmarkB \t 1\t 5 ns/op\n", []string{"BenchmarkA-2", "BenchmarkB"}},
		{"after a print without newline", "bye BenchmarkA-2 \t 1\t 5 ns/op\n", []string{"BenchmarkA-2"}},
		{"parents have no result", "BenchmarkA-2 \t--- FAIL: BenchmarkA\nBenchmarkB \t 1\t 5 ns/op\n", []string{"BenchmarkB"}},
		{"unknown", "BenchmarkC-2 \t 1\t 5 ns/op\n", nil},
	} {
		if got := readNames([]byte(c.stdout), known); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPatterns(t *testing.T) {
	if got, want := splitPattern(`a(/|b)/[/]c\//d`), []string{`a(/|b)`, `[/]c\/`, "d"}; !slices.Equal(got, want) {
		t.Errorf("split: %q, want %q", got, want)
	}
	if got, ok := narrow("Parse/n=1", "BenchmarkParse"); got != "^BenchmarkParse$/n=1" || !ok {
		t.Errorf("narrowed: %q, %v", got, ok)
	}
	if _, ok := narrow("Parse", "BenchmarkPrint"); ok {
		t.Error("narrowed to what does not match")
	}
	if checkPatterns("a(") == nil {
		t.Error("no error for a(")
	}
}

func TestFirstComplaint(t *testing.T) {
	for _, c := range []struct{ stdout, stderr, want string }{
		{"BenchmarkX \t", "panic: no [recovered]\n\ngoroutine 1 [running]:\n", "panic: no [recovered]"},
		{"--- FAIL: BenchmarkX\n    x_test.go:7: wrong\nFAIL\n", "", "--- FAIL: BenchmarkX: x_test.go:7: wrong"},
		{"BenchmarkX\n    x_test.go:7: wrong\n--- FAIL: BenchmarkX\nFAIL\n", "", "--- FAIL: BenchmarkX: x_test.go:7: wrong"},
		{"", "flag provided but not defined: -x\nUsage\n", "flag provided but not defined: -x"},
		{"", "", "no result"},
	} {
		if got := firstComplaint(&workspace.Outcome{Stdout: []byte(c.stdout), Stderr: []byte(c.stderr)}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

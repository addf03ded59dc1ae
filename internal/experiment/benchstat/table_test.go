package benchstat

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// tableInputs are benchmark files for the differential test, each case with its
// columns.
var tableInputs = []struct {
	name  string
	files []string
}{
	{"two sides", []string{benchText("", 500, 10, 1), benchText("", 550, 10, 2)}},
	{"three sides", []string{benchText("", 500, 10, 1), benchText("", 500, 10, 2), benchText("", 200, 10, 3)}},
	{"one side", []string{benchText("", 500, 10, 1)}},
	{"too few", []string{benchText("", 500, 3, 1), benchText("", 800, 3, 2)}},
	{"packages", []string{
		benchText("pkg: a\n", 500, 6, 1) + benchText("pkg: b\n", 50, 6, 2),
		benchText("pkg: a\n", 400, 6, 3) + benchText("pkg: b\n", 60, 6, 4)}},
	{"another set", []string{
		benchText("", 500, 6, 1) + "BenchmarkOld 1 5 ns/op\n",
		benchText("", 400, 6, 3) + "BenchmarkNew 1 5 ns/op\nBenchmarkNewer-with-a-rather-long-name 1 5e6 ns/op\n"}},
	{"zeros", []string{
		strings.Repeat("BenchmarkA 1 0 allocs/op\nBenchmarkB 1 0 allocs/op\n", 6),
		strings.Repeat("BenchmarkA 1 0 allocs/op\nBenchmarkB 1 2 allocs/op\n", 6)}},
	{"exact units", []string{
		"Unit size assume=exact\nBenchmarkA 1 100 size\nBenchmarkB 1 70 size 3 ns/op\n",
		"Unit size assume=exact\nBenchmarkA 1 104 size\nBenchmarkB 1 70 size 4 ns/op\nBenchmarkB 1 71 size 4 ns/op\n"}},
	{"other machine", []string{benchText("cpu: x\n", 500, 6, 1), benchText("cpu: y\n", 500, 6, 1)}},
}

// benchText makes n results each of three benchmarks; the same for a seed.
func benchText(config string, ns float64, n int, seed uint64) string {
	var b strings.Builder
	b.WriteString("goos: linux\n" + config)
	rng := rand.New(rand.NewPCG(math.Float64bits(ns+float64(seed)/100), 1))
	v := make([]float64, 2*n)
	for i := range v {
		v[i] = (ns + float64(seed)/100) * (1 + .03*(2*rng.Float64()-1))
	}
	for i := range n {
		fmt.Fprintf(&b, "BenchmarkParse/n=10-2 1000 %.2f ns/op %.1f MB/s 96 B/op %d allocs/op\n", v[2*i], 1e4/v[2*i], 3)
		fmt.Fprintf(&b, "BenchmarkEncode-2 1000 %.1f ns/op 123456 B/op 1000 allocs/op\n", 4e3*v[2*i+1])
		fmt.Fprintf(&b, "BenchmarkX 1000 %.3f ns/op 0 B/op %d allocs/op\n", v[2*i]/ns, i%2)
	}
	return b.String()
}

// TestAgainstBenchstat: WriteTables prints what benchstat prints, to the byte.
func TestAgainstBenchstat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds benchstat")
	}
	dir := t.TempDir()
	benchstat := filepath.Join(dir, "benchstat.exe")
	if out, err := exec.Command("go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range tableInputs {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var names []string
			units := make(benchfmt.UnitMetadataMap)
			var columns []Column
			for i, text := range c.files {
				name := fmt.Sprintf("side%d.txt", i)
				names = append(names, name)
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				column, warnings, err := ReadColumn(name, name, strings.NewReader(text), units)
				if err != nil || len(warnings) > 0 {
					t.Fatal(warnings, err)
				}
				columns = append(columns, column)
			}
			cmd := exec.Command(benchstat, names...)
			cmd.Dir = dir
			want, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			tables, err := Tabulate(columns, units)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := WriteTables(&got, tables); err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("got\n%s\nbenchstat prints\n%s", got.String(), want)
			}
		})
	}
}

// TestTabulate checks values where benchstat is not built.
func TestTabulate(t *testing.T) {
	units := make(benchfmt.UnitMetadataMap)
	var columns []Column
	for i, text := range []string{benchText("", 500, 10, 1), benchText("", 1000, 10, 2)} {
		c, _, err := ReadColumn([]string{"old", "new"}[i], "f", strings.NewReader(text), units)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, c)
	}
	tables, err := Tabulate(columns, units)
	if err != nil {
		t.Fatal(err)
	}
	first := tables[0]
	cell := first.Rows[0].Cells[1]
	if first.Unit != "sec/op" || first.Rows[0].Benchmark != "Parse/n=10-2" || cell.VsBase.P > 0.001 || !strings.HasPrefix(cell.Delta, "+10") && !strings.HasPrefix(cell.Delta, "+9") {
		t.Errorf("first row of %s: %+v, delta %s, %v", first.Unit, first.Rows[0], cell.Delta, cell.VsBase)
	}
	if _, err := Tabulate(nil, nil); err == nil {
		t.Error("no results are no error")
	}
}

func TestReadColumn(t *testing.T) {
	units := make(benchfmt.UnitMetadataMap)
	if _, _, err := ReadColumn("a", "a.txt", strings.NewReader("Unit u better=higher\nBenchmarkA 1 2 u\n"), units); err != nil {
		t.Fatal(err)
	}
	c, warnings, err := ReadColumn("b", "b.txt", strings.NewReader("text\nUnit u better=lower\nBenchmarkA 1 x ns/op\nBenchmarkA 1 3 ns/op\n"), units)
	if err != nil || len(c.Results) != 1 || len(warnings) != 2 ||
		!strings.HasPrefix(warnings[0], "b.txt:3: ") || !strings.HasPrefix(warnings[1], "b.txt:2: unit u has better=lower here, higher before") {
		t.Errorf("%d results, warnings %q, %v", len(c.Results), warnings, err)
	}
}

func TestCellSamples(t *testing.T) {
	c, _, err := ReadColumn("a", "a", strings.NewReader("BenchmarkB-2 1 1 ns/op\nBenchmarkB-2 1 2 ns/op\nBenchmarkB-2 1 3 ns/op\n"), make(benchfmt.UnitMetadataMap))
	if err != nil {
		t.Fatal(err)
	}
	tables, err := Tabulate([]Column{c}, nil)
	if err != nil || tables[0].Rows[0].Cells[0].Samples() != 3 {
		t.Errorf("%+v, %v", tables, err)
	}
}

package benchstat

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchtext"
)

func columnOf(t *testing.T, text string) (Column, []string) {
	t.Helper()
	c, warnings, err := ReadColumn("a.txt", "a.txt", strings.NewReader(text), make(benchfmt.UnitMetadataMap))
	if err != nil {
		t.Fatal(err)
	}
	return c, warnings
}

const goHeader = "goos: linux\ngoarch: amd64\npkg: p\ncpu: any\n"

// TestGaps: what go test prints of what it could not measure.
func TestGaps(t *testing.T) {
	a := "BenchmarkA-2   \t     100\t        5.0 ns/op\n"
	for _, c := range []struct{ name, text, want string }{
		{"passed", goHeader + a + "PASS\nok  \tp\t1.2s\n", ""},
		{"passed, of the test binary", goHeader + a + "PASS\n", ""},
		{"of a tool", "pkg: p\nBenchmarkA-2 100 5 ns/op\n", ""},
		{"no header", a, ""},
		{"no test files", "?   \tq\t[no test files]\n" + goHeader + a + "PASS\nok  \tp\t1.2s\n", ""},
		{"a log that speaks of panics", goHeader + "panic: not really\n" + a + "PASS\nok  \tp\t1.2s\n", ""},
		{"a log before the result", goHeader + "BenchmarkA-2   \thello\n     100\t        5.0 ns/op\nPASS\nok  \tp\t1.2s\n", ""},
		{"twice", goHeader + a + "PASS\nok  \tp\t1.2s\n" + goHeader + a + "PASS\nok  \tp\t1.2s\n", ""},
		{"cut", goHeader + a, "p: " + cutShort},
		{"cut in a benchmark", goHeader + a + "BenchmarkB-2   \t", "p.B-2: " + cutShort},
		{"cut in the second package", goHeader + a + "PASS\nok  \tp\t1.2s\npkg: q\nBenchmarkB-2 100 5 ns/op\n", "q: " + cutShort},
		{"cut before the second package", goHeader + a + strings.Replace(goHeader, "pkg: p", "pkg: q", 1) + a + "PASS\nok  \tq\t1.2s\n", "p: " + cutShort},
		{"panic", goHeader + a + "BenchmarkB-2   \tpanic: boom\n\ngoroutine 7 [running]:\nexit status 2\nFAIL\tp\t0.1s\nFAIL\n", "p.B-2: panic: boom"},
		{"panic, of the test binary", goHeader + a + "BenchmarkB-2   \tpanic: boom\n\ngoroutine 7 [running]:\n", "p.B-2: panic: boom"},
		{"b.Fatal", goHeader + a + "BenchmarkB-2   \t--- FAIL: BenchmarkB-2\n    p_test.go:9: wrong\nFAIL\nexit status 1\nFAIL\tp\t0.1s\nFAIL\n", "p.B-2: --- FAIL: BenchmarkB-2: p_test.go:9: wrong"},
		{"a test fails", "--- FAIL: TestX (0.00s)\n    p_test.go:5: wrong\nFAIL\nexit status 1\nFAIL\tp\t0.1s\nFAIL\n", "p: --- FAIL: TestX (0.00s): p_test.go:5: wrong"},
		{"log.Fatal", goHeader + "BenchmarkB-2   \t2026/01/02 no disk\nexit status 1\nFAIL\tp\t0.1s\n", "p.B-2: 2026/01/02 no disk: exit status 1"},
		{"timeout", goHeader + a + "panic: test timed out after 1s\nrunning tests:\n\nexit status 2\nFAIL\tp\t1.0s\nFAIL\n", "p: panic: test timed out after 1s"},
		{"killed", goHeader + a + "signal: killed\nFAIL\tp\t1.0s\nFAIL\n", "p: signal: killed"},
		{"race", goHeader + a + "==================\nWARNING: DATA RACE\n" + a + "PASS\nexit status 66\nFAIL\tp\t1.0s\n", "p: WARNING: DATA RACE, p: exit status 66"},
		{"build failed", "# q [q.test]\n./q_test.go:3:2: undefined: x\n" + goHeader + a + "PASS\nok  \tp\t1.2s\nFAIL\tq [build failed]\nFAIL\n", "q: FAIL [build failed] ./q_test.go:3:2: undefined: x"},
		{"setup failed", "FAIL\tq [setup failed]\n" + goHeader + a + "PASS\nok  \tp\t1.2s\nFAIL\n", "q: FAIL [setup failed]"},
		{"only FAIL is left", a + "PASS\nFAIL\n", "FAIL"},
	} {
		for _, ends := range []string{"\n", "\r\n"} {
			column, _ := columnOf(t, strings.ReplaceAll(c.text, "\n", ends))
			var got []string
			for _, g := range column.Gaps(nil) {
				got = append(got, g.String())
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("%s: %q, want %q", c.name, text, c.want)
			}
		}
	}
	whole, _ := columnOf(t, "pkg: p\nBenchmarkA-2 100 5 ns/op\nPASS\n")
	part, _ := columnOf(t, "pkg: p\nBenchmarkA-2 100 5 ns/op\n")
	if n := len(part.Gaps(&whole)); n != 1 || len(whole.Gaps(&part)) != 0 {
		t.Errorf("beside a file that says how its package ended, one that does not has %d gaps", n)
	}
}

// A result that was not written to its end is none.
func TestTornResult(t *testing.T) {
	c, _ := columnOf(t, goHeader+"BenchmarkA-2   \t 100\t 5.0 ns/op\t 12 B/op\nBenchmarkA-2   \t 100\t 5.0 ns/op\t 1 B")
	if len(c.Results) != 1 || len(c.Results[0].Values) != 2 {
		t.Errorf("%d results: %+v", len(c.Results), c.Results)
	}
}

// events returns what go test -json prints for what it prints without, cut at odd places
// as it does.
func events(t *testing.T, text, pkg string, more ...map[string]string) string {
	var b bytes.Buffer
	for line := range strings.Lines(text) {
		for part := range strings.SplitAfterSeq(line, "\t ") {
			if err := json.NewEncoder(&b).Encode(map[string]string{"Action": "output", "Package": pkg, "Output": part}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, e := range more {
		if err := json.NewEncoder(&b).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func encoded(text string, order binary.AppendByteOrder, mark string) string {
	b := []byte(mark)
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// TestReadColumnEncodings: results are the same, whatever wrote the file.
func TestReadColumnEncodings(t *testing.T) {
	text := goHeader + "BenchmarkÄ-2   \t     100\t        5.0 ns/op\t 7 µs\nBenchmarkÄ-2   \t     100\t        6.0 ns/op\nPASS\nok  \tp\t1.2s\n"
	passed := map[string]string{"Action": "pass", "Package": "p"}
	windows := strings.ReplaceAll(text, "\n", "\r\n")
	for name, c := range map[string]struct{ text, gaps string }{
		"as it is":             {text, "[]"},
		"Windows":              {windows, "[]"},
		"UTF-8 with a mark":    {"\xef\xbb\xbf" + text, "[]"},
		"PowerShell":           {encoded(windows, binary.LittleEndian, "\xff\xfe"), "[]"},
		"UTF-16 big-endian":    {encoded(text, binary.BigEndian, "\xfe\xff"), "[]"},
		"UTF-16 without mark":  {encoded(text, binary.LittleEndian, ""), "[]"},
		"UTF-16, half a unit":  {encoded(text, binary.LittleEndian, "\xff\xfe") + "x", "[]"},
		"go test -json":        {events(t, text, "p", passed), "[]"},
		"the same, PowerShell": {encoded(events(t, text, "p", passed), binary.LittleEndian, "\xff\xfe"), "[]"},
		"cut":                  {events(t, strings.Replace(text, "PASS\nok  \tp\t1.2s\n", "", 1), "p"), "[p: " + cutShort + "]"},
		"failed": {events(t, text, "p", passed, map[string]string{"Action": "build-output", "ImportPath": "q [q.test]", "Output": "# q [q.test]\n"},
			map[string]string{"Action": "build-output", "ImportPath": "q [q.test]", "Output": "./q.go:3: undefined: x\n"},
			map[string]string{"Action": "fail", "Package": "q"}), "[q: FAIL ./q.go:3: undefined: x]"},
	} {
		column, warnings := columnOf(t, c.text)
		var got []string
		for _, r := range column.Results {
			for _, v := range r.Values {
				got = append(got, fmt.Sprintf("%s.%s %.9g %s", r.GetConfig("pkg"), r.Name, v.Value, v.Unit))
			}
		}
		if want := []string{"p.Ä-2 5e-09 sec/op", "p.Ä-2 7 µs", "p.Ä-2 6e-09 sec/op"}; !slices.Equal(got, want) || len(warnings) > 0 || fmt.Sprint(column.Gaps(nil)) != c.gaps {
			t.Errorf("%s: %q, %q, gaps %v", name, got, warnings, column.Gaps(nil))
		}
	}
	if _, _, err := ReadColumn("", "a.txt", strings.NewReader("\xff\xfe\x00\x00B\x00\x00\x00"), nil); err == nil || !strings.Contains(err.Error(), "UTF-32") {
		t.Errorf("UTF-32: %v", err)
	}
}

// TestLongLines: a long line that tests print hides no result, and one of the results is
// named with its place.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", benchtext.LongestLine+1)
	most := "key: " + strings.Repeat("y", benchtext.LongestLine-5)
	text := func(line string) string {
		return line + "\n" + goHeader + "BenchmarkA 100 5 ns/op\n" + line + "\nBenchmarkB 100 6 ns/op\nPASS\nok  \tp\t1.2s\n" + long
	}
	first := len(strings.Split(goHeader, "\n")) + 2
	for _, c := range []struct {
		line string
		told bool
	}{
		{"{\"msg\":\"" + long + "\"}", false}, {long, false}, {"a log: of " + long, false}, {most, false}, {most + "z", true},
		{"BenchmarkC \tlogged " + long, true}, {"Unit " + long, true}, {"BenchmarkC 100 5 ns/op" + strings.Repeat(" 5 metric", 10_000), true},
	} {
		column, warnings := columnOf(t, text(c.line))
		if len(column.Results) != 2 || column.Results[1].Name.String() != "B" {
			t.Errorf("%.20s: %d results", c.line, len(column.Results))
		}
		var want []string
		if c.told {
			for _, at := range []int{1, first} {
				want = append(want, fmt.Sprintf("%s:%d: the line has %d bytes, more than the 65535 that a line of results may have, and is left out", column.Label, at, len(c.line)))
			}
		}
		if !slices.Equal(warnings, want) {
			t.Errorf("%.20s: %.200q, want %q", c.line, warnings, want)
		}
	}
}

// TestNameByCPU: go test -cpu 1,2 prints size-2 on one CPU as size on two.
func TestNameByCPU(t *testing.T) {
	results := func(names ...string) string { // each value is the place in the file
		var b strings.Builder
		b.WriteString("pkg: p\n")
		for i, n := range names {
			fmt.Fprintf(&b, "Benchmark%s 1 %d place\n", n, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, text string
		want       string // what the names became
		mixed      bool
	}{
		{"none in doubt", results("A", "A-2", "B", "B-2"), "A A-2 B B-2", false},
		{"one CPU", results("n", "n-2", "n-4"), "n n-2 n-4", false},
		{"told by the order", results("X/n-2", "X/n-2-2", "X/n", "X/n-2"), "X/n-2-1 X/n-2-2 X/n X/n-2", false},
		{"neighbours", results("X/n", "X/n", "X/n-2", "X/n-2", "X/n-2", "X/n-2", "X/n-2-2", "X/n-2-2"),
			"X/n X/n X/n-2 X/n-2 X/n-2-1 X/n-2-1 X/n-2-2 X/n-2-2", false},
		{"two first", results("A-2", "A", "n-2-2", "n-2", "n-2", "n"), "A-2 A n-2-2 n-2-1 n-2 n", false},
		{"three counts", results("n", "n-2", "n-4", "n-2", "n-2-2", "n-2-4"), "n n-2 n-4 n-2-1 n-2-2 n-2-4", false},
		{"a result is missing", results("A", "A-2", "n", "n-2", "n-2-2"), "A A-2 n n-2 n-2-2", true},
	} {
		column, warnings := columnOf(t, c.text)
		var got []string
		for _, r := range column.Results {
			got = append(got, r.Name.String())
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
		said := fmt.Sprint(warnings)
		if strings.Contains(said, "is the name of two benchmarks") != (c.mixed || strings.Contains(c.want, "-1")) || strings.Contains(said, "are mixed") != c.mixed {
			t.Errorf("%s: warnings %q", c.name, warnings)
		}
	}
}

// A value of 0 is of the same series as others in its unit.
func TestZeroHasAUnit(t *testing.T) {
	c, _ := columnOf(t, "BenchmarkA 1 0 ns/op 3 MB/s\nBenchmarkA 1 5 ns/op 0 MB/s\n")
	if s := experiment.SeriesApart(c.Results, c.Results); len(s) != 2 || len(s[0].Samples) != 4 || s[0].Unit != "ns/op" {
		t.Errorf("%+v", s)
	}
}

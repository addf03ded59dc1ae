package rules

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-go/hone/internal/advice"
)

// recorded gives advice on a program in testdata/recorded with its profiles, which are of a benchmark. With
// source, that file has this text instead.
func recorded(t *testing.T, name string, source map[string]string, o advice.Options) (report *advice.Report, dir string) {
	t.Helper()
	data := filepath.Join("testdata", "recorded", name)
	path := map[string]string{"csvline": "example.com/csvline", "report": "example.com/prog"}[name]
	dir = recordedModule(t, data, "module "+path+"\n\ngo 1.24\n")
	for file, instead := range source {
		text, err := os.ReadFile(filepath.Join(data, instead))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var inputs []advice.Input
	for _, kind := range []string{"cpu", "mem"} {
		inputs = append(inputs, advice.Input{Profile: recordedProfile(t, filepath.Join(data, kind+".pb.gz")), Kind: kind, Subject: "Render"})
	}
	o.Dir, o.Rules, o.Likely = dir, All(), Likely
	report, err := advice.Advise(t.Context(), inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	return report, dir
}

// findingOf is the first finding of a rule.
func findingOf(t *testing.T, r *advice.Report, rule string) *advice.Finding {
	t.Helper()
	for i := range r.Findings {
		if r.Findings[i].Rule == rule {
			return &r.Findings[i]
		}
	}
	t.Fatalf("no finding of %s", rule)
	return nil
}

// TestBoundHolds: what hone fix measured of a rewrite isn't more than the finding said at most. In both
// programs the text that grows by + is most of the garbage: besides the collector's own time, the one
// goroutine that sweeps has the scheduler switch all the time.
func TestBoundHolds(t *testing.T) {
	for _, c := range []struct {
		program string
		proven  float64 // times as fast, measured with the rewrite
	}{
		{"csvline", 1 / 0.2154},
		{"report", 1 / 0.1195},
	} {
		report, _ := recorded(t, c.program, nil, advice.Options{})
		b := findingOf(t, report, "string-concat-loop").Bound
		if b.Speedup < c.proven {
			t.Errorf("%s: at most %.2f times as fast, and %.2f times was measured: %+v", c.program, b.Speedup, c.proven, b)
		}
		if !(b.GC > 0.3 && b.Time <= 1 && b.Time > b.GC) {
			t.Errorf("%s: %+v", c.program, b)
		}
	}
}

// TestDisjoint: the findings on one line don't count the same samples. The line appends a text that Sprintf
// makes, and the arguments' copies in interfaces belong to Sprintf.
func TestDisjoint(t *testing.T) {
	for _, program := range []string{"csvline", "report"} {
		report, _ := recorded(t, program, nil, advice.Options{})
		concat, sprintf := findingOf(t, report, "string-concat-loop"), findingOf(t, report, "sprintf-simple")
		if concat.Line != sprintf.Line {
			t.Fatalf("lines %d and %d", concat.Line, sprintf.Line)
		}
		below := make(map[string]float64)
		line := 0.0
		for _, callee := range concat.Evidence.Callees {
			below[callee.Function] = callee.Share
			line += callee.Share
		}
		if got, want := concat.Evidence.CPU.Share, below["runtime.concatstring2"]; got != want {
			t.Errorf("%s: + has %.3f of the time, want %.3f", program, got, want)
		}
		if got, want := sprintf.Evidence.CPU.Share, below["fmt.Sprintf"]+below["runtime.convTstring"]+below["runtime.convT64"]; got > want+1e-9 || got < below["fmt.Sprintf"] {
			t.Errorf("%s: Sprintf has %.3f of the time, want up to %.3f", program, got, want)
		}
		if sum := concat.Evidence.CPU.Share + sprintf.Evidence.CPU.Share; sum > line+1e-9 {
			t.Errorf("%s: the two have %.3f of the time, and the line %.3f", program, sum, line)
		}
	}
}

// TestFindingText: what a person reads.
func TestFindingText(t *testing.T) {
	for _, c := range []struct{ golden, program string }{
		{"csvline/advice.txt", "csvline"},
		{"report/advice.txt", "report"},
	} {
		report, dir := recorded(t, c.program, nil, advice.Options{})
		checkText(t, filepath.Join("testdata", "recorded", c.golden), report, dir)
	}
}

// TestFixedSince: a profile from before a fix. The fix added an import and a declaration in the function, so
// the line is neither where the profile has it nor as far from where the function begins.
func TestFixedSince(t *testing.T) {
	report, dir := recorded(t, "csvline", map[string]string{"csv.go": "fixed.txt"}, advice.Options{})
	f := findingOf(t, report, "sprintf-simple")
	if f.Text != `outBuilder.WriteString(fmt.Sprintf("%s,%d\n", r.Name, r.N))` {
		t.Errorf("line %d: %s", f.Line, f.Text)
	}
	if len(report.Changed) != 1 || report.Changed[0] != filepath.Join(dir, "csv.go") {
		t.Errorf("changed: %q", report.Changed)
	}
	if unchanged, _ := recorded(t, "csvline", nil, advice.Options{}); len(unchanged.Changed) != 0 {
		t.Errorf("changed, though the source is that of the profile: %q", unchanged.Changed)
	}
}

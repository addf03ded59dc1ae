package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/tune"
)

// boundModule has a benchmark that spends most of its time in collections: much is
// alive, and little is done.
var boundModule = map[string]string{
	"go.mod":   "module example.com/bound\n\ngo 1.24\n",
	"bound.go": "package bound\n\nvar live []*int\n\n// Buffer makes one.\nfunc Buffer() []byte { return make([]byte, 1<<10) }\n\n// Grow keeps n more.\nfunc Grow(n int) {\n\tfor range n {\n\t\tlive = append(live, new(int))\n\t}\n}\n",
	"bound_test.go": `package bound

import "testing"

var sink []byte

func BenchmarkBuffer(b *testing.B) {
	Grow(1_000_000 - len(live))
	b.ResetTimer()
	for range b.N {
		sink = Buffer()
	}
}
`,
}

// TestFixSettings: a finding without a rewrite leads to what can be tried.
func TestFixSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	moduleOfFiles(t, boundModule)
	// Whether a profile of a busy machine has enough samples is no matter here.
	found := advice.Finding{ID: "gc-bound-123456", Rule: "gc-bound", Class: advice.AdviceOnly, State: advice.Bounded, Title: "collections", Try: advice.BySetting}
	found.Evidence.Subjects = []string{"Buffer-2"}
	if err := adviceStore().Keep(&advice.Report{Findings: []advice.Finding{found}}, map[string]tune.Benchmark{"Buffer-2": {Package: "example.com/bound", Benchmark: "Buffer-2"}}); err != nil {
		t.Fatal(err)
	}
	hone(t, "fix", "-try", "GOGC=x", "gc-bound").failsWith(t, exitUsage, `invalid setting "GOGC=x"`)
	hone(t, "fix", "-check", "gc-bound").failsWith(t, exitUsage, "-check can't be used with")
	if got := succeed(t, "fix", "-n", "gc-bound"); got != "GOGC=200\nGOGC=400\n" {
		t.Errorf("fix -n:\n%s", got)
	}
	var results []struct {
		Finding, State string
		Kept           bool
		Settings       []struct {
			Setting, State, Why, Run string
			Changes                  []struct{ Unit string }
		}
	}
	got := hone(t, "fix", "-json", "-count", "6", "-benchtime", "100000x", "-try", "GOGC=400", "gc-bound")
	if err := json.Unmarshal([]byte(got.stdout), &results); err != nil {
		t.Fatalf("%v, exit code %d\n%s%s", err, got.code, got.stdout, got.stderr)
	}
	// What the machine makes of it is its own affair, and other tests': here it is told.
	r := results[0]
	if len(results) != 1 || r.Kept || len(r.Settings) != 1 || r.Settings[0].Setting != "GOGC=400" || r.Settings[0].Run == "" || len(r.Settings[0].Changes) < 2 ||
		(got.code == exitOK) != (r.State == "confirmed") || got.code != exitOK && got.code != exitMissed {
		t.Errorf("exit code %d, %+v", got.code, results)
	}
	history, err := os.ReadFile(".hone/advice/history.jsonl")
	if err != nil || !strings.Contains(string(history), `"setting":"GOGC=400"`) {
		t.Errorf("%v, history %s", err, history)
	}
	if got := hone(t, "fix", "-count", "6", "-benchtime", "10000x", "gc-bound"); !strings.Contains(got.stdout, "    GOGC=200: ") || !strings.Contains(got.stdout, "    GOGC=400: ") ||
		!strings.Contains(got.stdout, "    GOGC=off GOMEMLIMIT=") || !strings.Contains(got.stdout, "measurement: hone compare ") {
		t.Errorf("exit code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestFixProfile: a profile that a program is built without is tried on the benchmarks of
// what is hot in it, and put in place only if they get faster.
func TestFixProfile(t *testing.T) {
	at := inApp(t)
	if got := succeed(t, "advise", "-compiler=false", at("cpu.tree.pb.gz")); !strings.Contains(got, "hone fix pgo-off-") {
		t.Fatal(got)
	}
	hone(t, "fix", "-check", "pgo-off").failsWith(t, exitUsage, "-check can't be used with")
	kept := strings.TrimSpace(succeed(t, "fix", "-n", "pgo-off"))
	if p, err := os.ReadFile(kept); err != nil || len(p) == 0 {
		t.Fatalf("the profile that it is of: %v", err)
	}
	// There is nothing to measure by.
	o := hone(t, "fix", "pgo-off")
	if o.code != exitMissed || !strings.Contains(o.stdout, "inconclusive  pgo-off-") || !strings.Contains(o.stdout, "have no benchmarks") || infile.Exists("default.pgo") {
		t.Fatalf("%+v", o)
	}
	if !testing.Short() { // builds the standard library for a profile
		write(t, "tree_test.go", "package main\n\nimport \"testing\"\n\nfunc BenchmarkMix(b *testing.B) {\n\tfor range b.N {\n\t\tmix(uint64(b.N))\n\t}\n}\n")
		o = hone(t, "fix", "-json", "-count", "6", "-benchtime", "1000x", "pgo-off")
		var results []tune.Result
		if err := json.Unmarshal([]byte(o.stdout), &results); err != nil || len(results) != 1 {
			t.Fatalf("%v %+v", err, o)
		}
		// What the machine makes of it is its own affair: it is put in place if confirmed.
		r := results[0]
		if r.Run == "" || r.Kept != (r.State == advice.Confirmed) || r.Kept != infile.Exists("default.pgo") || r.Kept != (o.code == exitOK) {
			t.Errorf("exit code %d, %+v", o.code, r)
		}
	}
	write(t, "default.pgo", "")
	hone(t, "fix", "pgo-off").failsWith(t, exitFailure, "default.pgo")
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	hone(t, "fix", "pgo-off").failsWith(t, exitFailure, "hone advise PROFILE keeps it")
	if found, err := filepath.Glob(".hone/advice/*.patch"); err != nil || len(found) != 0 {
		t.Errorf("patches %v, %v", found, err)
	}
}

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
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
	out := hone(t, "advise", "-profiletime", "2s", ".")
	if out.code != exitOK || !strings.Contains(out.stdout, "hone fix gc-bound-") || !strings.Contains(out.stdout, "measures settings of the collector") {
		t.Fatalf("exit code %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	hone(t, "fix", "-try", "GOGC=x", "gc-bound").failsWith(t, exitUsage, `"GOGC=x" is no setting`)
	hone(t, "fix", "-check", "gc-bound").failsWith(t, exitUsage, "-check measures nothing")
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
	if got := succeed(t, "advise", "latest~1"); !strings.Contains(got, r.State+" on ") {
		t.Errorf("advise says nothing of the trial:\n%s", got)
	}
}

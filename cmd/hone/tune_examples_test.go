package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/tune"
)

// TestTuneExamples has hone tune find and prove by itself what the examples were written
// to show, starting from the slow version. How many times as fast each gets depends on the
// machine, and is logged; what it allocates does not.
func TestTuneExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for minutes")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		example, file string
		uses, slow    string // in the file: the version in use, and the one to begin with
		bench         string
		rule          string   // that has to be confirmed
		allocations   float64  // as a share of those before, at most
		stays         []string // rules of what has to stay advice
	}{
		{"visitors", "greet.go", "{ greetScanned(w, r) }", "{ greetCompile(w, r) }", "InUse", "regexp-per-call", 0.2, nil},
		{"strjoin", "route.go", "t.findBuffer(method, path)", "t.findEscapingJoin(method, path)", "InUse", "join-literal", 0.5, nil},
		{"jsonreq", "process.go", "processPooled(requests)", "processGenerated(requests)", "InUse", "string-concat-loop", 0.5, nil},
		{"shakespeare", "", "", "", "Handler/regexp", "regexp-per-call", 0.5, []string{"read-per-request", "string-bytes-conversion"}},
	} {
		t.Run(c.example, func(t *testing.T) {
			moduleOfFiles(t, exampleFiles(t, root, c.example, c.file, c.uses, c.slow))
			var got tune.Outcome
			for range 3 { // what a measurement can't tell is asked again
				out := hone(t, "tune", "-json", "-most", "1", "-bench", c.bench, "-benchtime", "20ms", "-profiletime", "300ms")
				got = tune.Outcome{}
				if err := json.Unmarshal([]byte(out.stdout), &got); out.code != exitOK || err != nil || len(got.Tried) != 1 {
					t.Fatalf("exit code %d, %v\n%s%s", out.code, err, out.stdout, out.stderr)
				}
				if got.Tried[0].State != "inconclusive" {
					break
				}
			}
			if r := got.Tried[0]; r.Rule != c.rule || !r.Kept {
				t.Fatalf("%s is %s: %s", r.Finding, r.State, r.Why)
			}
			fewer := false
			for _, change := range got.Changes {
				t.Logf("%s: %.5g before, %.5g after", change.Unit, change.Before, change.After)
				fewer = fewer || change.Unit == "allocs/op" && change.After <= c.allocations*change.Before
			}
			if !fewer {
				t.Errorf("not %v of the allocations: %+v", c.allocations, got.Changes)
			}
			for _, rule := range c.stays {
				i := slices.IndexFunc(got.Left, func(f advice.Finding) bool { return f.Rule == rule })
				if i < 0 || got.Left[i].Class != advice.AdviceOnly {
					t.Errorf("%s is none of the advice that stays: %+v", rule, got.Left)
				}
			}
		})
	}
}

// exampleFiles are an example's, as a module by itself, with one call replaced. Left out
// are the tests that say how slow the first version is, which won't stay.
func exampleFiles(t *testing.T, root, example, file, old, new string) map[string]string {
	t.Helper()
	files := map[string]string{"go.mod": "module example.com/" + example + "\n\ngo 1.26\n"}
	dir := filepath.Join(root, "examples", example)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || e.Name() == "ratio_test.go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() == file {
			if !bytes.Contains(text, []byte(old)) {
				t.Fatalf("%s of %s has no %q", file, example, old)
			}
			text = bytes.Replace(text, []byte(old), []byte(new), 1)
		}
		files[e.Name()] = string(text)
	}
	// A module of its own has its requirements beside it.
	files["go.mod"] = strings.NewReplacer("=> ../../agent", "=> "+filepath.Join(root, "agent"), "=> ../..\n", "=> "+root+"\n").Replace(files["go.mod"])
	return files
}

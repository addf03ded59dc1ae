package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/internal/prove"
)

// sum appends to a slice without a capacity, and fasterSum to one with it. Both return the same for all numbers.
const (
	sum       = "package m\n\nfunc Sum(n int) []int {\n\tall := []int{}\n\tfor i := range n {\n\t\tall = append(all, i)\n\t}\n\treturn all\n}\n"
	fasterSum = "package m\n\nfunc Sum(n int) []int {\n\tall := make([]int, 0, max(n, 0))\n\tfor i := range n {\n\t\tall = append(all, i)\n\t}\n\treturn all\n}\n"
)

// commitSum changes to a new module that is committed: sum with a test and a benchmark.
func commitSum(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	gittest.Commit(t, ".", map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": sum,
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif all := Sum(9); len(all) != 9 {\n\t\tt.Error(all)\n\t}\n}\n\n" +
			"func BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t\tSum(100)\n\t}\n}\n",
	})
}

// TestProve judges a patch on standard input, a branch and the working tree, and checks exit codes.
func TestProve(t *testing.T) {
	commitSum(t)
	gittest.Run(t, ".", "checkout", "-q", "-b", "topic")
	gittest.Commit(t, ".", map[string]string{"m.go": fasterSum})
	patch := gittest.Run(t, ".", "diff", "HEAD~1", "HEAD")
	gittest.Run(t, ".", "checkout", "-q", "-")
	// With fewer iterations, what the runtime allocates meanwhile shows in bytes per operation.
	quick := []string{"prove", "-count", "2", "-benchtime", "20000x", "-json"}
	for _, c := range []struct {
		stdin string
		args  []string
	}{{patch, []string{"-"}}, {"", []string{"..topic"}}} {
		o := honeWith(t, nil, c.stdin, append(quick, c.args...)...)
		var proof prove.Proof
		if err := json.Unmarshal([]byte(o.stdout), &proof); err != nil || o.code != exitOK || len(proof.Candidates) != 1 {
			t.Fatalf("%v: exit code %d, %v\n%s%s", c.args, o.code, err, o.stdout, o.stderr)
		}
		if got := proof.Candidates[0]; got.State != prove.Right || got.Allocations != "fewer" || got.Run == "" {
			t.Errorf("%v: %s, %s: %s\n%s", c.args, got.State, got.Allocations, got.Why, o.stdout)
		}
	}
	gittest.Write(t, ".", map[string]string{"m.go": strings.Replace(sum, "range n", "range n-1", 1)})
	if o := hone(t, "prove"); o.code != exitMissed || !strings.HasPrefix(o.stdout, "wrong, not measured  working tree\n") {
		t.Errorf("a wrong working tree: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	gittest.Write(t, ".", map[string]string{"m.go": sum + "\nfunc More() {}\n"})
	if o := hone(t, "prove"); o.code != exitFailure || !strings.Contains(o.stdout, "hone bench -new More") {
		t.Errorf("without a benchmark: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := hone(t, "prove", "-gen"); o.code != exitFailure || !strings.Contains(o.stdout, "tests call no exported function that does") {
		t.Errorf("without a benchmark and a test for one: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for want, args := range map[string][]string{
		"working tree changes nothing in HEAD":     {},
		"no file none.patch":                       {"none.patch"},
		"-for and -count can't be combined":        {"-for", "1m", "-count", "3"},
		"invalid -for -1m0s":                       {"-for", "-1m"},
		`no branch, tag or commit "strat"`:         {"strat.."},
		"but another base is strat: give all cand": {"-base", "strat", "..topic"},
	} {
		if len(args) == 0 {
			gittest.Write(t, ".", map[string]string{"m.go": sum})
		}
		if o := hone(t, append([]string{"prove"}, args...)...); o.code != exitFailure && o.code != exitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("hone prove %v: exit code %d, want %q\n%s", args, o.code, want, o.stderr)
		}
	}
	if text, err := os.ReadFile("m.go"); err != nil || string(text) != sum {
		t.Errorf("the working tree changed: %v\n%s", err, text)
	}
}

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// objectivesText has one objective of each kind.
const objectivesText = `[[objective]]
name = "counting is fast"
benchmark = "^Count/"
metric = "ns/op"
max = "20µs"

[[objective]]
benchmark = "."
metric = "ns/op"
budget = "10%"

[[objective]]
benchmark = "^Hash$"
metric = "allocs/op"
max = 0

[[objective]]
name = "few regular expressions"
benchmark = "^Count/"
profile = "cpu"
metric = "share"
function = '^regexp\.'
max = "10%"

[[objective]]
name = "hashing itself"
benchmark = "^Hash$"
profile = "cpu"
metric = "share"
function = 'fnv'
flat = true
min = "50%"

[[objective]]
benchmark = "^Count/"
profile = "mem"
metric = "total/op"
max = "4KiB"

[[objective]]
benchmark = "^Count/"
profile = "cpu"
metric = "total/op"
function = "mapassign"
max = "1ms"
`

func TestCheck(t *testing.T) {
	type wanted struct {
		name, config string
		args         []string
		code         int
	}
	cases := []wanted{
		{"head", objectivesText, []string{headRun}, exitOK},
		{"head, all", objectivesText, []string{"-v", headRun}, exitOK},
		{"base", objectivesText, []string{baseRun}, exitMissed},
		{"against", objectivesText, nil, exitOK},
		{"head against base", objectivesText, []string{"-base", baseRun, headRun}, exitOK},
		{"base against head", objectivesText, []string{"-base", headRun, baseRun}, exitMissed},
		{"base against file", objectivesText, []string{"-base", "old.txt", "new.txt"}, exitMissed},
		{"several files", objectivesText, []string{"old.txt", "new.txt"}, exitFailure},
		{"no such benchmark", "[[objective]]\nbenchmark = \"Nope\"\nmetric = \"ns/op\"\nmax = 3\n", nil, exitFailure},
		{"no such profile", "[[objective]]\nbenchmark = \"Hash\"\nprofile = \"mutex\"\nmetric = \"total/op\"\nmax = 3\n", nil, exitFailure},
		{"not per operation", "[[objective]]\nbenchmark = \"Count\"\nprofile = \"mem\"\nsample-type = \"inuse_space\"\nmetric = \"total/op\"\nmax = 3\n", nil, exitFailure},
		{"no such sample type", "[[objective]]\nbenchmark = \"Count\"\nprofile = \"mem\"\nsample-type = \"delay\"\nmetric = \"total/op\"\nmax = 3\n", nil, exitFailure},
		{"other dimension", "[[objective]]\nbenchmark = \"Count\"\nprofile = \"mem\"\nmetric = \"total/op\"\nmax = \"3ms\"\n", nil, exitFailure},
		{"budget only", "[[objective]]\nbenchmark = \"Count\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n", []string{headRun}, exitOK},
		{"benchmark gone", "[[objective]]\nbenchmark = \".\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n", []string{"-base", "old.txt", "other.txt"}, exitFailure},
		{"gone, and not asked for", "[[objective]]\nbenchmark = \"Other\"\nmetric = \"ns/op\"\nmax = 600\n", []string{"-base", "old.txt", "other.txt"}, exitOK},
		{"metric gone", "[[objective]]\nbenchmark = \"Hash\"\nmetric = \"allocs/op\"\nbudget = \"0%\"\n", []string{"-base", "old.txt", "nomem.txt"}, exitFailure},
		{"too few samples", "[[objective]]\nbenchmark = \"Hash\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n", []string{"-base", "few.txt", "few2.txt"}, exitFailure},
		{"panicked", "[[objective]]\nbenchmark = \"Hash\"\nmetric = \"ns/op\"\nmax = 600\n", []string{"panicked.txt"}, exitFailure},
		{"missed and failed", "[[objective]]\nbenchmark = \"Hash\"\nmetric = \"ns/op\"\nmax = 6\n", []string{"panicked.txt"}, exitMissed},
		{"another package failed", "[[objective]]\nbenchmark = \"Hash\"\nmetric = \"ns/op\"\nmax = 600\n", []string{"-base", "old.txt", "other-failed.txt"}, exitFailure},
		{"base failed", "[[objective]]\nbenchmark = \"Hash\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n", []string{"-base", "panicked.txt", "old.txt"}, exitFailure},
		{"new benchmark", "[[objective]]\nbenchmark = \"Count\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n", []string{"-base", "other.txt", headRun}, exitOK},
	}
	file := goldenFile(t, "check.golden")
	inModule(t)
	write(t, "old.txt", "pkg: example.com/words\n"+benchLines("Hash-2", 8, 500, " 0 B/op 0 allocs/op")+benchLines("Count/n=20-2", 8, 500, ""))
	write(t, "new.txt", "pkg: example.com/words\n"+benchLines("Hash-2", 8, 800, " 0 B/op 1 allocs/op")+benchLines("Count/n=20-2", 8, 505, ""))
	write(t, "other.txt", benchLines("Other-2", 8, 500, ""))
	hash := benchLines("Hash-2", 8, 500, "")
	write(t, "nomem.txt", "pkg: example.com/words\n"+hash+benchLines("Count/n=20-2", 8, 500, ""))
	write(t, "few.txt", benchLines("Hash-2", 2, 500, ""))
	write(t, "few2.txt", benchLines("Hash-2", 2, 900, ""))
	write(t, "panicked.txt", "pkg: example.com/words\n"+hash+"BenchmarkSum-2 \tpanic: boom\n\ngoroutine 1 [running]:\nexit status 2\nFAIL\texample.com/words\t0.1s\nFAIL\n")
	write(t, "other-failed.txt", "pkg: example.com/words\n"+hash+benchLines("Count/n=20-2", 8, 500, "")+"PASS\nok  \texample.com/words\t2.1s\n--- FAIL: TestLess (0.00s)\n    less_test.go:9: wrong\nFAIL\nFAIL\texample.com/less\t0.1s\nFAIL\n")
	var all strings.Builder
	for _, c := range cases {
		write(t, "hone.toml", c.config)
		o := hone(t, append([]string{"check"}, c.args...)...)
		if o.code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.name, o.code, c.code)
		}
		all.WriteString("== " + c.name + "\n" + o.stdout)
		if o.stderr != "" {
			all.WriteString("-- standard error\n" + o.stderr)
		}
		misses := strings.Count("\n"+o.stdout, "\nFAIL ")
		if (misses > 0) != (o.code != exitOK) {
			t.Errorf("%s: %d misses and exit code %d", c.name, misses, o.code)
		}

		j := hone(t, append([]string{"check", "-json"}, c.args...)...)
		var out checkedJSON
		if err := json.Unmarshal([]byte(j.stdout), &out); err != nil || j.code != c.code || out.Failed != (c.code != exitOK) {
			t.Errorf("%s: -json: exit code %d, %v\n%s", c.name, j.code, err, j.stdout)
		}
		failed := 0
		for _, x := range out.Outcomes {
			if x.Fails {
				failed++
			}
		}
		if failed+len(out.Unmeasured) != misses {
			t.Errorf("%s: %d fail in JSON, %d in text", c.name, failed, misses)
		}
	}
	golden(t, file, all.String())
}

func TestCheckErrors(t *testing.T) {
	inModule(t)
	hone(t, "check").failsWith(t, exitFailure, "no hone.toml in this module")
	hone(t, "check", "-config", "x.toml").failsWith(t, exitFailure, "open x.toml")
	write(t, "hone.toml", "# nothing\n")
	hone(t, "check").failsWith(t, exitFailure, "hone.toml has no objectives")
	write(t, "hone.toml", "[[objective]]\nbenchmark = \"(\"\nmetric = \"B/op\"\nmaximum = 3\nmax = \"5ms\"\n")
	hone(t, "check").failsWith(t, exitFailure, "hone.toml:4:1: unknown key", "; hone.toml:2:13: benchmark: missing closing )")
	write(t, "hone.toml", objectivesText)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"20990101"}, exitFailure, `no run "20990101"`},
		{[]string{"nothere.txt"}, exitFailure, "open nothere.txt"},
		{[]string{"-base", "nothere.txt"}, exitFailure, "-base: open nothere.txt"},
		{[]string{headRun, baseRun}, exitUsage, "only one run can be checked at once"},
		{[]string{"-against", "main"}, exitFailure, "not in a git repository"},
		{[]string{"-dir", t.TempDir()}, exitFailure, "no complete run in"},
	} {
		hone(t, append([]string{"check"}, c.args...)...).failsWith(t, c.code, c.want)
	}
	write(t, filepath.Join(".hone", "runs", headRun, "profiles", "example.com%2Fwords@Hash-2", "cpu.pb.gz"), "x")
	hone(t, "check", headRun).failsWith(t, exitFailure, "cpu.pb.gz: offset 1: ends here")
}

// hone check -against measures by itself.
func TestCheckAgainst(t *testing.T) {
	benchModule(t)
	write(t, "hone.toml", "[[objective]]\nbenchmark = \"Make\"\nmetric = \"allocs/op\"\nmax = 2\n\n"+
		"[[objective]]\nbenchmark = \"Make\"\nmetric = \"allocs/op\"\nbudget = \"0%\"\n\n"+
		"[[objective]]\nbenchmark = \"Make\"\nprofile = \"mem\"\nmetric = \"total/op\"\nmax = \"1KiB\"\n")
	args := []string{"check", "-v", "-against", "HEAD", "-count", "2", "-benchtime", "10000x", "-precheck", "0", "-profile", "none"}
	o := hone(t, args...)
	if o.code != 0 {
		t.Fatalf("an improvement ends with %+v", o)
	}
	wantLines(t, o.stdout, `^ ok +.*allocs/op.*hone.toml:1`, `^\d{8}-\S+ against HEAD.*: 3 met$`)
	if top := hone(t, "top", "latest:Make/mem"); top.code != 0 {
		t.Errorf("no profile for the objective: %+v", top)
	}

	edit(t, "range 1", "range 4")
	o = hone(t, append(args, "-json")...)
	var got struct {
		Outcomes []struct{ Status string }
	}
	if o.code != exitMissed || json.Unmarshal([]byte(o.stdout), &got) != nil || len(got.Outcomes) != 3 {
		t.Errorf("a regression ends with %+v", o)
	}

	// What no objective names has the budgets of hone bench -against.
	write(t, "hone.toml", "[[objective]]\nbenchmark = \"Make\"\nmetric = \"allocs/op\"\nmax = 1000\n")
	o = hone(t, args...)
	if o.code != exitMissed {
		t.Errorf("a regression that no objective bounds ends with %+v", o)
	}
	wantLines(t, o.stdout, `^ ok +.*allocs/op.*hone.toml:1`, `^REGRESSION  .*Make.* allocs/op: `, `^\d{8}-\S+ against HEAD.*: \d regressions?, 1 met$`)

	for _, bad := range []struct {
		args []string
		want string
	}{
		{[]string{"check", "-against", "HEAD", "-base", "latest"}, "-base can't be combined with -against"},
		{[]string{"check", "-count", "3"}, "-count needs -against REF"},
		{[]string{"check", "-against", ""}, "-against is empty"},
	} {
		if o := hone(t, bad.args...); o.code != exitUsage || !strings.Contains(o.stderr, bad.want) || !strings.Contains(o.stderr, "hone help check") {
			t.Errorf("hone %q: %+v", bad.args, o)
		}
	}
	if o := hone(t, "check", "-against", "nowhere"); o.code != exitFailure {
		t.Errorf("no such revision: %+v", o)
	}
}

// A benchmark that can't be the same on both sides fails no gate, and the gate says so.
func TestCheckAnotherBenchmark(t *testing.T) {
	benchModule(t)
	write(t, "hone.toml", "[[objective]]\nbenchmark = \"Make\"\nmetric = \"allocs/op\"\nbudget = \"0%\"\n")
	write(t, "m.go", "package m\n\nvar sink []byte\n\nfunc Made() {\n\tfor range 9 {\n\t\tsink = make([]byte, 100)\n\t}\n}\n")
	write(t, "m_test.go", "package m\n\nimport \"testing\"\n\nfunc BenchmarkMake(b *testing.B) {\n\tfor range b.N {\n\t\tMade()\n\t}\n}\n")
	o := hone(t, "check", "-v", "-against", "HEAD", "-count", "2", "-benchtime", "100x", "-precheck", "0", "-profile", "none")
	if o.code != 0 {
		t.Errorf("a benchmark of each side fails the gate: %+v", o)
	}
	wantLines(t, o.stdout+o.stderr, `^ +\? .*Make.*inconclusive: the benchmark itself changed.*uncertain`, `the benchmark itself changed, and each side ran its own.*m_test.go differs`)
}

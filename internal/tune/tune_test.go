package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
)

const goMod = "module example.com/m\n\ngo 1.24\n"

// slow makes a string per number, fast none: a difference that any machine counts the
// same.
const (
	slow = "package m\n\nimport \"fmt\"\n\nfunc Length(n int) int { return len(fmt.Sprint(n)) }\n"
	fast = "package m\n\nfunc Length(n int) int {\n\tl := 1\n\tif n < 0 {\n\t\tl++\n\t}\n\tfor ; n > 9 || n < -9; n /= 10 {\n\t\tl++\n\t}\n\treturn l\n}\n"
	rash = "package m\n\nfunc Length(n int) int {\n\tl := 1\n\tfor ; n > 9; n /= 10 {\n\t\tl++\n\t}\n\treturn l\n}\n" // wrong for what the test doesn't ask
	same = "package m\n\nimport \"fmt\"\n\nfunc Length(n int) int { return len(fmt.Sprint(n)) } // the same\n"
	bad  = "package m\n\nfunc Length(n int) int { return 3 }\n"
	torn = "package m\n\nfunc Length(n int) int { return undefined }\n"
	more = "package m\n\nimport \"fmt\"\n\nfunc Length(n int) int { return len(fmt.Sprint(fmt.Sprint(n), fmt.Sprint(n))) / 2 }\n"

	tests = `package m

import "testing"

func TestLength(t *testing.T) {
	if Length(12345) != 5 {
		t.Error("wrong")
	}
}

func BenchmarkLength(b *testing.B) {
	for i := range b.N {
		Length(i + 1e6)
	}
}
`
)

func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func finding(dir, before, after string) *advice.Finding {
	file := filepath.Join(dir, "m.go")
	return &advice.Finding{
		ID: "test-123456", Rule: "test", Class: advice.Review, Package: "example.com/m", Function: "Length", File: file, Line: 5, Title: "it is slow", Why: "Because.",
		Fix: &advice.Fix{Diff: "--- a/m.go\n+++ b/m.go\n", Files: []advice.FileChange{{File: file, Before: []byte(before), After: []byte(after)}}},
	}
}

func tuner(t *testing.T, dir string) *Tuner {
	return &Tuner{Dir: dir, Bench: bench.Bench{
		// The slow one takes some 30 ms for so many: on a busy machine a pair that
		// looks the other way round is rare then.
		Count: 10, PreCheck: -1, Layouts: bench.NoLayouts, Benchtime: bench.Length{Iterations: 300_000}, Store: filepath.Join(t.TempDir(), "runs"),
	}}
}

var length = []bench.ID{{Package: "example.com/m", Benchmark: "Length"}}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTry: what a rewrite comes to, and that a file is touched only by one that is
// confirmed.
func TestTry(t *testing.T) {
	for _, c := range []struct {
		name, after string
		files       map[string]string // more of the module
		benchmarks  []bench.ID
		want        advice.State
		why         string
	}{
		{"better", fast, nil, length, advice.Confirmed, "Length"},
		{"the same program", same, nil, length, advice.Refuted, "same program"},
		{"more allocations", more, nil, length, advice.Refuted, "worse: "},
		{"does not build", torn, nil, length, advice.Refuted, "go vet"},
		{"wrong", bad, nil, length, advice.Refuted, "tests fail with the rewrite, and pass without"},
		{"other results", rash, nil, length, advice.Refuted, "but it answers otherwise than before: Length("},
		{
			"wrong for another package", bad,
			map[string]string{"other/other_test.go": "package other\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m\"\n)\n\nfunc Test(t *testing.T) {\n\tif m.Length(1) != 1 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n", "m_test.go": "package m\n"},
			length, advice.Refuted, "tests fail with the rewrite",
		},
		{"tests fail anyway", fast, map[string]string{"fail_test.go": "package m\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Error(\"always\") }\n"}, length, advice.Inconclusive, "also fail without the rewrite"},
		{"tests of others fail anyway", fast, map[string]string{"other/other_test.go": "package other\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m\"\n)\n\nfunc TestFails(t *testing.T) { t.Error(m.Length(1)) }\n"}, length, advice.Confirmed, "Length"},
		{"all of the package", fast, nil, nil, advice.Confirmed, "Length"},
		{"no benchmark", fast, map[string]string{"m_test.go": "package m\n"}, nil, advice.Patched, "no benchmark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.want != advice.Confirmed {
				t.Skip("builds and measures a module")
			}
			files := map[string]string{"go.mod": goMod, "m.go": slow, "m_test.go": tests}
			for name, text := range c.files {
				files[name] = text
			}
			dir := module(t, files)
			var r *Result
			// A busy machine is judged by CPU time, which takes more iterations to tell from that of starting the process.
			for _, more := range []int{1, 10, 100} {
				u := tuner(t, dir)
				u.Bench.Benchtime.Iterations *= more
				var err error
				if r, err = u.Try(t.Context(), finding(dir, slow, c.after), c.benchmarks); err != nil {
					t.Fatal(err)
				}
				if r.State != advice.Inconclusive || c.want == advice.Inconclusive {
					break
				}
			}
			want := slow
			if c.want == advice.Confirmed {
				want = c.after
			}
			if r.State != c.want || !strings.Contains(r.Why, c.why) || r.Kept != (c.want == advice.Confirmed) {
				t.Errorf("%s, kept %v: %s\n%s", r.State, r.Kept, r.Why, r.Output)
			}
			if strings.Contains(c.name, "others fail") != strings.Contains(r.Caveat, "TestFails") {
				t.Errorf("caveat %q", r.Caveat)
			}
			if got := read(t, filepath.Join(dir, "m.go")); got != want {
				t.Errorf("the file is\n%s", got)
			}
			if info, err := os.Stat(filepath.Join(dir, "m.go")); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%v, mode %v", err, info.Mode())
			}
		})
	}
}

// TestTryFlaky: a test that fails now and then decides nothing.
func TestTryFlaky(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	dir := module(t, map[string]string{"go.mod": goMod, "m.go": slow, "m_test.go": tests, "flaky_test.go": `package m

import (
	"os"
	"testing"
)

func TestFlaky(t *testing.T) {
	if _, err := os.Stat(` + "`" + count + "`" + `); err != nil {
		os.WriteFile(` + "`" + count + "`" + `, nil, 0o666)
		t.Error("the first time")
	}
}
`})
	r, err := tuner(t, dir).Try(t.Context(), finding(dir, slow, fast), length)
	if err != nil || r.State != advice.Inconclusive || !strings.Contains(r.Why, "flaky") || r.Kept {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestDependents: also where go list has more to say than the list, of a module without
// packages here.
func TestDependents(t *testing.T) {
	dir := module(t, map[string]string{
		"go.work":      "go 1.26\n\nuse ./m\nuse ./empty\n",
		"m/go.mod":     "module example.com/m\n\ngo 1.26\n",
		"m/m.go":       "package m\n",
		"m/fast.go":    "//go:build fast\n\npackage m\n",
		"m/use/use.go": "package use\n\nimport _ \"example.com/m\"\n",
		"m/own/own.go": "package own\n",
		"empty/go.mod": "module example.com/empty\n\ngo 1.26\n",
	})
	t.Setenv("GOWORK", "")
	got, err := tuner(t, dir).dependents(t.Context(), "example.com/m", []advice.FileChange{{File: filepath.Join(dir, "m", "m.go")}})
	if want := []string{"example.com/m", "example.com/m/use"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("dependents %q, %v; want %q", got, err, want)
	}
	if _, err := tuner(t, dir).dependents(t.Context(), "example.com/m", []advice.FileChange{{File: filepath.Join(dir, "m", "m.go")}, {File: filepath.Join(dir, "m", "fast.go")}}); err == nil || !strings.Contains(err.Error(), "fast.go isn't part of example.com/m in this build") {
		t.Errorf("of a file with other build tags: %v", err)
	}
}

// TestTryRefuses: files that changed since, or that have somebody's unsaved work.
func TestTryRefuses(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": goMod, "m.go": slow, "m_test.go": tests})
	if _, err := tuner(t, dir).Try(t.Context(), finding(dir, fast, slow), length); err == nil || !strings.Contains(err.Error(), "has changed since") {
		t.Errorf("changed: %v", err)
	}
	if _, err := tuner(t, dir).Try(t.Context(), &advice.Finding{ID: "x", Why: "Do it yourself."}, length); !errors.Is(err, errNoFix) || !strings.Contains(err.Error(), "Do it yourself.") {
		t.Errorf("advice: %v", err)
	}
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "go.mod")
	if _, err := tuner(t, dir).Try(t.Context(), finding(dir, slow, fast), length); !errors.Is(err, ErrUncommitted) {
		t.Errorf("not committed: %v", err)
	}
	git("config", "status.showUntrackedFiles", "no")
	if _, err := tuner(t, dir).Try(t.Context(), finding(dir, slow, fast), length); !errors.Is(err, ErrUncommitted) {
		t.Errorf("not committed, and not shown by git: %v", err)
	}
	config := filepath.Join(dir, ".git", "config")
	whole := read(t, config)
	git("config", "core.repositoryformatversion", "99")
	if _, err := tuner(t, dir).Try(t.Context(), finding(dir, slow, fast), length); err == nil || errors.Is(err, ErrUncommitted) || !strings.Contains(err.Error(), "-dirty") {
		t.Errorf("git fails: %v", err)
	}
	if err := os.WriteFile(config, []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	u := tuner(t, dir)
	u.Dirty = true
	for try := 1; ; try++ {
		r, err := u.Try(t.Context(), finding(dir, slow, fast), length)
		if err == nil && r.Kept {
			break
		} else if err != nil || r.State != advice.Inconclusive || try == 3 {
			t.Fatalf("-dirty: %v, %+v", err, r)
		}
		u.Bench.Benchtime.Iterations *= 10 // see TestTry
	}
	// What a tuner wrote is its own, so that it may go on with it.
	u.Dirty = false
	r, err := u.Try(t.Context(), finding(dir, fast, more), length)
	if err != nil || r.State != advice.Refuted {
		t.Errorf("its own: %v, %+v", err, r)
	}
	report, err := u.Before(t.Context(), length)
	if err != nil || report.Family == nil {
		t.Fatalf("before and after: %v", err)
	}
	changes := Changes(report.Family)
	if i := slices.IndexFunc(changes, func(c Change) bool { return c.Unit == "allocs/op" }); i < 0 || !(changes[i].Before > changes[i].After) {
		t.Errorf("before and after: %+v", changes)
	}
}

// TestTryNoCopy: what is rewritten is a link's target, and git has no copy of ignored files.
func TestTryNoCopy(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"link":    {"go.mod": goMod, "m.txt": fast},
		"ignored": {"go.mod": goMod, ".gitignore": "m.go\n"},
	} {
		dir := module(t, files)
		if name == "link" {
			if err := os.Symlink("m.txt", filepath.Join(dir, "m.go")); err != nil {
				t.Skip(err)
			}
		}
		for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "first"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "m.go"), []byte(slow), 0o666); err != nil { // through the link
			t.Fatal(err)
		}
		if _, err := tuner(t, dir).Try(t.Context(), finding(dir, slow, fast), length); !errors.Is(err, ErrUncommitted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTryInterrupted: what ends it leaves the tree as it was.
func TestTryInterrupted(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": goMod, "m.go": slow, "m_test.go": tests})
	ctx, cancel := context.WithCancel(t.Context())
	u := tuner(t, dir)
	u.Stage = func(stage, _ string) {
		if stage == "measure" {
			cancel()
		}
	}
	if r, err := u.Try(ctx, finding(dir, slow, fast), length); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %+v", err, r)
	}
	if got := read(t, filepath.Join(dir, "m.go")); got != slow {
		t.Errorf("the file is\n%s", got)
	}
	if names, err := filepath.Glob(filepath.Join(dir, ".hone-*")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v %v", names, err)
	}
}

// TestAdded: files that a rewrite adds are written with it, survive the store, are absent before it, and
// never replace another file.
func TestAdded(t *testing.T) {
	dir := module(t, map[string]string{"go.mod": goMod, "m.go": slow})
	f := finding(dir, slow, fast)
	added := filepath.Join(dir, "length_test.go")
	const text = "package m\n"
	f.Fix.Files = append(f.Fix.Files, advice.FileChange{File: added, New: true, After: []byte(text)})
	s := Store{Dir: filepath.Join(dir, ".hone", "advice")}
	if err := s.Keep(&advice.Report{Findings: []advice.Finding{*f}}, nil); err != nil {
		t.Fatal(err)
	}
	found, _, err := s.Find("test")
	if err != nil || len(found.Fix.Added()) != 1 || found.Fix.Files[1].File != added || string(found.Fix.Files[1].After) != text {
		t.Fatalf("from the store: %+v, %v", found, err)
	}
	u := tuner(t, dir)
	if err := u.unchanged(t.Context(), found.Fix); err != nil {
		t.Fatal(err)
	}
	if err := u.keep(found.Fix); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "m.go")); got != fast {
		t.Errorf("the file is\n%s", got)
	}
	if got := read(t, added); got != text {
		t.Errorf("the added file is\n%s", got)
	}
	if before, ok := u.first[added]; !ok || before != nil {
		t.Errorf("before, the added file was %q, %v", before, ok)
	}
	found.Fix.Files[0].Before = []byte(fast)
	if err := u.unchanged(t.Context(), found.Fix); err == nil || !strings.Contains(err.Error(), "which exists") {
		t.Errorf("a file that exists: %v", err)
	}
}

// severalFiles is a rewrite of two files and a new one.
func severalFiles(dir string) *advice.Finding {
	f := finding(dir, slow, fast)
	f.Fix.Files = append(f.Fix.Files,
		advice.FileChange{File: filepath.Join(dir, "sub", "more.go"), Before: []byte("package sub\n"), After: []byte("package sub // more\n")},
		advice.FileChange{File: filepath.Join(dir, "sub", "new.go"), New: true, After: []byte("package sub\n")})
	return f
}

// TestSeveralFiles: a rewrite is kept with all of its files, or none, and changes none that was edited since.
func TestSeveralFiles(t *testing.T) {
	begin := func(t *testing.T) (dir string, f *advice.Finding, u *Tuner) {
		dir = module(t, map[string]string{"go.mod": goMod, "m.go": slow, "sub/more.go": "package sub\n"})
		return dir, severalFiles(dir), tuner(t, dir)
	}
	t.Run("kept", func(t *testing.T) {
		dir, f, u := begin(t)
		if err := errors.Join(u.unchanged(t.Context(), f.Fix), u.keep(f.Fix)); err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Fix.Files {
			if got := read(t, c.File); got != string(c.After) || string(u.first[c.File]) != string(c.Before) {
				t.Errorf("%s is\n%s\nand was\n%s", c.File, got, u.first[c.File])
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*", ".hone-tmp-*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	t.Run("a conflict", func(t *testing.T) {
		dir, f, u := begin(t)
		more := filepath.Join(dir, "sub", "more.go")
		if err := os.WriteFile(more, []byte("package sub\n\nvar edited int\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := u.Try(t.Context(), f, length); err == nil || !strings.Contains(err.Error(), more+" has changed since the advice was given") {
			t.Errorf("%v", err)
		}
	})
	t.Run("a failure", func(t *testing.T) {
		dir, f, u := begin(t)
		if err := os.Mkdir(filepath.Join(dir, "sub", "new.go"), 0o777); err != nil { // a file can't replace it
			t.Fatal(err)
		}
		if err := u.keep(f.Fix); err == nil {
			t.Error("no error")
		}
		for _, c := range f.Fix.Files[:2] {
			if got := read(t, c.File); got != string(c.Before) {
				t.Errorf("%s is\n%s", c.File, got)
			}
		}
	})
}

func TestStore(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "advice")}
	if _, err := s.Last(); err == nil || !strings.Contains(err.Error(), "hone advise") {
		t.Errorf("nothing kept: %v", err)
	}
	f := finding("/src", slow, fast)
	if err := s.Keep(&advice.Report{Findings: []advice.Finding{*f, {ID: "other-1", Class: advice.AdviceOnly}, {ID: "other-2", Class: advice.AdviceOnly}}}, map[string]Benchmark{"Length": {"example.com/m", "Length"}}); err != nil {
		t.Fatal(err)
	}
	last, err := s.Last()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"test-123456", "test", "123456"} {
		found, err := last.Find(id)
		if err != nil || !bytes.Equal(found.Fix.Files[0].After, []byte(fast)) || !bytes.Equal(found.Fix.Files[0].Before, []byte(slow)) {
			t.Errorf("%s: %v", id, err)
		}
	}
	for id, want := range map[string]string{"other": "2 findings begin with", "x": "no such finding"} {
		if _, err := last.Find(id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, state := range []advice.State{advice.Inconclusive, advice.Confirmed} {
		r := &Result{Finding: f.ID, State: state, Why: "so", Kept: state == advice.Confirmed}
		if err := s.Record(r, f); err != nil {
			t.Fatal(err)
		}
	}
	if patch := read(t, filepath.Join(s.Dir, "test-123456.patch")); !strings.HasPrefix(patch, "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nFrom: ") || !strings.Contains(patch, "\nSubject: [PATCH] m: reduce allocations in Length (test)\n") || !strings.Contains(patch, "\n--- a/m.go\n") {
		t.Errorf("patch:\n%s", patch)
	}
	// A hone that is killed leaves half a line.
	h, err := os.OpenFile(filepath.Join(s.Dir, "history.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.WriteString("not JSON\n{\"finding\":\"tor")
	if err := errors.Join(err, h.Close()); err != nil {
		t.Fatal(err)
	}
	for _, state := range []advice.State{advice.Refuted, advice.Patched} { // the next one goes on behind it
		if err := s.Record(&Result{Finding: "other-1", State: state, Why: "so"}, &last.Findings[1]); err != nil {
			t.Fatal(err)
		}
	}
	history, unread, err := s.History()
	if err != nil || len(history) != 4 || len(unread) != 1 || !strings.Contains(unread[0], "history.jsonl:3: ") {
		t.Fatalf("%v, %q, %v", history, unread, err)
	}
	for _, c := range []struct {
		results int
		states  [2]advice.State
	}{
		{1, [2]advice.State{advice.Inconclusive, ""}},
		{2, [2]advice.State{"", ""}}, // kept: what is found now is another
		{3, [2]advice.State{"", advice.Refuted}},
		{4, [2]advice.State{"", advice.Patched}},
	} {
		found := slices.Clone(last.Findings)
		Mark(found, history[:c.results])
		if found[0].State != c.states[0] || found[1].State != c.states[1] {
			t.Errorf("%d results: states %q, %q", c.results, found[0].State, found[1].State)
		}
	}
	// What begins several IDs of the last advice is not looked for in what pages showed.
	if err := s.Show(&advice.Report{Findings: []advice.Finding{{ID: "other-3", Class: advice.AdviceOnly}}}, nil); err != nil {
		t.Fatal(err)
	}
	if f, _, err := s.Find("other-3"); err != nil || f.ID != "other-3" {
		t.Errorf("of a page: %v, %v", f, err)
	}
	if f, _, err := s.Find("other"); err == nil || !strings.Contains(err.Error(), "2 findings begin with") {
		t.Errorf("ambiguous: %v, %v", f, err)
	}
}

// TestMoved: advice that was given in a module that has moved, or is a copy, is about the
// files that are there now; those elsewhere stay where they are.
func TestMoved(t *testing.T) {
	before, after := t.TempDir(), t.TempDir()
	f := finding(before, slow, fast)
	elsewhere := filepath.Join(filepath.Dir(before), "other", "n.go")
	f.Evidence.Callers = []advice.Caller{{File: f.File}, {File: elsewhere, Callers: []advice.Caller{{File: f.File}}}}
	at := func(dir string) Store { return Store{Dir: filepath.Join(dir, ".hone", "advice")} }
	report := &advice.Report{Findings: []advice.Finding{*f}}
	if err := errors.Join(at(before).Keep(report, nil), at(before).Show(report, nil), os.CopyFS(after, os.DirFS(before))); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{lastFile, shownFile} {
		for _, dir := range []string{before, after} {
			got, _, err := at(dir).Find(f.ID)
			if err != nil {
				t.Fatal(err)
			}
			want, callers := filepath.Join(dir, "m.go"), got.Evidence.Callers
			if got.File != want || got.Fix.Files[0].File != want || callers[0].File != want || callers[1].File != elsewhere || callers[1].Callers[0].File != want {
				t.Errorf("%s in %s: %s, %s, %v; want %s", file, dir, got.File, got.Fix.Files[0].File, callers, want)
			}
			if err := os.Remove(filepath.Join(dir, ".hone", "advice", file)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestShown: what pages showed is found by its id, and the advice given last comes first.
func TestShown(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "advice")}
	if _, _, err := s.Find("test-123456"); err == nil || !strings.Contains(err.Error(), "run hone advise first") {
		t.Errorf("nothing kept: %v", err)
	}
	of := map[string]Benchmark{"Length": {"example.com/m", "Length"}}
	show := func(ids ...string) {
		t.Helper()
		r := new(advice.Report)
		for _, id := range ids {
			f := finding("/src", slow, fast)
			f.ID = id
			r.Findings = append(r.Findings, *f)
		}
		if err := s.Show(r, of); err != nil {
			t.Fatal(err)
		}
	}
	show("test-123456", "test-999999")
	for range 3 {
		show("other-000001") // the same page again takes no other's place
	}
	for i := range maxShown - 3 {
		show(fmt.Sprintf("more-%06d", i))
	}
	for _, id := range []string{"test-123456", "other-000001", "more-000000"} {
		f, benchmarks, err := s.Find(id)
		if err != nil || string(f.Fix.Files[0].After) != fast || benchmarks["Length"] != of["Length"] {
			t.Errorf("%s: %+v %v %v", id, f, benchmarks, err)
		}
	}
	if err := s.Keep(&advice.Report{Findings: []advice.Finding{{ID: "more-000000", Class: advice.AdviceOnly}}}, nil); err != nil {
		t.Fatal(err)
	}
	if f, benchmarks, err := s.Find("more-000000"); err != nil || f.Fix != nil || benchmarks != nil {
		t.Errorf("the advice given last: %+v %v %v", f, benchmarks, err)
	}
	all, err := s.All()
	if err != nil || len(all) != maxShown || all[0].Findings[0].Class != advice.AdviceOnly || all[1].Findings[0].ID != fmt.Sprintf("more-%06d", maxShown-4) {
		t.Errorf("%v: %d are kept, the first two %+v and %+v", err, len(all), all[0], all[1])
	}
	show("new-1")
	show("new-2")
	if _, _, err := s.Find("test-123456"); !errors.Is(err, errNoFinding) {
		t.Errorf("too old: %v", err)
	}
}

func TestSelection(t *testing.T) {
	packages, pattern := selection([]bench.ID{{Package: "a", Benchmark: "Parse/short-4"}, {Package: "a", Benchmark: "Parse/x.y-4"}})
	if strings.Join(packages, " ") != "a" || pattern != `^(BenchmarkParse)$/^(short|short-4|x\.y|x\.y-4)$` {
		t.Errorf("%v %s", packages, pattern)
	}
	if _, pattern := selection([]bench.ID{{Package: "a", Benchmark: "Parse/short"}, {Package: "b", Benchmark: "Read"}}); pattern != `^(BenchmarkParse|BenchmarkRead)$` {
		t.Error(pattern)
	}
	// On one core there is no suffix, so that a number is the benchmark's own.
	if _, pattern := selection([]bench.ID{{Package: "a", Benchmark: "Parse/size-1024"}, {Package: "a", Benchmark: "Parse/short"}}); pattern != `^(BenchmarkParse)$/^(size|size-1024|short)$` {
		t.Error(pattern)
	}
}

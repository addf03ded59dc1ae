package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// TestMeasureLeaks profiles benchmarks that leave goroutines behind, in both
// packages of a folder, with an overlay of the user's own.
func TestMeasureLeaks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "m.go": "package m\n", "m_test.go": `package m

import "testing"

func BenchmarkLeaks(b *testing.B) {
	for range b.N {
		leak()
	}
}

func BenchmarkClean(b *testing.B) {
	for range b.N {
		done := make(chan int)
		go func() { done <- 1 }()
		<-done
	}
}
`, "z_test.go": `package m_test

import "testing"

func BenchmarkOutside(b *testing.B) {
	b.Run("a|b", func(b *testing.B) {
		for b.Loop() {
			c := make(chan int)
			go func() { <-c }()
		}
	})
}
`, "leak.txt": `package m

func leak() {
	c := make(chan int)
	go wait(c)
}

func wait(c chan int) { <-c }
`})
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, []byte(`{"Replace": {"`+filepath.Join(dir, "leak.go")+`": "`+filepath.Join(dir, "leak.txt")+`"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := quickBench(t, dir)
	b.Profiles, b.BuildFlags = []string{leakKind}, []string{"-overlay=" + overlay}
	tool, err := workspace.FindGo(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	report, err := b.Measure(t.Context())
	if old := checkLeakProfile(tool.Version, os.Getenv); old != nil {
		if err == nil || err.Error() != "profile kind goroutineleak: "+tool.Version+" doesn't have it; it needs Go 1.27, such as with GOTOOLCHAIN=go1.27.1" {
			t.Errorf("error %v", err)
		}
		return
	}
	if err != nil || len(report.Failures) > 0 {
		t.Fatal(err, report.Failures)
	}
	run, err := experiment.Open(t.Context(), report.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for benchmark, want := range map[string]struct {
		function   string
		least, max int64 // a classic loop of 5 is run once more before
	}{
		"Leaks":       {"example.com/m.wait", 5, 6},
		"Clean":       {"", 0, 0},
		"Outside/a|b": {"example.com/m_test.BenchmarkOutside.func1.1", 5, 5},
	} {
		f, err := run.Profile(benchmark + "/" + leakKind)
		if err != nil {
			t.Fatal(err)
		}
		l := capture.Loader{Fetcher: new(capture.Fetcher)}
		p, err := l.Load(t.Context(), []string{f.Path})
		if err != nil {
			t.Fatal(err)
		}
		var total int64
		for s := range p.NumSamples() {
			stack := p.Stack(s)
			if name := p.FunctionName(p.LocationLines(stack[len(stack)-1])[0].Function); name != want.function {
				t.Errorf("%s: a leak of %s", benchmark, name)
			}
			total += p.Values[0][s]
		}
		if total < want.least || total > want.max || capture.ProfileIterations(p) != 5 {
			t.Errorf("%s: %d leaks in %d iterations, want %d to %d", benchmark, total, capture.ProfileIterations(p), want.least, want.max)
		}
	}
}

func TestCheckLeakProfile(t *testing.T) {
	with := func(experiment string) func(string) string { return func(string) string { return experiment } }
	for v, want := range map[string]bool{"go1.26.8": false, "go1.27.0": true, "go1.27rc1": true, "go1.28.3": true, "devel go1.28-1a2b3c": true, "go1.9": false} {
		if err := checkLeakProfile(v, with("")); (err == nil) != want {
			t.Errorf("%s: %v", v, err)
		}
	}
	if err := checkLeakProfile("go1.26.8", with("goroutineleakprofile,x")); err != nil {
		t.Error(err)
	}
}

// A package whose benchmarks build, but not with the file that writes the profile, fails.
func TestLeaksDontBuild(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":    goMod,
		"m.go":      "package m\n",
		"m_test.go": "package m_test\n\nimport \"testing\"\n\nvar honeGoroutineLeakOnce int\n\nfunc BenchmarkA(b *testing.B) { b.Log(honeGoroutineLeakOnce) }\n",
	})
	b := quickBench(t, dir)
	p, err := b.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	b.Profiles = []string{leakKind} // only now: begin wants Go 1.27 for it
	if targets, err := p.targets(t.Context(), experiment.Head); err == nil {
		t.Errorf("%d targets without a binary for the profile", len(targets))
	}
	if f := p.found.failures; len(f) != 1 || f[0].What != "does not build" || !strings.Contains(f[0].Output, "honeGoroutineLeakOnce redeclared") {
		t.Errorf("failures %+v", f)
	}
}

package agent_test

import (
	"flag"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-go/hone/agent"
)

func TestNothingAskedForDoesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	p := agent.Flags(flag.NewFlagSet("", flag.ContinueOnError))
	if err := p.Stop(); err != nil { // before Start
		t.Error(err)
	}
	if err := p.Start(); err != nil {
		t.Error(err)
	}
	if n := runtime.NumGoroutine(); n > before { // those of other tests may end
		t.Errorf("%d goroutines, before Start %d", n, before)
	}
	if f := runtime.SetMutexProfileFraction(-1); f != 0 {
		t.Errorf("mutex fraction %d", f)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

func TestStopIsHarmlessOftenAndAtOnce(t *testing.T) {
	p := &agent.Profiles{Mutex: filepath.Join(t.TempDir(), "mutex"), MutexFraction: 1}
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(5))
	for range 2 { // a Profiles can be started again
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		if err := p.Start(); err == nil {
			t.Error("started twice")
		}
		if f := runtime.SetMutexProfileFraction(-1); f != 1 {
			t.Errorf("mutex fraction %d while recording", f)
		}
		var calls agent.Group
		for range 8 {
			calls.Go(func() {
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(p.Mutex); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		if f := runtime.SetMutexProfileFraction(-1); f != 5 {
			t.Errorf("mutex fraction %d afterwards, was 5", f)
		}
	}
}

func TestStopReportsOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	p := &agent.Profiles{Mem: filepath.Join(dir, "mem")}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil { // also: Start left nothing in it
		t.Fatal(err)
	}
	if err := p.Stop(); err == nil {
		t.Error("no error for a removed directory")
	}
	if err := p.Stop(); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestFailedStartLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := pprof.StartCPUProfile(nullWriter{}); err != nil {
		t.Skip(err) // go test -cpuprofile
	}
	defer pprof.StopCPUProfile()
	p := &agent.Profiles{CPU: filepath.Join(dir, "cpu"), Trace: filepath.Join(dir, "trace"), Mutex: filepath.Join(dir, "mutex"), MutexFraction: 3}
	if err := p.Start(); err == nil || !strings.Contains(err.Error(), "-cpuprofile: ") {
		t.Errorf("%v, want a second CPU profile to be refused", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
	if f := runtime.SetMutexProfileFraction(-1); f != 0 {
		t.Errorf("mutex fraction %d", f)
	}
}

type nullWriter struct{}

func (nullWriter) Write(b []byte) (int, error) { return len(b), nil }

// TestStopLeavesSignalsAlone counts what Start and Stop leave behind.
func TestStopLeavesSignalsAlone(t *testing.T) {
	// os/signal starts a goroutine at the first Notify, and keeps it.
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	signal.Stop(c)
	before := runtime.NumGoroutine()
	files := openFiles()
	for range 5 {
		p := &agent.Profiles{Block: filepath.Join(t.TempDir(), "b"), BlockRate: 1, Trace: filepath.Join(t.TempDir(), "t")}
		if err := p.Start(); err != nil {
			t.Skip(err) // go test -trace
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}
	waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
	if n := openFiles(); n > files {
		t.Errorf("%d open files, before %d", n, files)
	}
}

// openFiles returns the number of open files, or 0 where that is not known.
func openFiles() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

func TestFlagNamesAreThoseOfGoTest(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	p := agent.Flags(fs)
	fs.VisitAll(func(f *flag.Flag) {
		if f.Name == "memprofilerate" {
			return // go test says the same with other words
		}
		if of := flag.Lookup("test." + f.Name); of == nil {
			t.Errorf("go test has no -%s", f.Name)
		} else if of.DefValue != f.DefValue {
			t.Errorf("-%s: default %q, go test has %q", f.Name, f.DefValue, of.DefValue)
		}
	})
	if err := fs.Parse([]string{"-cpuprofile=c", "--memprofilerate", "1"}); err != nil || p.CPU != "c" || p.MemRate != 1 {
		t.Errorf("%v, %q, %d", err, p.CPU, p.MemRate)
	}
}

func sampleTypes(p *agent.Decoded) string { return strings.Join(p.SampleTypes, " ") }

func hasFunction(p *agent.Decoded, pattern string) bool {
	re := regexp.MustCompile(pattern)
	return slices.ContainsFunc(p.Functions, re.MatchString)
}

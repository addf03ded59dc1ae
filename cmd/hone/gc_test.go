package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/gctrace"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
)

// TestMain lets the test be the program that hone gc runs, and hone itself, also
// where hone starts itself to lay out a graph.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == layoutVerb {
		os.Exit(execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("HONE_TEST_HONE") != "" && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		main() // it exits, and ends on signals
	}
	if os.Getenv("HONE_TEST_WORKER") != "" {
		work()
	}
	if os.Getenv("HONE_TEST_GC") == "" {
		ingesttest.Main(m) // it exits
	}
	time.Sleep(500 * time.Millisecond) // the runtime may be writing of a collection: see traceFilter
	fmt.Fprint(os.Stderr, "working... ")
	var keep [][]byte
	for range 64 {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4 << 10 {
			block[i] = 1 // or the system has no memory for it
		}
		keep = append(keep, block)
	}
	runtime.GC()
	runtime.KeepAlive(keep)
	time.Sleep(500 * time.Millisecond) // the runtime is still writing: see traceFilter
	fmt.Fprintln(os.Stderr, "done")
	fmt.Println("result", os.Args[1:], os.Getenv("GODEBUG"))
	if len(os.Args) > 1 {
		os.Exit(7)
	}
	os.Exit(0)
}

func TestGC(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HONE_TEST_GC", "1")
	t.Setenv("GOGC", "100")
	godebug := map[string]string{"GODEBUG": "madvdontneed=1"}
	large := make([]byte, 512<<20)
	for i := 0; i < len(large); i += 4096 {
		large[i] = 1
	}
	runtime.KeepAlive(large)

	// On a busy machine the program may write in the midst of a report all the
	// same, which hone says then and what this counts lacks: see gctrace's tests.
	var o outcome
	for trial := 1; trial == 1 || strings.Contains(o.stderr, "of the reports could not be read") && trial <= 5; trial++ {
		o = honeWith(t, godebug, "", "gc", program)
	}
	if o.code != 0 || o.stdout != "result [] madvdontneed=1,gctrace=1\n" || !strings.HasPrefix(o.stderr, "working... done\n") ||
		strings.Contains(o.stderr, " ms clock") || !strings.Contains(o.stderr, "by runtime.GC") || !strings.Contains(o.stderr, "\npauses       p50 ") {
		t.Errorf("exit code %d\n%s\n%s", o.code, o.stdout, o.stderr)
	}

	var r gctrace.Report
	for trial := 1; trial == 1 || len(r.Warnings) > 0 && trial <= 5; trial++ {
		r = gctrace.Report{}
		o = honeWith(t, godebug, "", "gc", "-json", "--", program)
		if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || o.code != 0 {
			t.Fatalf("%v: exit code %d\n%s", err, o.code, o.stdout)
		}
	}
	// The two streams come in any order.
	if !strings.Contains(o.stderr, "working... ") || !strings.Contains(o.stderr, "done\n") || !strings.Contains(o.stderr, "result []") {
		t.Errorf("what the program wrote is lost: %q", o.stderr)
	}
	const most = 64 << 20
	if r.Collections < 2 || r.Forced != 1 || r.Pauses.Count != 2*r.Collections || r.Pauses.P50 > r.Pauses.P99 || r.Pauses.P99 > r.Pauses.Max ||
		r.Heap.LiveMax < most/2 || r.Allocation == nil || r.Allocation.Bytes < most-2<<20 || r.Allocation.Bytes > 2*most || r.CPU.Share <= 0 || r.Wall <= 0 {
		t.Error(o.stdout)
	}
	// The peak is the program's, whatever hone itself has had by then.
	if runtime.GOOS == "linux" && (r.PeakRSS == nil || *r.PeakRSS < most/2 || *r.PeakRSS > 4*most || r.PeakRSSAtMost) {
		t.Errorf("peak RSS %s", o.stdout)
	}

	file := filepath.Join(t.TempDir(), "gc.json")
	o = honeWith(t, godebug, "", "gc", "-json", "-o", file, program, "-fail")
	written, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(written, &r) != nil || r.ExitCode != 7 {
		t.Errorf("%v: %s", err, written)
	}
	if o.code != exitFailure || !strings.HasPrefix(o.stdout, "result [-fail]") || !strings.HasSuffix(o.stderr, ": exit status 7\n") {
		t.Errorf("a program that fails: exit code %d, %q, %q", o.code, o.stdout, o.stderr)
	}
}

func TestGCBench(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test")
	}
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/b\n\ngo 1.24\n")
	write(t, "b_test.go", "package b\n\nimport \"testing\"\n\nvar sink []byte\n\nfunc BenchmarkAlloc(b *testing.B) {\n\tfor range b.N {\n\t\tsink = make([]byte, 1<<20)\n\t}\n}\n")
	o := hone(t, "gc", "-json", "-bench", "Alloc", "-benchtime", "50x")
	var all []gctrace.Report
	if err := json.Unmarshal([]byte(o.stdout), &all); err != nil || len(all) != 1 {
		t.Fatalf("%v: %s%s", err, o.stdout, o.stderr)
	}
	if all[0].Package != "example.com/b" || all[0].Collections < 5 || !strings.Contains(o.stderr, "BenchmarkAlloc") || !strings.Contains(o.stderr, "50\t") {
		t.Errorf("%+v\n%s", all[0], o.stderr)
	}
	write(t, "b_test.go", "package b\n\nfunc broken(\n")
	hone(t, "gc", "-bench", "Alloc").failsWith(t, exitFailure, "example.com/b doesn't build: ", "b_test.go:3:")
	os.Remove("b_test.go")
	write(t, "b.go", "package b\n")
	hone(t, "gc", "-bench", "Alloc").failsWith(t, exitFailure, "no benchmarks: these packages have no tests")
}

func TestGCErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "missing program"},
		{[]string{"--"}, exitUsage, "missing program"},
		{[]string{"-benchtime", "1s", "x"}, exitUsage, "-benchtime needs -bench"},
		{[]string{"-seconds", "1", "x"}, exitUsage, "flag provided but not defined: -seconds"},
		{[]string{"./nothere"}, exitFailure, "can't start the program"},
	} {
		hone(t, append([]string{"gc"}, c.args...)...).failsWith(t, c.code, c.want)
	}
}

func TestShortTime(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 999: "999ns", 1234567: "1.23ms", 12345678: "12.3ms", 1234 * time.Millisecond: "1.23s", 83456 * time.Millisecond: "1m23.5s"} {
		if got := shortTime(d); got != want {
			t.Errorf("%d ns is %s, want %s", d, got, want)
		}
	}
}

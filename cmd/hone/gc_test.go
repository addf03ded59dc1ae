package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

const traceLine = "gc 12 @1.250s 3%: 0.010+0.39+0.006 ms clock, 0.021+0.12/0.33/0.41+0.012 ms cpu, 4->5->2 MB, 6 MB goal, 1 MB stacks, 0 MB globals, 2 P\n"

// TestParseTrace: lines of all versions since Go 1.10, and lines that are none.
func TestParseTrace(t *testing.T) {
	want := gcTrace{
		Number: 12, At: 1250 * time.Millisecond, Percent: 3,
		SweepTermination: 10 * time.Microsecond, Mark: 390 * time.Microsecond, MarkTermination: 6 * time.Microsecond,
		SweepTerminationCPU: 21 * time.Microsecond, Assist: 120 * time.Microsecond, Background: 330 * time.Microsecond,
		Idle: 410 * time.Microsecond, MarkTerminationCPU: 12 * time.Microsecond,
		HeapStart: 4 << 20, HeapEnd: 5 << 20, HeapLive: 2 << 20, Goal: 6 << 20, Stacks: 1 << 20, Procs: 2,
	}
	got, n, _ := parseTrace([]byte(traceLine + "rest"))
	if n != len(traceLine) || got != want {
		t.Errorf("got %+v of %d bytes\nwant %+v", got, n, want)
	}
	if cpu := got.CPU(); cpu != 483*time.Microsecond {
		t.Errorf("CPU %v", cpu)
	}
	for _, c := range []struct {
		from, to string
		ok       bool
		change   func(*gcTrace)
	}{
		{" 2 P", " 2 P (forced)", true, func(t *gcTrace) { t.Forced = true }},
		{" 1 MB stacks, 0 MB globals,", "", true, func(t *gcTrace) { t.Stacks = 0 }},
		{"3%:", "3% (checking for goroutine leaks):", true, func(*gcTrace) {}},
		{"0.39+", "12+", true, func(t *gcTrace) { t.Mark = 12 * time.Millisecond }},
		{"4->5->2", "123456->5->2", true, func(t *gcTrace) { t.HeapStart = 123456 << 20 }},
		{"gc 12", "gc  12", false, nil},
		{"gc 12", "gc -1", false, nil},
		{"gc 12", "gc 1.5", false, nil},
		{"gc 12", "gc 1234567890123456789", false, nil},
		{"@1.250s", "@s", false, nil},
		{"@1.250s", "@1.2.50s", false, nil},
		{"@1.250s", "@.250s", false, nil},
		{"ms cpu", "ms", false, nil},
		{"MB goal", "GB goal", false, nil},
		{" 2 P", " 2 P ", false, nil},
		{" 2 P\n", " 2 P\r\n", false, nil},
		{"gc 12", "scvg0", false, nil},
	} {
		line := strings.Replace(traceLine, c.from, c.to, 1)
		got, n, more := parseTrace([]byte(line))
		if c.ok != (n > 0) || more {
			t.Errorf("%q: taken for a trace: %v, more: %v", line, n > 0, more)
			continue
		}
		if c.ok {
			want := want
			c.change(&want)
			if got != want {
				t.Errorf("%q: %+v", line, got)
			}
		}
	}
	for i := range len(traceLine) - 1 {
		if _, n, more := parseTrace([]byte(traceLine[:i])); n != 0 || !more {
			t.Errorf("%q is no beginning of a trace", traceLine[:i])
		}
	}
}

// TestTraceFilter: whatever the pieces in which it comes, what the program wrote
// is passed on, and traces are taken out.
func TestTraceFilter(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		traces           int
	}{
		{"lines between", "a\n" + traceLine + "b\n" + traceLine + "c\n", "a\nb\nc\n", 2},
		{"behind a line without an end", "working... " + traceLine + "done\n", "working... done\n", 1},
		{"almost", "gc 1 @what\ngoing\ngc\nggc 5 @1s", "gc 1 @what\ngoing\ngc\nggc 5 @1s", 0},
		{"torn by the program", traceLine[:20] + "hello\n" + traceLine[20:], traceLine[:20] + "hello\n" + traceLine[20:], 0},
		{"a torn one, then one", traceLine[:20] + traceLine, traceLine[:20], 1},
		{"the end is missing", "x" + traceLine[:len(traceLine)-1], "x" + traceLine[:len(traceLine)-1], 0},
		{"bytes", "\x00\xffgc \xfe\n", "\x00\xffgc \xfe\n", 0},
		{"nothing", "", "", 0},
	} {
		for size := 1; size <= max(1, len(c.text)); size++ {
			var out bytes.Buffer
			traces := 0
			f := &traceFilter{out: &out, found: func(gcTrace) { traces++ }}
			for i := 0; i < len(c.text); i += size {
				piece := []byte(c.text[i:min(i+size, len(c.text))])
				if n, err := f.Write(piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			f.Close()
			if out.String() != c.want || traces != c.traces {
				t.Errorf("%s, by %d: %d traces and %q", c.name, size, traces, out.String())
			}
		}
	}
}

// TestTraceFilterHoldsNothing: a prompt is seen before the line ends.
func TestTraceFilterHoldsNothing(t *testing.T) {
	var out bytes.Buffer
	f := &traceFilter{out: &out, found: func(gcTrace) {}}
	fmt.Fprint(f, traceLine+"your name? ")
	if out.String() != "your name? " {
		t.Errorf("%q", out.String())
	}
	failing := &traceFilter{out: failingWriter{}, found: func(gcTrace) {}}
	if n, err := failing.Write([]byte("abc")); n != 3 || err != nil || failing.Close() == nil {
		t.Error("a failing output stops the program's reading, or is not told")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

func FuzzTraceFilter(f *testing.F) {
	f.Add("a\n"+traceLine+"b", 3)
	f.Add(traceLine[:50]+"gc 1 @", 7)
	f.Fuzz(func(t *testing.T, text string, size int) {
		whole, pieces := filtered(text, len(text)), filtered(text, max(1, size%64))
		if whole != pieces {
			t.Errorf("at once %q, in pieces %q", whole, pieces)
		}
	})
}

func filtered(text string, size int) string {
	var out bytes.Buffer
	f := &traceFilter{out: &out, found: func(gcTrace) { out.WriteString("<trace>") }}
	for i := 0; i < len(text); i += size {
		f.Write([]byte(text[i:min(i+size, len(text))]))
	}
	f.Close()
	return out.String()
}

func TestGCSummary(t *testing.T) {
	trace := func(n int, at time.Duration, start, end, live int64) gcTrace {
		return gcTrace{Number: n, At: at, SweepTermination: time.Duration(n) * time.Microsecond, MarkTermination: 100 * time.Microsecond,
			Background: time.Millisecond, Idle: time.Second, HeapStart: start << 20, HeapEnd: end << 20, HeapLive: live << 20, Goal: 2 * live << 20}
	}
	r := gcReport{User: 8 * time.Millisecond, System: 2 * time.Millisecond,
		traces: []gcTrace{trace(1, 1*time.Second, 4, 5, 2), trace(2, 2*time.Second, 4, 4, 3), trace(3, 4*time.Second, 6, 7, 1)}}
	r.summarize()
	// 5 until the first, 4−2 until the second, 7−3 until the third.
	if r.Allocation == nil || r.Allocation.Bytes != 11<<20 || r.Allocation.PerSec != 11<<20/4.0 {
		t.Errorf("allocation %+v", r.Allocation)
	}
	if want := (gcHeap{GoalLast: 2 << 20, GoalMax: 6 << 20, LiveLast: 1 << 20, LiveMax: 3 << 20, Peak: 7 << 20}); r.Heap != want {
		t.Errorf("heap %+v", r.Heap)
	}
	if want := (gcPauses{Count: 6, P50: 3 * time.Microsecond, P99: 100 * time.Microsecond, Max: 100 * time.Microsecond, Total: 306 * time.Microsecond}); r.Pauses != want {
		t.Errorf("pauses %+v", r.Pauses)
	}
	if r.CPU.Share != 0.3 || r.CPU.Idle != 3*time.Second || len(r.Warnings) != 0 {
		t.Errorf("CPU %+v, warnings %q", r.CPU, r.Warnings)
	}

	r = gcReport{traces: []gcTrace{trace(1, time.Second, 4, 4, 2), trace(4, time.Second, 8, 8, 2)}}
	r.summarize()
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "2 of the reports could not be read") {
		t.Errorf("warnings %q", r.Warnings)
	}
	r = gcReport{torn: 1, traces: []gcTrace{trace(1, time.Second, 4, 4, 2)}}
	r.summarize()
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "1 of the reports could not be read") {
		t.Errorf("warnings %q", r.Warnings)
	}
	r = gcReport{traces: []gcTrace{trace(1, time.Second, 4, 4, 2), trace(1, time.Second, 8, 8, 2)}}
	r.summarize()
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "several processes") || r.Allocation != nil {
		t.Errorf("warnings %q", r.Warnings)
	}
	if !reflect.DeepEqual(pausesOf(nil), gcPauses{}) {
		t.Error("pauses of none")
	}
}

// TestMain lets the test be the program that hone gc runs, and hone itself.
func TestMain(m *testing.M) {
	if os.Getenv("HONE_TEST_HONE") != "" && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("HONE_TEST_GC") == "" {
		os.Exit(m.Run())
	}
	fmt.Fprint(os.Stderr, "working... ")
	var keep [][]byte
	for range 64 {
		keep = append(keep, make([]byte, 1<<20))
	}
	runtime.GC()
	runtime.KeepAlive(keep)
	time.Sleep(100 * time.Millisecond) // the runtime is still writing: see traceFilter
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

	o := honeWith(t, godebug, "", "gc", program)
	if o.code != 0 || o.stdout != "result [] madvdontneed=1,gctrace=1\n" || !strings.HasPrefix(o.stderr, "working... done\n") ||
		strings.Contains(o.stderr, " ms clock") || !strings.Contains(o.stderr, "by runtime.GC") || !strings.Contains(o.stderr, "\npauses       p50 ") {
		t.Errorf("exit code %d\n%s\n%s", o.code, o.stdout, o.stderr)
	}

	o = honeWith(t, godebug, "", "gc", "-json", "--", program)
	var r gcReport
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || o.code != 0 {
		t.Fatalf("%v: exit code %d\n%s", err, o.code, o.stdout)
	}
	// The two streams come in any order.
	if !strings.Contains(o.stderr, "working... ") || !strings.Contains(o.stderr, "done\n") || !strings.Contains(o.stderr, "result []") {
		t.Errorf("what the program wrote is lost: %q", o.stderr)
	}
	const most = 64 << 20
	if r.Collections < 2 || r.Forced != 1 || r.Pauses.Count != 2*r.Collections || r.Pauses.P50 > r.Pauses.P99 || r.Pauses.P99 > r.Pauses.Max ||
		r.Heap.LiveMax < most/2 || r.Allocation == nil || r.Allocation.Bytes < most-2<<20 || r.Allocation.Bytes > 2*most || r.CPU.Share <= 0 || r.Wall <= 0 {
		t.Errorf("%+v", r)
	}
	if runtime.GOOS == "linux" && (r.PeakRSS == nil || *r.PeakRSS < most/2 && !r.PeakRSSAtMost) {
		t.Errorf("peak RSS %v", r.PeakRSS)
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
	var all []gcReport
	if err := json.Unmarshal([]byte(o.stdout), &all); err != nil || len(all) != 1 {
		t.Fatalf("%v: %s%s", err, o.stdout, o.stderr)
	}
	if all[0].Package != "example.com/b" || all[0].Collections < 5 || !strings.Contains(o.stderr, "BenchmarkAlloc") || !strings.Contains(o.stderr, "50\t") {
		t.Errorf("%+v\n%s", all[0], o.stderr)
	}
	write(t, "b_test.go", "package b\n\nfunc broken(\n")
	hone(t, "gc", "-bench", "Alloc").failsWith(t, exitFailure, "example.com/b does not build: ", "b_test.go:3:")
	os.Remove("b_test.go")
	write(t, "b.go", "package b\n")
	hone(t, "gc", "-bench", "Alloc").failsWith(t, exitFailure, "these packages have no tests")
}

func TestGCErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "no program to run"},
		{[]string{"--"}, exitUsage, "no program to run"},
		{[]string{"-benchtime", "1s", "x"}, exitUsage, "-benchtime goes with -bench only"},
		{[]string{"-seconds", "1", "x"}, exitUsage, "flag provided but not defined: -seconds"},
		{[]string{"./nothere"}, exitFailure, "the program can't be started"},
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

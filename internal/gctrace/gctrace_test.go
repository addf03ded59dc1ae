package gctrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const traceLine = "gc 12 @1.250s 3%: 0.010+0.39+0.006 ms clock, 0.021+0.12/0.33/0.41+0.012 ms cpu, 4->5->2 MB, 6 MB goal, 1 MB stacks, 0 MB globals, 2 P\n"

// TestParseTrace: lines of all versions since Go 1.10, and lines that are none.
func TestParseTrace(t *testing.T) {
	want := collection{
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
	if cpu := got.cpuTime(); cpu != 483*time.Microsecond {
		t.Errorf("CPU %v", cpu)
	}
	for _, c := range []struct {
		from, to string
		ok       bool
		change   func(*collection)
	}{
		{" 2 P", " 2 P (forced)", true, func(t *collection) { t.Forced = true }},
		{" 1 MB stacks, 0 MB globals,", "", true, func(t *collection) { t.Stacks = 0 }},
		{"3%:", "3% (checking for goroutine leaks):", true, func(*collection) {}},
		{"0.39+", "12+", true, func(t *collection) { t.Mark = 12 * time.Millisecond }},
		{"4->5->2", "123456->5->2", true, func(t *collection) { t.HeapStart = 123456 << 20 }},
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

// TestFilter: whatever the pieces in which it comes, what the program wrote
// is passed on, and traces are taken out.
func TestFilter(t *testing.T) {
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
			f := NewFilter(&out)
			for i := 0; i < len(c.text); i += size {
				piece := []byte(c.text[i:min(i+size, len(c.text))])
				if n, err := f.Write(piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			f.Close()
			if out.String() != c.want || len(f.found) != c.traces {
				t.Errorf("%s, by %d: %d traces and %q", c.name, size, len(f.found), out.String())
			}
		}
	}
}

// TestFilterHoldsNothing: a prompt is seen before the line ends.
func TestFilterHoldsNothing(t *testing.T) {
	var out bytes.Buffer
	f := NewFilter(&out)
	fmt.Fprint(f, traceLine+"your name? ")
	if out.String() != "your name? " {
		t.Errorf("%q", out.String())
	}
	failing := NewFilter(failingWriter{})
	if n, err := failing.Write([]byte("abc")); n != 3 || err != nil || failing.Close() == nil {
		t.Error("a failing output stops the program's reading, or is not told")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

func FuzzFilter(f *testing.F) {
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
	f := NewFilter(&out)
	for i := 0; i < len(text); i += size {
		f.Write([]byte(text[i:min(i+size, len(text))]))
	}
	f.Close()
	return fmt.Sprintf("%d of %d %s", len(f.found), len(f.found)+f.torn(), out.String())
}

// asWritten are the pieces that the runtime writes of a trace.
func asWritten(number int, forced bool) []string {
	text := strings.Replace(traceLine, "gc 12", fmt.Sprintf("gc %d", number), 1)
	if forced {
		text = strings.Replace(text, " 2 P", " 2 P (forced)", 1)
	}
	return regexp.MustCompile(`[\d.]+|[^\d.]+`).FindAllString(text, -1)
}

// TestTornIsCounted: wherever the program, or another one, writes in between, what is read
// and what is said to be missing are all collections.
func TestTornIsCounted(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 2000 {
		const collections = 5
		own := []string{"step ", "x", "\n", "\x1b[31mred\x1b[0m", "gc", "g", "done\n"}
		processes := 1 + trial%2
		var text strings.Builder
		waiting := make([][]string, processes)
		for p := range waiting {
			for n := range collections {
				waiting[p] = append(waiting[p], asWritten(n+1, trial%3 == 0)...)
			}
		}
		for len(waiting) > 0 {
			p := random.IntN(len(waiting))
			n := min(1+random.IntN(80), len(waiting[p]))
			text.WriteString(strings.Join(waiting[p][:n], ""))
			if random.IntN(2) == 0 {
				text.WriteString(own[random.IntN(len(own))])
			}
			if waiting[p] = waiting[p][n:]; len(waiting[p]) == 0 {
				waiting = slices.Delete(waiting, p, p+1)
			}
		}
		f := NewFilter(io.Discard)
		for rest := []byte(text.String()); len(rest) > 0; {
			n := min(1+random.IntN(100), len(rest))
			f.Write(rest[:n])
			rest = rest[n:]
		}
		f.Close()
		if got := len(f.found) + f.torn(); got != processes*collections {
			t.Fatalf("trial %d: %d read and %d missing, of %d:\n%s", trial, len(f.found), f.torn(), processes*collections, text.String())
		}
		said := strings.Join(f.Summary(0).Warnings, "; ")
		if n := f.torn(); n > 0 && !strings.Contains(said, fmt.Sprintf("%d of the reports could not be read", n)) {
			t.Fatalf("trial %d: %d are missing, but the warnings are %q", trial, n, said)
		}
	}
}

func TestSummary(t *testing.T) {
	trace := func(n int, at time.Duration, start, end, live int64) collection {
		return collection{Number: n, At: at, SweepTermination: time.Duration(n) * time.Microsecond, MarkTermination: 100 * time.Microsecond,
			Background: time.Millisecond, Idle: time.Second, HeapStart: start << 20, HeapEnd: end << 20, HeapLive: live << 20, Goal: 2 * live << 20}
	}
	f := Filter{found: []collection{trace(1, 1*time.Second, 4, 5, 2), trace(2, 2*time.Second, 4, 4, 3), trace(3, 4*time.Second, 6, 7, 1)}}
	r := f.Summary(10 * time.Millisecond)
	// 5 until the first, 4−2 until the second, 7−3 until the third.
	if r.Allocation == nil || r.Allocation.Bytes != 11<<20 || r.Allocation.PerSec != 11<<20/4.0 {
		t.Errorf("allocation %+v", r.Allocation)
	}
	if want := (Heap{GoalLast: 2 << 20, GoalMax: 6 << 20, LiveLast: 1 << 20, LiveMax: 3 << 20, Peak: 7 << 20}); r.Heap != want {
		t.Errorf("heap %+v", r.Heap)
	}
	if want := (Pauses{Count: 6, P50: 3 * time.Microsecond, P99: 100 * time.Microsecond, Max: 100 * time.Microsecond, Total: 306 * time.Microsecond}); r.Pauses != want {
		t.Errorf("pauses %+v", r.Pauses)
	}
	if r.CPU.Share != 0.3 || r.CPU.Idle != 3*time.Second || len(r.Warnings) != 0 {
		t.Errorf("CPU %+v, warnings %q", r.CPU, r.Warnings)
	}

	f = Filter{found: []collection{trace(1, time.Second, 4, 4, 2), trace(4, time.Second, 8, 8, 2)}}
	r = f.Summary(0)
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "2 of the reports could not be read") {
		t.Errorf("warnings %q", r.Warnings)
	}
	f = Filter{begun: 1, found: []collection{trace(1, time.Second, 4, 4, 2)}}
	r = f.Summary(0)
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "1 of the reports could not be read") {
		t.Errorf("warnings %q", r.Warnings)
	}
	f = Filter{found: []collection{trace(1, time.Second, 4, 4, 2), trace(1, time.Second, 8, 8, 2)}}
	r = f.Summary(0)
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "several processes") || r.Allocation != nil {
		t.Errorf("warnings %q", r.Warnings)
	}
	if !reflect.DeepEqual(pausesOf(nil), Pauses{}) {
		t.Error("pauses of none")
	}
}

package profile

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// The functions below park goroutines in many states, through frames of many kinds.

type dumpPool struct{ jobs chan int }

func (p *dumpPool) run(c context.Context) { dumpInlined(p.jobs) }

func (p dumpPool) value() { <-p.jobs }

func dumpInlined(c chan int) int { return dumpInlinedTwice(c) }

func dumpInlinedTwice(c chan int) int { return <-c }

//go:noinline
func dumpGeneric[T any](c chan T) T { return <-c }

//go:noinline
func dumpDeep(n int, c chan int) int {
	if n == 0 {
		return <-c
	}
	return dumpDeep(n-1, c) + 1
}

//go:noinline
func dumpArgs(a []int, b string, m map[string]int, f float64, e error, x [3]int, c chan int) int {
	return <-c + len(a) + len(b) + len(m) + int(f) + x[0]
}

// parkGoroutines starts goroutines that are all parked when it returns, until
// release is called.
func parkGoroutines(t *testing.T) (release func()) {
	t.Helper()
	var stop []func()
	var wg sync.WaitGroup
	start := func(f func()) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f()
		}()
	}
	c := make(chan int)
	stop = append(stop, func() { close(c) })

	ctx := context.Background()
	for i := range 3 {
		start(func() { dumpInlined(c) })
		start(func() {
			pprof.Do(ctx, pprof.Labels("tenant", fmt.Sprint("t", i%2), `odd "key"`+"\t", "a=b, {c}]:\\ µ☃\n"), func(ctx context.Context) {
				(&dumpPool{c}).run(ctx)
			})
		})
		start(func() { dumpPool{c}.value() })
		start(func() { dumpGeneric(c) })
		start(func() { dumpDeep(i*60, c) })
	}
	start(dumpPool{c}.value)
	start(func() { dumpGeneric[int](c) })
	start(func() { dumpArgs(make([]int, 3), "abc", nil, 1, nil, [3]int{}, c) })
	start(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		<-c
	})
	start(func() {
		select {
		case <-c:
		case <-ctx.Done():
		}
	})
	start(func() { func() { func() { <-c }() }() })
	go func() { select {} }() // these two stay until the end of the process
	go func() { var never chan int; never <- 1 }()

	full := make(chan int)
	start(func() { full <- 1 })
	stop = append(stop, func() { <-full })

	var mu sync.Mutex
	var rw sync.RWMutex
	mu.Lock()
	rw.Lock()
	//lint:ignore SA2001 it is for the wait
	start(func() { mu.Lock(); mu.Unlock() })
	//lint:ignore SA2001 it is for the wait
	start(func() { rw.RLock(); rw.RUnlock() })
	stop = append(stop, mu.Unlock, rw.Unlock)

	var cmu sync.Mutex
	cond := sync.NewCond(&cmu)
	start(func() { cmu.Lock(); cond.Wait(); cmu.Unlock() })
	stop = append(stop, func() { cmu.Lock(); cond.Broadcast(); cmu.Unlock() })

	var inner sync.WaitGroup
	inner.Add(1)
	start(inner.Wait)
	stop = append(stop, inner.Done)

	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		start(func() { l.Accept() })
		stop = append(stop, func() { l.Close() })
	}

	// Parked is what does not change any more.
	dump := func() string { return string(stackDump()) }
	state := regexp.MustCompile(`(?m)^goroutine \d+ \[(runnable|running)`)
	for range 10_000 {
		if len(state.FindAllString(dump(), -1)) == 1 {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	return func() {
		for _, f := range stop {
			f()
		}
		wg.Wait()
	}
}

// stackDump returns what debug=2 prints.
func stackDump() []byte {
	buf := make([]byte, 4<<20)
	return buf[:runtime.Stack(buf, true)]
}

// goroutineProfile returns the goroutine profile in the given form, 0 for protobuf.
func goroutineProfile(t *testing.T, debug int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, debug); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var typeArguments = regexp.MustCompile(`\[.*\]`)

// textName is what a dump prints for a function's name.
func textName(name string) string {
	if name == elidedFrame || name == RuntimeFrame {
		return name
	}
	return typeArguments.ReplaceAllString(name, "[...]")
}

// runtimeName reports whether dumps leave out the function.
func runtimeName(name string) bool {
	return name == RuntimeFrame || strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
}

// describe returns a count per sample, written as its stack of
// function:line frames from the leaf, "~" before a frame in which the previous
// one is inlined, then its labels with the given keys. Frames in the runtime
// are left out, and so are samples that mention skip.
func describe(p *Profile, skip string, keys func(string) bool) map[string]int64 {
	out := map[string]int64{}
	for s := range p.Stacks {
		var b strings.Builder
		for _, l := range p.Stack(s) {
			inlined := false
			for _, line := range p.LocationLines(l) {
				f := p.Functions[line.Function]
				if runtimeName(p.Strings[f.Name]) {
					continue
				}
				if inlined {
					b.WriteByte('~')
				}
				inlined = true
				fmt.Fprintf(&b, "%s %s:%d;", textName(p.Strings[f.Name]), filepath.Base(p.Strings[f.File]), line.Line)
			}
		}
		for _, l := range p.SampleLabelSet(s) {
			if keys(p.Strings[l.Key]) {
				fmt.Fprintf(&b, " %q=%q", p.Strings[l.Key], p.Strings[l.Str])
			}
		}
		if !strings.Contains(b.String(), skip) {
			out[b.String()] += p.Values[0][s]
		}
	}
	return out
}

// perFunction returns the number of goroutines with each function on the stack.
func perFunction(p *Profile) map[string]int64 {
	out := map[string]int64{}
	for s := range p.Stacks {
		seen := map[string]bool{}
		for _, l := range p.Stack(s) {
			for _, line := range p.LocationLines(l) {
				if name := textName(p.FunctionName(line.Function)); !seen[name] {
					seen[name] = true
					out[name] += p.Values[0][s]
				}
			}
		}
	}
	return out
}

func diffCounts(t *testing.T, got, want map[string]int64) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	for k := range got {
		if _, ok := want[k]; !ok {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		if got[k] != want[k] {
			t.Errorf("%d, want %d: %s", got[k], want[k], k)
		}
	}
}

func mustDecodeDump(t testing.TB, data []byte) *Profile {
	t.Helper()
	if !looksLikeGoroutineDump(data[:min(len(data), 4096)]) {
		t.Fatalf("not recognized: %.200q", data)
	}
	p, err := decodeGoroutineDump(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func warnings(p *Profile) string { return strings.Join(p.Warnings(), "\n") }

func TestGoroutineDumpMatchesProtobuf(t *testing.T) {
	release := parkGoroutines(t)
	defer release()
	binary, text1, text2 := goroutineProfile(t, 0), goroutineProfile(t, 1), stackDump()
	want, err := DecodeBytes(binary, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const self = "TestGoroutineDumpMatchesProtobuf"
	anyKey := func(string) bool { return true }

	t.Run("debug=1", func(t *testing.T) {
		got := mustDecodeDump(t, text1)
		if len(got.Comments) > 0 {
			t.Error(warnings(got))
		}
		diffCounts(t, describe(got, self, anyKey), describe(want, self, anyKey))
		if got.SampleTypes[0] != want.SampleTypes[0] || got.PeriodType != want.PeriodType || got.Period != want.Period {
			t.Errorf("types %v %v %d", got.SampleTypes, got.PeriodType, got.Period)
		}
		if got, want := len(got.Stacks), len(want.Stacks); got != want {
			t.Errorf("%d samples, want %d", got, want)
		}
		// Every frame of the protobuf profile is there, by address where not by name.
		addresses := map[uint64]bool{}
		for _, l := range got.Locations {
			addresses[l.Address] = true
		}
		for i, l := range want.Locations {
			line := want.LocationLines(uint32(i))[0]
			if name := want.FunctionName(line.Function); !addresses[l.Address] && !strings.Contains(name, "pprof.") && !strings.Contains(name, self) {
				t.Errorf("no location at %#x, %s", l.Address, name)
			}
		}
	})

	t.Run("debug=2", func(t *testing.T) {
		got := mustDecodeDump(t, text2)
		if len(got.Comments) > 0 {
			t.Error(warnings(got))
		}
		only := func(m map[string]int64) map[string]int64 {
			maps.DeleteFunc(m, func(name string, _ int64) bool {
				return runtimeName(name) || strings.Contains(name, "pprof.") && !strings.HasSuffix(name, "pprof.Do") ||
					strings.Contains(name, self) || strings.HasSuffix(name, "stackDump") || strings.HasSuffix(name, "goroutineProfile") ||
					name == elidedFrame
			})
			return m
		}
		diffCounts(t, only(perFunction(got)), only(perFunction(want)))
		total := int64(0)
		for _, v := range got.Values[0] {
			total += v
		}
		if n := int64(bytes.Count(text2, []byte("\ngoroutine "))) + 1; total != n {
			t.Errorf("%d goroutines, want %d", total, n)
		}
		// Stacks, too, unless they are elided.
		// A method inlined in the wrapper of its method value, which is left
		// out, looks inlined in the next frame.
		wrapped := func(m map[string]int64) map[string]int64 {
			out := map[string]int64{}
			for stack, n := range m {
				if strings.Contains(stack, "dumpPool.value ") {
					stack = strings.ReplaceAll(stack, "~", "")
				}
				out[stack] += n
			}
			return out
		}
		stacks := wrapped(describe(got, self, noKey))
		for stack, n := range wrapped(describe(want, self, noKey)) {
			if stacks[stack] != n && strings.Count(stack, ";") < 100 {
				t.Errorf("%d, want %d: %s", stacks[stack], n, stack)
			}
		}
		states := map[string]bool{}
		locked, labelled := 0, 0
		for s := range got.Stacks {
			for _, l := range got.SampleLabelSet(s) {
				switch got.Strings[l.Key] {
				case "state":
					states[got.Strings[l.Str]] = true
				case "locked":
					locked++
				case "tenant":
					labelled++
				case "created_by":
					if name := got.Strings[l.Str]; strings.Contains(name, " ") || !strings.Contains(name, ".") {
						t.Errorf("created by %q", name)
					}
				}
			}
		}
		for _, state := range []string{
			"running", "chan receive", "chan send", "select", "select (no cases)", "chan send (nil chan)",
			"sync.Mutex.Lock", "sync.RWMutex.RLock", "sync.Cond.Wait", "sync.WaitGroup.Wait",
		} {
			if !states[state] {
				t.Errorf("no goroutine in state %q", state)
			}
		}
		if locked == 0 {
			t.Error("no goroutine is locked to its thread")
		}
		if strings.Contains(string(text2), " labels:{") != (labelled > 0) {
			t.Errorf("%d samples with labels", labelled)
		}
	})
}

// TestGoroutineDumpCut cuts dumps at every byte: it must give the goroutines
// before the cut, and tell what is missing.
func TestGoroutineDumpCut(t *testing.T) {
	for _, name := range []string{"debug1.txt", "debug2.txt"} {
		data := readFile(t, filepath.Join("testdata", "goroutine", name))
		whole := mustDecodeDump(t, data)
		anyKey := func(string) bool { return true }
		want := describe(whole, "\x00", anyKey)
		full := 0
		for n := range data {
			p, err := decodeGoroutineDump(data[:n], Limits{})
			if err != nil {
				var syntax *SyntaxError
				if !errors.As(err, &syntax) {
					t.Fatalf("%s cut at %d: %v", name, n, err)
				}
				continue
			}
			got := describe(p, "\x00", anyKey)
			sum := int64(0)
			for stack, count := range got {
				sum += count
				// Nothing after the last colon can be checked: the last line number may be cut.
				if count > want[stack] && n < len(data)-8 && !strings.HasSuffix(string(data[:n]), "\n") && name == "debug2.txt" {
					t.Errorf("%s cut at %d: %d, want at most %d of %s", name, n, count, want[stack], stack)
				}
			}
			if sum == sumCounts(want) {
				full++
			} else if name == "debug1.txt" && !strings.Contains(warnings(p), "incomplete") {
				t.Errorf("%s cut at %d: no warning, %d of %d", name, n, sum, sumCounts(want))
			}
		}
		if full == 0 {
			t.Errorf("%s: a missing last newline loses a goroutine", name)
		}
	}
}

func sumCounts(m map[string]int64) int64 {
	sum := int64(0)
	for _, v := range m {
		sum += v
	}
	return sum
}

// TestGoroutineDumpGoldens decodes each dump of testdata/goroutine and compares
// its raw text, or the error, with the golden beside it.
func TestGoroutineDumpGoldens(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "goroutine", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no dumps", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := readFile(t, file)
			got := "not recognized\n"
			if looksLikeGoroutineDump(data[:min(len(data), 4096)]) {
				if p, err := decodeGoroutineDump(data, Limits{}); err != nil {
					got = "error: " + err.Error() + "\n"
				} else {
					got = rawText(t, p)
					if err := ToGoogle(p).CheckValid(); err != nil {
						t.Error(err)
					}
				}
			}
			golden := strings.TrimSuffix(file, ".txt") + ".raw"
			if *updateGolden {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			diffLines(t, got, string(readFile(t, golden)))
		})
	}
}

func TestGoroutineHeader(t *testing.T) {
	for _, c := range []struct {
		line    string
		want    goroutineHeader
		problem string
		ok      bool
	}{
		{"goroutine 1 [running]:", goroutineHeader{id: 1, state: "running"}, "", true},
		{"goroutine 18 [chan receive, 3 minutes, locked to thread]:", goroutineHeader{id: 18, state: "chan receive", minutes: 3, locked: true}, "", true},
		{"goroutine 1 gp=0xc000002380 m=0 mp=0x5f3b20 [running]:", goroutineHeader{id: 1, state: "running"}, "", true},
		{"goroutine 2 gp=0xc0000028c0 m=nil [force gc (idle)]:", goroutineHeader{id: 2, state: "force gc (idle)"}, "", true},
		{"goroutine 9 [chan receive (leaked)]:", goroutineHeader{id: 9, state: "chan receive", leaked: true}, "", true},
		{"goroutine 9 [select (no cases) (leaked) (scan)]:", goroutineHeader{id: 9, state: "select (no cases)", leaked: true}, "", true},
		{"goroutine 9 [select (scan), 12 minutes]:", goroutineHeader{id: 9, state: "select", minutes: 12}, "", true},
		{"goroutine 9 [chan receive (durable), synctest bubble 4]:", goroutineHeader{id: 9, state: "chan receive (durable)", bubble: 4}, "", true},
		{`goroutine 9 [select, 1 minutes labels:{"a": "b, ]:", "c\"\u00b5": "\x01"}]:`, goroutineHeader{id: 9, state: "select", minutes: 1, labels: [][2]string{{"a", "b, ]:"}, {"c\"µ", "\x01"}}}, "", true},
		{"goroutine 9 [newer, thing]:", goroutineHeader{id: 9, state: "newer, thing"}, "", true},

		// Go 1.27, whose runtime.printquoted writes the quoted ones.
		{"goroutine 5 [sync.Mutex.Lock] {route: /checkout}:", goroutineHeader{id: 5, state: "sync.Mutex.Lock", labels: [][2]string{{"route", "/checkout"}}}, "", true},
		{"goroutine 5 [select, 5 minutes, locked to thread, synctest bubble 2] {a: 1, b_.c: x/y}:", goroutineHeader{id: 5, state: "select", minutes: 5, locked: true, bubble: 2, labels: [][2]string{{"a", "1"}, {"b_.c", "x/y"}}}, "", true},
		{"goroutine 5 gp=0xc000002380 m=nil [chan send (leaked)] {a: b}:", goroutineHeader{id: 5, state: "chan send", leaked: true, labels: [][2]string{{"a", "b"}}}, "", true},
		{"goroutine 5 [select] {empty: , : x}:", goroutineHeader{id: 5, state: "select", labels: [][2]string{{"empty", ""}, {"", "x"}}}, "", true},
		{"goroutine 5 [select] {: }:", goroutineHeader{id: 5, state: "select", labels: [][2]string{{"", ""}}}, "", true},
		{`goroutine 5 [select] {"a b": "]: {x}, y: z", "\"\\\n\r\t": "\x00\x1b\u007f\u03a3\U00045678\xff"}:`, goroutineHeader{id: 5, state: "select", labels: [][2]string{{"a b", "]: {x}, y: z"}, {"\"\\\n\r\t", "\x00\x1b\x7fΣ\U00045678\xff"}}}, "", true},

		{"goroutine 9 [select]", goroutineHeader{id: 9, state: "select"}, "something follows the state", true},
		{"goroutine 9 [select] <a>:", goroutineHeader{id: 9, state: "select"}, "something follows the state", true},
		{"goroutine 9 [select] {a: b} zz:", goroutineHeader{id: 9, state: "select", labels: [][2]string{{"a", "b"}}}, "something follows the state", true},
		{"goroutine 9 [select] {a: b c}:", goroutineHeader{id: 9, state: "select"}, "labels that cannot be read", true},
		{`goroutine 9 [select labels:{"a": "b}]:`, goroutineHeader{id: 9, state: "select"}, "labels that cannot be read", true},
		{"goroutine 9 [select", goroutineHeader{id: 9}, "a state without an end", true},
		{"goroutine 9 gp=0xc000002380 m=nil:", goroutineHeader{id: 9}, "a header without a state", true},
		{"goroutine [select]:", goroutineHeader{}, "", false},
		{"goroutine 5 done", goroutineHeader{}, "", false},
		{"goroutine profile: total 3", goroutineHeader{}, "", false},
	} {
		got, problem, ok := parseGoroutineHeader(c.line)
		if ok != c.ok || problem != c.problem || ok && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %q, %v", c.line, got, problem, ok)
		}
	}
}

func TestGoroutineDumpLimits(t *testing.T) {
	data := readFile(t, filepath.Join("testdata", "goroutine", "debug2.txt"))
	for name, lim := range map[string]Limits{
		"text": {TextBytes: 100}, "samples": {Samples: 1}, "frames": {Frames: 2}, "locations": {Locations: 2},
		"lines": {Lines: 2}, "functions": {Functions: 2}, "strings": {Strings: 4}, "labels": {Labels: 1},
	} {
		var limit *LimitError
		if _, err := decodeGoroutineDump(data, lim); !errors.As(err, &limit) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzGoroutineDump(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "goroutine", "*.txt"))
	for _, file := range files {
		if data := readFile(f, file); len(data) < 16<<10 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		looksLikeGoroutineDump(data)
		p, err := decodeGoroutineDump(data, Limits{})
		if err != nil {
			return
		}
		for _, c := range p.Comments {
			if !strings.HasPrefix(c, warningMark) {
				t.Fatalf("comment %q", c)
			}
		}
		if err := ToGoogle(p).CheckValid(); err != nil {
			t.Fatal(err)
		}
		rawText(t, p)
	})
}

// TestGoroutineDumpsOfGo127 compares what one process wrote in several forms:
// since Go 1.27 all of them have labels.
func TestGoroutineDumpsOfGo127(t *testing.T) {
	read := func(name string) (*Profile, []byte) {
		data := readFile(t, filepath.Join("..", "testdata", name))
		p, err := DecodeBytes(data, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if w := warnings(p); w != "" {
			t.Errorf("%s: %s", name, w)
		}
		return p, data
	}
	// labelled returns the number of goroutines with each set of labels, without
	// those that dumps add.
	labelled := func(p *Profile) map[string]int64 {
		out := map[string]int64{}
		for s := range p.Stacks {
			var set []string
			for _, l := range p.SampleLabelSet(s) {
				// Encoded, an empty value is none.
				if key := p.Strings[l.Key]; l.Str != 0 && !slices.Contains([]string{"state", "wait", "created_by", "locked", "leaked", "bubble"}, key) {
					set = append(set, fmt.Sprintf("%q=%q", key, p.Strings[l.Str]))
				}
			}
			slices.Sort(set)
			out[strings.Join(set, " ")] += p.Values[0][s]
		}
		return out
	}
	binary, _ := read("goroutine.go127.pb.gz")
	want := labelled(binary)
	if len(want) != 6 || want[`"queue"="q1" "shard"="3"`] != 1 || want[`"quote\"d key"="line\nbreak" "unicode"="żółw"`] != 1 {
		t.Fatalf("labels %v", want)
	}
	for _, name := range []string{"goroutine.go127.debug1.txt", "goroutine.go127.debug2.txt", "goroutine.go127-crash.debug2.txt", "goroutine.go127-system.debug2.txt"} {
		t.Run(name, func(t *testing.T) {
			p, data := read(name)
			if strings.Contains(name, "-system") { // with goroutines of the runtime
				want = maps.Clone(want)
				want[""] += int64(bytes.Count(data, []byte("\ngoroutine "))) - sumCounts(want)
			}
			diffCounts(t, labelled(p), want)
			if got, want := sumCounts(labelled(p)), sumCounts(want); got != want {
				t.Errorf("%d goroutines, want %d", got, want)
			}
			if strings.Contains(name, "debug2") {
				leaked := 0
				for s := range p.Stacks {
					for _, l := range p.SampleLabelSet(s) {
						if p.Strings[l.Key] == "leaked" {
							leaked++
						}
					}
				}
				if want := bytes.Count(data, []byte(" (leaked)")); leaked != want || leaked == 0 {
					t.Errorf("%d leaked, want %d", leaked, want)
				}
			}
		})
	}
	leaks, _ := read("goroutineleak.go127.pb.gz")
	text, _ := read("goroutineleak.go127.debug1.txt")
	if want := (ValueType{"goroutineleak", "count"}); text.SampleTypes[0] != want || leaks.SampleTypes[0] != want {
		t.Errorf("types %v and %v", text.SampleTypes, leaks.SampleTypes)
	}
	anyKey := func(string) bool { return true }
	diffCounts(t, describe(text, "\x00", anyKey), describe(leaks, "\x00", anyKey))
}

// TestGoroutineDumpDamage damages one line of a real dump: no goroutine is
// lost, and a warning says which line it is.
func TestGoroutineDumpDamage(t *testing.T) {
	for _, c := range []struct{ name, dump, old, new, warning string }{
		{"behind the state", "2", `(\[chan receive\]):`, `$1 <zz>:`, `something follows the state: "goroutine \d+ \[chan receive\] <zz>:"`},
		{"no end of the labels", "2", `(\{queue: q0, shard: 2)\}`, `$1`, `labels that cannot be read: "goroutine \d+ \[chan receive\] {queue: q0, shard: 2:"`},
		{"other labels", "2", `\{queue: q0, shard: 2\}`, `{queue=q0}`, `labels that cannot be read: "goroutine \d+ \[chan receive\] {queue=q0}:"`},
		{"no end of the state", "2", `(\[chan receive)\]:`, `$1:`, `a state without an end: "goroutine \d+ \[chan receive:"`},
		{"text within a goroutine", "2", `(main\.nested\(.*\n)`, "${1}goroutine 5 [is that it\n", `a state without an end: "goroutine 5 \[is that it"`},
		{"text behind", "2", `\z`, "\ngarbage\nmore\n", `not of a goroutine, skipped: "garbage" and 1 lines more`},
		{"frame", "1", `(main\.\(\*pool\)\.run)\+0x[0-9a-f]+`, "$1", `not a frame: "#\\t0x[0-9a-f]+\\tmain\.\(\*pool\)\.run\\t.*goroutines\.go:\d+"`},
		{"leaf", "1", `0x[0-9a-f]+(\tmain\.\(\*pool\)\.run)`, "zz$1", `not a frame: "#\\tzz\\tmain\.\(\*pool\)\.run.*"`},
		{"labels", "1", `"shard":"3"`, `"shard":"3`, `labels that cannot be read: "# labels: {\\"queue\\":\\"q1\\", \\"shard\\":\\"3}"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := readFile(t, filepath.Join("..", "testdata", "goroutine.go127.debug"+c.dump+".txt"))
			whole := mustDecodeDump(t, data)
			old := regexp.MustCompile(c.old)
			at := old.FindSubmatchIndex(data)
			if at == nil {
				t.Fatalf("the dump has no %s", old)
			}
			damaged := append(old.Expand(slices.Clone(data[:at[0]]), []byte(c.new), data, at), data[at[1]:]...)
			got := mustDecodeDump(t, damaged)
			same := 0
			for same < len(data) && data[same] == damaged[same] {
				same++
			}
			line := 1 + bytes.Count(damaged[:same], []byte("\n"))
			if same == len(data) {
				line++ // behind a blank one
			}
			want := regexp.MustCompile(fmt.Sprintf(`^line %d \(byte \d+\): %s$`, line, c.warning))
			if w := warnings(got); !want.MatchString(w) {
				t.Errorf("warnings %s\nwant     %s", w, want)
			}
			if got, want := sumCounts(describe(got, "\x00", noKey)), sumCounts(describe(whole, "\x00", noKey)); got != want {
				t.Errorf("%d goroutines of %d", got, want)
			}
			// Of the stack with the damaged frame the others are all there.
			if p := got; strings.HasPrefix(c.warning, "not a frame") && perFunction(p)["main.goroutines.func15.gowrap1"]+perFunction(p)[RuntimeFrame] == 0 {
				t.Errorf("the stack is lost")
			}
		})
	}
}

func noKey(string) bool { return false }

func TestGoroutineDumpRefusals(t *testing.T) {
	dump := func(name string) string { return string(readFile(t, filepath.Join("..", "testdata", name))) }
	for _, c := range []struct{ name, data, want string }{
		{"line behind", dump("goroutine.go127.debug1.txt") + "garbage\n", `line LAST: not a stack: "garbage"`},
		{"words behind", dump("goroutine.go127.debug1.txt") + "garbage", `line LAST: not a stack: "garbage"`},
		{"another dump behind", dump("goroutine.go127.debug1.txt") + dump("goroutineleak.go127.debug1.txt"), `: not a stack: "goroutineleak profile: total 5"`},
		{"gzip behind", dump("goroutine.go127.debug1.txt") + "\x1f\x8b\x08\x00", `line LAST: it has a zero byte, so it is not text`},
		{"gzip behind debug=2", dump("goroutine.go127.debug2.txt") + "\x1f\x8b\x08\x00", `line LAST: it has a zero byte, so it is not text`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DecodeBytes([]byte(c.data), Limits{})
			var syntax *SyntaxError
			want := strings.Replace(c.want, "LAST", fmt.Sprint(strings.Count(strings.TrimSuffix(c.data, "\n"), "\n")+1), 1)
			if !errors.As(err, &syntax) || !strings.HasSuffix(err.Error(), want) || syntax.Offset <= 0 {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	p := &Profile{Comments: []string{"a", "# b", warning("%s", "line 1")}}
	q := WithSource(p, "x.txt")
	if got := fmt.Sprintf("%q %q %q", q.Warnings(), p.Warnings(), q.Comments[:2]); got != `["x.txt: line 1"] ["line 1"] ["a" "# b"]` {
		t.Error(got)
	}
	if p := (&Profile{Comments: []string{"a"}}); WithSource(p, "x.txt") != p {
		t.Error("a copy without need")
	}
}

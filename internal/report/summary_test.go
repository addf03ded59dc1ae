package report

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

// busyProfile is a CPU profile of ten seconds with a stack every 10 ms of CPU time.
func busyProfile(seconds float64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	line := func(name, file string, n int64) profile.Line {
		return profile.Line{Function: b.Function(name, name, file, 1), Line: n}
	}
	all := int64(seconds * 100)
	sample := func(share float64, lines ...profile.Line) {
		var stack []uint32
		for i, l := range lines {
			stack = append(stack, b.Location(uint64(1000*len(lines)+100*i)+uint64(l.Line), 0, l))
		}
		n := int64(math.Round(share * float64(all)))
		b.Sample(stack, nil, n, n*10_000_000)
	}
	malloc := line("runtime.mallocgc", "/go/src/runtime/malloc.go", 900)
	find, get := line("main.find", "/src/find.go", 21), line("main.get", "/src/get.go", 10)
	sample(0.30, malloc, line("regexp.MustCompile", "/go/src/regexp/regexp.go", 300), find, get)
	sample(0.20, find, get)
	sample(0.10, line("main.find", "/src/find.go", 25), get)
	sample(0.05, line("runtime.gcAssistAlloc", "/go/src/runtime/mgc.go", 5), malloc, line("main.get", "/src/get.go", 12))
	sample(0.01, line("main.get", "/src/get.go", 13))
	sample(0.20, line("runtime.gcDrain", "/go/src/runtime/mgc.go", 7), line("runtime.gcBgMarkWorker", "/go/src/runtime/mgc.go", 6))
	sample(0.14, line("runtime.futex", "/go/src/runtime/os.go", 8), line("runtime.schedule", "/go/src/runtime/proc.go", 9))
	p := b.Profile()
	p.PeriodType, p.Period, p.DurationNanos = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, 10_000_000, int64(10*time.Second)
	return p
}

func summary(t *testing.T, p *profile.Profile, change func(*Options)) *Summary {
	t.Helper()
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	s, err := NewSummary(p, o, Env{}, Sampling{})
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, s)
	return s
}

func (s *Summary) brief() string {
	out := fmt.Sprint(s.Samples, " samples")
	if s.Cores != nil {
		out += fmt.Sprintf(", %.2f cores", *s.Cores)
	}
	if s.Idle {
		out += ", idle"
	}
	for _, l := range s.Lines {
		out += fmt.Sprintf("\n%s:%d %.0f%%", l.Func, l.Line, l.Cost.Percent)
	}
	for _, w := range s.Shares {
		out += fmt.Sprintf("\n%s %.0f%%", w.Name, w.Cost.Percent)
		if w.Alone != nil {
			out += fmt.Sprintf(", %.0f%% alone", w.Alone.Percent)
		}
	}
	return out
}

func TestSummary(t *testing.T) {
	const lines = "\nmain.find:21 50%\nmain.find:25 10%\nmain.get:12 5%"
	const shares = "\ngarbage collection 25%, 20% alone\nallocation 30%\nscheduler 14%"
	for _, tt := range []struct {
		what   string
		p      *profile.Profile
		change func(*Options)
		want   string
	}{
		{"a busy program", busyProfile(20), nil, "2000 samples, 2.00 cores" + lines + shares},
		{"counted in samples", busyProfile(20), func(o *Options) { o.SampleIndex = "samples" }, "2000 samples, 2.00 cores" + lines + shares},
		{"an idle one", busyProfile(0.2), nil, "20 samples, 0.02 cores, idle\nmain.find:21 50%\nmain.find:25 10%\nmain.get:12 5%" + "\ngarbage collection 25%, 20% alone\nallocation 30%\nscheduler 15%"},
		{"in focus", busyProfile(20), func(o *Options) { o.Focus = "mallocgc" },
			"2000 samples, 2.00 cores\nmain.find:21 30%\nmain.get:12 5%\ngarbage collection 5%\nallocation 30%\nscheduler 0%"},
		{"of other code", busyProfile(20), func(o *Options) { o.Mine = "^regexp" }, "2000 samples, 2.00 cores\nregexp.MustCompile:300 30%" + shares},
		{"no CPU profile", folded(t, "main.main;fmt.Println;runtime.mallocgc 3\n"), nil, "0 samples"},
	} {
		if got := summary(t, tt.p, tt.change).brief(); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.what, got, tt.want)
		}
	}
}

// TestMargin compares with tables of Wilson's interval: 10 of 100 is 5.5 % to 17.4 %.
func TestMargin(t *testing.T) {
	for _, tt := range []struct {
		n         int64
		percent   float64
		low, high float64
	}{
		{100, 10, 5.52, 17.44}, {100, 0, 0, 3.70}, {100, 100, 96.30, 100}, {1, 100, 20.65, 100}, {10_000, 50, 49.02, 50.98},
	} {
		m := (&Summary{Samples: tt.n}).margin(Quantity{Percent: tt.percent})
		if math.Abs(m.Low-tt.low) > 0.01 || math.Abs(m.High-tt.high) > 0.01 {
			t.Errorf("%v%% of %d: %.2f to %.2f, want %v to %v", tt.percent, tt.n, m.Low, m.High, tt.low, tt.high)
		}
	}
	if (&Summary{}).margin(Quantity{Percent: 10}) != nil {
		t.Error("a margin without a number of samples")
	}
}

// TestSureChange compares with Newcombe's table II: 56 of 70 and 48 of 80 differ by
// 5.24 % to 33.39 %, 9 of 10 and 3 of 10 by 17.05 % to 80.90 %.
func TestSureChange(t *testing.T) {
	for _, tt := range []struct {
		before, after float64
		n, m          int64
		want          float64
	}{
		{60, 80, 80, 70, 5.24},
		{80, 60, 70, 80, -5.24},
		{30, 90, 10, 10, 17.05},
		{10, 11, 100, 100, 0},
		{11, 10, 100, 100, 0},
		{0, 0, 100, 100, 0},
		{10, 11, 0, 100, 1},
		{10, 9, 100, 0, -1},
	} {
		side := func(percent float64, n int64) Measured {
			m := Measured{Value: percent, Whole: 100}
			if tt.n > 0 && tt.m > 0 {
				m.Event = 100 / float64(n)
			}
			return m
		}
		if got := SureChange(side(tt.before, tt.n), side(tt.after, tt.m)); math.Abs(got-tt.want) > 0.005 {
			t.Errorf("from %v %% of %d to %v %% of %d it is %.3f, want %v", tt.before, tt.n, tt.after, tt.m, got, tt.want)
		}
	}
}

// TestSummaryOfRealProfiles compares figures with those of other reports.
func TestSummaryOfRealProfiles(t *testing.T) {
	data, err := os.ReadFile("../../testdata/cpu.wordcount-v1.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s := summary(t, p, nil)
	if len(s.Lines) != 3 || s.Lines[0].Func != "main.countWords" || s.Lines[0].Cost.Value != 1_470_000_000 || s.Samples != 207 || s.Idle {
		t.Errorf("got %s", s.brief())
	}
	var b bytes.Buffer
	if err := s.WriteText(&b); err != nil || !bytes.Contains(b.Bytes(), []byte("Busy: 1.03 cores")) {
		t.Errorf("%v, %s", err, b.String())
	}
}

// TestSummaryIsOfTheListing: a line's cost is what a listing of your code says.
func TestSummaryIsOfTheListing(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*.pb.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no profiles", err)
	}
	lines := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.DecodeBytes(data, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []func(*Options){
			func(o *Options) {},
			func(o *Options) { o.Mine = "^runtime|^main" },
			func(o *Options) { o.Focus = "main|malloc" },
			func(o *Options) { o.Ignore, o.NoInlines = "malloc", true },
			func(o *Options) { o.Hide, o.Mine = "malloc", "alloc" },
		} {
			o := DefaultOptions()
			change(&o)
			s, err := NewSummary(p, o, Env{}, Sampling{})
			if err != nil {
				t.Fatal(err)
			}
			if o.Mine == "" {
				o.Mine = MineModule
			}
			o.Sort = "flat"
			listing, err := New(p, "list", "", o, Env{})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]int64{} // of all functions of that name on that line
			for _, row := range listing.Top().Rows {
				if row.Line != 0 {
					want[row.Name] += row.Flat.Value
				}
			}
			maps.DeleteFunc(want, func(_ string, v int64) bool { return v <= 0 })
			most := slices.Sorted(maps.Values(want))
			slices.Reverse(most)
			if len(s.Lines) != min(summaryLines, len(most)) {
				t.Fatalf("%s, %+v: %d lines of %d", file, o, len(s.Lines), len(most))
			}
			for i, line := range s.Lines {
				lines++
				if want[line.Name] != line.Cost.Value || most[i] != line.Cost.Value {
					t.Errorf("%s, mine %q, hide %q: line %d, %s, costs %d, in a listing %d, number %d has %d",
						file, o.Mine, o.Hide, i, line.Name, line.Cost.Value, want[line.Name], i, most[i])
				}
			}
		}
	}
	if lines < 50 {
		t.Errorf("only %d lines compared", lines)
	}
}

func BenchmarkSummary(b *testing.B) {
	data, err := os.ReadFile("../../testdata/cpu.wordcount-v1.pb.gz")
	if err != nil {
		b.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewSummary(p, DefaultOptions(), Env{}, Sampling{}); err != nil {
			b.Fatal(err)
		}
	}
}

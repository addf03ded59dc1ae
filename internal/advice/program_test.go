package advice

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// appModule makes a module of the program that the profiles of the test data are of.
func appModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/capture/app")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/app\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func recorded(t *testing.T, name string) Input {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	kind, _, _ := strings.Cut(name, ".")
	return Input{Profile: p, Subject: "app", Kind: kind}
}

func adviseWhole(t *testing.T, dir string, inputs ...Input) *Report {
	t.Helper()
	r, err := Advise(t.Context(), inputs, Options{Dir: dir, Rules: ProgramRules()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told lists the rules and places of findings.
func told(r *Report) string {
	var all []string
	for _, f := range r.Findings {
		text := f.Rule
		if f.File != "" {
			text += fmt.Sprintf(" %s:%d", filepath.Base(f.File), f.Line)
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// TestProgramRules looks at real profiles with the source that they are of.
func TestProgramRules(t *testing.T) {
	dir := appModule(t)
	for _, c := range []struct{ profile, want string }{
		{"cpu.gc.pb.gz", "gc-bound, pgo-off"},
		{"cpu.tree.pb.gz", "pgo-off"},
		{"cpu.inlining.pb.gz", "pgo-off"},
		{"cpu.wordcount-v1.pb.gz", "pgo-off"},
		{"cpu.gofmt.pb.gz", ""},         // another program
		{"cpu.std-json.pb.gz", ""},      // a test binary
		{"goroutine.states.pb.gz", ""},  // of each few
		{"goroutine.threads.pb.gz", ""}, //
	} {
		r := adviseWhole(t, dir, recorded(t, c.profile))
		if got := told(r); got != c.want {
			t.Errorf("%s: %q, want %q", c.profile, got, c.want)
		}
		for _, f := range r.Findings {
			if f.Class != AdviceOnly || f.ID == "" || f.Why == "" || f.Title == "" || strings.Contains(f.Why, "PROFILE") {
				t.Errorf("%+v", f)
			}
		}
	}
	leaks := adviseWhole(t, dir, recorded(t, "goroutineleak.states.pb.gz"))
	if len(leaks.Findings) < 5 || len(leaks.Unexamined) > 0 {
		t.Errorf("leaked goroutines: %s; %v", told(leaks), leaks.Unexamined)
	}
	for _, f := range leaks.Findings {
		if f.Rule != "goroutine-leak" || filepath.Base(f.File) != "goroutines.go" || f.Text == "" || !strings.Contains(f.Why, "1 goroutine waits") {
			t.Errorf("%+v", f)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "default.pgo"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := told(adviseWhole(t, dir, recorded(t, "cpu.tree.pb.gz"))); got != "" {
		t.Errorf("with default.pgo: %s", got)
	}
}

// scheduled is a CPU profile with a part of its samples in the scheduler.
func scheduled(part int64, seconds int64) Input {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name string) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, "proc.go", 1), Line: 2})
	}
	b.Sample([]uint32{at("runtime.futex"), at("runtime.notesleep"), at("runtime.stopm"), at("runtime.findRunnable"), at("runtime.schedule"), at("runtime.mcall")}, nil, part, part*10e6)
	b.Sample([]uint32{at("runtime.futex"), at("runtime.wakep"), at("runtime.gcBgMarkWorker")}, nil, 100, 1000e6)
	b.Sample([]uint32{at("runtime.send"), at("runtime.chansend"), at("runtime.chansend1"), at("other.Work")}, nil, 100, 1000e6)
	b.Sample([]uint32{at("other.Work")}, nil, 800-part, (800-part)*10e6)
	p := b.Profile()
	p.DurationNanos = seconds * 1e9
	return Input{Profile: p, Kind: "cpu"}
}

func TestSchedulerBound(t *testing.T) {
	dir := appModule(t)
	for _, c := range []struct {
		part, seconds int64
		want          string
	}{
		{400, 5, "scheduler-bound"}, {240, 5, ""}, {400, 60, ""}, {400, 0, ""},
	} {
		if got := told(adviseWhole(t, dir, scheduled(c.part, c.seconds))); got != c.want {
			t.Errorf("%d %% in %d s: %q, want %q", c.part/10, c.seconds, got, c.want)
		}
	}
}

// TestSchedulerBoundRecorded looks at profiles of the benchmarks in testdata/scheduling.
func TestSchedulerBoundRecorded(t *testing.T) {
	dir := appModule(t)
	for _, c := range []struct{ benchmark, want string }{
		{"Ping", "scheduler-bound"},
		{"Garbage", "gc-bound"}, // the scheduler takes 34 % to run the goroutine that sweeps
	} {
		in := recorded(t, filepath.Join("../internal/advice/testdata/scheduling", c.benchmark+".pb.gz"))
		in.Kind = "cpu"
		if got := told(adviseWhole(t, dir, in)); got != c.want {
			t.Errorf("%s: %q, want %q", c.benchmark, got, c.want)
		}
	}
}

// TestSchedulerBoundYields: without a collection, goroutines of the program give up their processors.
func TestSchedulerBoundYields(t *testing.T) {
	dir := appModule(t)
	for _, collector := range []string{"", "runtime.bgsweep"} {
		b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		at := func(name string) uint32 {
			return b.Location(0, 0, profile.Line{Function: b.Function(name, name, "proc.go", 1), Line: 2})
		}
		b.Sample([]uint32{at("runtime.schedule"), at("runtime.goschedImpl"), at("runtime.gosched_m"), at("runtime.mcall")}, nil, 100, 1000e6)
		b.Sample([]uint32{at("other.Work")}, nil, 100, 1000e6)
		want := "scheduler-bound"
		if collector != "" {
			b.Sample([]uint32{at("runtime.sweepone"), at(collector)}, nil, 10, 100e6)
			want = ""
		}
		p := b.Profile()
		p.DurationNanos = 2e9
		if got := told(adviseWhole(t, dir, Input{Profile: p, Kind: "cpu"})); got != want {
			t.Errorf("with %q: %q, want %q", collector, got, want)
		}
	}
}

// TestProgramCases: for each rule about programs there is a profile that it has to speak
// of, and one that looks like it where it must not.
func TestProgramCases(t *testing.T) {
	dir := appModule(t)
	for _, c := range []struct {
		rule     string
		is, like Input
	}{
		{"gc-bound", recorded(t, "cpu.gc.pb.gz"), recorded(t, "cpu.tree.pb.gz")},
		{"pgo-off", recorded(t, "cpu.tree.pb.gz"), recorded(t, "cpu.std-json.pb.gz")},
		{"scheduler-bound", scheduled(400, 5), scheduled(240, 5)},
		{"goroutine-leak", waiting(dir, 1, 1000, 5000), waiting(dir, 1, 10, 5000)},
	} {
		speaks := func(in Input) bool {
			return slices.ContainsFunc(adviseWhole(t, dir, in).Findings, func(f Finding) bool { return f.Rule == c.rule })
		}
		if !speaks(c.is) || speaks(c.like) {
			t.Errorf("%s speaks of what it is about: %v; of what looks like it: %v", c.rule, speaks(c.is), speaks(c.like))
		}
		rules := ProgramRules()
		if !slices.ContainsFunc(rules, func(r *Rule) bool { return r.ID == c.rule }) || len(rules) != 4 {
			t.Errorf("%s: the rules about programs are others, %d of them: want cases for each", c.rule, len(rules))
		}
	}
}

// waiting is a goroutine profile at a time; more senders are on other lines of a function.
func waiting(dir string, time, senders, receivers int64, more ...int64) Input {
	b := profile.NewBuilder(profile.ValueType{Type: "goroutine", Unit: "count"})
	at := func(name, file string, line int64) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, file, 1), Line: line})
	}
	blocking := filepath.Join(dir, "blocking.go")
	b.Sample([]uint32{at("runtime.gopark", "proc.go", 1), at("runtime.chansend", "chan.go", 1), at("runtime.chansend1", "chan.go", 1), at("main.produce", blocking, 20)}, nil, senders)
	b.Sample([]uint32{at("runtime.gopark", "proc.go", 1), at("runtime.chanrecv", "chan.go", 1), at("runtime.chanrecv2", "chan.go", 1), at("main.squared", blocking, 30)}, nil, receivers)
	b.Sample([]uint32{at("runtime.gopark", "proc.go", 1), at("internal/poll.runtime_pollWait", "poll.go", 1), at("main.serve", blocking, 40)}, nil, 100000)
	for _, line := range more {
		b.Sample([]uint32{at("runtime.gopark", "proc.go", 1), at("runtime.chansend", "chan.go", 1), at("runtime.chansend1", "chan.go", 1), at("main.produce", blocking, line)}, nil, senders)
	}
	p := b.Profile()
	p.TimeNanos = time
	return Input{Profile: p, Kind: "goroutine"}
}

func TestGoroutineLeak(t *testing.T) {
	dir := appModule(t)
	for _, c := range []struct {
		what   string
		inputs []Input
		want   string
	}{
		{"many at work", []Input{waiting(dir, 1, 10, 5000)}, ""},
		{"many senders", []Input{waiting(dir, 1, 1000, 5000)}, "goroutine-leak blocking.go:20"},
		{"lines that look the same", []Input{waiting(dir, 1, 1000, 10, 20_001, 20_002)}, "goroutine-leak blocking.go:20, goroutine-leak blocking.go:20001, goroutine-leak blocking.go:20002"},
		{"growing", []Input{waiting(dir, 2, 10, 200), waiting(dir, 1, 10, 50)}, "goroutine-leak blocking.go:30"},
		{"shrinking", []Input{waiting(dir, 2, 10, 50), waiting(dir, 1, 10, 200)}, ""},
		{"as many as before", []Input{waiting(dir, 1, 10, 200), waiting(dir, 2, 10, 210)}, ""},
	} {
		if got := told(adviseWhole(t, dir, c.inputs...)); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// One finding stands for all subjects, with what it is in the worst.
func TestWholeSubjects(t *testing.T) {
	dir := appModule(t)
	a, b := scheduled(400, 5), scheduled(500, 5)
	a.Subject, b.Subject = "A", "B"
	r := adviseWhole(t, dir, a, b)
	if len(r.Findings) != 1 || !slices.Equal(r.Findings[0].Evidence.Subjects, []string{"B", "A"}) || r.Findings[0].Evidence.Subject != "B" {
		t.Errorf("%+v", r.Findings)
	}
}

// TestGCBoundTry: settings are tried where there is a benchmark to measure.
func TestGCBoundTry(t *testing.T) {
	dir := appModule(t)
	for _, c := range []struct {
		root, subject string
		want          Trial
	}{
		{"testing.(*B).launch", "Parse-2", BySetting},
		{"testing.(*B).launch", "", ""}, // a file: which benchmark it is of is not known
		{"main.main", "api", ""},
	} {
		b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		at := func(name string) uint32 {
			return b.Location(0, 0, profile.Line{Function: b.Function(name, name, "x.go", 1), Line: 2})
		}
		b.Sample([]uint32{at("runtime.scanobject"), at("runtime.gcDrain"), at("runtime.gcBgMarkWorker")}, nil, 100, 1000e6)
		b.Sample([]uint32{at("other.Work"), at(c.root)}, nil, 200, 2000e6)
		r := adviseWhole(t, dir, Input{Profile: b.Profile(), Subject: c.subject, Kind: "cpu"})
		if len(r.Findings) != 1 || r.Findings[0].Rule != "gc-bound" || r.Findings[0].Try != c.want {
			t.Errorf("%+v: %+v", c, r.Findings)
			continue
		}
		var text strings.Builder
		if err := r.WriteText(&text, dir); err != nil || strings.Contains(text.String(), "hone fix gc-bound-") != (c.want != "") {
			t.Errorf("%+v: %v\n%s", c, err, text.String())
		}
	}
}

// TestRuntimeLocks: a mutex profile also has waiting for the runtime's own locks, which no line of the user's holds.
func TestRuntimeLocks(t *testing.T) {
	dir := appModule(t)
	of := func(runtime, user int64) Input {
		b := profile.NewBuilder(profile.ValueType{Type: "contentions", Unit: "count"}, profile.ValueType{Type: "delay", Unit: "nanoseconds"})
		at := func(name, file string, start, line int64) uint32 {
			return b.Location(0, 0, profile.Line{Function: b.Function(name, name, file, start), Line: line})
		}
		deposit := at("main.(*account).deposit", filepath.Join(dir, "blocking.go"), 67, 69)
		b.Sample([]uint32{at("runtime.unlock", "lock.go", 1, 1), at("runtime.chansend", "chan.go", 1, 1), deposit}, nil, 10, runtime)
		b.Sample([]uint32{at("sync.(*Mutex).Unlock", "mutex.go", 1, 1), deposit}, nil, 10, user)
		return Input{Profile: b.Profile(), Kind: "mutex"}
	}
	for _, c := range []struct {
		runtime, user int64
		want          string
	}{
		{3e9, 1e9, "75 % of 4s in the mutex profile is waiting for locks of the runtime"},
		{1e9, 3e9, ""},
	} {
		r := adviseWhole(t, dir, of(c.runtime, c.user))
		if got := strings.Join(r.Unexamined, "; "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%d and %d: %q, want %q", c.runtime, c.user, got, c.want)
		}
	}
}

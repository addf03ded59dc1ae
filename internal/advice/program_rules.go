package advice

import (
	"debug/buildinfo"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/profile"
)

// ProgramRules are the rules about programs as a whole.
func ProgramRules() []*Rule {
	return []*Rule{gcBound, schedulerBound, pgoOff, goroutineLeak}
}

// enoughSamples is how many samples a share of CPU time needs to be reported: a fifth of 100 samples
// is known to ±4 %.
const enoughSamples = 100

// wholeBound is the bound of a share of a program's CPU time.
func (p *Program) wholeBound(nanos, samples int64, gain float64) (Evidence, Bound) {
	total, n := p.cpu()
	s := float64(nanos) / float64(total)
	b := Bound{Time: s, Expected: s * (1 - 1/gain)}
	b.limit(n)
	return Evidence{CPU: &Share{Value: nanos, Unit: "nanoseconds", Share: s, Samples: samples}, GC: p.seen.share(p.seen.gc[p.subject], p.subject, cpuTime)}, b
}

const (
	gcMuch        = 0.2
	scheduleMuch  = 0.25
	busy          = 0.5 // of a core
	leakedMany    = 100
	parkedAtSends = 1000
)

var gcBound = &Rule{
	ID: "gc-bound", Class: AdviceOnly,
	Title: "garbage collection takes a large share of the CPU time",
	Doc: `The collector runs each time the heap has grown by GOGC percent, 100 by default, and marks all live objects. Its share
of the CPU time comes on top of the allocations themselves. Allocate less, as other findings suggest, or let the heap
grow more between collections: GOGC=200 halves the number of collections for up to twice the memory.
GOMEMLIMIT with a large GOGC uses memory up to the limit. hone fix measures these settings, and the memory they need,
with the benchmarks of the finding.

The rule reports programs that spend at least 20 % of the CPU time on collection. The heap of a benchmark is often so
small that the collector runs far more often than in the program, so check a profile of the program before you change a
setting.`,
	Examine: func(p *Program) []Finding {
		total, samples := p.cpu()
		gc := p.seen.gc[p.subject]
		if samples < enoughSamples || float64(gc) < gcMuch*float64(total) {
			return nil
		}
		gain := 2.0
		if p.tested() {
			gain = defaultGain // the gain for the program is unknown
		}
		var f Finding
		f.Evidence, f.Bound = p.wholeBound(gc, int64(float64(samples)*float64(gc)/float64(total)), gain)
		f.Why = fmt.Sprintf("Garbage collection takes %.0f %% of the CPU time%s. Reduce allocations first, as other findings suggest. Then try GOGC=200, which halves the number of collections and uses more memory, or GOGC=off with GOMEMLIMIT below the memory of the machine or container.", 100*f.Bound.Time, p.allocationRate())
		if p.tested() && p.Subject != "" { // a profile alone names no benchmark
			f.Try = BySetting
		}
		if p.tested() {
			f.Caveats = append(f.Caveats, "this is a benchmark, whose small heap is collected more often than a program's; check a profile of the program before you set GOGC")
		}
		return []Finding{f}
	},
}

// allocationRate is ", at 120 MB allocated per second" if a profile has it.
func (p *Program) allocationRate() string {
	for _, in := range p.Inputs {
		i := slices.IndexFunc(in.Profile.SampleTypes, func(t profile.ValueType) bool { return t.Type == "alloc_space" && t.Unit == "bytes" })
		if i < 0 || in.Profile.DurationNanos <= 0 {
			continue
		}
		var bytes int64
		for _, v := range in.Profile.Values[i] {
			bytes += v
		}
		if rate := float64(bytes) / (float64(in.Profile.DurationNanos) / 1e9); rate >= 1e6 {
			return fmt.Sprintf(", at %.0f MB allocated per second", rate/1e6)
		}
	}
	return ""
}

var schedulerBound = &Rule{
	ID: "scheduler-bound", Class: AdviceOnly,
	Title: "scheduling goroutines takes a large share of the CPU time",
	Doc: `Each time a goroutine waits, the scheduler looks for another one in its own queue and in those of others, puts threads
to sleep and wakes them. With enough work per step, this costs little. It becomes visible if work is passed around in
small pieces, item by item over channels, or if GOMAXPROCS is larger than the number of CPUs available. Before Go 1.25
the runtime ignored the CPU limit of a container, and it still does with an older go line in go.mod.

The rule reports programs that use at least half a CPU and spend at least 25 % of the CPU time on scheduling. An idle
program spends most of its little CPU time looking for work, which doesn't matter. The garbage collector has goroutines,
too. The rule doesn't report the scheduler's work for these.`,
	Examine: func(p *Program) []Finding {
		total, samples := p.cpu()
		if samples < enoughSamples || p.cores() < busy {
			return nil
		}
		nanos := p.scheduling()
		if float64(nanos) < scheduleMuch*float64(total) {
			return nil
		}
		var f Finding
		f.Evidence, f.Bound = p.wholeBound(nanos, int64(float64(samples)*float64(nanos)/float64(total)), 1.5)
		f.Why = fmt.Sprintf("The scheduler takes %.0f %% of the CPU time to find work, put threads to sleep and wake them. Give goroutines larger pieces of work (batches over channels, a worker per range of items), use fewer goroutines, or try a smaller GOMAXPROCS.", 100*f.Bound.Time)
		if p.GoVersion != "" && olderThan(p.GoVersion, 25) {
			f.Why += fmt.Sprintf(" With go %s in go.mod, the runtime ignores the CPU limit of a container; with go 1.25 it doesn't.", p.GoVersion)
		}
		return []Finding{f}
	},
}

// scheduling is the CPU time of the scheduler that the program's goroutines cause by waiting and by waking each
// other; 0 if the profile doesn't show that they do.
func (p *Program) scheduling() int64 {
	var nanos, yields, passes int64
	yielding := false
	p.samples("cpu", func(s *stackSample) {
		if s.has(passesWork) && !s.has(profile.CollectsGarbage) {
			passes += s.value
		}
		yielding = yielding || s.has(func(name string) bool { return name == "runtime.Gosched" })
		switch {
		case !s.has(profile.Schedules) || s.has(profile.CollectsGarbage):
		case s.has(func(name string) bool { return name == "runtime.gosched_m" }):
			yields += s.value
		default:
			nanos += s.value
		}
	})
	if yielding || p.seen.gc[p.subject] == 0 { // else the goroutine that sweeps gives up its processor
		nanos, passes = nanos+yields, passes+yields
	}
	if float64(passes) < leastPassed*float64(nanos) {
		return 0
	}
	return nanos
}

// leastPassed is how much of the scheduler's time a program's goroutines spend on passing work at least, if the
// scheduler works for them. A channel between two goroutines takes twice the scheduler's time; a benchmark that
// only allocates takes none.
const leastPassed = 0.1

// passesWork reports whether a function starts, ends or wakes a goroutine of the program, or makes one wait.
func passesWork(name string) bool {
	switch name {
	case "runtime.chansend", "runtime.chanrecv", "runtime.selectgo", "runtime.closechan", "runtime.newproc", "runtime.goexit0", "runtime.Gosched",
		"runtime.semacquire1", "runtime.semrelease1", "runtime.notifyListWait", "runtime.notifyListNotifyOne", "runtime.notifyListNotifyAll",
		"sync.runtime_notifyListWait", "sync.runtime_notifyListNotifyOne", "sync.runtime_notifyListNotifyAll",
		"runtime.timeSleep", "time.Sleep", "internal/poll.runtime_pollWait", "runtime.netpoll", "runtime.exitsyscall", "runtime.entersyscall":
		return true
	}
	return false
}

// olderThan reports whether a go line is below 1.minor.
func olderThan(version string, minor int) bool {
	var major, n int
	if k, _ := fmt.Sscanf(version, "%d.%d", &major, &n); k != 2 {
		return false
	}
	return major == 1 && n < minor
}

var pgoOff = &Rule{
	ID: "pgo-off", Class: AdviceOnly,
	Title: "the program is built without a PGO profile",
	Doc: `With default.pgo next to the main package, go build inlines hot functions and calls the usual implementation of an
interface method directly. Programs save 2 to 14 % of CPU time without a change in the source. hone fix makes the file
from the profile of the finding, compares the benchmarks of the hot packages with and without it, and keeps it if they
are faster. hone pgo makes it from any profiles, and measures the gain with -verify.

The rule reports profiles of commands, not tests, whose main package in this module has no default.pgo. If the binary
still exists, its build settings decide.`,
	Examine: func(p *Program) []Finding {
		_, samples := p.cpu()
		if samples < enoughSamples || p.tested() {
			return nil
		}
		dir, binary := p.main()
		if dir == "" || infile.Exists(filepath.Join(dir, "default.pgo")) || !p.foreign && builtWithProfile(binary) {
			return nil
		}
		f := Finding{State: Hinted, Try: ByProfile}
		if rel, err := filepath.Rel(p.Dir, dir); err == nil && rel != "." {
			dir, f.Package = rel, filepath.ToSlash(rel)
		} else if err == nil {
			dir = ""
		}
		f.Bound.Expected = 0.03 // programs gain 2 to 14 %
		f.Why = fmt.Sprintf("There is no default.pgo next to the main package. With it, the compiler inlines hot functions, which typically saves 2 to 14 %% of CPU time. hone fix measures the gain with this profile, and writes %s if it is confirmed.", filepath.Join(dir, "default.pgo"))
		return []Finding{f}
	},
}

// main returns the folder of the profiled command and its binary, if they are certain.
func (p *Program) main() (dir, binary string) {
	isMain := false
	for _, in := range p.Inputs {
		for i := range in.Profile.Functions {
			f := &in.Profile.Functions[i]
			frame := profile.Frame{Name: in.Profile.Strings[f.Name], File: in.Profile.Strings[f.File]}
			if !strings.HasPrefix(frame.Name, "main.") {
				continue
			}
			file := p.locate(&frame)
			if file == "" || !infile.Exists(file) {
				return "", "" // another program
			}
			isMain = true
		}
		if len(in.Profile.Mappings) > 0 && binary == "" {
			binary = in.Profile.Mappings[0].File
		}
	}
	if !isMain {
		return "", ""
	}
	if len(p.Mains) == 1 {
		return p.Mains[0], binary
	}
	for _, d := range p.Mains {
		if name := strings.TrimSuffix(filepath.Base(filepath.ToSlash(binary)), ".exe"); filepath.Base(d) == name {
			return d, binary
		}
	}
	return "", ""
}

// builtWithProfile reports whether a binary, if it exists, was built with a PGO profile.
func builtWithProfile(name string) bool {
	if name == "" {
		return false
	}
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-pgo" && s.Value != "" && s.Value != "off" {
			return true
		}
	}
	return false
}

const goroutineLeakID = "goroutine-leak"

var goroutineLeak = &Rule{
	ID: goroutineLeakID, Class: AdviceOnly,
	Title: "goroutines leak here",
	Doc: `A goroutine that waits forever keeps its stack and everything it refers to. Usually it sends its result to a channel
after the receiver has returned early, on a timeout or an error; a channel with a buffer for the result lets it end.
Others wait for a context that is never canceled, or range over a channel that is never closed.

The rule reports each line in a profile of leaked goroutines (goroutineleak, since Go 1.27), which are proven. It
compares goroutine profiles of the same program in pairs, and reports lines where the number has doubled to 100 or more,
or where 1000 goroutines wait to send.`,
	Examine: func(p *Program) []Finding { return slices.Concat(p.proven(), p.parked()) },
}

// A parking is a line where goroutines wait.
type parking struct {
	frame StackFrame
	in    string // function of the runtime that waits
	count map[int]int64
}

// parkings counts goroutines by the user's line where they wait.
func (p *Program) parkings(kind string) []*parking {
	var all []*parking
	at := make(map[string]*parking)
	p.samples(kind, func(s *stackSample) {
		frame, ok := s.user()
		if !ok || strings.HasSuffix(frame.File, "_test.go") {
			return
		}
		in := waits(s)
		if in == "" && kind == "goroutine" {
			return
		}
		key := fmt.Sprintf("%s:%d %s", frame.File, frame.Line, in)
		if at[key] == nil {
			at[key] = &parking{frame, in, make(map[int]int64)}
			all = append(all, at[key])
		}
		at[key].count[s.input] += s.value
	})
	return all
}

// waits says what a goroutine waits for, "" if it isn't for another goroutine.
func waits(s *stackSample) string {
	for _, f := range s.frames {
		if f.File != "" {
			break
		}
		switch f.Name {
		case "runtime.chansend1", "runtime.chansend":
			return "to send"
		case "runtime.chanrecv1", "runtime.chanrecv2", "runtime.chanrecv":
			return "to receive"
		case "runtime.selectgo":
			return "in a select"
		case "runtime.block":
			return "in an empty select"
		case "sync.(*WaitGroup).Wait":
			return "for a WaitGroup"
		case "sync.(*Cond).Wait":
			return "for a Cond"
		case "sync.(*Mutex).Lock", "sync.(*RWMutex).Lock", "sync.(*RWMutex).RLock":
			return "for a lock"
		}
	}
	return ""
}

// advice says what to do about leaked goroutines.
func (k *parking) advice() string {
	switch k.in {
	case "to send":
		return " If the receiver may stop waiting, give the channel a buffer for the result, or have the sender also select on a context that ends."
	case "to receive", "in a select":
		return " Close the channel after the last value, or have the goroutine also select on a context that ends."
	case "for a lock":
		return " Find the path that doesn't unlock, such as an early return or a panic."
	case "for a WaitGroup", "for a Cond":
		return " Find the path that doesn't call Done, Signal or Broadcast."
	}
	return ""
}

// proven returns leaks that the garbage collector found: nothing can wake these goroutines.
func (p *Program) proven() []Finding {
	var all []Finding
	for _, k := range p.parkings("goroutineleak") {
		n := int64(0)
		for _, c := range k.count {
			n += c
		}
		var f Finding
		f.at(k.frame)
		what := "wait"
		if n == 1 {
			what = "waits"
		}
		in := k.in
		if in != "" {
			in = " " + in
		}
		f.Why = fmt.Sprintf("%s %s%s forever: no reachable code can wake them.", count(int(n), "goroutine"), what, in) + k.advice()
		all = append(all, f)
	}
	return all
}

// parked returns the leaks that goroutine profiles suggest.
func (p *Program) parked() []Finding {
	var all []Finding
	for _, k := range p.parkings("goroutine") {
		first, last := -1, -1 // the earliest and the latest profile
		for i, in := range p.Inputs {
			if !slices.ContainsFunc(in.Profile.SampleTypes, func(t profile.ValueType) bool { return t.Type == "goroutine" }) {
				continue
			}
			if first < 0 || in.Profile.TimeNanos < p.Inputs[first].Profile.TimeNanos {
				first = i
			}
			if last < 0 || in.Profile.TimeNanos > p.Inputs[last].Profile.TimeNanos {
				last = i
			}
		}
		before, after := k.count[first], k.count[last]
		var f Finding
		switch {
		case p.Inputs[first].Profile.TimeNanos < p.Inputs[last].Profile.TimeNanos && after >= leakedMany && after >= 2*before:
			f.Why = fmt.Sprintf("%d goroutines wait %s here, and %d did in an earlier profile, so they seem to leak.", after, k.in, before)
		case after >= parkedAtSends && k.in == "to send":
			f.Why = fmt.Sprintf("%d goroutines wait here to send: the receiver has stopped or is too slow.", after)
		default:
			continue
		}
		f.at(k.frame)
		f.State, f.Why = Hinted, f.Why+k.advice()
		f.Caveats = append(f.Caveats, "waiting goroutines are not necessarily a leak: with one goroutine per connection, they are normal")
		all = append(all, f)
	}
	return all
}

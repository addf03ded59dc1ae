package advice

import (
	"debug/buildinfo"
	"fmt"
	"math"
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
	b := Bound{Time: s, Error: math.Sqrt(s * (1 - s) / float64(n)), Expected: s * (1 - 1/gain)}
	if s < 1 {
		b.Speedup = 1 / (1 - s)
	}
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
	Title: "a large part of the time is garbage collection",
	Doc: `The collector runs each time the heap has grown by GOGC per cent, 100 by default, and marks all that is alive. Its share of
the CPU time is what allocating costs beyond the allocations themselves. Allocating less lowers it, which other findings are
about; so does letting the heap grow more between collections: GOGC=200 halves how often they run, for up to as much memory
again as is alive. GOMEMLIMIT with a large GOGC uses what memory there is and no more. hone fix measures such settings by the
benchmarks the finding was seen in, with the memory they take.

The rule speaks from 20 % of the CPU time on. In benchmarks the heap is often so small that the collector runs far
more often than in the program: look at a profile of that before changing the setting.`,
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
		f.Why = fmt.Sprintf("%.0f %% of the CPU time is garbage collection%s. Allocate less where the other findings say; then try GOGC=200, which halves how often it runs for more memory, or GOGC=off with GOMEMLIMIT below what the machine or container has.", 100*f.Bound.Time, p.allocationRate())
		if p.tested() && p.Subject != "" { // a profile by itself names no benchmark
			f.Try = BySetting
		}
		if p.tested() {
			f.Bound.Worth = f.Bound.Expected / 4 // what allocates comes first, as Why says
			f.Caveats = append(f.Caveats, "this is a benchmark, whose small heap is collected more often than a program's: look at a profile of the program before setting GOGC")
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
			return fmt.Sprintf(", for %.0f MB allocated a second", rate/1e6)
		}
	}
	return ""
}

var schedulerBound = &Rule{
	ID: "scheduler-bound", Class: AdviceOnly,
	Title: "a large part of the time goes into finding goroutines to run",
	Doc: `Each time a goroutine waits, the scheduler looks for another one, in its own queue and those of others, and puts threads to
sleep and wakes them. With much work in each turn that costs nothing to speak of. It shows where work is handed around in
small pieces, item by item over channels, or where GOMAXPROCS is larger than the processors that the program may use:
before Go 1.25 the runtime did not know of a container's limit, and with an older go line in go.mod it still does not.

The rule speaks from 25 % of the CPU time on, of programs that use half a processor or more: one that is idle looks for work
most of its little time, which costs nobody anything.`,
	Examine: func(p *Program) []Finding {
		total, samples := p.cpu()
		if samples < enoughSamples || p.cores() < busy {
			return nil
		}
		var nanos int64
		p.samples("cpu", func(s *stackSample) {
			if s.has(profile.Schedules) && !s.has(profile.CollectsGarbage) {
				nanos += s.value
			}
		})
		if float64(nanos) < scheduleMuch*float64(total) {
			return nil
		}
		var f Finding
		f.Evidence, f.Bound = p.wholeBound(nanos, int64(float64(samples)*float64(nanos)/float64(total)), 1.5)
		f.Why = fmt.Sprintf("%.0f %% of the CPU time is the scheduler's: finding work, putting threads to sleep and waking them. Hand work to goroutines in larger pieces (batches over channels, a worker for a range of items), or use fewer goroutines; and try a smaller GOMAXPROCS.", 100*f.Bound.Time)
		if p.GoVersion != "" && olderThan(p.GoVersion, 25) {
			f.Why += fmt.Sprintf(" With go %s in go.mod the runtime doesn't heed a container's CPU limit: go 1.25 does.", p.GoVersion)
		}
		return []Finding{f}
	},
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
	Title: "the program is built without a profile",
	Doc: `With default.pgo beside its main package, go build inlines what is hot and calls directly what is mostly called through an
interface. Programs gain 2 to 14 % of CPU time, with no change in the source. hone fix makes the file of the profile that the
finding is of, measures benchmarks of the packages that are hot in it without and with it, and keeps it if they are faster;
hone pgo makes it of any profiles, and with -verify measures what it gains.

The rule looks at profiles of commands, not of tests, whose main package in this module has no default.pgo. What a binary that
is still there was built with counts for more.`,
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
		f.Why = fmt.Sprintf("There is no default.pgo beside the main package, by which the compiler would inline what is hot: typically 2 to 14 %% of CPU time. hone pgo -o %s -verify ./... PROFILE makes it of this profile, and measures what it gains.", filepath.Join(dir, "default.pgo"))
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

var goroutineLeak = &Rule{
	ID: "goroutine-leak", Class: AdviceOnly,
	Title: "goroutines are left behind here",
	Doc: `A goroutine that waits for what never comes keeps its stack and all that it refers to. Usually it sends its result to a
channel that nobody receives from any more, since the receiver has returned early, on a timeout or an error: a channel with
room for the one result lets it end. Others wait for a context that nobody cancels, or range over a channel that nobody closes.

The rule speaks of each line in a profile of leaked goroutines (goroutineleak, since Go 1.27), which are proven. Of
goroutine profiles it takes two of the same program, between which the number at a line has doubled to 100 or more,
or 1000 goroutines that all wait to send at one line.`,
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
		return " If the receiver may have stopped waiting, make the channel with room for the one result; else let the sender select on a context that ends."
	case "to receive", "in a select":
		return " Close the channel when no more comes, or let the goroutine select on a context that ends."
	case "for a lock":
		return " Look for the path on which the lock is not released: an early return, or a panic."
	case "for a WaitGroup", "for a Cond":
		return " Look for the path on which Done, Signal or Broadcast is not called."
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
		f.Why = fmt.Sprintf("%s %s%s for ever: nothing that could wake them can be reached any more.", count(int(n), "goroutine"), what, in) + k.advice()
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
			f.Why = fmt.Sprintf("%d goroutines wait %s here, and %d did in an earlier profile: they seem to be left behind.", after, k.in, before)
		case after >= parkedAtSends && k.in == "to send":
			f.Why = fmt.Sprintf("%d goroutines wait here to send: either nobody receives any more, or whoever does is too slow.", after)
		default:
			continue
		}
		f.at(k.frame)
		f.State, f.Why = Hinted, f.Why+k.advice()
		f.Caveats = append(f.Caveats, "that goroutines wait is no leak by itself: a goroutine for each connection does, too")
		all = append(all, f)
	}
	return all
}

package profile

var (
	gcWork = map[string]bool{
		"runtime.gcBgMarkWorker": true, "runtime.gcAssistAlloc": true, "runtime.gcStart": true, "runtime._GC": true,
		"runtime.bgsweep": true, "runtime.bgscavenge": true, "runtime.deductSweepCredit": true, "runtime.(*mheap).reclaim": true,
	}
	schedulerWork = map[string]bool{
		"runtime.schedule": true, "runtime.findRunnable": true, "runtime.stealWork": true, "runtime.wakep": true,
		"runtime.startm": true, "runtime.stopm": true, "runtime.resetspinning": true, "runtime.sysmon": true,
		"runtime.park_m": true, "runtime.goschedImpl": true, "runtime.exitsyscall0": true, "runtime.netpoll": true,
	}
)

// CollectsGarbage reports whether the runtime collects garbage in a function and below
// it, also where the program's own goroutines have to help.
func CollectsGarbage(function string) bool { return gcWork[function] }

// Schedules reports whether a function of the runtime finds work for threads, puts them
// to sleep or wakes them.
func Schedules(function string) bool { return schedulerWork[function] }

// RuntimeWork is what kinds of the runtime's work have of a profile's values. A sample
// counts for the first of them that it has a frame of.
type RuntimeWork struct {
	GC         int64 // collecting garbage, in the background or helping out while allocating
	Allocation int64 // allocating memory
	Scheduler  int64 // finding work for threads, putting them to sleep and waking them

	// What of these is in stacks of the runtime alone, as [FoldForeign] shows them.
	GCAlone, SchedulerAlone int64
}

// RuntimeWork returns what the runtime's work has of the values of a sample type.
func (p *Profile) RuntimeWork(column int) RuntimeWork {
	const (
		none = iota
		scheduler
		allocation
		gc
	)
	of := make([]uint8, len(p.Functions))
	called := make([]bool, len(p.Functions)) // is code of a program or a library, which called the runtime
	for f := range of {
		switch p.FunctionFrame(uint32(f)).Origin() {
		case OriginRuntime, OriginOther:
		default:
			called[f] = true
		}
		switch name := p.FunctionName(uint32(f)); {
		case CollectsGarbage(name):
			of[f] = gc
		case name == "runtime.mallocgc":
			of[f] = allocation
		case Schedules(name):
			of[f] = scheduler
		}
	}
	at, calledAt := make([]uint8, len(p.Locations)), make([]bool, len(p.Locations))
	for l := range at {
		for _, line := range p.LocationLines(uint32(l)) {
			at[l] = max(at[l], of[line.Function])
			calledAt[l] = calledAt[l] || called[line.Function]
		}
	}
	var sums, alone [gc + 1]int64
	for s, v := range p.Values[column] {
		kind, called := uint8(none), false
		for _, l := range p.Stack(s) {
			kind = max(kind, at[l])
			called = called || calledAt[l]
		}
		sums[kind] += v
		if !called {
			alone[kind] += v
		}
	}
	return RuntimeWork{GC: sums[gc], Allocation: sums[allocation], Scheduler: sums[scheduler], GCAlone: alone[gc], SchedulerAlone: alone[scheduler]}
}

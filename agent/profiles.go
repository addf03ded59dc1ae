package agent

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
)

// Profiles says which profiles to record and which files to write them to.
// Usually flags set its fields; see [Flags]. Start reads the fields, so you may
// change them after it.
type Profiles struct {
	// The file for each kind of profile; "" doesn't record that kind.
	CPU, Mem, Block, Mutex, Trace string

	// MemRate is the value for runtime.MemProfileRate if Mem is set: one
	// allocation is recorded per MemRate bytes, on average. 0 leaves the rate
	// alone. Stop doesn't restore it: a program should change the rate only
	// once, since profiles are scaled by the rate at the time they are written.
	MemRate int
	// BlockRate is the argument for runtime.SetBlockProfileRate if Block is set:
	// one blocking event is recorded per BlockRate nanoseconds spent blocked, on
	// average; 1 records all. Stop turns recording off. 0 leaves the rate alone,
	// for programs that set it themselves.
	BlockRate int
	// MutexFraction is the argument for runtime.SetMutexProfileFraction if Mutex
	// is set: one contention in MutexFraction is recorded; 1 records all. Stop
	// restores the fraction that was set before. 0 leaves it alone.
	MutexFraction int

	// Signals says what a SIGINT or SIGTERM does; see the package comment.
	Signals SignalPolicy

	flags     *flag.FlagSet // for its Output; nil: os.Stderr
	mu        sync.Mutex
	recording *recording // of the last Start that did something
}

// Flags adds the flags -cpuprofile, -memprofile, -blockprofile, -mutexprofile
// and -trace, and the rates -memprofilerate, -blockprofilerate and
// -mutexprofilefraction, to fs, which is [flag.CommandLine] if nil. Names and
// defaults are those of go test. Call Flags before fs is parsed, and Start of the
// Profiles that it returns afterwards.
func Flags(fs *flag.FlagSet) *Profiles {
	if fs == nil {
		fs = flag.CommandLine
	}
	p := &Profiles{flags: fs}
	fs.StringVar(&p.CPU, "cpuprofile", "", "write a CPU profile to `file`")
	fs.StringVar(&p.Mem, "memprofile", "", "write a heap profile to `file`")
	fs.IntVar(&p.MemRate, "memprofilerate", 0, "record one allocation per `n` bytes in the heap profile; 0 leaves the rate as it is")
	fs.StringVar(&p.Block, "blockprofile", "", "write a block profile to `file`")
	fs.IntVar(&p.BlockRate, "blockprofilerate", 1, "record waits of `n` nanoseconds, and shorter ones in proportion; 0 leaves the rate as it is")
	fs.StringVar(&p.Mutex, "mutexprofile", "", "write a mutex profile to `file`")
	fs.IntVar(&p.MutexFraction, "mutexprofilefraction", 1, "record one lock contention in `n`; 0 leaves the rate as it is")
	fs.StringVar(&p.Trace, "trace", "", "write an execution trace to `file`")
	return p
}

// Parse adds the flags to [flag.CommandLine], parses the command line and
// starts recording the profiles that it asks for. If it can't, it exits with
// status 2, as [flag.Parse] does. The function that it returns writes the files
// and prints errors; calling it again does nothing. In main:
//
//	defer agent.Parse()()
func Parse() (stop func()) {
	p := Flags(flag.CommandLine)
	flag.Parse()
	if err := p.Start(); err != nil {
		fmt.Fprintln(p.output(), err)
		os.Exit(2)
	}
	return func() {
		if err := p.Stop(); err != nil {
			fmt.Fprintln(p.output(), err)
		}
	}
}

// Start begins recording. If a file can't be created, if two kinds have the same
// file, or if the process is being profiled already, it returns an error and
// records nothing. If p names no file, Start does nothing.
func (p *Profiles) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.recording; r != nil && !r.finished() {
		return errors.New("profiles are already being recorded")
	}
	r, err := p.begin()
	if err != nil {
		return err
	}
	p.recording = r
	if r != nil {
		r.watch(p.Signals)
	}
	return nil
}

// Stop ends recording and writes the files. If one can't be written, the others
// still are. Stop may be called at any time, from any goroutine and more than
// once. Every call waits until the files are written; the first one returns the
// errors, even if a signal has ended the recording.
func (p *Profiles) Stop() error {
	p.mu.Lock()
	r := p.recording
	p.mu.Unlock()
	if r == nil {
		return nil
	}
	r.finish()
	<-r.unwatched
	return r.takeError()
}

func (p *Profiles) output() io.Writer {
	if p.flags != nil {
		return p.flags.Output()
	}
	return os.Stderr
}

// begin returns nil without an error when nothing is wanted.
func (p *Profiles) begin() (*recording, error) {
	wanted := []struct{ flag, name, path string }{
		{"cpuprofile", "", p.CPU},
		{"trace", "", p.Trace},
		// The heap is last, so that its collection comes after the others are
		// written and sees nothing of them.
		{"blockprofile", "block", p.Block},
		{"mutexprofile", "mutex", p.Mutex},
		{"memprofile", "heap", p.Mem},
	}
	r := &recording{
		messages:  p.output(),
		done:      make(chan struct{}),
		unwatched: make(chan struct{}),
	}
	undo := func(flag string, err error) (*recording, error) {
		r.abandon()
		return nil, fmt.Errorf("-%s: %w", flag, err)
	}
	seen := make(map[string]string) // flag by resolved path
	for _, w := range wanted {
		if w.path == "" {
			continue
		}
		target, inPlace, err := resolve(w.path)
		if err != nil {
			return undo(w.flag, err)
		}
		if other, ok := seen[target]; ok && !inPlace {
			return undo(w.flag, fmt.Errorf("%s is already the file of -%s", w.path, other))
		}
		seen[target] = w.flag
		if w.name != "" {
			r.snapshots = append(r.snapshots, snapshot{w.name, target})
			if inPlace {
				continue // opening a pipe would wait for its reader
			}
		}
		f, err := createFile(target)
		if err != nil {
			return undo(w.flag, err)
		}
		switch w.flag {
		case "cpuprofile":
			r.cpu = f
		case "trace":
			r.trace = f
		default:
			// That was the test that it can be written, made now and not after
			// an hour's work. Nothing of it needs to stay until then.
			f.discard()
		}
	}
	if len(seen) == 0 {
		return nil, nil
	}

	if p.Mem != "" && p.MemRate > 0 {
		runtime.MemProfileRate = p.MemRate
	}
	if p.Block != "" && p.BlockRate > 0 {
		blockRecorder.on(p.BlockRate)
		r.rates = append(r.rates, blockRecorder)
	}
	if p.Mutex != "" && p.MutexFraction > 0 {
		mutexRecorder.on(p.MutexFraction)
		r.rates = append(r.rates, mutexRecorder)
	}
	if f := r.trace; f != nil {
		if err := trace.Start(f); err != nil {
			return undo("trace", err)
		}
		r.tracing = true
	}
	if f := r.cpu; f != nil {
		if err := pprof.StartCPUProfile(f); err != nil {
			return undo("cpuprofile", err)
		}
	}
	return r, nil
}

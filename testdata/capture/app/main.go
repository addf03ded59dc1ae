// App runs one scenario and writes the profiles of it that the flags name.
//
//	app -scenario json-decode -for 1s -cpu cpu.pb.gz -write heap=heap.pb.gz
//
// Every scenario is a file of its own; each is there to put one feature of Go
// programs on the stack: inlining, generics, recursion, labels and so on.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// A scenario works until ctx is done. What it leaves behind, such as blocked
// goroutines and live memory, is part of its profiles.
type scenario func(ctx context.Context) error

var scenarios = map[string]scenario{
	"assembly":      assembly,
	"channels":      channels,
	"closures":      closures,
	"gc":            gcHeavy,
	"generics":      generics,
	"goroutines":    goroutines,
	"http":          httpServer,
	"idle":          idle,
	"inlining":      inlining,
	"json-decode":   jsonDecode,
	"labels":        labels,
	"leak":          leak,
	"method-values": methodValues,
	"mutex":         mutexes,
	"recursion":     recursion,
	"rwmutex":       rwmutexes,
	"sizes":         sizes,
	"templates":     templates,
	"threads":       threads,
	"tree":          trees,
	"wordcount":     wordcount,
}

// keep holds what must stay alive until the profiles are written.
var keep any

// fetches are the FILE=PATH pairs the http scenario gets from its own server.
var fetches pairs

// pairs is a repeatable flag of KEY=VALUE.
type pairs [][2]string

func (p *pairs) String() string { return fmt.Sprint(*p) }

func (p *pairs) Set(s string) error {
	key, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("want KEY=VALUE")
	}
	*p = append(*p, [2]string{key, value})
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "app:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("app", flag.ContinueOnError)
	name := flags.String("scenario", "", "what to run")
	length := flags.Duration("for", time.Second, "how long to run it")
	cpu := flags.String("cpu", "", "write a CPU profile to this `file`")
	rate := flags.Int("memprofilerate", 0, "bytes allocated between heap samples, 0 for the default")
	var writes pairs
	flags.Var(&writes, "write", "`KIND[:DEBUG]=FILE` of a profile to write at the end, repeatable")
	flags.Var(&fetches, "fetch", "`FILE=PATH` to get from the http scenario's own server, repeatable")
	if err := flags.Parse(args); err != nil {
		return err
	}
	work, ok := scenarios[*name]
	if !ok {
		return fmt.Errorf("no scenario %q", *name)
	}
	if *rate > 0 {
		runtime.MemProfileRate = *rate
	}
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	ctx, cancel := context.WithTimeout(context.Background(), *length)
	defer cancel()
	if *cpu != "" {
		f, err := os.Create(*cpu)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	if err := work(ctx); err != nil {
		return err
	}
	pprof.StopCPUProfile()
	runtime.GC() // the heap profile is as of the last collection
	for _, w := range writes {
		if err := writeProfile(w[0], w[1]); err != nil {
			return err
		}
	}
	runtime.KeepAlive(keep)
	return nil
}

func writeProfile(kind, file string) error {
	kind, digits, _ := strings.Cut(kind, ":")
	debug, _ := strconv.Atoi(digits)
	p := pprof.Lookup(kind)
	if p == nil {
		return crash(kind, file)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return p.WriteTo(io.Writer(f), debug)
}

// idle does nothing: its CPU profile has no samples.
func idle(context.Context) error { return nil }

// Flags writes profiles of itself to the files named on its command line.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err) // exits without running deferred calls: none are left here
	}
}

func run() error {
	var p profiles
	flag.StringVar(&p.cpu, "cpuprofile", "", "write a CPU profile to `file`")
	flag.StringVar(&p.heap, "memprofile", "", "write a heap profile to `file`")
	flag.StringVar(&p.block, "blockprofile", "", "write a block profile to `file`")
	flag.StringVar(&p.mutex, "mutexprofile", "", "write a mutex profile to `file`")
	workFor := flag.Duration("for", 5*time.Second, "stop after `duration`")
	flag.Parse()

	// The first interrupt or SIGTERM ends the work, not the process, so the
	// profiles are still written. A second one kills as usual.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	ctx, cancel := context.WithTimeout(ctx, *workFor)
	defer cancel()

	if err := p.start(); err != nil {
		return err
	}
	table := work(ctx)
	err := p.stop()
	runtime.KeepAlive(table) // otherwise the heap profile would not count it as in use
	return err
}

// profiles holds the file of each kind of profile; "" means not wanted.
type profiles struct {
	cpu, heap, block, mutex string

	cpuFile *os.File
}

// start begins recording. Heap allocations are always recorded; the other
// kinds start here, so what happened before is not in them.
func (p *profiles) start() error {
	if p.block != "" {
		runtime.SetBlockProfileRate(10_000) // every event of 10 µs and more, shorter ones in proportion
	}
	if p.mutex != "" {
		runtime.SetMutexProfileFraction(10) // one contention in 10
	}
	if p.cpu == "" {
		return nil
	}
	f, err := os.Create(p.cpu)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", p.cpu, err), f.Close())
	}
	p.cpuFile = f
	return nil
}

// stop writes each profile to its own file. A profile that cannot be written
// does not keep the others from being written.
func (p *profiles) stop() error {
	var errs []error
	if p.cpuFile != nil {
		pprof.StopCPUProfile() // writes the profile
		errs = append(errs, p.cpuFile.Close())
	}
	if p.heap != "" {
		runtime.GC() // the heap profile shows memory as of the last finished collection
		errs = append(errs, write("heap", p.heap))
	}
	if p.block != "" {
		errs = append(errs, write("block", p.block))
	}
	if p.mutex != "" {
		errs = append(errs, write("mutex", p.mutex))
	}
	return errors.Join(errs...)
}

// write writes the named profile of runtime/pprof to a file.
func write(name, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup(name).WriteTo(f, 0), f.Close())
}

// work hashes numbers into a table until ctx ends. Four workers receive the
// numbers from one channel and share one lock.
func work(ctx context.Context) map[uint64][]byte {
	table := make(map[uint64][]byte)
	numbers := make(chan uint64)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for n := range numbers {
				sum := hash(n)
				mu.Lock()
				table[n%100_000] = append(sum, hash(n+1)...)
				mu.Unlock()
			}
		})
	}
	for n := uint64(0); ctx.Err() == nil; n++ {
		numbers <- n
	}
	close(numbers)
	workers.Wait()
	return table
}

// hash hashes n, many times over.
func hash(n uint64) []byte {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64(nil, n))
	for range 50 {
		sum = sha256.Sum256(sum[:])
	}
	return sum[:]
}

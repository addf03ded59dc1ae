// Package work is what the programs with agents do: work that all kinds of
// profiles show, and a note of what has been sent.
package work

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Start works until the function it returns is called: it uses half of a
// processor, allocates, waits for a lock and has goroutines, one of them lost
// for good.
func Start() (stop func()) {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	go func() { <-make(chan bool) }() // nobody will send: a goroutine is lost
	done := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { Until(done) })
	return func() {
		close(done)
		wg.Wait()
	}
}

// Until works until done is closed: it uses half of a processor, allocates, and
// waits for a lock.
func Until(done <-chan bool) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	kept := make([][]byte, 256)
	for worker := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				mu.Lock()
				kept[(4*n+worker)%len(kept)] = fill(32 << 10)
				mu.Unlock()
				time.Sleep(time.Millisecond)
			}
		})
	}
	wg.Wait()
}

func fill(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * i)
	}
	return b
}

// UntilStdinEnds waits until the standard input ends.
func UntilStdinEnds() { _, _ = io.Copy(io.Discard, os.Stdin) }

// A Profile is a pprof profile, gzipped.
type Profile struct {
	Kind string // cpu, heap, mutex, block or goroutine
	Data []byte
	Time time.Time // when its collection began
}

// Profiles returns profiles of this program of all kinds.
func Profiles() ([]Profile, error) {
	start := time.Now()
	var cpu bytes.Buffer
	if err := pprof.StartCPUProfile(&cpu); err != nil {
		return nil, err
	}
	time.Sleep(500 * time.Millisecond)
	// On a busy machine this process may have had no processor meanwhile.
	for begin := used(); used()-begin < 100*time.Millisecond; {
		time.Sleep(10 * time.Millisecond)
	}
	pprof.StopCPUProfile()
	all := []Profile{{"cpu", cpu.Bytes(), start}}
	for _, kind := range []string{"heap", "mutex", "block", "goroutine"} {
		var b bytes.Buffer
		start := time.Now()
		if err := pprof.Lookup(kind).WriteTo(&b, 0); err != nil {
			return nil, err
		}
		all = append(all, Profile{kind, b.Bytes(), start})
	}
	return all, nil
}

// used returns the processor time of this process.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return time.Duration(time.Now().UnixNano()) // it goes on all the same
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var sent atomic.Int64

// Sent notes a profile that a server has taken: as a file KIND-NUMBER.pb.gz.
func Sent(dir, kind string, data []byte) error {
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.pb.gz", kind, sent.Add(1))), data, 0o666)
}

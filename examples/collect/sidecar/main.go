// Sidecar is a batch job that speaks no HTTP of its own. It serves its
// profiles on a loopback port beside the work, and labels the work with the
// customer it is done for.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof" // registers /debug/pprof/ on http.DefaultServeMux
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

func main() {
	debugAddr := flag.String("debug", "localhost:6060", "serve profiles on `address`; empty: do not")
	blockRate := flag.Int("blockprofilerate", 0, "record blocking of `ns` nanoseconds and more, shorter in proportion; 0: none")
	mutexFraction := flag.Int("mutexprofilefraction", 0, "record one lock contention in `n`; 0: none")
	flag.Parse()
	runtime.SetBlockProfileRate(*blockRate)
	runtime.SetMutexProfileFraction(*mutexFraction)

	if *debugAddr != "" {
		ln, err := net.Listen("tcp", *debugAddr)
		if err != nil {
			log.Print(err) // a job that cannot be profiled still does its work
		} else {
			log.Printf("profiles at http://%s/debug/pprof/", ln.Addr())
			server := &http.Server{ReadHeaderTimeout: 5 * time.Second}
			go func() { log.Print(server.Serve(ln)) }()
		}
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	work(ctx)
}

// work does the job of each customer until ctx ends.
func work(ctx context.Context) {
	var results struct {
		sync.Mutex
		sums map[[32]byte]int
	}
	results.sums = make(map[[32]byte]int)
	var customers sync.WaitGroup
	for i, customer := range []string{"small", "medium", "large"} {
		customers.Go(func() {
			// Everything below runs under the label, goroutines it starts included.
			pprof.Do(ctx, pprof.Labels("customer", customer), func(ctx context.Context) {
				for ctx.Err() == nil {
					results.Lock() // held for the whole job: the mutex profile will say so
					results.sums[job((i+1)*5_000)]++
					results.Unlock()
				}
			})
		})
	}
	customers.Wait()
}

func job(rounds int) [32]byte {
	var sum [32]byte
	for range rounds {
		sum = sha256.Sum256(sum[:])
	}
	return sum
}

// Command cloudprofiler is a program with the agent of Google Cloud Profiler,
// as its users write it. It works a little until its standard input ends.
package main

import (
	"flag"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/profiler"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	var cfg profiler.Config
	flag.StringVar(&cfg.Service, "service", "", "`name` of the service")
	flag.StringVar(&cfg.ServiceVersion, "version", "", "its version")
	flag.StringVar(&cfg.ProjectID, "project", "", "project; empty: from the environment")
	flag.StringVar(&cfg.Zone, "zone", "", "zone")
	flag.StringVar(&cfg.Instance, "instance", "", "instance")
	flag.StringVar(&cfg.APIAddr, "addr", "", "address of the server; empty: Google's")
	flag.BoolVar(&cfg.AllocForceGC, "alloc-force-gc", false, "collect garbage before profiles of allocations")
	flag.BoolVar(&cfg.DebugLogging, "debug", false, "log what the agent does")
	types := flag.String("types", "cpu,heap,threads,allocs,mutex", "`list` of what to profile")
	plain := flag.Bool("plain", false, "connect without TLS and authentication")
	token := flag.String("token", "", "authenticate with a bearer `token`")
	apiKey := flag.String("api-key", "", "authenticate with an API `key`")
	flag.Parse()

	has := func(typ string) bool { return strings.Contains(","+*types+",", ","+typ+",") }
	cfg.NoCPUProfiling = !has("cpu")
	cfg.NoHeapProfiling = !has("heap")
	cfg.NoGoroutineProfiling = !has("threads")
	cfg.NoAllocProfiling = !has("allocs")
	cfg.MutexProfiling = has("mutex")

	var options []option.ClientOption
	if *plain {
		options = append(options, option.WithoutAuthentication(),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	}
	if *token != "" {
		options = append(options, option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: *token})))
	}
	if *apiKey != "" {
		options = append(options, option.WithAPIKey(*apiKey))
	}
	if err := profiler.Start(cfg, options...); err != nil {
		log.Fatalf("starting the agent: %v", err)
	}
	if has("mutex") {
		// The agent asks for one event in a hundred, too few for a short profile.
		runtime.SetMutexProfileFraction(1)
	}
	stop := make(chan bool)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(stop)
	}()
	work(stop)
}

// work does something of every kind that the agent profiles: it uses the
// processor half of the time, allocates, waits for a lock, and has goroutines.
func work(stop <-chan bool) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	kept := make([][]byte, 256)
	for worker := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
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

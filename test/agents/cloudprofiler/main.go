// Command cloudprofiler is a program with the agent of Google Cloud Profiler,
// as its users write it. It works a little until its standard input ends.
package main

import (
	"flag"
	"log"
	"runtime"
	"strings"

	"cloud.google.com/go/profiler"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/hone-go/hone/test/agents/internal/work"
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
		work.UntilStdinEnds()
		close(stop)
	}()
	work.Until(stop)
}

package agent_test

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/agent"
)

// In main, where flag.Parse stood. The program exits by returning.
func ExampleParse() {
	main := func() {
		size := flag.Int("size", 1000, "how much to do")
		defer agent.Parse()() // parses the command line
		fmt.Println(work(*size))
	}
	_ = main
}

// A program that returns errors and handles signals itself.
func ExampleFlags() {
	run := func() (err error) {
		profiles := agent.Flags(flag.CommandLine)
		flag.Parse()
		// The program shuts down on signals itself: the agent is not to end it.
		profiles.Signals = agent.SignalsContinue
		if err := profiles.Start(); err != nil {
			return err
		}
		defer func() {
			if stopErr := profiles.Stop(); err == nil {
				err = stopErr
			}
		}()
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		<-ctx.Done()
		return nil
	}
	main := func() {
		if err := run(); err != nil {
			log.Fatal(err) // nothing is deferred here
		}
	}
	_ = main
}

// Flag sets of one's own. With cobra, give the set to
// cmd.PersistentFlags().AddGoFlagSet, call Start in PersistentPreRunE, and
// Stop after Execute: PersistentPostRun is not called after an error.
func ExampleFlags_flagSet() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	profiles := agent.Flags(fs)
	if err := fs.Parse([]string{"-memprofile", filepath.Join(dir, "heap.pb.gz")}); err != nil {
		fmt.Println(err)
		return
	}
	if err := profiles.Start(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(work(1000))
	if err := profiles.Stop(); err != nil {
		fmt.Println(err)
	}
	_, err = os.Stat(filepath.Join(dir, "heap.pb.gz"))
	fmt.Println(err)
	// Output:
	// 499500
	// <nil>
}

// In TestMain: go test -args -trace trace.out. The flags of go test itself,
// without -args, need no agent.
func ExampleProfiles_Start_testMain() {
	TestMain := func(m *testing.M) {
		defer agent.Parse()()
		m.Run() // os.Exit(m.Run()) would skip what is deferred
	}
	_ = TestMain
}

func ExampleMount() {
	mux := http.NewServeMux()
	agent.Mount(mux) // at /debug/pprof/
	server := &http.Server{Addr: "localhost:8080", Handler: mux}
	_ = server
}

// Block and mutex events are recorded while someone asks for them with
// ?seconds=N, and cost nothing otherwise.
func ExamplePages_Mount() {
	mux := http.NewServeMux()
	agent.Pages{BlockRate: 10_000, MutexFraction: 10}.Mount(mux)
}

func ExampleListen() {
	server, err := agent.Listen("localhost:0")
	if err != nil {
		fmt.Println(err) // a job that cannot be profiled still does its work
	} else {
		defer server.Close()
		resp, err := http.Get(server.URL() + "heap")
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		fmt.Println(resp.Status)
	}
	// Output: 200 OK
}

// In main. Service, version and instance are those of the program; HONE_SERVER
// and the like in the environment override what is given here.
func ExampleStart() {
	main := func() {
		a, err := agent.Start(agent.Config{
			Server:   "http://hone.internal:4600",
			Labels:   map[string]string{"team": "checkout"},
			Triggers: agent.Triggers{HeapBytes: 2 << 30},
		})
		if err != nil {
			log.Print(err) // a program that cannot be profiled still does its work
		} else {
			defer func() {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				if err := a.Stop(ctx); err != nil {
					log.Print(err)
				}
			}()
		}
		fmt.Println(work(1000))
	}
	_ = main
}

// A server whose requests are counted by the patterns of its mux, and a worker that
// counts what it takes from a queue.
func ExampleCountRequests() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /cart/{id}", func(w http.ResponseWriter, r *http.Request) {})
	server := &http.Server{Addr: "localhost:8080", Handler: agent.CountRequests(mux)}
	_ = server

	process := func(ctx context.Context, job string) {
		ctx, end := agent.BeginRequest(ctx, "queue/resize")
		defer end()
		_, _ = ctx, job // the work
	}
	_ = process
}

func work(n int) (sum int) {
	for i := range n {
		sum += i
	}
	return sum
}

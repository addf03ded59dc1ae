// Shakespeare is a gRPC service that tells in how many lines of a poet's works
// a word or phrase is, and a client that asks it, round after round:
//
//	shakespeare [-version 4] [-rounds 10] [-hone http://localhost:4600] [-period 1m]
//	shakespeare -listen 127.0.0.1:7100 [-version 4] [-hone http://localhost:4600] [-period 1m]
//
// The service comes as it was first written and once per tuning step, each of
// which is a version of the program; README.md tells how each step was found.
// With -listen it serves others until it is interrupted, its profiles too. With
// -hone the program is profiled all the time, by hone's agent.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/hone-go/hone/agent"
)

// versions are the versions of the service in the order they were written.
var versions = []struct {
	name string
	open func(dir string) (counter, error)
}{
	{"regexp", openRegexp},
	{"substring", openSubstring},
	{"cached", openCached},
	{"indexed", openIndexed},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shakespeare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("shakespeare", flag.ExitOnError)
	version := flags.Int("version", len(versions), "`number` of the version: 1 regexp, 2 substring, 3 cached, 4 indexed")
	rounds := flags.Int("rounds", 10, "how often the client asks its 20 questions")
	listen := flags.String("listen", "", "`address` to serve others on, instead of asking questions")
	period := flags.Duration("period", time.Minute, "time between profiles of a kind, with -hone")
	server := flags.String("hone", "", "`address` of a hone server that profiles go to")
	_ = flags.Parse(args) // exits on error
	if *version < 1 || *version > len(versions) {
		return fmt.Errorf("unknown version %d", *version)
	}

	dir, err := os.MkdirTemp("", "shakespeare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writeWorks(dir, allFiles, allLines); err != nil {
		return err
	}
	count, err := versions[*version-1].open(dir)
	if err != nil {
		return err
	}
	if *server != "" {
		stop, err := profiled(*server, strconv.Itoa(*version), *period)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	address, stop, err := serve(count, cmp.Or(*listen, "127.0.0.1:0"))
	if err != nil {
		return err
	}
	defer stop()
	if *listen != "" {
		fmt.Fprintf(out, "serving on %s\n", address)
		<-ctx.Done()
		return nil
	}
	return simulate(ctx, address, *rounds, out)
}

// profiled has hone's agent profile this process. A service that runs for weeks
// is content with the agent's defaults, a sixth of the time and a budget of 1 %;
// this one runs for seconds, of which half are to be seen.
func profiled(server, version string, period time.Duration) (stop func() error, err error) {
	a, err := agent.Start(agent.Config{
		Server: server, Service: "shakespeare", Version: version,
		Period: period, CPUDuration: min(period/2, 10*time.Second), Budget: 0.05,
	})
	if err != nil {
		return nil, err
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		return a.Stop(ctx)
	}, nil
}

// serve serves on an address, over HTTP/2 for gRPC and HTTP/1.1 for profiles.
func serve(count counter, at string) (address string, stop func(), err error) {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: agent.CountRequests(handler(count)), ReadHeaderTimeout: 10 * time.Second, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	go s.Serve(l)
	return "http://" + l.Addr().String(), func() { s.Close() }, nil
}

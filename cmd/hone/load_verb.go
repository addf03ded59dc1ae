package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/shell"
)

const loadHelp = `usage: hone load http  -rate R [flags] URL
       hone load grpc  -rate R [flags] HOST:PORT SERVICE/METHOD
       hone load kafka -rate R -topic T [flags] HOST:PORT...
       hone load http|grpc -users N [flags] …
       hone load http|grpc -find GOAL [flags] …
       hone load http|grpc -against REF -serve CMD -rate R [flags] …
       hone load kafka -messages N -topic T [flags] HOST:PORT...
       hone load kafka -listen HOST:PORT [flags] HOST:PORT...

Send requests to a service, and report latency, errors, and the cost of a request.

Examples:

  hone load http -rate 500 http://127.0.0.1:8080/
  hone load http -find 'p99<=50ms' http://127.0.0.1:8080/
  hone load grpc -users 1 -requests 20 -body @query.json 127.0.0.1:50051 pkg.Service/Find

How much to send:

  -rate R           requests per second (500) or minute (30000/m); a ramp (0..1000); or
                    steps (100,200,400)
  -poisson          send at random times, at this rate on average
  -users N          N users in a closed loop: each waits for an answer before it sends
                    the next request
  -requests N       with -users: requests per user and round, the same in each round
  -rounds N         with -users: number of rounds (as many as fit into the time)
  -find GOAL        find the highest rate that meets the goals, starting at -rate (10)
  -duration D       length of a period (10s)
  -count N          number of periods (5; 1 with -rounds, ramps, steps and -messages)
  -warmup D         unmeasured load before the first period (2s; 0 with -rounds)
  -timeout D        time limit per request (30s; Kafka: 2m)

What to send. All but addresses can have templates, such as {{n}}, the number of the
request, or {{int 1 9}}, a random number; see doc/reference/load.md:

  -body TEXT        the body; gRPC: the request in JSON; Kafka: the value. @FILE sends
                    a file unchanged
  -body-template    use templates in files too: -body @FILE, -targets and -lines
  -H 'NAME: VALUE'  a header or gRPC metadata; may be repeated
  -feed FILE        rows for {{row.NAME}}: a .csv or .jsonl file
  -ca, -cert, -key FILE, -servername NAME, -insecure
                    TLS: authorities to trust, client certificate and key, expected
                    server name, don't verify the server

HTTP:

  -method M         the method (GET, or POST with a body)
  -targets FILE     send these requests round robin, in vegeta's formats, instead of a URL
  -connections N    number of connections, at most (1000)
  -unix PATH        connect to a Unix socket; the URL gives the host name
  -h2               HTTP/2 on one connection, also without TLS
  -no-keepalive     open a connection for each request
  -redirects N      follow up to N redirects per request, within the hosts you name
                    (10; 0: count the redirect as the answer)
  -expect LIST      statuses that count as success (200-399)

gRPC. Without -proto and -protoset, hone asks the server for its schema (reflection):

  -proto FILE       a .proto file; may be repeated
  -protoset FILE    a descriptor set from protoc -o; may be repeated
  -I DIR            where .proto files import from; may be repeated
  -tls              use TLS; -ca and the like work too
  -authority NAME   the :authority header
  -connections N    number of connections that calls share (1)
  -calls N          concurrent calls, at most (1000)
  -gzip             compress requests

Kafka:

  -topic T          the topic (required)
  -create N         create the topic with N partitions if it doesn't exist
  -messages N       send N messages as fast as the brokers accept them
  -message-key T    key of the messages
  -set PATH=T       replace a value in a JSON body: $.device.id=dev-{{int 1 1000}}; may
                    be repeated
  -lines FILE       bodies, one per line, used round robin
  -acks A           all, leader or none (all); leader and none need -no-idempotence
  -no-idempotence   don't use the idempotent producer
  -retries N        how often to resend a message after an error (0); -1: until -timeout
  -linger D         how long a batch waits for more messages (5ms)
  -batch N          bytes per batch, at most (1000012)
  -compression C    none, gzip, snappy, lz4 or zstd (none)
  -partitioner P    hash, sticky, round-robin, or manual with -partition N (hash)
  -sasl M           plain, scram-256 or scram-512, with the user from -user and the
                    password from $HONE_KAFKA_PASSWORD
  -tls              use TLS
  -consume          read the topic too, to count deliveries and measure their latency
  -listen HOST:PORT run as a service that accepts loads over HTTP. -config FILE has
                    access rules and TLS, in the format of hone serve

Goals, profiles and comparisons:

  -goal GOAL        p99<=10ms, p99.9<=1s, max<=2s, mean<=5ms, rate>=500, failed<=0.1% or
                    silence<=5s; may be repeated
  -pprof ADDRESS    profile the service during the load: HOST:PORT, or the URL of its
                    /debug/pprof
  -service NAME     use the profiles that hone serve collects of this service; or of a
                    selector, '{service="api", zone="a"}'
  -server URL       the server for -service ($HONE_SERVER, or http://127.0.0.1:4600)
  -token-file FILE  file with the access token (the token in $HONE_TOKEN)
  -profile LIST     kinds: cpu, allocs, mutex, block (cpu,allocs); or none
  -profiletime D    time per profile (10s; with -service 2m10s, two periods of an agent)
  -serve CMD        start the service with this command, and stop it at the end. For
                    go run ./cmd/server, hone builds the program and starts it directly
  -against REF      compare with this branch, tag or commit. -serve starts both versions
                    interleaved, for -count samples each (10; 20 if 10 don't decide) of
                    -duration (5s), after -warmup (1s)
  -precheck N       with -against: pairs that compare the base with itself, to learn the
                    noise (6; 0: none)
  -ready D          with -serve: how long the service may take to start (30s)

Other flags:

  -name NAME        name of the benchmark in the run (method and path, or the topic)
  -o DIR            keep the run in DIR (.hone/runs of this module)
  -late D           a request sent later than this is late (5ms)
  -max-late SHARE   void the run if more requests than this are late (0.01)
  -grace D          how long to wait for answers at the end of a period (30s)
  -seed N           seed of random values (1)
  -v                with -against, also print what didn't change
  -json             print everything as JSON

Exit codes: 0 success; 1 failure: the run is void or interrupted, or no request succeeded,
whatever the goals are; requests failed without a goal for failed; or the service was
silent for seconds and there are no goals; 2 wrong usage; 3 a goal is missed, the service
was silent although there are goals (except one for silence), or with -against something
got worse beyond its budget in hone.toml and a second measurement agreed.

With -rate, hone sends requests when they are due, whether or not earlier ones were
answered, and latency counts from that time. So if the service stalls, you see the
latency its users would see. Latency is measured first; profiles are taken afterwards
under the same load, one kind after another.

hone keeps the results as a run; see "hone help runs".
`

// loadProtocols are the protocols by name.
var loadProtocols = map[string]func() loadProtocol{
	"http":  func() loadProtocol { return &loadHTTP{} },
	"grpc":  func() loadProtocol { return &loadGRPC{} },
	"kafka": func() loadProtocol { return &loadKafka{} },
}

func runLoad(ctx context.Context, a *app, args []string) error {
	names := slices.Sorted(maps.Keys(loadProtocols))
	if len(args) > 0 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		return flag.ErrHelp
	}
	if len(args) == 0 || loadProtocols[args[0]] == nil {
		return &shell.UsageError{Verb: "load", Err: fmt.Errorf("missing or unknown protocol: use hone load %s", strings.Join(names, ", "))}
	}
	p := loadProtocols[args[0]]()
	f := newLoadFlags(p)
	if err := f.parse(ctx, p, args[0], args[1:]); err != nil {
		return err
	}
	switch {
	case f.service != nil:
		return f.service(ctx, a)
	case f.against != "":
		return loadAgainst(ctx, a, f, args[0], p)
	case f.serve != "":
		return servedLoad(ctx, a, f, args[0], p)
	}
	target, err := f.open(ctx, p)
	if err != nil {
		return err
	}
	if f.find != "" {
		return findRate(ctx, a, f, target)
	}
	return measureLoad(ctx, a, f, args[0], target)
}

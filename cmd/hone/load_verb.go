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

Send requests to a service, and tell how long its answers took and what they cost.

With -rate, requests are sent when they are due, whether or not earlier ones were
answered, and a response time counts from then: a service that stands still is
measured as its users would meet it. With -users, each user sends its next request
when the last one is answered. With -find, look for the highest rate that meets
the goals. With -messages, send messages as fast as the brokers take them.

Times are measured first, in -count periods, each a sample of the run that is
kept; then, over more of the same load, the service's profiles are taken, one kind
at a time, if -pprof says where. hone compare, check and all that open profiles
know the run by its name: see hone help runs.

How much, and how long:

  -rate R           requests per second, 500, or per minute, 30000/m; 0..1000
                    moves evenly, 100,200,400 goes in steps
  -poisson          send at random times of that rate on average
  -users N          users of a closed loop
  -requests N       of each user in a round: with -users, the same in each round
  -rounds N         rounds; without, as many as fit into the time
  -find GOAL        find the highest rate that meets the goals, beginning at -rate (10)
  -duration D       length of a period (10s)
  -count N          periods (5; 1 with rounds, steps and messages)
  -warmup D         load before the first period, not measured (2s; 0 with rounds)
  -timeout D        of a request (30s; Kafka: 2m)

What, of all protocols; all but addresses are templates: {{n}} is the request's
number, {{int 1 9}} a random one, and so on; see doc/load.md:

  -body TEXT        the body, gRPC's request in JSON, Kafka's value; @FILE sends a
                    file as it is, byte by byte
  -body-template    bodies of files are templates, too: -body @FILE, -targets, -lines
  -H 'NAME: VALUE'  a header, gRPC's metadata; may be given several times
  -feed FILE        rows for {{row.NAME}}: .csv or .jsonl
  -ca, -cert, -key FILE, -servername NAME, -insecure
                    TLS: authorities to trust, the client's certificate and key,
                    the name to ask for, trust anybody

HTTP:

  -method M         GET, or POST if there is a body
  -targets FILE     requests to send in turn, instead of a URL: vegeta's formats
  -connections N    at most (1000)
  -unix PATH        send to a Unix socket; the host is that of the URL
  -h2               HTTP/2, over one connection, also without TLS
  -no-keepalive     a connection for each request
  -redirects N      redirections to follow for a request at most, to the hosts you
                    name (10); 0: the redirection is the answer
  -expect LIST      statuses that are no failures (200-399)

gRPC; without -proto and -protoset the server is asked what it has (reflection):

  -proto FILE       a .proto file; may be given several times, as may
  -protoset FILE    a descriptor set, as protoc -o writes it, and
  -I DIR            a folder that .proto files import from
  -tls              use TLS; also with -ca and the like
  -authority NAME   the :authority header
  -connections N    (1), which share at most
  -calls N          calls at once (1000)
  -gzip             compress

Kafka:

  -topic T          to send to; -create N makes it, of N partitions, if it is missing
  -messages N       as fast as the brokers take them
  -message-key T    key of messages
  -set PATH=T       replace a value of a JSON body: $.device.id=dev-{{int 1 1000}}; may
                    be given several times
  -lines FILE       bodies, one a line, in turn
  -acks A           all, leader or none (all); -no-idempotence goes with the others
  -retries N        how often a message is sent again after an error (0); -1: as often as
                    fits into -timeout
  -linger D         how long a batch waits for more messages (5ms)
  -batch N          bytes of a batch at most (1000012)
  -compression C    none, gzip, snappy, lz4 or zstd (none)
  -partitioner P    hash, sticky, round-robin or manual with -partition N (hash)
  -sasl M           plain, scram-256 or scram-512, as -user, whose password is in
                    $HONE_KAFKA_PASSWORD
  -tls              use TLS
  -consume          read the topic, to count what arrives, and after what time
  -listen HOST:PORT be a service that is asked for loads over HTTP: what is sent, and
                    how much, is in requests; -config FILE has the settings of hone
                    serve for who may ask, and TLS

What comes of it:

  -goal GOAL        p99<=10ms, p99.9<=1s, max<=2s, mean<=5ms, rate>=500,
                    failed<=0.1% or silence<=5s; the exit code is 3 if one is
                    missed. May be given several times
  -serve CMD        start the service with this command first, and stop it at the end;
                    go run ./cmd/server is built, and started without go
  -against REF      compare with another revision of the repository: a branch, a tag,
                    a commit, HEAD~. The command of -serve starts either version, in
                    turn, each for a sample of -duration (5s) after -warmup (1s): -count
                    of each (10; 20 where 10 decide nothing). The exit code is 3 if
                    something got worse beyond its budget in hone.toml, and a second
                    measurement agreed
  -precheck N       pairs of the base with itself, to know the noise (6; 0: none)
  -ready D          how long the service may take until it answers (30s)
  -service NAME     the service's profiles: those that hone serve collects of it
                    meanwhile; or a selector, '{service="api", zone="a"}'
  -server URL       which hone serve; $HONE_SERVER, or http://127.0.0.1:4600
  -token_file FILE  the token to show it is in FILE; $HONE_TOKEN has it otherwise
  -pprof URL        the service's profiles: http://HOST:PORT/debug/pprof
  -profile LIST     kinds: cpu, allocs, mutex, block (cpu,allocs), or none
  -profiletime D    of each profile (10s; with -service 2m10s: two periods of its agent)
  -name NAME        of the benchmark in the run (method and path, or the topic)
  -o DIR            keep the run below DIR (.hone/runs of this module)
  -late D           a request sent later than this is late (5ms); if more than
  -max-late SHARE   are (0.01), the generator could not keep up: the run is void
  -grace D          to wait for answers at the end of a period (30s)
  -seed N           of random values (1)
  -v                with -against, print everything, also what did not change
  -json             print everything as JSON

The exit code is 1 if requests failed, unless a goal for failed allows it, if no
answer came for seconds, unless a goal for silence allows it, or if the run is void
or interrupted: it ends with what it has.

Examples:

  hone load http -rate 500 http://127.0.0.1:8080/
  hone load http -rate 2000 -goal 'p99<=20ms' -pprof 127.0.0.1:6060 http://127.0.0.1:8080/search
  hone load http -rate 100..1000 -duration 1m 'http://127.0.0.1:8080/item/{{int 1 500}}'
  hone load http -find 'p99<=50ms' http://127.0.0.1:8080/
  hone load http -against main -serve 'go run ./cmd/server' -rate 500 http://127.0.0.1:8080/
  hone load grpc -users 1 -requests 20 -rounds 5 -body @query.json 127.0.0.1:50051 pkg.Service/Find
  hone load kafka -messages 1000000 -topic devices -body @device.json 127.0.0.1:9092
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
		return &shell.UsageError{Verb: "load", Err: fmt.Errorf("what to send is missing: hone load %s", strings.Join(names, ", or "))}
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

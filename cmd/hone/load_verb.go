package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/httpload"
	"github.com/hone-go/hone/internal/load/measure"
	"github.com/hone-go/hone/internal/load/template"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/workspace"
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
number, {{int 1 9}} a random one, and so on; see doc/reference/load.md:

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

// loadFlags are the flags of hone load that all protocols have.
type loadFlags struct {
	fs      *flag.FlagSet
	command []string

	rate, find       string
	poisson          bool
	users            load.Users
	duration, warmup time.Duration
	timeout          time.Duration
	count            int
	goalTexts        []string
	pprof, profile   string
	profileTime      time.Duration
	collected        string // of hone serve: a service or selector
	server           serverFlags
	name, store      string
	opts             load.Options
	seed             uint64
	json             bool
	verbose          bool

	serve, against string
	ready          time.Duration
	preCheck       int

	body     string // read from its file, if it is one
	bodyFile string // that; "": the body is an argument

	bodyTemplate bool // files of bodies are templates
	header       []httpload.Header
	feedFile     string
	feed         *template.Feed
	tls          httpload.TLS

	pacing load.Pacing
	goals  []load.Goal

	service func(context.Context, *app) error // instead of a load; nil: there is none
}

// A loadProtocol is what hone load speaks.
type loadProtocol interface {
	define(fs *flag.FlagSet)
	// parse takes the arguments that are no flags, and checks what is to be sent,
	// before anything is.
	parse(ctx context.Context, f *loadFlags, rest []string) error
	// open makes ready to send, which may take a question to the service.
	open(ctx context.Context, f *loadFlags) (loadTarget, error)
	// address is where a service has to listen, HOST:PORT, that -serve starts.
	address(f *loadFlags) (string, error)
}

// A loadTarget is what is put under load.
type loadTarget struct {
	name   string // of the benchmark
	where  string
	period func(pacing load.Pacing) measure.Load
	// tell adds to the report what the protocol measures besides; it may be nil.
	tell func(b *bytes.Buffer)
	more func() any // the same for JSON
	// deliveries are what became of messages, for the run; it may be nil.
	deliveries func() []experiment.LoadDelivery
}

// loadProtocols are the protocols by name.
var loadProtocols = map[string]func() loadProtocol{
	"http":  func() loadProtocol { return &loadHTTP{} },
	"grpc":  func() loadProtocol { return &loadGRPC{} },
	"kafka": func() loadProtocol { return &loadKafka{} },
}

func newLoadFlags(p loadProtocol) *loadFlags {
	f := &loadFlags{fs: newFlags("load")}
	fs := f.fs
	fs.StringVar(&f.rate, "rate", "", "")
	fs.BoolVar(&f.poisson, "poisson", false, "")
	fs.IntVar(&f.users.Users, "users", 0, "")
	fs.IntVar(&f.users.Requests, "requests", 0, "")
	fs.IntVar(&f.users.Rounds, "rounds", 0, "")
	fs.StringVar(&f.find, "find", "", "")
	fs.DurationVar(&f.duration, "duration", 10*time.Second, "")
	fs.IntVar(&f.count, "count", 0, "")
	fs.DurationVar(&f.warmup, "warmup", 2*time.Second, "")
	fs.DurationVar(&f.timeout, "timeout", 0, "")
	fs.Func("H", "", func(s string) error {
		name, value, ok := strings.Cut(s, ":")
		if !ok {
			return errors.New("want a header, 'Name: value'")
		}
		f.header = append(f.header, httpload.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
		return nil
	})
	fs.StringVar(&f.body, "body", "", "")
	fs.BoolVar(&f.bodyTemplate, "body-template", false, "")
	fs.StringVar(&f.feedFile, "feed", "", "")
	fs.StringVar(&f.tls.CA, "ca", "", "")
	fs.StringVar(&f.tls.Cert, "cert", "", "")
	fs.StringVar(&f.tls.Key, "key", "", "")
	fs.StringVar(&f.tls.ServerName, "servername", "", "")
	fs.BoolVar(&f.tls.Insecure, "insecure", false, "")
	fs.Func("goal", "", func(s string) error { f.goalTexts = append(f.goalTexts, s); return nil })
	fs.StringVar(&f.pprof, "pprof", "", "")
	fs.StringVar(&f.collected, "service", "", "")
	fs.StringVar(&f.server.server, "server", "", "")
	fs.StringVar(&f.server.tokenFile, "token_file", "", "")
	fs.StringVar(&f.profile, "profile", "cpu,allocs", "")
	fs.DurationVar(&f.profileTime, "profiletime", 10*time.Second, "")
	fs.StringVar(&f.name, "name", "", "")
	fs.StringVar(&f.store, "o", "", "")
	fs.DurationVar(&f.opts.Late, "late", 5*time.Millisecond, "")
	fs.Float64Var(&f.opts.MaxLate, "max-late", .01, "")
	fs.DurationVar(&f.opts.Grace, "grace", 30*time.Second, "")
	fs.Uint64Var(&f.seed, "seed", 1, "")
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.verbose, "v", false, "")
	fs.StringVar(&f.serve, "serve", "", "")
	fs.StringVar(&f.against, "against", "", "")
	fs.DurationVar(&f.ready, "ready", workspace.DefaultReady, "")
	fs.IntVar(&f.preCheck, "precheck", bench.DefaultPreCheck, "")
	p.define(fs)
	singleFlags(fs, "H", "goal", "proto", "protoset", "I", "set")
	return f
}

// defaultTimeout is that of a request.
const defaultTimeout = 30 * time.Second

func orDefault(timeout time.Duration) time.Duration { return cmp.Or(timeout, defaultTimeout) }

func (f *loadFlags) usage(format string, args ...any) error {
	return &shell.UsageError{Verb: "load", Err: fmt.Errorf(format, args...)}
}

func (f *loadFlags) given(name string) bool {
	given := false
	f.fs.Visit(func(g *flag.Flag) { given = given || g.Name == name })
	return given
}

// secretHeader and secretURL are what a run, which others may read, has no use for.
var (
	secretHeader = lazyregexp.New(`(?i)^((?:-{1,2}H=)?[\w-]*(?:authorization|cookie|key|token|secret|password)[\w-]*:).*$`)
	secretURL    = lazyregexp.New(`(://[^/?#@:]*:)[^/?#@]*@`)
)

func withoutSecrets(arg string) string {
	return secretURL.ReplaceAllString(secretHeader.ReplaceAllString(arg, "$1 …"), "$1…@")
}

// maxBody bounds a file with a body, in bytes.
const maxBody = 256 << 20

// parse reads the arguments after the protocol. Files are read, and all that can be
// wrong with them is, before anything is sent.
func (f *loadFlags) parse(ctx context.Context, p loadProtocol, protocol string, args []string) error {
	f.command = []string{"hone", "load", protocol}
	for _, a := range args {
		f.command = append(f.command, withoutSecrets(a))
	}
	rest, err := parseArgs(f.fs, args)
	if err != nil {
		return err
	}
	if f.feedFile != "" {
		if f.feed, err = template.ReadFeed(ctx, f.feedFile); err != nil {
			return err
		}
	}
	if file, ok := strings.CutPrefix(f.body, "@"); ok {
		text, err := infile.ReadAny(ctx, file, maxBody)
		if err != nil {
			return err
		}
		f.body, f.bodyFile = string(text), file
	}
	if err := p.parse(ctx, f, rest); err != nil || f.service != nil {
		return err
	}
	if err := f.parseGoals(); err != nil {
		return err
	}
	if err := f.checkServe(); err != nil {
		return err
	}
	if f.against != "" {
		// Samples are many, and each has a warm-up.
		if !f.given("duration") {
			f.duration = 5 * time.Second
		}
		if !f.given("warmup") {
			f.warmup = time.Second
		}
	}
	if f.users.Rounds > 0 && f.given("duration") {
		return f.usage("-rounds say when it ends: leave out -duration")
	}
	flood := f.fs.Lookup("messages") != nil && f.given("messages")
	switch {
	case f.rate == "" && f.users.Users == 0 && f.find == "" && !flood:
		return f.usage("how much to send is missing: -rate 500, -users 1, or -find 'p99<=10ms'")
	case flood && (f.rate != "" || f.users.Users != 0 || f.find != ""):
		return f.usage("-messages are sent as fast as they go: leave out -rate, -users and -find")
	case f.users.Users != 0 && (f.rate != "" || f.find != ""):
		return f.usage("-users is a closed loop, which has no rate: leave out -rate and -find, or -users")
	case f.users.Users == 0 && (f.users.Requests != 0 || f.users.Rounds != 0):
		return f.usage("-requests and -rounds go with -users")
	case f.poisson && f.rate == "" && f.find == "":
		return f.usage("-poisson goes with a rate")
	case f.find != "" && (f.pprof != "" || f.given("count")):
		return f.usage("-find measures many rates, keeps none of them, and takes no profiles: leave out -pprof and -count")
	case f.duration <= 0 || f.warmup < 0 || f.profileTime <= 0:
		return f.usage("-duration and -profiletime have to be above 0, and -warmup not below")
	case f.timeout < 0:
		return f.usage("-timeout %v is below 0", f.timeout)
	case f.opts.Late <= 0 || f.opts.MaxLate <= 0 || f.opts.Grace <= 0:
		return f.usage("-late, -max-late and -grace have to be above 0")
	}
	if f.pacing, err = load.ParsePacing(cmp.Or(f.rate, "10"), f.poisson, f.seed); err != nil {
		return f.usage("-rate: %w", err)
	}
	varies := strings.ContainsAny(f.rate, ",") || strings.Contains(f.rate, "..")
	if flood && !f.given("warmup") {
		f.warmup = 0 // messages are counted from the first one on
	}
	switch {
	case f.find != "" && varies:
		return f.usage("-find begins at one rate")
	case f.count < 0:
		return f.usage("-count %d: want at least 1", f.count)
	case f.count == 0 && f.against == "":
		f.count = 5
		if varies || f.users.Rounds > 0 || flood {
			f.count = 1
		}
	}
	if f.users.Users != 0 {
		if f.users.Rounds == 0 {
			f.users.For = f.duration
		} else if !f.given("warmup") {
			f.warmup = 0 // rounds are counted from the first one on
		}
		if err := f.users.Check(); err != nil {
			return f.usage("%w", err)
		}
	}
	f.store = cmp.Or(f.store, runsRoot())
	return f.checkProfiles()
}

// fills reports whether the body is a template: an argument is, and a file is sent as it
// is unless that is asked for.
func (f *loadFlags) fills() bool { return f.bodyFile == "" || f.bodyTemplate }

func (f *loadFlags) parseGoals() error {
	if f.find != "" {
		f.goalTexts = append([]string{f.find}, f.goalTexts...)
	}
	for _, text := range f.goalTexts {
		g, err := load.ParseGoal(text)
		if err != nil {
			return f.usage("%w", err)
		}
		f.goals = append(f.goals, g)
	}
	return nil
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

func (f *loadFlags) open(ctx context.Context, p loadProtocol) (loadTarget, error) {
	target, err := p.open(ctx, f)
	if f.name != "" {
		target.name = f.name
	}
	return target, err
}

// A connector is a Driver that counts its connections.
type connector interface {
	load.Driver
	Connections() *load.Gauge
	Shares() bool // requests at the same time share connections
}

// closedOrOpen puts a driver under the load that flags ask for: by users, or at the
// pacing through what open makes for each period.
func (f *loadFlags) closedOrOpen(d connector, open func() openSender) func(load.Pacing) measure.Load {
	send := f.sends(d, open)
	return func(pacing load.Pacing) measure.Load {
		return func(ctx context.Context, stage measure.Stage, length time.Duration, opts load.Options) (*load.Result, error) {
			d.Connections().Restart()
			r, err := send(ctx, pacing, stage, length, opts)
			if r != nil {
				r.Connections = d.Connections().Peak()
			}
			return r, err
		}
	}
}

func (f *loadFlags) sends(d connector, open func() openSender) func(context.Context, load.Pacing, measure.Stage, time.Duration, load.Options) (*load.Result, error) {
	return func(ctx context.Context, pacing load.Pacing, stage measure.Stage, length time.Duration, opts load.Options) (*load.Result, error) {
		if f.users.Users > 0 {
			u := f.users
			if u.Rounds == 0 || stage != measure.Period { // profiles are of a time, not of rounds
				u.Rounds, u.For = 0, length-opts.Warmup
			}
			return load.RunUsers(ctx, d, u, opts, nil)
		}
		pacer, err := pacing.Pacer(opts.Warmup, length-opts.Warmup)
		if err != nil {
			return nil, err
		}
		s := open()
		r, err := load.Run(ctx, pacer, s, opts)
		if r != nil && d.Shares() {
			r.Streams = s.Parallel()
		}
		return r, errors.Join(err, s.Close())
	}
}

// An openSender is a Sender that tells how many requests were under way at once.
type openSender interface {
	load.Sender
	Parallel() int
}

func measureLoad(ctx context.Context, a *app, f *loadFlags, protocol string, target loadTarget) error {
	plan, err := loadPlan(ctx, a, f, protocol, target)
	if err != nil {
		return err
	}
	if err := hideRuns(a, f.store); err != nil {
		return err
	}
	run, err := experiment.Create(f.store, experiment.Info{
		Command: f.command, Environment: experiment.ReadEnvironment(""), Head: experiment.ReadRevision(ctx, "."),
	})
	if err != nil {
		return err
	}
	progress := newProgress(a)
	plan.Run, plan.Events = run, progress.load
	report, err := plan.Measure(ctx)
	progress.end()
	if void := report != nil && report.Result != nil && report.Void != ""; err != nil || ctx.Err() != nil || void {
		why := "interrupted"
		switch {
		case ctx.Err() != nil:
		case err != nil:
			why = err.Error()
		case void: // partial, so that nothing is concluded from it
			why = "void: " + report.Void
		}
		err = errors.Join(err, run.Abandon(why))
	} else {
		err = run.Close()
	}
	if report == nil {
		return errors.Join(err, os.RemoveAll(run.Dir()))
	}
	if told := tellLoad(a, f, target, report); told != nil {
		return told
	}
	return f.verdict(ctx, report.Result, err)
}

// loadPlan is what flags ask for, but for the run and progress.
func loadPlan(ctx context.Context, a *app, f *loadFlags, protocol string, target loadTarget) (*measure.Plan, error) {
	plan := &measure.Plan{
		Protocol: protocol, Name: target.name, Load: target.period(f.pacing), Warmup: f.warmup, Duration: f.duration,
		Count: f.count, Options: f.opts, Goals: f.goals, ProfileTime: f.profileTime,
		Deliveries: target.deliveries,
	}
	return plan, f.profiled(ctx, a, plan)
}

// verdict is the error that a load ends with.
func (f *loadFlags) verdict(ctx context.Context, r *load.Result, err error) error {
	if err != nil && ctx.Err() == nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: what was measured is above")
	case r.Void != "":
		return errors.New("the run is void: " + r.Void)
	case r.Stopped != "":
		return errors.New("the run was stopped: " + r.Stopped)
	}
	silent := load.Unforgiven(r, f.goals)
	allowed := false
	for _, g := range f.goals {
		if !g.Met(r) {
			return errMissed
		}
		allowed = allowed || strings.HasPrefix(g.String(), "failed")
	}
	switch {
	case silent != "" && len(f.goals) > 0:
		return errMissed
	case silent != "":
		return errors.New(silent)
	}
	if r.Failed > 0 && !allowed {
		return fmt.Errorf("%d of %d requests failed", r.Failed, r.Requests())
	}
	return nil
}

// precision is how close to the highest rate a search comes.
const precision = .05

func findRate(ctx context.Context, a *app, f *loadFlags, target loadTarget) error {
	progress := newProgress(a)
	first := true
	try := func(ctx context.Context, rate float64) (*load.Result, error) {
		opts := f.opts
		if first {
			opts.Warmup, first = f.warmup, false
		}
		opts.Window = func(w load.Window) string {
			progress.show(fmt.Sprintf("%.6g/s  %s", rate, windowText(w)))
			return ""
		}
		return target.period(f.pacing.At(rate))(ctx, measure.Period, opts.Warmup+f.duration, opts)
	}
	start := 10.0
	if f.rate != "" {
		start = f.pacing.Rate()
	}
	best, tries, err := load.Find(ctx, start, precision, f.goals, try, func(t load.Try) {
		progress.show("")
		if !f.json {
			fmt.Fprintf(a.stdout, "%10.6g/s  %s\n", t.Rate, tryText(t))
		}
	})
	progress.end()
	if f.json {
		out := struct {
			Best  *load.Try  `json:"best"`
			Tries []load.Try `json:"tries"`
		}{best, tries}
		if err := writeJSON(a.stdout, out); err != nil {
			return err
		}
	} else if best != nil {
		next, more := nextMissed(tries, best.Rate), "do not"
		if next.Void != "" {
			more = "this machine can't send in time"
		}
		fmt.Fprintf(a.stdout, "\n%.6g requests per second meet %s; %.3g %% more %s\n", best.Rate, f.goalsText(), 100*(next.Rate/best.Rate-1), more)
	}
	if errors.Is(err, load.ErrTooSlow) && tries[len(tries)-1].Void == "" {
		a.warn("hone: " + err.Error())
		return errMissed
	}
	return err
}

// nextMissed returns the try at the lowest rate above best that was missed: a search
// that found a best one has ended at such.
func nextMissed(tries []load.Try, best float64) load.Try {
	next := load.Try{Rate: math.Inf(1)}
	for _, t := range tries {
		if t.Missed != "" && t.Rate > best && t.Rate < next.Rate {
			next = t
		}
	}
	return next
}

func (f *loadFlags) goalsText() string {
	var texts []string
	for _, g := range f.goals {
		texts = append(texts, g.String())
	}
	return strings.Join(texts, " and ")
}

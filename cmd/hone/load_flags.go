package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
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

// loadFlags are the flags of hone load for all protocols.
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

	body     string // the text, read from the file if there is one
	bodyFile string // name of the file; "": the body is an argument

	bodyTemplate bool // files of bodies are templates
	header       []httpload.Header
	feedFile     string
	feed         *template.Feed
	tls          httpload.TLS

	pacing load.Pacing
	goals  []load.Goal

	service func(context.Context, *app) error // run instead of a load; nil: none
}

// A loadProtocol is a protocol of hone load.
type loadProtocol interface {
	define(fs *flag.FlagSet)
	// parse reads the arguments that aren't flags, and checks what to send, before
	// anything is sent.
	parse(ctx context.Context, f *loadFlags, rest []string) error
	// open prepares to send, and may ask the service for its schema.
	open(ctx context.Context, f *loadFlags) (loadTarget, error)
	// address is where the service that -serve starts must listen, HOST:PORT.
	address(f *loadFlags) (string, error)
}

// A loadTarget is what receives the load.
type loadTarget struct {
	name   string // of the benchmark
	where  string
	period func(pacing load.Pacing) measure.Load
	// tell adds the protocol's own measurements to the report, from the results of the
	// periods; it may be nil.
	tell func(b *bytes.Buffer, periods []*load.Result)
	more func(periods []*load.Result) any // the same for JSON
	// deliveries returns what happened to messages, for the run; it may be nil.
	deliveries func(periods []*load.Result) []experiment.LoadDelivery
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
			return errors.New("use the form 'Name: value'")
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
	f.server.define(fs)
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

// defaultTimeout is the time limit of a request.
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

// secretHeader and secretURL match secrets, which don't belong in a run: others may read it.
var (
	secretHeader = lazyregexp.New(`(?i)^((?:-{1,2}H=)?[\w-]*(?:authorization|cookie|key|token|secret|password)[\w-]*:).*$`)
	secretURL    = lazyregexp.New(`(://[^/?#@:]*:)[^/?#@]*@`)
)

func withoutSecrets(arg string) string {
	return secretURL.ReplaceAllString(secretHeader.ReplaceAllString(arg, "$1 …"), "$1…@")
}

// maxBody bounds a file with a body, in bytes.
const maxBody = 256 << 20

// parse reads the arguments after the protocol. It reads and checks all files before
// anything is sent.
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
	if err := f.checkService(); err != nil {
		return err
	}
	if f.against != "" {
		// There are many samples, and each has a warm-up.
		if !f.given("duration") {
			f.duration = 5 * time.Second
		}
		if !f.given("warmup") {
			f.warmup = time.Second
		}
	}
	if f.users.Rounds > 0 && f.given("duration") {
		return f.usage("-duration can't be combined with -rounds, which end the load")
	}
	flood := f.fs.Lookup("messages") != nil && f.given("messages")
	switch {
	case f.rate == "" && f.users.Users == 0 && f.find == "" && !flood:
		return f.usage("missing how much to send: use -rate 500, -users 1, or -find 'p99<=10ms'")
	case flood && (f.rate != "" || f.users.Users != 0 || f.find != ""):
		return f.usage("-messages sends as fast as possible: leave out -rate, -users and -find")
	case f.users.Users != 0 && (f.rate != "" || f.find != ""):
		return f.usage("-users can't be combined with -rate or -find: a closed loop has no rate")
	case f.users.Users == 0 && (f.users.Requests != 0 || f.users.Rounds != 0):
		return f.usage("-requests and -rounds need -users")
	case f.poisson && f.rate == "" && f.find == "":
		return f.usage("-poisson needs -rate or -find")
	case f.find != "" && (f.pprof != "" || f.given("count")):
		return f.usage("-find can't be combined with -pprof or -count: it measures many rates, without profiles")
	case f.duration <= 0 || f.warmup < 0 || f.profileTime <= 0:
		return f.usage("-duration and -profiletime must be above 0, and -warmup at least 0")
	case f.timeout < 0:
		return f.usage("invalid -timeout %v: use a time above 0", f.timeout)
	case f.opts.Late <= 0 || f.opts.MaxLate <= 0 || f.opts.Grace <= 0:
		return f.usage("-late, -max-late and -grace must be above 0")
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
		return f.usage("-find needs a single rate to start at, such as -rate 100")
	case f.count < 0:
		return f.usage("invalid -count %d: use at least 1", f.count)
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

// fills reports whether the body is a template. An argument is one; a file is sent unchanged
// unless the user asks for templates.
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

func (f *loadFlags) checkProfiles() error {
	switch {
	case f.collected != "" && f.pprof != "":
		return f.usage("-pprof and -service can't be combined: profiles come from the service or from hone serve")
	case f.collected != "" && f.against != "":
		return f.usage("-service can't be combined with -against, because its profiles mix both versions: use -pprof")
	case f.collected == "" && (f.given("server") || f.given("token-file")):
		return f.usage("-server and -token-file need -service")
	case f.pprof == "" && f.collected == "" || f.profile == "none":
		f.profile = ""
		return nil
	}
	return f.checkKinds()
}

func (f *loadFlags) checkKinds() error {
	for _, kind := range strings.Split(f.profile, ",") {
		if !slices.Contains(measure.Kinds(), kind) {
			return f.usage("invalid -profile %q: use %s, separated by commas, or none", f.profile, strings.Join(measure.Kinds(), ", "))
		}
	}
	return nil
}

// checkService checks -serve and the flags that belong to it.
func (f *loadFlags) checkService() error {
	switch {
	case f.against != "" && f.serve == "":
		return f.usage("-against needs -serve with the command that starts the service, such as -serve 'go run ./cmd/server'")
	case f.given("serve") && strings.TrimSpace(f.serve) == "":
		return f.usage("-serve is empty: give the command that starts the service")
	case f.against == "" && f.given("against"):
		return f.usage("-against is empty: give a branch, tag or commit")
	case f.against == "" && f.given("precheck"):
		return f.usage("-precheck needs -against REF")
	case f.serve == "" && f.given("ready"):
		return f.usage("-ready needs -serve")
	case f.ready <= 0 || f.preCheck < 0:
		return f.usage("-ready must be above 0, and -precheck at least 0")
	case f.against != "" && f.find != "":
		return f.usage("-find can't be combined with -against: it measures one version")
	}
	return nil
}

// tlsConfig returns the settings of TLS, or nil without TLS.
func (f *loadFlags) tlsConfig(asked bool) (*tls.Config, error) {
	if !asked && f.tls == (httpload.TLS{}) {
		return nil, nil
	}
	return f.tls.Config()
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
	Shares() bool // concurrent requests share connections
}

// closedOrOpen returns the load that flags ask for: by users, or at a pacing, through a
// sender that open makes for each period.
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
			if u.Rounds == 0 || stage != measure.Period { // profiles last for a time, not for rounds
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

// An openSender is a Sender that knows how many requests were in flight at most.
type openSender interface {
	load.Sender
	Parallel() int
}

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/kafkaload"
	"github.com/hone-go/hone/internal/load/measure"
	"github.com/hone-go/hone/internal/load/template"
)

// loadKafka is hone load kafka.
type loadKafka struct {
	opts       kafkaload.Options
	messages   int64
	key, lines string
	set        []template.Replacement
	tls        bool
	payloads   *kafkaload.Payloads // of lines; nil without

	listen, config string // address of the service, and its configuration
}

func (k *loadKafka) define(fs *flag.FlagSet) {
	fs.StringVar(&k.opts.Topic, "topic", "", "")
	fs.IntVar(&k.opts.Create, "create", 0, "")
	fs.Int64Var(&k.messages, "messages", 0, "")
	fs.StringVar(&k.key, "message-key", "", "")
	fs.Func("set", "", func(s string) error {
		r, err := template.ParseReplacement(s)
		k.set = append(k.set, r)
		return err
	})
	fs.StringVar(&k.lines, "lines", "", "")
	fs.StringVar(&k.opts.Acks, "acks", "", "")
	fs.BoolVar(&k.opts.NoIdempotent, "no-idempotence", false, "")
	fs.IntVar(&k.opts.Retries, "retries", 0, "")
	fs.DurationVar(&k.opts.Linger, "linger", 0, "")
	fs.IntVar(&k.opts.BatchBytes, "batch", 0, "")
	fs.StringVar(&k.opts.Compression, "compression", "", "")
	fs.StringVar(&k.opts.Partitioner, "partitioner", "", "")
	fs.IntVar(&k.opts.Partition, "partition", 0, "")
	fs.StringVar(&k.opts.SASL, "sasl", "", "")
	fs.StringVar(&k.opts.User, "user", "", "")
	fs.BoolVar(&k.tls, "tls", false, "")
	fs.BoolVar(&k.opts.Consume, "consume", false, "")
	fs.StringVar(&k.listen, "listen", "", "")
	fs.StringVar(&k.config, "config", "", "")
}

// kafkaServiceFlags can be combined with -listen. The others say what to send, which the
// service's clients do.
var kafkaServiceFlags = []string{
	"listen", "config", "create", "acks", "no-idempotence", "retries", "linger", "batch", "compression", "partitioner", "partition", "sasl", "user", "timeout",
	"tls", "ca", "cert", "key", "servername", "insecure",
}

// passwordVariable has the password of Kafka's user. A flag would show it to everyone who
// lists processes.
const passwordVariable = "HONE_KAFKA_PASSWORD"

func (k *loadKafka) parse(ctx context.Context, f *loadFlags, rest []string) (err error) {
	switch {
	case len(rest) == 0:
		return f.usage("missing broker: give its address, HOST:PORT")
	case f.given("listen"):
		return k.parseService(f, rest)
	case k.config != "":
		return f.usage("-config needs -listen")
	case k.opts.Topic == "":
		return f.usage("-topic is missing: give the topic to send to")
	case f.users.Users != 0 || f.find != "":
		return f.usage("-users and -find can't be used with Kafka: use -rate or -messages")
	case f.given("messages") && k.messages < 1:
		return f.usage("invalid -messages %d: use at least 1", k.messages)
	case f.body == "" && k.lines == "":
		return f.usage("missing what to send: use -body or -lines")
	case f.body != "" && k.lines != "":
		return f.usage("-body and -lines can't be combined: use one of them")
	}
	k.opts.Feed, k.opts.Seed = f.feed, f.seed
	if err := k.parseBrokers(f, rest); err != nil {
		return err
	}
	if k.key != "" {
		if k.opts.Key, err = template.Parse("-message-key", k.key, f.feed); err != nil {
			return err
		}
	}
	for _, h := range f.header {
		value, err := template.Parse("header "+h.Name, h.Value, f.feed)
		if err != nil {
			return err
		}
		k.opts.Headers = append(k.opts.Headers, kafkaload.Header{Name: h.Name, Value: value})
	}
	return k.parseValues(ctx, f)
}

// parseBrokers reads where and how to send.
func (k *loadKafka) parseBrokers(f *loadFlags, brokers []string) (err error) {
	if f.given("linger") && k.opts.Linger == 0 {
		k.opts.Linger = -1 // 0 is the default
	}
	k.opts.Brokers, k.opts.Timeout, k.opts.Password = brokers, f.timeout, os.Getenv(passwordVariable)
	k.opts.TLS, err = f.tlsConfig(k.tls)
	return err
}

func (k *loadKafka) parseService(f *loadFlags, brokers []string) error {
	if k.listen == "" {
		return f.usage("-listen is empty: give an address such as 127.0.0.1:4700")
	}
	var wrong []string
	f.fs.Visit(func(g *flag.Flag) {
		if !slices.Contains(kafkaServiceFlags, g.Name) {
			wrong = append(wrong, "-"+g.Name)
		}
	})
	if len(wrong) > 0 {
		return f.usage("-listen can't be combined with %s: requests say what to send", strings.Join(wrong, ", "))
	}
	f.service = func(ctx context.Context, a *app) error {
		settings := &serveFlags{config: k.config, set: map[string]bool{}}
		settings.Listen = k.listen
		cfg, err := settings.resolved(ctx, a.getenv)
		if err != nil {
			return err
		}
		return daemon.RunLoads(ctx, cfg, k.opts, daemon.Options{Version: honeVersion(), Stdout: a.stdout, Stderr: a.stderr, Getenv: a.getenv})
	}
	if err := k.parseBrokers(f, brokers); err != nil {
		return err
	}
	if err := k.opts.CheckHow(); err != nil {
		return f.usage("%w", err)
	}
	return nil
}

func (k *loadKafka) parseValues(ctx context.Context, f *loadFlags) (err error) {
	if k.lines != "" {
		if k.payloads, err = kafkaload.ReadPayloads(ctx, k.lines, f.bodyTemplate, f.feed, k.set...); err != nil {
			return err
		}
		k.opts.Values = k.payloads.Values
		return nil
	}
	value, err := kafkaload.Body("the body", f.body, f.fills(), f.feed, k.set...)
	k.opts.Values = []*template.Template{value}
	return err
}

func (k *loadKafka) open(ctx context.Context, f *loadFlags) (loadTarget, error) {
	// Report unreachable brokers before the run begins.
	if err := load.Resolve(ctx, k.opts.Brokers...); err != nil {
		return loadTarget{}, err
	}
	s, err := kafkaload.New(ctx, k.opts)
	if err == nil {
		err = s.Close()
	}
	target := loadTarget{name: k.opts.Topic, where: fmt.Sprintf("%s at %s", k.opts.Topic, k.opts.Brokers[0]), tell: k.tell}
	target.period = func(pacing load.Pacing) measure.Load {
		return func(ctx context.Context, stage measure.Stage, length time.Duration, opts load.Options) (*load.Result, error) {
			return k.send(ctx, pacing, stage, length, opts)
		}
	}
	target.more = func(periods []*load.Result) any { return k.report(periods) }
	target.deliveries = keptDeliveries
	return target, err
}

func (k *loadKafka) address(f *loadFlags) (string, error) {
	return "", f.usage("-serve can't be used with Kafka: use it with http or grpc")
}

// send sends for a period, or all messages. Warm-up and profiles last for a time, and
// their deliveries are not reported.
func (k *loadKafka) send(ctx context.Context, pacing load.Pacing, stage measure.Stage, length time.Duration, opts load.Options) (r *load.Result, err error) {
	o := k.opts
	o.Warmup = opts.Warmup
	s, err := kafkaload.New(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch {
	case k.messages > 0 && stage == measure.Period:
		opts.Warmup = 0
		r, err = s.Flood(ctx, k.messages, 0, opts)
	case k.messages > 0:
		r, err = s.Flood(ctx, 1<<62, length, opts)
	default:
		var pacer load.Pacer
		if pacer, err = pacing.Pacer(opts.Warmup, length-opts.Warmup); err == nil {
			r, err = load.Run(ctx, pacer, s, opts)
		}
	}
	if err == nil && k.opts.Consume && stage == measure.Period {
		// An interrupted run waits only a moment for deliveries.
		wait, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer context.AfterFunc(ctx, func() { time.AfterFunc(2*time.Second, cancel) })()
		r.Besides = s.Delivery(wait, r)
		cancel()
	}
	return r, err
}

// A kafkaReport has the measurements that only Kafka has.
type kafkaReport struct {
	ParseFailed int                   `json:"parse_failed"`
	ParseErrors []string              `json:"parse_errors,omitempty"`
	Deliveries  []*kafkaload.Delivery `json:"deliveries,omitempty"` // of each period
}

func (k *loadKafka) report(periods []*load.Result) kafkaReport {
	r := kafkaReport{Deliveries: deliveriesOf(periods)}
	if k.payloads != nil {
		r.ParseFailed, r.ParseErrors = k.payloads.Failed, k.payloads.Errors
	}
	return r
}

// deliveriesOf returns what happened to the messages of periods that were consumed.
func deliveriesOf(periods []*load.Result) (all []*kafkaload.Delivery) {
	for _, r := range periods {
		if d, ok := r.Besides.(*kafkaload.Delivery); ok {
			all = append(all, d)
		}
	}
	return all
}

// keptDeliveries returns deliveries in the form that runs keep.
func keptDeliveries(periods []*load.Result) (all []experiment.LoadDelivery) {
	for _, d := range deliveriesOf(periods) {
		all = append(all, experiment.LoadDelivery{
			Arrived: d.Arrived, Lost: d.Lost, Doubled: d.Doubled, Unconfirmed: d.Unconfirmed,
			Time: measure.Times(d.Time, nil), Incomplete: d.Incomplete, Unread: d.Unread,
		})
	}
	return all
}

func (k *loadKafka) tell(b *bytes.Buffer, periods []*load.Result) {
	r := k.report(periods)
	if k.opts.Acks == "none" {
		fmt.Fprintf(b, "\n  acks      none: brokers acknowledge nothing; a message counts as answered once it is written to the connection\n")
	}
	if r.ParseFailed > 0 {
		fmt.Fprintf(b, "\n  not sent  %s that can't be parsed\n", compare.Counted(r.ParseFailed, "line"))
		for _, text := range r.ParseErrors {
			fmt.Fprintf(b, "            %s\n", compare.Printable(text))
		}
	}
	for i, d := range r.Deliveries {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "  arrived   %d messages, %d lost, %d duplicated; p50 %s, p99 %s, max %s after they were due\n",
			d.Arrived, d.Lost, d.Doubled, timeText(d.Time.P50), timeText(d.Time.P99), timeText(d.Time.Max))
		if d.Incomplete != "" {
			fmt.Fprintf(b, "            %s; the search for %d messages was not finished\n", compare.Printable(d.Incomplete), d.Unread)
		}
	}
}

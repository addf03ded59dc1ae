// Kafkagen sends messages of devices to Kafka, as many as one wants, and tells how
// many were acknowledged and how long that took, in JSON:
//
//	kafkagen [-version tuned] [-n 1000000] [-topic devices] [-create 4] [-payloads file] [-replace json] [broker ...]
//
// Each device sends each payload, a line of JSON, with its number as deviceNo and
// with values replaced by others or by text: -replace '{"name.first": ["name.first",
// "_", "name.last"]}'. The tool comes as it was first written and once per tuning
// step; README.md tells how each step was found.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A version is one way to do what the tool does.
type version struct {
	name string
	send func(ctx context.Context, t *task, to producer) *tally
	opts []kgo.Opt // of the client, where they are not its defaults
}

// versions are in the order they were written.
var versions = []version{
	{name: "marshal", send: sendMarshal},
	{name: "once", send: sendOnce},
	{name: "split", send: sendSplit},
	{name: "tuned", send: sendTuned, opts: tunedOpts},
}

// tunedOpts is the compression with which client and broker together compute
// least: README.md has the figures.
var tunedOpts = []kgo.Opt{kgo.ProducerBatchCompression(kgo.Lz4Compression())}

// A result is what the tool prints.
type result struct {
	SuccessCount int64    `json:"success_count"`
	FailCount    int64    `json:"fail_count"`
	ParseFail    []string `json:"parse_fail"`
	Elapsed      string   `json:"elapsed"`
	Msg          string   `json:"msg"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kafkagen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("kafkagen", flag.ExitOnError)
	name := flags.String("version", "tuned", "`name` of the version: marshal, once, split or tuned")
	devices := flags.Int64("n", 1_000_000, "`number` of devices, each of which sends each payload")
	first := flags.Int64("first", 1, "`number` of the first device")
	prefix := flags.String("prefix", "dev-", "`text` before a device's number")
	payloads := flags.String("payloads", "", "`file` with a payload a line, instead of a sensor's")
	replacements := flags.String("replace", "", "`JSON` object with a list of paths or texts for each path")
	topic := flags.String("topic", "devices", "`topic` to send to")
	create := flags.Int("create", 0, "create the topic with so many `partitions`, if there is none")
	acks := flags.String("acks", "all", "`who` has to have a message: all, leader or none; idempotent if all")
	compression := flags.String("compression", "", "of batches: none, snappy, lz4 or zstd; the version's if empty")
	cpuprofile := flags.String("cpuprofile", "", "write a CPU profile of sending to `file`")
	_ = flags.Parse(args) // exits on error

	i := slices.IndexFunc(versions, func(v version) bool { return v.name == *name })
	if i < 0 {
		return fmt.Errorf("unknown version %q", *name)
	}
	v := versions[i]
	t, err := readTask(*prefix, *first, *devices, *payloads, *replacements)
	if err != nil {
		return err
	}
	brokers := flags.Args()
	if len(brokers) == 0 {
		brokers = []string{"127.0.0.1:9092"}
	}
	opts, err := clientOpts(v.opts, brokers, *topic, *acks, *compression)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := ready(ctx, client, *topic, *create); err != nil {
		return err
	}
	stop, err := profile(*cpuprofile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return report(out, t, func() *tally { return v.send(ctx, t, client) })
}

// readTask reads what flags name.
func readTask(prefix string, first, devices int64, payloads, replacements string) (*task, error) {
	text := samplePayloads
	if payloads != "" {
		b, err := os.ReadFile(payloads)
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	if replacements == "" {
		replacements = "{}"
		if payloads == "" {
			replacements = sampleReplacements
		}
	}
	t, err := newTask(prefix, first, devices, text, replacements)
	if err == nil && len(t.payloads) == 0 {
		err = fmt.Errorf("no payload to send: %s", strings.Join(t.parseFail, "; "))
	}
	return t, err
}

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

func clientOpts(opts []kgo.Opt, brokers []string, topic, acks, compression string) ([]kgo.Opt, error) {
	opts = append(slices.Clone(opts), kgo.SeedBrokers(brokers...), kgo.DefaultProduceTopic(topic), kgo.RecordDeliveryTimeout(2*time.Minute),
		kgo.MetadataMinAge(500*time.Millisecond))
	switch acks {
	case "all":
	case "leader":
		opts = append(opts, kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite())
	case "none":
		opts = append(opts, kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite())
	default:
		return nil, fmt.Errorf("unknown acks %q", acks)
	}
	if compression != "" {
		codec, ok := codecs[compression]
		if !ok {
			return nil, fmt.Errorf("unknown compression %q", compression)
		}
		opts = append(opts, kgo.ProducerBatchCompression(codec))
	}
	return opts, nil
}

// ready returns when the topic can be sent to.
func ready(ctx context.Context, client *kgo.Client, topic string, create int) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	admin := kadm.NewClient(client)
	if create > 0 {
		if _, err := admin.CreateTopic(ctx, int32(create), -1, nil, topic); err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			return err
		}
	}
	for {
		topics, err := admin.ListTopics(ctx, topic)
		if err != nil {
			return err
		}
		err = topics.Error()
		if create == 0 || !errors.Is(err, kerr.UnknownTopicOrPartition) {
			return err
		}
		select { // brokers learn of a new topic a moment later
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// profile starts a CPU profile, if a file for it is named.
func profile(file string) (stop func() error, err error) {
	if file == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// report sends, and prints what came of it.
func report(out io.Writer, t *task, send func() *tally) error {
	start := time.Now()
	o := send()
	r := result{
		SuccessCount: o.acked.Load(), FailCount: o.failed.Load(), ParseFail: t.parseFail,
		Elapsed: time.Since(start).String(), Msg: "success",
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		r.Msg = o.err.Error()
	}
	text, err := json.MarshalIndent(r, "", "    ")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", text)
	return o.err
}

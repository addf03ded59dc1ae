package kafkaload

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/template"
)

// Options say what to send, where, and how. A zero value means the default, in
// parentheses.
type Options struct {
	Brokers []string // HOST:PORT of some brokers; the cluster names the others
	Topic   string

	// Create is the number of partitions to create the topic with, if it doesn't exist
	// (0: it must exist). Replicas is the number of replicas of each partition (the
	// broker's default).
	Create   int
	Replicas int

	// A message has a key, a value and headers. Message n has value n modulo their number.
	Key     *template.Template // nil: no key
	Values  []*template.Template
	Headers []Header
	Feed    *template.Feed // rows for templates; may be nil
	Seed    uint64         // for random values in templates; the same seed gives the same messages

	Acks         string        // "all", "leader", "none" ("all")
	NoIdempotent bool          // turns off idempotence, which needs Acks "all": a message that is sent again may arrive twice
	Linger       time.Duration // how long a batch waits for more messages; negative: not at all (5ms)
	BatchBytes   int           // size of a batch at most, before compression (1000012)
	Compression  string        // "none", "gzip", "snappy", "lz4", "zstd" ("none")
	Partitioner  string        // "sticky", "hash", "round-robin", "manual" ("hash", which is sticky for messages without a key)
	Partition    int           // partition of all messages, for "manual"
	InFlight     int           // requests to a broker at once, without idempotence (5); with it there are always 5

	// Buffer and BufferBytes limit the messages that wait for their acknowledgement
	// (1048576 messages and 256 MiB; in a flood 50000 messages). Above the limit, a
	// message sent at a rate fails at once; a flood waits for room.
	Buffer      int
	BufferBytes int

	SASL     string // "plain", "scram-256", "scram-512" (no login)
	User     string
	Password string
	TLS      *tls.Config // settings of TLS; nil: no TLS

	DialTimeout    time.Duration // to open a connection (10s)
	RequestTimeout time.Duration // until a broker answers (10s)
	Timeout        time.Duration // until a message is acknowledged; then it fails (2m)
	Retries        int           // how often a message is sent again after a transient error; negative: as often as Timeout allows (0)

	// Consume reads the new messages of the topic, to tell which arrived and when: see
	// Delivery. For that, messages get a header.
	Consume bool
	Warmup  time.Duration // messages due before this have no times in Delivery; the same as in load.Options
	Drain   time.Duration // how long the consumer may take to read what was acknowledged (30s)
}

// A Header is a header of a message.
type Header struct {
	Name  string
	Value *template.Template
}

const (
	defaultBuffer      = 1 << 20 // as many as load.Pool lets wait
	defaultFlood       = 50_000
	defaultBufferBytes = 256 << 20
	defaultBatchBytes  = 1000012 // a broker's max.message.bytes is 1048588 by default; franz-go's default has room for overhead
	maxBatchBytes      = 64 << 20
)

func (o Options) withDefaults() Options {
	set(&o.Acks, "all")
	set(&o.Linger, 5*time.Millisecond) // as Kafka's own client has it since 4.0
	set(&o.BatchBytes, defaultBatchBytes)
	set(&o.Compression, "none")
	set(&o.Partitioner, "hash")
	set(&o.InFlight, 5)
	set(&o.BufferBytes, defaultBufferBytes)
	set(&o.DialTimeout, 10*time.Second)
	set(&o.RequestTimeout, 10*time.Second)
	set(&o.Timeout, 2*time.Minute) // as Kafka's own client
	set(&o.Drain, 30*time.Second)
	return o
}

func set[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

var (
	acks = map[string]kgo.Acks{"all": kgo.AllISRAcks(), "leader": kgo.LeaderAck(), "none": kgo.NoAck()}

	codecs = map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}

	partitioners = map[string]kgo.Partitioner{
		"sticky": kgo.StickyPartitioner(), "hash": kgo.StickyKeyPartitioner(nil),
		"round-robin": kgo.RoundRobinPartitioner(), "manual": kgo.ManualPartitioner(),
	}

	mechanisms = map[string]func(user, password string) sasl.Mechanism{
		"plain":     func(u, p string) sasl.Mechanism { return plain.Auth{User: u, Pass: p}.AsMechanism() },
		"scram-256": func(u, p string) sasl.Mechanism { return scram.Auth{User: u, Pass: p}.AsSha256Mechanism() },
		"scram-512": func(u, p string) sasl.Mechanism { return scram.Auth{User: u, Pass: p}.AsSha512Mechanism() },
	}
)

// CheckHow returns an error if the options of how to send are invalid. It doesn't look at
// what is sent.
func (o Options) CheckHow() error {
	o = o.withDefaults()
	o.Topic, o.Values = "any", []*template.Template{nil}
	return o.check()
}

// check returns what is wrong with the options, with defaults filled in.
func (o Options) check() error {
	switch {
	case len(o.Brokers) == 0:
		return errors.New("no broker given")
	case o.Topic == "":
		return errors.New("no topic given")
	case len(o.Values) == 0:
		return errors.New("no value to send")
	case o.Acks != "all" && !o.NoIdempotent:
		return fmt.Errorf("acks %q exclude idempotence, which needs acks \"all\"", o.Acks)
	case o.Create < 0 || o.Replicas < 0 || o.Partition < 0 || o.Buffer < 0 || o.BufferBytes < 0 || o.InFlight < 0:
		return errors.New("numbers of partitions, replicas, requests, messages and bytes can't be negative")
	case o.BatchBytes < 512 || o.BatchBytes > maxBatchBytes:
		return fmt.Errorf("invalid batch size %d: use 512 to %d bytes", o.BatchBytes, maxBatchBytes)
	case o.DialTimeout < 0 || o.RequestTimeout < 0 || o.Timeout < time.Second || o.Drain < 0:
		return errors.New("timeouts can't be negative, and a message needs at least 1s")
	case o.SASL != "" && o.User == "":
		return errors.New("SASL needs a user")
	case o.Partitioner != "manual" && o.Partition != 0:
		return errors.New(`a partition needs the partitioner "manual"`)
	}
	return errors.Join(
		known("acks", o.Acks, acks), known("compression", o.Compression, codecs), known("partitioner", o.Partitioner, partitioners),
		o.checkSASL())
}

func (o Options) checkSASL() error {
	if o.SASL == "" {
		return nil
	}
	return known("SASL", o.SASL, mechanisms)
}

func known[V any](what, name string, in map[string]V) error {
	if _, ok := in[name]; !ok {
		return fmt.Errorf("unknown %s %q (known: %s)", what, name, strings.Join(slices.Sorted(maps.Keys(in)), ", "))
	}
	return nil
}

// pollInterval is how often a goroutine that waits checks its condition.
const pollInterval = 100 * time.Millisecond

// dial opens a connection to a broker.
func (o Options) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, o.DialTimeout)
	defer cancel()
	c, err := load.Dial(ctx, network, address)
	if err != nil || o.TLS == nil {
		return c, err
	}
	config := o.TLS
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	secure, err := load.Handshake(ctx, c, config)
	if err != nil {
		return nil, err
	}
	return secure, nil
}

// client returns the settings that all clients share: of the producer, of the consumer, and
// of requests for metadata.
func (o Options) client() []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ClientID("hone"), kgo.DisableClientMetrics(),
		kgo.SeedBrokers(o.Brokers...),
		kgo.Dialer(o.dial), kgo.RequestTimeoutOverhead(o.RequestTimeout),
		// Brokers that come back are to be found soon, as the run goes on meanwhile.
		kgo.MetadataMinAge(500 * time.Millisecond),
		kgo.RetryBackoffFn(func(fails int) time.Duration { return min(time.Duration(fails)*100*time.Millisecond, time.Second) }),
	}
	if o.SASL != "" {
		opts = append(opts, kgo.SASL(mechanisms[o.SASL](o.User, o.Password)))
	}
	return opts
}

// producer returns the settings of the client that sends. The Sender counts the messages
// that wait, since the client would block where the Sender fails or waits.
func (o Options) producer() []kgo.Opt {
	opts := append(o.client(),
		kgo.DefaultProduceTopic(o.Topic),
		kgo.RequiredAcks(acks[o.Acks]),
		kgo.ProducerLinger(max(o.Linger, 0)),
		kgo.ProducerBatchMaxBytes(int32(o.BatchBytes)),
		kgo.ProducerBatchCompression(codecs[o.Compression]),
		kgo.RecordPartitioner(partitioners[o.Partitioner]),
		kgo.ProduceRequestTimeout(o.RequestTimeout),
		kgo.RecordDeliveryTimeout(o.Timeout),
		kgo.MaxBufferedRecords(math.MaxInt),
	)
	if o.NoIdempotent {
		opts = append(opts, kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(o.InFlight))
	} else {
		// Otherwise a message that was sent has no end while its broker is away. A message
		// that failed is not handed over again, so none is doubled by it.
		opts = append(opts, kgo.AllowIdempotentProduceCancellation())
	}
	if o.Retries >= 0 {
		opts = append(opts, kgo.RecordRetries(o.Retries))
	}
	return opts
}

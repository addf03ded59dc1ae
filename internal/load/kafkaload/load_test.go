package kafkaload

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/template"
)

func text(t testing.TB, s string) *template.Template {
	t.Helper()
	tmpl, err := template.Parse("value", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

func values(t testing.TB, s string) []*template.Template { return []*template.Template{text(t, s)} }

// options are for a topic of the test's own, which a consumer reads.
func options(t testing.TB) Options {
	return Options{
		Brokers: []string{realBroker(t).Addr}, Topic: strings.ReplaceAll(t.Name(), "/", "."), Create: 4,
		Values: values(t, `{"n":{{n}},"id":"{{hex 16}}"}`), Consume: true,
	}
}

func open(t testing.TB, o Options) *Sender {
	t.Helper()
	s, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// runAt runs at a rate.
func runAt(t testing.TB, s *Sender, rate float64, d time.Duration, opts load.Options) *load.Result {
	t.Helper()
	p, err := load.Constant(rate, d)
	if err != nil {
		t.Fatal(err)
	}
	res, err := load.Run(context.Background(), p, s, opts)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func flood(t testing.TB, s *Sender, n int64) *load.Result {
	t.Helper()
	res, err := s.Flood(context.Background(), n, 0, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// wantAll fails the test unless n messages were acknowledged and arrived once each.
func wantAll(t testing.TB, s *Sender, res *load.Result, n int64) *Delivery {
	t.Helper()
	d := s.Delivery(context.Background(), nil)
	if res.Succeeded != n || res.Failed != 0 || res.Stopped != "" {
		t.Errorf("%d messages were acknowledged and %d failed, of %d: %+v %s", res.Succeeded, res.Failed, n, res.Failures, res.Stopped)
	}
	if d.Arrived != n || d.Lost != 0 || d.Doubled != 0 || d.Unconfirmed != 0 || d.Incomplete != "" {
		t.Errorf("%d messages arrived, %d are lost, %d doubled, %d unconfirmed, of %d; %s",
			d.Arrived, d.Lost, d.Doubled, d.Unconfirmed, n, cmp.Or(d.Incomplete, "all was read"))
	}
	return d
}

// classes are the failures of a result by class.
func classes(res *load.Result) map[string]int64 {
	of := make(map[string]int64)
	for _, c := range res.Failures {
		of[c.Name] = c.Count
	}
	return of
}

func TestRate(t *testing.T) {
	o := options(t)
	o.Key = text(t, "device-{{int 1 9}}")
	o.Headers = []Header{{"kind", text(t, "test")}, {"n", text(t, "{{n}}")}}
	o.Warmup = 200 * time.Millisecond
	s := open(t, o)
	res := runAt(t, s, 1000, time.Second, load.Options{Warmup: o.Warmup})
	if res.Succeeded != 800 || res.Asked != 1000 {
		t.Errorf("%d messages at %v/s count; want 800 at 1000", res.Succeeded, res.Asked)
	}
	res.Succeeded = 1000 // messages of the warm-up arrive, too
	d := wantAll(t, s, res, 1000)
	if d.Time.P50 == nil || *d.Time.P50 <= 0 || *d.Time.Max > time.Minute {
		t.Errorf("times until messages arrived: %+v", d.Time)
	}
	if got := s.tracker.times.Quantiles(0); got.Max == nil {
		t.Error("no times")
	}
	again := runAt(t, s, 500, 500*time.Millisecond, load.Options{})
	again.Succeeded += 1000
	wantAll(t, s, again, 1250)

	for n, r := range readTopic(t, o, 1250) {
		var value struct {
			N  *int64
			ID string
		}
		if err := json.Unmarshal(r.Value, &value); err != nil || value.N == nil || len(value.ID) != 16 {
			t.Fatalf("message %d: %q: %v", n, r.Value, err)
		}
		if !strings.HasPrefix(string(r.Key), "device-") || len(r.Headers) != 3 || string(r.Headers[0].Value) != "test" ||
			string(r.Headers[1].Value) != fmt.Sprint(*value.N) {
			t.Fatalf("message %d: key %q, headers %q", n, r.Key, r.Headers)
		}
	}
}

// readTopic returns n messages of the topic.
func readTopic(t *testing.T, o Options, n int) []*kgo.Record {
	t.Helper()
	client, err := kgo.NewClient(append(o.withDefaults().client(), kgo.ConsumeTopics(o.Topic))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var records []*kgo.Record
	for len(records) < n && ctx.Err() == nil {
		records = append(records, client.PollFetches(ctx).Records()...)
	}
	if len(records) != n {
		t.Fatalf("%d messages in %s, want %d", len(records), o.Topic, n)
	}
	return records
}

// Messages arrive whatever the settings are.
func TestSettings(t *testing.T) {
	for name, set := range map[string]func(*Options){
		"acks of the leader":    func(o *Options) { o.Acks, o.NoIdempotent = "leader", true },
		"no acks":               func(o *Options) { o.Acks, o.NoIdempotent = "none", true },
		"gzip":                  func(o *Options) { o.Compression = "gzip" },
		"snappy":                func(o *Options) { o.Compression = "snappy" },
		"lz4":                   func(o *Options) { o.Compression = "lz4" },
		"zstd":                  func(o *Options) { o.Compression = "zstd" },
		"sticky":                func(o *Options) { o.Partitioner = "sticky" },
		"round robin, no delay": func(o *Options) { o.Partitioner, o.Linger = "round-robin", -1 },
		"one partition":         func(o *Options) { o.Partitioner, o.Partition = "manual", 3 },
		"small batches":         func(o *Options) { o.BatchBytes, o.Buffer = 600, 100 },
		"few bytes wait":        func(o *Options) { o.BufferBytes = 1000 },
		"retries":               func(o *Options) { o.Retries = 5 },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.Topic = "settings." + strings.NewReplacer(" ", "-", ",", "").Replace(name)
			set(&o)
			s := open(t, o)
			wantAll(t, s, flood(t, s, 1000), 1000)
		})
	}
}

func TestFlood(t *testing.T) {
	const n = 300_000 // more than chunks of the tracker, and than may wait
	o := options(t)
	s := open(t, o)
	res := flood(t, s, n)
	d := wantAll(t, s, res, n)
	if res.Asked != 0 || res.Late != 0 || *res.Response.Max != *res.Service.Max {
		t.Errorf("asked for %v, %d late, response %v, service %v", res.Asked, res.Late, *res.Response.Max, *res.Service.Max)
	}
	if peak := len(s.free) + len(s.returned.messages); peak > defaultFlood {
		t.Errorf("%d messages were under way at a time, and %d may be", peak, defaultFlood)
	}
	t.Logf("%.0f messages/s, acknowledged after %v at the median, arrived after %v", *res.Rate, *res.Response.P50, *d.Time.P50)
}

func TestFloodEnds(t *testing.T) {
	s := open(t, options(t))
	const never = 1 << 50
	start := time.Now()
	res, err := s.Flood(context.Background(), never, 300*time.Millisecond, load.Options{})
	if err != nil || res.Succeeded == 0 || res.Interrupted || res.Failed > 0 {
		t.Errorf("after its time: %+v, %v", res, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	res, err = s.Flood(ctx, never, 0, load.Options{})
	if err != nil || res.Succeeded == 0 || !res.Interrupted {
		t.Errorf("interrupted: %+v, %v", res, err)
	}
	res, err = s.Flood(context.Background(), never, 0, load.Options{Window: func(load.Window) string { return "enough" }})
	if err != nil || res.Succeeded == 0 || res.Stopped != "enough" {
		t.Errorf("stopped: %+v, %v", res, err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

func TestNoAllocations(t *testing.T) {
	s := &Sender{opts: Options{
		Key: text(t, "{{uuid}}"), Values: values(t, `{"at":{{unixns}},"v":{{float 0 1}}}`),
		Headers: []Header{{"trace", text(t, "{{hex 32}}")}},
	}, values: template.NewValues(1, 0), tracker: newTracker(0)}
	s.opts = s.opts.withDefaults()
	done := func(load.Request, load.Outcome) {}
	clock := load.NewClock()
	n := int64(0)
	allocs := testing.AllocsPerRun(1000, func() {
		m := s.message()
		m.request, m.clock, m.done = load.Request{N: n}, clock, done
		m.fill(s)
		s.calls.Add(1)
		m.finished(&m.Record, nil)
		n++
	})
	if allocs != 0 {
		t.Errorf("%v allocations a message", allocs)
	}
}

// createTopic makes the topic before a Sender asks for it, with settings of its own.
func createTopic(t testing.TB, o Options, settings map[string]*string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(o.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), int32(o.Create), 1, settings, o.Topic); err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		t.Fatal(err)
	}
}

// TestLost: messages that the broker drops are failures, if nothing is acknowledged and
// a consumer looks for them; without one nobody calls them lost.
func TestLost(t *testing.T) {
	for _, consume := range []bool{true, false} {
		o := options(t)
		o.Topic = fmt.Sprint("lost.", consume)
		o.Acks, o.NoIdempotent, o.Consume = "none", true, consume
		o.Values = values(t, strings.Repeat("x", 3000))
		// Brokers apply a setting that changes later when they get round to it.
		limit := "1000"
		createTopic(t, o, map[string]*string{"max.message.bytes": &limit})
		s := open(t, o)
		res := runAt(t, s, 50, time.Second, load.Options{})
		d := s.Delivery(t.Context(), res)
		switch {
		case !consume && (res.Succeeded != 50 || d != nil):
			t.Errorf("nobody looked: %d succeeded, %+v", res.Succeeded, d)
		case consume && (res.Failed != 50 || classes(res)["lost"] != 50 || d.Lost != 50 || d.Unread != 0 || *res.Rate != 0):
			t.Errorf("%d failed: %+v; %+v", res.Failed, res.Failures, d)
		}
	}
}

// TestUnread: what the consumer had no time to look for is not called lost.
func TestUnread(t *testing.T) {
	s := open(t, options(t))
	res := flood(t, s, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.consumer.close() // it reads no more
	s.tracker.appendMark(nil, time.Now(), 0)
	s.tracker.acked(1000)
	d := s.Delivery(ctx, res)
	if d.Lost != 0 || d.Unread < 1 || d.Incomplete == "" || res.Failed != 0 {
		t.Errorf("%+v, %d failed", d, res.Failed)
	}
}

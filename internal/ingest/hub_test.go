package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// now is the time of tests: profiles of testdata are older.
var now = time.Unix(1900000000, 0)

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// recorder is a store that keeps what was put, copied, and can fail.
type recorder struct {
	store.Store
	mu      sync.Mutex
	records []store.Record
	fail    func([]store.Record) error
}

func newRecorder() *recorder { return &recorder{Store: storetest.NewModel()} }

func (r *recorder) Put(ctx context.Context, records []store.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		if err := r.fail(records); err != nil {
			return err
		}
	}
	for _, rec := range records {
		p := profile.Compact(rec.Profile)
		p.SampleTypes = slices.Clone(p.SampleTypes)
		for i, st := range p.SampleTypes {
			p.SampleTypes[i] = profile.ValueType{Type: strings.Clone(st.Type), Unit: strings.Clone(st.Unit)}
		}
		rec.Profile = p
		r.records = append(r.records, rec)
	}
	return r.Store.Put(ctx, records)
}

// take returns what was put since the last call.
func (r *recorder) take() []store.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.records
	r.records = nil
	return out
}

// newHub returns a Hub with a recorder and a clock; change may be nil.
func newHub(change func(*ingest.Config)) (*ingest.Hub, *recorder, *clock) {
	r, c := newRecorder(), &clock{t: now}
	cfg := ingest.Config{Store: r, Now: c.now}
	if change != nil {
		change(&cfg)
	}
	return ingest.New(cfg), r, c
}

func receive(t testing.TB, h *ingest.Hub, pushes ...ingest.Push) (known bool) {
	t.Helper()
	if err := h.Receive(t.Context(), "test", pushes...); err != nil {
		t.Fatalf("Receive: %v", err)
	}
	return pushes[0].Known
}

// push is one of a profile of testdata.
func push(t testing.TB, file string, labels ...store.Label) ingest.Push {
	return ingest.Push{Data: ingesttest.Profile(t, file), Labels: append([]store.Label{{Name: "service", Value: "api"}}, labels...)}
}

// small is a valid profile with few bytes.
func small(types ...profile.ValueType) *profile.Profile {
	if types == nil {
		types = []profile.ValueType{{Type: "samples", Unit: "count"}}
	}
	b := profile.NewBuilder(types...)
	values := make([]int64, len(types))
	for i := range values {
		values[i] = 1
	}
	b.Sample([]uint32{b.Location(1, 0, profile.Line{Function: b.Function("f", "f", "f.go", 1), Line: 2})}, nil, values...)
	return b.Profile()
}

func encode(t testing.TB, p *profile.Profile) []byte {
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is received is what is stored, under its labels, kind and time.
func TestReceive(t *testing.T) {
	h, r, _ := newHub(nil)
	p := push(t, "cpu.labels.pb.gz", store.Label{Name: "zone", Value: "a"}, store.Label{Name: "version", Value: ""})
	sent, err := profile.DecodeBytes(p.Data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	receive(t, h, p)
	records := r.take()
	if len(records) != 1 {
		t.Fatalf("got %d records", len(records))
	}
	got := records[0]
	if want := `{kind="cpu", service="api", zone="a"}`; got.Labels.String() != want {
		t.Errorf("got labels %v, want %s", got.Labels, want)
	}
	if got.Time != sent.TimeNanos || got.Duration != sent.DurationNanos || got.ID == (store.ID{}) {
		t.Errorf("got time %d, duration %d, id %x", got.Time, got.Duration, got.ID)
	}
	if d := storetest.Diff(got.Profile, sent); d != "" {
		t.Error(d)
	}
	stats := h.Stats()
	want := []ingest.ProtocolStats{{Protocol: "test", Profiles: 1, Bytes: int64(len(p.Data)), Refused: map[ingest.Reason]int64{}}}
	if !reflect.DeepEqual(stats.Protocols, want) || stats.Series != 1 || stats.Services != 1 {
		t.Errorf("got %+v", stats)
	}
}

// A Hub decodes into the same memory again and again: nothing that is kept may
// refer to it.
func TestReceiveKeepsNoReference(t *testing.T) {
	h, r, _ := newHub(nil)
	files, err := filepath.Glob("../../testdata/*.pb.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var pushes []ingest.Push
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := profile.DecodeBytes(data, profile.Limits{}); err != nil || len(p.SampleTypes) == 0 {
			continue
		}
		pushes = append(pushes, ingest.Push{Data: data, Time: now.UnixNano() - int64(i), Labels: []store.Label{{Name: "service", Value: filepath.Base(file)}}})
	}
	for range 2 {
		receive(t, h, pushes...) // more than are decoded at a time
	}
	for _, rec := range r.take() {
		kind, _, _ := strings.Cut(rec.Labels.Get("service"), ".")
		got := rec.Labels.Get("kind")
		if kind == "allocs" || kind == "heap" {
			// Commands' -memprofile is the one or the other.
			kind, got = "heap", strings.Replace(got, "allocs", "heap", 1)
		}
		if got != kind && (got != "contention" || rec.Profile.NumSamples() > 0) {
			t.Errorf("%s: got kind %s", rec.Labels.Get("service"), got)
		}
	}
	groups, err := r.Merge(t.Context(), store.Query{By: []string{"service"}})
	if err != nil || len(groups) != len(pushes) {
		t.Fatalf("got %d groups of %d, %v", len(groups), len(pushes), err)
	}
	for _, g := range groups {
		i := slices.IndexFunc(pushes, func(p ingest.Push) bool { return p.Labels[0].Value == g.Labels.Get("service") })
		want, err := profile.DecodeBytes(pushes[i].Data, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		want.TimeNanos = pushes[i].Time
		if d := storetest.Diff(g.Profile, want); d != "" {
			t.Errorf("%v: %s", g.Labels, d)
		}
	}
}

// bomb returns n bytes of strings for a profile's table, gzipped.
func bomb(n int) []byte {
	text := bytes.Repeat([]byte("\x32\x7e"+strings.Repeat("x", 126)), n/128)
	return ingesttest.Gzip(append([]byte("\x32\x00"), text...))
}

// Every reason to refuse a profile has its error, its counter and a line in the log.
func TestRefusals(t *testing.T) {
	good := func(t *testing.T) ingest.Push { return push(t, "heap.leak.pb.gz") }
	data := func(b []byte) func(*testing.T) ingest.Push {
		return func(*testing.T) ingest.Push { return ingest.Push{Data: b} }
	}
	storeFails := func(err error) func(*ingest.Config) {
		return func(cfg *ingest.Config) {
			cfg.Store.(*recorder).fail = func([]store.Record) error { return fmt.Errorf("put: %w", err) }
		}
	}
	heap := ingesttest.Profile(t, "heap.leak.pb.gz")
	var plain bytes.Buffer
	if p, err := profile.DecodeBytes(heap, profile.Limits{}); err != nil || p.EncodeUncompressed(&plain) != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		push   func(*testing.T) ingest.Push
		change func(*ingest.Config)
		reason ingest.Reason
		retry  bool // RetryAfter is known
		says   string
	}{
		{"nothing", data(nil), nil, ingest.Malformed, false, "empty"},
		{"garbage", data([]byte("\x0a\x05\x01\x02")), nil, ingest.Malformed, false, "at byte"},
		{"cut off", data(heap[:len(heap)/2]), nil, ingest.Malformed, false, "cut off after"},
		{"cut off, not compressed", data(plain.Bytes()[:plain.Len()/2]), nil, ingest.Malformed, false, "at byte"},
		{"HTML", data([]byte("<!DOCTYPE html><html>")), nil, ingest.Malformed, false, "HTML"},
		{"text", data([]byte("Hello.\nHow are you?\n")), nil, ingest.Malformed, false, "text"},
		{"no sample types", data(encode(t, &profile.Profile{Strings: []string{""}, TimeNanos: 5})), nil, ingest.Malformed, false, "no sample types"},
		{"a sample type twice", data(encode(t, small(profile.ValueType{Type: "a", Unit: "b"}, profile.ValueType{Type: "a", Unit: "c"}))), nil, ingest.Malformed, false, `sample type "a" twice`},
		{"large", good, func(cfg *ingest.Config) { cfg.MaxBody = 100 }, ingest.TooLarge, false, "the limit is 100"},
		{"bomb of nothing", data(ingesttest.Bomb(20 << 20)), nil, ingest.Malformed, false, "no sample types"},
		{"bomb", data(bomb(24 << 20)), func(cfg *ingest.Config) { cfg.MaxDecoded = 20 << 20 }, ingest.TooLarge, false, "more than 20971520 bytes"},
		{"small bomb", data(bomb(2 << 20)), func(cfg *ingest.Config) { cfg.MaxDecoded = 1 << 20 }, ingest.TooLarge, false, "more than 1048576 bytes"},
		{"labels", func(t *testing.T) ingest.Push {
			p := good(t)
			for i := range 40 {
				p.Labels = append(p.Labels, store.Label{Name: fmt.Sprint("l", i), Value: "v"})
			}
			return p
		}, nil, ingest.TooLarge, false, "41 labels; the limit is 32"},
		{"not allowed", good, func(cfg *ingest.Config) {
			cfg.Allow = func(_ context.Context, service string) *ingest.Error {
				return ingest.Errorf(ingest.Denied, "the token may not write service %s", service)
			}
		}, ingest.Denied, false, "service api"},
		{"unknown", good, func(cfg *ingest.Config) {
			cfg.Allow = func(context.Context, string) *ingest.Error {
				return ingest.Errorf(ingest.Unauthenticated, "who are you?")
			}
		}, ingest.Unauthenticated, false, "who"},
		{"rate of bytes", func(t *testing.T) ingest.Push { return ingest.Push{Data: make([]byte, 1001)} }, func(cfg *ingest.Config) {
			cfg.Rate.Bytes, cfg.MaxBody = 10, 1000
		}, ingest.TooLarge, false, "1001 bytes"},
		{"expired", good, storeFails(store.ErrExpired), ingest.Expired, false, "older"},
		{"full", good, storeFails(store.ErrFull), ingest.Unavailable, true, "no space"},
		{"varied", good, storeFails(store.ErrVaried), ingest.Limited, true, "different stacks"},
		{"closed", good, storeFails(store.ErrClosed), ingest.Unavailable, true, "closed"},
		{"gone", good, storeFails(context.Canceled), ingest.Unavailable, true, "canceled"},
		{"broken store", good, storeFails(errors.New("checksum")), ingest.Internal, false, "checksum"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			h, r, _ := newHub(func(cfg *ingest.Config) {
				cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
				if test.change != nil {
					test.change(cfg)
				}
			})
			err := h.Receive(t.Context(), "test", test.push(t))
			var e *ingest.Error
			if !errors.As(err, &e) || e.Reason != test.reason || (e.RetryAfter > 0) != test.retry || !strings.Contains(e.Error(), test.says) {
				t.Fatalf("got %v (%+v)", err, e)
			}
			if n := len(r.take()); n > 0 {
				t.Errorf("%d records are kept", n)
			}
			s := h.Stats().Protocols
			if len(s) != 1 || !maps.Equal(s[0].Refused, map[ingest.Reason]int64{test.reason: 1}) || s[0].Profiles != 0 {
				t.Errorf("counted %+v", s)
			}
			if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "reason="+test.reason.String()) || !strings.Contains(text, test.says) && !strings.Contains(text, "\\") {
				t.Errorf("logged %s", text)
			}
		})
	}
}

// What a protocol puts right is what is kept, and its kind and duration.
func TestAmend(t *testing.T) {
	h, r, _ := newHub(nil)
	for range 2 { // with a decoder that was used before
		p := push(t, "heap.leak.pb.gz")
		p.Amend = func(p *profile.Profile) {
			p.SampleTypes, p.Values = p.SampleTypes[:2], p.Values[:2]
			p.DurationNanos = 77
		}
		receive(t, h, p)
		want, err := profile.DecodeBytes(p.Data, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p.Amend(want)
		got := r.take()[0]
		if d := storetest.Diff(got.Profile, want); d != "" || got.Duration != 77 || got.Labels.Get("kind") != "allocs" {
			t.Errorf("got %v for %d: %s", got.Labels, got.Duration, d)
		}
	}
}

func TestConfigCheck(t *testing.T) {
	if err := ingest.DefaultConfig().Check(); err != nil {
		t.Error(err)
	}
	if err := (ingest.Config{MaxSeries: -1, Rate: ingest.Rate{Bytes: -1}}).Check(); err != nil {
		t.Error(err)
	}
	err := ingest.Config{MaxBody: -1, MaxLabels: 1, Skew: -1}.Check()
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v", err)
	}
}

// Memory is bounded: who finds no decoder free has to wait, and try again later.
func TestParallelIsBounded(t *testing.T) {
	release, under := make(chan struct{}), make(chan struct{}, 100)
	h := ingest.New(ingest.Config{Store: &blockingStore{storetest.NewModel(), under, release}, MaxParallel: 16})
	data := encode(t, small())
	errs := make(chan error, 40)
	for i := range 20 {
		go func() { errs <- h.Receive(t.Context(), "test", ingest.Push{Data: data, Time: int64(i + 1)}) }()
	}
	for range 16 {
		<-under
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := h.Receive(ctx, "test", ingest.Push{Data: data, Time: 100})
	var e *ingest.Error
	if !errors.As(err, &e) || e.Reason != ingest.Unavailable || e.RetryAfter <= 0 {
		t.Errorf("got %v", err)
	}
	if n := len(under); n > 0 {
		t.Errorf("%d more are at the store", n)
	}
	close(release)
	for range 20 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// blockingStore puts when it is released, and tells when it is asked to.
type blockingStore struct {
	store.Store
	under   chan<- struct{}
	release <-chan struct{}
}

func (s *blockingStore) Put(ctx context.Context, records []store.Record) error {
	s.under <- struct{}{}
	<-s.release
	return s.Store.Put(ctx, records)
}

// A profile above what many decoders may have waits for one of the large ones.
func TestLargeProfile(t *testing.T) {
	for name, generate := range map[string]func(b *profile.Builder){
		"bytes": func(b *profile.Builder) {
			for i := range 2000 {
				b.Function(fmt.Sprint(strings.Repeat("long", 2500), i), "", "f.go", 1)
			}
		},
		"samples": func(b *profile.Builder) {
			l := b.Location(1, 0, profile.Line{Function: b.Function("f", "f", "f.go", 1), Line: 2})
			for i := range int64(300_000) {
				b.Sample([]uint32{l}, []profile.Label{{Key: b.String("n"), Num: i, Numeric: true}}, 1)
			}
		},
	} {
		b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
		generate(b)
		p := b.Profile()
		h, r, _ := newHub(nil)
		receive(t, h, ingest.Push{Data: encode(t, p), Time: 1})
		if records := r.take(); len(records) != 1 || records[0].Profile.NumSamples() != p.NumSamples() {
			t.Errorf("%s: got %d records", name, len(records))
		}
	}
}

// The memory of large profiles is in use until they are stored: whoever sends one
// meanwhile has to wait. Those of one request don't wait for each other.
func TestLargeProfilesAreBounded(t *testing.T) {
	release, under := make(chan struct{}), make(chan struct{}, 10)
	memory := ingest.NewMemory(128 << 20)
	h := ingest.New(ingest.Config{Store: &blockingStore{storetest.NewModel(), under, release}, Memory: memory})
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
	for i := range 1100 {
		b.Function(fmt.Sprint(strings.Repeat("long", 4000), i), "", "f.go", 1)
	}
	data := encode(t, b.Profile())
	first := make(chan error)
	go func() {
		first <- h.Receive(t.Context(), "test", ingest.Push{Data: data, Time: 1}, ingest.Push{Data: data, Time: 2})
	}()
	<-under
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var e *ingest.Error
	if err := h.Receive(ctx, "test", ingest.Push{Data: data, Time: 100}); !errors.As(err, &e) || e.Reason != ingest.Unavailable {
		t.Errorf("got %v", err)
	}
	if n := len(under); n > 0 {
		t.Errorf("%d more are at the store", n)
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if memory.Used() != 0 {
		t.Errorf("%d bytes are still taken", memory.Used())
	}
}

// Stacks that compress well can have far more frames than a store can tell apart in
// little memory: they are refused before they are stored. What real programs send isn't.
func TestFramesAreBounded(t *testing.T) {
	stacks := func(samples, frames int) []byte {
		b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
		locations := make([]uint32, 100)
		for i := range locations {
			locations[i] = b.Location(uint64(i+1), 0, profile.Line{Function: b.Function(fmt.Sprint("f", i), "", "f.go", 1)})
		}
		stack := make([]uint32, frames)
		for s := range samples {
			for i := range stack {
				stack[i] = locations[(s/(1+i*i))%len(locations)]
			}
			b.Sample(stack, nil, 1)
		}
		return encode(t, b.Profile())
	}
	h, r, _ := newHub(nil)
	var e *ingest.Error
	deep := stacks(1000, 5000)
	if err := h.Receive(t.Context(), "test", ingest.Push{Data: deep, Time: 1}); !errors.As(err, &e) || e.Reason != ingest.TooLarge || !strings.Contains(err.Error(), "5000000 frames") {
		t.Errorf("%d bytes with 5 million frames: %v", len(deep), err)
	}
	receive(t, h, ingest.Push{Data: stacks(20_000, 60), Time: 1})
	if records := r.take(); len(records) != 1 {
		t.Errorf("%d records of 20000 stacks are kept", len(records))
	}
}

func TestTooManyPushes(t *testing.T) {
	h, r, _ := newHub(func(cfg *ingest.Config) { cfg.MaxPushes = 3 })
	err := h.Receive(t.Context(), "test", make([]ingest.Push, 4)...)
	var e *ingest.Error
	if !errors.As(err, &e) || e.Reason != ingest.TooLarge || len(r.take()) > 0 {
		t.Errorf("got %v", err)
	}
	if lim := h.Limits(); lim.BodyBytes != 64<<20 || lim.Pushes != 3 {
		t.Errorf("got limits %v", h.Limits())
	}
	if err := h.Receive(t.Context(), "test"); err != nil {
		t.Errorf("nothing: %v", err)
	}
}

// Of several profiles the good ones are kept, and the error tells which is bad.
func TestSomeAreRefused(t *testing.T) {
	h, r, _ := newHub(nil)
	var pushes []ingest.Push
	for i := range 40 {
		p := ingest.Push{Profile: small(), Time: int64(i + 1)}
		if i == 20 || i == 33 {
			p = ingest.Push{Data: []byte("bad")}
		}
		pushes = append(pushes, p)
	}
	err := h.Receive(t.Context(), "test", pushes...)
	var e *ingest.Error
	if !errors.As(err, &e) || e.Reason != ingest.Malformed || !strings.HasPrefix(e.Error(), "profile 21 of 40: ") {
		t.Errorf("got %v", err)
	}
	if n := len(r.take()); n != 38 {
		t.Errorf("%d are kept", n)
	}
	// One that is too old, or of a service that would take too much memory, doesn't take
	// others with it.
	for reason, fault := range map[ingest.Reason]error{ingest.Expired: store.ErrExpired, ingest.Limited: store.ErrVaried} {
		r.fail = func(records []store.Record) error {
			if slices.ContainsFunc(records, func(r store.Record) bool { return r.Time == 7 }) {
				return fault
			}
			return nil
		}
		err = h.Receive(t.Context(), "test", pushes[:10]...)
		if !errors.As(err, &e) || e.Reason != reason || !strings.HasPrefix(e.Error(), "profile 7 of 10: ") {
			t.Errorf("%v: got %v", fault, err)
		}
		if n := len(r.take()); n != 9 {
			t.Errorf("%v: %d are kept", fault, n)
		}
	}
	// Of several reasons the one to try again for counts.
	r.fail = func(records []store.Record) error { return store.ErrFull }
	err = h.Receive(t.Context(), "test", pushes[20], pushes[1])
	if !errors.As(err, &e) || e.Reason != ingest.Unavailable {
		t.Errorf("got %v", err)
	}
}

// Whatever comes in, the answer is an *Error or the profile is kept.
func FuzzReceive(f *testing.F) {
	for _, file := range []string{"heap.leak.pb.gz", "cpu.empty.pb.gz", "mutex.accounts.pb.gz", "goroutine.debug1.txt", "goroutine.debug2.txt"} {
		data := ingesttest.Profile(f, file)
		f.Add(data, "service", "api", "cpu", int64(0), "alloc_space", "")
		f.Add(data[:len(data)/2], "instance", "\xff", "", int64(-1), "delay", "k")
	}
	f.Add(encode(f, small()), "ä", "x\x00", "\xff", int64(1)<<62, "samples", "")
	f.Fuzz(func(t *testing.T, data []byte, name, value, kind string, at int64, cumulative, key string) {
		h, r, _ := newHub(func(cfg *ingest.Config) { cfg.MaxDecoded = 1 << 20 })
		p := ingest.Push{Data: data, Labels: []store.Label{{Name: name, Value: value}}, Kind: kind, Time: at, Key: key}
		for range 2 {
			err := h.Receive(t.Context(), "fuzz", p)
			var e *ingest.Error
			if err != nil && (!errors.As(err, &e) || e.Reason == ingest.Internal) {
				t.Fatal(err)
			}
			for _, rec := range r.take() {
				if again, err := store.NewLabels(rec.Labels...); err != nil || again.Compare(rec.Labels) != 0 || rec.Labels.Get("service") == "" || rec.Labels.Get("kind") == "" {
					t.Fatalf("labels %v: %v", rec.Labels, err)
				}
			}
			p.Cumulative, p.Time = []string{cumulative}, at/2+1
		}
	})
}

// discard is a store that does nothing.
type discard struct{ store.Store }

func (discard) Put(context.Context, []store.Record) error { return nil }

func BenchmarkReceive(b *testing.B) {
	for _, bench := range []struct {
		name, file string
		cumulative []string
	}{
		{"cpu", "cpu.http-server.pb.gz", nil},
		{"heap", "heap.http-server.pb.gz", nil},
		{"heap-cumulative", "heap.http-server.pb.gz", []string{"alloc_objects", "alloc_space"}},
		{"mutex-cumulative", "mutex.http-trimpath.pb.gz", []string{"contentions", "delay"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			h := ingest.New(ingest.Config{Store: discard{}})
			p := push(b, bench.file, store.Label{Name: "instance", Value: "i"}, store.Label{Name: "version", Value: "v1"})
			p.Cumulative = bench.cumulative
			b.SetBytes(int64(len(p.Data)))
			b.ReportAllocs()
			for b.Loop() {
				p.Time++
				if err := h.Receive(b.Context(), "bench", p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("large-cumulative", func(b *testing.B) {
		pb := profile.NewBuilder(profile.ValueType{Type: "contentions", Unit: "count"}, profile.ValueType{Type: "delay", Unit: "nanoseconds"})
		for i := range uint64(50_000) {
			pb.Sample([]uint32{pb.Location(1+i%5000, 0), pb.Location(1+i/5000, 0), pb.Location(7000, 0)}, nil, 1, int64(i))
		}
		p := ingest.Push{Profile: pb.Profile(), Cumulative: []string{"contentions", "delay"}, Labels: []store.Label{{Name: "service", Value: "api"}}}
		h := ingest.New(ingest.Config{Store: discard{}})
		b.ReportAllocs()
		for b.Loop() {
			p.Time++
			if err := h.Receive(b.Context(), "bench", p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

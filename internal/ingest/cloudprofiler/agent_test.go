package cloudprofiler

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gp "github.com/google/pprof/profile"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk"
	"github.com/hone-go/hone/internal/store/storetest"
)

func TestMain(m *testing.M) { ingesttest.Main(m) }

// startAgent runs a program with the real agent until the test ends.
func startAgent(t *testing.T, env []string, args ...string) *ingesttest.Agent {
	t.Helper()
	// What this machine knows of Google must not matter.
	var clean []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "GOOGLE_") && !strings.HasPrefix(name, "GCE_") && !strings.HasSuffix(strings.ToLower(name), "_proxy") && !strings.HasPrefix(name, "SSL_") {
			clean = append(clean, v)
		}
	}
	clean = append(clean, "HOME="+t.TempDir())
	return ingesttest.StartAgent(t, "cloudprofiler", append(clean, env...), args...)
}

// A recorder is a Receiver that remembers what it hands on to a real one, and
// its store.
type recorder struct {
	cfg   ingest.Config // Store may be nil
	err   error         // of Receive, if it isn't nil
	start sync.Once
	hub   *ingest.Hub

	mu     sync.Mutex
	pushes []ingest.Push
}

func (r *recorder) next() *ingest.Hub {
	r.start.Do(func() {
		if r.cfg.Store == nil {
			r.cfg.Store = storetest.NewModel()
		}
		r.hub = ingest.New(r.cfg)
	})
	return r.hub
}

func (r *recorder) Limits() ingest.Limits { return r.next().Limits() }

func (r *recorder) Receive(ctx context.Context, protocol string, pushes ...ingest.Push) error {
	if r.err != nil {
		return r.err
	}
	if err := r.next().Receive(ctx, protocol, pushes...); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range pushes {
		p.Data = bytes.Clone(p.Data) // it is the sender's
		r.pushes = append(r.pushes, p)
	}
	return nil
}

func (r *recorder) received() []ingest.Push {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.pushes)
}

// kinds returns how many profiles of each kind there are.
func (r *recorder) kinds() map[string]int {
	n := make(map[string]int)
	for _, p := range r.received() {
		n[p.Kind]++
	}
	return n
}

// onDisk returns a recorder with the store that hone serve uses.
func onDisk(t *testing.T) *recorder {
	t.Helper()
	st, err := disk.Open(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return &recorder{cfg: ingest.Config{Store: st}}
}

func labelOf(p ingest.Push, name string) string {
	ls, err := store.NewLabels(p.Labels...)
	if err != nil {
		return err.Error()
	}
	return ls.Get(name)
}

// An upstream remembers the profiles that go over the wire in uploads by gRPC,
// before the service sees them.
type upstream struct {
	mu   sync.Mutex
	sent []*profilerpb.Profile
	seen []http.Header // of polls
}

func (w *upstream) tap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/CreateProfile") {
			w.mu.Lock()
			w.seen = append(w.seen, r.Header.Clone())
			w.mu.Unlock()
		}
		if strings.HasSuffix(r.URL.Path, "/UpdateProfile") && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			body, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			// A frame is a byte that is 0 unless it is compressed, and its length.
			var req profilerpb.UpdateProfileRequest
			if err == nil && len(body) > 5 && body[0] == 0 && int(binary.BigEndian.Uint32(body[1:])) == len(body)-5 && proto.Unmarshal(body[5:], &req) == nil {
				w.mu.Lock()
				w.sent = append(w.sent, req.Profile)
				w.mu.Unlock()
			}
		}
		h.ServeHTTP(rw, r)
	})
}

// totals returns the sum of every sample type of the profiles that were sent,
// as google/pprof reads them, by type of profile.
func (w *upstream) totals(t *testing.T) (sums map[string]int64, profiles int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	sums = make(map[string]int64)
	for _, p := range w.sent {
		parsed, err := gp.ParseData(p.ProfileBytes)
		if err != nil {
			t.Fatal(err)
		}
		for i, st := range parsed.SampleType {
			key := kinds[p.ProfileType] + " " + st.Type + "/" + st.Unit
			for _, s := range parsed.Sample {
				sums[key] += s.Value[i]
			}
		}
	}
	return sums, len(w.sent)
}

// totals returns the same of what is in the store.
func (r *recorder) totals(t *testing.T) (sums map[string]int64, profiles int) {
	t.Helper()
	groups, err := r.cfg.Store.Merge(t.Context(), store.Query{By: []string{store.LabelKind}})
	if err != nil {
		t.Fatal(err)
	}
	sums = make(map[string]int64)
	for _, g := range groups {
		profiles += int(g.Profiles)
		for sampleType, v := range ingesttest.ValueSums(g.Profile) {
			sums[g.Labels.Get(store.LabelKind)+" "+sampleType] = v
		}
	}
	return sums, profiles
}

func newService(t *testing.T, recv ingest.Receiver, st store.Store, cfg Config) *Service {
	t.Helper()
	cfg.Log = slog.New(slog.DiscardHandler)
	s, err := New(recv, st, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve serves a handler on a port of its own, with HTTP/2 with and without TLS.
func serve(t *testing.T, h http.Handler, onShutdown func()) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols)}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	if onShutdown != nil {
		srv.RegisterOnShutdown(onShutdown)
	}
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serving: %v", err)
		}
	}()
	t.Cleanup(func() {
		if onShutdown != nil {
			onShutdown()
		}
		_ = srv.Close()
	})
	return ln.Addr().String()
}

// eventually waits for something that takes a busy machine long.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after two minutes still not: %s", what)
		}
	}
}

// quick is a schedule for tests.
var quick = Config{Schedule: Schedule{Interval: 100 * time.Millisecond, Duration: 200 * time.Millisecond}}

var allKinds = []string{"allocs", "cpu", "goroutine", "heap", "mutex"}

// checkAgent waits for profiles of all kinds and compares what was received
// with what was sent.
func checkAgent(t *testing.T, sent *upstream, recv *recorder, service *Service) {
	t.Helper()
	eventually(t, "profiles of all kinds, with samples", func() bool {
		sums, _ := recv.totals(t)
		return slices.Equal(slices.Sorted(maps.Keys(recv.kinds())), allKinds) && sums["cpu cpu/nanoseconds"] > 0 && sums["mutex delay/nanoseconds"] > 0 &&
			sums["allocs alloc_space/bytes"] > 0
	})
	service.Close() // now the agent stops
	var want, got map[string]int64
	eventually(t, "all that was sent is received", func() bool {
		var n, m int
		want, n = sent.totals(t)
		got, m = recv.totals(t)
		return n == m && service.Stats().Sessions == 0
	})
	// Go's agent has columns of zeros in its heap profiles.
	for _, dropped := range []string{"heap alloc_objects/count", "heap alloc_space/bytes"} {
		if v, ok := want[dropped]; !ok || v != 0 {
			t.Errorf("the agent sent %s of %d, known %v; want 0", dropped, v, ok)
		}
		delete(want, dropped)
	}
	if !maps.Equal(got, want) {
		t.Errorf("received %v\nsent %v", got, want)
	}
	for _, key := range []string{"cpu cpu/nanoseconds", "allocs alloc_space/bytes", "heap inuse_space/bytes", "goroutine goroutine/count", "mutex delay/nanoseconds"} {
		if got[key] <= 0 {
			t.Errorf("the sum of %s is %d", key, got[key])
		}
	}
	series, err := recv.cfg.Store.Series(t.Context(), store.Query{By: []string{store.LabelKind}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range series {
		for _, p := range s.Points {
			kind := s.Labels.Get(store.LabelKind)
			if moment := kind == "heap" || kind == "goroutine"; moment != (p.Duration == 0) || p.Duration > int64(time.Minute) {
				t.Errorf("a %s profile lasts %v", kind, time.Duration(p.Duration))
			}
		}
	}
}

func TestAgentByOptions(t *testing.T) {
	var sent upstream
	recv := onDisk(t)
	service := newService(t, recv, nil, quick)
	mux := http.NewServeMux()
	service.Mount(mux)
	addr := serve(t, sent.tap(mux), service.Close)
	startAgent(t, nil, "-addr", addr, "-plain", "-alloc-force-gc", "-debug",
		"-service", "shop", "-version", "1.2", "-project", "acme", "-zone", "eu-1", "-instance", "node-7")
	checkAgent(t, &sent, recv, service)
	for _, p := range recv.received() {
		for name, want := range map[string]string{"service": "shop", "version": "1.2", "zone": "eu-1", "instance": "node-7", "project": "acme", "language": "go"} {
			if got := labelOf(p, name); got != want {
				t.Errorf("label %s of a %s profile is %q, want %q", name, p.Kind, got, want)
			}
		}
	}
}

// proxied serves a service behind a proxy and returns the proxy's address.
func proxied(t *testing.T, service *Service, tap func(http.Handler) http.Handler, cfg ProxyConfig) (*Proxy, string) {
	t.Helper()
	var p *Proxy
	ready := make(chan bool)
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-ready
		p.ServeHTTP(w, r)
	}), service.Close)
	mux := http.NewServeMux()
	service.Mount(mux)
	cfg.Addr = addr
	cfg.Log = slog.New(slog.DiscardHandler)
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	var err error
	if p, err = NewProxy(tap(mux), cfg); err != nil {
		t.Fatal(err)
	}
	close(ready)
	t.Cleanup(func() {
		service.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // no waiting
		_ = p.Shutdown(ctx)
	})
	return p, addr
}

// The environment is all that a program needs, whichever way it is told where
// it runs.
func TestAgentByEnvironment(t *testing.T) {
	for name, env := range map[string]func(p *Proxy, dir string) []string{
		"Metadata": func(p *Proxy, _ string) []string { return p.Environment() },
		"CertificateFolder": func(p *Proxy, dir string) []string {
			return []string{p.Environment()[0], "SSL_CERT_DIR=" + dir, p.Environment()[2]}
		},
		"ServiceAccount": func(p *Proxy, dir string) []string {
			return []string{p.Environment()[0], p.Environment()[1], "GOOGLE_CLOUD_PROJECT=acme",
				"GOOGLE_APPLICATION_CREDENTIALS=" + filepath.Join(dir, accountFile)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent upstream
			recv := onDisk(t)
			service := newService(t, recv, nil, quick)
			dir := t.TempDir()
			p, _ := proxied(t, service, sent.tap, ProxyConfig{Dir: dir, Project: "acme", Zone: "eu-1", Instance: "node-7"})
			startAgent(t, append(env(p, dir), "GAE_VERSION=1.2"), "-debug", "-service", "shop")
			checkAgent(t, &sent, recv, service)
			want := map[string]string{"service": "shop", "version": "1.2", "project": "acme", "language": "go", "zone": "eu-1", "instance": "node-7"}
			if name == "ServiceAccount" {
				want["zone"], want["instance"] = "", "" // it doesn't know
			}
			for _, p := range recv.received() {
				for name, want := range want {
					if got := labelOf(p, name); got != want {
						t.Errorf("label %s of a %s profile is %q, want %q", name, p.Kind, got, want)
					}
				}
			}
		})
	}
}

// A server that is started again goes on with the agents there are: what is on
// its way when it ends is answered, by the end of the server without delay.
func TestAgentOutlivesServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	cfg := Config{Schedule: quick.Schedule, RestartDelay: time.Second, Key: bytes.Repeat([]byte{7}, KeySize)}
	for n := range 3 {
		if ln == nil {
			eventually(t, "the port is free", func() bool { ln, err = net.Listen("tcp", addr); return err == nil })
		}
		recv := new(recorder)
		service := newService(t, recv, nil, cfg)
		mux := http.NewServeMux()
		service.Mount(mux)
		srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols)}
		srv.Protocols.SetUnencryptedHTTP2(true)
		srv.RegisterOnShutdown(service.Close)
		done := make(chan error, 1)
		go func() { done <- srv.Serve(ln) }()
		if n == 0 {
			startAgent(t, nil, "-addr", addr, "-plain", "-service", "shop", "-project", "acme", "-debug")
		}
		eventually(t, fmt.Sprintf("profiles after start %d", n), func() bool { return len(recv.received()) > 3 })
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		if err := srv.Shutdown(ctx); err != nil {
			t.Errorf("end %d: %v", n, err)
		}
		cancel()
		<-done
		ln = nil
	}
}

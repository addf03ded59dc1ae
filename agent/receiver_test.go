package agent

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver is a server of hone's wire that keeps what it acknowledges.
type receiver struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	received []received
	requests int
	// refuse, unless it is nil, may answer a request instead.
	refuse func(w http.ResponseWriter, r *http.Request, n int) bool
}

type received struct {
	query url.Values
	body  []byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	if r.refuse != nil && r.refuse(w, req, r.requests) {
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client has gone
	}
	if _, err := Decode(body); err != nil || req.Method != http.MethodPost || req.URL.Path != "/api/v1/profiles" {
		r.t.Errorf("%s %s: %v", req.Method, req.URL, err)
	}
	r.received = append(r.received, received{req.URL.Query(), body})
	w.WriteHeader(http.StatusNoContent)
}

// setRefuse changes refuse while the server runs.
func (r *receiver) setRefuse(f func(w http.ResponseWriter, r *http.Request, n int) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse = f
}

// all returns what has been received of a kind, "" of any.
func (r *receiver) all(k Kind) []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.received), func(p received) bool { return k != "" && p.query.Get("kind") != string(k) })
}

// checkKeys wants no profile twice.
func (r *receiver) checkKeys() {
	r.t.Helper()
	seen := make(map[string]bool)
	for _, p := range r.all("") {
		if key := p.query.Get("key"); key == "" || seen[key] {
			r.t.Errorf("key %q: missing, or received twice", key)
		} else {
			seen[key] = true
		}
	}
}

// total sums a sample type over profiles, of samples that a function is in.
func total(t *testing.T, ps []received, sampleType, function string) (sum int64) {
	t.Helper()
	for _, p := range ps {
		sum += totalOf(t, p.body, sampleType, function)
	}
	return sum
}

func totalOf(t *testing.T, body []byte, sampleType, function string) (sum int64) {
	t.Helper()
	p := mustDecode(t, body)
	column := slices.IndexFunc(p.SampleTypes, func(name string) bool { return strings.HasPrefix(name, sampleType+"/") })
	if column < 0 {
		t.Fatalf("no sample type %s in %v", sampleType, p.SampleTypes)
	}
	for _, s := range p.Samples {
		if function == "" || slices.Contains(s.Functions, function) {
			sum += s.Values[column]
		}
	}
	return sum
}

// testConfig is of an agent that does in half a second what others do in a
// minute.
func testConfig(t *testing.T, server string, kinds ...Kind) Config {
	return Config{
		Server: server, Service: "test", Instance: "i",
		Kinds: kinds, Period: 500 * time.Millisecond, CPUDuration: 100 * time.Millisecond, WallDuration: 100 * time.Millisecond,
		Budget: 1000, SpoolDir: t.TempDir(),
	}
}

var testHooks = hooks{backoff: 5 * time.Millisecond}

func mustStart(t *testing.T, c Config, h hooks) *Agent {
	t.Helper()
	a, err := startWith(c, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopAgent(t, a) })
	<-a.collector.ready
	return a
}

// stopAgent stops with all the time in the world.
func stopAgent(t *testing.T, a *Agent) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := a.Stop(ctx); err != nil {
		t.Errorf("Stop: %v", err)
	}
}

// eventually polls for a minute.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("timed out: " + what)
		}
	}
}

// burn uses CPU time until stopped.
func burn() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
				burned(n)
			}
		}
	}()
	return sync.OnceFunc(func() { close(done); <-ended })
}

//go:noinline
func burned(n int) (b []byte) {
	for i := range 200 {
		b = fmt.Append(b, n, i)
	}
	return b
}

// downServer is an address at which a server can be started later, and ended
// and started again.
type downServer struct {
	t    *testing.T
	addr string
	srv  *http.Server
}

// newDownServer has a port that nobody gets by chance: systems choose from 32768 on for
// who asks for any.
func newDownServer(t *testing.T) *downServer {
	for range 1000 {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))); err == nil {
			l.Close()
			return &downServer{t: t, addr: l.Addr().String()}
		}
	}
	t.Fatal("there is no free port")
	return nil
}

func (d *downServer) up(h http.Handler) {
	d.t.Helper()
	var ln net.Listener
	eventually(d.t, "listen again", func() bool {
		var err error
		ln, err = net.Listen("tcp", d.addr)
		return err == nil
	})
	d.srv = &http.Server{Handler: h}
	go func(s *http.Server) { _ = s.Serve(ln) }(d.srv)
	d.t.Cleanup(d.down)
}

// down ends the server as a crash does: connections break.
func (d *downServer) down() { _ = d.srv.Close() }

func snapshotOf(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	gz, err := new(zipper).compress(raw)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(gz)
}

func mustInt(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Error(err)
	}
	return n
}

// mustDuration returns how long a profile covers.
func mustDuration(t *testing.T, p received) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(p.query.Get("duration"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

package scrape_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/freeport"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/ingest/scrape"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// patience is how long something may take on a busy machine.
const patience = 2 * time.Minute

// start runs a Scraper until the test ends or stop is called.
func start(t *testing.T, r ingest.Receiver, jobs ...scrape.Job) (s *scrape.Scraper, stop func()) {
	t.Helper()
	s = scrape.New(r, nil)
	if err := s.Apply(jobs); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return s, stop
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// parse reads jobs as the server's configuration has them.
func parse(t *testing.T, text string) []scrape.Job {
	t.Helper()
	var file struct{ Scrape []scrape.Job }
	d := toml.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Scrape
}

// only is a part of a job's profiles: heap alone.
const only = `
profiles.cpu.enabled = false
profiles.mutex.enabled = false
profiles.block.enabled = false
profiles.goroutine.enabled = false
profiles.goroutineleak.enabled = false
`

// find returns the status of a target's profile.
func find(s *scrape.Scraper, host, name string) scrape.ProfileStatus {
	for _, j := range s.Status() {
		for _, t := range j.Targets {
			for _, p := range t.Profiles {
				if strings.Contains(t.URL, host) && p.Name == name {
					return p
				}
			}
		}
	}
	return scrape.ProfileStatus{}
}

// tee is a Receiver that remembers what it passes on.
type tee struct {
	ingest.Receiver
	mu     sync.Mutex
	bodies map[string][][]byte // by kind
}

func (r *tee) Receive(ctx context.Context, protocol string, pushes ...ingest.Push) error {
	if err := r.Receiver.Receive(ctx, protocol, pushes...); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range pushes {
		r.bodies[p.Kind] = append(r.bodies[p.Kind], bytes.Clone(p.Data))
	}
	return nil
}

func (r *tee) count(kind string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies[kind])
}

// startTarget builds and starts a program with net/http/pprof.
func startTarget(t *testing.T) (address string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "target")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/target").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(binary)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// What is stored of a real program is what its counters rose, to the last unit
// and stack by stack, and its profiles of a moment as they are.
func TestRealTarget(t *testing.T) {
	address := startTarget(t)
	db, err := disk.Open(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	r := &tee{Receiver: ingest.New(ingest.Config{Store: db}), bodies: map[string][][]byte{}}
	s, stop := start(t, r, parse(t, fmt.Sprintf(`
[[scrape]]
name = "moments"
interval = "300ms"
static = [{targets = [%q], labels = {zone = "z1"}}]
profiles.cpu.enabled = false
profiles.threadcreate.enabled = true

[[scrape]]
name = "recording"
interval = "1100ms"
static = [{targets = [%q], labels = {service = "shop", instance = "one"}}]
profiles.cpu = {seconds = 1}
profiles.mutex.enabled = false
profiles.heap.enabled = false
profiles.block.enabled = false
profiles.goroutine.enabled = false
profiles.goroutineleak.enabled = false
`, address, address))...)
	kinds := []string{"heap", "mutex", "block", "goroutine", "threadcreate", "cpu"}
	expected := slices.Clone(kinds)
	if pprof.Lookup("goroutineleak") != nil { // the program is built by the same Go
		expected = append(expected, "goroutineleak")
		until(t, "leaks", func() bool { return r.count("goroutineleak") == 1 })
	} else {
		until(t, "the target's answer that it has no leaks", func() bool { return find(s, address, "goroutineleak").Absent != "" })
	}
	rounds := func(n int) {
		t.Helper()
		before := map[string]int{}
		for _, k := range kinds {
			before[k] = r.count(k)
		}
		until(t, "profiles of all kinds", func() bool {
			return !slices.ContainsFunc(kinds, func(k string) bool { return r.count(k) < before[k]+n })
		})
	}
	rounds(1)
	for range 3 {
		resp, err := http.Get("http://" + address + "/work")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	rounds(2)
	stop()

	decode := func(data []byte) *profile.Profile {
		p, err := profile.DecodeBytes(data, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for kind, types := range map[string][]string{"heap": {"alloc_objects", "alloc_space"}, "mutex": {"contentions", "delay"}, "block": {"contentions", "delay"}} {
		bodies := r.bodies[kind]
		for _, typ := range types {
			selector, err := store.ParseSelector(kind + `{service="moments"}`)
			if err != nil {
				t.Fatal(err)
			}
			groups, err := db.Merge(t.Context(), store.Query{Selector: selector, SampleType: typ})
			if err != nil || len(groups) != 1 {
				t.Fatalf("%s: %d groups, %v", kind, len(groups), err)
			}
			want, err := profile.Sum(t.Context(), decode(bodies[len(bodies)-1]), profile.Scale(decode(bodies[0]), -1))
			if err != nil {
				t.Fatal(err)
			}
			column, err := want.SampleIndex(typ)
			if err != nil {
				t.Fatal(err)
			}
			want.SampleTypes, want.Values = want.SampleTypes[column:column+1], want.Values[column:column+1]
			got := groups[0].Profile
			want.TimeNanos, want.DurationNanos = got.TimeNanos, got.DurationNanos
			if d := storetest.Diff(got, want); d != "" {
				t.Errorf("%s, %s, after %d profiles: %s", kind, typ, len(bodies), d)
			}
			if groups[0].Value <= 0 {
				t.Errorf("%s, %s: got %d", kind, typ, groups[0].Value)
			}
		}
	}
	all, err := db.Series(t.Context(), store.Query{By: []string{"kind", "service", "instance", "zone"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Labels.String())
		kind := s.Labels.Get("kind")
		if n := r.count(kind); len(s.Points) != n && len(s.Points) != n-1 { // the first of mutex and block says nothing
			t.Errorf("%v has %d points of %d", s.Labels, len(s.Points), n)
		}
		if kind == "cpu" && (s.Points[0].Duration < int64(time.Second/2) || s.Points[0].Duration > int64(10*time.Second)) {
			t.Errorf("a CPU profile lasts %v", time.Duration(s.Points[0].Duration))
		}
	}
	var want []string
	for _, kind := range expected {
		if kind == "cpu" {
			want = append(want, `{instance="one", kind="cpu", service="shop"}`)
		} else {
			want = append(want, fmt.Sprintf(`{instance=%q, kind=%q, service="moments", zone="z1"}`, address, kind))
		}
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("got series\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
}

func host(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }

// Whatever a target answers, its status tells, and the others are scraped still.
func TestFaults(t *testing.T) {
	heap := ingesttest.Profile(t, "heap.leak.pb.gz")
	release := make(chan struct{})
	serve := func(f http.HandlerFunc) string {
		s := httptest.NewServer(f)
		t.Cleanup(s.Close)
		return host(s)
	}
	var targets []string
	faults := map[string]string{}
	fault := func(says string, f http.HandlerFunc) {
		h := serve(f)
		targets = append(targets, h)
		faults[h] = says
	}
	good := serve(func(w http.ResponseWriter, r *http.Request) { w.Write(heap) })
	fault("no complete answer within 1s", func(w http.ResponseWriter, r *http.Request) { <-release })
	fault(" bytes came", func(w http.ResponseWriter, r *http.Request) {
		w.Write(heap[:100])
		w.(http.Flusher).Flush()
		<-release
	})
	fault("broke off after 100 bytes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(heap)))
		w.Write(heap[:100])
	})
	fault("cut off after", func(w http.ResponseWriter, r *http.Request) { w.Write(heap[:len(heap)-20]) })
	fault("larger than 100000 bytes", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, neverending{}) })
	strings2M := bytes.Repeat([]byte("\x32\x7e"+strings.Repeat("x", 126)), 1<<14)
	bomb := ingesttest.Gzip(append([]byte("\x32\x00"), strings2M...))
	fault("more than 1048576 bytes", func(w http.ResponseWriter, r *http.Request) { w.Write(bomb) })
	fault(`404 Not Found: no \x1b[31msuch page`, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no \x1b[31msuch page\nat all", http.StatusNotFound)
	})
	fault("the target answers 500", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, "<html>")
	})
	fault("redirected more than 3 times", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	fault("HTML", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<!doctype html><html>") })
	fault("empty", func(w http.ResponseWriter, r *http.Request) {})
	fault("Content-Encoding", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(heap)
	})
	fault("EOF", func(w http.ResponseWriter, r *http.Request) {
		c, _, _ := http.NewResponseController(w).Hijack()
		c.Close()
	})
	free, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	targets = append(targets, free[0], good)
	faults[free[0]] = "refused"
	t.Cleanup(func() { close(release) })

	r := ingest.New(ingest.Config{Store: storetest.NewModel(), MaxDecoded: 1 << 20})
	jobs := parse(t, "[[scrape]]\nname = 'faults'\ninterval = '100ms'\ntimeout = '1s'\nmax_body = 100_000\n"+only)
	jobs[0].Static = []scrape.Group{{Targets: targets}}
	s, _ := start(t, r, jobs...)
	for h, says := range faults {
		// On a busy machine it may be too slow first.
		until(t, says, func() bool { return strings.Contains(find(s, h, "heap").Error, says) })
		if p := find(s, h, "heap"); p.Failing != p.Failed || p.Failed == 0 || p.Last.IsZero() {
			t.Errorf("%s: got %+v", says, p)
		}
	}
	n := find(s, good, "heap").Scrapes
	until(t, "more profiles of the good one", func() bool { return find(s, good, "heap").Scrapes > n+1 })
	until(t, "a good profile", func() bool { return find(s, good, "heap").Error == "" })
	if p := find(s, good, "heap"); p.Bytes != int64(len(heap)) || p.Took <= 0 {
		t.Errorf("the good one: %+v", p)
	}

	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(s)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "hone_scrape_targets_failing" {
			if v := f.Metric[0].GetGauge().GetValue(); int(v) != len(faults) {
				t.Errorf("%v targets fail, want %d", v, len(faults))
			}
		}
	}
}

// A target without an optional profile is no failing one, and is asked again.
func TestOptional(t *testing.T) {
	var has atomic.Bool
	var asked atomic.Int64
	leaks := ingesttest.Profile(t, "goroutineleak.go127.pb.gz")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/debug/pprof/goroutineleak":
			http.Error(w, "Unknown profile", http.StatusNotFound)
		case has.Load():
			asked.Add(1)
			w.Write(leaks)
		default:
			asked.Add(1)
			http.Error(w, "Unknown profile", http.StatusNotFound)
		}
	}))
	defer srv.Close()
	began := time.Now()
	s, _ := start(t, &ingesttest.Recorder{}, parse(t, fmt.Sprintf(`
[[scrape]]
name = "leaks"
interval = "100ms"
static = [{targets = [%q]}]
profiles.cpu.enabled = false
profiles.mutex.enabled = false
profiles.block.enabled = false
profiles.goroutine.enabled = false
profiles.goroutineleak.every = "1s"
`, host(srv)))...)
	leak := func() scrape.ProfileStatus { return find(s, host(srv), "goroutineleak") }
	until(t, "the first answer", func() bool { return !leak().Last.IsZero() })
	if p := leak(); p.Absent != "the target does not have this profile: the target answers 404 Not Found: Unknown profile" || p.Error != "" || p.Failed != 0 || p.Scrapes != 0 {
		t.Errorf("a target without: %+v", p)
	}
	// What is not optional is a failure.
	until(t, "rounds", func() bool { return find(s, host(srv), "heap").Failed >= 3 })
	if n, took := asked.Load(), time.Since(began); n > 1+int64(took/(950*time.Millisecond)) {
		t.Errorf("asked %d times in %v", n, took)
	}
	has.Store(true)
	until(t, "leaks", func() bool { return leak().Scrapes > 0 })
	if p := leak(); p.Absent != "" || p.Error != "" || p.Bytes != int64(len(leaks)) {
		t.Errorf("a target with: %+v", p)
	}
}

// neverending reads as random enough bytes.
type neverending struct{}

func (neverending) Read(b []byte) (int, error) { return len(b), nil }

// What targets answer takes its memory from what all requests share, as it comes.
func TestAnswerMemory(t *testing.T) {
	heap := ingesttest.Profile(t, "heap.leak.pb.gz")
	var small atomic.Bool
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if small.Load() {
			w.Write(heap)
		} else {
			w.Write(make([]byte, 4<<20))
		}
	}))
	defer srv.Close()
	memory := ingest.NewMemory(int64(4<<20 + len(heap)))
	r := &ingesttest.Recorder{Lim: ingest.Limits{Memory: memory}}
	s, _ := start(t, r, parse(t, fmt.Sprintf("[[scrape]]\nname = 'a'\ninterval = '100ms'\nstatic = [{targets = [%q]}]\nprofiles.cpu.enabled = false\n", host(srv)))...)
	failed := func(with string) func() bool {
		return func() bool {
			targets := s.Status()[0].Targets
			return len(targets) == 1 && targets[0].Profiles[0].Scrapes > 0 && strings.Contains(targets[0].Profiles[0].Error, with)
		}
	}
	until(t, "a refusal", failed("bytes of memory, which is the limit"))
	small.Store(true)
	until(t, "a profile", func() bool { return len(r.Pushes()) > 0 })
	until(t, "memory given back", func() bool { return memory.Used() == 0 })
}

// There is never more than one request to a target, also when it is slow, and
// when jobs are changed meanwhile.
func TestOneRequestAtATime(t *testing.T) {
	var now, most atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(150 * time.Millisecond)
		now.Add(-1)
		w.Write(ingesttest.Profile(t, "heap.leak.pb.gz"))
	}))
	defer srv.Close()
	job := func(zone string) scrape.Job {
		j := parse(t, "[[scrape]]\nname = 'slow'\ninterval = '100ms'\nprofiles.cpu.enabled = false\n")[0]
		j.Static = []scrape.Group{{Targets: []string{host(srv)}, Labels: map[string]string{"zone": zone}}}
		return j
	}
	s, _ := start(t, &ingesttest.Recorder{}, job("a"))
	until(t, "a scrape left out", func() bool { return len(s.Status()[0].Targets) == 1 && s.Status()[0].Targets[0].Missed > 0 })
	for i := range 5 {
		if err := s.Apply([]scrape.Job{job(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
		until(t, "a whole request of the new job", func() bool {
			targets := s.Status()[0].Targets
			return len(targets) == 1 && slices.Contains(targets[0].Labels, store.Label{Name: "zone", Value: fmt.Sprint(i)}) &&
				slices.ContainsFunc(targets[0].Profiles, func(p scrape.ProfileStatus) bool { return p.Scrapes > 0 })
		})
	}
	// A request that the Scraper gave up may be under way at the server still.
	if m := most.Load(); m > 2 {
		t.Errorf("%d requests at once", m)
	}
}

func TestAuthorisation(t *testing.T) {
	heap := ingesttest.Profile(t, "heap.leak.pb.gz")
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case r.Header.Get("Authorization") == "Bearer secret", user == "u" && password == "p":
			w.Write(heap)
		default:
			http.Error(w, "who are you?", http.StatusUnauthorized)
		}
	}))
	defer srv.Close()
	cert := write("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})))
	address := strings.TrimPrefix(srv.URL, "https://")
	for _, test := range []struct{ name, config, says string }{
		{"a bearer", "tls.ca = '" + cert + "'\nauth.bearer = 'secret'", ""},
		{"a bearer in a file", "tls.ca = '" + cert + "'\nauth.bearer_file = '" + write("token", "secret\n") + "'", ""},
		{"a user", "tls.ca = '" + cert + "'\nauth.user = 'u'\nauth.password = 'p'", ""},
		{"a user's file", "tls.insecure = true\nauth.user = 'u'\nauth.password_file = '" + write("password", "p\n") + "'", ""},
		{"another name", "tls.ca = '" + cert + "'\ntls.server_name = 'example.com'\nauth.bearer = 'secret'", ""},
		{"nobody", "tls.ca = '" + cert + "'", "401 Unauthorized: who are you?"},
		{"no authority", "auth.bearer = 'secret'", "certificate"},
		{"a wrong name", "tls.ca = '" + cert + "'\ntls.server_name = 'example.net'", "example.net"},
		{"no file", "tls.ca = '" + cert + "'\nauth.bearer_file = '" + filepath.Join(dir, "none") + "'", "no such file"},
	} {
		jobs := parse(t, "[[scrape]]\nname = 'auth'\ninterval = '100ms'\nscheme = 'https'\nstatic = [{targets = ['"+address+"']}]\n"+test.config+only)
		s, stop := start(t, &ingesttest.Recorder{}, jobs...)
		until(t, test.name, func() bool { return find(s, address, "heap").Scrapes > 0 })
		if p := find(s, address, "heap"); (p.Error == "") != (test.says == "") || !strings.Contains(p.Error, test.says) {
			t.Errorf("%s: got %q", test.name, p.Error)
		}
		stop()
	}
}

// manual returns the block of doc/reference/configuration.md that follows a comment.
func manual(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../../doc/reference/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "<!-- "+name+" -->\n```")
	_, rest, _ = strings.Cut(rest, "\n")
	block, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatalf("doc/reference/configuration.md has no block %q", name)
	}
	return block
}

// TestManual relabels as the manual shows.
func TestManual(t *testing.T) {
	s, _ := start(t, &ingesttest.Recorder{}, parse(t, manual(t, "relabelling"))...)
	until(t, "targets", func() bool { return len(s.Status()[0].Targets) > 0 })
	if st := s.Status()[0]; targetText(st) != manual(t, "relabelled") || st.Dropped != 1 || len(st.Problems) > 0 {
		t.Errorf("targets are\n%sthe manual says\n%sand %d are dropped: %q", targetText(st), manual(t, "relabelled"), st.Dropped, st.Problems)
	}
}

// targetText is a line with URL and labels for each target.
func targetText(st scrape.JobStatus) string {
	var b strings.Builder
	for _, tg := range st.Targets {
		b.WriteString(tg.URL)
		for _, l := range tg.Labels {
			fmt.Fprintf(&b, " %s=%q", l.Name, l.Value)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// A client certificate is shown where one is asked for.
func TestClientCertificate(t *testing.T) {
	other := httptest.NewUnstartedServer(nil)
	other.StartTLS() // for its certificate and key
	defer other.Close()
	own := other.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: own.Certificate[0]}, keyFile: {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 1 {
			w.Write(ingesttest.Profile(t, "heap.leak.pb.gz"))
		}
	}))
	srv.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	srv.StartTLS()
	defer srv.Close()
	address := strings.TrimPrefix(srv.URL, "https://")
	// As the manual has it, with files and a target that there are.
	caFile := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	config := strings.NewReplacer("/etc/hone/ca.pem", caFile, "/etc/hone/client.pem", certFile, "/etc/hone/client.key", keyFile,
		"vault.internal", "example.com", "10.0.0.3:6060", address).Replace(manual(t, "client certificate"))
	s, _ := start(t, &ingesttest.Recorder{}, parse(t, config+"interval = '100ms'\n"+only)...)
	until(t, "a scrape", func() bool { return find(s, address, "heap").Scrapes > 0 })
	if p := find(s, address, "heap"); p.Error != "" {
		t.Error(p.Error)
	}
}

// Targets come and go with the files that list them. A broken file changes nothing.
func TestFiles(t *testing.T) {
	var seen sync.Map
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.URL.Path, true)
		w.Write(ingesttest.Profile(t, "heap.leak.pb.gz"))
	}))
	defer srv.Close()
	dir := t.TempDir()
	stamp := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		t.Helper()
		// A file that is renamed is never read half written.
		next := filepath.Join(dir, "next")
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		stamp = stamp.Add(time.Second) // two writes may be within one tick of the file system's clock
		if err := os.Chtimes(next, stamp, stamp); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	jobs := parse(t, fmt.Sprintf("[[scrape]]\nname = 'files'\ninterval = '100ms'\nfiles = ['%s/*.json', '%s/*.yml', '%s/a.toml']\n", dir, dir, dir)+only)
	s, _ := start(t, &ingesttest.Recorder{}, jobs...)
	// targets looks at the files anew and tells the targets' paths.
	targets := func() (out []string) {
		if err := s.Apply(jobs); err != nil {
			t.Fatal(err)
		}
		for _, tg := range s.Status()[0].Targets {
			out = append(out, strings.TrimPrefix(tg.URL, srv.URL))
		}
		return out
	}
	problems := func() string { return strings.Join(s.Status()[0].Problems, "\n") }
	until(t, "the missing file", func() bool { targets(); return strings.Contains(problems(), "a.toml") })
	for _, step := range []struct{ file, text, want, problem string }{
		{"a.json", `[{"targets": ["URL/j1", "URL/j2"], "labels": {"zone": "a"}}]`, "[/j1/ /j2/]", "a.toml"},
		{"a.toml", "[[group]]\ntargets = ['URL/t']\nlabels.zone = 'b'\n", "[/j1/ /j2/ /t/]", ""},
		{"b.yml", "- targets: ['URL/y']\n", "[/j1/ /j2/ /t/ /y/]", ""},
		{"a.json", `[{"targets": ["URL/j2", "URL/j3"]}]`, "[/j2/ /j3/ /t/ /y/]", ""},
		{"a.json", `[{"targets": ["URL/j4"]`, "[/j2/ /j3/ /t/ /y/]", "a.json: unexpected EOF"},
		{"a.json", `[{"target": ["URL/j4"]}]`, "[/j2/ /j3/ /t/ /y/]", `a.json: json: unknown field "target"`},
		{"b.yml", "- hosts: ['URL/y']\n", "[/j2/ /j3/ /t/ /y/]", "hosts"},
		{"b.yml", "", "[/j2/ /j3/ /t/]", "a.json"},
		{"a.json", `[{"targets": ["URL/j5", "ftp://x", "a:b:c"]}]`, "[/j5/ /t/]", "ftp://x"},
	} {
		write(step.file, strings.ReplaceAll(step.text, "URL", srv.URL))
		until(t, step.file+" "+step.text, func() bool {
			return fmt.Sprint(targets()) == step.want && strings.Contains(problems(), step.problem) && (step.problem != "" || problems() == "")
		})
	}
	until(t, "requests to a target that stayed", func() bool { _, ok := seen.Load("/t/heap"); return ok })
	if err := os.Remove(filepath.Join(dir, "a.json")); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the targets", func() bool { return fmt.Sprint(targets()) == "[/t/]" })
}

// Labels and URLs are what relabelling makes of them.
func TestRelabel(t *testing.T) {
	for _, test := range []struct {
		name, config string
		want         string // URL and labels of the target, "" if it is dropped
	}{
		{"defaults", ``, `http://h:1/debug/pprof/ instance="h:1" service="job" zone="eu-a"`},
		{"prefix and parameters", `prefix = "x/pprof"
params = {a = ["1", "2"]}`, `http://h:1/x/pprof/?a=1&a=2 instance="h:1" service="job" zone="eu-a"`},
		{"replace", `relabel = [{source_labels = ["zone"], regex = "eu-(.)", target_label = "zone", replacement = "Z$1"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job" zone="Za"`},
		{"no match", `relabel = [{source_labels = ["zone"], regex = "eu", target_label = "zone", replacement = "x"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job" zone="eu-a"`},
		{"nothing left", `relabel = [{target_label = "zone", replacement = ""}]`, `http://h:1/debug/pprof/ instance="h:1" service="job"`},
		{"several sources", `relabel = [{source_labels = ["job", "zone"], separator = "@", target_label = "service"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job@eu-a" zone="eu-a"`},
		{"the name of the target", `relabel = [{source_labels = ["zone"], regex = "(..)-(.)", target_label = "r_$1", replacement = "$2"}]`, `http://h:1/debug/pprof/ instance="h:1" r_eu="a" service="job" zone="eu-a"`},
		{"keep", `relabel = [{source_labels = ["zone"], regex = "eu.*", action = "keep"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job" zone="eu-a"`},
		{"keep another", `relabel = [{source_labels = ["zone"], regex = "us.*", action = "keep"}]`, ""},
		{"drop", `relabel = [{source_labels = ["zone", "none"], regex = "eu-a;", action = "drop"}]`, ""},
		{"drop another", `relabel = [{source_labels = ["zone"], regex = "e", action = "drop"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job" zone="eu-a"`},
		{"keepequal", `relabel = [{source_labels = ["zone"], target_label = "job", action = "keepequal"}]`, ""},
		{"dropequal", `relabel = [{source_labels = ["job"], target_label = "job", action = "dropequal"}]`, ""},
		{"uppercase", `relabel = [{source_labels = ["zone"], target_label = "zone", action = "uppercase"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job" zone="EU-A"`},
		// The last eight bytes of md5("eu-a"), modulo 1000.
		{"hashmod", `relabel = [{source_labels = ["zone"], target_label = "shard", modulus = 1000, action = "hashmod"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job" shard="905" zone="eu-a"`},
		{"labelmap", `relabel = [{regex = "__meta_(.*)", action = "labelmap"}]`, `http://h:1/debug/pprof/ instance="h:1" pod="p" service="job" zone="eu-a"`},
		{"labeldrop", `relabel = [{regex = "zo.*", action = "labeldrop"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job"`},
		{"labelkeep", `relabel = [{regex = "__.*", action = "labelkeep"}]`, `http://h:1/debug/pprof/ instance="h:1" service="job"`},
		{"where it is", `relabel = [{target_label = "__scheme__", replacement = "https"}, {target_label = "__profile_prefix__", replacement = "/p"},
{source_labels = ["__address__"], target_label = "__address__", replacement = "in.$1"}, {target_label = "__param_token", replacement = "a b"}]`,
			`https://in.h:1/p/?token=a+b instance="in.h:1" service="job" zone="eu-a"`},
		{"in order", `relabel = [{target_label = "a", replacement = "1"}, {source_labels = ["a"], target_label = "b"}]`, `http://h:1/debug/pprof/ a="1" b="1" instance="h:1" service="job" zone="eu-a"`},
	} {
		jobs := parse(t, "[[scrape]]\nname = 'job'\nstatic = [{targets = ['h:1'], labels = {zone = 'eu-a', __meta_pod = 'p'}}]\n"+test.config)
		s, stop := start(t, &ingesttest.Recorder{}, jobs...)
		until(t, test.name, func() bool { st := s.Status()[0]; return len(st.Targets)+st.Dropped+len(st.Problems) > 0 })
		got := strings.TrimSuffix(targetText(s.Status()[0]), "\n")
		stop()
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// Problems of a configuration are told all at once, each with its place.
func TestCheck(t *testing.T) {
	for _, test := range []struct{ config, says string }{
		{"name = 'a'", ""},
		{"", "scrape job 1 has no name"},
		{"name = 'a'\n[[scrape]]\nname = 'a'", `there are two scrape jobs "a"`},
		{"name = 'a'\ninterval = '1ms'", `scrape job "a": the interval 1ms is shorter than 100ms`},
		{"name = 'a'\ninterval = '10s'", "recording 10s per target doesn't fit into the interval 10s"},
		{"name = 'a'\nscheme = 'ftp'", `invalid scheme "ftp"`},
		{"name = 'a'\ntimeout = '-1s'", "negative"},
		{"name = 'a'\nmax_body = -1", "negative"},
		{"name = 'a'\nprofiles.heap.enabled = false" + strings.ReplaceAll(only, "heap", ""), "no profile is enabled"},
		{"name = 'a'\nprofiles.x.path = 'http://other/x'", `profile x: invalid path "http://other/x"`},
		{"name = 'a'\nprofiles.x.path = 'x?y'", "invalid path"},
		{"name = 'a'\nstatic = [{targets = ['h:1/path']}]", `target "h:1/path"`},
		{"name = 'a'\nstatic = [{targets = ['http://u:p@h/']}]", "with only a host and a path"},
		{"name = 'a'\nstatic = [{targets = ['']}]", "has no host"},
		{"name = 'a'\nstatic = [{targets = ['h:1'], labels = {\"a\\u0007\" = 'c'}}]", `invalid label name "a\a"`},
		{"name = 'a'\nfiles = ['targets.txt']", "unknown format of a file with targets: use .json, .yaml or .toml"},
		{"name = 'a'\nfiles = ['[.json']", "syntax error in pattern"},
		{"name = 'a'\nrelabel = [{}, {action = 'eat'}]", "relabel rule 1: replace needs a target_label"},
		{"name = 'a'\nrelabel = [{action = 'eat'}]", `unknown action "eat"`},
		{"name = 'a'\nrelabel = [{action = 'keep', regex = 'a)(b'}]", "unexpected )"},
		{"name = 'a'\nrelabel = [{action = 'hashmod', target_label = 'x'}]", "a modulus"},
		{"name = 'a'\nrelabel = [{action = 'labeldrop', source_labels = ['x']}]", "only a regex"},
		{"name = 'a'\nauth = {bearer = 'a', bearer_file = 'b'}", "either a secret or a file"},
		{"name = 'a'\nauth = {bearer = 'a', user = 'b'}", "either a bearer token or a user"},
		{"name = 'a'\nauth = {password = 'b'}", "needs a user"},
		{"name = 'a'\ntls = {ca = '/no/such/file'}", "tls: open /no/such/file"},
		{"name = 'a'\ntls = {ca = 'scrape_test.go'}", "has no certificate"},
		{"name = 'a'\ntls = {cert = 'x'}", "both cert and key"},
	} {
		err := scrape.Check(parse(t, "[[scrape]]\n"+test.config))
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %s", test.config, err, test.says)
		}
	}
	err := scrape.Check(parse(t, "[[scrape]]\nscheme = 'x'\n[[scrape]]\nname = 'b'\ninterval = '1ms'"))
	if err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("got %v", err)
	}
}

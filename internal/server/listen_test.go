package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
)

// A listening server is one that answers connections.
type listening struct {
	*live
	addr string
	stop context.CancelFunc
	done chan error
}

// listen starts a server of a store, with wait called by each push.
func listen(t *testing.T, of Listening, wait func(context.Context)) *listening {
	t.Helper()
	l := &listening{done: make(chan error, 1)}
	l.live = newLive(t, func(c *Config) {
		inner := c.Continuous.Receiver
		c.Continuous.Receiver = func(st store.Store) ingest.Receiver { return slowReceiver{inner(st), wait} }
		c.Log = func(string) {} // handshakes that fail, which tests make
	})
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.addr = socket.Addr().String()
	l.cfg.Hosts = append(l.cfg.Hosts, l.addr)
	ctx, stop := context.WithCancel(t.Context())
	l.stop = stop
	go func() { l.done <- l.ServeContinuous(ctx, socket, of) }()
	t.Cleanup(stop)
	return l
}

type slowReceiver struct {
	ingest.Receiver
	wait func(context.Context)
}

func (r slowReceiver) Receive(ctx context.Context, protocol string, pushes ...ingest.Push) error {
	if r.wait != nil {
		r.wait(ctx)
	}
	return r.Receiver.Receive(ctx, protocol, pushes...)
}

// client returns a client for one version of HTTP.
func client(t *testing.T, h2 bool, config *tls.Config) *http.Client {
	tr := &http.Transport{TLSClientConfig: config, Protocols: new(http.Protocols)}
	tr.Protocols.SetHTTP1(!h2)
	tr.Protocols.SetHTTP2(h2 && config != nil)
	tr.Protocols.SetUnencryptedHTTP2(h2 && config == nil)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: time.Minute}
}

// TestOnePort asks one port in HTTP/1.1 and HTTP/2, with TLS and without.
func TestOnePort(t *testing.T) {
	borrowed := httptest.NewUnstartedServer(nil) // for its certificate
	borrowed.StartTLS()
	defer borrowed.Close()
	roots := x509.NewCertPool()
	roots.AddCert(borrowed.Certificate())
	for _, secure := range []bool{false, true} {
		var of Listening
		var trust *tls.Config
		scheme := "http"
		if secure {
			of.TLS = &tls.Config{Certificates: borrowed.TLS.Certificates}
			trust, scheme = &tls.Config{RootCAs: roots}, "https"
		}
		l := listen(t, of, nil)
		for _, h2 := range []bool{false, true} {
			r, err := client(t, h2, trust).Get(scheme + "://" + l.addr + "/healthz")
			if err != nil {
				t.Errorf("TLS %t, HTTP/2 %t: %v", secure, h2, err)
				continue
			}
			r.Body.Close()
			if r.StatusCode != 200 || (r.ProtoMajor == 2) != h2 {
				t.Errorf("TLS %t, HTTP/2 %t: %s in %s", secure, h2, r.Status, r.Proto)
			}
		}
		l.stop()
		if err := <-l.done; err != nil {
			t.Error(err)
		}
	}
}

// TestShutdownUnderLoad ends a server while profiles are sent to it: whatever was
// acknowledged is in the store, and nothing hangs.
func TestShutdownUnderLoad(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP2=%t", h2), func(t *testing.T) {
			l := listen(t, Listening{Drain: time.Minute}, nil)
			raw := profileBody(t)
			c := client(t, h2, nil)
			var acknowledged, sent atomic.Int64
			var senders sync.WaitGroup
			for worker := range 4 {
				senders.Go(func() {
					for i := 0; ; i++ {
						n := sent.Add(1)
						target := fmt.Sprintf("http://%s/api/v1/profiles?service=load&instance=%d&time=%d", l.addr, worker, start.UnixNano()+n)
						r, err := c.Post(target, "", strings.NewReader(raw))
						if err != nil {
							return // no new connections
						}
						io.Copy(io.Discard, r.Body)
						r.Body.Close()
						if r.StatusCode == 204 {
							acknowledged.Add(1)
						}
					}
				})
			}
			for acknowledged.Load() < 20 {
				time.Sleep(time.Millisecond)
			}
			l.stop()
			if err := <-l.done; err != nil {
				t.Error(err)
			}
			senders.Wait()
			l.Server.Close()
			series, err := l.store.Series(t.Context(), store.Query{Step: wholeStep})
			if err != nil || len(series) != 1 {
				t.Fatal(series, err)
			}
			// What came in but could not be acknowledged any more may be there too.
			kept := series[0].Points[0].Profiles
			if kept < acknowledged.Load() || kept > sent.Load() {
				t.Errorf("%d profiles kept of %d acknowledged, %d sent", kept, acknowledged.Load(), sent.Load())
			}
			if l.readyErr() == nil {
				t.Error("a server that has ended is ready")
			}
		})
	}
}

// TestShutdownIsBounded checks that requests that don't end are cut off when
// their time is up, and their contexts are done.
func TestShutdownIsBounded(t *testing.T) {
	arrived, left := make(chan bool), make(chan bool)
	l := listen(t, Listening{Drain: 50 * time.Millisecond}, func(ctx context.Context) {
		arrived <- true
		<-ctx.Done()
		close(left)
	})
	go client(t, false, nil).Post("http://"+l.addr+"/api/v1/profiles?service=x", "", strings.NewReader(profileBody(t)))
	<-arrived
	ended := false
	l.stop()
	err := <-l.done
	if err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("the end of a server with a request that hangs: %v", err)
	}
	select {
	case <-left:
		ended = true
	case <-time.After(30 * time.Second):
	}
	if !ended {
		t.Error("the request goes on")
	}
}

// TestEndingIsTold checks that whoever waits for something is sent home when the
// server begins to end.
func TestEndingIsTold(t *testing.T) {
	told := make(chan bool)
	arrived := make(chan bool)
	l := listen(t, Listening{Drain: time.Minute, Ending: func() { close(told) }}, func(context.Context) {
		arrived <- true
		<-told
	})
	status := make(chan int, 1)
	go func() {
		r, err := client(t, true, nil).Post("http://"+l.addr+"/api/v1/profiles?service=x", "", strings.NewReader(profileBody(t)))
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		status <- r.StatusCode
	}()
	<-arrived
	l.stop()
	if got := <-status; got != 204 {
		t.Errorf("the request that waited got %d", got)
	}
	if err := <-l.done; err != nil {
		t.Error(err)
	}
}

// TestSlowConnections checks that connections that send nothing, or hardly
// anything, are closed, and that others are answered meanwhile.
func TestSlowConnections(t *testing.T) {
	l := listen(t, Listening{Body: 300 * time.Millisecond, Connections: 64}, nil)
	head := "POST /api/v1/profiles?service=x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
	var slow []net.Conn
	for range 20 {
		c, err := net.Dial("tcp", l.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, head+"a few bytes")
		slow = append(slow, c)
	}
	dropped, err := net.Dial("tcp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(dropped, head+"and away")
	dropped.Close()
	if got, err := client(t, false, nil).Get("http://" + l.addr + "/healthz"); err != nil || got.StatusCode != 200 {
		t.Errorf("another client meanwhile: %v, %v", got, err)
	}
	for _, c := range slow {
		c.SetReadDeadline(time.Now().Add(time.Minute))
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				t.Fatal("a connection that sends nothing is kept")
			}
			continue // closed
		}
		if r.StatusCode < 400 {
			t.Errorf("half a request is answered with %s", r.Status)
		}
	}
	series, err := l.store.Series(t.Context(), store.Query{})
	if err != nil || len(series) != 0 {
		t.Errorf("half a profile is kept: %v, %v", series, err)
	}
}

// TestConnectionLimit checks that no more connections are accepted than may be,
// and that those which wait come in when others leave.
func TestConnectionLimit(t *testing.T) {
	l := listen(t, Listening{Connections: 2}, nil)
	ask := func(c net.Conn) error {
		c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return err
		}
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil && r.StatusCode != 200 {
			err = errors.New(r.Status)
		}
		return err
	}
	var conns []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", l.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	for _, c := range conns[:2] {
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
	}
	third := make(chan error, 1)
	go func() { third <- ask(conns[2]) }()
	for l.connections.Load().hits.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if n := len(l.connections.Load().slots); n != 2 {
		t.Errorf("%d connections are open, the limit is 2", n)
	}
	conns[0].Close()
	if err := <-third; err != nil {
		t.Errorf("the third, after one has left: %v", err)
	}
	st := decode[Status](t, l.get("/api/v1/status"))
	for _, limit := range st.Limits {
		if limit.Name == "connections" && limit.Hits > 0 {
			return
		}
	}
	t.Errorf("the status doesn't tell of it: %+v", st.Limits)
}

// TestSendingLimit checks that bodies of pushes that would take too much memory
// together wait, and are told to come again if that takes too long.
func TestSendingLimit(t *testing.T) {
	l := newLive(t, func(c *Config) { c.Limits.Sending = 100_000 })
	release := make(chan bool)
	held := &blockingBody{release: release, data: strings.NewReader(profileBody(t)), reading: make(chan bool)}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/profiles?service=x", held)
	r.ContentLength = 100_000
	first := httptest.NewRecorder()
	done := make(chan bool)
	go func() {
		defer close(done)
		l.ServeHTTP(first, r)
	}()
	<-held.reading
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	second := l.do("POST", "/api/v1/profiles?service=x", profileBody(t), func(r *http.Request) { *r = *r.WithContext(ctx) })
	if second.StatusCode != 503 || second.Header.Get("Retry-After") == "" {
		t.Errorf("a push while there is no room: %s", second.Status)
	}
	close(release)
	<-done
	if third := l.do("POST", "/api/v1/profiles?service=x", profileBody(t)); third.StatusCode != 204 {
		t.Errorf("a push when there is room again: %s", third.Status)
	}
	if text := l.get("/api/v1/status"); !strings.Contains(text, "bytes of pushes at a time") {
		t.Errorf("the status doesn't tell of it: %s", text)
	}
}

// blockingBody is a body that comes when it may.
type blockingBody struct {
	release, reading chan bool
	once             sync.Once
	data             io.Reader
}

func (b *blockingBody) Read(p []byte) (int, error) {
	b.once.Do(func() { close(b.reading) })
	<-b.release
	return b.data.Read(p)
}

// TestQueryLimit checks that computations beyond those that may wait are refused
// at once, and told about.
func TestQueryLimit(t *testing.T) {
	l := newLive(t, func(c *Config) { c.Limits.Parallel, c.Limits.Queue = 1, 1 })
	l.fill()
	_, free, err := l.cache.slot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan int)
	go func() { waiting <- l.do("GET", "/api/v1/labels", "").StatusCode }()
	for l.cache.waiting.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	for _, target := range []string{"/api/v1/labels", "/api/v1/report/top?profile=" + sel(between("cpu", 0, 10))} {
		r := l.do("GET", target, "")
		if r.StatusCode != 503 || r.Header.Get("Retry-After") == "" || !strings.Contains(body(t, r), "too much") {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
	free()
	if got := <-waiting; got != 200 {
		t.Errorf("the one that waited got %d", got)
	}
	if st := decode[Status](t, l.get("/api/v1/status")); st.Queries.Refused != 2 {
		t.Errorf("the status tells of %+v", st.Queries)
	}
}

// TestManySeries sends 10,000 new series to a server that allows 100 of a
// service: it lives, tells of it, and what it acknowledged is there.
func TestManySeries(t *testing.T) {
	l := newLive(t, nil)
	raw := profileBody(t)
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	kept := int64(0)
	for i := range n {
		r := l.do("POST", fmt.Sprintf("/api/v1/profiles?service=api&instance=i%d&time=%d", i, start.UnixNano()+int64(i)), raw)
		switch r.StatusCode {
		case 204:
			kept++
		case 429:
			if r.Header.Get("Retry-After") == "" {
				t.Fatalf("a push is refused without saying when to come again: %s", body(t, r))
			}
		default:
			t.Fatalf("push %d: %s: %s", i, r.Status, body(t, r))
		}
	}
	values := decode[struct{ Labels []Label }](t, l.get("/api/v1/labels?name=instance&limit=0")).Labels[0].Values
	if len(values) > 101 { // with "other"
		t.Errorf("%d instances are told apart, the limit is 100", len(values))
	}
	info := decode[struct{ Profile Info }](t, l.get("/api/v1/profiles/"+url.PathEscape("sel:q="+url.QueryEscape(`{service="api"}`)))).Profile
	if n := info.Selection.Profiles; n != kept {
		t.Errorf("%d profiles are there, %d were acknowledged", n, kept)
	}
	degraded := l.hub.Stats().Degraded[ingest.OtherInstance]
	if refused := int64(n) - kept; degraded+refused < int64(n)-100 {
		t.Errorf("%d profiles are told to be changed and %d refused, of %d too many", degraded, refused, n-100)
	}
}

// TestClockJumps checks that profiles of clocks that are wrong are kept, and that
// the server's own clock may jump.
func TestClockJumps(t *testing.T) {
	var offset atomic.Int64
	var hub *ingest.Hub
	l := newLive(t, func(c *Config) {
		c.Continuous.Receiver = func(st store.Store) ingest.Receiver {
			hub = ingest.New(ingest.Config{Store: st, Allow: MayWrite, Now: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }})
			return hub
		}
	})
	raw := profileBody(t)
	push := func(instance string, at time.Time) {
		t.Helper()
		r := l.do("POST", fmt.Sprintf("/api/v1/profiles?service=api&instance=%s&time=%d", instance, at.UnixNano()), raw)
		if r.StatusCode != 204 {
			t.Errorf("%s: %s: %s", instance, r.Status, body(t, r))
		}
	}
	now := time.Now()
	push("right", now)
	push("ahead", now.AddDate(20, 0, 0))
	push("behind", now.AddDate(-20, 0, 0))
	offset.Store(int64(-24 * time.Hour))
	push("server-went-back", now)
	offset.Store(int64(24 * time.Hour))
	push("server-went-ahead", now)
	records := decode[Records](t, l.get("/api/v1/records"))
	if len(records.ID) != 5 {
		t.Fatalf("%d profiles of 5 are kept", len(records.ID))
	}
	for i, at := range records.Time {
		if time.UnixMilli(at).After(now.Add(25 * time.Hour)) {
			t.Errorf("a profile of %v is kept as of %s, in the future", records.Labels[records.Series[i]].Labels, time.UnixMilli(at))
		}
	}
	if n := hub.Stats().Degraded[ingest.Clock]; n < 1 {
		t.Error("nobody is told of the clock")
	}
	l.get("/api/v1/series")
	l.get("/api/v1/history")
}

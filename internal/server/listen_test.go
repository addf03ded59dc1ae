package server_test

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/servertest"

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

	"github.com/hone-go/hone/internal/api"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
)

// A listening server is one that answers connections.
type listening struct {
	*servertest.Live
	addr string
	stop context.CancelFunc
	done chan error
}

// listen starts a server of a store, with wait called by each push.
func listen(t *testing.T, of server.Listening, wait func(context.Context)) *listening {
	t.Helper()
	return listenAs(t, servertest.NewLive(t, waiting(wait)), of)
}

// waiting has a function called by each push.
func waiting(wait func(context.Context)) func(*servertest.Config) {
	return func(c *servertest.Config) {
		inner := c.Continuous.Receiver
		c.Continuous.Receiver = func(st store.Store) ingest.Receiver { return slowReceiver{inner(st), wait} }
		c.Log = func(string) {} // handshakes that fail, which tests make
	}
}

// listenAs starts to listen.
func listenAs(t *testing.T, of *servertest.Live, how server.Listening) *listening {
	t.Helper()
	l := &listening{Live: of, done: make(chan error, 1)}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.addr = socket.Addr().String()
	l.AddHosts(l.addr)
	ctx, stop := context.WithCancel(t.Context())
	l.stop = stop
	ended := make(chan bool)
	go func() {
		defer close(ended)
		l.done <- l.ServeContinuous(ctx, socket, how)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
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
		var of server.Listening
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
			l := listen(t, server.Listening{Drain: time.Minute}, nil)
			raw := servertest.ProfileBody(t)
			c := client(t, h2, nil)
			var acknowledged, sent atomic.Int64
			var senders sync.WaitGroup
			for worker := range 4 {
				senders.Go(func() {
					for i := 0; ; i++ {
						n := sent.Add(1)
						target := fmt.Sprintf("http://%s/api/v1/profiles?service=load&instance=%d&time=%d", l.addr, worker, servertest.Start.UnixNano()+n)
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
			l.Markers.Close()
			series, err := l.Store.Series(t.Context(), store.Query{Step: 1 << 62})
			if err != nil || len(series) != 1 {
				t.Fatal(series, err)
			}
			// What came in but could not be acknowledged any more may be there too.
			kept := series[0].Points[0].Profiles
			if kept < acknowledged.Load() || kept > sent.Load() {
				t.Errorf("%d profiles kept of %d acknowledged, %d sent", kept, acknowledged.Load(), sent.Load())
			}
			if l.Ready() == nil {
				t.Error("a server that has ended is ready")
			}
		})
	}
}

// TestShutdownIsBounded checks that requests that don't end are cut off when
// their time is up, and their contexts are done.
func TestShutdownIsBounded(t *testing.T) {
	arrived, left := make(chan bool), make(chan bool)
	l := listen(t, server.Listening{Drain: 50 * time.Millisecond}, func(ctx context.Context) {
		arrived <- true
		<-ctx.Done()
		close(left)
	})
	go client(t, false, nil).Post("http://"+l.addr+"/api/v1/profiles?service=x", "", strings.NewReader(servertest.ProfileBody(t)))
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
	case <-time.After(time.Minute):
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
	l := listen(t, server.Listening{Drain: time.Minute, Ending: func() { close(told) }}, func(context.Context) {
		arrived <- true
		<-told
	})
	status := make(chan int, 1)
	go func() {
		// HTTP/1.1: to net/http an HTTP/2 connection is idle, and closed, before its last
		// answer has left it.
		r, err := client(t, false, nil).Post("http://"+l.addr+"/api/v1/profiles?service=x", "", strings.NewReader(servertest.ProfileBody(t)))
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
	l := listen(t, server.Listening{Body: 300 * time.Millisecond, Connections: server.Connections{Most: 64}}, nil)
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
	series, err := l.Store.Series(t.Context(), store.Query{})
	if err != nil || len(series) != 0 {
		t.Errorf("half a profile is kept: %v, %v", series, err)
	}
}

// TestQueryLimit checks that computations beyond those that may wait are refused
// at once, and told about.
func TestQueryLimit(t *testing.T) {
	l := servertest.NewLive(t, func(c *servertest.Config) { c.Limits.Parallel, c.Limits.Queue = 1, 1 })
	l.Fill()
	_, free, err := l.Cache.Slot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan int)
	go func() { waiting <- l.Do("GET", "/api/v1/labels", "").StatusCode }()
	for l.Queries().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	for _, target := range []string{"/api/v1/labels", "/api/v1/report/top?profile=" + servertest.Sel(servertest.Between("cpu", 0, 10))} {
		r := l.Do("GET", target, "")
		if r.StatusCode != 503 || r.Header.Get("Retry-After") == "" || !strings.Contains(servertest.Body(t, r), "busy") {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
	free()
	if got := <-waiting; got != 200 {
		t.Errorf("the one that waited got %d", got)
	}
	if st := servertest.Decode[api.Status](t, l.Get("/api/v1/status")); st.Queries.Refused != 2 {
		t.Errorf("the status tells of %+v", st.Queries)
	}
}

// TestManySeries sends 10,000 new series to a server that allows 100 of a
// service: it lives, tells of it, and what it acknowledged is there.
func TestManySeries(t *testing.T) {
	l := servertest.NewLive(t, nil)
	raw := servertest.ProfileBody(t)
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	kept := int64(0)
	for i := range n {
		r := l.Do("POST", fmt.Sprintf("/api/v1/profiles?service=api&instance=i%d&time=%d", i, servertest.Start.UnixNano()+int64(i)), raw)
		switch r.StatusCode {
		case 204:
			kept++
		case 429:
			if r.Header.Get("Retry-After") == "" {
				t.Fatalf("a push is refused without saying when to come again: %s", servertest.Body(t, r))
			}
		default:
			t.Fatalf("push %d: %s: %s", i, r.Status, servertest.Body(t, r))
		}
	}
	values := servertest.Decode[struct{ Labels []api.Label }](t, l.Get("/api/v1/labels?name=instance&limit=0")).Labels[0].Values
	if len(values) > 101 { // with "other"
		t.Errorf("%d instances are told apart, the limit is 100", len(values))
	}
	info := servertest.Decode[struct{ Profile api.Info }](t, l.Get("/api/v1/profiles/"+url.PathEscape("sel:q="+url.QueryEscape(`{service="api"}`)))).Profile
	if n := info.Selection.Profiles; n != kept {
		t.Errorf("%d profiles are there, %d were acknowledged", n, kept)
	}
	degraded := l.Hub.Stats().Degraded[ingest.OtherInstance]
	if refused := int64(n) - kept; degraded+refused < int64(n)-100 {
		t.Errorf("%d profiles are told to be changed and %d refused, of %d too many", degraded, refused, n-100)
	}
}

// TestClockJumps checks that profiles of clocks that are wrong are kept, and that
// the server's own clock may jump.
func TestClockJumps(t *testing.T) {
	var offset atomic.Int64
	var hub *ingest.Hub
	l := servertest.NewLive(t, func(c *servertest.Config) {
		c.Continuous.Receiver = func(st store.Store) ingest.Receiver {
			hub = ingest.New(ingest.Config{Store: st, Allow: server.MayWrite, Now: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }})
			return hub
		}
	})
	raw := servertest.ProfileBody(t)
	push := func(instance string, at time.Time) {
		t.Helper()
		r := l.Do("POST", fmt.Sprintf("/api/v1/profiles?service=api&instance=%s&time=%d", instance, at.UnixNano()), raw)
		if r.StatusCode != 204 {
			t.Errorf("%s: %s: %s", instance, r.Status, servertest.Body(t, r))
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
	records := servertest.Decode[api.Records](t, l.Get("/api/v1/records"))
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
	l.Get("/api/v1/series")
	l.Get("/api/v1/history")
}

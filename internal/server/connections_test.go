package server_test

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/servertest"

	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
)

// A wireConn is one connection to a server.
type wireConn struct {
	net.Conn
	in *bufio.Reader
}

// dial connects, from another address of loopback if one is given.
func (l *listening) dial(t testing.TB, from string) *wireConn {
	t.Helper()
	d := net.Dialer{Timeout: time.Minute}
	if from != "" {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	c, err := d.DialContext(t.Context(), "tcp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &wireConn{c, bufio.NewReader(c)}
}

// ask sends a request, and returns the status of its answer.
func (c *wireConn) ask(path string, headers ...string) (int, error) {
	c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", path, strings.Join(append(headers, ""), "\r\n")); err != nil {
		return 0, err
	}
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, err
}

// want fails the test unless a request on a connection gets a status.
func (c *wireConn) want(t *testing.T, what string, status int, path string, headers ...string) {
	t.Helper()
	if got, err := c.ask(path, headers...); got != status || err != nil {
		t.Errorf("%s: %d %v, want %d", what, got, err, status)
	}
}

// TestStrangersDoNotStarve opens thousands of connections that are kept open, of
// one address and of several: the health of the server is told, whoever logs in is
// answered at once, and whoever has logged in stays.
func TestStrangersDoNotStarve(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs all of 127.0.0.0/8 on the loopback interface")
	}
	addresses, each, most := 6, 700, 4096
	if testing.Short() {
		addresses, each, most = 6, 70, 400
	}
	g := servertest.NewGuarded(t)
	l := listenAs(t, g.Live, server.Listening{Connections: server.Connections{Most: most, PerAddress: most / 4}})
	token := "Authorization: Bearer " + g.Tokens["reader"]
	before := l.dial(t, "")
	before.want(t, "a user before", 200, "/api/v1/labels", token)

	flood := func(kind string, n int, of func(i int) (from, first string)) {
		t.Run(kind, func(t *testing.T) {
			var wg sync.WaitGroup
			gate := make(chan bool, 64)
			for i := range n {
				gate <- true
				wg.Go(func() {
					defer func() { <-gate }()
					from, first := of(i)
					c := l.dial(t, from)
					io.WriteString(c, first)
					if strings.HasSuffix(first, "\r\n\r\n") {
						c.SetReadDeadline(time.Now().Add(time.Minute))
						c.in.ReadByte() // the answer, or that it was closed
					}
				})
			}
			wg.Wait()
			used := open(l)
			t.Logf("%d connections of %d are open", used, n)
			if used > most+server.Reserve {
				t.Errorf("%d connections are open, the limit is %d", used, most)
			}
			for i := range 3 {
				// One of the flooding addresses, and one that is new.
				from := fmt.Sprintf("127.0.%d.1", 1+i)
				l.dial(t, from).want(t, "health, from "+from, 200, "/healthz")
				l.dial(t, from).want(t, "a user, from "+from, 200, "/api/v1/labels", token)
			}
			before.want(t, "a user from before", 200, "/api/v1/labels", token)
		})
	}
	ask := "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	n := addresses * each
	flood("one address", n, func(int) (string, string) { return "127.0.1.1", ask })
	if used := open(l); used > most/4+10 {
		t.Errorf("one address has %d connections, it may have %d", used, most/4)
	}
	flood("several", n, func(i int) (string, string) { return fmt.Sprintf("127.0.%d.1", 1+i%addresses), ask })
	flood("half a request", n, func(i int) (string, string) { return fmt.Sprintf("127.0.%d.1", 1+i%addresses), ask[:20] })
	flood("a body that doesn't come", n, func(i int) (string, string) {
		return fmt.Sprintf("127.0.%d.1", 1+i%addresses), "POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntok"
	})
}

// TestConnectionReserve checks that where all connections are in use the health
// of the server is told and people are let in, and that others wait.
func TestConnectionReserve(t *testing.T) {
	arrived, release := make(chan bool, 10), make(chan bool)
	g := servertest.NewGuarded(t, waiting(func(context.Context) { arrived <- true; <-release }))
	l := listenAs(t, g.Live, server.Listening{Connections: server.Connections{Most: 3, Reserve: 1}})
	reader, writer := "Authorization: Bearer "+g.Tokens["reader"], "Authorization: Bearer "+g.Tokens["writer"]
	raw := servertest.ProfileBody(t)
	var busy []*wireConn
	for range 3 {
		c := l.dial(t, "")
		fmt.Fprintf(c, "POST /api/v1/profiles?service=x HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Length: %d\r\n\r\n%s", writer, len(raw), raw)
		<-arrived
		busy = append(busy, c)
	}
	l.dial(t, "").want(t, "health", 200, "/healthz")
	c := l.dial(t, "")
	c.want(t, "a user", 200, "/api/v1/labels", reader)
	if _, err := c.ask("/api/v1/labels", reader); err == nil {
		t.Error("a connection of the reserve is kept")
	}
	l.dial(t, "").want(t, "a stranger", 503, "/api/v1/labels")
	c = l.dial(t, "")
	fmt.Fprintf(c, "POST /api/v1/profiles?service=x HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Length: 0\r\n\r\n", writer)
	if r, err := http.ReadResponse(c.in, nil); err != nil || r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("a push: %v %v", r, err)
	}
	// The one place of the reserve is taken by who says nothing: the next takes it.
	l.dial(t, "")
	l.dial(t, "").want(t, "health beside a connection without a request", 200, "/healthz")
	close(release)
	for _, c := range busy {
		if r, err := http.ReadResponse(c.in, nil); err != nil || r.StatusCode != 204 {
			t.Errorf("a push that was under way: %v %v", r, err)
		}
	}
	if st := servertest.Decode[api.Status](t, servertest.Body(t, g.Do("GET", "/api/v1/status", "", g.As("admin")))); !strings.Contains(fmt.Sprint(st.Limits), "{connections 3") {
		t.Errorf("the status doesn't tell of it: %+v", st.Limits)
	}
}

// TestConnectionLimit checks that no more connections are accepted than may be,
// and that those which wait come in when others are done.
func TestConnectionLimit(t *testing.T) {
	arrived, release := make(chan bool, 10), make(chan bool)
	l := listen(t, server.Listening{Connections: server.Connections{Most: 2, Reserve: -1}}, func(context.Context) { arrived <- true; <-release })
	raw := servertest.ProfileBody(t)
	for range 2 {
		fmt.Fprintf(l.dial(t, ""), "POST /api/v1/profiles?service=x HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(raw), raw)
		<-arrived
	}
	third := make(chan error, 1)
	c := l.dial(t, "")
	go func() {
		status, err := c.ask("/healthz")
		if err == nil && status != 200 {
			err = fmt.Errorf("status %d", status)
		}
		third <- err
	}()
	for waited(l) == 0 {
		time.Sleep(time.Millisecond)
	}
	if n := open(l); n != 2 {
		t.Errorf("%d connections are open, the limit is 2", n)
	}
	release <- true
	if err := <-third; err != nil {
		t.Errorf("the third, after one is done: %v", err)
	}
	close(release)
	st := servertest.Decode[api.Status](t, l.Get("/api/v1/status"))
	for _, limit := range st.Limits {
		if limit.Name == "connections" && limit.Hits > 0 {
			return
		}
	}
	t.Errorf("the status doesn't tell of it: %+v", st.Limits)
}

// TestConnectionsOfHTTP2 checks that requests of HTTP/2 are noted for their
// connection, with TLS and without.
func TestConnectionsOfHTTP2(t *testing.T) {
	borrowed := httptest.NewUnstartedServer(nil)
	borrowed.StartTLS()
	defer borrowed.Close()
	for _, secure := range []bool{false, true} {
		arrived, release := make(chan bool), make(chan bool)
		of := server.Listening{Connections: server.Connections{Most: 1, Reserve: -1}}
		trust, scheme := borrowed.Client().Transport.(*http.Transport).TLSClientConfig, "https"
		if of.TLS = borrowed.TLS.Clone(); !secure {
			of.TLS, trust, scheme = nil, nil, "http"
		}
		l := listen(t, of, func(context.Context) { arrived <- true; <-release })
		done := make(chan bool)
		go func() {
			defer close(done)
			if r, err := client(t, true, trust).Post(scheme+"://"+l.addr+"/api/v1/profiles?service=x", "", strings.NewReader(servertest.ProfileBody(t))); err != nil || r.StatusCode != 204 {
				t.Errorf("TLS %t: a push: %v %v", secure, r, err)
			}
		}()
		<-arrived
		waits := l.dial(t, "")
		for waited(l) == 0 {
			time.Sleep(time.Millisecond)
		}
		if _, _, n := l.Connections(); n != 0 {
			t.Errorf("TLS %t: a connection that answers a request was closed", secure)
		}
		close(release)
		<-done
		waits.Close()
		l.stop()
		<-l.done
	}
}

// open returns how many connections a server has.
func open(l *listening) int {
	n, _, _ := l.Connections()
	return n
}

// waited returns how often a connection had to wait for room.
func waited(l *listening) int64 {
	_, n, _ := l.Connections()
	return n
}

// TestSender checks that proxies that are trusted, and no others, tell where
// requests come from.
func TestSender(t *testing.T) {
	l := servertest.NewLive(t, nil)
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}
	l.Trust(proxies)
	for _, test := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:80", "", "192.0.2.1"},
		{"192.0.2.1:80", "198.51.100.7", "192.0.2.1"},
		{"10.1.2.3:80", "198.51.100.7", "198.51.100.7"},
		{"[::ffff:10.1.2.3]:80", "198.51.100.7", "198.51.100.7"},
		{"10.1.2.3:80", "203.0.113.9, 198.51.100.7", "198.51.100.7"},
		{"10.1.2.3:80", "203.0.113.9, 198.51.100.7, 10.9.9.9, 127.0.0.1", "198.51.100.7"},
		{"10.1.2.3:80", "2001:db8::1", "2001:db8::1"},
		{"10.1.2.3:80", "198.51.100.7, nonsense", "10.1.2.3"},
		{"10.1.2.3:80", "", "10.1.2.3"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = test.peer
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := l.Sender(r).String(); got != test.want {
			t.Errorf("%s, forwarded for %q: %s, want %s", test.peer, test.forwarded, got, test.want)
		}
	}
}

package httpload

import (
	"bufio"
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/template"
)

func newDriver(t *testing.T, opts Options) *Driver {
	t.Helper()
	d, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func connect(t *testing.T, opts Options) load.Client {
	t.Helper()
	c, err := newDriver(t, opts).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ways returns clients by how they send: with Do, and with Start where that is possible.
func ways(t *testing.T, opts Options) map[string]load.Client {
	t.Helper()
	all := map[string]load.Client{"Do": connect(t, opts)}
	if c, ok := connect(t, opts).(*http1Client); ok {
		all["Start"] = &starting{http1Client: c}
	}
	return all
}

// A starting client sends with Start what it can.
type starting struct {
	*http1Client
	started int
}

func (s *starting) Do(ctx context.Context, n int64) (load.Answer, error) {
	_, _ = s.connection(ctx, s.plan.request(n)) // Start doesn't open it; an error comes again
	type answer struct {
		load.Answer
		err error
	}
	done := make(chan answer, 1)
	if !s.Start(ctx, n, func(a load.Answer, err error) { done <- answer{a, err} }) {
		return s.http1Client.Do(ctx, n)
	}
	s.started++
	a := <-done
	return a.Answer, a.err
}

// TestRequests: what is asked for arrives, with HTTP/1.1 and HTTP/2.
func TestRequests(t *testing.T) {
	var mu sync.Mutex
	var got []string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprintf("%s %s host=%s agent=%s x=%s auth=%s length=%d body=%s", r.Method, r.RequestURI,
			strings.Split(r.Host, ":")[0], r.UserAgent(), r.Header.Get("X"), r.Header.Get("Authorization"), r.ContentLength, body))
	})
	server := httptest.NewUnstartedServer(handler)
	startBoth(t, server)
	feed := filepath.Join(t.TempDir(), "feed.csv")
	if err := os.WriteFile(feed, []byte("name,n\nann,1\nbob,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	rows, err := template.ReadFeed(t.Context(), feed)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Replace(server.URL, "127.0.0.1", "ada:love@127.0.0.1", 1)
	targets := []Target{
		{Name: "a", URL: server.URL},
		{Name: "b", Method: "POST", URL: at + "/users/{{row.name}}?n={{n}}", Header: []Header{{"X", "{{row.n}}"}, {"Host", "shop"}}, Body: `{"n":{{n}}}`},
		{Name: "c", Method: "DELETE", URL: server.URL + "?q=a%20b#part", Header: []Header{{"User-Agent", "me"}}},
	}
	host := "host=127.0.0.1"
	want := []string{
		"GET / " + host + " agent=hone x= auth= length=0 body=",
		`POST /users/bob?n=1 host=shop agent=hone x=2 auth=Basic YWRhOmxvdmU= length=7 body={"n":1}`,
		"DELETE /?q=a%20b " + host + " agent=me x= auth= length=0 body=",
		"GET / " + host + " agent=hone x= auth= length=0 body=",
		`POST /users/ann?n=4 host=shop agent=hone x=1 auth=Basic YWRhOmxvdmU= length=7 body={"n":4}`,
	}
	for _, h2 := range []bool{false, true} {
		for way, c := range ways(t, Options{Targets: targets, Feed: rows, HTTP2: h2}) {
			got = nil
			for n := range int64(5) {
				if _, err := c.Do(t.Context(), n); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("HTTP/2 %v, %s:\n%s\nwant\n%s", h2, way, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// rawServer answers each request on a connection with the next of answers, and
// closes the connection after the last.
func rawServer(t *testing.T, answers ...string) (url string, accepted *atomic.Int64) {
	accepted = new(atomic.Int64)
	return listen(t, func(c *net.TCPConn) {
		accepted.Add(1)
		in := bufio.NewReader(c)
		for _, answer := range answers {
			req, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, req.Body)
			if answer == "RESET" {
				c.SetLinger(0)
				return
			}
			if answer == "HANG" {
				io.Copy(io.Discard, in)
				return
			}
			io.WriteString(c, answer)
		}
	}), accepted
}

func TestAnswers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, test := range map[string]struct {
		answer, method string
		content        int    // its size
		over           bool   // the connection
		class          string // of the failure
	}{
		"length":                        {answer: ok + "Content-Length: 5\r\n\r\nhello", content: 5},
		"any case":                      {answer: ok + "cOnTeNt-lEnGtH:5  \r\n\r\nhello", content: 5},
		"bare line feeds":               {answer: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", content: 5},
		"no reason":                     {answer: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"},
		"chunks":                        {answer: ok + "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nTrailer: 1\r\n\r\n", content: 5 + 2},
		"until the end":                 {answer: ok + "\r\nhello", content: 5, over: true},
		"closed after":                  {answer: ok + "Connection: close\r\nContent-Length: 1\r\n\r\nx", content: 1, over: true},
		"HTTP/1.0":                      {answer: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", content: 1, over: true},
		"closed after, in a list":       {answer: ok + "Connection: Foo , CLOSE\r\nContent-Length: 1\r\n\r\nx", content: 1, over: true},
		"closed after, in another line": {answer: ok + "connection: keep-alive\r\nConnection: close\r\nConnection: foo\r\nContent-Length: 1\r\n\r\nx", content: 1, over: true},
		"kept, in a list":               {answer: "HTTP/1.0 200 OK\r\nConnection: foo, Keep-Alive\r\nContent-Length: 1\r\n\r\nx", content: 1},
		"a length twice":                {answer: ok + "Content-Length: 1, 1\r\nContent-Length: 1\r\n\r\nx", content: 1},
		"chunks of what is packed":      {answer: ok + "Transfer-Encoding: gzip, Chunked\r\nContent-Encoding: br, gzip\r\n\r\n1\r\nx\r\n0\r\n\r\n", content: 1},
		"chunks, in another line":       {answer: ok + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", content: 1},
		"chunks and a length":           {answer: ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", content: 1},
		"chunks before another coding":  {answer: ok + "Transfer-Encoding: chunked, gzip\r\n\r\n", over: true, class: "other"},
		"two lengths in a list":         {answer: ok + "Content-Length: 1, 2\r\n\r\nx", over: true, class: "other"},
		"HTTP/1.0 kept":                 {answer: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", content: 1},
		"head":                          {answer: ok + "Content-Length: 500\r\n\r\n", method: "HEAD"},
		"no content":                    {answer: "HTTP/1.1 204 No Content\r\n\r\n"},
		"hints first":                   {answer: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "Content-Length: 1\r\n\r\nx", content: 1},
		"redirection":                   {answer: "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"},
		"long line":                     {answer: ok + "X: " + strings.Repeat("x", 40_000) + "\r\nContent-Length: 1\r\n\r\nx", content: 1},
		"server error":                  {answer: "HTTP/1.1 503 Away\r\nContent-Length: 1\r\n\r\nx", content: 1, class: "status 503"},
		"nothing":                       {answer: "", over: true, class: "closed early"},
		"reset":                         {answer: "RESET", over: true, class: "reset"},
		"half a header":                 {answer: ok + "Content-", over: true, class: "closed early"},
		"half a body":                   {answer: ok + "Content-Length: 5\r\n\r\nhe", over: true, class: "closed early"},
		"half a chunk":                  {answer: ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhe", over: true, class: "closed early"},
		"not HTTP":                      {answer: "SSH-2.0-OpenSSH_9.2\r\n", over: true, class: "other"},
		"another protocol":              {answer: "HTTP/1.1 101 Switching\r\n\r\n", over: true, class: "other"},
		"no field":                      {answer: ok + "what\r\n\r\n", over: true, class: "other"},
		"bad length":                    {answer: ok + "Content-Length: x\r\n\r\n", over: true, class: "other"},
		"two lengths":                   {answer: ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", over: true, class: "other"},
		"bad chunk":                     {answer: ok + "Transfer-Encoding: chunked\r\n\r\nz\r\n", over: true, class: "other"},
		"unknown encoding":              {answer: ok + "Transfer-Encoding: gzip\r\n\r\n", over: true, class: "other"},
		"a line without end":            {answer: ok + "X: " + strings.Repeat("x", 200_000), over: true, class: "other"},
		"header without end":            {answer: ok + strings.Repeat("X: "+strings.Repeat("x", 9_000)+"\r\n", 200), over: true, class: "other"},
		"timeout":                       {answer: "HANG", over: true, class: "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			answers := []string{test.answer, test.answer}
			if test.over {
				answers = answers[:1] // and the server closes the connection
			}
			url, accepted := rawServer(t, answers...)
			timeout := time.Minute
			if test.answer == "HANG" {
				timeout = time.Second
			}
			for way, c := range ways(t, Options{Targets: []Target{{Name: "x", URL: url, Method: test.method}}, Timeout: timeout}) {
				accepted.Store(0)
				for range 2 {
					a, err := c.Do(t.Context(), 0)
					size := a.Bytes
					if f := load.FailureOf(err); test.class == "" && err != nil || test.class != "" && (f == nil || f.Class != test.class) {
						t.Fatalf("%s: %v (%+v), want the class %q", way, err, f, test.class)
					}
					head := max(0, strings.LastIndex(test.answer, "\r\n\r\n")+4)
					if test.class == "" && test.content > 0 && size < test.content || size > len(test.answer)+head {
						t.Errorf("%s: %d bytes, with a content of %d", way, size, test.content)
					}
				}
				if n := accepted.Load(); test.over != (n == 2) {
					t.Errorf("%s: %d connections for two requests", way, n)
				}
				if s, ok := c.(*starting); ok && s.started == 0 {
					t.Error("no request was started")
				}
			}
		})
	}
}

// TestClosedWhenIdle: a connection that the server closed meanwhile, or on which it
// said something unasked, is replaced before a request is sent.
func TestClosedWhenIdle(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	for name, answers := range map[string][]string{"closed": {ok}, "408": {ok + "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"}} {
		url, accepted := rawServer(t, answers...)
		for _, method := range []string{"GET", "POST"} {
			for way, c := range ways(t, Options{Targets: []Target{{Name: "x", URL: url, Method: method}}}) {
				accepted.Store(0)
				if _, err := c.Do(t.Context(), 0); err != nil {
					t.Fatal(err)
				}
				for deadline := time.Now().Add(time.Minute); !only(c).stale(); { // the end of the connection arrives
					if time.Now().After(deadline) {
						t.Fatal("the connection is not known to be closed")
					}
					time.Sleep(time.Millisecond)
				}
				if a, err := c.Do(t.Context(), 1); err != nil || a.Status != 200 {
					t.Errorf("%s %s, %s: %+v, %v", name, method, way, a, err)
				}
				if n := accepted.Load(); n != 2 {
					t.Errorf("%s %s, %s: %d connections", name, method, way, n)
				}
			}
		}
	}
}

func only(c load.Client) *http1Conn {
	if s, ok := c.(*starting); ok {
		c = s.http1Client
	}
	for _, conn := range c.(*http1Client).conns {
		return conn
	}
	return nil
}

// TestSentOnce: a request that the server does not answer is a failure, and what it
// sees is what is told, also of requests that could be sent twice.
func TestSentOnce(t *testing.T) {
	// Every other request of HTTP/1.1 ends the connection.
	var seen atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen.Add(1)%2 == 0 {
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	wantOnce(t, "closed", Options{Targets: []Target{{Name: "x", URL: server.URL}}}, &seen, "closed early", "reset")

	// Every other one of HTTP/2 is refused, or left behind as the server goes away.
	for name, refuse := range map[string]func(f *http2.Framer, id uint32){
		"refused stream": func(f *http2.Framer, id uint32) { f.WriteRSTStream(id, http2.ErrCodeRefusedStream) },
		"goaway":         func(f *http2.Framer, id uint32) { f.WriteGoAway(id-2, http2.ErrCodeNo, nil) },
	} {
		url := framedServer(t, func(f *http2.Framer, id uint32) {
			if seen.Add(1)%2 == 0 {
				refuse(f, id)
				return
			}
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true, EndStream: true}) // :status 200
		})
		for _, body := range []string{"", "x"} {
			wantOnce(t, name, Options{HTTP2: true, Targets: []Target{{Name: "x", URL: url, Body: body}}}, &seen, name)
		}
	}
}

// TestTextsOfHTTP2: net/http has neither types nor values for these errors, so what it says
// decides. The test gets each from net/http, and fails when it says something else.
func TestTextsOfHTTP2(t *testing.T) {
	headers := func(f *http2.Framer) uint32 {
		for {
			switch frame, err := f.ReadFrame(); frame := frame.(type) {
			case *http2.HeadersFrame:
				return frame.StreamID
			default:
				if err != nil {
					return 0
				}
			}
		}
	}
	for name, test := range map[string]struct {
		server func(f *http2.Framer)
		before int  // requests that succeed
		idle   bool // the request is sent after the connection has ended
		text   string
		class  string
	}{
		"went away without looking": {server: func(f *http2.Framer) {
			headers(f)
			f.WriteGoAway(0, http2.ErrCodeNo, nil)
			headers(f) // until the client ends
		}, text: textGoAway, class: "goaway"},
		"went away without answering": {server: func(f *http2.Framer) {
			f.WriteGoAway(headers(f), http2.ErrCodeNo, nil)
		}, text: textGoAway, class: "goaway"},
		"closed after an answer": {server: func(f *http2.Framer) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: headers(f), BlockFragment: []byte{0x88}, EndHeaders: true, EndStream: true}) // :status 200
		}, before: 1, idle: true, text: textUnusable, class: "closed early"},
		"closed at once": {server: func(*http2.Framer) {}, idle: true, text: textNotEstablished, class: "closed early"},
		"reset": {server: func(f *http2.Framer) {
			f.WriteRSTStream(headers(f), http2.ErrCodeInternal)
			headers(f)
		}, class: "stream reset"},
		"refused": {server: func(f *http2.Framer) {
			f.WriteRSTStream(headers(f), http2.ErrCodeRefusedStream)
			headers(f)
		}, class: "refused stream"},
	} {
		url := listen(t, func(c *net.TCPConn) {
			io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
			f := http2.NewFramer(c, c)
			f.WriteSettings()
			test.server(f)
		})
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetUnencryptedHTTP2(true)
		conn, err := transport.NewClientConn(t.Context(), "http", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		send := func() error {
			req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := conn.RoundTrip(req)
			if err == nil {
				resp.Body.Close()
			}
			return err
		}
		for range test.before {
			if err := send(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if test.idle {
			ended := make(chan struct{})
			end := sync.OnceFunc(func() { close(ended) })
			conn.SetStateHook(func(c *http.ClientConn) {
				if c.Err() != nil {
					end()
				}
			})
			<-ended
		}
		err = send()
		if f := load.FailureOf(classed(err)); err == nil || !says(err, test.text) || f.Class != test.class {
			t.Errorf("%s: %v is of class %q, want %q with the text %q", name, err, f.Class, test.class, test.text)
		}
		conn.Close()
	}
}

// wantOnce sends ten requests, of which the server answers every other one.
func wantOnce(t *testing.T, name string, o Options, seen *atomic.Int64, classes ...string) {
	t.Helper()
	for way, c := range ways(t, o) {
		seen.Store(0)
		for n := range int64(10) {
			_, err := c.Do(t.Context(), n)
			f := load.FailureOf(err)
			if fails := n%2 == 1; fails != (f != nil) || fails && (!slices.Contains(classes, f.Class) || !strings.HasPrefix(f.Text, "GET http://127.0.0.1:")) {
				t.Errorf("%s, %s: request %d: %+v", name, way, n, f)
			}
		}
		if n := seen.Load(); n != 10 {
			t.Errorf("%s, %s: the server saw %d of 10 requests", name, way, n)
		}
	}
}

// framedServer hands the headers of requests over HTTP/2 to a function.
func framedServer(t *testing.T, request func(f *http2.Framer, id uint32)) (url string) {
	return listen(t, func(c *net.TCPConn) {
		io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
		f := http2.NewFramer(c, c)
		f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if h, ok := frame.(*http2.HeadersFrame); ok {
				request(f, h.StreamID)
			}
		}
	})
}

// TestEarlyAnswer: an answer that comes before the whole request was sent is read,
// whatever the server does to the connection then.
func TestEarlyAnswer(t *testing.T) {
	const answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno\n"
	body := strings.Repeat("x", 20<<20)
	for name, after := range map[string]func(c *net.TCPConn){
		"closes": func(c *net.TCPConn) {},
		"resets": func(c *net.TCPConn) { c.SetLinger(0) },
		"reads no more": func(c *net.TCPConn) {
			<-t.Context().Done()
		},
		"reads all": func(c *net.TCPConn) { io.Copy(io.Discard, c) },
	} {
		t.Run(name, func(t *testing.T) {
			url := listen(t, func(c *net.TCPConn) {
				c.Read(make([]byte, 100))
				io.WriteString(c, answer)
				after(c)
			})
			requests := int64(2)
			if name == "reads all" {
				requests = 1 // the connection is kept, and the server answers once
			}
			for way, c := range ways(t, Options{Targets: []Target{{Name: "x", URL: url + "/up", Method: "PUT", Body: body}}, Timeout: time.Minute}) {
				for n := range requests {
					a, err := c.Do(t.Context(), n)
					if f := load.FailureOf(err); a.Status != 413 || f == nil || f.Class != "status 413" || f.Text != "PUT "+url+"/up: 413 Too Large" {
						t.Errorf("%s: %+v, %v", way, a, err)
					}
				}
			}
		})
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no", http.StatusRequestEntityTooLarge)
	}))
	startBoth(t, server)
	for _, h2 := range []bool{false, true} {
		c := connect(t, Options{Targets: []Target{{Name: "x", URL: server.URL, Method: "PUT", Body: body}}, Timeout: time.Minute, HTTP2: h2})
		if a, err := c.Do(t.Context(), 0); a.Status != 413 || load.FailureOf(err).Class != "status 413" {
			t.Errorf("HTTP/2 %v: %+v, %v", h2, a, err)
		}
	}
}

// startBoth starts a server that answers in HTTP/1.1 and HTTP/2, without TLS.
func startBoth(t *testing.T, server *httptest.Server) {
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
}

// listen has f serve connections.
func listen(t testing.TB, f func(*net.TCPConn)) (url string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				f(c.(*net.TCPConn))
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// TestUnix: requests go to a Unix socket, over either version of HTTP, and the host is
// that of the URL.
func TestUnix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "shop.example" || r.URL.Path != "/a" {
			http.Error(w, r.Host+r.URL.Path, http.StatusNotFound)
		}
	}))
	server.Listener.Close()
	server.Listener = l
	startBoth(t, server)
	for _, h2 := range []bool{false, true} {
		d := newDriver(t, Options{Targets: []Target{{Name: "x", URL: "http://shop.example/a"}}, Unix: path, HTTP2: h2})
		clients := []load.Client{}
		for range 3 {
			c, err := d.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			clients = append(clients, c)
			if a, err := c.Do(t.Context(), 0); err != nil || a.Status != 200 {
				t.Errorf("HTTP/2 %v: %+v, %v", h2, a, err)
			}
		}
		if want := map[bool]int{false: 3, true: 1}[h2]; d.Connections().Peak() != want || d.Shares() != h2 {
			t.Errorf("HTTP/2 %v: %d connections, want %d", h2, d.Connections().Peak(), want)
		}
		for _, c := range clients {
			c.Close()
		}
		if d.Connections().Restart(); d.Connections().Peak() != 0 {
			t.Errorf("HTTP/2 %v: %d connections are open", h2, d.Connections().Peak())
		}
	}
}

// TestRawBody: a body that is no template goes out as it is, byte by byte.
func TestRawBody(t *testing.T) {
	body := "\ufeff{{n}} {{\x00\r\n\r\n"
	for b := range 256 {
		body += string([]byte{byte(b)})
	}
	got := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- r.URL.Path + string(b)
	}))
	startBoth(t, server)
	for _, h2 := range []bool{false, true} {
		for _, body := range []string{body, ""} {
			c := connect(t, Options{HTTP2: h2, Targets: []Target{{Name: "x", URL: server.URL + "/{{n}}", Method: "POST", Body: body, Raw: true, Empty: true}}})
			if _, err := c.Do(t.Context(), 7); err != nil {
				t.Fatal(err)
			}
			if got := <-got; got != "/7"+body {
				t.Errorf("HTTP/2 %v: the server got %q, want %q", h2, got, "/7"+body)
			}
		}
	}
}

// TestRequestLists: headers that are lists mean the same in several lines, and in any
// case.
func TestRequestLists(t *testing.T) {
	var mu sync.Mutex
	var got []string
	conns := make(map[string]bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		conns[r.RemoteAddr] = true
		got = append(got, fmt.Sprintf("%v %d %s %v", r.TransferEncoding, r.ContentLength, body, err))
	}))
	defer server.Close()
	for name, test := range map[string]struct {
		header []Header
		body   string
		want   string
		conns  int
	}{
		"chunked":     {[]Header{{"transfer-encoding", "Chunked"}}, "{{n}}hello", "[chunked] -1 0hello <nil>", 1},
		"empty":       {[]Header{{"Transfer-Encoding", "chunked"}}, "", "[chunked] -1  <nil>", 1},
		"close":       {[]Header{{"Connection", "keep-alive, Close"}}, "x", "[] 1 x <nil>", 2},
		"other lines": {[]Header{{"Connection", "x-y"}, {"connection", "close"}}, "x", "[] 1 x <nil>", 2},
		"kept":        {[]Header{{"Connection", "keep-alive"}}, "x", "[] 1 x <nil>", 1},
	} {
		got, conns = nil, make(map[string]bool)
		c := connect(t, Options{Targets: []Target{{Name: "x", URL: server.URL, Method: "POST", Header: test.header, Body: test.body}}})
		for range 2 {
			if _, err := c.Do(t.Context(), 0); err != nil {
				t.Fatal(name, err)
			}
		}
		if len(got) != 2 || got[0] != test.want || got[1] != test.want || len(conns) != test.conns {
			t.Errorf("%s: %q over %d connections, want %q over %d", name, got, len(conns), test.want, test.conns)
		}
	}
	_, err := New(Options{Targets: []Target{{Name: "x", URL: server.URL, Header: []Header{{"Transfer-Encoding", "chunked, gzip"}}}}})
	if err == nil || !strings.Contains(err.Error(), "last") {
		t.Errorf("chunks within another encoding: %v", err)
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, h2 := range []bool{false, true} {
		for name, test := range map[string]struct {
			TLS
			class string
		}{
			"trusted":    {TLS{CA: ca}, ""},
			"insecure":   {TLS{Insecure: true}, ""},
			"unknown":    {TLS{}, "tls"},
			"other name": {TLS{CA: ca, ServerName: "elsewhere.test"}, "tls"},
			"its name":   {TLS{CA: ca, ServerName: "example.com"}, ""},
		} {
			c := connect(t, Options{Targets: []Target{{Name: "x", URL: server.URL}}, TLS: test.TLS, HTTP2: h2})
			_, err := c.Do(t.Context(), 0)
			if f := load.FailureOf(err); (f == nil) != (test.class == "") || f != nil && f.Class != test.class {
				t.Errorf("%s, HTTP/2 %v: %v", name, h2, err)
			}
		}
	}
	for _, bad := range []TLS{{CA: "/nowhere"}, {CA: os.Args[0]}, {Cert: ca}, {Cert: ca, Key: ca}} {
		if _, err := New(Options{Targets: []Target{{URL: server.URL}}, TLS: bad}); err == nil {
			t.Errorf("%+v is no error", bad)
		}
	}
}

// TestAnswerBeforeFailedWrite: a server of HTTP/2 answers, and resets the connection while it is
// sent the body. The answer counts, whenever it is read.
func TestAnswerBeforeFailedWrite(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems drop what was received before a reset")
	}
	url := listen(t, func(c *net.TCPConn) {
		f := http2.NewFramer(c, c)
		io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
		f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 64 << 20})
		f.WriteWindowUpdate(0, 64<<20)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if h, ok := frame.(*http2.HeadersFrame); ok {
				status := []byte{0x48, 3, '4', '1', '3'} // :status
				f.WriteHeaders(http2.HeadersFrameParam{StreamID: h.StreamID, BlockFragment: status, EndHeaders: true, EndStream: true})
				f.WriteGoAway(h.StreamID, http2.ErrCodeNo, nil)
				c.SetLinger(0)
				return
			}
		}
	})
	for range 50 {
		c := connect(t, Options{HTTP2: true, Targets: []Target{{Name: "x", Method: "POST", URL: url, Body: strings.Repeat("x", 1<<20)}}})
		_, err := c.Do(t.Context(), 0)
		if f := load.FailureOf(err); f == nil || f.Class != "status 413" {
			t.Fatalf("%v, want status 413", err)
		}
	}
}

// A deafConn fails to write, at a time when what the server sent before is still unread.
type deafConn struct {
	net.Conn
	err error
}

func (c deafConn) Write([]byte) (int, error) { return 0, c.err }

func TestHeard(t *testing.T) {
	if n, err := (&heard{Conn: deafConn{err: syscall.EPIPE}}).Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("%d bytes, %v: reading tells what is wrong", n, err)
	}
	if _, err := (&heard{Conn: deafConn{err: os.ErrDeadlineExceeded}}).Write([]byte("abc")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v: no reader sees that it took too long", err)
	}
}

// TestNotHTTP2: a server without HTTP/2 is told so.
func TestNotHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog, secure.Config.ErrorLog = log.New(io.Discard, "", 0), log.New(io.Discard, "", 0)
	server.Start()
	secure.StartTLS()
	defer server.Close()
	defer secure.Close()
	for url, class := range map[string]string{server.URL: "not HTTP/2", secure.URL: "tls"} {
		for _, size := range []int{0, 1 << 20} {
			c := connect(t, Options{HTTP2: true, TLS: TLS{Insecure: true}, Targets: []Target{{Name: "x", URL: url, Body: strings.Repeat("x", size)}}})
			_, err := c.Do(t.Context(), 0)
			if f := load.FailureOf(err); f == nil || f.Class != class {
				t.Errorf("%s, a body of %d: %v, want class %s", url, size, err, class)
			}
		}
	}
}

// TestNoAnswer: all requests that ran out of time have one text, with HTTP/1.1 and HTTP/2.
func TestNoAnswer(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	startBoth(t, server)
	defer server.CloseClientConnections()
	for _, h2 := range []bool{false, true} {
		for way, c := range ways(t, Options{HTTP2: h2, Timeout: 50 * time.Millisecond, Targets: []Target{{Name: "x", URL: server.URL + "/slow"}}}) {
			for range 2 {
				_, err := c.Do(t.Context(), 0)
				f := load.FailureOf(err)
				if want := "GET " + server.URL + "/slow: no answer within 50ms"; f == nil || f.Class != "timeout" || f.Text != want {
					t.Errorf("HTTP/2 %v, %s: %+v, want %q", h2, way, f, want)
				}
			}
		}
	}
}

func TestBadTargets(t *testing.T) {
	for _, test := range []struct {
		Target
		want string
	}{
		{Target{URL: "ftp://x"}, "invalid URL"},
		{Target{URL: "http://"}, "invalid URL"},
		{Target{URL: "http://{{row.host}}/"}, "can't be a template"},
		{Target{URL: "http://x/{{"}, "x: the path:1:2: {{ without }}"},
		{Target{URL: "http://x", Method: "GE T"}, "invalid method"},
		{Target{URL: "http://x/a b"}, "%20"},
		{Target{URL: "http://x", Header: []Header{{"A B", "c"}}}, "invalid header"},
		{Target{URL: "http://x", Header: []Header{{"A", "b\r\nC: d"}}}, "invalid header"},
		{Target{URL: "http://x", Body: "a\nb {{row.x}}"}, "x: the body:2:5: {{row.x}} needs a feed"},
		{Target{URL: "http://x", Body: "{{int 5 1}}"}, "1:9: 1 is less than 5"},
	} {
		test.Name = "x"
		if _, err := New(Options{Targets: []Target{test.Target}}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.Target, err, test.want)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("no target is no error")
	}
}

func TestTargets(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("body.json", `{"a":1}`)
	want := `[{F:2 GET http://a/ []  true false} {F:4 POST http://b/x [{X 1} {Y 2: 3}] {"a":1} true false} {F:9 PUT http://c []  true false}]`
	plain := write("plain.txt", "\ufeff# comment\nGET http://a/\n\nPOST http://b/x\nX: 1\n# another\nY: 2: 3\n@body.json\nPUT http://c\n")
	targets, err := ReadTargets(t.Context(), plain)
	if got := strings.ReplaceAll(fmt.Sprint(targets), plain, "F"); err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	long := strings.Repeat("x", 2<<20)
	targets, err = ReadTargets(t.Context(), write("long.txt", "POST http://b/x\nX: "+long+"\n\nGET http://a/\n"))
	if err != nil || len(targets) != 2 || targets[0].Header[0].Value != long || !strings.HasSuffix(targets[1].Name, ":4") {
		t.Errorf("a long header: %v", err)
	}
	lines := write("lines.json", "\ufeff"+`{"method":"POST","url":"http://b","header":{"X":["1","2"]},"body":"eyJhIjoxfQ=="}`+"\n\n"+`{"method":"GET","url":"http://c"}`)
	targets, err = ReadTargets(t.Context(), lines)
	want = `[{F:1 POST http://b [{X 1} {X 2}] {"a":1} true false} {F:3 GET http://c []  true false}]`
	if got := strings.ReplaceAll(fmt.Sprint(targets), lines, "F"); err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	for text, want := range map[string]string{
		"":                               "no targets",
		"\xff\xfeG\x00E\x00T\x00":        "the text is UTF-16",
		"GET":                            ":1: ",
		"GET http://a\nwhat":             ":2: ",
		"GET http://a\n@missing":         ":2: the body",
		`{"method":"GET"}`:               ":1: a target needs",
		"{\"method\":\"GET\",\"url\":1}": ":1: ",
	} {
		if _, err := ReadTargets(t.Context(), write("bad", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestSplit: what a feed has can't make two requests of one.
func TestSplit(t *testing.T) {
	url, _ := rawServer(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	for _, target := range []Target{{URL: url + `/{{one "a b"}}`}, {URL: url, Header: []Header{{"X", `{{one "a\r\nY: b"}}`}}}} {
		target.Name = "x"
		c := connect(t, Options{Targets: []Target{target}})
		if _, err := c.Do(t.Context(), 0); load.FailureOf(err).Class != "template" {
			t.Errorf("%+v: %v", target, err)
		}
	}
}

func TestStatuses(t *testing.T) {
	s, err := ParseStatuses("200,3xx,410-412")
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]bool{200: true, 201: false, 300: true, 399: true, 409: false, 410: true, 412: true, 413: false} {
		if s.has(status) != want {
			t.Errorf("%d: %v", status, !want)
		}
	}
	for _, bad := range []string{"", "x", "20", "200-", "300-200", "2x", "200 300", "1000"} {
		if s, err := ParseStatuses(bad); err == nil {
			t.Errorf("ParseStatuses(%q) = %v", bad, s)
		}
	}
}

// quick is a server that answers every request at once, and allocates nothing for it.
func quick(t testing.TB) (url string) {
	answer := []byte("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 5\r\n\r\nhello")
	return listen(t, func(c *net.TCPConn) {
		for in := make([]byte, 4<<10); ; {
			if _, err := c.Read(in); err != nil { // requests are small, and come one by one
				return
			}
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	})
}

// TestAllocations: a request costs the generator no allocation, whoever sends it.
func TestAllocations(t *testing.T) {
	url := quick(t)
	for _, target := range []Target{
		{Name: "x", URL: url},
		{Name: "x", URL: url + "/{{n}}", Method: "POST", Body: `{"id":"{{uuid}}","n":{{int 1 9}}}`},
	} {
		c := connect(t, Options{Targets: []Target{target}})
		if n := testing.AllocsPerRun(1000, func() {
			if _, err := c.Do(t.Context(), 7); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: a user's request has %v allocations", target.URL, n)
		}
		send := pooled(t, target)
		send()
		if n := testing.AllocsPerRun(1000, send); n != 0 {
			t.Errorf("%s: a request at a fixed rate has %v allocations", target.URL, n)
		}
	}
	d := newDriver(t, Options{Targets: []Target{{Name: "x", URL: url + "/{{n}}", Body: `{"id":"{{uuid}}","n":{{int 1 9}}}`}}})
	v, out, body := d.plan.values(), []byte(nil), []byte(nil)
	if n := testing.AllocsPerRun(100, func() {
		v.at(3)
		out, body, _ = v.write(d.plan.requests[0], out[:0], body, true)
	}); n != 0 {
		t.Errorf("%v allocations to write a request", n)
	}
}

// TestRunAllocations: what a run does around a request allocates nothing either. What it
// needs to begin and to end is less than an allocation for every other request.
func TestRunAllocations(t *testing.T) {
	const requests = 5000
	d := newDriver(t, Options{Targets: []Target{{Name: "x", URL: quick(t)}}})
	for name, run := range map[string]func() (*load.Result, error){
		"a user": func() (*load.Result, error) {
			return load.RunUsers(t.Context(), d, load.Users{Users: 1, Requests: requests, Rounds: 1}, load.Options{}, nil)
		},
		"a rate": func() (*load.Result, error) {
			pacer, err := load.Constant(10*requests, time.Second/10)
			if err != nil {
				return nil, err
			}
			pool := load.NewPool(d, 1)
			defer pool.Close()
			return load.Run(t.Context(), pacer, pool, load.Options{})
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := run()
		runtime.ReadMemStats(&after)
		if err != nil || r.Succeeded != requests {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		if n := after.Mallocs - before.Mallocs; n > requests/2 {
			t.Errorf("%s: %d allocations for %d requests", name, n, requests)
		}
	}
}

// pooled returns what sends a request as [load.Run] does, and waits for its outcome.
func pooled(t testing.TB, target Target) (send func()) {
	d, err := New(Options{Targets: []Target{target}})
	if err != nil {
		t.Fatal(err)
	}
	pool := load.NewPool(d, 1)
	t.Cleanup(func() { pool.Close() })
	clock, ctx, outcomes := load.NewClock(), t.Context(), make(chan load.Outcome, 1)
	done := func(_ load.Request, o load.Outcome) { outcomes <- o }
	return func() {
		pool.Send(ctx, clock, load.Request{N: 7}, done)
		if o := <-outcomes; o.Failure != nil {
			t.Fatal(o.Failure)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), false)
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nA: b\r\n\r\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, head bool) {
		in := bufio.NewReaderSize(bytes.NewReader(text), 16)
		for range 3 {
			if _, err := readAnswer(in, head); err != nil {
				return
			}
		}
	})
}

// BenchmarkRequest sends requests one after the other: as a user does, and as they are
// sent at a fixed rate.
func BenchmarkRequest(b *testing.B) {
	target := Target{Name: "x", URL: quick(b)}
	b.Run("user", func(b *testing.B) {
		d, err := New(Options{Targets: []Target{target}})
		if err != nil {
			b.Fatal(err)
		}
		c, err := d.Connect(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		b.ReportAllocs()
		for n := int64(0); b.Loop(); n++ {
			if _, err := c.Do(b.Context(), n); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("rate", func(b *testing.B) {
		send := pooled(b, target)
		b.ReportAllocs()
		for b.Loop() {
			send()
		}
	})
}

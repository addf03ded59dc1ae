package grpcload

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/hone-go/hone/internal/freeport"
	"github.com/hone-go/hone/internal/load"
)

// listen accepts connections until the test ends, and has f serve each.
func listen(tb testing.TB, f func(net.Conn)) (address string) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				f(c)
			}()
		}
	}()
	return l.Addr().String()
}

// A peer is the server's end of a connection of HTTP/2, frame by frame.
type peer struct {
	*http2.Framer
	net   net.Conn
	block bytes.Buffer
	enc   *hpack.Encoder
	dec   *hpack.Decoder
}

// greet takes the preface and sends settings.
func greet(c net.Conn, settings ...http2.Setting) *peer {
	_, _ = io.ReadFull(c, make([]byte, len(preface)))
	p := &peer{Framer: http2.NewFramer(c, c), net: c}
	p.enc = hpack.NewEncoder(&p.block)
	p.dec = hpack.NewDecoder(4096, nil)
	_ = p.WriteSettings(settings...)
	return p
}

// request reads until a request's headers, and returns their stream; 0 at the end.
func (p *peer) request() uint32 {
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return 0
		}
		if h, ok := f.(*http2.HeadersFrame); ok {
			return h.StreamID
		}
	}
}

// headers sends headers, in frames of at most size bytes.
func (p *peer) headers(id uint32, end bool, size int, fields ...string) {
	p.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	b := p.block.Bytes()
	n := min(len(b), size)
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:n], EndStream: end, EndHeaders: n == len(b), PadLength: 3})
	for b = b[n:]; len(b) > 0; b = b[n:] {
		n = min(len(b), size)
		_ = p.WriteContinuation(id, n == len(b), b[:n])
	}
}

// answer answers a call with an empty message.
func (p *peer) answer(id uint32) {
	p.headers(id, false, 1<<14, ":status", "200", "content-type", "application/grpc")
	_ = p.WriteDataPadded(id, false, make([]byte, 5), make([]byte, 7))
	p.headers(id, true, 1<<14, "grpc-status", "0")
}

func TestFaults(t *testing.T) {
	closing := listen(t, func(c net.Conn) {
		c.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, c)
	})
	_, working := serveEcho(t, newEcho(t), 0)
	free, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	reset := func(c net.Conn) {
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
	for _, test := range []struct {
		name, address, method, data string
		class, text                 string
		timeout                     time.Duration
	}{
		{name: "refused", address: free[0], class: "refused", text: "connection refused"},
		{name: "no such host", address: "nowhere.invalid:1", class: "name not found", text: "nowhere.invalid"},
		{name: "closes at once", address: closing, class: "closed early"},
		{name: "resets at once", address: listen(t, reset), class: "reset"},
		{name: "resets after a request", class: "reset", text: "reset", address: listen(t, func(c net.Conn) {
			greet(c).request()
			time.Sleep(20 * time.Millisecond)
			reset(c)
		})},
		{name: "closes after a request", class: "closed early", text: "closed the connection", address: listen(t, func(c net.Conn) {
			p := greet(c)
			p.request()
			p.WriteSettingsAck()
			c.(*net.TCPConn).CloseWrite() // half-closed: it still reads
			io.Copy(io.Discard, c)
		})},
		{name: "says nothing", class: "timeout", timeout: 100 * time.Millisecond, address: listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })},
		{name: "does not answer", class: "grpc DeadlineExceeded", timeout: 1500 * time.Millisecond, address: listen(t, func(c net.Conn) {
			p := greet(c)
			for p.request() != 0 {
			}
		})},
		{name: "too slow", address: working, data: `{"delay_ms": 3000}`, class: "grpc DeadlineExceeded", timeout: 1500 * time.Millisecond},
		{name: "HTTP/1.1", class: "not HTTP/2", text: `answers with "HTTP/1.1 "`, address: listen(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
			io.Copy(io.Discard, c)
		})},
		{name: "status", address: working, data: `{"code": 14}`, class: "grpc Unavailable", text: `echo.v1.Echo/One: grpc Unavailable: as asked: "é" %`},
		{name: "unknown status", address: working, data: `{"code": 77}`, class: "grpc status 77"},
		{name: "unimplemented", class: "grpc Unimplemented", text: "unknown service echo.v1.Echo", address: func() string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := grpc.NewServer()
			go s.Serve(l)
			t.Cleanup(s.Stop)
			return l.Addr().String()
		}()},
		{name: "too large", address: working, data: `{"size": 5000}`, class: "message too large", text: "a message of 5003 bytes; the limit is 5000"},
		{name: "503", class: "status 503", text: `HTTP status 503, content type "text/html"`, address: answering(t, func(p *peer, id uint32) {
			p.headers(id, false, 1<<14, ":status", "503", "content-type", "text/html")
			p.WriteData(id, true, []byte("<html>"))
		})},
		{name: "no trailers", class: "bad answer", text: "has no grpc-status", address: answering(t, func(p *peer, id uint32) {
			p.headers(id, false, 1<<14, ":status", "200", "content-type", "application/grpc")
			p.WriteData(id, true, make([]byte, 5))
		})},
		{name: "cut", class: "bad answer", text: "in the middle of a message", address: answering(t, func(p *peer, id uint32) {
			p.headers(id, false, 1<<14, ":status", "200", "content-type", "application/grpc")
			p.WriteData(id, false, []byte{0, 0, 0, 0, 9, 1})
			p.headers(id, true, 1<<14, "grpc-status", "0")
		})},
		{name: "no message", class: "bad answer", text: "0 messages", address: answering(t, func(p *peer, id uint32) {
			p.headers(id, true, 1<<14, ":status", "200", "content-type", "application/grpc", "grpc-status", "0")
		})},
		{name: "stream reset", class: "stream reset", text: "INTERNAL_ERROR", address: answering(t, func(p *peer, id uint32) {
			p.WriteRSTStream(id, http2.ErrCodeInternal)
		})},
		{name: "always refuses", class: "refused stream", address: answering(t, func(p *peer, id uint32) {
			p.WriteRSTStream(id, http2.ErrCodeRefusedStream)
		})},
		{name: "goes away angrily", class: "goaway", text: `ENHANCE_YOUR_CALM "too many"`, address: answering(t, func(p *peer, id uint32) {
			p.WriteGoAway(id, http2.ErrCodeEnhanceYourCalm, []byte("too many"))
			p.net.Close()
		})},
		{name: "broken headers", class: "bad answer", text: "invalid headers in the answer", address: answering(t, func(p *peer, id uint32) {
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0xff, 0xff, 0xff}, EndHeaders: true})
		})},
		{name: "frame too long", class: "bad answer", text: "a frame of 20000 bytes", address: answering(t, func(p *peer, id uint32) {
			p.WriteData(id, true, make([]byte, 20000))
		})},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
				o := echoOptions(test.address, "One", test.data)
				o.Timeout = test.timeout
				switch test.name {
				case "too large":
					o.MaxMessage = 5000
				case "goes away angrily":
					o.Calls = 1 // others would be left behind
				}
				e := calls(t, newDriver(t, o), 3)
				if test.name == "resets at once" {
					// Who reads before the reset arrives meets the end of the connection.
					e.failures["reset"] += e.failures["closed early"]
					delete(e.failures, "closed early")
				}
				e.want(t, map[string]int{test.class: 3})
				if !strings.Contains(e.texts[test.class], test.text) {
					t.Errorf("%q, want %q in it", e.texts[test.class], test.text)
				}
			})
		})
	}
}

// answering is a server that f answers the calls of.
func answering(t *testing.T, f func(p *peer, id uint32), settings ...http2.Setting) (address string) {
	return listen(t, func(c net.Conn) {
		p := greet(c, settings...)
		for id := p.request(); id != 0; id = p.request() {
			f(p, id)
		}
	})
}

// TestOddServers checks what servers may do, and few do.
func TestOddServers(t *testing.T) {
	for name, address := range map[string]string{
		"continuation": answering(t, func(p *peer, id uint32) {
			p.headers(id, false, 5, ":status", "200", "content-type", "application/grpc", "x-long", strings.Repeat("x", 30000))
			p.WriteData(id, false, []byte{0, 0})
			p.WriteData(id, false, []byte{0})
			p.WriteData(id, false, []byte{0, 2, 8})
			p.WriteData(id, false, []byte{1})
			p.headers(id, true, 1, "grpc-status", "0", "grpc-message", "")
		}),
		"informational": answering(t, func(p *peer, id uint32) {
			p.headers(id, false, 1<<14, ":status", "103", "link", "x")
			p.answer(id)
		}),
		"no table": answering(t, (*peer).answer, http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0}),
		"settings between": answering(t, func(p *peer, id uint32) {
			p.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 100 * id}, http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1<<14 + id})
			p.WritePing(false, [8]byte{1, 2, 3})
			p.WriteRawFrame(0xbe, 0xff, id, []byte("unknown"))
			p.answer(id)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
				calls(t, newDriver(t, echoOptions(address, "One", `{"text": "love"}`)), 20).want(t, nil)
			})
		})
	}
}

// TestSlowWindow checks that a body waits for the server's windows, which open a
// little at a time, that of the connection and that of the stream.
func TestSlowWindow(t *testing.T) {
	const size = 200_000
	var came atomic.Int64
	address := listen(t, func(c net.Conn) {
		p := greet(c, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10})
		streams := make(map[uint32]int)
		for {
			f, err := p.ReadFrame()
			if err != nil {
				return
			}
			if f, ok := f.(*http2.DataFrame); ok {
				id := f.StreamID
				streams[id] += len(f.Data())
				came.Add(int64(len(f.Data())))
				switch {
				case f.StreamEnded():
					if streams[id] != size+5+4 {
						t.Errorf("a body of %d bytes", streams[id])
					}
					p.answer(id)
					p.WriteWindowUpdate(0, uint32(len(f.Data())))
				case streams[id] == 10:
					// The next piece comes by a change of all windows, then a window that is below 0.
					p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1000})
					p.WriteWindowUpdate(0, uint32(len(f.Data())))
				default:
					p.WriteWindowUpdate(id, uint32(len(f.Data())))
					p.WriteWindowUpdate(0, uint32(len(f.Data())))
				}
			}
		}
	})
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		came.Store(0)
		d := newDriver(t, echoOptions(address, "One", `{"text": "`+strings.Repeat("x", size)+`"}`))
		calls(t, d, 2).want(t, nil)
		if came.Load() != 2*(size+5+4) {
			t.Errorf("%d bytes came", came.Load())
		}
	})
}

// TestGoAway checks that calls that a server leaves unanswered as it goes away have
// failed, and that others are answered, over the old connection or a new one.
func TestGoAway(t *testing.T) {
	var conns, seen, unprocessed atomic.Int64
	address := listen(t, func(c net.Conn) {
		n := conns.Add(1)
		p := greet(c)
		for i := 0; ; i++ {
			id := p.request()
			if id == 0 {
				return
			}
			seen.Add(1)
			switch {
			case n <= 3 && i == 5:
				unprocessed.Add(1)
				p.WriteGoAway(id-2, http2.ErrCodeNo, nil)
			case n <= 3 && i > 5:
				unprocessed.Add(1)
			default:
				p.answer(id)
			}
		}
	})
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		conns.Store(0)
		unprocessed.Store(0)
		o := echoOptions(address, "One", "{}")
		o.Calls = 1
		e := calls(t, newDriver(t, o), 40)
		e.want(t, map[string]int{"goaway": int(unprocessed.Load())})
		if conns.Load() < 4 || unprocessed.Load() == 0 {
			t.Errorf("%d connections, %d calls left behind", conns.Load(), unprocessed.Load())
		}
	})
	if seen.Load() != 80 {
		t.Errorf("the server saw %d calls of 80", seen.Load())
	}
}

// TestSentOnce checks that a call whose stream the server refuses is not made again.
func TestSentOnce(t *testing.T) {
	var seen atomic.Int64
	address := answering(t, func(p *peer, id uint32) {
		if seen.Add(1)%2 == 0 {
			p.WriteRSTStream(id, http2.ErrCodeRefusedStream)
			return
		}
		p.answer(id)
	})
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		seen.Store(0)
		e := calls(t, newDriver(t, echoOptions(address, "One", "{}")), 10)
		e.want(t, map[string]int{"refused stream": 5})
		if seen.Load() != 10 || !strings.HasPrefix(e.texts["refused stream"], "echo.v1.Echo/One: ") {
			t.Errorf("the server saw %d calls of 10; %q", seen.Load(), e.texts)
		}
	})
}

// TestMessagesBeforeDeadline checks that a stream that goes on until its time is over
// has the messages that came before.
func TestMessagesBeforeDeadline(t *testing.T) {
	address := answering(t, func(p *peer, id uint32) {
		p.headers(id, false, 1<<14, ":status", "200", "content-type", "application/grpc")
		p.WriteData(id, false, make([]byte, 3*5))
	})
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		o := echoOptions(address, "Down", "{}")
		o.Timeout = 500 * time.Millisecond
		e := calls(t, newDriver(t, o), 2)
		e.want(t, map[string]int{"grpc DeadlineExceeded": 2})
		if e.cut != 6 || e.answers != 0 || !strings.HasSuffix(e.texts["grpc DeadlineExceeded"], "timed out after 500ms and 3 messages of the answer") {
			t.Errorf("%d messages, and %d of complete answers; %q", e.cut, e.answers, e.texts)
		}
	})
}

// TestReflectionFallback checks that the older version of reflection is asked for
// whatever the newer one answers, and that an error names both.
func TestReflectionFallback(t *testing.T) {
	deny := func(prefix string, code codes.Code) grpc.ServerOption {
		return grpc.StreamInterceptor(func(srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, h grpc.StreamHandler) error {
			if strings.HasPrefix(info.FullMethod, prefix) {
				return status.Error(code, "not by me")
			}
			return h(srv, s)
		})
	}
	for _, code := range []codes.Code{codes.Unavailable, codes.Unauthenticated, codes.Internal, codes.Unimplemented} {
		_, address := serveEcho(t, newEcho(t), withV1|withV1Alpha, deny("/grpc.reflection.v1.", code))
		newDriver(t, Options{Address: address, Method: "echo.v1.Echo/One"})

		_, address = serveEcho(t, newEcho(t), withV1|withV1Alpha, deny("/grpc.reflection.", code))
		_, err := New(t.Context(), Options{Address: address, Method: "echo.v1.Echo/One"})
		for _, want := range []string{"v1: grpc " + code.String() + ": not by me", "v1alpha: grpc " + code.String(), "-proto FILE"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v; want %q in it", err, want)
			}
		}
	}
}

// TestGracefulStop has a server of grpc-go end as it does for a deployment, with
// another in its place, while calls are made.
func TestGracefulStop(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	e := newEcho(t)
	server := serveEchoOn(t, l, e, 0)
	o := echoOptions(address, "One", `{"delay_ms": 3}`)
	o.Connections, o.Calls = 2, 200
	s := newDriver(t, o).Sender()
	defer s.Close()
	p, err := load.Constant(1000, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	restarted := make(chan error)
	go func() {
		time.Sleep(500 * time.Millisecond)
		l.Close()
		next, err := net.Listen("tcp", address)
		if err == nil {
			serveEchoOn(t, next, e, 0)
			server.GracefulStop()
		}
		restarted <- err
	}()
	res, err := load.Run(t.Context(), p, s, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	if res.Succeeded != 2000 {
		t.Errorf("%d succeeded, %d failed: %+v", res.Succeeded, res.Failed, res.Failures)
	}
}

// TestEndsConnecting checks that calls whose connection doesn't come to be end with the context,
// and with Close. What ends calls that are connected, package loadtest asks.
func TestEndsConnecting(t *testing.T) {
	silent := listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	o := echoOptions(silent, "One", "{}")
	o.Connections, o.Calls = 1, 10
	d := newDriver(t, o)
	p, err := load.Constant(100, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	s := d.Sender()
	res, err := load.Run(t.Context(), p, s, load.Options{Grace: 100 * time.Millisecond})
	if err != nil || res.Failed != 30 || len(res.Failures) != 1 || res.Failures[0].Name != load.ClassNone {
		t.Errorf("%d failed %+v: %v", res.Failed, res.Failures, err)
	}
	s.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	res, err = load.RunUsers(ctx, d, load.Users{Users: 3, Requests: 10, Rounds: 1}, load.Options{}, nil)
	if err != nil || res.Failed != 3 || len(res.Failures) != 1 || res.Failures[0].Name != load.ClassNone {
		t.Errorf("users: %d failed %+v: %v", res.Failed, res.Failures, err)
	}

	s = d.Sender()
	var ended atomic.Int64
	for n := range int64(20) {
		s.Send(t.Context(), load.NewClock(), load.Request{N: n}, func(load.Request, load.Outcome) { ended.Add(1) })
	}
	s.Close()
	if ended.Load() != 20 {
		t.Errorf("%d calls of 20 ended", ended.Load())
	}
}

// certificate returns a certificate for a name, of its own or signed by another.
func certificate(t *testing.T, name string, parent *tls.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: parent == nil, BasicConstraintsValid: true,
	}
	signer, signerKey := c, any(key)
	if parent != nil {
		signer, signerKey = parent.Leaf, parent.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, c, signer, &key.PublicKey, signerKey)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func TestTLS(t *testing.T) {
	ca := certificate(t, "ca", nil)
	roots := x509.NewCertPool()
	roots.AddCert(ca.Leaf)
	server, client := certificate(t, "echo.example", &ca), certificate(t, "client", &ca)
	_, address := serveEcho(t, newEcho(t), withV1, grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{server}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert,
	})))
	_, plain := serveEcho(t, newEcho(t), 0)
	pair := []tls.Certificate{client}
	for _, test := range []struct {
		name, address, authority, class, text string
		config                                *tls.Config
	}{
		{name: "trusted", address: address, authority: "echo.example", config: &tls.Config{RootCAs: roots, Certificates: pair}},
		{name: "named", address: address, config: &tls.Config{RootCAs: roots, Certificates: pair, ServerName: "echo.example"}},
		{name: "unchecked", address: address, config: &tls.Config{InsecureSkipVerify: true, Certificates: pair}},
		{name: "untrusted", address: address, authority: "echo.example", class: "tls", text: "unknown authority",
			config: &tls.Config{RootCAs: x509.NewCertPool(), Certificates: pair}},
		{name: "wrong name", address: address, authority: "other.example:1", class: "tls", text: "not other.example",
			config: &tls.Config{RootCAs: roots, Certificates: pair}},
		{name: "no client certificate", address: address, authority: "echo.example", class: "tls", text: "certificate required", config: &tls.Config{RootCAs: roots}},
		{name: "server without", address: plain, class: "tls", text: "does not speak TLS", config: &tls.Config{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
				o := echoOptions(test.address, "One", `{"text": "love"}`)
				o.TLS, o.Authority, o.Timeout = test.config, test.authority, 10*time.Second
				e := calls(t, newDriver(t, o), 3)
				if test.class == "" {
					e.want(t, nil)
					return
				}
				e.want(t, map[string]int{test.class: 3})
				if !strings.Contains(e.texts[test.class], test.text) {
					t.Errorf("%q, want %q in it", e.texts[test.class], test.text)
				}
			})
		})
	}
	o := Options{Address: address, Method: "echo.v1.Echo/One", TLS: &tls.Config{RootCAs: roots, Certificates: pair, ServerName: "echo.example"}}
	newDriver(t, o) // reflection over TLS
}

// TestTimeoutKeepsConnection checks that a call whose time is over costs no connection.
func TestTimeoutKeepsConnection(t *testing.T) {
	var conns atomic.Int64
	address := listen(t, func(c net.Conn) {
		conns.Add(1)
		p := greet(c)
		for n := 0; ; n++ {
			id := p.request()
			if id == 0 {
				return
			}
			if n%2 == 1 {
				p.answer(id)
			}
		}
	})
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		conns.Store(0)
		o := echoOptions(address, "One", "{}")
		o.Timeout = 500 * time.Millisecond
		calls(t, newDriver(t, o), 6).want(t, map[string]int{"grpc DeadlineExceeded": 3})
		if conns.Load() != 1 {
			t.Errorf("%d connections", conns.Load())
		}
	})
}

// FuzzAnswer reads what a server may send.
func FuzzAnswer(f *testing.F) {
	var b bytes.Buffer
	p := &peer{Framer: http2.NewFramer(&b, nil)}
	p.enc = hpack.NewEncoder(&p.block)
	p.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 7})
	p.WriteWindowUpdate(1, 70_000)
	p.WriteWindowUpdate(0, 70_000)
	p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 7}, http2.Setting{ID: http2.SettingHeaderTableSize, Val: 7})
	p.WritePing(false, [8]byte{})
	p.headers(1, false, 9, ":status", "200", "content-type", "application/grpc", "x", "y")
	p.WriteRSTStream(3, http2.ErrCodeRefusedStream)
	p.answer(1)
	p.WriteGoAway(1, http2.ErrCodeNo, nil)
	f.Add(b.Bytes())
	f.Add(binary.BigEndian.AppendUint32(nil, 1<<31))
	f.Fuzz(readAnswer)
}

// readAnswer has a client read what a server sends to it.
func readAnswer(t *testing.T, answer []byte) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	go io.Copy(io.Discard, theirs)
	go func() {
		theirs.Write(answer)
		theirs.Close()
	}()
	c, err := open(t.Context(), ours, 1<<20)
	if err != nil {
		return
	}
	client := &client{dialer: &dialer{}, conn: c}
	k := newCall(client, &route{manyAnswers: true})
	k.body = make([]byte, 100_000)
	if c.begin(k) == nil {
		for !client.ended {
			c.flush()
			if err := c.next(); err != nil {
				c.fail(err)
			}
		}
	}
	c.close()
}

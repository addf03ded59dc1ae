package grpcload

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/hone-go/hone/internal/load"
)

// echoOptions calls a method of the server at an address.
func echoOptions(address, method, data string) Options {
	return Options{Address: address, Method: "echo.v1.Echo/" + method, Data: data, Protos: []string{"testdata/echo.proto"}}
}

func newDriver(tb testing.TB, o Options) *Driver {
	tb.Helper()
	d, err := New(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// An ending is what came of some calls.
type ending struct {
	bytes        int64
	answers, cut int64 // messages
	failures     map[string]int
	texts        map[string]string // one of each class
	outcomes     []load.Outcome
}

func (e *ending) add(o load.Outcome) {
	e.outcomes = append(e.outcomes, o)
	if o.Failure != nil {
		e.failures[o.Failure.Class]++
		e.texts[o.Failure.Class] = o.Failure.Text
		return
	}
	e.bytes += int64(o.Bytes)
}

// viaSender makes n calls at once over a Sender.
func viaSender(t *testing.T, d *Driver, n int) *ending {
	t.Helper()
	s := d.Sender()
	defer s.Close()
	e := &ending{failures: make(map[string]int), texts: make(map[string]string)}
	var mu sync.Mutex
	var all sync.WaitGroup
	clock := load.NewClock()
	for i := range n {
		all.Add(1)
		s.Send(t.Context(), clock, load.Request{N: int64(i)}, func(_ load.Request, o load.Outcome) {
			mu.Lock()
			e.add(o)
			mu.Unlock()
			all.Done()
		})
	}
	all.Wait()
	e.answers, e.cut = d.Answers()
	return e
}

// viaClient makes n calls after each other over a Client.
func viaClient(t *testing.T, d *Driver, n int) *ending {
	t.Helper()
	e := &ending{failures: make(map[string]int), texts: make(map[string]string)}
	p := load.NewPool(d, 1)
	clock := load.NewClock()
	for i := range n {
		ended := make(chan load.Outcome, 1)
		p.Send(t.Context(), clock, load.Request{N: int64(i)}, func(_ load.Request, o load.Outcome) { ended <- o })
		e.add(<-ended)
	}
	p.Close()
	e.answers, e.cut = d.Answers()
	return e
}

// both runs a test with calls through a Sender and through Clients.
func both(t *testing.T, f func(t *testing.T, calls func(*testing.T, *Driver, int) *ending)) {
	t.Run("sender", func(t *testing.T) { f(t, viaSender) })
	t.Run("client", func(t *testing.T) { f(t, viaClient) })
}

func (e *ending) want(t *testing.T, failures map[string]int) {
	t.Helper()
	if !maps.Equal(e.failures, failures) {
		t.Errorf("failures %v, want %v; texts %q", e.failures, failures, e.texts)
	}
}

// replySize is how long a Reply with a text of n bytes is.
func replySize(n int) int64 {
	if n == 0 {
		return 0
	}
	return int64(len(appendLengthOf(n))) + 1 + int64(n)
}

func appendLengthOf(n int) (b []byte) {
	for ; n >= 128; n >>= 7 {
		b = append(b, 1)
	}
	return append(b, 1)
}

func TestCalls(t *testing.T) {
	_, address := serveEcho(t, newEcho(t), 0, grpc.MaxRecvMsgSize(64<<20))
	long := strings.Repeat("to be or not ", 1<<19) // 6 MiB: a hundred windows
	for _, test := range []struct {
		name, method, data string
		answers            int64
		bytes              int64
	}{
		{"static", "One", `{"text": "love"}`, 1, replySize(4)},
		{"empty", "One", ``, 1, 0},
		{"template", "One", `{"text": "{{letters 9}}"}`, 1, replySize(9)},
		{"down", "Down", `{"text": "love", "count": 50}`, 50, 50 * replySize(4)},
		{"down nothing", "Down", `{}`, 0, 0},
		{"up", "Up", `[{"text": "a"}, {"text": "{{hex 5}}"}, {}]`, 1, 2},
		{"up nothing", "Up", `[]`, 1, 0},
		{"both", "Both", "{\"text\": \"a\"}\n{\"text\": \"{{hex 5}}\"}\n", 2, replySize(1) + replySize(5)},
		{"long request", "One", `{"text": "` + long + `"}`, 1, replySize(len(long))},
		{"long template", "One", `{"text": "{{hex 1}}` + long + `"}`, 1, replySize(len(long) + 1)},
		{"long answers", "Down", `{"size": 2000000, "count": 30}`, 30, 30 * replySize(2_000_000)},
		{"wrapper", "Word", `"love {{n}}"`, 1, replySize(6)},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
				o := echoOptions(address, test.method, test.data)
				o.Connections, o.Calls = 2, 5
				e := calls(t, newDriver(t, o), 8)
				e.want(t, nil)
				if e.answers != 8*test.answers || e.bytes != 8*test.bytes {
					t.Errorf("%d messages of %d bytes, want %d of %d", e.answers, e.bytes, 8*test.answers, 8*test.bytes)
				}
			})
		})
	}
}

func TestMetadata(t *testing.T) {
	e := newEcho(t)
	var mu sync.Mutex
	var seen []map[string][]string
	e.seen = func(ctx context.Context, _ *dynamicpb.Message) {
		mu.Lock()
		seen = append(seen, incoming(ctx))
		mu.Unlock()
	}
	_, address := serveEcho(t, e, 0)
	o := echoOptions(address, "One", "{}")
	o.Metadata = []string{"Authorization: Bearer x", "x-request: {{n}}", "raw-bin: /wA", "url-bin: _wA=", "more-bin: {{n}}//+", "long: " + strings.Repeat("{{n}}", 20000)}
	o.Authority = "echo.example"
	o.Timeout = 90 * time.Second
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		seen = nil
		calls(t, newDriver(t, o), 3).want(t, nil)
		var requests []string
		for _, md := range seen {
			requests = append(requests, md["x-request"]...)
			if md["authorization"][0] != "Bearer x" || md["raw-bin"][0] != "\xff\x00" || md["url-bin"][0] != "\xff\x00" || md["more-bin"][0] != string([]byte{0xd3 + 4*md["x-request"][0][0] - 4*'0', 0xff, 0xfe}) ||
				md["long"][0] != strings.Repeat(md["x-request"][0], 20000) || md[":authority"][0] != "echo.example" || md["user-agent"][0] != "hone" {
				t.Errorf("metadata %.500q", md)
			}
		}
		slices.Sort(requests)
		if want := []string{"0", "1", "2"}; !slices.Equal(requests, want) {
			t.Errorf("x-request: %q, want %q", requests, want)
		}
	})
	for text, want := range map[string]string{
		"novalue":       `invalid metadata "novalue": use NAME: VALUE`,
		"a b: c":        `invalid metadata "a b: c": a name has only letters, digits, dots, - and _`,
		"grpc-x: c":     `invalid metadata "grpc-x: c": grpc-x belongs to the protocol, and hone sets it`,
		"a: é":          `metadata "a: é": invalid metadata a: "é" has characters that are not printable ASCII`,
		"a-bin: hello!": `metadata "a-bin: hello!": invalid metadata a-bin: "hello!" is not base64`,
		"a: b {{nope}}": `metadata 1:1:5: unknown function {{nope}} (known: `,
	} {
		o.Metadata = []string{text}
		if _, err := New(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestTimeoutField(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1: "1n", time.Millisecond: "1000000n", time.Second: "1000000u", 100 * time.Second: "100000m", 99999999 * time.Millisecond: "99999999m",
		48 * time.Hour: "172800S", 99999999*time.Nanosecond + 1: "100000u", 1<<63 - 1: "2562048H",
	} {
		if got := timeoutField(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestGzip(t *testing.T) {
	_, address := serveEcho(t, newEcho(t), 0)
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		for _, data := range []string{`{"text": "x"}`, `{"text": "{{n}}"}`} {
			o := echoOptions(address, "One", data)
			o.Gzip = true
			e := calls(t, newDriver(t, o), 3)
			e.want(t, nil)
			if e.bytes <= 3*replySize(1) {
				t.Errorf("%d bytes: the answers were not compressed", e.bytes)
			}
		}
	})
}

// TestServerLimits checks that calls wait where the server takes few at a time.
func TestServerLimits(t *testing.T) {
	_, address := serveEcho(t, newEcho(t), 0, grpc.MaxConcurrentStreams(3))
	o := echoOptions(address, "One", `{"delay_ms": 20}`)
	o.Connections, o.Calls = 2, 100
	s := newDriver(t, o)
	start := time.Now()
	e := viaSender(t, s, 30)
	e.want(t, nil)
	waited := 0
	for _, o := range e.outcomes {
		if o.Waited {
			waited++
		}
	}
	if took := time.Since(start); took < 90*time.Millisecond {
		t.Errorf("30 calls of 20 ms, 6 at a time, took %v", took)
	}
	t.Logf("%d of 30 waited", waited)
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	serveEchoOn(t, l, newEcho(t), withV1)
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		calls(t, newDriver(t, Options{Address: "unix:" + path, Method: "echo.v1.Echo/One"}), 3).want(t, nil)
	})
}

func TestManyConnections(t *testing.T) {
	_, address := serveEcho(t, newEcho(t), 0)
	o := echoOptions(address, "One", `{"text": "{{n}}"}`)
	o.Connections, o.Calls = 5, 50
	s := newDriver(t, o).Sender()
	defer s.Close()
	p, err := load.Constant(3000, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	res, err := load.Run(t.Context(), p, s, load.Options{})
	if err != nil || res.Failed > 0 || res.Succeeded != 3000 || s.driver.Connections().Peak() != 5 || s.Parallel() > 50 {
		t.Errorf("%d succeeded, %d failed %+v, %d connections: %v", res.Succeeded, res.Failed, res.Failures, s.driver.Connections().Peak(), err)
	}
}

// TestConnect calls a server of connect-go, which has net/http's HTTP/2.
func TestConnect(t *testing.T) {
	const procedure = "/echo.v1.Echo/Word"
	mux := http.NewServeMux()
	mux.Handle(procedure, connect.NewUnaryHandler(procedure,
		func(_ context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.StringValue], error) {
			if r.Msg.Value == "bad" {
				return nil, connect.NewError(connect.CodeNotFound, fmt.Errorf("%q is not here", r.Msg.Value))
			}
			return connect.NewResponse(wrapperspb.String(r.Msg.Value)), nil
		}))
	server := httptest.NewUnstartedServer(mux)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	address := server.Listener.Addr().String()
	both(t, func(t *testing.T, calls func(*testing.T, *Driver, int) *ending) {
		e := calls(t, newDriver(t, echoOptions(address, "Word", `"to be"`)), 20)
		e.want(t, nil)
		if e.bytes != 20*replySize(5) {
			t.Errorf("%d bytes", e.bytes)
		}
		long := strings.Repeat("x", 1<<21)
		calls(t, newDriver(t, echoOptions(address, "Word", `"`+long+`"`)), 5).want(t, nil)
		e = calls(t, newDriver(t, echoOptions(address, "Word", `"bad"`)), 2)
		e.want(t, map[string]int{"grpc NotFound": 2})
		if want := `echo.v1.Echo/Word: grpc NotFound: "bad" is not here`; e.texts["grpc NotFound"] != want {
			t.Errorf("%q, want %q", e.texts["grpc NotFound"], want)
		}
		e = calls(t, newDriver(t, echoOptions(address, "One", "{}")), 2)
		e.want(t, map[string]int{"status 404": 2})
	})
	if _, err := New(t.Context(), Options{Address: address, Method: "echo.v1.Echo/Word"}); err == nil || !strings.Contains(err.Error(), "v1: status 404") && !strings.Contains(err.Error(), "v1: HTTP status 404") {
		t.Errorf("a server without reflection: %v", err)
	}
}

func TestUsers(t *testing.T) {
	_, address := serveEcho(t, newEcho(t), 0)
	d := newDriver(t, echoOptions(address, "One", `{"text": "{{n}}"}`))
	res, err := load.RunUsers(t.Context(), d, load.Users{Users: 4, Requests: 20, Rounds: 5}, load.Options{}, nil)
	if err != nil || res.Succeeded != 400 || len(res.Rounds) != 5 {
		t.Errorf("%d succeeded, %d failed %v, %d rounds: %v", res.Succeeded, res.Failed, res.Failures, len(res.Rounds), err)
	}
}

// TestSeed checks that a request's random values follow from its number.
func TestSeed(t *testing.T) {
	e := newEcho(t)
	var mu sync.Mutex
	var seen []string
	e.seen = func(_ context.Context, m *dynamicpb.Message) {
		mu.Lock()
		seen = append(seen, m.Get(m.Descriptor().Fields().ByName("text")).String())
		mu.Unlock()
	}
	_, address := serveEcho(t, e, 0)
	d := newDriver(t, echoOptions(address, "One", `{"text": "{{n}} {{hex 16}}"}`))
	var runs [][]string
	for _, calls := range []func(*testing.T, *Driver, int) *ending{viaSender, viaClient} {
		seen = nil
		calls(t, d, 20)
		slices.Sort(seen)
		runs = append(runs, seen)
	}
	if !slices.Equal(runs[0], runs[1]) {
		t.Errorf("%q and %q", runs[0], runs[1])
	}
	if slices.Sort(runs[0]); len(slices.Compact(runs[0])) != 20 {
		t.Errorf("values repeat: %q", runs[0])
	}
}

func TestFrames(t *testing.T) {
	for _, n := range []int{0, 1, 126, 127, 128, 254, 255, 300, 1 << 20} {
		b := appendLength(nil, n)
		var want bytes.Buffer
		if n < 127 {
			want.WriteByte(byte(n))
		} else {
			want.WriteByte(127)
			rest := n - 127
			for rest >= 128 {
				want.WriteByte(byte(rest%128 + 128))
				rest /= 128
			}
			want.WriteByte(byte(rest))
		}
		if !bytes.Equal(b, want.Bytes()) {
			t.Errorf("%d: % x, want % x", n, b, want.Bytes())
		}
	}
}

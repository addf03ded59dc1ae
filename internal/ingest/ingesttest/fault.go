package ingesttest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
)

// Serve serves what mount mounts, over HTTP/1 and HTTP/2 without TLS, until the
// test ends.
func Serve(t testing.TB, recv ingest.Receiver, mount func(*http.ServeMux, ingest.Receiver)) *httptest.Server {
	t.Helper()
	return serve(t, recv, mount, 0)
}

// serve is Serve, giving up requests that take longer than patience to arrive.
func serve(t testing.TB, recv ingest.Receiver, mount func(*http.ServeMux, ingest.Receiver), patience time.Duration) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mount(mux, recv)
	server := httptest.NewUnstartedServer(mux)
	server.Config.ReadTimeout = patience
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// H2C returns a client that speaks HTTP/2 without TLS, as gRPC needs it.
func H2C(t testing.TB) *http.Client {
	h2c := &http.Transport{Protocols: new(http.Protocols)}
	h2c.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(h2c.CloseIdleConnections)
	return &http.Client{Transport: h2c}
}

// CheckHalfRequests sends requests whose bodies don't arrive in full, slowly and
// on connections that are dropped: nothing may be received, and the server has to
// answer what comes after them. send makes a request that is all right.
func CheckHalfRequests(t *testing.T, mount func(*http.ServeMux, ingest.Receiver), path, contentType string, send func(url string, start time.Time)) {
	t.Helper()
	recv := &Recorder{Lim: ingest.Limits{BodyBytes: 1 << 20, Pushes: 100}}
	server := serve(t, recv, mount, time.Second)
	for _, drop := range []bool{true, false} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\nhalf", path, contentType)
		if !drop {
			conn.SetReadDeadline(time.Now().Add(time.Minute))
			answer, _ := io.ReadAll(conn)
			if _, status, _ := strings.Cut(string(answer), " "); !strings.HasPrefix(status, "4") && !strings.HasPrefix(status, "503") && !strings.HasPrefix(status, "504") {
				t.Errorf("a slow body is answered with %.100q", answer)
			}
		}
		conn.Close()
	}
	if got := recv.Pushes(); len(got) != 0 {
		t.Errorf("%d profiles of half a request arrived", len(got))
	}
	send(server.URL, time.Unix(1_700_000_000, 0))
	if got := recv.Pushes(); len(got) != 1 {
		t.Errorf("%d profiles arrived afterwards, want 1", len(got))
	}
}

// CheckTwice sends profiles out of order and one of them twice: each has to be
// there once, at its time. send sends a profile whose collection began at start.
func CheckTwice(t *testing.T, st store.Store, mount func(*http.ServeMux, ingest.Receiver), send func(url string, start time.Time)) {
	t.Helper()
	server := Serve(t, ingest.New(ingest.Config{Store: st}), mount)
	begin := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, minute := range []int{2, 0, 1, 2} {
		send(server.URL, begin.Add(time.Duration(minute)*time.Minute))
	}
	series, err := st.Series(context.Background(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	var times []string
	for _, s := range series {
		for _, p := range s.Points {
			times = append(times, time.Duration(p.Time-begin.UnixNano()).String())
		}
	}
	if got := strings.Join(times, " "); got != "0s 1m0s 2m0s" {
		t.Errorf("profiles at %s after the first, want 0s 1m0s 2m0s", got)
	}
}

package server_test

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/servertest"

	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
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

// remembering gives a server so much memory for what is sent.
func remembering(total int64) func(*servertest.Config) {
	return func(c *servertest.Config) {
		memory := ingest.NewMemory(total)
		c.Continuous.Memory = memory
		c.Continuous.Receiver = func(st store.Store) ingest.Receiver {
			return ingest.New(ingest.Config{Store: st, Allow: server.MayWrite, Memory: memory})
		}
	}
}

// TestSendingLimit checks that pushes that would take too much memory together
// are told to come again, and that there is room when the others are done.
func TestSendingLimit(t *testing.T) {
	l := servertest.NewLive(t, remembering(4<<20))
	sent, release := make(chan bool), make(chan bool)
	body := io.MultiReader(strings.NewReader(strings.Repeat("x", 2040<<10)), held{sent, release})
	first := httptest.NewRecorder()
	done := make(chan bool)
	go func() {
		defer close(done)
		l.ServeHTTP(first, httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/profiles?service=x", body))
	}()
	<-sent
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	second := l.Do("POST", "/api/v1/profiles?service=x", servertest.ProfileBody(t), func(r *http.Request) { *r = *r.WithContext(ctx) })
	if second.StatusCode != 503 || second.Header.Get("Retry-After") == "" {
		t.Errorf("a push while there is no room: %s", second.Status)
	}
	if text := l.Get("/api/v1/status"); !strings.Contains(text, "bytes of pushes in memory") {
		t.Errorf("the status doesn't tell of it: %s", text)
	}
	close(release)
	<-done
	if third := l.Do("POST", "/api/v1/profiles?service=x", servertest.ProfileBody(t)); third.StatusCode != 204 {
		t.Errorf("a push when there is room again: %s", third.Status)
	}
	if n := l.Memory(); n != 0 {
		t.Errorf("%d bytes are in use when nobody sends", n)
	}
}

// held is a reader that says when it is asked, and ends when it may.
type held struct{ asked, release chan bool }

func (g held) Read([]byte) (int, error) {
	close(g.asked)
	<-g.release
	return 0, io.EOF
}

// TestIdleSenders checks that connections that announce a lot and send nothing
// keep nobody from sending, and are ended.
func TestIdleSenders(t *testing.T) {
	for _, n := range []int{4, 400} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			live := servertest.NewLive(t, func(c *servertest.Config) {
				remembering(16 << 20)(c)
				c.Limits.Grace, c.Limits.Rate = 3*time.Second, 1000
				c.Log = func(string) {}
			})
			l := listenAs(t, live, server.Listening{})
			var idle []net.Conn
			for i := range n {
				c, err := net.Dial("tcp", l.addr)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				path, kind := "/api/v1/profiles?service=x", "application/octet-stream"
				if i%2 == 1 {
					path, kind = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", "application/proto"
				}
				fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: 67108864\r\n\r\nabc", path, l.addr, kind)
				idle = append(idle, c)
			}
			if used := l.Memory(); used > int64(100*n) {
				t.Errorf("%d idle senders hold %d bytes", n, used)
			}
			for _, h2 := range []bool{false, true} {
				answer, err := client(t, h2, nil).Post("http://"+l.addr+"/api/v1/profiles?service=x", "", strings.NewReader(servertest.ProfileBody(t)))
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if answer.StatusCode != 204 {
					t.Errorf("a push meanwhile: %s", answer.Status)
				}
			}
			for i, c := range idle {
				c.SetReadDeadline(time.Now().Add(time.Minute))
				answer, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					t.Fatalf("sender %d: %v", i, err)
				}
				body, _ := io.ReadAll(answer.Body)
				if want := []int{408, 504}[i%2]; answer.StatusCode != want || !strings.Contains(string(body), "too slow") {
					t.Errorf("sender %d: %s: %s, want %d", i, answer.Status, body, want)
				}
			}
		})
	}
}

// TestSteadySender checks that who sends slowly but steadily is let.
func TestSteadySender(t *testing.T) {
	live := servertest.NewLive(t, func(c *servertest.Config) {
		c.Limits.Grace, c.Limits.Rate = time.Second, 10
	})
	l := listenAs(t, live, server.Listening{})
	body := servertest.ProfileBody(t)
	r, w := io.Pipe()
	go func() {
		for len(body) > 0 {
			n := min(len(body), 1+len(servertest.ProfileBody(t))/15)
			io.WriteString(w, body[:n])
			body = body[n:]
			time.Sleep(100 * time.Millisecond)
		}
		w.Close()
	}()
	answer, err := client(t, false, nil).Post("http://"+l.addr+"/api/v1/profiles?service=x", "", r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 204 {
		t.Errorf("the answer is %s", answer.Status)
	}
}

// TestCompressedMessages checks that messages of gRPC and Connect are
// decompressed within the memory that there is.
func TestCompressedMessages(t *testing.T) {
	l := listenAs(t, servertest.NewLive(t, remembering(8<<20)), server.Listening{})
	const procedure = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw"
	compress := func(b []byte) []byte {
		var buf bytes.Buffer
		z := gzip.NewWriter(&buf)
		z.Write(b)
		z.Close()
		return buf.Bytes()
	}
	bomb := compress(make([]byte, 60<<20))
	empty := compress(nil)
	for _, test := range []struct {
		name, kind, encoding string
		message              []byte
		status, grpc         string
	}{
		{"connect", "application/proto", "Content-Encoding", empty, "200", ""},
		{"grpc", "application/grpc", "Grpc-Encoding", empty, "200", "0"},
		{"connect bomb", "application/proto", "Content-Encoding", bomb, "429", ""},
		{"grpc bomb", "application/grpc", "Grpc-Encoding", bomb, "200", "8"},
	} {
		message := test.message
		if test.encoding == "Grpc-Encoding" {
			message = append(binary.BigEndian.AppendUint32([]byte{1}, uint32(len(message))), message...)
		}
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+l.addr+procedure, bytes.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", test.kind)
		r.Header.Set(test.encoding, "gzip")
		answer, err := client(t, true, nil).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		grpc := answer.Trailer.Get("Grpc-Status") + answer.Header.Get("Grpc-Status")
		if !strings.HasPrefix(answer.Status, test.status) || grpc != test.grpc {
			t.Errorf("%s: %s, grpc-status %q, want %s and %q", test.name, answer.Status, grpc, test.status, test.grpc)
		}
	}
	if n := l.Memory(); n != 0 {
		t.Errorf("%d bytes are in use when nobody sends", n)
	}
}

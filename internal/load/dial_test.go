package load

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestResolveGivesUp: a name server that does not answer costs seconds, not minutes.
func TestResolveGivesUp(t *testing.T) {
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	was := net.DefaultResolver
	defer func() { net.DefaultResolver = was }()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", silent.LocalAddr().String())
	}}
	start := time.Now()
	_, err = Dial(t.Context(), "tcp", "nowhere.example:80")
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	if f := FailureOf(err); f == nil || f.Class != "name not found" || !strings.Contains(f.Text, "nowhere.example") {
		t.Errorf("%+v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Resolve(ctx, "nowhere.example:80"); err == nil {
		t.Error("a name that nobody knows is resolved")
	}
}

func TestDial(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	_, port, _ := net.SplitHostPort(tcp.Addr().String())
	path := filepath.Join(t.TempDir(), "s")
	unix, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	var open Gauge
	for network, address := range map[string]string{"tcp": "localhost:" + port, "tcp4": "127.0.0.1:" + port, "unix": path} {
		c, err := Dial(t.Context(), network, address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		c = Counted(c, &open)
		c.Close()
		c.Close()
	}
	if open.Peak() != 1 {
		t.Errorf("%d connections at once", open.Peak())
	}
	if open.Restart(); open.Peak() != 0 {
		t.Errorf("%d connections are open", open.Peak())
	}
	if _, err := Dial(t.Context(), "tcp", "localhost:1"); FailureOf(err).Class != "refused" || !strings.Contains(err.Error(), "localhost") {
		t.Errorf("nobody listens: %v", err)
	}
}

// TestHandshake: an error says who refused whom.
func TestHandshake(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	server.StartTLS()
	defer server.Close()
	plain := httptest.NewServer(nil)
	defer plain.Close()
	for _, test := range []struct {
		address string
		config  *tls.Config
		want    string
	}{
		{server.Listener.Addr().String(), &tls.Config{ServerName: "example.com"}, "hone refused the server's certificate"},
		{server.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}, "the server refused the TLS handshake: remote error: tls: protocol version"},
		{plain.Listener.Addr().String(), &tls.Config{InsecureSkipVerify: true}, "the server does not speak TLS"},
	} {
		c, err := Dial(t.Context(), "tcp", test.address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Handshake(t.Context(), c, test.config)
		if f := FailureOf(err); f == nil || f.Class != "tls" || !strings.HasPrefix(f.Text, test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the connection is open: %v", err)
		}
	}
}

// TestAlert: TLS 1.3 refuses a client's certificate when the handshake is over for the client.
// The class follows from who sent the alert, whatever it says.
func TestAlert(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	c, err := Dial(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	secure, err := Handshake(t.Context(), c, &tls.Config{InsecureSkipVerify: true})
	if err == nil {
		defer secure.Close()
		_, err = secure.Read(make([]byte, 1))
	}
	if f := FailureOf(err); f == nil || f.Class != "tls" || !strings.HasPrefix(f.Text, "the server refused: remote error: ") {
		t.Errorf("%+v, want a failure of class tls that says that the server refused", f)
	}
}

// TestNoTLS: what goes wrong in a handshake is a failure of TLS, also where package tls has no type for it.
func TestNoTLS(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	_, err := Handshake(t.Context(), ours, &tls.Config{}) // no server to ask for
	if f := FailureOf(err); f == nil || f.Class != "tls" {
		t.Errorf("%+v, want class tls", f)
	}
}

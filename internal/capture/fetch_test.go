package capture

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/freeport"
)

// quick is a Fetcher that gives a silent server 400 ms.
func quick() *Fetcher {
	return &Fetcher{Timeout: 500 * time.Millisecond, slack: 1500 * time.Millisecond}
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// get opens and reads all of source.
func get(t *testing.T, f *Fetcher, source string) (*Source, string, error) {
	t.Helper()
	src, err := f.Open(t.Context(), source)
	if err != nil {
		return nil, "", err
	}
	defer src.Reader.Close()
	data, err := io.ReadAll(src.Reader)
	return src, string(data), err
}

func TestAdjustURL(t *testing.T) {
	const handler = "/debug/pprof/profile"
	for _, tt := range []struct {
		source  string
		seconds int
		timeout time.Duration
		want    string // "" is not a URL
		wantFor time.Duration
	}{
		{source: "localhost:6060", want: "http://localhost:6060" + handler, wantFor: time.Minute},
		{source: "127.0.0.1:6060", want: "http://127.0.0.1:6060" + handler, wantFor: time.Minute},
		{source: "[::1]:6060/", want: "http://[::1]:6060" + handler, wantFor: time.Minute},
		{source: "http://host", want: "http://host" + handler, wantFor: time.Minute},
		{source: "https://host:1/debug/pprof/heap", want: "https://host:1/debug/pprof/heap", wantFor: time.Minute},
		{source: "https+insecure://host:1", want: "https+insecure://host:1" + handler, wantFor: time.Minute},
		{source: "host:1/x?b=2&a=1", want: "http://host:1/x?a=1&b=2", wantFor: time.Minute},
		{source: "host:1", seconds: 10, want: "http://host:1" + handler + "?seconds=10", wantFor: 15 * time.Second},
		{source: "host:1/x?seconds=3", seconds: 10, want: "http://host:1/x?seconds=10", wantFor: 15 * time.Second},
		{source: "host:1/x?seconds=100", want: "http://host:1/x?seconds=100", wantFor: 150 * time.Second},
		{source: "host:1/x?seconds=none", want: "http://host:1/x?seconds=none", wantFor: time.Minute},
		{source: "host:1/x?seconds=-4", want: "http://host:1/x?seconds=-4", wantFor: time.Minute},
		{source: "host:1", seconds: 10, timeout: 3 * time.Second, want: "http://host:1" + handler + "?seconds=10", wantFor: 3 * time.Second},
		{source: "host:1", timeout: -1, want: "http://host:1" + handler, wantFor: time.Minute},
		{source: "mem_2023-11-02_03:55:24"},
		{source: "abc:123/mem_2023-11-02_03:55:24", want: "http://abc:123/mem_2023-11-02_03:55:24", wantFor: time.Minute},
		{source: "ftp://host/x", want: "ftp://host/x", wantFor: time.Minute},
		{source: "cpu.pprof"},
		{source: "./dir/cpu.pprof"},
		{source: "/abs/cpu.pprof"},
		{source: "file:///abs/cpu.pprof"},
		{source: `C:\profiles\cpu.pprof`},
		{source: ""},
	} {
		f := &Fetcher{Seconds: tt.seconds, Timeout: tt.timeout}
		r, ok := f.adjustURL(tt.source)
		got := ""
		if ok {
			got = r.url.String()
		}
		if got != tt.want || r.timeout != tt.wantFor {
			t.Errorf("adjustURL(%q, %d, %v) = %q, %v; want %q, %v", tt.source, tt.seconds, tt.timeout, got, r.timeout, tt.want, tt.wantFor)
		}
		if ok && r.limit != r.timeout+5*time.Second {
			t.Errorf("adjustURL(%q): limit %v for timeout %v", tt.source, r.limit, r.timeout)
		}
	}
}

func TestOpenLocal(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"p.pb.gz", "localhost:6060"} {
		if err := os.WriteFile(name, []byte("data"), 0o666); err != nil {
			t.Skip(err)
		}
		src, data, err := get(t, new(Fetcher), name)
		if err != nil || data != "data" || src.Name != name || src.Remote || src.URL != "" || src.Size != 4 {
			t.Errorf("Open(%s): %+v, %q, %v", name, src, data, err)
		}
	}

	src, data, err := get(t, &Fetcher{Stdin: strings.NewReader("piped")}, "-")
	if err != nil || data != "piped" || src.Name != "stdin" || src.Remote || src.Size != -1 {
		t.Errorf("Open(-): %+v, %q, %v", src, data, err)
	}

	for name, want := range map[string]string{
		dir:                     dir + ": is a directory",
		"missing.pb.gz":         "open missing.pb.gz: no such file or directory",
		"no/such/dir/p.pb.gz":   "open no/such/dir/p.pb.gz: no such file or directory",
		"p.pb.gz/under-a-file":  "open p.pb.gz/under-a-file: not a directory",
		"file:///tmp/cpu.pprof": "open file:///tmp/cpu.pprof: no such file or directory",
		"":                      "open : no such file or directory",
	} {
		if _, err := new(Fetcher).Open(t.Context(), name); err == nil || err.Error() != want {
			t.Errorf("Open(%q): error %v, want %s", name, err, want)
		}
	}
	if _, err := new(Fetcher).Open(t.Context(), "missing.pb.gz"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v is not ErrNotExist", err)
	}
}

func TestFetch(t *testing.T) {
	var got *http.Request
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Clone(context.Background())
		w.Write([]byte("\x1f\x8bprofile"))
	})
	var progress bytes.Buffer
	f := &Fetcher{Seconds: 2, Progress: &progress}
	src, data, err := get(t, f, s.Listener.Addr().String())
	if err != nil || data != "\x1f\x8bprofile" {
		t.Fatalf("%q, %v", data, err)
	}
	url := s.URL + "/debug/pprof/profile?seconds=2"
	if src.Name != url || src.URL != url || !src.Remote || src.Size != 9 {
		t.Errorf("source %+v, want URL %s", src, url)
	}
	if got.URL.String() != "/debug/pprof/profile?seconds=2" {
		t.Errorf("request %s", got.URL)
	}
	if want := "Fetching profile over HTTP from " + url + "\nPlease wait... (2s)\n"; progress.String() != want {
		t.Errorf("progress %q, want %q", progress.String(), want)
	}

	// The same, asked for in the URL itself.
	asked := progress.String()
	progress.Reset()
	if _, _, err := get(t, &Fetcher{Progress: &progress}, url); err != nil || progress.String() != asked {
		t.Errorf("%v: progress %q, want %q", err, progress.String(), asked)
	}
}

func TestFetchFromPprofHandlers(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	s := httptest.NewServer(mux)
	defer s.Close()

	_, data, err := get(t, new(Fetcher), s.URL+"/debug/pprof/heap")
	if err != nil || !strings.HasPrefix(data, "\x1f\x8b") {
		t.Errorf("heap: %.10q, %v", data, err)
	}
	_, data, err = get(t, new(Fetcher), s.URL+"/debug/pprof/goroutine?debug=1")
	if err != nil || !strings.HasPrefix(data, "goroutine profile: ") {
		t.Errorf("goroutine: %.20q, %v", data, err)
	}
	for path, want := range map[string]string{
		"/debug/pprof/":         "the server sent an HTML page, not a profile (did you mean " + s.URL + "/debug/pprof/profile?)",
		"/debug/pprof":          "the server sent an HTML page, not a profile (did you mean " + s.URL + "/debug/pprof/profile?)",
		"/debug/pprof/nonesuch": "server response: 404 Not Found - Unknown profile",
	} {
		_, _, err := get(t, new(Fetcher), s.URL+path)
		if err == nil || err.Error() != s.URL+path+": "+want {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
}

func TestRedirect(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new", http.StatusFound)
		case "/new":
			io.WriteString(w, "profile")
		default:
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}
	})
	src, _, err := get(t, new(Fetcher), s.URL+"/old")
	if err != nil || src.Name != s.URL+"/new" || src.URL != s.URL+"/old" {
		t.Errorf("%+v, %v", src, err)
	}
	_, _, err = get(t, new(Fetcher), s.URL+"/loop")
	want := s.URL + "/loop: stopped after 10 redirects, the last to " + s.URL + "/loopxxxxxxxxxx"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestFaults: whatever a server does, one line says which and what.
func TestFaults(t *testing.T) {
	hang := func(r *http.Request) { <-r.Context().Done() }
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		path    string
		max     int64
		want    string // URL in it is the server's
	}{
		{name: "404", handler: http.NotFound, path: "/debug/pprof/heap",
			want: "URL/debug/pprof/heap: server response: 404 Not Found (does the program import net/http/pprof?)"},
		{name: "500", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "secret details", http.StatusInternalServerError)
		}, want: "URL/x: server response: 500 Internal Server Error"},
		{name: "500 of pprof", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Go-Pprof", "1")
			http.Error(w, "Could not enable CPU profiling:\n\x1b[31mcpu profiling already in use", http.StatusInternalServerError)
		}, want: "URL/x: server response: 500 Internal Server Error - Could not enable CPU profiling:  [31mcpu profiling already in use"},
		{name: "long error", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Go-Pprof", "1")
			http.Error(w, strings.Repeat("e", 5000), http.StatusInternalServerError)
		}, want: "URL/x: server response: 500 Internal Server Error - " + strings.Repeat("e", 1024)},
		{name: "HTML by type", path: "/", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "Text/HTML; charset=utf-8")
			io.WriteString(w, "hello")
		}, want: "URL/debug/pprof/profile: the server sent an HTML page, not a profile (a login page or a proxy?)"},
		{name: "HTML by content", path: "/app?x=1", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			io.WriteString(w, "\ufeff\n <!doctype html>")
		}, want: "URL/app?x=1: the server sent an HTML page, not a profile (did you mean URL/debug/pprof/profile?)"},
		{name: "empty", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {},
			want: "URL/x: the server sent an empty response"},
		{name: "silent before the header", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) { hang(r) },
			want: "URL/x: the server sent nothing for 2s; the timeout is 500ms, raise it with -timeout"},
		{name: "silent after the header", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			hang(r)
		}, want: "URL/x: the server sent nothing for 2s; the timeout is 500ms, raise it with -timeout"},
		{name: "silent amid the body", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "part")
			w.(http.Flusher).Flush()
			hang(r)
		}, want: "URL/x: the server sent nothing for 2s after 4 B; the timeout is 500ms, raise it with -timeout"},
		{name: "silent amid an error", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.(http.Flusher).Flush()
			hang(r)
		}, want: "URL/x: the server sent nothing for 2s; the timeout is 500ms, raise it with -timeout"},
		{name: "truncated", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "part")
		}, want: "URL/x: the connection broke after 4 bytes of 100"},
		{name: "truncated chunks", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "part")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, want: "URL/x: the connection broke after 4 bytes"},
		{name: "closed without answer", path: "/x", handler: func(w http.ResponseWriter, r *http.Request) {
			panic(http.ErrAbortHandler)
		}, want: "URL/x: the server closed the connection without an answer"},
		{name: "announced too large", path: "/x", max: 99, handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.Write(make([]byte, 100))
		}, want: "URL/x: the profile is over the limit of 99 bytes: the server announced 100"},
		{name: "too large", path: "/x", max: 99, handler: func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			w.Write(make([]byte, 100))
		}, want: "URL/x: the profile is over the limit of 99 bytes"},
		{name: "compressed too large", path: "/x", max: 1 << 16, handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			z.Write(make([]byte, 1<<20))
			z.Close()
		}, want: "URL/x: the profile is over the limit of 65536 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.handler)
			s.Config.ErrorLog = nil
			f := &Fetcher{MaxBytes: tt.max}
			if strings.HasPrefix(tt.name, "silent") {
				f = quick()
			}
			start := time.Now()
			_, _, err := get(t, f, s.URL+tt.path)
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
			if want := strings.ReplaceAll(tt.want, "URL", s.URL); err == nil || err.Error() != want {
				t.Errorf("error %v\nwant  %s", err, want)
			}
			if strings.HasPrefix(tt.name, "silent") && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v is not DeadlineExceeded", err)
			}
			if inUse := tt.name == "500 of pprof"; errors.Is(err, ErrInUse) != inUse {
				t.Errorf("error %v: in use is %v, want %v", err, !inUse, inUse)
			}
		})
	}
}

func TestSlowButAlive(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for range 6 { // longer than the limit in all
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			time.Sleep(500 * time.Millisecond)
		}
	})
	f := quick()
	src, err := f.Open(t.Context(), s.URL+"/x")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Reader.Close()
	time.Sleep(2500 * time.Millisecond) // a slow reader is not a silent server
	if data, err := io.ReadAll(src.Reader); err != nil || string(data) != "xxxxxx" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestExactlyMaxBytes(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		w.Write(make([]byte, 99))
	})
	if _, data, err := get(t, &Fetcher{MaxBytes: 99}, s.URL+"/x"); err != nil || len(data) != 99 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func TestGzipCalledHTML(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "\x1f\x8bdata")
	})
	if _, _, err := get(t, new(Fetcher), s.URL+"/x"); err != nil {
		t.Error(err)
	}
}

func TestUnreachable(t *testing.T) {
	free, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	addr := free[0]
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts, never answers
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	for source, want := range map[string]string{
		addr:           "http://" + addr + "/debug/pprof/profile: connection refused (is the program running, and does it listen there?)",
		"ftp://host/x": `ftp://host/x: unsupported protocol scheme "ftp" (use http, https or https+insecure)`,
		"https://" + plain.Listener.Addr().String() + "/x": "https://" + plain.Listener.Addr().String() +
			"/x: the server speaks HTTP, not HTTPS (use http://" + plain.Listener.Addr().String() + ")",
		"https://" + mute.Addr().String() + "/x": "https://" + mute.Addr().String() +
			"/x: the server sent nothing for 2s; the timeout is 500ms, raise it with -timeout",
	} {
		if _, _, err := get(t, quick(), source); err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
	}
}

func TestNoSuchHost(t *testing.T) {
	f := new(Fetcher)
	r, _ := f.adjustURL("cpu.prof:1")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	x := &exchange{r: r, ctx: ctx}
	err := x.explain(&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "cpu.prof", IsNotFound: true}})
	if want := "http://cpu.prof:1/debug/pprof/profile: no such host cpu.prof (and no file cpu.prof:1)"; err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestCancel(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "part")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	src, err := new(Fetcher).Open(ctx, s.URL+"/x")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Reader.Close()
	cancel()
	_, err = io.ReadAll(src.Reader)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), s.URL+"/x: ") {
		t.Errorf("error %v", err)
	}
}

func TestPasswordIsNotShown(t *testing.T) {
	var user, pass string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, pass, _ = r.BasicAuth()
		http.NotFound(w, r)
	})
	var progress bytes.Buffer
	f := &Fetcher{Progress: &progress}
	_, _, err := get(t, f, strings.Replace(s.URL, "http://", "http://me:hunter2@", 1)+"/x")
	if user != "me" || pass != "hunter2" {
		t.Errorf("server saw %s:%s", user, pass)
	}
	if strings.Contains(err.Error()+progress.String(), "hunter2") {
		t.Errorf("password shown: %v, %s", err, progress.String())
	}
}

// certs writes a certificate authority, a server certificate for 127.0.0.1 and
// a client certificate, and returns the server's TLS configuration.
func certs(t *testing.T, dir string) *tls.Config {
	t.Helper()
	serial := int64(0)
	type pair struct {
		cert *x509.Certificate
		key  *ecdsa.PrivateKey
		tls  tls.Certificate
	}
	issue := func(name string, parent *pair) *pair {
		serial++
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{
			SerialNumber:          big.NewInt(serial),
			Subject:               pkix.Name{CommonName: name},
			NotBefore:             time.Now().Add(-time.Hour),
			NotAfter:              time.Now().Add(time.Hour),
			IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
			ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
			IsCA:                  parent == nil,
			KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
			BasicConstraintsValid: true,
		}
		p := &pair{key: key}
		issuer := &pair{cert: template, key: key}
		if parent != nil {
			issuer = parent
		}
		der, err := x509.CreateCertificate(rand.Reader, template, issuer.cert, &key.PublicKey, issuer.key)
		if err != nil {
			t.Fatal(err)
		}
		p.cert, _ = x509.ParseCertificate(der)
		keyDER, _ := x509.MarshalPKCS8PrivateKey(key)
		certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
		keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
		os.WriteFile(filepath.Join(dir, name+".crt"), certPEM, 0o600)
		os.WriteFile(filepath.Join(dir, name+".key"), keyPEM, 0o600)
		if p.tls, err = tls.X509KeyPair(certPEM, keyPEM); err != nil {
			t.Fatal(err)
		}
		return p
	}
	ca := issue("ca", nil)
	server := issue("server", ca)
	issue("client", ca)
	issue("stranger", nil)
	os.WriteFile(filepath.Join(dir, "junk"), []byte("junk"), 0o600)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	return &tls.Config{Certificates: []tls.Certificate{server.tls}, ClientCAs: pool}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	config := certs(t, dir)
	start := func(auth tls.ClientAuthType) string {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/old" {
				http.Redirect(w, r, "/new", http.StatusFound)
				return
			}
			io.WriteString(w, "profile")
		}))
		s.TLS = config.Clone()
		s.TLS.ClientAuth = auth
		s.Config.ErrorLog = nil
		s.StartTLS()
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	open, mutual := start(tls.NoClientCert), start(tls.RequireAndVerifyClientCert)
	file := func(name string) string { return filepath.Join(dir, name) }

	for _, tt := range []struct {
		name          string
		source        string
		ca, cert, key string
		want          string // part of the error; "" is success
	}{
		{name: "unknown authority", source: "https://" + open,
			want: "https://" + open + "/debug/pprof/profile: x509: certificate signed by unknown authority"},
		{name: "unknown authority, advice", source: "https://" + open,
			want: "; trust its authority with -tls_ca, or skip the check with https+insecure://" + open},
		{name: "authority given", source: "https://" + open, ca: "ca.crt"},
		{name: "authority given, redirect", source: "https://" + open + "/old", ca: "ca.crt"},
		{name: "other authority given", source: "https://" + open, ca: "stranger.crt", want: "unknown authority"},
		{name: "insecure", source: "https+insecure://" + open},
		{name: "insecure, redirect", source: "https+insecure://" + open + "/old"},
		{name: "wrong name", source: "https://localhost" + open[strings.Index(open, ":"):], ca: "ca.crt",
			want: "; to skip the check use https+insecure://localhost:"},
		{name: "client certificate", source: "https://" + mutual, ca: "ca.crt", cert: "client.crt", key: "client.key"},
		{name: "client certificate, insecure", source: "https+insecure://" + mutual, cert: "client.crt", key: "client.key"},
		{name: "client certificate missing", source: "https://" + mutual, ca: "ca.crt",
			want: "(the server asks for a client certificate: -tls_cert and -tls_key)"},
		{name: "client certificate refused", source: "https://" + mutual, ca: "ca.crt", cert: "stranger.crt", key: "stranger.key",
			want: "(the server may not accept the client certificate of -tls_cert)"},
		{name: "plain HTTP", source: "http://" + open + "/x",
			want: "http://" + open + "/x: server response: 400 Bad Request (the server speaks HTTPS, not HTTP: use https://" + open + ")"},
		{name: "certificate without key", source: "https://" + open, cert: "client.crt",
			want: "-tls_cert is specified, so -tls_key must also be specified"},
		{name: "key without certificate", source: "http://" + open, key: "client.key",
			want: "-tls_key is specified, so -tls_cert must also be specified"},
		{name: "missing certificate", source: "https://" + open, cert: "nope", key: "client.key",
			want: "could not load certificate/key pair specified by -tls_cert and -tls_key: open "},
		{name: "missing authority", source: "https://" + open, ca: "nope", want: "could not load CA specified by -tls_ca: open "},
		{name: "junk authority", source: "https://" + open, ca: "junk", want: "could not load CA specified by -tls_ca: …/junk has no certificate in PEM format"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := new(Fetcher)
			for _, v := range []struct {
				field *string
				name  string
			}{{&f.TLSCA, tt.ca}, {&f.TLSCert, tt.cert}, {&f.TLSKey, tt.key}} {
				if v.name != "" {
					*v.field = file(v.name)
				}
			}
			_, data, err := get(t, f, tt.source)
			if tt.want == "" {
				if err != nil || data != "profile" {
					t.Errorf("%q, %v", data, err)
				}
				return
			}
			before, after, _ := strings.Cut(tt.want, "…")
			if err == nil || !strings.Contains(err.Error(), before) || !strings.HasSuffix(err.Error(), after) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v\nwant part %s", err, tt.want)
			}
		})
	}
}

// TestProxy runs in a process of its own as net/http reads the environment
// only once.
func TestProxy(t *testing.T) {
	const source = "http://profiled.example/x"
	if os.Getenv("HONE_TEST_PROXY") != "" {
		_, data, err := get(t, new(Fetcher), source)
		fmt.Printf("got %q, %v\n", data, err)
		return
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "proxied "+r.URL.String()) })
	run := func(proxy string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProxy$")
		cmd.Env = append(os.Environ(), "HONE_TEST_PROXY=1", "HTTP_PROXY="+proxy, "http_proxy="+proxy, "NO_PROXY=", "no_proxy=")
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if out := run(s.URL); !strings.Contains(out, `got "proxied `+source+`", <nil>`) {
		t.Errorf("output %s", out)
	}
	s.Close()
	if out := run(s.URL); !strings.Contains(out, source+": proxyconnect tcp: ") || !strings.Contains(out, "(the proxy is from HTTP_PROXY or HTTPS_PROXY)") {
		t.Errorf("output %s", out)
	}
}

// TestTerminal plays what was written to a terminal and looks at what stays.
func TestTerminal(t *testing.T) {
	shown := make(chan bool)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("seconds") != "" {
			select {
			case <-shown:
			case <-r.Context().Done():
			}
		}
		io.WriteString(w, "profile")
	})
	var screen bytes.Buffer
	once := sync.OnceFunc(func() { close(shown) })
	f := &Fetcher{terminal: true, Seconds: 2, Progress: writerFunc(func(b []byte) {
		screen.Write(b)
		if strings.Contains(screen.String(), "(1s)") {
			once()
		}
	})}
	if _, _, err := get(t, f, s.URL+"/x"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Please wait... (2s)", "Please wait... (1s)"} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("%q was never on screen: %q", want, screen.String())
		}
	}
	want := "Fetching profile over HTTP from " + s.URL + "/x?seconds=2\nReceived 7 B\n"
	if got := play(screen.String()); got != want {
		t.Errorf("left on screen: %q, want %q", got, want)
	}

	screen.Reset()
	f = &Fetcher{Progress: &screen, terminal: true}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, _, err := get(t, f, fmt.Sprintf("%s/%d", s.URL, i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	left := play(screen.String())
	if n := strings.Count(left, "Fetching profile over HTTP from "+s.URL); n != 8 || f.progress.live != nil {
		t.Errorf("left on screen: %d messages, live line %v: %q", n, f.progress.live, left)
	}
	for line := range strings.Lines(left) {
		if !strings.HasPrefix(line, "Fetching") && !strings.HasPrefix(line, "Received 7 B") {
			t.Errorf("left on screen: %q", line)
		}
	}
}

type writerFunc func(b []byte)

func (f writerFunc) Write(b []byte) (int, error) { f(b); return len(b), nil }

// play applies carriage returns as a terminal does.
func play(s string) string {
	var screen strings.Builder
	for line := range strings.Lines(s) {
		var row []byte
		col := 0
		for _, c := range []byte(strings.TrimSuffix(line, "\n")) {
			if c == '\r' {
				col = 0
				continue
			}
			if col == len(row) {
				row = append(row, 0)
			}
			row[col] = c
			col++
		}
		screen.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return screen.String()
}

func TestSaveDir(t *testing.T) {
	root := t.TempDir()
	blocked := filepath.Join(root, "file")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, tmp, home, want string
		warnings              int
	}{
		{"PPROF_TMPDIR", filepath.Join(root, "a", "b"), filepath.Join(root, "home"), filepath.Join(root, "a", "b"), 0},
		{"HOME", "", filepath.Join(root, "home"), filepath.Join(root, "home", "pprof"), 0},
		{"neither", "", "", os.TempDir(), 0},
		{"blocked", filepath.Join(blocked, "x"), filepath.Join(root, "home"), filepath.Join(root, "home", "pprof"), 1},
		{"both blocked", filepath.Join(blocked, "x"), blocked, os.TempDir(), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, warnings, err := SaveDir(func(key string) string {
				switch key {
				case "PPROF_TMPDIR":
					return tt.tmp
				case "HOME", "USERPROFILE", "home":
					return tt.home
				}
				return ""
			})
			if err != nil || dir != tt.want || len(warnings) != tt.warnings {
				t.Errorf("%s, %q, %v; want %s", dir, warnings, err, tt.want)
			}
			if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
				t.Errorf("not created: %v", err)
			}
		})
	}
}

func TestSaveName(t *testing.T) {
	for _, tt := range []struct {
		binary string
		types  []string
		want   string
	}{
		{"/usr/bin/server", []string{"samples", "cpu"}, "pprof.server.samples.cpu."},
		{"", []string{"contentions", "delay"}, "pprof.contentions.delay."},
		{"", nil, "pprof."},
		{"/x/..", []string{"../../evil"}, "pprof..._.._.._evil."},
		{"/", nil, "pprof._."},
	} {
		got := SaveName(tt.binary, tt.types)
		if tt.binary == "/x/.." {
			// The point is that it stays in its directory.
			if strings.ContainsRune(got, filepath.Separator) {
				t.Errorf("SaveName = %q", got)
			}
			continue
		}
		if got != tt.want {
			t.Errorf("SaveName(%q, %q) = %q, want %q", tt.binary, tt.types, got, tt.want)
		}
	}
}

func TestCreateSaved(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pprof.x.002.pb.gz"), []byte("keep"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pprof.x.001.pb.gz", "pprof.x.003.pb.gz"} {
		f, err := CreateSaved(dir, "pprof.x.")
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if filepath.Base(f.Name()) != want {
			t.Errorf("created %s, want %s", f.Name(), want)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "pprof.x.002.pb.gz")); string(data) != "keep" {
		t.Error("existing file overwritten")
	}
	if _, err := CreateSaved(filepath.Join(dir, "none"), "p."); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}

	names := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			f, err := CreateSaved(dir, "pprof.race.")
			if err != nil {
				t.Error(err)
				return
			}
			f.Close()
			mu.Lock()
			names[f.Name()] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(names) != 16 {
		t.Errorf("%d names for 16 files", len(names))
	}
}

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	gprofile "github.com/google/pprof/profile"
)

// parked is where a goroutine of the tests waits.
func parked(c chan struct{}) { <-c }

// fetch runs hone with a directory for what it fetches, and checks what it says
// of that: progress and the place of the copy, on standard error alone. It
// returns the run and the copy.
func fetch(t *testing.T, args ...string) (o outcome, saved string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "on demand")
	o = honeWith(t, map[string]string{"PPROF_TMPDIR": dir}, "", args...)
	if o.code != 0 {
		t.Fatalf("hone %s: exit code %d\n%s", strings.Join(args, " "), o.code, o.stderr)
	}
	if !strings.HasPrefix(o.stderr, "Fetching profile over HTTP from http") {
		t.Errorf("no progress on standard error: %q", o.stderr)
	}
	// In full: a profile of this process may have functions such as capture.CreateSaved.
	for _, message := range []string{"Fetching profile", "Please wait", "Saved profile"} {
		if strings.Contains(o.stdout, message) {
			t.Errorf("%q on standard output:\n%s", message, o.stdout)
		}
	}
	m := regexp.MustCompile(`(?m)^Saved profile in (.*\.pb\.gz)$`).FindStringSubmatch(o.stderr)
	if m == nil || filepath.Dir(m[1]) != dir {
		t.Fatalf("no copy in %s: %q", dir, o.stderr)
	}
	return o, m[1]
}

// TestFetch takes profiles from net/http/pprof as it installs itself.
func TestFetch(t *testing.T) {
	// The runtime counts from the first of its ticks, so that a second may be some less.
	const aSecond = `(?m)^Duration: (\d{3}(\.\d+)?ms|[1-9]\d*(\.\d+)?s),`
	srv := httptest.NewServer(http.DefaultServeMux)
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")
	release := make(chan struct{})
	defer close(release)
	go parked(release)

	tests := []struct {
		name   string
		args   []string
		stdout []string // regexps
		stderr string   // besides progress
	}{
		{"profile", []string{"pprof", "-top", "-seconds", "1", srv.URL + "/debug/pprof/profile"},
			[]string{"(?m)^Type: cpu$", aSecond}, "Please wait... (1s)"},
		{"host and port", []string{"top", "-seconds=1", host},
			[]string{"(?m)^Type: cpu$", aSecond}, "/debug/pprof/profile?seconds=1\n"},
		{"heap", []string{"top", host + "/debug/pprof/heap"}, []string{"(?m)^Type: inuse_space$"}, ""},
		{"allocs", []string{"pprof", "-top", "-sample_index=alloc_objects", srv.URL + "/debug/pprof/allocs"}, []string{"(?m)^Type: alloc_objects$"}, ""},
		{"goroutine", []string{"tree", srv.URL + "/debug/pprof/goroutine"}, []string{"(?m)^Type: goroutine$", `hone\.parked`}, ""},
		{"goroutine debug=1", []string{"traces", srv.URL + "/debug/pprof/goroutine?debug=1"}, []string{"(?m)^Type: goroutine$", `hone\.parked`}, ""},
		{"goroutine debug=2", []string{"traces", srv.URL + "/debug/pprof/goroutine?debug=2"}, []string{`hone\.parked`, "chan receive"}, ""},
		{"flame graph", []string{"flame", "-folded", "-sample_index=goroutine", srv.URL + "/debug/pprof/goroutine"}, []string{`(?m)hone\.parked.* \d+$`}, ""},
		{"with a file", []string{"top", testdata("heap.leak.pb.gz"), srv.URL + "/debug/pprof/heap"}, []string{"(?m)^Type: inuse_space$"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o, saved := fetch(t, test.args...)
			for _, want := range test.stdout {
				if !regexp.MustCompile(want).MatchString(o.stdout) {
					t.Errorf("nothing like %s in\n%s", want, o.stdout)
				}
			}
			if !strings.Contains(o.stderr, test.stderr) {
				t.Errorf("no %q in\n%s", test.stderr, o.stderr)
			}
			args := append([]string{test.args[0]}, saved)
			if test.args[0] == "top" {
				if again := succeed(t, args...); again != o.stdout {
					t.Errorf("of the copy:\n%s\nof what was fetched:\n%s", again, o.stdout)
				}
			} else if data, err := os.ReadFile(saved); err != nil {
				t.Error(err)
			} else if _, err := gprofile.ParseData(data); err != nil {
				t.Errorf("the copy: %v", err)
			}
		})
	}

	t.Run("diff", func(t *testing.T) {
		dir := t.TempDir()
		o := honeWith(t, map[string]string{"PPROF_TMPDIR": dir}, "", "diff", srv.URL+"/debug/pprof/heap", testdata("heap.leak.pb.gz"))
		if o.code != 0 || strings.Count(o.stderr, "Saved profile in") != 1 {
			t.Errorf("exit code %d, a file is saved too:\n%s", o.code, o.stderr)
		}
	})
}

// A bareServer hands out a profile of this process without symbols, which the
// service beside it has.
func bareServer(t *testing.T) *http.ServeMux {
	p := &gprofile.Profile{
		SampleType: []*gprofile.ValueType{{Type: "cpu", Unit: "nanoseconds"}},
		Mapping:    []*gprofile.Mapping{{ID: 1, Start: 0x1000, Limit: 1 << 62, File: "/nowhere/app"}},
	}
	// Enough addresses to need several requests where they go into the URL.
	entry := uint64(reflect.ValueOf(landmark).Pointer())
	for i := range uint64(1500) {
		l := &gprofile.Location{ID: i + 1, Address: entry + i, Mapping: p.Mapping[0]}
		p.Location = append(p.Location, l)
		p.Sample = append(p.Sample, &gprofile.Sample{Location: []*gprofile.Location{l}, Value: []int64{1}})
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	mux := http.NewServeMux()
	serve := func(w http.ResponseWriter, r *http.Request) { w.Write(data) }
	mux.HandleFunc("/get/debug/pprof/profile", serve)
	mux.HandleFunc("GET /get/debug/pprof/symbol", pprof.Symbol) // as net/http/pprof does since Go 1.22
	mux.HandleFunc("/any/debug/pprof/profile", serve)
	mux.HandleFunc("/any/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/files/cpu.pb.gz", serve)
	return mux
}

// landmark is only here for its address.
func landmark() { panic("not called") }

func TestRemoteSymbols(t *testing.T) {
	srv := httptest.NewServer(bareServer(t))
	defer srv.Close()
	for _, root := range []string{"/get", "/any"} {
		t.Run(root, func(t *testing.T) {
			o, saved := fetch(t, "top", srv.URL+root+"/debug/pprof/profile")
			if !strings.Contains(o.stdout, "hone.landmark") || strings.Contains(o.stdout, "[app]") {
				t.Errorf("not symbolized:\n%s", o.stdout)
			}
			if again := succeed(t, "top", "-symbolize=none", saved); again != o.stdout {
				t.Errorf("the copy has other symbols:\n%s\nwant\n%s", again, o.stdout)
			}
		})
	}
	t.Run("no such service", func(t *testing.T) {
		url := srv.URL + "/files/cpu.pb.gz"
		o, _ := fetch(t, "top", url)
		if !strings.Contains(o.stdout, "[app]") || !strings.Contains(o.stderr, "Remote symbolization failed") {
			t.Errorf("%s\n%s", o.stderr, o.stdout)
		}
		hone(t, "top", "-symbolize=remote", url).failsWith(t, exitFailure, "/files/symbolz", "404")
	})
	t.Run("not wanted", func(t *testing.T) {
		if o, _ := fetch(t, "top", "-symbolize=none", srv.URL+"/get/debug/pprof/profile"); !strings.Contains(o.stdout, "[app]") {
			t.Errorf("symbolized:\n%s", o.stdout)
		}
	})
}

// TestTLS covers certificates on both sides.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key, client := clientCertificate(t, dir)
	start := func(clients *x509.CertPool) (url, ca string) {
		srv := httptest.NewUnstartedServer(bareServer(t))
		srv.Config.ErrorLog = log.New(new(sharedBuffer), "", 0)
		if clients != nil {
			srv.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
		}
		srv.StartTLS()
		t.Cleanup(srv.Close)
		ca = filepath.Join(t.TempDir(), "ca.pem")
		writePEM(t, ca, "CERTIFICATE", srv.Certificate().Raw)
		return srv.URL + "/get/debug/pprof/profile", ca
	}
	open, openCA := start(nil)
	pool := x509.NewCertPool()
	pool.AddCert(client)
	closed, closedCA := start(pool)
	insecure := func(url string) string { return "https+insecure" + strings.TrimPrefix(url, "https") }

	tests := []struct {
		name string
		args []string
		want string // error, "" for none
	}{
		{"unknown authority", []string{open}, "-tls_ca"},
		{"authority", []string{"-tls_ca", openCA, open}, ""},
		{"other authority", []string{"-tls_ca", cert, open}, "certificate"},
		{"insecure", []string{insecure(open)}, ""},
		{"client", []string{"-tls_ca", closedCA, "-tls_cert", cert, "-tls_key", key, closed}, ""},
		{"insecure client", []string{"-tls_cert", cert, "-tls_key", key, insecure(closed)}, ""},
		{"no client", []string{"-tls_ca", closedCA, closed}, "-tls_cert"},
		{"no key", []string{"-tls_ca", closedCA, "-tls_cert", cert, closed}, "-tls_key"},
		{"plain http", []string{"http" + strings.TrimPrefix(open, "https")}, "https"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"top"}, test.args...)
			if test.want != "" {
				hone(t, args...).failsWith(t, exitFailure, test.want)
				return
			}
			// Symbols come over the same kind of connection.
			if o, _ := fetch(t, args...); !strings.Contains(o.stdout, "hone.landmark") {
				t.Errorf("%s\n%s", o.stderr, o.stdout)
			}
		})
	}
}

// clientCertificate writes a certificate that vouches for itself, and its key.
func clientCertificate(t *testing.T, dir string) (certFile, keyFile string, cert *x509.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writePEM(t, certFile, "CERTIFICATE", der)
	writePEM(t, keyFile, "PRIVATE KEY", keyDER)
	return certFile, keyFile, cert
}

func writePEM(t *testing.T, file, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/credentials"
)

// write writes a file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// send sends a test to a target.
func send(t *testing.T, target Target, env map[string]string) Result {
	t.Helper()
	target.Name = "x"
	n, err := New(Config{Targets: []Target{target}, Page: "http://hone.example/", Log: func(line string) { t.Error(line) }, Getenv: func(name string) string { return env[name] }})
	if err != nil {
		t.Fatal(err)
	}
	all := n.Test(t.Context(), "")
	if len(all) != 1 || len(n.Test(t.Context(), "y")) != 0 {
		t.Fatalf("got %+v", all)
	}
	return all[0]
}

// TestSigned checks signatures as a receiver does, with secrets from a file and from the
// environment, and that nothing is sent without a secret that is configured.
func TestSigned(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte("s3cret-of-hone"))
		fmt.Fprintf(mac, "%s.%s", r.Header.Get("Hone-Timestamp"), body)
		if want := "v1=" + hex.EncodeToString(mac.Sum(nil)); r.Header.Get("Hone-Signature") != want || len(r.Header.Get("Hone-Timestamp")) < 10 {
			http.Error(w, "wrong signature", http.StatusForbidden)
		}
		if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer t0ken" {
			http.Error(w, "wrong header", http.StatusForbidden)
		}
	}))
	defer s.Close()
	auth := credentials.Auth{Bearer: "t0ken"}
	for name, target := range map[string]Target{
		"file":        {Format: JSON, URL: s.URL, SecretFile: write(t, "s3cret-of-hone\n"), Auth: auth},
		"environment": {Format: Alertmanager, URL: s.URL, SecretEnv: "HONE_SECRET", Auth: auth},
		"URL in file": {Format: JSON, URLFile: write(t, " "+s.URL+"/x\n"), SecretEnv: "HONE_SECRET", Auth: auth},
	} {
		if got := send(t, target, map[string]string{"HONE_SECRET": "s3cret-of-hone"}); got.Err != nil || got.Code != 200 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	asked = 0
	for _, test := range []struct {
		target Target
		want   string
	}{
		{Target{Format: JSON, URL: s.URL, SecretFile: "no/such/file"}, "secret_file: "},
		{Target{Format: JSON, URL: s.URL, SecretFile: write(t, "\n")}, "secret_file: the secret is empty"},
		{Target{Format: JSON, URL: s.URL, SecretEnv: "NONE"}, "secret_env: the secret is empty"},
		{Target{Format: JSON, URLFile: "no/such/file"}, "url_file: "},
		{Target{Format: JSON, URLFile: write(t, "ftp://x")}, "it must begin with http"},
		{Target{Format: JSON, URL: s.URL, Auth: credentials.Auth{BearerFile: "no/such/file"}}, "auth: "},
	} {
		if got := send(t, test.target, nil); got.Err == nil || !strings.Contains(got.Err.Error(), test.want) || asked != 0 {
			t.Errorf("%+v: got %v, asked %d times, want %q", test.target, got.Err, asked, test.want)
		}
	}
}

// TestAnswers checks what is said of answers, that redirects aren't followed, and that secrets
// stay out of it.
func TestAnswers(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection isn't noticed
		switch {
		case strings.HasPrefix(r.URL.Path, "/moved"):
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.Path, "/slow"):
			<-r.Context().Done()
		case strings.HasPrefix(r.URL.Path, "/long"):
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, strings.Repeat("x\x1b[31m ", 1<<20))
		case strings.HasPrefix(r.URL.Path, "/hang"):
			panic(http.ErrAbortHandler)
		default: // repeats what was asked
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, r.URL, r.Header)
		}
	}))
	defer s.Close()
	const path = "/services/T000/B000/s3cretPath"
	for _, test := range []struct{ url, want string }{
		{s.URL + path, "404 Not Found: /…"},
		{s.URL + "/moved/s3cretPath", "308 Permanent Redirect to " + strings.TrimPrefix(elsewhere.URL, "http://") + ": redirects aren't followed"},
		{s.URL + "/long/s3cretPath", "429 Too Many Requests: x"},
		{s.URL + "/hang/s3cretPath?token=s3cretQuery", "EOF"},
		{s.URL + "/slow/s3cretPath", "deadline exceeded"},
		{"http://127.0.0.1:1/s3cretPath", "connect"},
		{"http://no-such-host.invalid/s3cretPath", "no-such-host.invalid"},
	} {
		limit := time.Minute
		if test.want == "deadline exceeded" {
			limit = 300 * time.Millisecond
		}
		got := send(t, Target{Format: JSON, URL: test.url, Timeout: Duration(limit), SecretEnv: "S", Auth: credentials.Auth{User: "me", Password: "s3cretPassword"}}, map[string]string{"S": "s3cretKey"})
		if got.Err == nil || !strings.Contains(got.Err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.url, got.Err, test.want)
			continue
		}
		if said := got.Err.Error() + got.Text; strings.Contains(said, "s3cret") || strings.Contains(said, "\x1b") || len(said) > 3000 {
			t.Errorf("%s: %q", test.url, said)
		}
	}
}

// TestCheck checks that wrong settings are told with their names, and no URL.
func TestCheck(t *testing.T) {
	good := Target{Name: "a", Format: Alertmanager, URL: "http://127.0.0.1:9093", Labels: map[string]string{"severity": "page"}, Repeat: Duration(time.Minute)}
	slack := Target{Name: "b", Format: JSON, URLFile: write(t, "https://hooks.example/s3cret"), SecretEnv: "S"}
	if err := Check([]Target{good, slack}); err != nil {
		t.Error(err)
	}
	empty := write(t, "\n")
	for want, change := range map[string]func(*Target){
		`target 1: name is missing`:                           func(t *Target) { t.Name = "" },
		`target "a\n": name: it is a label`:                   func(t *Target) { t.Name = "a\n" },
		`target "b": name: another target has it`:             func(t *Target) { t.Name = "b" },
		`format: unknown format "slack": use alertmanager`:    func(t *Target) { t.Format = "slack" },
		`url: it is missing`:                                  func(t *Target) { t.URL = "" },
		`url: it must begin with http:// or https://`:         func(t *Target) { t.URL = "file:///s3cret" },
		`url: it has no host`:                                 func(t *Target) { t.URL = "http:///s3cret" },
		`url: it has a user: use auth`:                        func(t *Target) { t.URL = "http://me:s3cret@host/" },
		`url: invalid port`:                                   func(t *Target) { t.URL = "http://host:s3cret/" },
		`url_file: open no/such/file`:                         func(t *Target) { t.URL, t.URLFile = "", "no/such/file" },
		`secret_file: the secret is empty`:                    func(t *Target) { t.SecretFile = empty },
		`url: give either url or url_file`:                    func(t *Target) { t.URLFile = "x" },
		`labels and repeat are for format = "alertmanager"`:   func(t *Target) { t.Format = JSON },
		`labels: invalid name "a-b": use letters, digits and`: func(t *Target) { t.Labels = map[string]string{"a-b": ""} },
		`labels: hone sets service itself`:                    func(t *Target) { t.Labels = map[string]string{"service": "x"} },
		`repeat: invalid duration 500ms: use 1s to 1h`:        func(t *Target) { t.Repeat = Duration(time.Second / 2) },
		`timeout: invalid duration 2h0m0s: use 1s to 1m`:      func(t *Target) { t.Timeout = Duration(2 * time.Hour) },
		`secret: give either secret_file or secret_env`:       func(t *Target) { t.SecretFile, t.SecretEnv = "a", "b" },
		`auth: a password needs a user`:                       func(t *Target) { t.Auth.Password = "x" },
		`tls: give both cert and key, or neither`:             func(t *Target) { t.TLS.Cert = "x" },
	} {
		wrong := good
		change(&wrong)
		all := []Target{wrong}
		if strings.Contains(want, "another") {
			all = []Target{slack, wrong}
		}
		if err := Check(all); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") && want != "url: invalid port" {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	// A path of a proxy stays, and the whole address is taken, too.
	for text, want := range map[string]string{"http://a/am/": "http://a/am/api/v2/alerts", "https://a": "https://a/api/v2/alerts", "http://a/x/api/v2/alerts": "http://a/x/api/v2/alerts"} {
		if u, err := good.address(text); err != nil || u.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, u, err, want)
		}
	}
}

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/daemon"
)

// A serving is a hone serve that runs in this process.
type serving struct {
	t      *testing.T
	url    string
	data   string
	stdout sharedBuffer
	stderr sharedBuffer
	stop   context.CancelFunc
	done   chan bool // closed when it has ended
	code   int
}

func (s *sharedBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

var servingLine = regexp.MustCompile(`Serving on (\S+)/,`)

// startServe starts hone serve in a directory, on a free port unless args say
// where.
func startServe(t *testing.T, data string, args ...string) *serving {
	t.Helper()
	return startListening(t, data, append([]string{"serve", "-listen", "127.0.0.1:0", "-data", data}, args...)...)
}

// startListening starts a verb of hone that serves.
func startListening(t *testing.T, data string, args ...string) *serving {
	t.Helper()
	d := &serving{t: t, data: data, done: make(chan bool)}
	ctx, stop := context.WithCancel(t.Context())
	d.stop = stop
	a := &app{stdin: strings.NewReader(""), stdout: &d.stdout, stderr: &d.stderr, getenv: func(string) string { return "" }}
	go func() {
		defer close(d.done)
		d.code = exitCode(ctx, a, args)
	}()
	t.Cleanup(func() {
		d.stop()
		<-d.done
		if t.Failed() {
			t.Logf("hone serve says\n%s%s", d.stdout.String(), d.stderr.String())
		}
	})
	for d.url == "" {
		if m := servingLine.FindStringSubmatch(d.stdout.String()); m != nil {
			d.url = m[1]
			break
		}
		select {
		case <-d.done:
			t.Fatalf("hone serve ended with %d: %s", d.code, d.stderr.String())
		case <-time.After(time.Millisecond):
		}
	}
	return d
}

// ask returns a request with a token.
func ask(t *testing.T, url, token string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(token))
	return r
}

// end stops the server and waits until it has.
func (d *serving) end() {
	d.t.Helper()
	d.stop()
	select {
	case <-d.done:
		if d.code != 0 {
			d.t.Errorf("hone serve ended with %d: %s", d.code, d.stderr.String())
		}
	case <-time.After(time.Minute):
		d.t.Fatal("hone serve does not end")
	}
}

// hone runs another verb that asks this server.
func (d *serving) hone(args ...string) outcome {
	d.t.Helper()
	return honeWith(d.t, map[string]string{"HONE_SERVER": d.url, "HONE_TOKEN": ""}, "", args...)
}

func (d *serving) succeed(args ...string) string {
	d.t.Helper()
	o := d.hone(args...)
	if o.code != 0 {
		d.t.Fatalf("hone %s: %d %s", strings.Join(args, " "), o.code, o.stderr)
	}
	return o.stdout
}

// TestServePushQuery goes the whole way: profiles are pushed, the server is
// started again, and reports of them are those of the files.
func TestServePushQuery(t *testing.T) { eachStore(t, testPushQuery) }

func testPushQuery(t *testing.T, on ...string) {
	data := filepath.Join(t.TempDir(), "data")
	d := startServe(t, data, on...)
	base := time.Now().Add(-30 * time.Minute).Truncate(time.Second)
	at := func(minutes int) string {
		return base.Add(time.Duration(minutes) * time.Minute).UTC().Format(time.RFC3339)
	}
	one, two := testdata("cpu.json-decode.pb.gz"), testdata("cpu.generics.pb.gz")
	d.succeed("push", "-service", "api", "-version", "v1", "-time", at(0), one)
	if out := d.succeed("push", "-service", "api", "-version", "v2", "-label", "pod=p-1", "-time", at(1), two); out != "" {
		t.Errorf("a profile that is new: %q", out)
	}
	again := []string{"-service", "api", "-version", "v2", "-label", "pod=p-1", "-time", at(1), two} // kept once
	if out := d.succeed(append([]string{"push"}, again...)...); !strings.Contains(out, two+": already there") {
		t.Errorf("a profile that is there: %q", out)
	}
	if out := d.succeed(append([]string{"push", "-json"}, again...)...); !strings.Contains(out, `"result": "already there"`) {
		t.Errorf("a profile that is there: %s", out)
	}
	d.succeed("push", "-service", "api", "-version", "v2", "-time", at(2), testdata("heap.inlining.pb.gz"))
	d.end()
	if d.hone("query", "cpu").code != 1 {
		t.Error("a server that has ended answers")
	}
	d = startServe(t, data, on...)

	// The header has other times; the table is the same.
	table := func(text string) string { _, rows, _ := strings.Cut(text, "flat%"); return rows }
	if got, want := table(d.succeed("query", `cpu{service="api", version="v1"}`)), table(succeed(t, "top", one)); got != want || got == "" {
		t.Errorf("hone query prints\n%s\nhone top of the file\n%s", got, want)
	}
	if got, want := table(d.succeed("query", `cpu{service="api"}`)), table(succeed(t, "top", one, two)); got != want {
		t.Errorf("hone query of both prints\n%s\nhone top of the files\n%s", got, want)
	}
	groups := d.succeed("query", "-by", "version", "cpu")
	for _, want := range []string{`== {version="v1"}`, `== {version="v2"}`, "Duration: 1s, Total samples = 1.10s"} {
		if !strings.Contains(groups, want) {
			t.Errorf("groups by version lack %q:\n%s", want, groups)
		}
	}
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"-json", "cpu"}, []string{`"rows"`, `"sampleType"`}},
		{[]string{"-csv", "-by", "version", "cpu"}, []string{"version,name,", "\nv1,", "\nv2,"}},
		{[]string{"-json", "-by", "version", "cpu"}, []string{`"groups"`, `"version": "v2"`}},
		{[]string{"-tree", "cpu"}, []string{"calls%"}},
		{[]string{"-peek", "checkValid", "cpu"}, []string{"encoding/json.checkValid"}},
		{[]string{"-raw", "cpu"}, []string{"PeriodType: cpu nanoseconds"}},
		{[]string{"-sample_index", "samples", "cpu"}, []string{"Type: samples"}},
		{[]string{"-focus", "checkValid", "cpu"}, []string{"Active filters:", "focus=checkValid"}},
		{[]string{"-per", "profile", "cpu"}, []string{"Duration: 1s, Total samples = 1090ms"}},
		{[]string{"-weight", "50%", "cpu"}, []string{"Total samples = 1.10s"}},
		{[]string{"-base", `cpu{version="v1"}`, `cpu{version="v2"}`}, []string{"-0.02s"}},
		{[]string{"-base-from", at(0), "-base-to", at(1), "-from", at(1), "cpu"}, []string{"-0.02s"}},
		{[]string{"-from", at(0), "-to", at(1), "cpu"}, []string{"Total samples = 1.10s"}},
		{[]string{"-seconds", "3000", "cpu"}, []string{"Total samples = 2.18s"}},
		{[]string{"-series", "-by", "version", "cpu"}, []string{"TIME", "v1", "1.10   s"}},
		{[]string{"-series", "-csv", "-step", "1h", "-by", "version", "cpu"}, []string{"time,version,value,unit,profiles,duration\n", ",v1,1100000000,nanoseconds,1,"}},
		{[]string{"-series", "-json", "cpu"}, []string{`"step":`}},
		{[]string{"-history", "cpu"}, []string{"BEFORE", "WITH", "SEEN", "  v1 ", "  v2 ", "FUNCTION", "encoding/json.checkValid"}},
		{[]string{"-history", "-csv", "-cum", "-limit", "1", "cpu"}, []string{"before,after,with,since,first,seen,v1,v2,function\n", ",v2,"}},
		{[]string{"-history", "-mine", "-focus", "checkValid", "cpu"}, []string{" via "}},
		{[]string{"-history", "-json", "cpu"}, []string{`"versions":[{"version":"v1"`}},
		{[]string{"-records", "{}"}, []string{`{kind="heap", service="api", version="v2"}`, `pod="p-1"`}},
		{[]string{"-records", "-limit", "1", "-csv", "{}"}, []string{"time,id,duration,value,unit,labels\n"}},
		{[]string{"-labels", "{}"}, []string{"pod      p-1\n", "version  v1\nversion  v2\n"}},
		{[]string{"-labels", "-json", "{}"}, []string{`{"labels":[`}},
	} {
		got := d.succeed(append([]string{"query"}, test.args...)...)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("hone query %s lacks %q:\n%.600s", strings.Join(test.args, " "), want, got)
			}
		}
	}
	dir := t.TempDir()
	for _, file := range []struct{ flag, name, begins string }{
		{"-proto", "x.pb.gz", "\x1f\x8b"}, {"-flame", "x.html", "<!DOCTYPE html>"}, {"-flame", "x.svg", "<?xml"}, {"-flame", "x.folded", ""},
	} {
		name := filepath.Join(dir, file.name)
		d.succeed("query", file.flag, "-o", name, "cpu")
		got, err := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(got), file.begins) || len(got) < 1000 {
			t.Errorf("%s: %d bytes, %.40q, %v", file.name, len(got), got, err)
		}
	}
	// hone's other verbs and go tool pprof read selections by their address.
	address := d.url + "/api/v1/pprof?q=" + `cpu{version=%22v1%22}`
	if got := d.hone("top", address); got.code != 0 || table(got.stdout) != table(succeed(t, "top", one)) {
		t.Errorf("hone top of an address: %+v", got)
	}
	cmd := exec.Command("go", "tool", "pprof", "-top", address)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+dir)
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "encoding/json.checkValid") {
		t.Errorf("go tool pprof of an address: %v\n%s", err, out)
	}
}

func TestQueryErrors(t *testing.T) {
	d := startServe(t, t.TempDir())
	d.succeed("push", "-service", "api", "-time", "-1m", testdata("heap.gc.pb.gz"))
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "missing selector"},
		{[]string{"cpu", "heap"}, 2, "one selector"},
		{[]string{"cpu{"}, 2, "at byte 4"},
		{[]string{"-from", "yesterday", "cpu"}, 2, "-from"},
		{[]string{"-weight", "200%", "cpu"}, 2, "-weight"},
		{[]string{"-series", "-labels", "cpu"}, 2, "can't be combined"},
		{[]string{"-series", "-top", "cpu"}, 2, "can't be combined"},
		{[]string{"-series", "-history", "cpu"}, 2, "can't be combined"},
		{[]string{"-history", "-limit", "1000", "cpu"}, 1, "limit"},
		{[]string{"-csv", "-json", "cpu"}, 2, "can't be combined"},
		{[]string{"-csv", "-traces", "cpu"}, 2, "-csv can't be used with traces"},
		{[]string{"-http", "localhost:0", "cpu"}, 2, "-http"},
		{[]string{"-colour", "cpu"}, 2, "colour"},
		{[]string{"-by", "version", "-base", "cpu", "cpu"}, 2, "can't be combined"},
		{[]string{"-server", "http://", "cpu"}, 2, "-server"},
		{[]string{"-token-file", "/nonexistent", "cpu"}, 1, "-token-file"},
		{[]string{"cpu"}, 1, "no profiles match cpu"},
		{[]string{"-by", "version", "cpu"}, 1, "no profiles match cpu"},
		{[]string{"memory"}, 1, "no profiles match memory from "},
		{[]string{"memory"}, 1, ": there are profiles of other kinds: heap"},
		{[]string{"-by", "version", "memory"}, 1, ": there are profiles of other kinds: heap"},
		{[]string{"-span", "x", "cpu"}, 1, "use 16 hexadecimal digits"},
		{[]string{"-span", "00000000000000aa", "-by", "version", "cpu"}, 2, "-span"},
		{[]string{"-per", "minute", "cpu"}, 1, "use sum, profile, second or request"},
		{[]string{"-series", "-step", "x", "cpu"}, 1, "step"},
	} {
		o := d.hone(append([]string{"query"}, test.args...)...)
		if o.code != test.code || !strings.Contains(o.stderr, test.want) {
			t.Errorf("hone query %q: %d %s, want %d, %s", test.args, o.code, o.stderr, test.code, test.want)
		}
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if o := honeWith(t, map[string]string{"HONE_SERVER": other.URL}, "", "query", "cpu"); o.code != 1 || !strings.Contains(o.stderr, "is not hone serve; it answered: 404") {
		t.Errorf("another server: %+v", o)
	}
}

// TestPushTriesAgain checks that a profile gets through to a server that is busy
// at first, with the same key and time each time.
func TestPushTriesAgain(t *testing.T) {
	var tries atomic.Int64
	var first string
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := tries.Add(1)
		if n == 1 {
			first = r.URL.RawQuery
		} else if r.URL.RawQuery != first {
			t.Errorf("sent as %s, then as %s", first, r.URL.RawQuery)
		}
		switch n {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, `{"error":"the server is ending","reason":"unavailable"}`)
		case 2:
			panic(http.ErrAbortHandler) // the connection breaks
		case 3:
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	defer busy.Close()
	// A goroutine dump as text has no time.
	o := honeWith(t, map[string]string{"HONE_SERVER": busy.URL}, "", "push", "-service", "x", testdata("block.channels.debug1.txt"))
	if o.code != 0 || tries.Load() != 4 || !strings.Contains(o.stderr, "the server is ending; trying again") {
		t.Errorf("after %d tries: %+v", tries.Load(), o)
	}
	if !strings.Contains(first, "key=") || !strings.Contains(first, "time=") {
		t.Errorf("sent as %s", first)
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, `{"error":"the token may not write this service","reason":"denied"}`)
	}))
	defer refusing.Close()
	o = honeWith(t, map[string]string{"HONE_SERVER": refusing.URL}, "", "push", "-service", "x", testdata("cpu.gc.pb.gz"))
	o.failsWith(t, 1, "may not write")
	honeWith(t, nil, "not a profile", "push", "-service", "x", "-").failsWith(t, 1, "-: ")
	for _, args := range [][]string{{"f"}, {"-service", "x"}, {"-service", "x", "-label", "a", "f"}, {"-service", "x", "-time", "x", "f"}, {"-service", "x", "-duration", "x", "f"}} {
		hone(t, append([]string{"push"}, args...)...).failsWith(t, 2)
	}
	d := startServe(t, t.TempDir())
	d.end()
	down := d.hone("push", "-timeout", "1ms", "-service", "x", testdata("cpu.gc.pb.gz"))
	down.failsWith(t, 1, "giving up after -timeout")
}

// TestServeLogin checks that tokens made by hone token let in while the server
// runs, and that it listens to strangers only with login and TLS.
func TestServeLogin(t *testing.T) {
	data := t.TempDir()
	token := func(args ...string) string {
		return strings.TrimSpace(honeWith(t, map[string]string{"USER": "ann"}, "", append([]string{"token", args[0], "-data", data}, args[1:]...)...).stdout)
	}
	writer := token("add", "-role", "write", "-service", "shop-*", "agents")
	d := startServe(t, data)
	reader := token("add", "-role", "read", "-expires", "1d", "ann")
	with := func(secret string, args ...string) outcome {
		return honeWith(t, map[string]string{"HONE_SERVER": d.url, "HONE_TOKEN": secret}, "", args...)
	}
	file := testdata("cpu.gc.pb.gz")
	with("", "push", "-service", "shop-cart", file).failsWith(t, 1, "HONE_TOKEN")
	with(writer, "push", "-service", "api", file).failsWith(t, 1, "may not write", "api")
	if o := with(writer, "push", "-service", "shop-cart", "-time", "now", file); o.code != 0 {
		t.Error(o.stderr)
	}
	with(writer, "query", "cpu").failsWith(t, 1, "role read")
	if o := with(reader, "query", "cpu"); o.code != 0 {
		t.Error(o.stderr)
	}
	tokenFile := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(reader+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := with("", "query", "-token-file", tokenFile, "cpu"); o.code != 0 {
		t.Error(o.stderr)
	}
	if o := with("", "query", "-server", strings.Replace(d.url, "://", "://x:"+reader+"@", 1), "cpu"); o.code != 0 {
		t.Error(o.stderr)
	}
	cmd := exec.Command("go", "tool", "pprof", "-top", strings.Replace(d.url, "://", "://x:"+reader+"@", 1)+"/api/v1/pprof?q=cpu")
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go tool pprof with a token in the address: %v\n%s", err, out)
	}
	if list := token("list"); !strings.Contains(list, "agents") || !strings.Contains(list, "shop-*") || !strings.Contains(list, " in "+filepath.Join(data, "tokens.json")+"\n") || strings.Contains(list, writer) {
		t.Errorf("hone token list prints\n%s", list)
	}
	if list := token("list", "-json"); !json.Valid([]byte(list)) {
		t.Errorf("hone token list -json prints\n%s", list)
	}
	token("remove", "ann")
	with(reader, "query", "cpu").failsWith(t, 1, "unknown token")
	audit, err := os.ReadFile(filepath.Join(data, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"token.add","result":"ok","who":"ann"`, `"token.remove"`, `"target":"agents"`, `"denied"`} {
		if !strings.Contains(string(audit), want) {
			t.Errorf("the audit log lacks %s:\n%s", want, audit)
		}
	}
	for _, args := range [][]string{{}, {"add"}, {"add", "-role", "root", "x"}, {"add", "-expires", "x", "x"}, {"list", "x"}, {"make", "x"}} {
		hone(t, append([]string{"token"}, args...)...).failsWith(t, 2)
	}
	hone(t, "token", "remove", "-data", data, "nosuch").failsWith(t, 1, "nosuch")
}

// TestServeExposure checks what a server that others can reach needs.
func TestServeExposure(t *testing.T) {
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir, "one")
	for _, test := range []struct {
		args []string
		want string // "" starts
	}{
		{nil, "-allow-plaintext"},
		{[]string{"-tls-cert", cert, "-tls-key", key}, ""},
		{[]string{"-allow-plaintext"}, ""},
		{[]string{"-allow-anyone"}, "-allow-plaintext"},
		{[]string{"-allow-anyone", "-allow-plaintext"}, ""},
		{[]string{"-config", writeConfig(t, "[auth]\nrequired = false\n"), "-tls-cert", cert, "-tls-key", key}, "-allow-anyone"},
	} {
		args := append([]string{"serve", "-check", "-data", dir, "-listen", "0.0.0.0:0"}, test.args...)
		o := hone(t, args...)
		if test.want == "" && o.code != 0 || test.want != "" && (o.code != 1 || !strings.Contains(o.stderr, test.want)) {
			t.Errorf("%v: %+v, want %q", test.args, o, test.want)
		}
	}
	// The same when it is really started.
	o := hone(t, "serve", "-data", dir, "-listen", "0.0.0.0:0")
	o.failsWith(t, 1, "-allow-plaintext")
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hone-serve.toml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestServeCheckAll wants all that is wrong told at once, in the order of the file.
func TestServeCheckAll(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tokens.json"), "{")
	config := writeConfig(t, `listen = "0.0.0.0:4600"
publik_url = "https://hone.example.com"
public_url = "hone.example.com"
hosts = [
  1,
]

[auth]
required = false
[auth.oidc]
[[auth.oidc.rule]]
roles = ["king"]
[[auth.oidc.rule]]
email = "*"

[log]
format = "xml"
level = "loud"

[tls]
cert = "cert.pem"

[store]
retention = "3 dogs"
max_size = "much"

[regressions]
every = "1ms"
budget = 2.0

[[notify]]
name = "chat"
format = "slack"
url_file = "no/such/file"
colour = "red"

[[scrape]]
interval = "1ms"
[[scrape.relabel]]
action = "dance"

[function_metrics]
delay = "soon"
budgets = 1
[[function_metrics.rule]]
name = "x"
functions = "("
`)
	wants := []string{
		":2: unknown setting publik_url",
		":5: hosts: ", // an element of hosts
		":24: store.retention: ",
		":25: store.max_size: ",
		":35: unknown setting notify.colour",
		":43: function_metrics.delay: ",
		":44: unknown setting function_metrics.budgets",
		": function_metrics: rule \"x\": functions: error parsing regexp",
		": function_metrics: rule \"x\": select: missing",
		": log.format: \"xml\" is not text or json",
		": log.level: \"loud\" is not debug, info, warn or error",
		": tls: cert and key belong together",
		": public_url: ",
		": regressions.every: 1ms is too short",
		": regressions.budget: invalid share of a CPU 2",
		": notify: target \"chat\": format: unknown format \"slack\"",
		": notify: target \"chat\": url_file: ",
		": scrape: scrape job 1 has no name",
		": scrape: scrape job 1: the interval 1ms",
		": scrape: scrape job 1: recording 10s per target",
		": scrape: scrape job 1: relabel rule 1: ",
		": auth: there is oidc to log in with, but required is false",
		": auth.oidc: rule 1: unknown role",
		": auth.oidc: rule 1 needs an email",
		": auth.oidc: issuer is missing",
		": auth.oidc: client_id is missing",
		": auth.oidc: rule 2: role is missing",
		": auth.tokens: ",
		"0.0.0.0:4600 is reached by others, and no login is required",
	}
	o := hone(t, "serve", "-check", "-data", dir, "-config", config)
	if o.code != exitFailure || o.stdout != "" {
		t.Errorf("exit code %d, %q", o.code, o.stdout)
	}
	lines := strings.Split(strings.TrimSpace(o.stderr), "\n")
	for _, want := range wants {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "hone: ") && strings.Contains(l, want) }) {
			t.Errorf("no line has %q", want)
		}
	}
	if len(lines) != len(wants) || t.Failed() {
		t.Errorf("%d lines, want %d:\n%s", len(lines), len(wants), o.stderr)
	}

	// What can't be read hides the rest.
	hone(t, "serve", "-check", "-config", writeConfig(t, "listen = \"x\"\nlog = [\n")).failsWith(t, exitFailure, "hone-serve.toml:2: ")
	o = hone(t, "serve", "-check", "-data", t.TempDir(), "-retention", "x", "-max-size", "y", "-listen", "z")
	if o.code != exitUsage || strings.Count(o.stderr, "hone: -") != 2 || !strings.Contains(o.stderr, "hone: listen: ") {
		t.Errorf("flags: %+v", o)
	}
}

func TestServeConfig(t *testing.T) {
	all := `
listen = "localhost:4600"
data = "/tmp/nowhere"
public_url = "https://hone.example.com"
hosts = ["hone:4600"]
source_path = "/src"

[log]
format = "json"
level = "debug"

[auth]
tokens = "/tmp/nowhere/tokens.json"

[auth.oidc]
name = "Example"
issuer = "https://id.example.com"
client_id = "hone"
client_secret = "secret"
scopes = ["email", "groups"]
groups_claim = "roles"

[[auth.oidc.rule]]
group = "perf"
roles = ["admin"]

[[auth.oidc.rule]]
email = "*@example.com"
roles = ["read"]
services = ["shop-*"]

[store]
retention = "90d"
max_size = "200GB"
min_free = "1GiB"
cache = "64MiB"

[limits]
max_body = 1000000
max_series = 5000

[queries]
parallel = 2
waiting = 10
cache = "1GB"

[server]
connections = 100
body_timeout = "30s"
shutdown = "5s"
in_flight = "64MB"

[cloud_profiler]
interval = "5m"
duration = "10s"
proxy = "127.0.0.1:4601"
forward = ["example.com"]

[[scrape]]
name = "api"
interval = "30s"
[[scrape.static]]
targets = ["localhost:6060"]
labels = {zone = "a"}
`
	if o := hone(t, "serve", "-check", "-config", writeConfig(t, all)); o.code != 0 || !strings.Contains(o.stdout, "settings are valid") || !strings.Contains(o.stdout, "https://id.example.com") {
		t.Errorf("%+v", o)
	}
	f, err := parseServeFlags([]string{"-config", writeConfig(t, all), "-listen", "127.0.0.1:9", "-retention", "0"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.resolved(t.Context(), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:9" || c.Store.Retention != 0 || c.Store.MaxSize != 200e9 || c.Store.MinFree != 1<<30 || c.Limits.MaxSeries != 5000 ||
		time.Duration(c.Server.BodyTimeout) != 30*time.Second || len(c.Scrape) != 1 {
		t.Errorf("%+v", c)
	}
	for _, test := range []struct{ text, want string }{
		{"listne = \"x\"\n", "hone-serve.toml:1: unknown setting listne"},
		{"\n[auth]\nx = 1\n[store]\ny = 2\n", "hone-serve.toml:3: unknown setting auth.x\n"},
		{"[limits]\nmax_bodies = 5\n", ":2: unknown setting limits.max_bodies"},
		{"listen = 5\n", ":1:"},
		{"listen = \"x\n", ":1:"},
		{"listen = \"4600\"\n", "listen: \"4600\" is not HOST:PORT"},
		{"[store]\nretention = \"soon\"\n", ":2:"},
		{"[store]\nmax_size = \"10 apples\"\n", "10 apples"},
		{"[server]\ntrusted_proxies = [\"proxy\"]\n", `invalid address "proxy"`},
		{"[server]\nconnections = -1\n", "server.connections: -1"},
		{"[log]\nformat = \"xml\"\n", "log.format"},
		{"[log]\nlevel = \"loud\"\n", "log.level"},
		{"[tls]\ncert = \"x\"\n", "belong together"},
		{"[tls]\ncert = \"/nonexistent\"\nkey = \"/nonexistent\"\n", "/nonexistent"},
		{"public_url = \"hone.example.com\"\n", "public_url"},
		{"[cloud_profiler]\nproxy = \"x\"\n", "cloud_profiler.proxy"},
		{"[auth]\nrequired = false\n[auth.oidc]\nissuer = \"https://x\"\n", "required is false"},
		{"[auth.oidc]\nissuer = \"https://x\"\nclient_id = \"hone\"\n[[auth.oidc.rule]]\nemail = \"*\"\nroles = [\"read\"]\n", "public URL"},
		{"public_url = \"https://h\"\n[auth.oidc]\nissuer = \"https://x\"\nclient_id = \"hone\"\n[[auth.oidc.rule]]\nemail = \"*\"\nroles = [\"root\"]\n", "root"},
		{"[[scrape]]\nname = \"x\"\ninterval = \"1ns\"\n[[scrape.static]]\ntargets = [\"localhost:1\"]\n", "scrape"},
	} {
		o := hone(t, "serve", "-check", "-data", t.TempDir(), "-config", writeConfig(t, test.text))
		if o.code != exitFailure || o.stdout != "" || !strings.HasPrefix(o.stderr, "hone: ") || !strings.Contains(o.stderr, test.want) {
			t.Errorf("%s: %+v, want %q", test.text, o, test.want)
		}
	}
	for _, args := range [][]string{{"x"}, {"-retention", "x"}, {"-max-size", "x"}, {"-nosuch"}} {
		hone(t, append([]string{"serve", "-check"}, args...)...).failsWith(t, 2)
	}
	hone(t, "serve", "-config", "/nonexistent").failsWith(t, 1, "/nonexistent")
}

// TestSessionVerb logs in to a server, and ends the session from the command line.
func TestSessionVerb(t *testing.T) {
	data := t.TempDir()
	secret := strings.TrimSpace(succeed(t, "token", "add", "-data", data, "-role", "read", "alice"))
	s := startServe(t, data)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := c.PostForm(s.url+"/login", url.Values{"token": {secret}})
	if err != nil || r.StatusCode != http.StatusSeeOther {
		t.Fatal(r, err)
	}
	asks := func() int {
		r, err := c.Get(s.url + "/api/v1/labels")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r.StatusCode
	}
	if got := asks(); got != 200 {
		t.Errorf("logged in: %d", got)
	}
	if out := succeed(t, "session", "list", "-data", data); !strings.Contains(out, "alice") || !strings.Contains(out, "127.0.0.1") {
		t.Error(out)
	}
	hone(t, "session", "end", "-data", data, "bob").failsWith(t, 1, `unknown session "bob"`)
	if out := succeed(t, "session", "end", "-data", data, "alice"); out != "Ended 1 session.\n" {
		t.Error(out)
	}
	if got := asks(); got != 401 {
		t.Errorf("after the end: %d", got)
	}
	if out := succeed(t, "session", "list", "-json", "-data", data); strings.Join(strings.Fields(out), "") != `{"sessions":[]}` {
		t.Error(out)
	}
	// From another machine, with the token of an admin.
	admin := strings.TrimSpace(succeed(t, "token", "add", "-data", data, "-role", "admin", "root"))
	tokenFile := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(admin), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err = c.PostForm(s.url+"/login", url.Values{"token": {secret}}); err != nil || r.StatusCode != http.StatusSeeOther || asks() != 200 {
		t.Fatal(r, err)
	}
	remote := []string{"-server", s.url, "-token-file", tokenFile}
	if out := succeed(t, append([]string{"session", "list"}, remote...)...); !strings.Contains(out, "alice") {
		t.Error(out)
	}
	hone(t, append(append([]string{"session", "end"}, remote...), "bob")...).failsWith(t, 1, `unknown session "bob"`)
	hone(t, "session", "list", "-server", s.url).failsWith(t, 1, "HONE_TOKEN")
	if out := succeed(t, append(append([]string{"session", "end"}, remote...), "alice")...); out != "Ended 1 session.\n" {
		t.Error(out)
	}
	if got := asks(); got != 401 {
		t.Errorf("after the end from elsewhere: %d", got)
	}
	for _, args := range [][]string{{}, {"end"}, {"list", "x"}, {"begin"}, {"list", "-data", data, "-server", s.url}} {
		hone(t, append([]string{"session"}, args...)...).failsWith(t, 2)
	}
}

// TestFlagsGivenTwice checks that a second value is not taken in silence for a flag
// that holds one.
func TestFlagsGivenTwice(t *testing.T) {
	data := t.TempDir()
	for _, args := range [][]string{
		{"token", "add", "-data", data, "-role", "read", "-role", "write", "x"},
		{"token", "list", "-data", data, "-data", data},
		{"session", "list", "-data", data, "-data", data},
		{"serve", "-check", "-listen", "127.0.0.1:1", "-listen", "127.0.0.1:2"},
		{"serve", "-check", "-cloud-profiler-proxy", "-cloud-profiler-proxy=127.0.0.1:1"},
		{"push", "-service", "a", "-service", "b", "x"},
		{"store", "backup", "-name", "a", "-name", "b"},
	} {
		hone(t, args...).failsWith(t, 2, "given twice")
	}
	if out := succeed(t, "token", "list", "-data", data); !strings.HasPrefix(out, "No tokens in "+data) {
		t.Errorf("a token was made: %s", out)
	}
}

func TestDefaultData(t *testing.T) {
	for _, test := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"STATE_DIRECTORY": "/var/lib/hone:/x", "XDG_STATE_HOME": "/state"}, "/var/lib/hone"},
		{map[string]string{"XDG_STATE_HOME": "/state"}, filepath.Join("/state", "hone")},
		{map[string]string{"XDG_STATE_HOME": "relative"}, filepath.Join(".local", "state", "hone")},
	} {
		if runtime.GOOS == "windows" {
			t.Skip("other paths")
		}
		if got := daemon.DefaultData(func(name string) string { return test.env[name] }); !strings.HasSuffix(got, test.want) {
			t.Errorf("%v: %s, want %s", test.env, got, test.want)
		}
	}
}

// writeCertificate makes a certificate for 127.0.0.1 with a name to tell it by.
func writeCertificate(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestServeTLS checks that a new certificate is used without a restart, and that
// files that are no certificate change nothing.
func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir, "one")
	d := startServe(t, t.TempDir(), "-tls-cert", cert, "-tls-key", key)
	if !strings.HasPrefix(d.url, "https://") {
		t.Fatal(d.url)
	}
	name := func() string {
		c, err := tls.Dial("tcp", strings.TrimPrefix(d.url, "https://"), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if c.ConnectionState().NegotiatedProtocol != "h2" {
			t.Error("no HTTP/2 over TLS")
		}
		return c.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := name(); got != "one" {
		t.Fatalf("the certificate is %s", got)
	}
	if o := d.hone("query", "-tls_ca", cert, "-labels", "{}"); o.code != 0 {
		t.Error(o.stderr)
	}
	if o := d.hone("query", "-labels", "{}"); o.code == 0 {
		t.Error("a certificate that nobody vouches for is trusted")
	}
	if err := os.WriteFile(cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // when it looks again
	if got := name(); got != "one" {
		t.Errorf("with a broken file the certificate is %s", got)
	}
	writeCertificate(t, dir, "two")
	for start := time.Now(); name() != "two"; time.Sleep(50 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("the new certificate is not used")
		}
	}
	if !strings.Contains(d.stderr.String(), "can't be read") {
		t.Error("nobody is told of the broken file")
	}
}

// TestServeScrapesAndTells fetches profiles of this test's own process, and
// checks that a target that fails can be seen to.
func TestServeScrapesAndTells(t *testing.T) { eachStore(t, testScrapesAndTells) }

func testScrapesAndTells(t *testing.T, on ...string) {
	raw, err := os.ReadFile(testdata("heap.inlining.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/debug/pprof/heap" {
			http.Error(w, "not today", http.StatusTeapot)
			return
		}
		w.Write(raw)
	}))
	defer target.Close()
	config := writeConfig(t, "[[scrape]]\nname = \"api\"\ninterval = \"200ms\"\nprofiles.cpu.enabled = false\n[[scrape.static]]\ntargets = [\""+target.URL+"\"]\n")
	d := startServe(t, t.TempDir(), append([]string{"-config", config}, on...)...)
	for start := time.Now(); d.hone("query", `heap{service="api"}`).code != 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("nothing is fetched")
		}
	}
	body := func(path string) string {
		r, err := http.Get(d.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		return string(b)
	}
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		st := body("/api/v1/status")
		if strings.Contains(st, `"state":"down"`) && strings.Contains(st, `"state":"up"`) && strings.Contains(st, "could not be fetched") {
			break
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("the status: %s", st)
		}
	}
	metrics := body("/metrics")
	for _, want := range []string{`hone_store_put_total{result="kept"} `, `hone_scrapes_failed_total{job="api"`, `hone_ingest_profiles_total{protocol="pull"}`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
}

func TestStoreVerb(t *testing.T) {
	data := t.TempDir()
	d := startServe(t, data)
	d.succeed("push", "-service", "api", "-time", "now", testdata("cpu.gc.pb.gz"))
	d.succeed("push", "-service", "web", "-time", "now", testdata("heap.cgo.pb.gz"))
	d.succeed("push", "-service", "web", "-time", "-1h", testdata("heap.cgo.pb.gz"))
	hone(t, "store", "stats", data).failsWith(t, 1, "another process has it open")
	if out := d.succeed("store", "backup", "-server", d.url, "-name", "one"); !strings.Contains(out, "backups/one") {
		t.Error(out)
	}
	d.hone("store", "backup", "-server", d.url, "-name", "one").failsWith(t, 1, "already")
	for _, args := range [][]string{{"store", "backup"}, {"store", "backup", "-name", "two"}} {
		if o := honeWith(t, map[string]string{"HONE_SERVER": d.url}, "", args...); !strings.Contains(o.stdout, "to backups/") {
			t.Errorf("%q with $HONE_SERVER: %+v", args, o)
		}
	}
	honeWith(t, map[string]string{"HONE_SERVER": d.url}, "", "store", "backup", "-name", "three", data).failsWith(t, exitUsage, "chooses where to put a backup")
	d.hone("store", "backup", "-server", d.url, "-name", "../x").failsWith(t, 1, "name")
	d.end()
	restored := t.TempDir()
	succeed(t, "store", "backup", filepath.Join(data, "backups", "one"), filepath.Join(restored, "store"))
	for _, dir := range []string{data, filepath.Join(data, "store"), filepath.Join(data, "backups", "one"), restored} {
		if out := succeed(t, "store", "verify", dir); !strings.Contains(out, "is undamaged") {
			t.Errorf("%s: %s", dir, out)
		}
		out := succeed(t, "store", "stats", dir)
		wantLines(t, out, `^profiles     3$`, `^ +1 +\d\S*B +\d\S*B +api$`, `^ +2 +\d\S*B +\d\S*B +web$`)
	}
	var stats struct {
		Profiles int
		Services []struct {
			Service     string
			SampleBytes int64
		}
	}
	if err := json.Unmarshal([]byte(succeed(t, "store", "stats", "-json", data)), &stats); err != nil || stats.Profiles != 3 || len(stats.Services) != 2 || stats.Services[0].SampleBytes <= 0 {
		t.Errorf("%+v, %v", stats, err)
	}
	if out := succeed(t, "store", "repair", restored); !strings.Contains(out, "profiles kept: 3; lost: 0") {
		t.Error(out)
	}
	again := startServe(t, restored)
	if o := again.hone("query", "cpu"); o.code != 0 {
		t.Errorf("after repair: %s", o.stderr)
	}
	hone(t, "store", "verify", t.TempDir()).failsWith(t, 1, "no store")
	for _, args := range [][]string{{}, {"verify"}, {"backup", data}, {"burn", data}, {"backup", "-server", "x", "y"}} {
		hone(t, append([]string{"store"}, args...)...).failsWith(t, 2)
	}
}

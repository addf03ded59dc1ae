package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/ingest/otlp"
	"github.com/hone-go/hone/internal/ingest/parca"
	"github.com/hone-go/hone/internal/ingest/pprofhttp"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// eachStore runs a test on the store in the data directory, and on ClickHouse: on is
// what hone serve is told besides.
func eachStore(t *testing.T, test func(t *testing.T, on ...string)) {
	t.Run("disk", func(t *testing.T) { test(t) })
	for name, server := range map[string]func(testing.TB) *clickhousetest.Server{"clickhouse": clickhousetest.Single, "today": clickhousetest.Today} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("starts ClickHouse")
			}
			s := server(t)
			test(t, "-store", created(t, fmt.Sprintf("clickhouse://%s/%s", s.Addr, s.Name(t))))
		})
	}
}

// created returns the address of a store after its tables were made.
func created(t *testing.T, address string) string {
	t.Helper()
	if out := succeed(t, "store", "create", address); !strings.Contains(out, "now has hone's tables") {
		t.Error(out)
	}
	return address
}

// onServer returns the address of a new store on Debian's server.
func onServer(t *testing.T) (*clickhousetest.Server, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts ClickHouse")
	}
	s := clickhousetest.Single(t)
	return s, fmt.Sprintf("clickhouse://%s/%s", s.Addr, s.Name(t))
}

// TestServeProtocols: what other systems' agents send is in the answers, on every store.
func TestServeProtocols(t *testing.T) {
	eachStore(t, func(t *testing.T, on ...string) {
		d := startServe(t, t.TempDir(), on...)
		raw, err := os.ReadFile(testdata("cpu.json-decode.pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		data := base64.StdEncoding.EncodeToString(raw)
		for _, c := range []struct{ protocol, path, contentType, body string }{
			{"pyroscope", "/push.v1.PusherService/Push", "application/json", `{"series":[{"labels":[{"name":"__name__","value":"process_cpu"},{"name":"service_name","value":"pyroscope"}],"samples":[{"rawProfile":"` + data + `"}]}]}`},
			{"parca", "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", "application/json", `{"series":[{"labels":{"labels":[{"name":"__name__","value":"process_cpu"},{"name":"job","value":"parca"}]},"samples":[{"rawProfile":"` + data + `"}]}]}`},
			{"ingest", "/ingest?name=ingest%7B%7D&format=pprof&from=" + fmt.Sprint(time.Now().Add(-time.Minute).Unix()) + "&until=" + fmt.Sprint(time.Now().Unix()), "application/octet-stream", string(raw)},
		} {
			resp, err := http.Post(d.url+c.path, c.contentType, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", c.protocol, resp.Status)
			}
		}
		d.succeed("push", "-service", "push", testdata("cpu.json-decode.pb.gz"))
		want := succeed(t, "top", testdata("cpu.json-decode.pb.gz"))
		_, want, _ = strings.Cut(want, "flat%")
		for _, service := range []string{"pyroscope", "parca", "ingest", "push"} {
			_, got, _ := strings.Cut(d.succeed("query", "-from", "-3650d", fmt.Sprintf(`cpu{service=%q}`, service)), "flat%")
			if got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", service, got, want)
			}
		}
		for _, page := range []string{"/", "/api/v1/status", "/readyz"} {
			resp, err := http.Get(d.url + page)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", page, resp.Status)
			}
		}
	})
}

// TestStoreCopy: a store on the disk, its copy in ClickHouse, and the copy of that have
// the same profiles.
func TestStoreCopy(t *testing.T) {
	_, address := onServer(t)
	created(t, address)
	data, third := t.TempDir(), filepath.Join(t.TempDir(), "third")
	d := startServe(t, data)
	for i, file := range []string{"cpu.json-decode.pb.gz", "cpu.generics.pb.gz", "heap.inlining.pb.gz", "cpu.labels.pb.gz"} {
		d.succeed("push", "-service", "api", "-version", fmt.Sprint("v", i%2), "-time", fmt.Sprintf("-%dm", 1+40*i), testdata(file))
	}
	hone(t, "store", "copy", data, address).failsWith(t, 1, "another process has it open")
	want := d.succeed("query", "-from", "-1d", "cpu")
	d.end()
	if out := succeed(t, "store", "copy", data, address); !strings.Contains(out, "Both stores have 4 profiles, 4 of them new") {
		t.Error(out)
	}
	if out := succeed(t, "store", "copy", data, address); !strings.Contains(out, "Both stores have 4 profiles, 0 of them new") {
		t.Errorf("again: %s", out)
	}
	wantLines(t, succeed(t, "store", "stats", address), `^profiles +4$`, `^ +4 +api$`)
	var stats struct {
		Profiles int
		Services map[string]int
	}
	if err := json.Unmarshal([]byte(succeed(t, "store", "stats", "-json", address)), &stats); err != nil || stats.Profiles != 4 || stats.Services["api"] != 4 {
		t.Errorf("%+v, %v", stats, err)
	}
	if out := succeed(t, "store", "copy", address, third); !strings.Contains(out, "Both stores have 4 profiles, 4 of them new") {
		t.Error(out)
	}
	if out := succeed(t, "store", "verify", third); !strings.Contains(out, "4 profiles") {
		t.Error(out)
	}
	d = startServe(t, t.TempDir(), "-store", address)
	if got := d.succeed("query", "-from", "-1d", "cpu"); got != want {
		t.Errorf("the copy has\n%s\nthe store\n%s", got, want)
	}
	hone(t, "store", "copy", data, t.TempDir()+"/..").failsWith(t, 1, "no store")
}

// TestClickHouseErrors: what is wrong is told with what to do.
func TestClickHouseErrors(t *testing.T) {
	s, address := onServer(t)
	created(t, address)
	name := address[strings.LastIndex(address, "/")+1:]
	newer := s.Database(t)
	if _, err := s.Query("CREATE TABLE " + newer + ".schema (version UInt32, key String) ENGINE = MergeTree ORDER BY version"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Query("INSERT INTO " + newer + ".schema VALUES (99, '')"); err != nil {
		t.Fatal(err)
	}
	at := "clickhouse://" + s.Addr + "/"
	for _, c := range []struct {
		name, address string
		want          []string
	}{
		{"nobody listens", "clickhouse://127.0.0.1:1/hone", []string{"127.0.0.1:1", "connection refused"}},
		{"wrong password", "clickhouse://hone:secret@" + s.Addr + "/" + name, []string{s.Addr, "password"}},
		{"no such user", "clickhouse://nobody@" + s.Addr + "/" + name, []string{"user"}},
		{"may only read", "clickhouse://reader@" + s.Addr + "/" + name, []string{"readonly"}},
		{"no database", at + "nothere", []string{"nothere", "hone store create"}},
		{"no tables", at + "default", []string{"default", "hone store create"}},
		{"newer tables", at + newer, []string{"99", "newer hone"}},
		{"no cluster", at + name + "?cluster=nothere", []string{"nothere", "remote_servers"}},
	} {
		o := hone(t, "serve", "-listen", "127.0.0.1:0", "-data", t.TempDir(), "-store", c.address)
		o.failsWith(t, 1, c.want...)
		if strings.Contains(o.stderr, "secret") {
			t.Errorf("%s: the password is told: %s", c.name, o.stderr)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"serve", "-store", "http://x"}, 1, "begins with clickhouse://"},
		{[]string{"serve", "-store", at + "x?colour=red"}, 1, "colour"},
		{[]string{"serve", "-store", at + "x?password-file=/nonexistent"}, 1, "password-file"},
		{[]string{"serve", "-store", address, "-max-size", "1GB"}, 1, "max_size"},
		{[]string{"store", "verify", address}, exitUsage, "doc/cluster.md"},
		{[]string{"store", "repair", address}, exitUsage, "doc/cluster.md"},
		{[]string{"store", "create", t.TempDir()}, exitUsage, "invalid address of ClickHouse"},
		{[]string{"store", "copy", address}, exitUsage, "missing target: use hone store copy FROM TO"},
	} {
		hone(t, c.args...).failsWith(t, c.code, c.want)
	}
	d := startServe(t, t.TempDir(), "-store", address)
	d.hone("store", "backup", "-server", d.url).failsWith(t, 1, "doc/cluster.md")
}

// TestServeWithoutClickHouse: a server says that it isn't ready while ClickHouse is
// down, and takes profiles again when it is back.
func TestServeWithoutClickHouse(t *testing.T) {
	if testing.Short() {
		t.Skip("starts ClickHouse")
	}
	s := clickhousetest.ForTest(t, clickhousetest.StartSingle)
	address := created(t, "clickhouse://"+s.Addr+"/hone")
	d := startServe(t, t.TempDir(), "-store", address)
	ready := func() int {
		resp, err := http.Get(d.url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	d.succeed("push", "-service", "api", "-time", "-1m", testdata("cpu.json-decode.pb.gz"))
	s.Kill()
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("without ClickHouse: %d", got)
	}
	d.hone("push", "-timeout", "1ms", "-service", "api", "-time", "-2m", testdata("cpu.generics.pb.gz")).failsWith(t, 1)
	d.hone("query", "cpu").failsWith(t, 1)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	d.succeed("push", "-service", "api", "-time", "-2m", testdata("cpu.generics.pb.gz"))
	if got := ready(); got != http.StatusOK {
		t.Errorf("with ClickHouse again: %d", got)
	}
	if got := d.succeed("query", "cpu"); !strings.Contains(got, "Total samples = 2.18s") {
		t.Error(got)
	}
}

// TestClickHouseTLS: hone talks to a server whose certificate it trusts, and to no other.
func TestClickHouseTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("starts ClickHouse")
	}
	s := clickhousetest.ForTest(t, clickhousetest.StartTLS)
	at := "clickhouse://" + s.TLS + "/hone"
	hone(t, "store", "create", at+"?tls=1").failsWith(t, 1, s.TLS, "certificate")
	hone(t, "store", "create", at).failsWith(t, 1, s.TLS)
	hone(t, "store", "create", at+"?ca="+testdata("cpu.json-decode.pb.gz")).failsWith(t, 1, "no certificate in PEM")
	hone(t, "store", "create", "clickhouse://"+s.Addr+"/hone?tls=1").failsWith(t, 1, s.Addr)
	address := created(t, at+"?ca="+s.CA)
	d := startServe(t, t.TempDir(), "-store", address)
	d.succeed("push", "-service", "api", "-time", "-1m", testdata("cpu.json-decode.pb.gz"))
	if got := d.succeed("query", "cpu"); !strings.Contains(got, "Total samples = ") {
		t.Error(got)
	}
}

// TestClientsOnClickHouse: what real clients of each protocol send is in ClickHouse with
// all its values.
func TestClientsOnClickHouse(t *testing.T) {
	kinds := []string{"cpu", "heap", "goroutine", "mutex", "block"}
	for name, c := range map[string]struct {
		mount  func(*http.ServeMux, ingest.Receiver)
		client ingesttest.Client
	}{
		"otlp":  {otlp.Mount, ingesttest.Client{Program: "otlp", Args: []string{"-transport", "grpc"}, HostPort: true, AtLeast: 5, Kinds: kinds}},
		"parca": {parca.Mount, ingesttest.Client{Program: "parca", HostPort: true, AtLeast: 5, Kinds: kinds}},
		"delta": {pprofhttp.Mount, ingesttest.Client{Program: "godeltaprof", AtLeast: 9, Kinds: []string{"heap", "mutex", "block"}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, address := onServer(t)
			created(t, address)
			cfg, err := clickhouse.ParseURL(address)
			if err != nil {
				t.Fatal(err)
			}
			st, err := clickhouse.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			ingesttest.CheckClient(t, st, c.mount, c.client)
		})
	}
	t.Run("cloudprofiler", func(t *testing.T) {
		_, address := onServer(t)
		created(t, address)
		d := startServe(t, t.TempDir(), "-store", address)
		addr := strings.TrimPrefix(d.url, "http://")
		ingesttest.StartAgent(t, "cloudprofiler", append(os.Environ(), "HOME="+t.TempDir()), "-addr", addr, "-plain",
			"-service", "agent", "-version", "1.2", "-project", "acme", "-zone", "eu-1", "-instance", "node-7", "-types", "cpu,threads")
		deadline := time.Now().Add(2 * time.Minute)
		for {
			got := d.hone("query", "-from", "-1h", `cpu{service="agent",version="1.2",zone="eu-1",instance="node-7"}`)
			if got.code == 0 && strings.Contains(got.stdout, "Total samples") {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("no CPU profile of the agent came in two minutes: %s%s", got.stdout, got.stderr)
			}
			time.Sleep(500 * time.Millisecond)
		}
	})
}

// TestWebOnClickHouse drives the pages of continuous profiling in a browser on a server
// whose profiles are in ClickHouse; see CONTRIBUTING.md for when.
func TestWebOnClickHouse(t *testing.T) {
	if os.Getenv("HONE_CLICKHOUSE_TESTS") != "all" {
		t.Skip("takes a minute: HONE_CLICKHOUSE_TESTS=all runs it")
	}
	s := clickhousetest.Single(t)
	cmd := exec.Command("npm", "run", "--silent", "e2e", "--", "e2e/continuous.test.mjs", "e2e/when.test.mjs")
	cmd.Dir = filepath.Join("..", "..", "web")
	cmd.Env = append(os.Environ(), "HONE_E2E_CLICKHOUSE="+s.Addr)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

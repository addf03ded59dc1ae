package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/server/auth"
)

// TestServeCloudProfilerSettings checks that the settings of cloud_profiler come
// to where they count: what agents are asked for, how long they wait, and what
// the proxy says and bounds.
func TestServeCloudProfilerSettings(t *testing.T) {
	d := startServe(t, t.TempDir(), "-config", writeConfig(t, `
[cloud_profiler]
interval = "1h"
wait = "50ms"
profiles.cpu.enabled = false
profiles.allocs.duration = "3s"
proxy = "127.0.0.1:0"
forward = ["127.0.0.0/8"]
tunnels = 1
project = "acme"
zone = "eu-1"
instance = "node-7"
`))
	poll := func(kind string) (int, string) {
		t.Helper()
		r, err := http.Post(d.url+"/v2/projects/acme/profiles", "application/json",
			strings.NewReader(fmt.Sprintf(`{"deployment": {"projectId": "acme", "target": "shop"}, "profileType": [%q]}`, kind)))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
	for _, test := range []struct {
		about, kind string
		status      int
		want        string
	}{
		{"a kind that is turned off", "CPU", 409, "turned off"},
		{"a kind with its own duration", "HEAP_ALLOC", 200, `"3s"`},
		{"the next one of an hour, with the end of the wait", "HEAP_ALLOC", 409, "retryDelay"},
	} {
		if status, text := poll(test.kind); status != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%s: %d %s, want %d %s", test.about, status, text, test.status, test.want)
		}
	}

	m := regexp.MustCompile(`HTTPS_PROXY=http://(\S+)`).FindStringSubmatch(d.stdout.String())
	if m == nil {
		t.Fatalf("it doesn't tell of the proxy: %s", d.stdout.String())
	}
	for path, want := range map[string]string{"project/project-id": "acme", "instance/zone": "projects/0/zones/eu-1", "instance/name": "node-7"} {
		req, err := http.NewRequest("GET", "http://"+m[1]+"/computeMetadata/v1/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Metadata-Flavor", "Google")
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(text) != want {
			t.Errorf("%s is %q, %v, want %q", path, text, err, want)
		}
	}
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	connect := func() int {
		t.Helper()
		c, err := net.Dial("tcp", m[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", target.Addr())
		r, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: "CONNECT"})
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode
	}
	if first, second := connect(), connect(); first != 200 || second != 503 {
		t.Errorf("with one connection at a time two get %d and %d", first, second)
	}
}

// TestServeProxyRole checks that the proxy takes tokens that write and no others, that
// it connects to nothing but what others can reach too, and that all of that is on
// record.
func TestServeProxyRole(t *testing.T) {
	data := t.TempDir()
	token := func(role string) string {
		return strings.TrimSpace(succeed(t, "token", "add", "-data", data, "-role", role, role+"er"))
	}
	read, write := token("read"), token("write")
	d := startServe(t, data, "-cloud-profiler-proxy=127.0.0.1:0")
	m := regexp.MustCompile(`HTTPS_PROXY=http://hone:TOKEN@(\S+)`).FindStringSubmatch(d.stdout.String())
	if m == nil {
		t.Fatalf("it doesn't tell of the proxy: %s", d.stdout.String())
	}
	for _, test := range []struct {
		name, token string
		want        int
	}{{"nobody", "", 407}, {"a guess", "guess", 407}, {"a reader", read, 407}, {"a writer", write, 403}} {
		c, err := net.Dial("tcp", m[1])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\nProxy-Authorization: Bearer %s\r\n\r\n", test.token)
		r, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: "CONNECT"})
		c.Close()
		if err != nil || r.StatusCode != test.want {
			t.Errorf("%s: %v %v, want %d", test.name, r, err, test.want)
		}
	}
	text, err := os.ReadFile(filepath.Join(data, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		var e auth.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Action == auth.ProxyConnect {
			got = append(got, fmt.Sprint(e.Who, " ", e.Result, " ", e.Address, " ", e.Target))
		}
	}
	if want := []string{" denied 127.0.0.1 localhost:443", "reader denied 127.0.0.1 localhost:443", "writeer denied 127.0.0.1 localhost:443"}; !slices.Equal(got, want) {
		t.Errorf("on record: %q, want %q", got, want)
	}
}

// TestServeCloudProfilerCheck checks that -check finds mistakes in these settings
// that would otherwise end the start.
func TestServeCloudProfilerCheck(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`interval = "1ms"`, "at least 10ms"},
		{`duration = "1h"`, "must be 0 to 10m"},
		{`profiles.mutex.duration = "1h"`, "mutex"},
		{`profiles.cpus.enabled = false`, `unknown kind "cpus"`},
		{`profiles.cpu.seconds = 10`, "unknown setting cloud_profiler.profiles.cpu.seconds"},
		{`tunnels = -1`, "number of connections -1"},
		{`project = "acme/shop"`, "project"},
		{`zone = "{x}"`, "zone"},
		{`instance = "a b"`, "instance"},
		{`proxy = "10.0.0.5:4601"`, "turn on authentication"},
		{`proxy = ":4601"`, "turn on authentication"},
	} {
		config := writeConfig(t, "[cloud_profiler]\n"+test.text+"\n")
		data := t.TempDir()
		hone(t, "serve", "-check", "-data", data, "-config", config).failsWith(t, 1, test.want)
		if strings.HasPrefix(test.text, "proxy") {
			succeed(t, "token", "add", "-data", data, "a")
			succeed(t, "serve", "-check", "-data", data, "-config", config)
		}
	}
}

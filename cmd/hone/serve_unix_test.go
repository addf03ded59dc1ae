//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"

	"github.com/hone-go/hone/profile"
)

// TestServeReload checks that a signal has the configuration read again.
func TestServeReload(t *testing.T) {
	config := writeConfig(t, "[log]\nformat = \"json\"\n")
	data := t.TempDir()
	token := honeWith(t, nil, "", "token", "add", "-role", "read", "-data", data, "a").stdout
	d := startServe(t, data, "-config", config)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }))
	defer target.Close()
	jobs := func() int {
		var st api.Status
		r, err := http.DefaultClient.Do(ask(t, d.url+"/api/v1/status", token))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(&st); err != nil {
			t.Fatal(err)
		}
		return len(st.Scrape)
	}
	hangup := func(text, want string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); !strings.Contains(d.stderr.String(), want); time.Sleep(5 * time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatalf("no line with %q:\n%s", want, d.stderr.String())
			}
		}
	}
	rule := "[[function_metrics.rule]]\nname = \"x\"\nselect = \"cpu\"\nfunctions = \".*\"\n"
	hangup("[[scrape]]\nname = \"api\"\ninterval = \"1h\"\n[[scrape.static]]\ntargets = [\""+target.URL+"\"]\n"+rule, "read the configuration again")
	r, err := http.DefaultClient.Do(ask(t, d.url+"/api/v1/function-metrics", token))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if body, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(body), `"name":"x"`) {
		t.Errorf("after the configuration is read again, the rules are %s, %v", body, err)
	}
	for start := time.Now(); jobs() == 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("the new targets are not fetched from")
		}
	}
	hangup("nonsense = 1\n", "unknown setting nonsense")
	if jobs() == 0 {
		t.Error("a configuration that can't be read ended the fetching")
	}
	audit, err := os.ReadFile(filepath.Join(data, "audit.log"))
	if err != nil || strings.Count(string(audit), "config.reload") != 2 {
		t.Errorf("the audit log: %v\n%s", err, audit)
	}
}

// TestServeOIDCReload checks that new rules hold for someone who is logged in.
func TestServeOIDCReload(t *testing.T) {
	c := startCompany(t, companyRules)
	c.provider.User(map[string]any{"sub": "1", "email": "ann@example.com", "email_verified": true})
	b := c.browser()
	if p := b.login("/"); p.status != 200 {
		t.Fatalf("%d %s", p.status, p.text)
	}
	before, err := os.ReadFile(c.config)
	if err != nil {
		t.Fatal(err)
	}
	after := strings.Replace(string(before), `"*@example.com"`, `"*@other.example"`, 1)
	if err := os.WriteFile(c.config, []byte(after), 0o600); err != nil || after == string(before) {
		t.Fatal(err, after)
	}
	if p := b.fetch("GET", "/api/v1/labels", ""); p.status != 200 {
		t.Errorf("before the configuration is read again: %d %s", p.status, p.text)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); !strings.Contains(c.stderr.String(), "read the configuration again"); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("the configuration is not read again")
		}
	}
	if p := b.fetch("GET", "/api/v1/labels", ""); p.status != 403 || !strings.Contains(p.text, "ann@example.com does not have") {
		t.Errorf("with no rule that fits: %d %s", p.status, p.text)
	}
}

// TestServeProcess starts the program itself, and ends it as systemd does.
func TestServeProcess(t *testing.T) {
	t.Setenv("HONE_TEST_HONE", "1") // see TestMain
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	run := func() (*exec.Cmd, string, *bytes.Buffer) {
		cmd := exec.Command(program, "serve", "-data", data, "-listen", "127.0.0.1:0", "-log-format", "json")
		log := new(bytes.Buffer)
		cmd.Stderr = log
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		line := make([]byte, 4096)
		n, err := out.Read(line)
		m := servingLine.FindSubmatch(line[:n])
		if err != nil || m == nil {
			t.Fatalf("%v: %s", err, line[:n])
		}
		return cmd, string(m[1]), log
	}
	cmd, url, log := run()
	file, err := os.ReadFile(testdata("cpu.gc.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	at := strconv.FormatInt(time.Now().UnixNano(), 10)
	r, err := http.Post(url+"/api/v1/profiles?service=api&time="+at, "", bytes.NewReader(file))
	if err != nil || r.StatusCode != 204 {
		t.Fatal(r, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, log)
	}
	for line := range strings.Lines(log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
	if !strings.Contains(log.String(), `"msg":"ended"`) {
		t.Errorf("the log doesn't tell of the end: %s", log)
	}
	// Killed, it has what it acknowledged.
	cmd, url, _ = run()
	r, err = http.Post(url+"/api/v1/profiles?service=api&instance=2&time="+at, "", bytes.NewReader(file))
	if err != nil || r.StatusCode != 204 {
		t.Fatal(r, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	cmd, url, _ = run()
	r, err = http.Get(fmt.Sprintf("%s/api/v1/pprof?q=cpu", url))
	if err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	got, err := profile.Decode(r.Body, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := profile.DecodeBytes(file, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.SampleTypes {
		var sum, twice int64
		for _, v := range got.Values[i] {
			sum += v
		}
		for _, v := range want.Values[i] {
			twice += 2 * v
		}
		if sum != twice {
			t.Errorf("%v: %d after two pushes, a restart and a kill, want %d", want.SampleTypes[i], sum, twice)
		}
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
}

// TestServeOpensNoBinaries sends profiles whose mappings name a named pipe, and a
// program of the server's machine: nothing waits, and nothing is told of the program
// unless it is where the configuration says.
func TestServeOpensNoBinaries(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	closed := startServe(t, t.TempDir())
	open := startServe(t, t.TempDir(), "-binary-path", filepath.Dir(own))
	for _, test := range []struct {
		name  string
		on    *serving
		file  string
		opens bool
	}{
		{"a pipe", closed, pipe, false},
		{"a pipe, with folders", open, pipe, false},
		{"a program", closed, own, false},
		{"a program in a folder", open, own, true},
	} {
		p := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"}).Profile()
		p.Mappings = []profile.Mapping{{ID: 1, Start: 0x400000, Limit: 0x40000000, File: test.file}}
		p.Locations = []profile.Location{{ID: 1, Mapping: 1, Address: uint64(reflect.ValueOf(TestServeOpensNoBinaries).Pointer()) + 1}}
		p.Frames, p.Stacks, p.Values = []uint32{0}, []profile.Stack{{Len: 1}}, [][]int64{{1}}
		var b bytes.Buffer
		if err := p.Encode(&b); err != nil {
			t.Fatal(err)
		}
		c := &http.Client{Timeout: time.Minute}
		r, err := c.Post(test.on.url+"/api/v1/profiles?name=x", "", &b)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var uploaded api.Profile
		if err := json.NewDecoder(r.Body).Decode(&uploaded); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		r.Body.Close()
		for _, report := range []string{"top?", "disasm?match=.&"} {
			r, err := c.Get(test.on.url + "/api/v1/report/" + report + "profile=" + uploaded.ID)
			if err != nil {
				t.Fatalf("%s: %s: %v", test.name, report, err)
			}
			text, err := io.ReadAll(r.Body)
			r.Body.Close()
			if told := strings.Contains(string(text), "hone.TestServeOpensNoBinaries"); err != nil || told != test.opens {
				t.Errorf("%s: %s: %s tells of the program: %t, want %t: %.500s", test.name, report, r.Status, told, test.opens, text)
			}
		}
	}
}

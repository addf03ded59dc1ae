package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	walltrace "github.com/hone-go/hone/internal/trace"
)

//go:noinline
func dozeOff() { time.Sleep(30 * time.Millisecond) }

// writeTrace records what a function does into trace.out of the current folder.
func writeTrace(t *testing.T, f func()) {
	t.Helper()
	out, err := os.Create("trace.out")
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Start(out); err != nil {
		t.Fatal(err)
	}
	f()
	trace.Stop()
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWall(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTrace(t, func() { dozeOff(); dozeOff() })
	o := hone(t, "wall", "-n", "2", "-o", "wall.pb.gz", "trace.out")
	if o.code != 0 {
		t.Fatal(o)
	}
	wantLines(t, o.stdout, `^\S+ in \S+ of \d+ goroutines?; left out: .*\d+ of the runtime$`, `^ +\d\S*s +\d+\.\d\d% +2 +\d\S*s  sleep$`,
		`%  +2 +\S+  sleep +.*hone\.dozeOff in time\.Sleep$`, `^\d+ places? more: -n 0$`)

	// The profile is one for every verb, and so is the trace.
	for _, args := range [][]string{{"wall", "wall.pb.gz"}, {"top", "-cum", "wall.pb.gz"}, {"top", "-cum", "trace.out"}, {"top", "-cum", "trace.out", "trace.out"}, {"flame", "-folded", "trace.out"}} {
		if o := hone(t, args...); o.code != 0 || !strings.Contains(o.stdout, "dozeOff") {
			t.Errorf("hone %q: %+v", args, o)
		}
	}
	if o := hone(t, "tags", "trace.out"); !strings.Contains(o.stdout, "sleep") {
		t.Errorf("tags: %+v", o)
	}
	in, err := os.ReadFile("trace.out")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := execute(t.Context(), []string{"wall", "-"}, bytes.NewReader(in), &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "dozeOff") {
		t.Errorf("from standard input: %d, %s%s", code, stdout.Bytes(), stderr.Bytes())
	}

	var report walltrace.Spent
	if o := hone(t, "wall", "-json", "trace.out"); o.code != 0 || json.Unmarshal([]byte(o.stdout), &report) != nil {
		t.Fatal(o)
	}
	var states, places int64
	for _, s := range report.States {
		states += s.Time
	}
	for _, p := range report.Places {
		places += p.Time
	}
	if states != report.Total || places != report.Total || report.Total <= 0 || report.Duration < int64(50*time.Millisecond) {
		t.Errorf("%d in states, %d in places, of %d", states, places, report.Total)
	}
	o = hone(t, "wall", "-csv", "trace.out")
	if rows, err := csv.NewReader(strings.NewReader(o.stdout)).ReadAll(); err != nil || len(rows) != 1+len(report.Places) {
		t.Errorf("CSV: %d rows, %v", len(rows), err)
	}
}

// A running program is recorded, the handler that records it left out.
func TestWallURL(t *testing.T) {
	t.Chdir(t.TempDir())
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	srv := httptest.NewServer(mux)
	defer srv.Close()
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				dozeOff()
			}
		}
	}()
	o := hone(t, "wall", "-seconds", "1", strings.TrimPrefix(srv.URL, "http://"))
	close(stop)
	<-stopped
	if o.code != 0 || !strings.Contains(o.stdout, "dozeOff in time.Sleep") || strings.Contains(o.stdout, "pprof.Trace") {
		t.Error(o)
	}
}

// A program is recorded by the pages of hone's agent, over TLS with certificates of
// both sides: neither the page nor the agent's own goroutines are the program's.
func TestWallAgent(t *testing.T) {
	dir := t.TempDir()
	cert, key, _ := clientCertificate(t, dir)
	ca := filepath.Join(dir, "ca.pem")
	program := filepath.Join(dir, "withagent.exe")
	if out, err := exec.Command("go", "build", "-C", "testdata/withagent", "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "-clients", cert, "-ca", ca)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer stdin.Close()
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(url)

	args := []string{"wall", "-n", "0", "-seconds", "1", "-tls_ca", ca, "-tls_cert", cert, "-tls_key", key, url}
	o := hone(t, args...)
	if o.code != 0 || strings.Contains(o.stdout, "hone/agent.") {
		t.Error(o)
	}
	wantLines(t, o.stdout, `left out: .*\d+ of hone's agent \(-agent\)`)
	if o = hone(t, append(args, "-agent", "-idle")...); o.code != 0 || strings.Contains(o.stdout, "of hone's agent") {
		t.Error(o)
	}
	wantLines(t, o.stdout, `select .*hone/agent\.sleep`, `hone/agent\.\(\*Agent\)`)
	if o = hone(t, "wall", "-seconds", "1", "-tls_ca", ca, url); o.code != exitFailure || !strings.Contains(o.stderr, "the server asks for a client certificate: -tls_cert and -tls_key") {
		t.Errorf("without the certificate: %+v", o)
	}
}

func TestWallErrors(t *testing.T) {
	cpu, err := filepath.Abs("../../testdata/cpu.json-decode.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeTrace(t, dozeOff)
	data, err := os.ReadFile("trace.out")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"cut.out": data[:len(data)/2], "old.out": append([]byte("go 1.19 trace\x00\x00\x00"), data[16:]...), "text": []byte("hello"), "empty": nil}
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "missing trace"},
		{[]string{"a", "b"}, exitUsage, "want one trace, found 2"},
		{[]string{"-n", "-1", "trace.out"}, exitUsage, "must be at least 0"},
		{[]string{"-csv", "-json", "trace.out"}, exitUsage, "can't be combined"},
		{[]string{"missing.out"}, exitFailure, "missing.out: no such file"},
		{[]string{"cut.out"}, exitFailure, "cut.out: the trace is cut off at byte"},
		{[]string{"old.out"}, exitFailure, "old.out: the trace is in the format of Go 1.19"},
		{[]string{"text"}, exitFailure, "text: neither an execution trace nor a profile"},
		{[]string{"empty"}, exitFailure, "empty: neither an execution trace nor a profile"},
		{[]string{cpu}, exitFailure, "not a profile of wall-clock time"},
		{[]string{"-o", "no/such/dir/x", "trace.out"}, exitFailure, "no/such/dir"},
	} {
		o := hone(t, append([]string{"wall"}, test.args...)...)
		if o.code != test.code || !strings.Contains(o.stderr, test.want) || o.stdout != "" {
			t.Errorf("hone wall %q: %+v, want %q", test.args, o, test.want)
		}
	}
	if o := hone(t, "top", "cut.out"); o.code != exitFailure || !strings.Contains(o.stderr, "cut.out: the trace is cut off") {
		t.Errorf("hone top: %+v", o)
	}
}

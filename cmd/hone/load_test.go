package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
)

// loadService is a service with its profiles, which counts requests.
func loadService(t *testing.T) (url string, count *atomic.Int64) {
	count = new(atomic.Int64)
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.Handle("/debug/pprof/allocs", pprof.Handler("allocs"))
	mux.Handle("/debug/pprof/heap", pprof.Handler("heap"))
	mux.HandleFunc("/fail", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "away", http.StatusServiceUnavailable) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		fmt.Fprint(w, make([]int, 10_000))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, count
}

func loadHone(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	o := hone(t, args...)
	return o.stdout, o.stderr, o.code
}

// easy has runs that a busy machine does not make void.
const easy = "-late=1h"

// patient has runs pass during which a busy machine answers nothing for seconds.
const patient = "-goal=silence<=1h"

func TestLoad(t *testing.T) {
	url, count := loadService(t)
	store := t.TempDir()
	out, stderr, code := loadHone(t, "load", "http", "-rate", "200", "-duration", "1s", "-count", "2", "-warmup", "500ms", easy,
		"-pprof", url, "-profiletime", "1s", "-o", store, "-goal", "p99<=1h", url+"/items/{{int 1 9}}")
	if code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, out, stderr)
	}
	for _, want := range []string{"200/s, 2 × 1s", "answered  ", "p99.99", "a request costs", "of CPU time", "allocations", "p99<=1h", "met", "\nrun ", ", hone top -mine "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if n := count.Load(); n < 500 {
		t.Errorf("the service got %d requests", n)
	}
	entries, err := experiment.List(t.Context(), store)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, runs %v", err, entries)
	}
	run, err := experiment.Open(t.Context(), entries[0].Dir)
	if err != nil || run.State != experiment.Complete {
		t.Fatalf("%v, %+v", err, run)
	}
	text, err := os.ReadFile(filepath.Join(run.Dir, "bench.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "Benchmark") {
			continue
		}
		lines++
		for _, unit := range []string{"BenchmarkGET/items/*", " ns/op", " req/s", " p99-ns", " failed/op", " cpu-ns/op", " B/op", " allocs/op"} {
			if !strings.Contains(line, unit) {
				t.Errorf("no %q in %s", unit, line)
			}
		}
	}
	if lines != 2 {
		t.Errorf("%d results, want one for each period:\n%s", lines, text)
	}
	l, err := run.Load()
	if err != nil || len(l.Sides) != 1 {
		t.Fatalf("%v, %+v", err, l)
	}
	if s := l.Sides[0]; s.Asked != 200 || s.Succeeded != 400 || len(s.Windows) < 2 || len(s.Hottest) == 0 || len(s.Costs) < 3 || !s.Goals[0].Met {
		t.Errorf("load.json: %+v", s)
	}
	out, stderr, code = loadHone(t, "top", "-sample_index=alloc_objects", run.Dir+":GET/items/*/allocs")
	if code != exitOK || !strings.Contains(out, "fmt.") {
		t.Errorf("hone top of the run: %d\n%s%s", code, out, stderr)
	}
	out, stderr, code = loadHone(t, "compare", "-v", run.Dir, run.Dir)
	if code != exitOK || !strings.Contains(out, "p99") {
		t.Errorf("hone compare of the run: %d\n%s%s", code, out, stderr)
	}
}

// TestLoadNames: what is measured is named by method and path.
// TestCostText: costs read as one says them.
func TestCostText(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{23.34, "allocs/op", "23.34 allocations"},
		{1234567, "allocs/op", "1.235M allocations"},
		{0, "allocs/op", "no allocations"},
		{0.25, "allocs/op", "250 allocations per 1,000 requests"},
		{0.9994, "allocs/op", "999 allocations per 1,000 requests"},
		{0.9996, "gcs/op", "1.000 garbage collections"},
		{555.5e-6, "gcs/op", "0.555 garbage collections per 1,000 requests"},
		{2e-6, "gcs/op", "2 garbage collections per million requests"},
		{61300, "cpu-ns/op", "61.30µs of CPU time"},
		{1973, "B/op", "1.927KiB"},
	} {
		if got := costText(c.value, c.unit); got != c.want {
			t.Errorf("%v %s: %q, want %q", c.value, c.unit, got, c.want)
		}
	}
}

func TestLoadNames(t *testing.T) {
	for url, want := range map[string]string{
		"http://a": "GET", "http://a/": "GET", "http://a/x//y/?q=1": "GET/x/y", "http://a/{{int 1 9}}/b?{{n}}": "GET/*/b",
	} {
		if got := (&loadHTTP{url: url}).name(); got != want {
			t.Errorf("%s is named %q, want %q", url, got, want)
		}
	}
}

// TestLoadSecrets: what lets somebody in is not kept.
func TestLoadSecrets(t *testing.T) {
	for arg, want := range map[string]string{
		"Authorization: Bearer x": "Authorization: …", "-H=X-Api-Key: x": "-H=X-Api-Key: …", "Accept: text/plain": "Accept: text/plain",
		"http://ada:love@host/a:b@c": "http://ada:…@host/a:b@c", "http://host/?key=a:b": "http://host/?key=a:b", "-rate": "-rate",
	} {
		if got := withoutSecrets(arg); got != want {
			t.Errorf("%s is kept as %s, want %s", arg, got, want)
		}
	}
}

func TestLoadRounds(t *testing.T) {
	t.Parallel()
	url, count := loadService(t)
	out, stderr, code := loadHone(t, "load", "http", "-users", "2", "-requests", "5", "-rounds", "3", patient, "-o", t.TempDir(), "-json", url)
	var report struct {
		Succeeded int
		Rounds    []struct{ Succeeded int }
		Response  map[string]*int64
		Run       string
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, stderr)
	}
	if report.Succeeded != 30 || len(report.Rounds) != 3 || report.Rounds[2].Succeeded != 10 || count.Load() != 30 || report.Response["p99"] == nil || report.Run == "" {
		t.Errorf("the service got %d requests\n%s", count.Load(), out)
	}
}

func TestLoadFind(t *testing.T) {
	t.Parallel()
	url, _ := loadService(t)
	out, stderr, code := loadHone(t, "load", "http", "-find", "failed<=0", "-goal", "rate<=12", "-rate", "5", "-duration", "1s", "-warmup", "0s", easy, url)
	if code != exitOK || !strings.Contains(out, "meet failed<=0 and rate<=12") || !strings.Contains(out, "missed: rate<=12") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
	if out, _, code = loadHone(t, "load", "http", "-find", "failed<=0", "-duration", "500ms", easy, url+"/fail"); code != exitMissed {
		t.Errorf("a service that fails: exit code %d\n%s", code, out)
	}
}

func TestFoundText(t *testing.T) {
	goal, err := load.ParseGoal("p99<=50ms")
	if err != nil {
		t.Fatal(err)
	}
	for want, next := range map[string]load.Try{
		"7360 requests per second meet p99<=50ms; 7680 don't":                                          {Rate: 7680, Result: &load.Result{}},
		"7360 requests per second meet p99<=50ms; 10240 are too many for this machine to send on time": {Rate: 10240, Result: &load.Result{Void: "late"}},
		"7360 requests per second meet p99<=50ms":                                                      load.Above(nil, 7360),
	} {
		if got := foundText(7360, next, []load.Goal{goal}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLoadFails: what goes wrong is told, and in the exit code.
func TestLoadFails(t *testing.T) {
	t.Parallel()
	url, _ := loadService(t)
	store := t.TempDir()
	short := []string{"-rate", "50", "-duration", "500ms", "-count", "1", "-warmup", "0s", "-o", store, easy}
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"status":           {[]string{url + "/fail"}, exitFailure, "status 503"},
		"expected":         {[]string{"-expect", "5xx", url + "/fail"}, exitOK, "answered  2"},
		"refused":          {[]string{"http://127.0.0.1:1/"}, exitFailure, "refused"},
		"allowed":          {[]string{"-goal", "failed<=0.5", url + "/fail"}, exitFailure, "no request succeeded"},
		"goal missed":      {[]string{"-goal", "rate>=1000", url}, exitMissed, "MISSED"},
		"no such profile":  {[]string{"-pprof", url, "-profile", "mutex", "-profiletime", "1s", url}, exitOK, "no mutex profile"},
		"no URL":           {nil, exitUsage, "missing URL"},
		"two URLs":         {[]string{url, url}, exitUsage, "unexpected"},
		"bad goal":         {[]string{"-goal", "fast", url}, exitUsage, "invalid goal"},
		"bad rate":         {[]string{"-users", "1", url}, exitUsage, "closed loop"},
		"bad template":     {[]string{url + "/{{row.x}}"}, exitFailure, "needs a feed"},
		"bad kind":         {[]string{"-pprof", url, "-profile", "heap", url}, exitUsage, "cpu, allocs, mutex, block"},
		"bad header":       {[]string{"-H", "x", url}, exitUsage, "use the form 'Name: value'"},
		"missing targets":  {[]string{"-targets", "/nowhere"}, exitFailure, "/nowhere"},
		"missing feed":     {[]string{"-feed", "/nowhere.csv", url}, exitFailure, "/nowhere"},
		"missing body":     {[]string{"-body", "@/nowhere", url}, exitFailure, "/nowhere"},
		"URL and targets":  {[]string{"-targets", "x", url}, exitUsage, "leave out"},
		"bad certificates": {[]string{"-ca", "/nowhere", url}, exitFailure, "/nowhere"},
	} {
		out, stderr, code := loadHone(t, append(append([]string{"load", "http"}, short...), test.args...)...)
		if code != test.code || !strings.Contains(out+stderr, test.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", name, code, test.code, test.want, out, stderr)
		}
	}
	if _, stderr, code := loadHone(t, "load"); code != exitUsage || !strings.Contains(stderr, "use hone load grpc, http, kafka") {
		t.Errorf("hone load: %d, %s", code, stderr)
	}
}

// TestLoadVoid: that a run is void is said once, and kept with it.
func TestLoadVoid(t *testing.T) {
	t.Parallel()
	url, _ := loadService(t)
	dir := t.TempDir()
	_, stderr, code := loadHone(t, "load", "http", "-o", dir, "-rate", "100", "-duration", "300ms", "-count", "1", "-warmup", "0s", "-late", "1ns", url)
	if n := strings.Count(stderr, "the run is void: "); code != exitFailure || n != 1 {
		t.Errorf("exit code %d, said %d times:\n%s", code, n, stderr)
	}
	if !strings.Contains(stderr, "kept as a partial run: "+dir) {
		t.Errorf("nothing of the run:\n%s", stderr)
	}
	if list := succeed(t, "runs", "-json", "-dir", dir); strings.Count(list, `"void: `) != 1 {
		t.Errorf("kept as\n%s", list)
	}
}

// TestLoadSilent: a service that stops answering has failed, also where its average
// and the share of failures are fine.
func TestLoadSilent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		goal string
		code int
		want string
	}{
		"another goal":          {"failed<=100%", exitMissed, "answers all the time MISSED"},
		"a goal that is missed": {"silence<=1ms", exitMissed, "silence<=1ms         MISSED"},
		"a goal that is met":    {"silence<=1m", exitFailure, "100 of 120 requests failed"},
		"no goal":               {"", exitFailure, "hone: no answer for "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int64
			end := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				if n.Add(1) > 20 {
					<-end
				}
			}))
			t.Cleanup(server.Close)
			t.Cleanup(func() { close(end) })
			// The 20 are due within the first of four seconds, so that they are answered in time,
			// and a second without answers is left, also if the machine stands still for two.
			args := []string{"load", "http", "-rate", "30", "-duration", "4s", "-count", "1", "-warmup", "0s", "-grace", "10ms", easy, "-o", t.TempDir()}
			if test.goal != "" {
				args = append(args, "-goal", test.goal)
			}
			out, stderr, code := loadHone(t, append(args, server.URL)...)
			if code != test.code || !strings.Contains(out+stderr, test.want) || !strings.Contains(out, "\n  silent    no answer for ") {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, test.code, test.want, out, stderr)
			}
			if !strings.Contains(out, "answered  20 requests in 4s: 5 per second of 30\n") {
				t.Errorf("%s", out)
			}
		})
	}
}

// TestLoadBody: a file is sent as it is, unless it is asked to be filled in; a text is
// filled in.
func TestLoadBody(t *testing.T) {
	t.Parallel()
	var got atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got.Store(r.Method + " " + string(b))
	}))
	defer server.Close()
	dir := t.TempDir()
	file, targets := filepath.Join(dir, "body"), filepath.Join(dir, "targets")
	const raw = "\x00\xff{{n}} {{ \r\n"
	for name, text := range map[string]string{file: raw, targets: "POST " + server.URL + "/{{n}}\n@" + file, file + "2": "{{n}}", targets + "2": "POST " + server.URL + "\n@" + file + "2", file + "3": ""} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"file":               {[]string{"-body", "@" + file, server.URL}, "POST " + raw},
		"empty file":         {[]string{"-body", "@" + file + "3", server.URL}, "POST "},
		"text":               {[]string{"-body", "{{n}}", server.URL}, "POST 0"},
		"template":           {[]string{"-body", "@" + file + "2", "-body-template", server.URL}, "POST 0"},
		"targets":            {[]string{"-targets", targets}, "POST " + raw},
		"targets, templates": {[]string{"-targets", targets + "2", "-body-template"}, "POST 0"},
		"no body":            {[]string{server.URL}, "GET "},
	} {
		out, stderr, code := loadHone(t, append([]string{"load", "http", "-users", "1", "-requests", "1", "-rounds", "1", "-o", dir}, test.args...)...)
		if code != exitOK || got.Load() != test.want {
			t.Errorf("%s: exit code %d, the service got %q, want %q\n%s%s", name, code, got.Load(), test.want, out, stderr)
		}
	}
}

// TestLoadRedirects: the report has what the service got.
func TestLoadRedirects(t *testing.T) {
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "new", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "http://elsewhere.invalid", http.StatusFound)
		}
	}))
	defer server.Close()
	for path, test := range map[string]struct {
		got  int64
		want string
	}{
		"/old":  {12, "statuses  6 × 200, 6 × 302\n            followed 6 redirections: the service got 12 requests\n\n"},
		"/away": {6, "statuses  6 × 302\n            did not follow 6 redirections, because of other hosts, -redirects or -expect\n\n"},
	} {
		n.Store(0)
		out, stderr, code := loadHone(t, "load", "http", "-users", "2", "-requests", "3", "-rounds", "1", "-o", t.TempDir(), server.URL+path)
		if code != exitOK || n.Load() != test.got || !strings.Contains(out, test.want) || !strings.Contains(out, "answered  6 requests in ") {
			t.Errorf("%s: exit code %d, the service got %d requests, want %d and %q\n%s%s", path, code, n.Load(), test.got, test.want, out, stderr)
		}
	}
}

package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"reflect"
	"runtime"
	rpprof "runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/agent"
)

// TestSameAsNetHTTPPprof asks both the same.
func TestSameAsNetHTTPPprof(t *testing.T) {
	theirs := http.NewServeMux()
	theirs.HandleFunc("GET /debug/pprof/", pprof.Index)
	theirs.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	theirs.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	theirs.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	theirs.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	ours := http.NewServeMux()
	agent.Mount(ours)

	pc := reflect.ValueOf(TestSameAsNetHTTPPprof).Pointer()
	for _, path := range []string{
		"", "nosuch", "nosuch?debug=1", "cmdline", "cmdline?x",
		"symbol", fmt.Sprintf("symbol?%#x", pc), fmt.Sprintf("symbol?%#x+zzz+0x1", pc),
		"heap", "heap?gc=1", "heap?gc=x&debug=0", "heap?debug=1", "allocs", "allocs?debug=1", "block", "block?debug=1", "mutex", "mutex?debug=2",
		"goroutine", "goroutine?debug=1", "goroutine?debug=2", "threadcreate", "threadcreate?debug=1", "goroutineleak",
		"heap?seconds=0", "heap?seconds=-1", "heap?seconds=x", "heap?seconds=1.5", "heap?seconds=1&debug=1", "nosuch?seconds=1",
		"custom", "custom?seconds=1", "heap?seconds=1", "goroutine?seconds=1",
		"profile?seconds=1", "trace?seconds=0.1",
	} {
		a, b := serve(theirs, path), serve(ours, path)
		if a.Code != b.Code {
			t.Errorf("%s: status %d, theirs %d", path, b.Code, a.Code)
		}
		for _, h := range []string{"Content-Type", "Content-Disposition", "X-Content-Type-Options", "X-Go-Pprof"} {
			if b.Header().Get(h) != a.Header().Get(h) {
				t.Errorf("%s: %s is %q, theirs %q", path, h, b.Header().Get(h), a.Header().Get(h))
			}
		}
		switch {
		case path == "":
			for _, p := range rpprof.Profiles() {
				if !strings.Contains(b.Body.String(), "href='"+p.Name()+"?debug=1'") {
					t.Errorf("index lacks %s", p.Name())
				}
			}
		case a.Header().Get("X-Go-Pprof") != "", strings.HasPrefix(path, "cmdline"), strings.HasPrefix(path, "symbol"):
			if a.Body.String() != b.Body.String() {
				t.Errorf("%s:\n%s\ntheirs:\n%s", path, b.Body.String(), a.Body.String())
			}
		case strings.HasPrefix(path, "trace"):
			if !bytes.HasPrefix(b.Body.Bytes(), []byte("go 1.")) {
				t.Errorf("%s: not a trace", path)
			}
		case a.Header().Get("Content-Type") == "application/octet-stream":
			p, q := decode(t, a.Body.Bytes()), decode(t, b.Body.Bytes())
			if p == nil || q == nil {
				continue
			}
			if sampleTypes(p) != sampleTypes(q) || p.DefaultSampleType != q.DefaultSampleType || p.PeriodType != q.PeriodType || p.Period != q.Period {
				t.Errorf("%s: %s %s %v %d, theirs %s %s %v %d", path, sampleTypes(q), q.DefaultSampleType, q.PeriodType, q.Period,
					sampleTypes(p), p.DefaultSampleType, p.PeriodType, p.Period)
			}
			if (p.DurationNanos != 0) != (q.DurationNanos != 0) || (p.TimeNanos != 0) != (q.TimeNanos != 0) {
				t.Errorf("%s: time %d+%d, theirs %d+%d", path, q.TimeNanos, q.DurationNanos, p.TimeNanos, p.DurationNanos)
			}
		default: // text: the first words of the first line
			if x, y := firstWord(a.Body.String()), firstWord(b.Body.String()); x != y {
				t.Errorf("%s: begins with %q, theirs with %q", path, y, x)
			}
		}
	}
	for _, method := range []string{"PUT", "DELETE", "POST"} {
		a, b := do(theirs, method, "heap", ""), do(ours, method, "heap", "")
		if a.Code != b.Code {
			t.Errorf("%s: status %d, theirs %d", method, b.Code, a.Code)
		}
	}
	if got := do(ours, "POST", "symbol", fmt.Sprintf("%#x", pc)).Body.String(); !strings.Contains(got, "TestSameAsNetHTTPPprof") {
		t.Errorf("POST symbol: %s", got)
	}
}

func init() { rpprof.NewProfile("custom") }

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return strings.TrimSpace(word)
}

func TestOneProfileAtATime(t *testing.T) {
	ours := http.NewServeMux()
	agent.Mount(ours)
	ctx, cancel := context.WithCancel(context.Background())
	var first agent.Group
	for _, path := range []string{"profile?seconds=60", "trace?seconds=60"} {
		first.Go(func() {
			ours.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/debug/pprof/"+path, nil).WithContext(ctx))
		})
	}
	waitFor(t, func() bool { return runs("runtime/pprof.profileWriter") && trace.IsEnabled() })
	for path, text := range map[string]string{
		"profile?seconds=1": "Could not enable CPU profiling: cpu profiling already in use\n",
		"trace?seconds=0.1": "Could not enable tracing: " + trace.Start(io.Discard).Error() + "\n", // the runtime's words vary
	} {
		r := serve(ours, path)
		if r.Code != http.StatusConflict || r.Body.String() != text || r.Header().Get("X-Go-Pprof") == "" || r.Header().Get("Content-Disposition") != "" {
			t.Errorf("%s: %d %q %v", path, r.Code, r.Body.String(), r.Header())
		}
	}
	cancel() // a client that goes ends its profile
	first.Wait()
	if r := serve(ours, "profile?seconds=1"); r.Code != http.StatusOK {
		t.Errorf("%d %s", r.Code, r.Body.String())
	}
}

func TestListen(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := agent.Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(url, host string) (int, []byte) {
		req, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := client.Do(req)
		if err != nil {
			t.Error(err)
			return 0, nil
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, body
	}
	root := strings.TrimSuffix(s.URL(), "debug/pprof/")
	for _, test := range []struct {
		url, host string
		status    int
	}{
		{s.URL(), "", 200}, {root, "", 200}, {s.URL() + "heap", "localhost:7070", 200}, {s.URL() + "heap", "[::1]:1", 200},
		{s.URL() + "heap", "evil.example", 403}, {s.URL() + "heap", "127.0.0.1.evil.example:80", 403}, {root + "other", "", 404},
	} {
		if status, _ := get(test.url, test.host); status != test.status {
			t.Errorf("%s as %q: %d, want %d", test.url, test.host, status, test.status)
		}
	}

	// Shutdown ends a running profile, which is delivered.
	var running agent.Group
	running.Go(func() {
		status, body := get(s.URL()+"profile?seconds=60", "")
		if status != 200 {
			t.Errorf("status %d", status)
		}
		decode(t, body)
	})
	waitFor(t, func() bool { return runs("runtime/pprof.profileWriter") })
	if err := s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	running.Wait()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
}

func TestListenRefusesOtherMachines(t *testing.T) {
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0"} {
		if s, err := agent.Listen(addr); err == nil {
			_ = s.Close()
			t.Errorf("%s: listens", addr)
		} else if !strings.Contains(err.Error(), "can be reached from other machines") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{"", "localhost", "localhost:http:1"} {
		if _, err := agent.Listen(addr); err == nil {
			t.Errorf("%q: listens", addr)
		}
	}
	s, err := agent.Pages{AllowRemote: true}.Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestWriteTimeoutDoesNotCutProfiles(t *testing.T) {
	mux := http.NewServeMux()
	agent.Mount(mux)
	s := httptest.NewUnstartedServer(mux)
	s.Config.WriteTimeout = 5 * time.Second // less than the profile lasts, more than it takes to write it on a busy machine
	s.Start()
	defer s.Close()
	resp, err := s.Client().Get(s.URL + "/debug/pprof/heap?seconds=6")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, body)
}

func TestPrefixAndNeighbours(t *testing.T) {
	for _, prefix := range []string{"/", "/admin/pprof", "x"} {
		mux := http.NewServeMux()
		if prefix != "/" {
			mux.HandleFunc("GET /", http.NotFound) // must not conflict
		}
		agent.Pages{Prefix: prefix}.Mount(mux)
		path := "/" + strings.Trim(prefix, "/") + "/heap"
		r := httptest.NewRecorder()
		mux.ServeHTTP(r, httptest.NewRequest("GET", strings.ReplaceAll(path, "//", "/"), nil))
		if r.Code != http.StatusOK {
			t.Errorf("%s: %d", prefix, r.Code)
		}
	}
}

func serve(h http.Handler, path string) *httptest.ResponseRecorder { return do(h, "GET", path, "") }

func do(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequest(method, "/debug/pprof/"+path, strings.NewReader(body)))
	return r
}

func decode(t *testing.T, data []byte) *agent.Decoded {
	t.Helper()
	p, err := agent.Decode(data)
	if err != nil {
		t.Errorf("%v: %.80q", err, data)
	}
	return p
}

// runs reports whether some goroutine is in a function.
func runs(function string) bool {
	return bytes.Contains(stacks(), []byte(function+"("))
}

func stacks() []byte {
	all := make([]byte, 1<<20)
	return all[:runtime.Stack(all, true)]
}

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
)

const html = "text/html; charset=utf-8"

// TestSteps asks each version through a real server: what a client sees is
// the same, with what net/http adds.
func TestSteps(t *testing.T) {
	tests := []struct {
		query       string
		status      int
		contentType string
		body        string
	}{
		{"", 200, html, "<p style=\"color: \">You are visitor 1.</p>\n"},
		{"?color=teal", 200, html, "<p style=\"color: teal\">You are visitor 2.</p>\n"},
		{"?color=red&color=blue", 200, html, "<p style=\"color: red\">You are visitor 3.</p>\n"},
		{"?color=%74eal", 200, html, "<p style=\"color: teal\">You are visitor 4.</p>\n"},
		{"?color=Teal", 400, "text/plain; charset=utf-8", "a color is a name in lower case\n"},
		{"?color=%22%3E%3Cscript%3E", 400, "text/plain; charset=utf-8", "a color is a name in lower case\n"},
		{"?other=1", 200, html, "<p style=\"color: \">You are visitor 5.</p>\n"},
	}
	for _, step := range steps {
		server := httptest.NewServer(step.greet)
		visits.Store(0)
		for _, test := range tests {
			res, err := server.Client().Get(server.URL + "/hi" + test.query)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if got := res.Header.Get("Content-Type"); res.StatusCode != test.status || got != test.contentType || string(body) != test.body {
				t.Errorf("%s: /hi%s: %d %s %q, want %d %s %q",
					step.name, test.query, res.StatusCode, got, body, test.status, test.contentType, test.body)
			}
		}
		server.Close()
	}
}

// FuzzSteps checks that all versions answer any color in the same way.
func FuzzSteps(f *testing.F) {
	for _, color := range []string{"", "teal", "Teal", "te\nal", "teal\n", "é", `"`, "\x00"} {
		f.Add(color, int64(0))
	}
	f.Add("a", int64(1<<62))
	f.Fuzz(func(t *testing.T, color string, before int64) {
		type answer struct {
			status int
			body   string
			visits int64
		}
		var all []answer
		for _, step := range steps {
			visits.Store(before)
			w := httptest.NewRecorder()
			step.greet(w, request("?color="+url.QueryEscape(color)))
			all = append(all, answer{w.Code, w.Body.String(), visits.Load()})
		}
		for i, step := range steps {
			if all[i] != all[0] {
				t.Errorf("%s answers %q after %d visits with %+v, %s with %+v", step.name, color, before, all[i], steps[0].name, all[0])
			}
		}
	})
}

// TestParallel checks that no two visitors have the same number and nobody
// gets the answer of another.
func TestParallel(t *testing.T) {
	const goroutines, requests = 8, 200
	for _, step := range steps {
		visits.Store(0)
		var mu sync.Mutex
		var bodies []string
		var done sync.WaitGroup
		for range goroutines {
			done.Go(func() {
				r := request("?color=teal")
				for range requests {
					w := httptest.NewRecorder()
					step.greet(w, r)
					mu.Lock()
					bodies = append(bodies, w.Body.String())
					mu.Unlock()
				}
			})
		}
		done.Wait()
		slices.Sort(bodies)
		if got := len(slices.Compact(bodies)); got != goroutines*requests {
			t.Errorf("%s: %d different answers to %d visitors", step.name, got, goroutines*requests)
		}
	}
}

func TestUnknownStep(t *testing.T) {
	if err := run([]string{"-step", "x"}); err == nil || err.Error() != `no step "x"` {
		t.Errorf("run says %v", err)
	}
}

func BenchmarkGreet(b *testing.B) {
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) { benchmark(b, step.greet) })
	}
}

// BenchmarkInUse measures the version in use.
func BenchmarkInUse(b *testing.B) { benchmark(b, greet) }

func benchmark(b *testing.B, greet http.HandlerFunc) {
	b.ReportAllocs()
	visits.Store(firstVisit)
	w, r := newDiscard(), request("?color=teal")
	for b.Loop() {
		greet(w, r)
	}
}

// BenchmarkGreetParallel has a handler in each of GOMAXPROCS goroutines.
func BenchmarkGreetParallel(b *testing.B) {
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			visits.Store(firstVisit)
			b.RunParallel(func(pb *testing.PB) {
				w, r := newDiscard(), request("?color=teal")
				for pb.Next() {
					step.greet(w, r)
				}
			})
		})
	}
}

// firstVisit is where measurements start: numbers below 256 become interfaces
// without an allocation, and all requests should cost the same.
const firstVisit = 1_000_000

// request returns a request whose form is parsed: the benchmarks send the same
// one again and again, and only the first call of FormValue parses it.
func request(query string) *http.Request {
	r := httptest.NewRequest("GET", "/hi"+query, nil)
	_ = r.ParseForm()
	return r
}

// A discard is a ResponseWriter that keeps nothing. httptest's recorder keeps
// all bodies: sent many requests it measures the growth of its own buffer.
type discard struct{ header http.Header }

func newDiscard() *discard { return &discard{make(http.Header)} }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// opened returns all versions of the service over the same works.
func opened(tb testing.TB, files, lines int) []counter {
	tb.Helper()
	dir := tb.TempDir()
	if err := writeWorks(dir, files, lines); err != nil {
		tb.Fatal(err)
	}
	var all []counter
	for _, v := range versions {
		c, err := v.open(dir)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// TestCounts checks that all versions give the first one's answers, over gRPC.
func TestCounts(t *testing.T) {
	const files = 3
	var asks []counter
	for _, c := range opened(t, files, 300) {
		address, stop, err := serve(c, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		asks = append(asks, client(address))
	}
	for _, q := range append([]string{"ing o", " be,", "no such words at all", "E", "be, or  not"}, queries...) {
		want, err := asks[0](t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if q == "to be, or not to be" && want != files {
			t.Errorf("%q is in %d lines, want one of each file", q, want)
		}
		for i, ask := range asks[1:] {
			if got, err := ask(t.Context(), q); err != nil || got != want {
				t.Errorf("%s: %q: %d lines, %v; want %d", versions[i+1].name, q, got, err, want)
			}
		}
	}
}

// TestNoPhrase checks that what can't be in a line is refused, as gRPC says it.
func TestNoPhrase(t *testing.T) {
	address, stop, err := serve(opened(t, 1, 10)[0], "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	ask := client(address)
	for _, q := range []string{"", "\n", "the\nking"} {
		if n, err := ask(t.Context(), q); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%q: %d lines, %v; want %v", q, n, err, connect.CodeInvalidArgument)
		}
	}
}

// TestNoWorks checks that all versions tell why they can't read the works.
func TestNoWorks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a.txt"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		count, err := v.open(dir)
		if err == nil {
			_, err = count(t.Context(), "love")
		}
		if err == nil || !strings.Contains(err.Error(), "a.txt") {
			t.Errorf("%s: %v, want an error about a.txt", v.name, err)
		}
	}
}

// A collecting writer has garbage collected at each write: a heap profile has what was
// allocated from the second collection after it on.
type collecting struct{ strings.Builder }

func (c *collecting) Write(b []byte) (int, error) {
	runtime.GC()
	runtime.GC()
	return c.Builder.Write(b)
}

// TestRun checks the figures of a round, and what profiles are of.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	kinds := map[string]bool{}
	hone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("service") != "shakespeare" || q.Get("version") != "3" {
			t.Errorf("a profile of %v", q)
		}
		mu.Lock()
		kinds[q.Get("kind")] = true
		mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}))
	defer hone.Close()
	t.Setenv("HONE_SERVER", hone.URL) // whatever it is outside
	var out collecting
	if err := run(t.Context(), []string{"-version", "3", "-rounds", "2", "-hone", hone.URL, "-period", "100ms"}, &out); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^round 1: 20 requests in \S+, [0-9.]+ a second\nround 2: 20 requests in \S+, [0-9.]+ a second\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("it prints\n%s", out.String())
	}
	mu.Lock()
	defer mu.Unlock()
	if !kinds["allocs"] || !kinds["requests"] { // which the end of the program sends
		t.Errorf("profiles of kinds %v, want allocs and requests at least", kinds)
	}
}

func TestNoSuchVersion(t *testing.T) {
	for _, version := range []string{"0", "5"} {
		if err := run(t.Context(), []string{"-version", version}, io.Discard); err == nil {
			t.Errorf("there is a version %s", version)
		}
	}
}

// BenchmarkRound is a round of the client's questions, without the network.
func BenchmarkRound(b *testing.B) {
	for i, c := range opened(b, allFiles, allLines) {
		b.Run(versions[i].name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, q := range queries {
					if _, err := c(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N*len(queries))/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// BenchmarkHandler has the service answer a request, without the network: a question
// about one of the works.
func BenchmarkHandler(b *testing.B) {
	question, err := proto.Marshal(wrapperspb.String("the king"))
	if err != nil {
		b.Fatal(err)
	}
	for i, c := range opened(b, 1, allLines) {
		b.Run(versions[i].name, func(b *testing.B) {
			b.ReportAllocs()
			h := handler(c)
			for b.Loop() {
				r := httptest.NewRequest("POST", procedure, bytes.NewReader(question))
				r.Header.Set("Content-Type", "application/proto")
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}

// TestQueriesFile: who asks from outside asks the same.
func TestQueriesFile(t *testing.T) {
	f, err := os.Open("queries.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, row := range rows[1:] {
		got = append(got, row[0])
	}
	if rows[0][0] != "query" || !slices.Equal(got, queries) {
		t.Errorf("queries.csv has %q", rows)
	}
}

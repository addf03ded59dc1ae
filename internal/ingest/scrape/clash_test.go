package scrape_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/ingest/scrape"
)

// logged is a log that a test reads while it is written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

// Targets whose labels are the same are told once, and each counts on its own.
func TestEqualLabels(t *testing.T) {
	heap := ingesttest.Profile(t, "heap.leak.pb.gz")
	host := func() string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(heap) }))
		t.Cleanup(srv.Close)
		return srv.Listener.Addr().String()
	}
	a, b := host(), host()
	var log logged
	r := &ingesttest.Recorder{}
	s := scrape.New(r, slog.New(slog.NewTextHandler(&log, nil)))
	jobs := parse(t, fmt.Sprintf(`
[[scrape]]
name = "same"
interval = "100ms"
static = [{targets = [%q, %q], labels = {instance = "one"}}]
%s
[[scrape]]
name = "other"
interval = "100ms"
static = [{targets = [%q], labels = {service = "same", instance = "one"}}]
profiles.heap.enabled = false
profiles.threadcreate.enabled = true
%s
[[scrape]]
name = "apart"
interval = "100ms"
static = [{targets = [%q, %q]}]
%s
`, a, b, only, a, only, a, b, only))
	if err := s.Apply(jobs); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	senders := map[string]bool{}
	until(t, "profiles of both targets", func() bool {
		for _, p := range r.Pushes() {
			if p.Kind == "heap" && p.Labels.Get("service") == "same" {
				senders[p.Sender] = true
			}
		}
		return len(senders) == 2
	})
	for _, j := range s.Status() {
		if want := map[string]int{"same": 1, "other": 1}[j.Name]; len(j.Problems) != want {
			t.Errorf("job %s has problems %q, want %d", j.Name, j.Problems, want)
		}
	}
	// The same jobs again, and one that is no longer there.
	if err := s.Apply(jobs[:2]); err != nil {
		t.Fatal(err)
	}
	until(t, "the job to be gone", func() bool { return len(s.Status()) == 2 && len(s.Status()[0].Problems) == 1 })
	cancel()
	<-ended
	if n := log.count("can't be told apart"); n != 1 {
		t.Errorf("the clash is logged %d times, want once", n)
	}
}

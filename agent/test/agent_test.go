// Package test has what the agent writes read by others: google/pprof and hone. It is
// a module of its own, so that the agent's requires nothing.
package test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/agent"
	"github.com/hone-go/hone/profile"
)

// TestOthersReadWhatItSends has google/pprof and hone read profiles of each kind.
func TestOthersReadWhatItSends(t *testing.T) {
	var mu sync.Mutex
	kinds := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := r.URL.Query().Get("kind")
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the agent has given up
		}
		theirs := mustOracle(t, body)
		if err := theirs.CheckValid(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		ours, err := profile.DecodeBytes(body, profile.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", kind, err)
		} else if ours.NumSamples() > len(theirs.Sample) || ours.NumSamples() == 0 && len(theirs.Sample) > 0 {
			t.Errorf("%s: %d samples, google/pprof sees %d", kind, ours.NumSamples(), len(theirs.Sample))
		}
		mu.Lock()
		kinds[kind]++
		mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	a, err := agent.Start(agent.Config{
		Server: server.URL, Service: "test", SpoolDir: filepath.Join(t.TempDir(), "spool"), Budget: 1000,
		Period: 500 * time.Millisecond, CPUDuration: 100 * time.Millisecond, WallDuration: 100 * time.Millisecond,
		MutexFraction: 1, BlockRate: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []agent.Kind{agent.KindCPU, agent.KindWall, agent.KindHeap, agent.KindAllocs, agent.KindMutex, agent.KindBlock, agent.KindGoroutine, agent.KindRequests}
	for end := time.Now().Add(time.Minute); len(want) > 0; {
		if time.Now().After(end) {
			t.Fatalf("nothing of %v has arrived", want)
		}
		_, endRequest := agent.BeginRequest(context.Background(), "GET /cart/{id}")
		contend()
		endRequest()
		allocateMuch()
		runtime.GC()
		mu.Lock()
		if kinds[string(want[0])] > 1 {
			want = want[1:]
		}
		mu.Unlock()
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func contend() {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				mu.Lock()
				time.Sleep(100 * time.Microsecond)
				mu.Unlock()
			}
		})
	}
	all.Wait()
}

package agent

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Costs of what the agent does once or a few times a minute. The figures in
// take.go, collect.go and doc/agent.md are from here: go test -bench Cost ./agent
func BenchmarkCost(b *testing.B) {
	stats := newStatistics(nil)
	a := newTaker(Config{}.mustBench(b), "run", stats, newOutbox(nil, stats))
	a.identity = url.Values{}
	stopped := func(time.Time) bool { return false }
	drain := func() { a.out.queue, a.out.bytes = nil, 0 }
	b.Run("memory", func(b *testing.B) {
		for range b.N {
			a.takeMemory("", stopped)
			drain()
		}
	})
	for _, n := range []int{100, 1000} {
		done := make(chan bool)
		for i := range n {
			go deep(10+i%10, done)
		}
		runtime.Gosched()
		b.Run("goroutine/"+strconv.Itoa(n), func(b *testing.B) {
			for range b.N {
				a.takeGoroutines("", stopped)
				drain()
			}
		})
		b.Run("look/"+strconv.Itoa(n), func(b *testing.B) {
			for range b.N {
				goroutineStacks(nil)
			}
		})
		close(done)
	}
	b.Run("send", func(b *testing.B) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		defer server.Close()
		s := &sender{stats: a.stats, client: uploadClient(nil), ctx: context.Background(), endpoint: server.URL}
		b.ResetTimer()
		for range b.N {
			if err := s.send(&parcel{body: make([]byte, 20<<10)}); err != nil {
				b.Fatal(err)
			}
			s.client.CloseIdleConnections() // as after a pause
		}
	})
	b.Run("cpu", func(b *testing.B) {
		for range b.N {
			a.takeCPU("", stopped) // so that it does not last
			drain()
		}
	})
}

func (c Config) mustBench(b *testing.B) Config {
	c, err := c.withDefaults()
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// BenchmarkCountRequests is what counting adds to a request: ServeHTTP with and without it.
func BenchmarkCountRequests(b *testing.B) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /cart/{id}", func(http.ResponseWriter, *http.Request) {})
	for name, h := range map[string]http.Handler{"plain": mux, "counted": CountRequests(mux)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/cart/7", nil)
			for i := 0; i < b.N; i++ {
				h.ServeHTTP(w, r)
			}
		})
	}
}

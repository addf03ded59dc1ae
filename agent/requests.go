package agent

import (
	"context"
	"encoding/binary"
	"maps"
	"net/http"
	"path"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// endpointLabel labels the work on requests with their endpoint.
const endpointLabel = "endpoint"

const (
	// maxEndpoints bounds the endpoints of a program. Its requests for more of them
	// count as otherEndpoints.
	maxEndpoints  = 200
	maxEndpoint   = 256 // bytes of a name
	otherEndpoint = "(other)"
	// noEndpoint is the endpoint of requests that have no pattern.
	noEndpoint = "(no pattern)"
)

// CountRequests returns a handler that serves requests with h and counts them by
// endpoint, as [BeginRequest] does. An [Agent] sends the counts, as profiles of
// [KindRequests], so that hone serve shows costs per request.
//
// The endpoint is the pattern of the request, such as "GET /cart/{id}", never its
// path. If h is an [http.ServeMux], or has such a method Handler, h tells the
// pattern. Otherwise it is that of the mux that calls the handler, which needs Go
// 1.23. With other routers, call BeginRequest. A request that passes several of
// these handlers counts in the first one.
func CountRequests(h http.Handler) http.Handler {
	mux, _ := h.(interface {
		Handler(*http.Request) (http.Handler, string)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if counted(r.Context()) {
			h.ServeHTTP(w, r)
			return
		}
		pattern := ""
		if mux == nil {
			pattern = patternOf(r)
		} else if _, pattern = mux.Handler(r); redirects(pattern, r.URL.Path) {
			pattern = ""
		}
		ctx, end := BeginRequest(r.Context(), pattern)
		defer end()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

// redirects reports whether a ServeMux, asked for the pattern of a path, has answered
// with the path and a slash at the end, where it redirects to. All versions of Go do so
// for CONNECT, some for other methods.
func redirects(pattern, of string) bool {
	return !strings.HasSuffix(of, "/") && strings.HasSuffix(pattern, "/") && pattern == path.Clean("/"+of)+"/"
}

// BeginRequest counts a request for an endpoint. Until end is called, CPU and
// goroutine profiles label the work of this goroutine with the endpoint, and that of
// goroutines it starts. Give the context that it returns to what serves the request,
// so that labels of [pprof.Do] add to this one, and call end in the same goroutine.
//
// An endpoint is a route or method, not a path with IDs in it: after 200 different
// ones, requests for others count as "(other)".
func BeginRequest(ctx context.Context, endpoint string) (labelled context.Context, end func()) {
	if counted(ctx) {
		return ctx, func() {}
	}
	e := endpoints.of(endpoint)
	e.requests.Add(1)
	labelled = context.WithValue(pprof.WithLabels(ctx, e.labels), countedKey{}, true)
	pprof.SetGoroutineLabels(labelled)
	return labelled, func() { pprof.SetGoroutineLabels(ctx) }
}

// countedKey is the key of contexts of requests that are counted.
type countedKey struct{}

func counted(ctx context.Context) bool { return ctx.Value(countedKey{}) != nil }

// endpoints are those of the process.
var endpoints endpointTable

// An endpointTable counts requests by endpoint. The zero value is empty.
type endpointTable struct {
	all atomic.Pointer[map[string]*endpoint] // is replaced to add one
	mu  sync.Mutex                           // of replacing it
}

type endpoint struct {
	labels   pprof.LabelSet
	requests atomic.Int64 // since the program began
}

// of returns the endpoint with a name.
func (t *endpointTable) of(name string) *endpoint {
	if name == "" {
		name = noEndpoint
	}
	if all := t.all.Load(); all != nil {
		if e := (*all)[name]; e != nil {
			return e
		}
	}
	return t.add(strings.ToValidUTF8(name, "\uFFFD"))
}

func (t *endpointTable) add(name string) *endpoint {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := map[string]*endpoint{}
	if all := t.all.Load(); all != nil {
		old = *all
	}
	if old[name] == nil && (len(name) > maxEndpoint || len(old) >= maxEndpoints) {
		name = otherEndpoint
	}
	if e := old[name]; e != nil {
		return e
	}
	e := &endpoint{labels: pprof.Labels(endpointLabel, name)}
	all := maps.Clone(old)
	all[name] = e
	t.all.Store(&all)
	return e
}

// counts returns the requests since the program began, by endpoint; nil if none was
// counted.
func (t *endpointTable) counts() map[string]int64 {
	all := t.all.Load()
	if all == nil {
		return nil
	}
	counts := make(map[string]int64, len(*all))
	for name, e := range *all {
		counts[name] = e.requests.Load()
	}
	return counts
}

// takeRequests takes the counts of requests since the last time. It also sends a
// profile if there were none, so that the time without requests is known.
func (a *taker) takeRequests(_ triggerReason, _ sleeper) time.Duration {
	return measure(func() {
		now, began := time.Now(), a.last[KindRequests]
		counts := endpoints.counts()
		if counts == nil {
			a.last[KindRequests] = now
			return // the program doesn't count them
		}
		body, err := a.zipper.compress(encodeRequests(counts, a.requests))
		if err != nil {
			a.stats.fail("requests: %v", err)
			return
		}
		a.requests, a.last[KindRequests] = counts, now
		a.emit(KindRequests, "", began, now.Sub(began), body)
	})
}

// encodeRequests returns a profile of counts less those of an earlier time: for each
// endpoint a sample with the label, whose stack is a function with the endpoint's name.
func encodeRequests(counts, earlier map[string]int64) []byte {
	w := newProfileEncoder([2]string{"requests", "count"})
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		stack := binary.AppendUvarint(nil, w.location(name, "", 0))
		w.add(stack, endpointLabel, name, uint64(counts[name]-earlier[name]))
	}
	return w.finish()
}

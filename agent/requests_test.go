package agent

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime/pprof"
	"strings"
	"testing"
)

// endpointMux is a mux with routes of all forms, which notes labels of what it serves.
func endpointMux(seen *[]string) *http.ServeMux {
	mux := http.NewServeMux()
	note := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		label, _ := pprof.Label(r.Context(), endpointLabel)
		*seen = append(*seen, label)
		io.WriteString(w, r.PathValue("id"))
	})
	for _, pattern := range []string{"GET /cart/{id}", "POST /cart/{id}", "/tree/", "/users/{id}/", "/exact", "GET shop.example/{$}"} {
		mux.Handle(pattern, note)
	}
	return mux
}

// since returns how often endpoints were counted since an earlier time.
func since(earlier map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for name, n := range endpoints.counts() {
		if n != earlier[name] {
			out[name] = n - earlier[name]
		}
	}
	return out
}

func TestEndpointIsThePattern(t *testing.T) {
	for _, c := range []struct{ method, url, endpoint string }{
		{"GET", "/cart/7", "GET /cart/{id}"},
		{"HEAD", "/cart/8", "GET /cart/{id}"},
		{"POST", "/cart/7?x=1", "POST /cart/{id}"},
		{"GET", "/tree/", "/tree/"},
		{"GET", "/tree/a/b/c", "/tree/"},
		{"GET", "/users/7/posts", "/users/{id}/"},
		{"GET", "http://shop.example/", "GET shop.example/{$}"},
		{"GET", "/nothing/here", noEndpoint},
		{"DELETE", "/cart/7", noEndpoint},
	} {
		var seen []string
		h := CountRequests(endpointMux(&seen))
		before := endpoints.counts()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(c.method, c.url, nil))
		if got, want := since(before), map[string]int64{c.endpoint: 1}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s counts as %v, want %v", c.method, c.url, got, want)
		}
		for _, label := range seen {
			if label != c.endpoint {
				t.Errorf("%s %s has the label %q, want %q", c.method, c.url, label, c.endpoint)
			}
		}
	}
}

// TestRedirectIsNoEndpoint: muxes of some versions of Go take the path for the pattern
// where they redirect to it.
func TestRedirectIsNoEndpoint(t *testing.T) {
	var seen []string
	h := CountRequests(endpointMux(&seen))
	before := endpoints.counts()
	for _, path := range []string{"/cart/x/../7", "/users/x/../7", "/users/7", "//users/7", "/tree"} {
		for _, method := range []string{"GET", "CONNECT"} {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, "http://shop.example"+path, nil))
		}
	}
	for name := range since(before) {
		if strings.Contains(name, "7") {
			t.Errorf("the path %q became an endpoint", name)
		}
	}
}

func TestRequestCountsOnce(t *testing.T) {
	var seen []string
	outer := http.NewServeMux()
	outer.Handle("/", CountRequests(CountRequests(endpointMux(&seen))))
	before := endpoints.counts()
	CountRequests(outer).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/cart/7", nil))
	if got := since(before); !reflect.DeepEqual(got, map[string]int64{"/": 1}) || !reflect.DeepEqual(seen, []string{"/"}) {
		t.Errorf("counts %v, labels %q; want those of the first handler", got, seen)
	}
}

// goroutineLabels returns what goroutine profiles say of a running function's labels.
func goroutineLabels(function string) string {
	var b strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1)
	for _, group := range strings.Split(b.String(), "\n\n") {
		if strings.Contains(group, function) {
			_, labels, _ := strings.Cut(group, "# labels: ")
			line, _, _ := strings.Cut(labels, "\n")
			return line
		}
	}
	return "no such goroutine"
}

func TestLabelsEndWithTheRequest(t *testing.T) {
	ctx := pprof.WithLabels(context.Background(), pprof.Labels("worker", "7"))
	pprof.SetGoroutineLabels(ctx)
	defer pprof.SetGoroutineLabels(context.Background())
	labelled, end := BeginRequest(ctx, "Shop.Cart/Add")
	if got, want := goroutineLabels("TestLabelsEndWithTheRequest"), `{"endpoint":"Shop.Cart/Add", "worker":"7"}`; got != want {
		t.Errorf("labels %s, want %s", got, want)
	}
	inner, endInner := BeginRequest(labelled, "other")
	if inner != labelled {
		t.Error("a request within a request has another context")
	}
	endInner()
	end()
	if got, want := goroutineLabels("TestLabelsEndWithTheRequest"), `{"worker":"7"}`; got != want {
		t.Errorf("labels %s after the request, want %s", got, want)
	}
}

func TestEndpointsAreBounded(t *testing.T) {
	var table endpointTable
	for i := range 3 * maxEndpoints {
		table.of(fmt.Sprintf("/user/%d", i)).requests.Add(1)
	}
	table.of(strings.Repeat("x", maxEndpoint+1)).requests.Add(1)
	counts, sum := table.counts(), int64(0)
	for _, n := range counts {
		sum += n
	}
	if len(counts) != maxEndpoints+1 || counts[otherEndpoint] != 2*maxEndpoints+1 || sum != 3*maxEndpoints+1 {
		t.Errorf("%d endpoints with %d requests, %d of them %s", len(counts), sum, counts[otherEndpoint], otherEndpoint)
	}
	var bad endpointTable
	bad.of("\xff").requests.Add(1)
	bad.of("\xff").requests.Add(1)
	if got := bad.counts(); !reflect.DeepEqual(got, map[string]int64{"\uFFFD": 2}) {
		t.Errorf("%v, want UTF-8", got)
	}
}

func TestCountsArrive(t *testing.T) {
	r := newReceiver(t)
	server := httptest.NewServer(CountRequests(endpointMux(new([]string))))
	defer server.Close()
	a := mustStart(t, testConfig(t, r.server.URL, KindRequests), testHooks)
	const requests = 20
	for i := range requests {
		resp, err := http.Get(fmt.Sprintf("%s/cart/%d", server.URL, i))
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); string(body) != fmt.Sprint(i) {
			t.Errorf("request %d got %q", i, body)
		}
		resp.Body.Close()
	}
	eventually(t, "a profile without requests", func() bool {
		all := r.all(KindRequests)
		return len(all) > 0 && total(t, all[len(all)-1:], "requests", "GET /cart/{id}") == 0
	})
	stopAgent(t, a)
	all := r.all(KindRequests)
	if n := total(t, all, "requests", "GET /cart/{id}"); n != requests {
		t.Errorf("%d requests arrived, want %d", n, requests)
	}
	for i, p := range all {
		if i > 0 {
			end := mustInt(t, all[i-1].query.Get("time")) + int64(mustDuration(t, all[i-1]))
			if at := mustInt(t, p.query.Get("time")); at < end-1e6 || at > end+1e6 {
				t.Errorf("the counts of profile %d begin %d ns after those before it end", i, at-end)
			}
		}
		for _, s := range mustDecode(t, p.body).Samples {
			if len(s.Functions) != 1 || !reflect.DeepEqual(s.Labels, map[string][]string{endpointLabel: {s.Functions[0]}}) {
				t.Errorf("the stack %q has labels %v", s.Functions, s.Labels)
			}
		}
	}
}

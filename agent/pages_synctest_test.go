//go:build go1.25

// What testing/synctest needs, and a module of an older Go has not by itself.
//
//go:debug asynctimerchan=0

package agent_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hone-go/hone/agent"
)

// TestDeltaEqualsTheirs takes the same difference with both while a known
// amount of allocation and blocking happens.
func TestDeltaEqualsTheirs(t *testing.T) { synctest.Test(t, deltaEqualsTheirs) }

func deltaEqualsTheirs(t *testing.T) {
	defer runtime.SetBlockProfileRate(0)
	runtime.SetBlockProfileRate(1)
	results := make([]*httptest.ResponseRecorder, 2)
	mux := http.NewServeMux()
	agent.Pages{Prefix: "ours/debug/pprof"}.Mount(mux)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	var both agent.Group
	for i, prefix := range []string{"/debug/pprof/", "/ours/debug/pprof/"} {
		both.Go(func() {
			results[i] = httptest.NewRecorder()
			mux.ServeHTTP(results[i], httptest.NewRequest("GET", prefix+"block?seconds=1", nil))
		})
	}
	synctest.Wait() // both have begun, and wait for the end
	for range 37 {
		waitAMoment()
	}
	both.Wait()
	for i, r := range results {
		p := decode(t, r.Body.Bytes())
		if n := total(p, "waitAMoment"); n != 37 {
			t.Errorf("%s: %d waits, want 37", []string{"theirs", "ours"}[i], n)
		}
	}
}

// waitAMoment blocks once.
//
//go:noinline
func waitAMoment() {
	c := make(chan bool)
	go func() {
		synctest.Wait()
		close(c)
	}()
	<-c
}

// total adds up the first value of samples with a function.
func total(p *agent.Decoded, function string) int64 {
	var sum int64
	for _, s := range p.Samples {
		if slices.ContainsFunc(s.Functions, func(name string) bool { return strings.HasSuffix(name, "."+function) }) {
			sum += s.Values[0]
		}
	}
	return sum
}

func TestRatesAreOnOnlyWhileSomeoneLooks(t *testing.T) {
	synctest.Test(t, ratesAreOnOnlyWhileSomeoneLooks)
}

func ratesAreOnOnlyWhileSomeoneLooks(t *testing.T) {
	ours := http.NewServeMux()
	agent.Pages{BlockRate: 1, MutexFraction: 7}.Mount(ours)
	var requests agent.Group
	var block, mutex *httptest.ResponseRecorder
	requests.Go(func() { block = serve(ours, "block?seconds=2") })
	requests.Go(func() { mutex = serve(ours, "mutex?seconds=2") })
	requests.Go(func() { serve(ours, "mutex?seconds=1") })
	synctest.Wait()
	if f := runtime.SetMutexProfileFraction(-1); f != 7 {
		t.Errorf("mutex fraction %d meanwhile", f)
	}
	for range 5 {
		waitAMoment()
	}
	requests.Wait()
	if f := runtime.SetMutexProfileFraction(-1); f != 0 {
		t.Errorf("mutex fraction %d afterwards", f)
	}
	decode(t, mutex.Body.Bytes())
	if n := total(decode(t, block.Body.Bytes()), "waitAMoment"); n != 5 {
		t.Errorf("%d waits, want 5", n)
	}
	if n := blockCount(waitAMoment); n != 0 {
		t.Errorf("%d waits recorded afterwards", n)
	}
}

func TestRatesAreLeftAloneUnlessGiven(t *testing.T) { synctest.Test(t, ratesAreLeftAloneUnlessGiven) }

func ratesAreLeftAloneUnlessGiven(t *testing.T) {
	ours := http.NewServeMux()
	agent.Mount(ours)
	for _, own := range []int{0, 1} { // the program's own rates
		runtime.SetBlockProfileRate(own)
		runtime.SetMutexProfileFraction(own)
		var requests agent.Group
		var block *httptest.ResponseRecorder
		requests.Go(func() { block = serve(ours, "block?seconds=1") })
		requests.Go(func() { serve(ours, "mutex?seconds=1") })
		synctest.Wait()
		waitAMoment()
		if f := runtime.SetMutexProfileFraction(-1); f != own {
			t.Errorf("mutex fraction %d meanwhile, was %d", f, own)
		}
		requests.Wait()
		if n := total(decode(t, block.Body.Bytes()), "waitAMoment"); n != int64(own) {
			t.Errorf("rate %d: %d waits in the profile", own, n)
		}
		if f := runtime.SetMutexProfileFraction(-1); f != own {
			t.Errorf("mutex fraction %d afterwards, was %d", f, own)
		}
		if n := blockCount(waitAMoment); (n > 0) != (own > 0) {
			t.Errorf("rate %d: %d waits recorded afterwards", own, n)
		}
	}
	runtime.SetBlockProfileRate(0)
	runtime.SetMutexProfileFraction(0)
}

// blockCount returns how many blocking events f records.
func blockCount(f func()) int64 {
	count := func() (n int64) {
		records := make([]runtime.BlockProfileRecord, 10_000)
		k, _ := runtime.BlockProfile(records)
		for _, r := range records[:k] {
			n += r.Count
		}
		return n
	}
	before := count()
	f()
	return count() - before
}

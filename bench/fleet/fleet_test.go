package main

import (
	"slices"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

var end = time.Date(2026, 3, 26, 12, 0, 0, 0, time.UTC)

func TestHistory(t *testing.T) {
	h := history{end: end, days: 21}
	pushes := slices.Collect(h.pushes())
	type key struct{ service, kind string }
	versions, kinds, instances := map[string]map[string]bool{}, map[key]int{}, map[string]map[string]bool{}
	for _, p := range pushes {
		if versions[p.service] == nil {
			versions[p.service], instances[p.service] = map[string]bool{}, map[string]bool{}
		}
		versions[p.service][p.version], instances[p.service][p.instance] = true, true
		kinds[key{p.service, p.kind}]++
	}
	if len(versions) != 3 || len(kinds) != 18 {
		t.Errorf("got %d services and %d kinds, want 3 and 18", len(versions), len(kinds))
	}
	for name, some := range versions {
		if len(some) != 5 || len(instances[name]) < 2 {
			t.Errorf("%s has %d versions and %d instances, want 5 and at least 2", name, len(some), len(instances[name]))
		}
	}
	if first, last := h.before(pushes[0].at), h.before(pushes[len(pushes)-1].at); first < 20.5*24 || first > 21*24 || last > 0.1 || last < 0 {
		t.Errorf("profiles are from %.1f to %.1f hours before the end", first, last)
	}
	again := slices.Collect(h.pushes())
	for i := range pushes {
		if again[i].query() != pushes[i].query() || again[i].seed != pushes[i].seed {
			t.Fatalf("profile %d differs from one call to the next", i)
		}
	}
}

// TestRequests tests that the requests of all of the last day are counted.
func TestRequests(t *testing.T) {
	h := history{end: end, days: 3}
	counted, lasted := map[string]int64{}, time.Duration(0)
	for p := range h.pushes() {
		if p.kind != requests || p.instance != "shop-a" || h.before(p.at) > 24 {
			continue
		}
		made := profileOf(p)
		lasted += time.Duration(made.DurationNanos)
		for i, v := range made.Values[0] {
			counted[made.Strings[made.SampleLabelSet(i)[0].Str]] += v
		}
	}
	if lasted < 23*time.Hour || lasted > 24*time.Hour {
		t.Errorf("requests of %v are counted", lasted)
	}
	if perSecond := float64(counted["/checkout"]) / lasted.Seconds(); len(counted) != 4 || perSecond < 4 || perSecond > 8 {
		t.Errorf("got %v, %.1f /checkout per second", counted, perSecond)
	}
}

// TestEffects tests that what package main says of the services is in their profiles.
func TestEffects(t *testing.T) {
	h := history{end: end, days: 21}
	part := func(service, kind, function string, chosen func(p push) bool) float64 {
		var of, all int64
		n := 0
		for p := range h.pushes() {
			if p.service != service || p.kind != kind || !chosen(p) {
				continue
			}
			if n++; n > 40 {
				break
			}
			made := profileOf(p)
			values := made.Values[len(made.Values)-1]
			for s, v := range values {
				all += v
				if through(made, s, function) {
					of += v
				}
			}
		}
		if n < 3 {
			t.Fatalf("%s has only %d profiles of kind %s", service, n, kind)
		}
		if kind == "mutex" {
			return float64(of) / float64(n) // nothing else waits, so shares don't change
		}
		return float64(of) / float64(all)
	}
	version := func(name string) func(push) bool { return func(p push) bool { return p.version == name } }
	hour := func(from, to float64) func(push) bool {
		return func(p push) bool { b := h.before(p.at); return b <= from && b > to }
	}
	slow := func(p push) bool { return p.instance == "shop-b" && p.slow() > 0 }
	for _, c := range []struct {
		service, kind, function string
		less, more              func(push) bool
		times                   float64
	}{
		{"shop", "cpu", "example.com/shop/pricing.(*Engine).Discounts", version("v1.3.0"), version("v1.4.0"), 1.7},
		{"shop", "cpu", "regexp.MustCompile", version("v1.4.0"), slow, 20},
		{"search", "heap", "example.com/search/index.(*Cache).Put", version("v2.2.0"), version("v2.3.0"), 2},
		{"search", "cpu", "example.com/search/rank.Score", version("v2.4.0"), version("v2.3.0"), 1.2},
		{"ledger", "mutex", "example.com/ledger/journal.(*Log).Append", version("v0.9.1"), version("v0.9.2"), 2},
		{"ledger", "cpu", "example.com/ledger/rpc.(*Server).Report", hour(30, 24), hour(6, 0), 1.5},
	} {
		if less, more := part(c.service, c.kind, c.function, c.less), part(c.service, c.kind, c.function, c.more); more < c.times*less {
			t.Errorf("%s of %s in %s: %.3f, then %.3f, want %g times as much", c.function, c.kind, c.service, less, more, c.times)
		}
	}
}

func through(p *profile.Profile, sample int, function string) bool {
	for _, l := range p.Stack(sample) {
		for _, line := range p.LocationLines(l) {
			if p.FunctionName(line.Function) == function {
				return true
			}
		}
	}
	return false
}

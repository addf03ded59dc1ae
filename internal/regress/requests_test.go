package regress_test

import (
	"cmp"
	"math"
	"testing"

	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/regress/regresstest"
	"github.com/hone-go/hone/internal/store"
)

// TestSumsOfRequests checks that requests are those of the time that was profiled, and
// unknown where few processes count.
func TestSumsOfRequests(t *testing.T) { testSumsOfRequests(t, openDisk(t)) }

// TestSumsOfRequestsClickHouse does so in the other engine.
func TestSumsOfRequestsClickHouse(t *testing.T) { testSumsOfRequests(t, openClickHouse(t)) }

func testSumsOfRequests(t *testing.T, st store.Store) {
	stacks := regresstest.Usual()
	for version, requests := range map[string]int64{"v1": 600, "v2": 0, "v3": -1} {
		if err := regresstest.Fill(t.Context(), st, "s", version, now, now+10*minute, stacks); err != nil {
			t.Fatal(err)
		}
		if requests < 0 {
			continue // it doesn't count
		}
		if err := regresstest.FillRequests(t.Context(), st, "s", version, now, now+10*minute, requests); err != nil {
			t.Fatal(err)
		}
	}
	// Of v4, a minute of ten is counted: that is less than half of what the CPU profiles cover.
	if err := regresstest.Fill(t.Context(), st, "s", "v4", now, now+30*minute, stacks); err != nil {
		t.Fatal(err)
	}
	if err := regresstest.FillRequests(t.Context(), st, "s", "v4", now, now+minute, 600); err != nil {
		t.Fatal(err)
	}
	for _, byInstance := range []bool{false, true} {
		sums, err := regress.FromStore(st, regress.Limits{}, nil).Sums(t.Context(), regress.Selection{Service: "s", Kind: "cpu", From: now, To: now + hour, ByInstance: byInstance}, regress.NewFrames())
		if err != nil {
			t.Fatal(err)
		}
		if want := 4; !byInstance && len(sums) != want || byInstance && len(sums) != 3*want {
			t.Errorf("%d sums, by instance %t", len(sums), byInstance)
		}
		for _, s := range sums {
			// Ten a second and instance.
			if want := map[string]float64{"v1": 10 * s.Seconds}[s.Version]; math.Abs(s.Requests-want) > 1e-6 {
				t.Errorf("%q of %s: %g requests in %g s, want %g", s.Instance, s.Version, s.Requests, s.Seconds, want)
			}
		}
	}
}

// TestRequestsOfUnevenProfiles has a service that is profiled every ten minutes while it has few requests, and
// every minute while it has many. Its requests are those of the time that was profiled, not the mean of all.
func TestRequestsOfUnevenProfiles(t *testing.T) {
	st := openDisk(t)
	for at := now; at < now+hour; at += 10 * minute {
		if err := regresstest.Fill(t.Context(), st, "s", "v1", at, at+minute, regresstest.Usual()); err != nil {
			t.Fatal(err)
		}
	}
	err := cmp.Or(regresstest.FillRequests(t.Context(), st, "s", "v1", now, now+hour, 600),
		regresstest.Fill(t.Context(), st, "s", "v1", now+hour, now+2*hour, regresstest.Usual()),
		regresstest.FillRequests(t.Context(), st, "s", "v1", now+hour, now+2*hour, 6000))
	if err != nil {
		t.Fatal(err)
	}
	for _, byInstance := range []bool{false, true} {
		sums, err := regress.FromStore(st, regress.Limits{}, nil).Sums(t.Context(), regress.Selection{Service: "s", Kind: "cpu", From: now, To: now + 2*hour, ByInstance: byInstance}, regress.NewFrames())
		if err != nil {
			t.Fatal(err)
		}
		instances := 0.0
		for _, s := range sums {
			instances += s.Requests
		}
		// Each of three instances: 6 profiles of ten seconds with 10 requests a second, and 60 with 100 a second.
		if want := 3 * (6*10*10 + 60*10*100.); math.Abs(instances-want) > 1e-6 {
			t.Errorf("by instance %t: %g requests, want %g", byInstance, instances, want)
		}
	}
}

// TestPerRequest follows a regression that only requests tell: most of the cost grew, and
// shares would take that for the usual change. It stays open until it is fixed.
func TestPerRequest(t *testing.T) {
	st := openDisk(t)
	s := regress.NewState("", func(line string) { t.Error(line) })
	w := regress.NewWatch(regress.Config{Store: st, State: s, Budget: 1, Log: func(line string) { t.Error(line) }})
	fill := func(service, version string, from, to int64, stacks regresstest.Stacks, requests int64) {
		t.Helper()
		if err := regresstest.Fill(t.Context(), st, service, version, from, to, stacks); err != nil {
			t.Fatal(err)
		}
		if err := regresstest.FillRequests(t.Context(), st, service, version, from, to, requests); err != nil {
			t.Fatal(err)
		}
	}
	tick := func(at int64, want string) {
		t.Helper()
		if err := w.Tick(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if got := listed(t, s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	since := now - 40*minute
	usual := regresstest.Stacks{"main;rest": 30e8, "main;e": 3e8}
	slow, double := usual.With("main;rest", 45e8), regresstest.Stacks{"main;rest": 60e8, "main;e": 6e8}
	fill("shop", "v1", since-6*hour, since, usual, 600)
	fill("shop", "v2", since, now, slow, 600)
	// A service that has twice the load from its new version on.
	fill("busy", "v1", since-6*hour, since, usual, 600)
	fill("busy", "v2", since, now, double, 1200)
	tick(now, "shop v2 rest 50% 3 of 3 open")
	all, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	// 45e8 ns in 10 s, of 100 requests.
	if r := all[0]; !r.PerRequest || math.Abs(r.After-45e6) > 1e4 || math.Abs(r.Before-30e6) > 3e5 {
		t.Errorf("it costs %g before and %g after, per request %t; want 30 and 45 ms", r.Before, r.After, r.PerRequest)
	}
	if r := all[0]; math.Abs(r.Measured-30e6) > 1e4 {
		t.Errorf("%g were measured before, want 30 ms", r.Measured)
	}

	next := now + 24*hour
	fill("shop", "v2", next-4*hour, next-hour, slow, 600)
	tick(next-hour, "shop v2 rest 50% 3 of 3 open")
	fill("shop", "v3", next+20*hour, next+23*hour, usual, 900)
	tick(next+23*hour, "shop v2 rest 50% 3 of 3 resolved")
}

// TestCostOfNewInstances has a new instance since the change. The cost is that of all: as much per second as of those
// that were there before.
func TestCostOfNewInstances(t *testing.T) {
	st := openDisk(t)
	after := regresstest.Usual().With("main;e", 9e8)
	if err := regresstest.FillDeploy(t.Context(), st, "s", now, regresstest.Usual(), after); err != nil {
		t.Fatal(err)
	}
	var added []store.Record
	for at := now - 40*minute; at < now; at += minute {
		r, err := regresstest.Record("s", "v2", "new", at, after)
		if err != nil {
			t.Fatal(err)
		}
		added = append(added, r)
	}
	if err := st.Put(t.Context(), added); err != nil {
		t.Fatal(err)
	}
	found, err := regress.Scan(t.Context(), st, now-hour, now)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || math.Abs(found[0].After-9e7) > 1e4 {
		t.Errorf("%d found, want one that costs 9e7 ns a second: %+v", len(found), found)
	}
}

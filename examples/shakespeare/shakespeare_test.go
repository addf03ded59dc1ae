package main

import (
	"testing"
)

// opened returns all versions of the service over the same works.
func opened(tb testing.TB, files int) []counter {
	tb.Helper()
	dir := tb.TempDir()
	if err := writeWorks(dir, files); err != nil {
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
	const files = 2
	var asks []counter
	for _, c := range opened(t, files) {
		address, stop, err := serve(c)
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

// BenchmarkRound is a round of the client's questions, without the network.
func BenchmarkRound(b *testing.B) {
	for i, c := range opened(b, allFiles) {
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

package stored_test

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/servertest"

	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk"
)

// BenchmarkSelection answers questions about a real store, each about another
// range, so that no answer is one that was kept. HONE_BENCH_STORE is the
// directory of the store; bench/peers leaves one in data/hone/store/store.
func BenchmarkSelection(b *testing.B) {
	dir := os.Getenv("HONE_BENCH_STORE")
	if dir == "" {
		b.Skip("HONE_BENCH_STORE names no store")
	}
	// What is benchmarked is a copy: opening a store writes to it.
	own := filepath.Join(b.TempDir(), "store")
	if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
		b.Fatal(err)
	}
	st, err := disk.Open(own, disk.Options{PackAfter: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	b.Run("fresh", func(b *testing.B) { benchmarkSelection(b, st) })
	if err := st.Pack(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Run("packed", func(b *testing.B) { benchmarkSelection(b, st) })
}

func benchmarkSelection(b *testing.B, st store.Store) {
	s := servertest.NewSite(b, func(c *servertest.Config) {
		c.Continuous = &servertest.Continuous{
			Store: st,
			Receiver: func(st store.Store) ingest.Receiver {
				return ingest.New(ingest.Config{Store: st, Allow: server.MayWrite})
			},
			Protocols:   func(*http.ServeMux, ingest.Receiver, store.Store) error { return nil },
			MarkersFile: filepath.Join(b.TempDir(), "markers.json"),
		}
	})
	from, to, service := extent(b, st)
	middle := from + (to-from)/2
	step, hour := int64(time.Millisecond), int64(time.Hour)
	selected := func(kind, sampleType string, from, to int64) string {
		return api.SelectionPrefix + url.Values{
			"q": {kind + "{service=" + strconv.Quote(service) + "}"}, "sample_type": {sampleType},
			"from": {strconv.FormatInt(from/1e6, 10)}, "to": {strconv.FormatInt(to/1e6+1, 10)},
		}.Encode()
	}
	for _, bm := range []struct {
		name   string
		target func(n int64) string
	}{
		// The range ends where no profile is, but its id is another each time.
		{"flame=whole", func(n int64) string {
			return "/api/v1/report/flame?" + url.Values{"profile": {selected("cpu", "cpu", from, to+n*step)}}.Encode()
		}},
		{"flame=part", func(n int64) string {
			return "/api/v1/report/flame?" + url.Values{"profile": {selected("cpu", "cpu", from+(to-from)/50, to+n*step)}}.Encode()
		}},
		{"flame=all", func(n int64) string {
			all := api.SelectionPrefix + url.Values{"q": {"cpu"}, "sample_type": {"cpu"},
				"from": {strconv.FormatInt((from-hour)/1e6, 10)}, "to": {strconv.FormatInt((to+hour+n*step)/1e6, 10)}}.Encode()
			return "/api/v1/report/flame?" + url.Values{"profile": {all}}.Encode()
		}},
		{"download", func(n int64) string {
			return "/api/v1/pprof?" + strings.TrimPrefix(selected("cpu", "", from, to+n*step), api.SelectionPrefix)
		}},
		{"flame=heap", func(n int64) string {
			return "/api/v1/report/flame?" + url.Values{"profile": {selected("heap", "inuse_space", from, to+n*step)}}.Encode()
		}},
		{"diff", func(n int64) string {
			return "/api/v1/report/flame?" + url.Values{
				"base": {selected("cpu", "cpu", from-n*step, middle)}, "profile": {selected("cpu", "cpu", middle, to+n*step)},
			}.Encode()
		}},
		{"pprof", func(n int64) string {
			return "/api/v1/report/proto?" + url.Values{"profile": {selected("cpu", "", from, to+n*step)}}.Encode()
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			size := int64(0)
			for n := int64(1); b.Loop(); n++ {
				r := s.Do("GET", bm.target(n), "")
				if r.StatusCode != http.StatusOK {
					b.Fatal(bm.target(n), r.Status)
				}
				size = r.ContentLength
			}
			b.ReportMetric(float64(size), "answer-B")
		})
	}
}

// extent returns the first service of a store that has CPU profiles, and when
// the first and the last of those begin.
func extent(b *testing.B, st store.Store) (from, to int64, service string) {
	sel, err := store.ParseSelector("cpu")
	if err != nil {
		b.Fatal(err)
	}
	series, err := st.Series(b.Context(), store.Query{Selector: sel, By: []string{store.LabelService}})
	if err != nil {
		b.Fatal(err)
	}
	if len(series) == 0 {
		b.Fatal("the store has no CPU profiles")
	}
	points := series[0].Points
	return points[0].Time, points[len(points)-1].Time, series[0].Labels.Get(store.LabelService)
}

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
	"github.com/hone-go/hone/internal/store/storetest"
)

// benchStore returns the directory of the store that is measured: the one that HONE_BENCH_STORE names,
// such as what bench/peers leaves in data/hone/store/store, or else a small one made here, with the last
// 20 minutes of three services with four instances each.
func benchStore(b *testing.B) (dir string) {
	if dir := os.Getenv("HONE_BENCH_STORE"); dir != "" {
		return dir
	}
	const steps, perStep = 10, 48 // of 2 minutes
	dir = b.TempDir()
	st, err := disk.Open(dir, disk.Options{PackAfter: -1})
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now().Add(-steps * 2 * time.Minute).UnixNano()
	for _, service := range []string{"api", "web", "queue"} {
		in := storetest.NewStream(service, start)
		for range steps {
			records := make([]store.Record, perStep)
			for i := range records {
				records[i] = in.Next(b)
			}
			if err := st.Put(b.Context(), records); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}

// openCopy opens a copy of a store: opening it writes to it.
func openCopy(b *testing.B, dir string, o disk.Options) (st *disk.Store, own string) {
	own = filepath.Join(b.TempDir(), "store")
	if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
		b.Fatal(err)
	}
	o.PackAfter = -1
	st, err := disk.Open(own, o)
	if err != nil {
		b.Fatal(err)
	}
	return st, own
}

func benchSite(b *testing.B, st store.Store) *servertest.Site {
	return servertest.NewSite(b, func(c *servertest.Config) {
		c.Continuous = &servertest.Continuous{
			Store: st,
			Receiver: func(st store.Store) ingest.Receiver {
				return ingest.New(ingest.Config{Store: st, Allow: server.MayWrite})
			},
			Protocols:   func(*http.ServeMux, ingest.Receiver, store.Store) error { return nil },
			MarkersFile: filepath.Join(b.TempDir(), "markers.json"),
		}
	})
}

// BenchmarkReady opens a store and prepares the server of it, as hone serve does before it is ready.
func BenchmarkReady(b *testing.B) {
	st, dir := openCopy(b, benchStore(b), disk.Options{})
	if err := st.Pack(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		st, err := disk.Open(dir, disk.Options{PackAfter: -1})
		if err != nil {
			b.Fatal(err)
		}
		s := benchSite(b, st)
		s.Kept.Prepare(b.Context(), s.Reports.PrepareFlame)
		if err := st.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCold asks for what nobody asked for before: the store keeps no decoded values, and each
// question is about another range.
func BenchmarkCold(b *testing.B) {
	benchmarkQuestions(b, disk.Options{CacheBytes: 1}, func(of *asked) []question {
		middle := of.from + (of.to-of.from)/2
		step, hour := int64(time.Millisecond), int64(time.Hour)
		// Ranges end where no profile is, but their ids are others each time.
		return []question{
			{"flame=whole", func(n int64) string { return of.flame("cpu", "cpu", of.from, of.to+n*step) }},
			{"flame=part", func(n int64) string { return of.flame("cpu", "cpu", of.from+(of.to-of.from)/50, of.to+n*step) }},
			{"flame=all", func(n int64) string {
				return flame("cpu", "cpu", of.from-hour, of.to+hour+n*step)
			}},
			{"flame=heap", func(n int64) string { return of.flame("heap", "inuse_space", of.from, of.to+n*step) }},
			{"download", func(n int64) string {
				return "/api/v1/pprof?" + strings.TrimPrefix(selected("cpu"+of.labels, "", of.from, of.to+n*step), api.SelectionPrefix)
			}},
			{"diff", func(n int64) string {
				return "/api/v1/report/flame?" + url.Values{
					"base":    {selected("cpu"+of.labels, "cpu", of.from-n*step, middle)},
					"profile": {selected("cpu"+of.labels, "cpu", middle, of.to+n*step)},
				}.Encode()
			}},
			{"pprof", func(n int64) string {
				return "/api/v1/report/proto?" + url.Values{"profile": {selected("cpu"+of.labels, "", of.from, of.to+n*step)}}.Encode()
			}},
		}
	})
}

// BenchmarkMoving asks for half of the time, which moves on by as much as lies between two profiles:
// what a page does that shows the latest profiles and is refreshed.
func BenchmarkMoving(b *testing.B) {
	benchmarkQuestions(b, disk.Options{}, func(of *asked) []question {
		length, step := (of.to-of.from)/2, int64(10*time.Second)
		return []question{{"flame", func(n int64) string {
			// Again from the beginning at last, but with other ids.
			at := of.from + n*step%length + n*step/length*int64(time.Millisecond)
			return of.flame("cpu", "cpu", at, at+length)
		}}}
	})
}

// asked is what questions are about: a service, and when its first and last CPU profiles begin.
type asked struct {
	from, to int64
	labels   string // selects the service
}

// A question is the path of the nth request, which is another one each time.
type question struct {
	name string
	path func(n int64) string
}

func (of *asked) flame(kind, sampleType string, from, to int64) string {
	return flame(kind+of.labels, sampleType, from, to)
}

func flame(q, sampleType string, from, to int64) string {
	return "/api/v1/report/flame?" + url.Values{"profile": {selected(q, sampleType, from, to)}}.Encode()
}

func selected(q, sampleType string, from, to int64) string {
	return api.SelectionPrefix + url.Values{
		"q": {q}, "sample_type": {sampleType},
		"from": {strconv.FormatInt(from/1e6, 10)}, "to": {strconv.FormatInt(to/1e6+1, 10)},
	}.Encode()
}

// benchmarkQuestions asks questions of a store whose profiles aren't packed, and when they are.
func benchmarkQuestions(b *testing.B, o disk.Options, questions func(of *asked) []question) {
	st, _ := openCopy(b, benchStore(b), o)
	defer st.Close()
	of := extent(b, st)
	ask := func(b *testing.B) {
		for _, question := range questions(of) {
			b.Run(question.name, func(b *testing.B) {
				s := benchSite(b, st) // which has no answers yet
				b.ReportAllocs()
				size := int64(0)
				for n := int64(1); b.Loop(); n++ {
					r := s.Do("GET", question.path(n), "")
					if r.StatusCode == http.StatusNotFound && question.name == "flame=heap" {
						b.Skip("the store has no such profiles")
					}
					if r.StatusCode != http.StatusOK {
						b.Fatal(question.path(n), r.Status)
					}
					size = r.ContentLength
				}
				b.ReportMetric(float64(size), "answer-B")
			})
		}
	}
	b.Run("fresh", ask)
	if err := st.Pack(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Run("packed", ask)
}

// extent returns the first service of a store that has CPU profiles.
func extent(b *testing.B, st store.Store) *asked {
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
	return &asked{
		from: points[0].Time, to: points[len(points)-1].Time,
		labels: "{service=" + strconv.Quote(series[0].Labels.Get(store.LabelService)) + "}",
	}
}

package servertest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/parca"
	"github.com/hone-go/hone/internal/ingest/pyroscope"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/stored"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// Start is when the profiles of tests begin: a round hour.
var Start = time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC)

// A Counting store tells how often it was asked to merge, and for totals.
type Counting struct {
	store.Store
	Merges, Totals atomic.Int64
	Merged         func() // runs when Merge has its answer; nil for nothing
}

func (c *Counting) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	c.Merges.Add(1)
	groups, err := c.Store.Merge(ctx, q)
	if c.Merged != nil {
		c.Merged()
	}
	return groups, err
}

func (c *Counting) DeleteService(ctx context.Context, service string, dry bool) (int64, error) {
	return c.Store.(store.Deleter).DeleteService(ctx, service, dry)
}

func (c *Counting) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	c.Totals.Add(1)
	return c.Store.Series(ctx, q)
}

// A Live is a server of continuous profiling under test.
type Live struct {
	*Site
	Store   *Counting
	Hub     *ingest.Hub
	Markers *stored.Markers
	next    byte // of ids
}

// NewLive returns a server of an empty store, with the protocols of agents. Its
// auth is nil unless change sets it.
func NewLive(t testing.TB, change func(*Config)) *Live {
	t.Helper()
	l := &Live{Store: &Counting{Store: storetest.NewModel()}}
	l.Site = NewSite(t, func(c *Config) {
		c.Continuous = &Continuous{
			Store: l.Store,
			Receiver: func(st store.Store) ingest.Receiver {
				l.Hub = ingest.New(ingest.Config{Store: st, Allow: server.MayWrite, MaxServiceSeries: 100})
				return l.Hub
			},
			Protocols: func(mux *http.ServeMux, recv ingest.Receiver, st store.Store) error {
				pyroscope.Mount(mux, recv)
				pyroscope.MountQueries(mux, st, nil)
				parca.Mount(mux, recv)
				return nil
			},
			MarkersFile: filepath.Join(t.TempDir(), "markers.json"),
			Version:     "v1.2.3",
		}
		if change != nil {
			change(c)
		}
	})
	l.Markers = l.Config.Continuous.markers
	return l
}

// Prepare prepares the server as hone serve does.
func (l *Live) Prepare(ctx context.Context) { l.Kept.Prepare(ctx, l.Reports.PrepareFlame) }

// Put keeps a profile of testdata as of some minutes after the start.
func (l *Live) Put(name string, minute int, duration time.Duration, labels ...string) store.ID {
	l.T.Helper()
	return l.PutProfile(Testdata(l.T, name), minute, duration, labels...)
}

// PutProfile puts in any profile, as Put does.
func (l *Live) PutProfile(p *profile.Profile, minute int, duration time.Duration, labels ...string) store.ID {
	l.T.Helper()
	var ls []store.Label
	for i := 0; i < len(labels); i += 2 {
		ls = append(ls, store.Label{Name: labels[i], Value: labels[i+1]})
	}
	sorted, err := store.NewLabels(ls...)
	if err != nil {
		l.T.Fatal(err)
	}
	l.next++
	r := store.Record{
		ID: store.ID{l.next}, Labels: sorted, Time: Start.Add(time.Duration(minute) * time.Minute).UnixNano(),
		Duration: int64(duration), Profile: p,
	}
	if err := l.Markers.Observe(l.Store).Put(l.T.Context(), []store.Record{r}); err != nil {
		l.T.Fatal(err)
	}
	return r.ID
}

// Between are the parameters of a selection from one minute to another.
func Between(q string, from, to int, more ...string) url.Values {
	v := url.Values{"q": {q}, "from": {fmt.Sprint(Start.Add(time.Duration(from) * time.Minute).UnixMilli())}}
	v.Set("to", fmt.Sprint(Start.Add(time.Duration(to)*time.Minute).UnixMilli()))
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// Sel is the id of a selection, as a parameter.
func Sel(v url.Values) string { return url.QueryEscape(api.SelectionPrefix + v.Encode()) }

const (
	CPU1 = "cpu.json-decode.pb.gz"
	CPU2 = "cpu.generics.pb.gz"
	Heap = "heap.inlining.pb.gz"
)

// Fill puts in the profiles that most tests ask for: two versions of a service,
// two kinds, and another service.
func (l *Live) Fill() {
	l.Put(CPU1, 0, 10*time.Second, "service", "api", "kind", "cpu", "version", "v1", "zone", "a")
	l.Put(CPU1, 1, 10*time.Second, "service", "api", "kind", "cpu", "version", "v1", "zone", "b")
	l.Put(CPU2, 2, 10*time.Second, "service", "api", "kind", "cpu", "version", "v2", "zone", "a")
	l.Put(Heap, 2, 0, "service", "api", "kind", "heap", "version", "v2", "zone", "a")
	l.Put(CPU2, 3, 10*time.Second, "service", "web", "kind", "cpu", "version", "v7")
}

// ValueOf is the sum of a profile's default sample type.
func ValueOf(t testing.TB, name string) int64 {
	t.Helper()
	p := Testdata(t, name)
	i, err := p.SampleIndex("")
	if err != nil {
		t.Fatal(err)
	}
	return Sum(p.Values[i])
}

// Sum adds up.
func Sum(column []int64) (n int64) {
	for _, v := range column {
		n += v
	}
	return n
}

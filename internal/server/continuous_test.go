package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/parca"
	"github.com/hone-go/hone/internal/ingest/pyroscope"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// start is when the profiles of tests begin: a round hour.
var start = time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC)

// A counting store tells how often it was asked to merge.
type counting struct {
	store.Store
	merges atomic.Int64
}

func (c *counting) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	c.merges.Add(1)
	return c.Store.Merge(ctx, q)
}

// A live is a server of continuous profiling under test.
type live struct {
	*site
	store *counting
	hub   *ingest.Hub
	next  byte // of ids
}

// newLive returns a server of an empty store, with the protocols of agents. Its
// auth is nil unless change sets it.
func newLive(t testing.TB, change func(*Config)) *live {
	t.Helper()
	l := &live{store: &counting{Store: storetest.NewModel()}}
	l.site = newSite(t, func(c *Config) {
		c.Continuous = &Continuous{
			Store: l.store,
			Receiver: func(st store.Store) ingest.Receiver {
				l.hub = ingest.New(ingest.Config{Store: st, Allow: MayWrite, MaxServiceSeries: 100})
				return l.hub
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
	return l
}

// put keeps a profile of testdata as of some minutes after the start.
func (l *live) put(name string, minute int, duration time.Duration, labels ...string) store.ID {
	l.t.Helper()
	var ls []store.Label
	for i := 0; i < len(labels); i += 2 {
		ls = append(ls, store.Label{Name: labels[i], Value: labels[i+1]})
	}
	sorted, err := store.NewLabels(ls...)
	if err != nil {
		l.t.Fatal(err)
	}
	l.next++
	r := store.Record{
		ID: store.ID{l.next}, Labels: sorted, Time: start.Add(time.Duration(minute) * time.Minute).UnixNano(),
		Duration: int64(duration), Profile: testdata(l.t, name),
	}
	if err := (observed{l.store, l.markers}).Put(l.t.Context(), []store.Record{r}); err != nil {
		l.t.Fatal(err)
	}
	return r.ID
}

// between are the parameters of a selection from one minute to another.
func between(q string, from, to int, more ...string) url.Values {
	v := url.Values{"q": {q}, "from": {fmt.Sprint(start.Add(time.Duration(from) * time.Minute).UnixMilli())}}
	v.Set("to", fmt.Sprint(start.Add(time.Duration(to)*time.Minute).UnixMilli()))
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// sel is the id of a selection, as a parameter.
func sel(v url.Values) string { return url.QueryEscape(selectionPrefix + v.Encode()) }

const (
	cpu1 = "cpu.json-decode.pb.gz"
	cpu2 = "cpu.generics.pb.gz"
	heap = "heap.inlining.pb.gz"
)

// fill puts in the profiles that most tests ask for: two versions of a service,
// two kinds, and another service.
func (l *live) fill() {
	l.put(cpu1, 0, 10*time.Second, "service", "api", "kind", "cpu", "version", "v1", "zone", "a")
	l.put(cpu1, 1, 10*time.Second, "service", "api", "kind", "cpu", "version", "v1", "zone", "b")
	l.put(cpu2, 2, 10*time.Second, "service", "api", "kind", "cpu", "version", "v2", "zone", "a")
	l.put(heap, 2, 0, "service", "api", "kind", "heap", "version", "v2", "zone", "a")
	l.put(cpu2, 3, 10*time.Second, "service", "web", "kind", "cpu", "version", "v7")
}

// valueOf is the sum of a profile's default sample type.
func valueOf(t testing.TB, name string) int64 {
	t.Helper()
	p := testdata(t, name)
	i, err := p.SampleIndex("")
	if err != nil {
		t.Fatal(err)
	}
	return sum(p.Values[i])
}

func sum(column []int64) (n int64) {
	for _, v := range column {
		n += v
	}
	return n
}

// TestSelectionIsAProfile asks for every report of a selection, and compares
// some with those of the same profiles merged by hand.
func TestSelectionIsAProfile(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	merged, err := profile.Sum(testdata(t, cpu1), testdata(t, cpu1), testdata(t, cpu2))
	if err != nil {
		t.Fatal(err)
	}
	merged.TimeNanos, merged.DurationNanos = start.UnixNano(), int64(30*time.Second)
	id := sel(between(`cpu{service="api"}`, 0, 10))
	for _, command := range []string{"top", "tree", "tags"} {
		r, err := report.New(merged, command, "", report.DefaultOptions(), report.Env{})
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := r.WriteText(&want); err != nil {
			t.Fatal(err)
		}
		if got := l.get("/api/v1/report/" + command + "?format=text&profile=" + id); got != want.String() {
			t.Errorf("%s of the selection:\n%s\nof the profiles merged:\n%s", command, got, want.String())
		}
	}
	for _, k := range kinds {
		if k.name == "disasm" {
			continue // needs a program
		}
		query := "profile=" + id
		if k.needsBase {
			query += "&base=" + id
		}
		if k.needsMatch {
			query += "&match=json"
		}
		if k.name == "flame/search" {
			query += "&query=json"
		}
		for _, f := range k.formats {
			if k.name == "graph" && f.name != "dot" {
				continue // drawn as of any profile, which takes long
			}
			l.get("/api/v1/report/" + k.name + "?format=" + f.name + "&" + query)
		}
	}
}

func TestSelectionInfo(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	v := between(`{service="api",kind="cpu",version=~"v1"}`, 0, 10)
	got := decode[struct{ Profile Info }](t, l.get("/api/v1/profiles/"+url.PathEscape(selectionPrefix+v.Encode()))).Profile
	want := &SelectionInfo{
		Q: `{service="api", kind="cpu", version=~"v1"}`, From: start.UnixMilli(), To: start.Add(10 * time.Minute).UnixMilli(),
		Per: perSum, Profiles: 2, Duration: int64(20 * time.Second), Last: start.Add(time.Minute + 10*time.Second).UnixMilli(),
	}
	if got.Selection == nil || *got.Selection != *want {
		t.Errorf("the selection is told as %+v, want %+v", got.Selection, want)
	}
	if got.Merged != 2 || got.Duration != int64(20*time.Second) || got.Time != start.Format(time.RFC3339Nano) || got.State != stateReady {
		t.Errorf("the profile is told as %+v", got.Profile)
	}
	again := decode[struct{ Profile Info }](t, l.get("/api/v1/profiles/"+url.PathEscape(got.ID))).Profile
	if again.ID != got.ID || *again.Selection != *got.Selection {
		t.Errorf("the id %s that was answered means %+v", got.ID, again.Selection)
	}
	if list := l.get("/api/v1/profiles"); !strings.Contains(list, `"continuous":true`) {
		t.Errorf("the list doesn't tell of the store: %s", list)
	}
}

func TestSelectionIDs(t *testing.T) {
	now := start.Add(30 * time.Minute)
	for _, test := range []struct{ id, want string }{
		{"sel:", "sel:"},
		{"sel:per=sum&top=1", "sel:"},
		{"sel:q=cpu", "sel:q=cpu"},
		{`sel:q={kind="cpu"}`, "sel:q=cpu"},
		{`sel:to=1790000060000&top=0.05&from=1790000000000&q=cpu{ service='api' }&per=second`,
			"sel:q=cpu%7Bservice%3D%22api%22%7D&from=1790000000000&to=1790000060000&top=0.05&per=second"},
		{"sel:from=-1h&to=now", fmt.Sprintf("sel:from=%d&to=%d", now.Add(-time.Hour).UnixMilli(), now.UnixMilli())},
		{"sel:id=00112233445566778899AABBCCDDEEFF&sample_type=alloc_space",
			"sel:sample_type=alloc_space&id=00112233445566778899aabbccddeeff"},
	} {
		got, err := parseSelection(test.id, now)
		if err != nil {
			t.Errorf("%s: %v", test.id, err)
			continue
		}
		if got.String() != test.want {
			t.Errorf("%s becomes %s, want %s", test.id, got, test.want)
		}
		if again, err := parseSelection(got.String(), now); err != nil || again.String() != test.want {
			t.Errorf("%s reads as %v, %v", got, again, err)
		}
	}
}

// TestStoreErrors checks that errors of requests about the store name what is
// wrong.
func TestStoreErrors(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	top := func(id string) string { return "/api/v1/report/top?profile=" + url.QueryEscape(id) }
	api := `q=cpu%7Bservice%3D%22api%22%7D`
	for _, test := range []struct {
		target         string
		status         int
		param, message string
	}{
		{top("sel:q=cpu{"), 400, "profile", "at byte 4"},
		{top("sel:q=cpu&q=heap"), 400, "profile", "2 times"},
		{top("sel:colour=red"), 400, "profile", `no parameter "colour"`},
		{top("sel:%zz"), 400, "profile", "%zz"},
		{top("sel:from=yesterday"), 400, "profile", "yesterday"},
		{top("sel:from=2000000000000&to=1000000000000"), 400, "profile", "not after"},
		{top("sel:top=0"), 400, "profile", "top"},
		{top("sel:top=1.5"), 400, "profile", "top"},
		{top("sel:top=NaN"), 400, "profile", "top"},
		{top("sel:id=12"), 400, "profile", "32 hexadecimal"},
		{top("sel:id=" + strings.Repeat("0", 32)), 400, "profile", "zeros"},
		{top("sel:per=minute"), 400, "profile", "minute"},
		{top("sel:" + strings.Repeat("x", maxSelected)), 400, "profile", "longer"},
		{top(`sel:q={service="nosuch"}`), 404, "profile", `no profiles match {service="nosuch"}`},
		{top(`sel:q={service="api"}`), 422, "profile", "sample type"},
		{"/api/v1/report/top?profile=sel:q%3Dcpu&base=" + url.QueryEscape(`sel:q={service="nosuch"}`), 404, "base", "nosuch"},
		{"/api/v1/report/top?profile=" + sel(between("heap", 0, 10, "per", "second")), 400, "per", "no duration"},
		{"/api/v1/profiles/sel%3Aq%3D%7B", 400, "profile", "selector"},
		{"/api/v1/pprof?" + api, 404, "profile", "no profiles"}, // of the last hour
		{"/api/v1/pprof?q=%7B", 400, "q", "selector"},
		{"/api/v1/pprof?colour=red", 400, "colour", "unknown parameter"},
		{"/api/v1/pprof?seconds=x", 400, "seconds", "x"},
		{"/api/v1/pprof?to=x", 400, "to", "x"},
		{"/api/v1/series?step=0", 400, "step", "0"},
		{"/api/v1/series?step=1ms&from=-1h", 400, "step", "more than 10000"},
		{"/api/v1/series?points=0", 400, "points", "0"},
		{"/api/v1/series?by=a%20b", 400, "by", "a b"},
		{"/api/v1/series?by=a,b,c,d,e,f,g,h,i,j,k", 400, "by", "more than 10"},
		{"/api/v1/series?limit=0", 400, "limit", "0"},
		{"/api/v1/series?top=2", 400, "top", "2"},
		{"/api/v1/series?from=5&from=6", 400, "from", "2 times"},
		{"/api/v1/records?limit=1000000", 400, "limit", "100000"},
		{"/api/v1/records?id=zz", 400, "id", "zz"},
		{"/api/v1/labels?name=a%20b", 400, "name", "a b"},
		{"/api/v1/labels?per=second", 400, "per", "unknown"},
		{"/api/v1/services?from=x", 400, "from", "x"},
		{"/api/v1/history?order=size", 400, "order", "size"},
		{"/api/v1/history?focus=(", 400, "focus", "missing closing"},
		{"/api/v1/history?limit=101", 400, "limit", "101"},
		{"/api/v1/history?points=501", 400, "points", "501"},
		{"/api/v1/history?" + strings.Repeat("function=f&", 101), 400, "function", "101"},
		{"/api/v1/history?sort=flat", 400, "sort", "unknown"},
		{"/api/v1/markers?to=x", 400, "to", "x"},
	} {
		t.Run(fmt.Sprintf("%.80s", test.target), func(t *testing.T) {
			fails(t, l.do("GET", test.target, ""), test.status, test.param, test.message)
		})
	}
	plain := newSite(t, nil)
	fails(t, plain.do("GET", top("sel:q=cpu"), ""), 404, "profile", "hone serve")
	fails(t, plain.do("GET", "/api/v1/series", ""), 404, "", "/api/v1/series")
}

func TestPrepareAsksForTheLatest(t *testing.T) {
	l := newLive(t, nil)
	l.Prepare(t.Context())
	if n := l.store.merges.Load(); n != 0 {
		t.Errorf("%d flame graphs of an empty store", n)
	}
	minute := int(time.Since(start)/time.Minute) - 30
	for n, service := range []string{"api", "shop", "worker", "old", "older"} {
		l.put(cpu1, minute-n, 10*time.Second, store.LabelService, service, store.LabelKind, "cpu")
		l.put(heap, minute-n, 0, store.LabelService, service, store.LabelKind, "heap")
	}
	l.Prepare(t.Context())
	if n := l.store.merges.Load(); n != preparedServices {
		t.Errorf("%d flame graphs were made in advance, want %d", n, preparedServices)
	}
	for _, service := range []string{"api", "shop", "worker"} { // the answers given aren't those of now
		l.put(cpu2, minute+1, 10*time.Second, store.LabelService, service, store.LabelKind, "cpu")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	l.Prepare(ended)
	if n := l.store.merges.Load(); n != preparedServices {
		t.Errorf("%d flame graphs were made after the end", n-preparedServices)
	}
	l.Prepare(t.Context())
	if n := l.store.merges.Load(); n != 2*preparedServices {
		t.Errorf("%d flame graphs were made when there was something new, want %d", n-preparedServices, preparedServices)
	}
}

// TestSelectionIsFreshAndKept checks both ends of caching: a selection is merged
// once while its profiles are the same, and anew as soon as one comes.
func TestSelectionIsFreshAndKept(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	id := sel(between(`cpu{service="api"}`, 0, 10))
	total := func() int64 {
		return decode[struct{ Report report.Top }](t, l.get("/api/v1/report/top?trim=false&profile="+id)).Report.Total.Value
	}
	want := 2*valueOf(t, cpu1) + valueOf(t, cpu2)
	for range 3 {
		if got := total(); got != want {
			t.Fatalf("the total is %d, want %d", got, want)
		}
		l.get("/api/v1/report/flame?profile=" + id)
		l.get("/api/v1/report/tree?profile=" + id)
	}
	if n := l.store.merges.Load(); n != 1 {
		t.Errorf("the store merged %d times for one selection, want once", n)
	}
	l.put(cpu2, 3, time.Second, "service", "web", "kind", "cpu") // none of it
	if total(); l.store.merges.Load() != 1 {
		t.Errorf("a profile of another service made the store merge again")
	}
	l.put(cpu2, 4, time.Second, "service", "api", "kind", "cpu")
	if got := total(); got != want+valueOf(t, cpu2) {
		t.Errorf("after one more profile the total is %d, want %d", got, want+valueOf(t, cpu2))
	}
}

// Both sides are merged at a time, once each, however little is kept.
func TestComparisonMergesOnce(t *testing.T) {
	for _, parallel := range []int{1, 2} {
		l := newLive(t, func(c *Config) { c.Limits.CacheBytes, c.Limits.Parallel = 1, parallel })
		l.fill()
		l.get("/api/v1/report/flame?profile=" + sel(between(`cpu{service="api"}`, 0, 10)) + "&base=" + sel(between(`cpu{service="api"}`, 0, 2)))
		if n := l.store.merges.Load(); n != 2 {
			t.Errorf("with %d processors a comparison merged %d times, want 2", parallel, n)
		}
		if n := len(l.cache.slots); n != 0 {
			t.Errorf("with %d processors, %d are still taken", parallel, n)
		}
	}
}

func TestSelectionsCompare(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	v1, v2 := sel(between(`cpu{version="v1"}`, 0, 10)), sel(between(`cpu{version="v2"}`, 0, 10))
	d := decode[struct {
		Report struct {
			Rows []struct{ Name string } `json:"rows"`
		}
		Rows int
	}](t, l.get("/api/v1/report/diff?profile="+v2+"&base="+v1))
	if d.Rows == 0 || len(d.Report.Rows) == 0 {
		t.Error("the comparison has no rows")
	}
	f := decode[struct {
		Report struct {
			Diff  bool            `json:"diff"`
			Total report.Quantity `json:"total"`
		}
	}](t, l.get("/api/v1/report/flame?profile="+v2+"&base="+v1)).Report
	if !f.Diff || f.Total.Value != valueOf(t, cpu2) {
		t.Errorf("the flame graph of the comparison: %+v", f)
	}
}

// TestPer checks that averages have the totals they should, to the unit.
func TestPer(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	total := 2*valueOf(t, cpu1) + valueOf(t, cpu2)
	for _, test := range []struct {
		per      string
		want     float64
		duration time.Duration
	}{
		{"sum", float64(total), 30 * time.Second},
		{"profile", float64(total) / 3, 10 * time.Second},
		{"second", float64(total) / 30, time.Second},
	} {
		body := l.get("/api/v1/pprof?" + between(`cpu{service="api"}`, 0, 10, "per", test.per).Encode())
		p, err := profile.DecodeBytes([]byte(body), profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		i, _ := p.SampleIndex("")
		if got := float64(sum(p.Values[i])); got-test.want > 0.5 || test.want-got > 0.5 {
			t.Errorf("per %s the sum is %v, want %v", test.per, got, test.want)
		}
		if p.DurationNanos != int64(test.duration) {
			t.Errorf("per %s the duration is %d, want %s", test.per, p.DurationNanos, test.duration)
		}
		over := decode[OverTime](t, l.get("/api/v1/series?"+between(`cpu{service="api"}`, 0, 10, "per", test.per, "points", "1").Encode()))
		if got, _ := over.Series[0].Total.Value.(float64); got-test.want > 0.01 || test.want-got > 0.01 {
			t.Errorf("per %s the series has the total %v, want %v", test.per, got, test.want)
		}
	}
	heapOver := decode[OverTime](t, l.get("/api/v1/series?"+between("heap", 0, 10, "per", "second").Encode()))
	if heapOver.Series[0].Value[0] != nil || len(heapOver.Warnings) != 1 {
		t.Errorf("a rate of profiles of a moment: %+v", heapOver)
	}
}

func TestDivided(t *testing.T) {
	for _, test := range []struct {
		column []int64
		by     float64
		want   []int64
	}{
		{nil, 3, []int64{}},
		{[]int64{1, 1, 1}, 3, []int64{0, 1, 0}},
		{[]int64{10, -10, 4}, 2, []int64{5, -5, 2}},
		{[]int64{1, 1, 1, 1, 1, 1}, 1.5, []int64{1, 0, 1, 1, 0, 1}},
	} {
		if got := divided(test.column, test.by); !slices.Equal(got, test.want) {
			t.Errorf("%v divided by %v is %v, want %v", test.column, test.by, got, test.want)
		}
	}
}

func TestWeight(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	v := between(`cpu{service="api"}`, 0, 10, "top", "0.34")
	got := decode[struct{ Profile Info }](t, l.get("/api/v1/profiles/"+url.PathEscape(selectionPrefix+v.Encode()))).Profile.Selection
	if got.Profiles != 2 { // 34 % of 3, rounded up
		t.Errorf("the top 34 %% of 3 profiles are %d", got.Profiles)
	}
	r := decode[Records](t, l.get("/api/v1/records?"+between("cpu", 0, 10, "top", "0.01").Encode()))
	if len(r.ID) != 1 || r.Value[0] != max(valueOf(t, cpu1), valueOf(t, cpu2)) {
		t.Errorf("the most expensive of all profiles: %+v", r)
	}
}

func TestSeries(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	over := decode[OverTime](t, l.get("/api/v1/series?"+between(`cpu{service="api"}`, 0, 10, "step", "2m", "by", "version").Encode()))
	if over.Step != 120_000 || over.From != start.UnixMilli() || over.Left != 0 || len(over.Series) != 2 {
		t.Fatalf("%+v", over)
	}
	one := over.Series[0]
	if one.Labels["version"] != "v1" || one.Type != "cpu" || one.Unit != "nanoseconds" || !slices.Equal(one.Time, []int64{start.UnixMilli()}) ||
		one.Value[0] != float64(2*valueOf(t, cpu1)) || one.Profiles[0] != 2 || one.Duration[0] != int64(20*time.Second) {
		t.Errorf("the series of v1: %+v", one)
	}
	if two := over.Series[1]; two.Labels["version"] != "v2" || two.Time[0] != start.Add(2*time.Minute).UnixMilli() {
		t.Errorf("the series of v2: %+v", two)
	}
	// What stands for the group's profile has just its profiles.
	top := decode[struct{ Report report.Top }](t, l.get("/api/v1/report/top?profile="+url.QueryEscape(one.Profile)))
	if top.Report.Total.Value != 2*valueOf(t, cpu1) {
		t.Errorf("the profile of the group has the total %v", top.Report.Total)
	}
	// Labels that are absent group too, and can be told from all.
	zones := decode[OverTime](t, l.get("/api/v1/series?"+between("cpu", 0, 10, "by", "zone", "limit", "2").Encode()))
	if zones.Left != 1 || len(zones.Series) != 2 {
		t.Errorf("2 of 3 zones: %+v", zones)
	}
	for _, s := range decode[OverTime](t, l.get("/api/v1/series?"+between("cpu", 0, 10, "by", "zone").Encode())).Series {
		if _, has := s.Labels["zone"]; !has {
			if got := decode[struct{ Profile Info }](t, l.get("/api/v1/profiles/"+url.PathEscape(s.Profile))).Profile.Selection.Profiles; got != 1 {
				t.Errorf("%d profiles without a zone, want 1", got)
			}
		}
	}
	mixed := decode[OverTime](t, l.get("/api/v1/series?"+between("{}", 0, 10, "points", "1").Encode()))
	if len(mixed.Warnings) != 1 || mixed.Series[0].Type != "" {
		t.Errorf("cpu and heap added up: %+v", mixed)
	}
	none := decode[OverTime](t, l.get("/api/v1/series?"+between(`{service="nosuch"}`, 0, 10).Encode()))
	if none.Series == nil || len(none.Series) != 0 {
		t.Errorf("no profiles: %+v", none)
	}
}

func TestAutoStep(t *testing.T) {
	for _, test := range []struct {
		length time.Duration
		points int
		want   time.Duration
	}{
		{time.Hour, 300, 15 * time.Second},
		{time.Minute, 300, time.Second},
		{24 * time.Hour, 300, 5 * time.Minute},
		{7 * 24 * time.Hour, 300, time.Hour},
		{365 * 24 * time.Hour, 60, 7 * 24 * time.Hour},
		{100 * 365 * 24 * time.Hour, 10, 131 * 28 * 24 * time.Hour},
		{time.Second, 1, 5 * time.Second},
	} {
		got := autoStep(test.length, test.points)
		if got != test.want || int64(test.length/got) >= int64(test.points) {
			t.Errorf("%s in %d windows: steps of %s, want %s", test.length, test.points, got, test.want)
		}
	}
}

func TestRecords(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	id := l.put(cpu2, 9, 10*time.Second, "service", "api", "kind", "cpu", "pod", "x")
	r := decode[Records](t, l.get("/api/v1/records?"+between(`cpu{service="api"}`, 0, 10, "limit", "2").Encode()))
	if !r.More || len(r.ID) != 2 || r.Time[0] != start.Add(9*time.Minute).UnixMilli() || r.Time[1] != start.Add(2*time.Minute).UnixMilli() {
		t.Fatalf("the latest two of four: %+v", r)
	}
	if r.ID[0] != fmt.Sprintf("%x", id) || r.Labels[r.Series[0]].Labels["pod"] != "x" || r.Labels[r.Series[0]].Type != "cpu" {
		t.Errorf("the latest: %+v", r)
	}
	single := decode[struct{ Profile Info }](t, l.get("/api/v1/profiles/"+url.PathEscape(r.Profile[0]))).Profile
	if single.Selection.Profiles != 1 || single.Selection.ID != r.ID[0] {
		t.Errorf("the selection of a record: %+v", single.Selection)
	}
	all := decode[Records](t, l.get("/api/v1/records"))
	if all.More || len(all.ID) != 6 {
		t.Errorf("all records: %+v", all)
	}
}

func TestLabelsAndServices(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	labels := decode[struct{ Labels []Label }](t, l.get("/api/v1/labels?limit=1")).Labels
	var names []string
	for _, one := range labels {
		names = append(names, one.Name)
	}
	if !slices.Equal(names, []string{"kind", "service", "version", "zone"}) {
		t.Errorf("labels %v", names)
	}
	if v := labels[2]; len(v.Values) != 1 || v.More != 2 {
		t.Errorf("one of three versions: %+v", v)
	}
	one := decode[struct{ Labels []Label }](t, l.get("/api/v1/labels?name=version&q=cpu")).Labels
	if len(one) != 1 || !slices.Equal(one[0].Values, []string{"v1", "v2", "v7"}) {
		t.Errorf("versions: %+v", one)
	}
	s := decode[struct {
		Services []Service
		Left     int
	}](t, l.get("/api/v1/services"))
	if len(s.Services) != 2 || s.Left != 0 {
		t.Fatalf("services: %+v", s)
	}
	api := s.Services[0]
	if api.Name != "api" || api.Profiles != 4 || len(api.Kinds) != 2 || len(api.Versions) != 2 || api.Versions[0].Version != "v2" {
		t.Errorf("service api: %+v", api)
	}
	if k := api.Kinds[0]; k.Kind != "cpu" || k.Type != "cpu" || k.Value != float64(2*valueOf(t, cpu1)+valueOf(t, cpu2)) || k.Profiles != 3 {
		t.Errorf("kind cpu of api: %+v", k)
	}
}

// TestHistory checks that a function's history has the figures of top.
func TestHistory(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	h := decode[History](t, l.get("/api/v1/history?"+between(`cpu{service="api"}`, 0, 10, "step", "2m", "limit", "3").Encode()))
	if len(h.Time) != 2 || len(h.Functions) != 3 || h.Total[0] != 2*valueOf(t, cpu1) || h.Total[1] != valueOf(t, cpu2) {
		t.Fatalf("%+v", h)
	}
	for i, window := range []url.Values{between(`cpu{service="api"}`, 0, 2), between(`cpu{service="api"}`, 2, 4)} {
		rows := map[string]report.TopRow{}
		for _, row := range decode[struct{ Report report.Top }](t, l.get("/api/v1/report/top?trim=false&profile="+sel(window))).Report.Rows {
			rows[row.Name] = row
		}
		for _, f := range h.Functions {
			if f.Flat[i] != rows[f.Name].Flat.Value || f.Cum[i] != rows[f.Name].Cum.Value {
				t.Errorf("%s in window %d: %d, %d, and top says %v, %v", f.Name, i, f.Flat[i], f.Cum[i], rows[f.Name].Flat, rows[f.Name].Cum)
			}
		}
	}
	merges := l.store.merges.Load()
	l.get("/api/v1/history?" + between(`cpu{service="api"}`, 0, 10, "step", "2m", "limit", "50", "order", "cum").Encode())
	if n := l.store.merges.Load() - merges; n != 0 {
		t.Errorf("the same windows again took %d merges", n)
	}
	named := decode[History](t, l.get("/api/v1/history?"+between(`cpu{service="api"}`, 0, 10).Encode()+"&function=nosuch&function="+url.QueryEscape(h.Functions[0].Name)))
	if len(named.Functions) != 2 || named.Functions[0].Name != h.Functions[0].Name || sum(named.Functions[1].Cum) != 0 {
		t.Errorf("named functions: %+v", named.Functions)
	}
	empty := decode[History](t, l.get("/api/v1/history?"+between(`{service="nosuch"}`, 0, 10).Encode()))
	if len(empty.Time) != 0 || empty.Functions == nil {
		t.Errorf("no profiles: %+v", empty)
	}
}

func TestMarkers(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	list := func(query string) []Marker {
		return decode[struct{ Markers []Marker }](t, l.get("/api/v1/markers"+query)).Markers
	}
	all := list("")
	if len(all) != 3 || all[0].Version != "v1" || all[0].Time != start.UnixMilli() || all[0].Posted {
		t.Fatalf("the first profiles of versions: %+v", all)
	}
	l.put(cpu1, -5, time.Second, "service", "api", "kind", "cpu", "version", "v1") // late
	if all = list("?service=api"); len(all) != 2 || all[0].Time != start.Add(-5*time.Minute).UnixMilli() {
		t.Errorf("after an earlier profile of v1: %+v", all)
	}
	resp := l.do("POST", "/api/v1/markers", fmt.Sprintf(`{"service":"api","text":"incident <b>","time":%d}`, start.UnixMilli()))
	posted := decode[Marker](t, body(t, resp))
	if resp.StatusCode != 201 || !posted.Posted || posted.ID == "" || posted.Time != start.UnixMilli() {
		t.Fatalf("%s: %+v", resp.Status, posted)
	}
	if all = list("?service=api"); len(all) != 3 {
		t.Errorf("with the posted one: %+v", all)
	}
	for _, test := range []struct {
		body           string
		param, message string
	}{
		{`[]`, "", "the body is not"},
		{`{"service":"api"}`, "text", "a version or a text"},
		{`{"text":"x","time":"tomorrow"}`, "time", "tomorrow"},
		{`{"text":"a\u0000b"}`, "text", "no text"},
		{`{"text":"` + strings.Repeat("x", maxMarkerText+1) + `"}`, "text", "longer"},
	} {
		fails(t, l.do("POST", "/api/v1/markers", test.body), 400, test.param, test.message)
	}
	// They outlast the server; versions that the file lacks are found in the store.
	l.Server.Close()
	again, err := newMarkers(t.Context(), l.cfg.Continuous.MarkersFile, l.store, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	if got := again.list(auth.Anyone, "", 0, 0); len(got) != 4 {
		t.Errorf("after a restart: %+v", got)
	}
	found, err := newMarkers(t.Context(), "", l.store, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	if got := found.list(auth.Anyone, "", 0, 0); len(got) != 3 || got[0].Time != start.Add(-5*time.Minute).UnixMilli() {
		t.Errorf("found in the store alone: %+v", got)
	}
	if r := l.do("DELETE", "/api/v1/markers/"+posted.ID, ""); r.StatusCode != 204 {
		t.Errorf("removing: %s", r.Status)
	}
	fails(t, l.do("DELETE", "/api/v1/markers/"+posted.ID, ""), 404, "", posted.ID)
	fails(t, l.do("DELETE", "/api/v1/markers/v:api:v1", ""), 422, "id", "first profile")
}

// TestPush sends profiles as agents do and finds them in the store.
func TestPush(t *testing.T) {
	l := newLive(t, nil)
	var raw bytes.Buffer
	if err := testdata(t, cpu1).Encode(&raw); err != nil {
		t.Fatal(err)
	}
	agent := []func(*http.Request){header("Host", "hone.internal:4600")}
	push := func(query string) *http.Response {
		return l.do("POST", "/api/v1/profiles?"+query, raw.String(), agent...)
	}
	at := fmt.Sprint(start.UnixNano())
	for range 2 { // the second time it is there already
		if r := push("service=api&version=v1&time=" + at); r.StatusCode != 204 {
			t.Fatalf("%s: %s", r.Status, body(t, r))
		}
	}
	got := decode[struct{ Profile Info }](t, l.get("/api/v1/profiles/"+url.PathEscape(selectionPrefix+between(`cpu{service="api"}`, 0, 1).Encode()))).Profile.Selection
	if got.Profiles != 1 {
		t.Errorf("%d profiles kept, want 1", got.Profiles)
	}
	refused := push("service=api&colour=red")
	var e struct{ Error, Reason string }
	if json.Unmarshal([]byte(body(t, refused)), &e); refused.StatusCode != 400 || e.Reason != "malformed" || !strings.Contains(e.Error, "colour") {
		t.Errorf("a wrong parameter: %s %+v", refused.Status, e)
	}
	// Without a service it is an upload to look at, from hone's own pages.
	if r := l.do("POST", "/api/v1/profiles?name=mine", raw.String()); r.StatusCode != 201 {
		t.Errorf("an upload: %s", r.Status)
	}
	if markers := l.get("/api/v1/markers"); !strings.Contains(markers, `"version":"v1"`) {
		t.Errorf("the push made no marker: %s", markers)
	}
}

func TestStatus(t *testing.T) {
	ready := error(nil)
	l := newLive(t, func(c *Config) {
		c.Continuous.Ready = func() error { return ready }
		c.Continuous.Status = func() Status {
			return Status{Notices: []Notice{{Level: LevelInfo, Text: "news"}}, Scrape: []Scraped{{Target: "a"}}}
		}
	})
	st := decode[Status](t, l.get("/api/v1/status"))
	if st.Version != "v1.2.3" || !st.Ready || st.Uptime <= 0 || st.Ingest == nil || len(st.Scrape) != 1 || st.Queries.Limit == 0 || st.User.By != auth.ByNothing {
		t.Errorf("%+v", st)
	}
	if got := l.get("/healthz"); got != "ok\n" {
		t.Errorf("healthz: %q", got)
	}
	ready = fmt.Errorf("the disk is full")
	r := l.do("GET", "/readyz", "")
	if got := body(t, r); r.StatusCode != 503 || !strings.Contains(got, "disk is full") {
		t.Errorf("readyz: %s %q", r.Status, got)
	}
	if st = decode[Status](t, l.get("/api/v1/status")); st.Ready || st.Notices[0].Level != LevelError || len(st.Notices) != 2 {
		t.Errorf("not ready: %+v", st.Notices)
	}
	metrics := l.get("/metrics")
	for _, name := range []string{"hone_http_requests_total{", "hone_queries_running", "go_goroutines", `route="/api/v1/status"`} {
		if !strings.Contains(metrics, name) {
			t.Errorf("metrics lack %s", name)
		}
	}
}

// TestBrokenStore checks that what is the store's fault is not told as the
// request's.
func TestBrokenStore(t *testing.T) {
	l := newLive(t, nil)
	l.fill()
	l.store.Store.Close()
	for _, target := range []string{
		"/api/v1/series", "/api/v1/labels", "/api/v1/services", "/api/v1/records", "/api/v1/history", "/api/v1/pprof", "/api/v1/report/top?profile=sel%3Aq%3Dcpu",
	} {
		fails(t, l.do("GET", target, ""), 503, "", "ending")
	}
}

package stored_test

import (
	"encoding/json"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/internal/server/stored"
	"net/http"

	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

const maxSelected = api.MaxSelected

func TestSelectionInfo(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	v := servertest.Between(`{service="api",kind="cpu",version=~"v1"}`, 0, 10)
	got := servertest.Decode[struct{ Profile api.Info }](t, l.Get("/api/v1/profiles/"+url.PathEscape(api.SelectionPrefix+v.Encode()))).Profile
	want := &api.SelectionInfo{
		Q: `{service="api", kind="cpu", version=~"v1"}`, From: servertest.Start.UnixMilli(), To: servertest.Start.Add(10 * time.Minute).UnixMilli(),
		Profiles: 2, Duration: int64(20 * time.Second), Last: servertest.Start.Add(time.Minute + 10*time.Second).UnixMilli(),
	}
	if got.Selection == nil || *got.Selection != *want {
		t.Errorf("the selection is told as %+v, want %+v", got.Selection, want)
	}
	if got.Merged != 2 || got.Duration != int64(20*time.Second) || got.Time != servertest.Start.Format(time.RFC3339Nano) || got.State != "ready" {
		t.Errorf("the profile is told as %+v", got.Profile)
	}
	again := servertest.Decode[struct{ Profile api.Info }](t, l.Get("/api/v1/profiles/"+url.PathEscape(got.ID))).Profile
	if again.ID != got.ID || *again.Selection != *got.Selection {
		t.Errorf("the id %s that was answered means %+v", got.ID, again.Selection)
	}
	if list := l.Get("/api/v1/profiles"); !strings.Contains(list, `"continuous":true`) {
		t.Errorf("the list doesn't tell of the store: %s", list)
	}
}

func TestSelectionIDs(t *testing.T) {
	now := servertest.Start.Add(30 * time.Minute)
	for _, test := range []struct{ id, want string }{
		{"sel:", "sel:"},
		{"sel:top=1", "sel:"},
		{"sel:per=sum&top=1", "sel:per=sum"},
		{"sel:q=cpu", "sel:q=cpu"},
		{`sel:q={kind="cpu"}`, "sel:q=cpu"},
		{`sel:to=1790000060000&top=0.05&from=1790000000000&q=cpu{ service='api' }&per=second`,
			"sel:q=cpu%7Bservice%3D%22api%22%7D&from=1790000000000&to=1790000060000&top=0.05&per=second"},
		{"sel:except=1790000010000-1790000020000&from=1790000000000&q=cpu", "sel:q=cpu&from=1790000000000&except=1790000010000-1790000020000"},
		{"sel:from=-1h&to=now", fmt.Sprintf("sel:from=%d&to=%d", now.Add(-time.Hour).UnixMilli(), now.UnixMilli())},
		{"sel:id=00112233445566778899AABBCCDDEEFF&sample_type=alloc_space",
			"sel:sample_type=alloc_space&id=00112233445566778899aabbccddeeff"},
	} {
		got, err := api.ParseSelection(test.id, now)
		if err != nil {
			t.Errorf("%s: %v", test.id, err)
			continue
		}
		if got.String() != test.want {
			t.Errorf("%s becomes %s, want %s", test.id, got, test.want)
		}
		if again, err := api.ParseSelection(got.String(), now); err != nil || again.String() != test.want {
			t.Errorf("%s reads as %v, %v", got, again, err)
		}
	}
}

// TestStoreErrors checks that errors of requests about the store name what is
// wrong.
func TestStoreErrors(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	top := func(id string) string { return "/api/v1/report/top?profile=" + url.QueryEscape(id) }
	api := `q=cpu%7Bservice%3D%22api%22%7D`
	for _, test := range []struct {
		target         string
		status         int
		param, message string
	}{
		{top("sel:q=cpu{"), 400, "profile", "at byte 4"},
		{top("sel:q=cpu&q=heap"), 400, "profile", "2 times"},
		{top("sel:colour=red"), 400, "profile", `unknown selection parameter "colour"`},
		{top("sel:%zz"), 400, "profile", "%zz"},
		{top("sel:from=yesterday"), 400, "profile", "yesterday"},
		{top("sel:from=2000000000000&to=1000000000000"), 400, "profile", "to must be after from"},
		{top("sel:top=0"), 400, "profile", "top"},
		{top("sel:top=1.5"), 400, "profile", "top"},
		{top("sel:top=NaN"), 400, "profile", "top"},
		{top("sel:id=12"), 400, "profile", "32 hexadecimal"},
		{top("sel:id=" + strings.Repeat("0", 32)), 400, "profile", "all its digits are 0"},
		{top("sel:except=5"), 400, "profile", "FROM-TO"},
		{top("sel:except=6-5"), 400, "profile", "after its start"},
		{top("sel:except=5-6&top=0.5"), 400, "profile", "top or id"},
		{top(`sel:q=cpu&except=1-1900000000000`), 404, "profile", "except 1970-01-01T00:00:00Z to 2030"},
		{top("sel:per=minute"), 400, "profile", "minute"},
		{top("sel:" + strings.Repeat("x", maxSelected)), 400, "profile", "longer"},
		{top(`sel:q={service="nosuch"}`), 404, "profile", `no profiles match {service="nosuch"}`},
		{top(`sel:q=memory{service="api"}`), 404, "profile", `no profiles match memory{service="api"}: there are profiles of other kinds: cpu, heap`},
		{top(`sel:q=memory{service="nosuch"}`), 404, "profile", `no profiles match memory{service="nosuch"}`},
		{top(`sel:q={service="api"}`), 422, "profile", "profiles have no sample type in common: samples, cpu and alloc_objects, alloc_space, inuse_objects, inuse_space; select one kind"},
		{"/api/v1/report/top?profile=sel:q%3Dcpu&base=" + url.QueryEscape(`sel:q={service="nosuch"}`), 404, "base", "nosuch"},
		{"/api/v1/report/top?profile=" + servertest.Sel(servertest.Between("heap", 0, 10, "per", "second")), 400, "profile", "no duration"},
		{"/api/v1/profiles/sel%3Aq%3D%7B", 400, "profile", "selector"},
		{"/api/v1/pprof?" + api, 404, "profile", "no profiles"}, // of the last hour
		{"/api/v1/pprof?q=%7B", 400, "q", "selector"},
		{"/api/v1/pprof?colour=red", 400, "colour", "unknown parameter"},
		{"/api/v1/pprof?seconds=x", 400, "seconds", "x"},
		{"/api/v1/pprof?to=x", 400, "to", "x"},
		{"/api/v1/series?step=0", 400, "step", "0"},
		{"/api/v1/series?step=1ms&from=-1h", 400, "step", "more than 10000"},
		{"/api/v1/series?points=0", 400, "points", "0"},
		{"/api/v1/series?by=a%07b", 400, "by", `"a\ab"`},
		{"/api/v1/series?by=a,b,c,d,e,f,g,h,i,j,k", 400, "by", "the limit is 10"},
		{"/api/v1/series?limit=0", 400, "limit", "0"},
		{"/api/v1/series?top=2", 400, "top", "2"},
		{"/api/v1/series?from=5&from=6", 400, "from", "2 times"},
		{"/api/v1/records?limit=1000000", 400, "limit", "100000"},
		{"/api/v1/records?id=zz", 400, "id", "zz"},
		{"/api/v1/labels?name=a%07b", 400, "name", `"a\ab"`},
		{"/api/v1/labels?per=second", 400, "per", "unknown"},
		{"/api/v1/services?from=x", 400, "from", "x"},
		{"/api/v1/history?order=size", 400, "order", "size"},
		{"/api/v1/history?focus=(", 400, "focus", "missing closing"},
		{"/api/v1/history?limit=101", 400, "limit", "101"},
		{"/api/v1/history?points=501", 400, "points", "501"},
		{"/api/v1/history?" + strings.Repeat("function=f&", 101), 400, "function", "101"},
		{"/api/v1/history?" + strings.Repeat("with=f&", 101), 400, "with", "101"},
		{"/api/v1/history?rank=size", 400, "rank", `invalid rank "size": use share or change or first or growth`},
		{"/api/v1/history?sort=flat", 400, "sort", "unknown"},
		{"/api/v1/heat?limit=101", 400, "limit", "100"},
		{"/api/v1/heat?points=501", 400, "points", "500"},
		{"/api/v1/heat?step=1s&from=-1h", 400, "step", "more than 500"},
		{"/api/v1/heat?by=a%07b", 400, "by", `"a\ab"`},
		{"/api/v1/heat?values=2", 400, "values", "use 1"},
		{"/api/v1/heat?values=1&by=zone", 400, "by", "either"},
		{"/api/v1/heat?top=0.5", 400, "top", "unknown"},
		{"/api/v1/heat?" + servertest.Between(`{service="api"}`, 0, 10).Encode(), 422, "q", "select one kind"},
		{"/api/v1/markers?to=x", 400, "to", "x"},
	} {
		t.Run(fmt.Sprintf("%.80s", test.target), func(t *testing.T) {
			servertest.Fails(t, l.Do("GET", test.target, ""), test.status, test.param, test.message)
		})
	}
	plain := servertest.NewSite(t, nil)
	servertest.Fails(t, plain.Do("GET", top("sel:q=cpu"), ""), 404, "profile", "hone serve")
	servertest.Fails(t, plain.Do("GET", "/api/v1/series", ""), 404, "", "/api/v1/series")
}

// A merged profile is compressed by the faster package: the other takes longer than merging does.
func TestMergedProfileIsCompressedFast(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	body := l.Get("/api/v1/pprof?" + servertest.Between(`cpu{service="api"}`, 0, 10).Encode())
	p, err := profile.DecodeBytes([]byte(body), profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var fast, small bytes.Buffer
	if err := errors.Join(p.EncodeFast(&fast), p.Encode(&small)); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(fast.Bytes(), small.Bytes()) {
		t.Fatal("both ways to compress the profile give the same bytes: the test can't tell")
	}
	if body != fast.String() {
		t.Errorf("%d bytes, not the %d of EncodeFast; Encode's are %d", len(body), fast.Len(), small.Len())
	}
}

func TestPrepareAsksForTheLatest(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Prepare(t.Context())
	if n := l.Store.Merges.Load(); n != 0 {
		t.Errorf("%d flame graphs of an empty store", n)
	}
	minute := int(time.Since(servertest.Start)/time.Minute) - 30
	for n, service := range []string{"api", "shop", "worker", "old", "older"} {
		l.Put(servertest.CPU1, minute-n, 10*time.Second, store.LabelService, service, store.LabelKind, "cpu")
		l.Put(servertest.Heap, minute-n, 0, store.LabelService, service, store.LabelKind, "heap")
	}
	l.Prepare(t.Context())
	if n := l.Store.Merges.Load(); n != stored.PreparedServices {
		t.Errorf("%d flame graphs were made in advance, want %d", n, stored.PreparedServices)
	}
	for _, service := range []string{"api", "shop", "worker"} { // the answers given aren't those of now
		l.Put(servertest.CPU2, minute+1, 10*time.Second, store.LabelService, service, store.LabelKind, "cpu")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	l.Prepare(ended)
	if n := l.Store.Merges.Load(); n != stored.PreparedServices {
		t.Errorf("%d flame graphs were made after the end", n-stored.PreparedServices)
	}
	l.Prepare(t.Context())
	if n := l.Store.Merges.Load(); n != 2*stored.PreparedServices {
		t.Errorf("%d flame graphs were made when there was something new, want %d", n-stored.PreparedServices, stored.PreparedServices)
	}
}

// TestSelectionIsFreshAndKept checks both ends of caching: a selection is merged
// once while its profiles are the same, and anew as soon as one comes.
func TestSelectionIsFreshAndKept(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	id := servertest.Sel(servertest.Between(`cpu{service="api"}`, 0, 10))
	total := func() int64 {
		return servertest.Decode[struct{ Report report.Top }](t, l.Get("/api/v1/report/top?trim=false&profile="+id)).Report.Total.Value
	}
	want := 2*servertest.ValueOf(t, servertest.CPU1) + servertest.ValueOf(t, servertest.CPU2)
	for range 3 {
		if got := total(); got != want {
			t.Fatalf("the total is %d, want %d", got, want)
		}
		l.Get("/api/v1/report/flame?profile=" + id)
		l.Get("/api/v1/report/tree?profile=" + id)
	}
	if n := l.Store.Merges.Load(); n != 1 {
		t.Errorf("the store merged %d times for one selection, want once", n)
	}
	l.Put(servertest.CPU2, 3, time.Second, "service", "web", "kind", "cpu") // none of it
	if total(); l.Store.Merges.Load() != 1 {
		t.Errorf("a profile of another service made the store merge again")
	}
	l.Put(servertest.CPU2, 4, time.Second, "service", "api", "kind", "cpu")
	if got := total(); got != want+servertest.ValueOf(t, servertest.CPU2) {
		t.Errorf("after one more profile the total is %d, want %d", got, want+servertest.ValueOf(t, servertest.CPU2))
	}
}

// The first question about a selection asks the store once: merging tells the totals.
// Later ones ask whether the totals are still the same.
func TestSelectionAsksOnce(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	of := servertest.Sel(servertest.Between(`cpu{service="api"}`, 0, 10))
	for i, test := range []struct{ target, what string }{
		{"/api/v1/report/flame?profile=" + of, "the first view"},
		{"/api/v1/report/tree?profile=" + of, "another view"},
		{"/api/v1/report/flame?profile=" + of, "the first view again"},
	} {
		merges, totals := l.Store.Merges.Load(), l.Store.Totals.Load()
		l.Get(test.target)
		merges, totals = l.Store.Merges.Load()-merges, l.Store.Totals.Load()-totals
		if first := i == 0; first && (merges != 1 || totals != 0) || !first && (merges != 0 || totals != 1) {
			t.Errorf("%s merged %d times and asked for totals %d times", test.what, merges, totals)
		}
	}
}

// What joins another one's question sees what was put before it asked, although that one
// may have asked the store before.
func TestSelectionJoinsFresh(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	of := "/api/v1/report/top?trim=false&profile=" + servertest.Sel(servertest.Between(`cpu{service="api"}`, 0, 10))
	total := func() int64 {
		return servertest.Decode[struct{ Report report.Top }](t, l.Get(of)).Report.Total.Value
	}
	merged, goOn := make(chan bool), make(chan bool)
	var once sync.Once
	l.Store.Merged = func() {
		once.Do(func() {
			close(merged)
			<-goOn
		})
	}
	var first, second int64
	var asking sync.WaitGroup
	asking.Go(func() { first = total() })
	<-merged
	l.Put(servertest.CPU2, 4, time.Second, "service", "api", "kind", "cpu")
	asking.Go(func() { second = total() })
	time.Sleep(50 * time.Millisecond) // it has joined by then, or asks later and tests less
	close(goOn)
	asking.Wait()
	if want := first + servertest.ValueOf(t, servertest.CPU2); second != want {
		t.Errorf("who asked after a profile was put was told %d, want %d", second, want)
	}
}

// Both sides are merged in parallel, once each, however little is kept. The head has two
// instances, which are merged to see how much they differ.
func TestComparisonMergesOnce(t *testing.T) {
	for _, parallel := range []int{1, 2} {
		l := servertest.NewLive(t, func(c *servertest.Config) { c.Limits.CacheBytes, c.Limits.Parallel = 1, parallel })
		l.Fill()
		l.Get("/api/v1/report/flame?profile=" + servertest.Sel(servertest.Between(`cpu{service="api"}`, 0, 10)) + "&base=" + servertest.Sel(servertest.Between(`cpu{service="api"}`, 0, 2)))
		if n := l.Store.Merges.Load(); n != 4 {
			t.Errorf("with %d processors a comparison merged %d times, want 4", parallel, n)
		}
		if n := l.Queries().Running; n != 0 {
			t.Errorf("with %d processors, %d are still taken", parallel, n)
		}
	}
}

func TestSelectionsCompare(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	v1, v2 := servertest.Sel(servertest.Between(`cpu{version="v1"}`, 0, 10)), servertest.Sel(servertest.Between(`cpu{version="v2"}`, 0, 10))
	d := servertest.Decode[struct {
		Report struct {
			Rows []struct{ Name string } `json:"rows"`
		}
		Rows int
	}](t, l.Get("/api/v1/report/diff?profile="+v2+"&base="+v1))
	if d.Rows == 0 || len(d.Report.Rows) == 0 {
		t.Error("the comparison has no rows")
	}
	f := servertest.Decode[struct {
		Report struct {
			Diff  bool            `json:"diff"`
			Total report.Quantity `json:"total"`
		}
	}](t, l.Get("/api/v1/report/flame?profile="+v2+"&base="+v1)).Report
	if !f.Diff || f.Total.Value != servertest.ValueOf(t, servertest.CPU2) {
		t.Errorf("the flame graph of the comparison: %+v", f)
	}
}

// TestPer checks that averages have the totals they should, to the unit.
func TestPer(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	total := 2*servertest.ValueOf(t, servertest.CPU1) + servertest.ValueOf(t, servertest.CPU2)
	for _, test := range []struct {
		per      string
		want     float64
		duration time.Duration
	}{
		{"sum", float64(total), 30 * time.Second},
		{"profile", float64(total) / 3, 10 * time.Second},
		{"second", float64(total) / 30, time.Second},
	} {
		body := l.Get("/api/v1/pprof?" + servertest.Between(`cpu{service="api"}`, 0, 10, "per", test.per).Encode())
		p, err := profile.DecodeBytes([]byte(body), profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		i, _ := p.SampleIndex("")
		if got := float64(servertest.Sum(p.Values[i])); got-test.want > 0.5 || test.want-got > 0.5 {
			t.Errorf("per %s the sum is %v, want %v", test.per, got, test.want)
		}
		if p.DurationNanos != int64(test.duration) {
			t.Errorf("per %s the duration is %d, want %s", test.per, p.DurationNanos, test.duration)
		}
		over := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between(`cpu{service="api"}`, 0, 10, "per", test.per, "points", "1").Encode()))
		if got, _ := over.Series[0].Total.Value.(float64); got-test.want > 0.01 || test.want-got > 0.01 {
			t.Errorf("per %s the series has the total %v, want %v", test.per, got, test.want)
		}
	}
	heapOver := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between("heap", 0, 10, "per", "second").Encode()))
	if heapOver.Series[0].Value[0] != nil || len(heapOver.Warnings) != 1 {
		t.Errorf("a rate of profiles of a moment: %+v", heapOver)
	}
	for q, want := range map[string]string{"{}": "The profiles selected measure different things", "heap": "The profiles selected have no duration"} {
		over := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between(q, 0, 10, "per", "second").Encode()))
		if len(over.Warnings) != 1 || !strings.HasPrefix(over.Warnings[0], want) {
			t.Errorf("of %s it is said %q, want %q", q, over.Warnings, want)
		}
	}
}

// TestRatesOfSomeDurations checks that values per second are of the profiles that have a
// duration, and that the others are named.
func TestRatesOfSomeDurations(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Put(servertest.CPU1, 0, 10*time.Second, "service", "api", "kind", "cpu")
	ask := func() (sum int64, over *api.OverTime, warnings []string) {
		t.Helper()
		v := servertest.Between(`cpu{service="api"}`, 0, 10, "per", "second")
		p, err := profile.DecodeBytes([]byte(l.Get("/api/v1/pprof?"+v.Encode())), profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		i, _ := p.SampleIndex("")
		v.Set("points", "1")
		o := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+v.Encode()))
		return servertest.Sum(p.Values[i]), &o, p.Warnings()
	}
	want, overWant, warnings := ask()
	if len(warnings)+len(overWant.Warnings) > 0 {
		t.Errorf("all have a duration: %q, %q", warnings, overWant.Warnings)
	}
	for minute := range 3 {
		l.Put(servertest.CPU2, minute+1, 0, "service", "api", "kind", "cpu")
	}
	got, over, warnings := ask()
	if got != want || over.Series[0].Total.Value != overWant.Series[0].Total.Value {
		t.Errorf("with three that have no duration: %d and %v per second, want %d and %v", got, over.Series[0].Total.Value, want, overWant.Series[0].Total.Value)
	}
	const says = "3 of 4 profiles have no duration and are left out"
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], says) || len(over.Warnings) != 1 || !strings.Contains(over.Warnings[0], says) {
		t.Errorf("it is said %q and %q", warnings, over.Warnings)
	}
}

// TestMomentsAreAveraged checks that values of a moment are averaged unless the request says
// otherwise, that this is said, and that others are added up.
func TestMomentsAreAveraged(t *testing.T) {
	l := servertest.NewLive(t, nil)
	heap := servertest.Testdata(t, servertest.Heap)
	for minute, scale := range []float64{1, 3} {
		// With a duration, as agents send them.
		l.PutProfile(profile.Scale(heap, scale), minute, 10*time.Second, "service", "api", "kind", "heap")
	}
	for _, of := range []struct {
		sampleType, per string
		times           int64 // the first profile's
		said            bool
	}{
		{"inuse_space", "", 2, true},
		{"inuse_space", "sum", 4, false},
		{"inuse_space", "profile", 2, false},
		{"alloc_space", "", 4, false},
	} {
		v := servertest.Between("heap", 0, 10, "sample_type", of.sampleType)
		if of.per != "" {
			v.Set("per", of.per)
		}
		i, err := heap.SampleIndex(of.sampleType)
		if err != nil {
			t.Fatal(err)
		}
		want := of.times * servertest.Sum(heap.Values[i])
		const says = "inuse_space: average of 2 profiles (per=sum adds them up)"

		p, err := profile.DecodeBytes([]byte(l.Get("/api/v1/pprof?"+v.Encode())), profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := servertest.Sum(p.Values[0]); got != want || slices.Contains(p.Comments, says) != of.said {
			t.Errorf("%s per %q: %d with %q, want %d", of.sampleType, of.per, got, p.Comments, want)
		}
		if text := l.Get("/api/v1/report/top?format=text&profile=" + servertest.Sel(v)); strings.Contains(text, says) != of.said {
			t.Errorf("%s per %q: said is not %v in\n%.300s", of.sampleType, of.per, of.said, text)
		}
		v.Set("points", "1")
		over := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+v.Encode()))
		if got := over.Series[0].Total.Value; got != float64(want) || strings.Contains(strings.Join(over.Warnings, ""), says) != of.said {
			t.Errorf("%s per %q: the series has %v and %q, want %d", of.sampleType, of.per, got, over.Warnings, want)
		}
	}
	// Of a service, the default sample type, which is in use.
	services := servertest.Decode[struct{ Services []api.Service }](t, l.Get("/api/v1/services"))
	i, _ := heap.SampleIndex("inuse_space")
	if got, want := services.Services[0].Kinds[0], float64(2*servertest.Sum(heap.Values[i])); got.Type != "inuse_space" || got.Value != want {
		t.Errorf("the kind of the service is told as %+v, want %v", got, want)
	}
}

// TestDeleteService checks that a service that was deleted is nowhere any more, and that
// others stay.
func TestDeleteService(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	services := func() string { return l.Get("/api/v1/labels?" + servertest.Between("{}", 0, 10).Encode()) }
	flame := "/api/v1/report/top?profile=" + servertest.Sel(servertest.Between(`cpu{service="web"}`, 0, 10))
	l.Get(flame) // is kept
	servertest.Fails(t, l.Do("DELETE", "/api/v1/services", ""), 400, "service", "missing")
	servertest.Fails(t, l.Do("DELETE", "/api/v1/services?service=web&dry_run=perhaps", ""), 400, "dry_run", "true or false")
	servertest.Fails(t, l.Do("DELETE", "/api/v1/services?service=none", ""), 404, "", "none")
	for _, dry := range []bool{true, false} {
		got := servertest.Decode[api.DeletedService](t, servertest.Body(t, l.Do("DELETE", fmt.Sprint("/api/v1/services?service=web&dry_run=", dry), "")))
		if want := (api.DeletedService{Service: "web", Profiles: 1, Deleted: !dry}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if is := strings.Contains(services(), `"web"`); is != dry {
			t.Errorf("after dry %v it is among the labels: %v", dry, is)
		}
	}
	servertest.Fails(t, l.Do("GET", flame, ""), 404, "profile", "no profiles match")
	for _, m := range l.Markers.List(auth.Anyone, "", 0, 0) {
		if m.Service == "web" {
			t.Errorf("there is a marker: %+v", m)
		}
	}
	if !strings.Contains(services(), `"api"`) {
		t.Errorf("another service is gone: %s", services())
	}
}

// TestRates checks that CPU time per second is in cores, but for texts that are what go
// tool pprof prints.
func TestRates(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	for per, want := range map[string]bool{"sum": false, "profile": false, "second": true} {
		of := "profile=" + servertest.Sel(servertest.Between(`cpu{service="api"}`, 0, 10, "per", per))
		for _, path := range []string{
			"top?" + of, "peek?match=.&" + of, "graph?" + of, "tags?" + of, "summary?" + of, "flame?" + of, "flame?format=svg&" + of,
			"flame/search?query=.&" + of, "diff?" + of + strings.Replace("&"+of, "&profile", "&base", 1),
		} {
			if got := rate.MatchString(l.Get("/api/v1/report/" + path)); got != want {
				t.Errorf("whether values of %s per %s are in cores: %v", path, per, got)
			}
		}
		if text := l.Get("/api/v1/report/top?format=text&" + of); rate.MatchString(text) {
			t.Errorf("per %s the text has a rate: %.200s", per, text)
		}
	}
}

var rate = regexp.MustCompile(`\d cores?\b`)

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
		if got := stored.Divided(test.column, test.by); !slices.Equal(got, test.want) {
			t.Errorf("%v divided by %v is %v, want %v", test.column, test.by, got, test.want)
		}
	}
}

func TestWeight(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	v := servertest.Between(`cpu{service="api"}`, 0, 10, "top", "0.34")
	got := servertest.Decode[struct{ Profile api.Info }](t, l.Get("/api/v1/profiles/"+url.PathEscape(api.SelectionPrefix+v.Encode()))).Profile.Selection
	if got.Profiles != 2 { // 34 % of 3, rounded up
		t.Errorf("the top 34 %% of 3 profiles are %d", got.Profiles)
	}
	r := servertest.Decode[api.Records](t, l.Get("/api/v1/records?"+servertest.Between("cpu", 0, 10, "top", "0.01").Encode()))
	if len(r.ID) != 1 || r.Value[0] != max(servertest.ValueOf(t, servertest.CPU1), servertest.ValueOf(t, servertest.CPU2)) {
		t.Errorf("the most expensive of all profiles: %+v", r)
	}
}

func TestSeries(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	over := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between(`cpu{service="api"}`, 0, 10, "step", "2m", "by", "version").Encode()))
	if over.Step != 120_000 || over.From != servertest.Start.UnixMilli() || over.Left != 0 || len(over.Series) != 2 {
		t.Fatalf("%+v", over)
	}
	one := over.Series[0]
	if one.Labels["version"] != "v1" || one.Type != "cpu" || one.Unit != "nanoseconds" || !slices.Equal(one.Time, []int64{servertest.Start.UnixMilli()}) ||
		one.Value[0] != float64(2*servertest.ValueOf(t, servertest.CPU1)) || one.Profiles[0] != 2 || one.Duration[0] != int64(20*time.Second) {
		t.Errorf("the series of v1: %+v", one)
	}
	if two := over.Series[1]; two.Labels["version"] != "v2" || two.Time[0] != servertest.Start.Add(2*time.Minute).UnixMilli() {
		t.Errorf("the series of v2: %+v", two)
	}
	// What stands for the group's profile has just its profiles.
	top := servertest.Decode[struct{ Report report.Top }](t, l.Get("/api/v1/report/top?profile="+url.QueryEscape(one.Profile)))
	if top.Report.Total.Value != 2*servertest.ValueOf(t, servertest.CPU1) {
		t.Errorf("the profile of the group has the total %v", top.Report.Total)
	}
	// Labels that are absent group too, and can be told from all.
	zones := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between("cpu", 0, 10, "by", "zone", "limit", "2").Encode()))
	if zones.Left != 1 || len(zones.Series) != 2 {
		t.Errorf("2 of 3 zones: %+v", zones)
	}
	for _, s := range servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between("cpu", 0, 10, "by", "zone").Encode())).Series {
		if _, has := s.Labels["zone"]; !has {
			if got := servertest.Decode[struct{ Profile api.Info }](t, l.Get("/api/v1/profiles/"+url.PathEscape(s.Profile))).Profile.Selection.Profiles; got != 1 {
				t.Errorf("%d profiles without a zone, want 1", got)
			}
		}
	}
	mixed := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between("{}", 0, 10, "points", "1").Encode()))
	if len(mixed.Warnings) != 1 || mixed.Series[0].Type != "" {
		t.Errorf("cpu and heap added up: %+v", mixed)
	}
	none := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between(`{service="nosuch"}`, 0, 10).Encode()))
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
		got := stored.AutoStep(test.length, test.points)
		if got != test.want || int64(test.length/got) >= int64(test.points) {
			t.Errorf("%s in %d windows: steps of %s, want %s", test.length, test.points, got, test.want)
		}
	}
}

func TestRecords(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	id := l.Put(servertest.CPU2, 9, 10*time.Second, "service", "api", "kind", "cpu", "pod", "x")
	r := servertest.Decode[api.Records](t, l.Get("/api/v1/records?"+servertest.Between(`cpu{service="api"}`, 0, 10, "limit", "2").Encode()))
	if !r.More || len(r.ID) != 2 || r.Time[0] != servertest.Start.Add(9*time.Minute).UnixMilli() || r.Time[1] != servertest.Start.Add(2*time.Minute).UnixMilli() {
		t.Fatalf("the latest two of four: %+v", r)
	}
	if r.ID[0] != fmt.Sprintf("%x", id) || r.Labels[r.Series[0]].Labels["pod"] != "x" || r.Labels[r.Series[0]].Type != "cpu" {
		t.Errorf("the latest: %+v", r)
	}
	single := servertest.Decode[struct{ Profile api.Info }](t, l.Get("/api/v1/profiles/"+url.PathEscape(r.Profile[0]))).Profile
	if single.Selection.Profiles != 1 || single.Selection.ID != r.ID[0] {
		t.Errorf("the selection of a record: %+v", single.Selection)
	}
	all := servertest.Decode[api.Records](t, l.Get("/api/v1/records"))
	if all.More || len(all.ID) != 6 {
		t.Errorf("all records: %+v", all)
	}
}

func TestLabelsAndServices(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	labels := servertest.Decode[struct{ Labels []api.Label }](t, l.Get("/api/v1/labels?limit=1")).Labels
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
	found := servertest.Decode[struct{ Labels []api.Label }](t, l.Get("/api/v1/labels?name=version&find=V7&limit=1")).Labels
	if len(found) != 1 || !slices.Equal(found[0].Values, []string{"v7"}) || found[0].More != 0 {
		t.Errorf("found by a text: %+v", found)
	}
	one := servertest.Decode[struct{ Labels []api.Label }](t, l.Get("/api/v1/labels?name=version&q=cpu")).Labels
	if len(one) != 1 || !slices.Equal(one[0].Values, []string{"v1", "v2", "v7"}) {
		t.Errorf("versions: %+v", one)
	}
	s := servertest.Decode[struct {
		Services []api.Service
		Left     int
	}](t, l.Get("/api/v1/services"))
	if len(s.Services) != 2 || s.Left != 0 {
		t.Fatalf("services: %+v", s)
	}
	api := s.Services[0]
	if api.Name != "api" || api.Profiles != 4 || len(api.Kinds) != 2 || len(api.Versions) != 2 || api.Versions[0].Version != "v2" {
		t.Errorf("service api: %+v", api)
	}
	if k := api.Kinds[0]; k.Kind != "cpu" || k.Type != "cpu" || k.Value != float64(2*servertest.ValueOf(t, servertest.CPU1)+servertest.ValueOf(t, servertest.CPU2)) || k.Profiles != 3 {
		t.Errorf("kind cpu of api: %+v", k)
	}
}

// TestNotes posts notes on selections and single profiles, and finds them by these.
func TestNotes(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	notes := func(id string) []api.Marker {
		return servertest.Decode[struct{ Markers []api.Marker }](t, l.Get("/api/v1/markers?profile="+url.QueryEscape(id))).Markers
	}
	post := func(id, text string) *http.Response {
		body, err := json.Marshal(map[string]string{"profile": id, "text": text})
		if err != nil {
			t.Fatal(err)
		}
		return l.Do("POST", "/api/v1/markers", string(body))
	}
	id := api.SelectionPrefix + servertest.Between(`cpu{service="api"}`, 0, 10).Encode()
	hostile := `<script>window.stolen = 1</script> "'` + "\u202e"
	posted := servertest.Decode[api.Marker](t, servertest.Body(t, post(id, hostile)))
	if posted.Text != hostile || posted.Service != "api" {
		t.Fatalf("posted %+v", posted)
	}
	// However the same profiles are shown.
	if got := notes(id + "&per=second&top=0.5&sample_type=samples"); len(got) != 1 || got[0].ID != posted.ID {
		t.Errorf("notes on the selection: %+v", got)
	}
	if got := notes(api.SelectionPrefix + servertest.Between(`cpu{service="api"}`, 0, 9).Encode()); len(got) != 0 {
		t.Errorf("notes on another time: %+v", got)
	}
	single := api.SelectionPrefix + "id=" + servertest.Decode[api.Records](t, l.Get("/api/v1/records?"+servertest.Between(`cpu{service="api"}`, 0, 10).Encode())).ID[0]
	if got := servertest.Decode[api.Marker](t, servertest.Body(t, post(single, strings.Repeat("n", stored.MaxNoteText)))); got.Service != "api" || got.Profile != single {
		t.Errorf("a note on a profile: %+v", got)
	}
	if got := notes(single); len(got) != 1 {
		t.Errorf("notes on the profile: %+v", got)
	}
	servertest.Fails(t, post(id, strings.Repeat("n", stored.MaxNoteText+1)), 400, "text", "longer")
	servertest.Fails(t, post(id, ""), 400, "text", "a version or a text")
	servertest.Fails(t, post("0123456789abcdef01234567", "x"), 400, "profile", "sel:")
	servertest.Fails(t, post(api.SelectionPrefix+"x=y", "x"), 400, "profile", "unknown selection parameter")
	servertest.Fails(t, post(api.SelectionPrefix+"id="+strings.Repeat("1", 32), "x"), 404, "", "no profile")
}

func TestMarkers(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	list := func(query string) []api.Marker {
		return servertest.Decode[struct{ Markers []api.Marker }](t, l.Get("/api/v1/markers"+query)).Markers
	}
	all := list("")
	if len(all) != 3 || all[0].Version != "v1" || all[0].Time != servertest.Start.UnixMilli() || all[0].Posted {
		t.Fatalf("the first profiles of versions: %+v", all)
	}
	l.Put(servertest.CPU1, -5, time.Second, "service", "api", "kind", "cpu", "version", "v1") // late
	if all = list("?service=api"); len(all) != 2 || all[0].Time != servertest.Start.Add(-5*time.Minute).UnixMilli() {
		t.Errorf("after an earlier profile of v1: %+v", all)
	}
	resp := l.Do("POST", "/api/v1/markers", fmt.Sprintf(`{"service":"api","text":"incident <b>","time":%d}`, servertest.Start.UnixMilli()))
	posted := servertest.Decode[api.Marker](t, servertest.Body(t, resp))
	if resp.StatusCode != 201 || !posted.Posted || posted.ID == "" || posted.Time != servertest.Start.UnixMilli() {
		t.Fatalf("%s: %+v", resp.Status, posted)
	}
	if all = list("?service=api"); len(all) != 3 {
		t.Errorf("with the posted one: %+v", all)
	}
	for _, test := range []struct {
		body           string
		param, message string
	}{
		{`[]`, "", "invalid body"},
		{`{"service":"api"}`, "text", "a version or a text"},
		{`{"text":"x","time":"tomorrow"}`, "time", "tomorrow"},
		{`{"text":"a\u0000b"}`, "text", "control characters"},
		{`{"text":"` + strings.Repeat("x", stored.MaxMarkerText+1) + `"}`, "text", "longer"},
	} {
		servertest.Fails(t, l.Do("POST", "/api/v1/markers", test.body), 400, test.param, test.message)
	}
	// They outlast the server; versions that the file lacks are found in the store.
	l.Markers.Close()
	again, err := stored.OpenMarkers(t.Context(), l.Config.Continuous.MarkersFile, l.Store, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	if got := again.List(auth.Anyone, "", 0, 0); len(got) != 4 {
		t.Errorf("after a restart: %+v", got)
	}
	// A damaged file is set aside, and versions are found in the store.
	again.Close()
	file, said := l.Config.Continuous.MarkersFile, ""
	if err := os.WriteFile(file, []byte(`{"version":1,"posted":[{`), 0o600); err != nil {
		t.Fatal(err)
	}
	without, err := stored.OpenMarkers(t.Context(), file, l.Store, func(text string) { said = text })
	if err != nil || !strings.Contains(said, file+".damaged") || !strings.Contains(said, "posted again") {
		t.Fatalf("with a damaged file: %v, and it is said %q", err, said)
	}
	if got := without.List(auth.Anyone, "", 0, 0); len(got) != 3 {
		t.Errorf("with a damaged file: %+v", got)
	}
	without.Close()
	found, err := stored.OpenMarkers(t.Context(), "", l.Store, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	if got := found.List(auth.Anyone, "", 0, 0); len(got) != 3 || got[0].Time != servertest.Start.Add(-5*time.Minute).UnixMilli() {
		t.Errorf("found in the store alone: %+v", got)
	}
	if r := l.Do("DELETE", "/api/v1/markers/"+posted.ID, ""); r.StatusCode != 204 {
		t.Errorf("removing: %s", r.Status)
	}
	servertest.Fails(t, l.Do("DELETE", "/api/v1/markers/"+posted.ID, ""), 404, "", posted.ID)
	servertest.Fails(t, l.Do("DELETE", "/api/v1/markers/v:api:v1", ""), 422, "id", "first profile")
}

func TestStatus(t *testing.T) {
	ready := error(nil)
	l := servertest.NewLive(t, func(c *servertest.Config) {
		c.Continuous.Ready = func() error { return ready }
		c.Continuous.Status = func() api.Status {
			return api.Status{Notices: []api.Notice{{Level: api.LevelInfo, Text: "news"}}, Scrape: []api.Scraped{{Target: "a"}}}
		}
	})
	st := servertest.Decode[api.Status](t, l.Get("/api/v1/status"))
	if st.Version != "v1.2.3" || !st.Ready || st.Uptime <= 0 || st.Ingest == nil || len(st.Scrape) != 1 || st.Queries.Limit == 0 || st.User.By != string(auth.ByNothing) {
		t.Errorf("%+v", st)
	}
	if got := l.Get("/healthz"); got != "ok\n" {
		t.Errorf("healthz: %q", got)
	}
	ready = fmt.Errorf("the disk is full")
	r := l.Do("GET", "/readyz", "")
	if got := servertest.Body(t, r); r.StatusCode != 503 || !strings.Contains(got, "disk is full") {
		t.Errorf("readyz: %s %q", r.Status, got)
	}
	if st = servertest.Decode[api.Status](t, l.Get("/api/v1/status")); st.Ready || st.Notices[0].Level != api.LevelError || len(st.Notices) != 2 {
		t.Errorf("not ready: %+v", st.Notices)
	}
	metrics := l.Get("/metrics")
	for _, name := range []string{"hone_http_requests_total{", "hone_queries_running", "go_goroutines", `route="/api/v1/status"`} {
		if !strings.Contains(metrics, name) {
			t.Errorf("metrics lack %s", name)
		}
	}
}

// TestBrokenStore checks that what is the store's fault is not told as the
// request's.
func TestBrokenStore(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	l.Store.Store.Close()
	for _, target := range []string{
		"/api/v1/series", "/api/v1/labels", "/api/v1/services", "/api/v1/records", "/api/v1/history", "/api/v1/pprof", "/api/v1/report/top?profile=sel%3Aq%3Dcpu",
	} {
		servertest.Fails(t, l.Do("GET", target, ""), 503, "", "shutting down")
	}
}

// TestPatternCost checks that patterns that would take long are refused wherever
// they can be given.
func TestPatternCost(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	costly := strings.Repeat("(x?){100}", 30)
	cpu := "profile=" + servertest.Sel(servertest.Between("cpu", 0, 10)) + "&"
	for _, target := range []string{
		"/api/v1/report/top?" + cpu + "focus=" + costly,
		"/api/v1/report/top?" + cpu + "hide=" + costly,
		"/api/v1/report/top?" + cpu + "tagfocus=" + url.QueryEscape("k=a,"+costly),
		"/api/v1/report/peek?" + cpu + "match=" + costly,
		"/api/v1/report/flame/search?" + cpu + "query=" + costly,
		"/api/v1/labels?q=" + url.QueryEscape(`{a=~"`+costly+`"}`),
		"/api/v1/report/top?profile=" + servertest.Sel(servertest.Between(`cpu{a=~"`+costly+`"}`, 0, 10)),
		"/pyroscope/render?query=" + url.QueryEscape(`process_cpu:cpu:nanoseconds:cpu:nanoseconds{a=~"`+costly+`"}`),
	} {
		target = strings.ReplaceAll(target, "?)", "%3F)")
		r := l.Do("GET", target, "")
		if text := servertest.Body(t, r); r.StatusCode != 400 || !strings.Contains(text, "500 steps") || len(text) > 1000 {
			t.Errorf("%.100s: %s: %s", target, r.Status, text)
		}
	}
}

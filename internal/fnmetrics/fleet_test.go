package fnmetrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// start is when the tests take place: a full minute.
var start = time.Unix(20_000*24*3600, 0)

// A fleet is a store with profiles of tests.
type fleet struct {
	t    *testing.T
	st   store.Store
	next byte
}

func newFleet(t *testing.T) *fleet { return &fleet{t: t, st: storetest.NewModel()} }

// put stores a profile that begins some seconds after the start. stacks have values by
// frames, outermost first. Labels are names and values.
func (f *fleet) put(after, duration time.Duration, typ profile.ValueType, stacks map[string]int64, labels ...string) {
	f.t.Helper()
	b := profile.NewBuilder(typ)
	for text, v := range stacks {
		var locations []uint32
		for name := range strings.SplitSeq(text, ";") {
			fn := b.Function(name, name, "", 0)
			locations = append([]uint32{b.Location(0, 0, profile.Line{Function: fn})}, locations...)
		}
		b.Sample(locations, nil, v)
	}
	var ls []store.Label
	for i := 0; i < len(labels); i += 2 {
		ls = append(ls, store.Label{Name: labels[i], Value: labels[i+1]})
	}
	sorted, err := store.NewLabels(ls...)
	if err != nil {
		f.t.Fatal(err)
	}
	f.next++
	r := store.Record{ID: store.ID{f.next}, Labels: sorted, Time: start.Add(after).UnixNano(), Duration: int64(duration), Profile: b.Profile()}
	if err := f.st.Put(f.t.Context(), []store.Record{r}); err != nil {
		f.t.Fatal(err)
	}
}

var (
	cpu   = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	inuse = profile.ValueType{Type: "inuse_space", Unit: "bytes"}
	alloc = profile.ValueType{Type: "alloc_space", Unit: "bytes"}
	delay = profile.ValueType{Type: "delay", Unit: "nanoseconds"}
	leaks = profile.ValueType{Type: "goroutineleak", Unit: "count"}
)

// fill stores two instances of shop and one of web, each a minute's profiles.
func (f *fleet) fill() {
	shop := map[string]int64{"main.main;encoding/json.Marshal": 4e9, "main.main;encoding/json.Marshal;strconv.Quote": 2e9, "main.main": 4e9}
	f.put(0, 10*time.Second, cpu, shop, "service", "shop", "kind", "cpu", "instance", "a")
	f.put(30*time.Second, 10*time.Second, cpu, shop, "service", "shop", "kind", "cpu", "instance", "a")
	f.put(5*time.Second, 10*time.Second, cpu, shop, "service", "shop", "kind", "cpu", "instance", "b")
	f.put(0, 10*time.Second, cpu, map[string]int64{"main.main": 1e9}, "service", "web", "kind", "cpu", "instance", "c")
	heap := map[string]int64{"main.main;main.load": 3000, "main.main": 1000}
	f.put(0, 0, inuse, heap, "service", "shop", "kind", "heap", "instance", "a")
	f.put(10*time.Second, 0, inuse, heap, "service", "shop", "kind", "heap", "instance", "a")
	f.put(10*time.Second, 0, inuse, heap, "service", "shop", "kind", "heap", "instance", "b")
	f.put(0, 20*time.Second, alloc, map[string]int64{"main.load": 4000}, "service", "shop", "kind", "allocs", "instance", "a")
	f.put(0, 20*time.Second, delay, map[string]int64{"main.lock": 5e9}, "service", "shop", "kind", "mutex", "instance", "a")
	f.put(0, 0, leaks, map[string]int64{"main.leak": 7}, "service", "shop", "kind", "goroutineleak", "instance", "a")
}

// plan returns rules with a budget that needs no pauses.
func (f *fleet) plan(limit int, rules ...fnmetrics.RuleConfig) *fnmetrics.Plan {
	f.t.Helper()
	p, err := fnmetrics.Compile(fnmetrics.Config{Limit: limit, Budget: 1, Rules: rules})
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

// after is some time after the start.
func after(d time.Duration) time.Time { return start.Add(d) }

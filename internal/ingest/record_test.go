package ingest_test

import (
	"testing"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

func TestLabels(t *testing.T) {
	h, r, _ := newHub(func(cfg *ingest.Config) { cfg.MaxValue = 10 })
	l := func(name, value string) store.Label { return store.Label{Name: name, Value: value} }
	for _, test := range []struct {
		name   string
		labels []store.Label
		peer   string
		want   string
	}{
		{"none", nil, "", `{kind="samples", service="unknown"}`},
		{"the peer is the instance", nil, "10.0.0.1", `{instance="10.0.0.1", kind="samples", service="unknown"}`},
		{"unless there is one", []store.Label{l("instance", "a")}, "10.0.0.1", `{instance="a", kind="samples", service="unknown"}`},
		{"empty is none", []store.Label{l("instance", ""), l("service", ""), l("zone", "")}, "p", `{instance="p", kind="samples", service="unknown"}`},
		{"the last one counts", []store.Label{l("service", "a"), l("service", "b")}, "", `{kind="samples", service="b"}`},
		{"names are UTF-8", []store.Label{l("a b/c", "1"), l("9x", "2"), l("ä", "3"), l("k8s.pod-name", "4"), l(`"`, "5")}, "",
			`{"\""="5", "9x"="2", "a b/c"="1", k8s.pod-name="4", kind="samples", service="unknown", "ä"="3"}`},
		{"names are mended", []store.Label{l("", "1"), l("a\x1b[2J", "2"), l("\u202eb", "3"), l("c\xff", "4")}, "",
			`{_="1", "a�[2J"="2", "c�"="4", kind="samples", service="unknown", "�b"="3"}`},
		{"values are cut", []store.Label{l("a", "123456789äx"), l("b", "\xff"), l("c", "1234567890")}, "",
			`{a="123456789", b="�", c="1234567890", kind="samples", service="unknown"}`},
		{"nothing controls a terminal, or turns text", []store.Label{l("service", "a\x1b[2J\x00"), l("b", "\u202ex\n"), l("kind", "c\u0085")}, "",
			`{b="�x�", kind="c�", service="a�[2J�"}`},
		{"names that queries have for others", []store.Label{l("service_name", "x"), l("__name__", "y")}, "",
			`{exported___name__="y", exported_service_name="x", kind="samples", service="unknown"}`},
		{"a kind may be a label", []store.Label{l("kind", "wall")}, "", `{kind="wall", service="unknown"}`},
	} {
		ctx := t.Context()
		if test.peer != "" {
			ctx = ingest.WithPeer(ctx, test.peer)
		}
		if err := h.Receive(ctx, "test", ingest.Push{Data: encode(t, small()), Labels: test.labels}); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		records := r.take()
		if len(records) != 1 {
			t.Errorf("%s: got %d records", test.name, len(records))
			continue
		}
		if got := records[0].Labels.String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
	if n := h.Stats().Degraded[ingest.LabelCut]; n != 1 {
		t.Errorf("%d labels were counted as cut", n)
	}
}

func TestKindOf(t *testing.T) {
	v := func(names ...string) (types []profile.ValueType) {
		for _, n := range names {
			types = append(types, profile.ValueType{Type: n, Unit: "count"})
		}
		return types
	}
	for _, test := range []struct {
		types  []profile.ValueType
		period string
		deflt  string
		leaf   string
		want   string
	}{
		{v("samples", "cpu"), "cpu", "", "", "cpu"},
		{v("samples"), "cpu", "", "", "cpu"},
		{v("samples", "wall"), "", "", "", "wall"},
		{v("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"), "space", "", "", "heap"},
		{v("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"), "space", "inuse_space", "", "heap"},
		{v("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"), "space", "alloc_space", "", "allocs"},
		{v("inuse_space"), "", "", "", "heap"},
		{v("objects", "space"), "space", "", "", "heap"},
		{v("alloc_objects", "alloc_space"), "space", "", "", "allocs"},
		{v("contentions", "delay"), "contentions", "", "sync.(*Mutex).Unlock", "mutex"},
		{v("contentions", "delay"), "contentions", "", "sync.(*RWMutex).RUnlock", "mutex"},
		{v("contentions", "delay"), "contentions", "", "runtime.unlock", "mutex"},
		{v("contentions", "delay"), "contentions", "", "sync.(*Mutex).Lock", "block"},
		{v("contentions", "delay"), "contentions", "", "runtime.selectgo", "block"},
		{v("contentions", "delay"), "contentions", "", "", "contention"},
		{v("goroutine"), "goroutine", "", "", "goroutine"},
		{v("goroutines"), "", "", "", "goroutine"},
		{v("threadcreate"), "threadcreate", "", "", "threadcreate"},
		{v("a", "b"), "faults", "", "", "faults"},
		{v("a", "b"), "", "", "", "b"},
		{v(""), "", "", "", "unknown"},
	} {
		b := profile.NewBuilder(test.types...)
		if test.leaf != "" {
			b.Sample([]uint32{b.Location(1, 0, profile.Line{Function: b.Function(test.leaf, "", "", 0)})}, nil, make([]int64, len(test.types))...)
		}
		p := b.Profile()
		p.PeriodType.Type, p.DefaultSampleType = test.period, test.deflt
		if got := ingest.KindOf(p); got != test.want {
			t.Errorf("%v of %s, default %q, in %q: got %s, want %s", test.types, test.period, test.deflt, test.leaf, got, test.want)
		}
	}
}

// The time is the push's, else the profile's, else that of the arrival.
func TestTimes(t *testing.T) {
	at := func(d time.Duration) int64 { return now.Add(d).UnixNano() }
	of := func(start, duration int64) []byte {
		p := small()
		p.TimeNanos, p.DurationNanos = start, duration
		return encode(t, p)
	}
	for _, test := range []struct {
		name           string
		push           ingest.Push
		time, duration int64
		clock          bool
	}{
		{"push", ingest.Push{Data: of(1, 2), Time: 3, Duration: 4}, 3, 4, false},
		{"profile", ingest.Push{Data: of(1, 2)}, 1, 2, false},
		{"arrival", ingest.Push{Data: of(0, 0)}, at(0), 0, false},
		{"arrival at the end", ingest.Push{Data: of(0, int64(time.Minute))}, at(-time.Minute), int64(time.Minute), false},
		{"a clock that is a little fast", ingest.Push{Data: of(at(4*time.Minute), 5)}, at(4 * time.Minute), 5, false},
		{"from the future", ingest.Push{Data: of(at(6*time.Minute), 5)}, at(0) - 5, 5, true},
		{"long ago", ingest.Push{Data: of(-1000, 5)}, -1000, 5, false},
		{"negative duration", ingest.Push{Data: of(1000, -5)}, 1000, 0, true},
		{"absurd duration", ingest.Push{Data: of(1000, 1<<62)}, 1000, 0, true},
	} {
		h, r, _ := newHub(nil)
		before := h.Stats().Degraded[ingest.Clock]
		receive(t, h, test.push)
		got := r.take()[0]
		if got.Time != test.time || got.Duration != test.duration {
			t.Errorf("%s: got %d for %d, want %d for %d", test.name, got.Time, got.Duration, test.time, test.duration)
		}
		if counted := h.Stats().Degraded[ingest.Clock] > before; counted != test.clock {
			t.Errorf("%s: counted as clock: %v", test.name, counted)
		}
	}
}

// What is sent again is the same record, if it says when it was or has a key.
func TestSentAgain(t *testing.T) {
	h, r, c := newHub(nil)
	timeless, future := small(), small()
	future.TimeNanos = now.Add(time.Hour).UnixNano()
	for i, test := range []struct {
		push ingest.Push
		same bool
	}{
		{push(t, "heap.leak.pb.gz"), true},
		{ingest.Push{Data: encode(t, timeless)}, false},
		{ingest.Push{Profile: timeless, Labels: []store.Label{{Name: "service", Value: "decoded"}}}, false},
		{ingest.Push{Data: encode(t, timeless), Duration: int64(time.Second)}, false},
		{ingest.Push{Data: encode(t, future)}, false},
		{ingest.Push{Data: encode(t, small()), Time: future.TimeNanos}, false},
		{ingest.Push{Data: encode(t, timeless), Key: "a key"}, true},
		{ingest.Push{Data: encode(t, future), Key: "a key of the future"}, true},
	} {
		first := receive(t, h, test.push)
		c.pass(time.Minute)
		again := receive(t, h, test.push)
		records := r.take()
		if a, b := records[0], records[1]; (a.ID == b.ID && a.Time == b.Time) != test.same {
			t.Errorf("%d: got %x at %d and %x at %d, want the same: %v", i, a.ID, a.Time, b.ID, b.Time, test.same)
		}
		if first || again != test.same {
			t.Errorf("%d: told as known: %v, then %v, want false, then %v", i, first, again, test.same)
		}
	}
	if known := h.Stats().Protocols[0].Known; known != 3 {
		t.Errorf("%d were counted as known, want 3", known)
	}
	// Of equal ones in one request, and at one time, each is one.
	equal := ingest.Push{Data: encode(t, timeless), Labels: []store.Label{{Name: "service", Value: "equal"}}}
	if err := h.Receive(t.Context(), "test", equal, equal, equal); err != nil {
		t.Fatal(err)
	}
	receive(t, h, equal)
	times := map[int64]bool{}
	for _, rec := range r.take() {
		times[rec.Time] = true
	}
	if len(times) != 4 {
		t.Errorf("4 equal profiles without a time have %d times", len(times))
	}
	// Anything else is another record.
	l := func(service, instance string) []store.Label {
		return []store.Label{{Name: "service", Value: service}, {Name: "instance", Value: instance}}
	}
	other := small()
	other.Values[0][0] = 7
	ids := map[store.ID]int{}
	for i, p := range []ingest.Push{
		{Profile: small(), Time: 1, Labels: l("a", "bc")},
		{Profile: small(), Time: 2, Labels: l("a", "bc")},
		{Profile: small(), Time: 1, Labels: l("ab", "c")},
		{Profile: small(), Time: 1, Labels: l("a", "bc"), Kind: "wall"},
		{Profile: other, Time: 1, Labels: l("a", "bc")},
		{Profile: small(), Time: 1, Labels: l("a", "bc"), Key: "k"},
		{Profile: small(), Time: 1, Labels: l("ak", "bc"), Key: "k"},
		{Profile: small(), Time: 1, Labels: l("a", "x"), Key: "k"},
		{Profile: small(), Time: 2, Labels: l("a", "bc"), Key: "k"},
		{Profile: small(), Time: 1, Labels: l("a", "bc"), Key: "k", Kind: "wall"},
		{Profile: small(), Time: 1, Labels: l("a", "bc"), Key: "kk"},
	} {
		receive(t, h, p)
		id := r.take()[0].ID
		if j, ok := ids[id]; ok {
			t.Errorf("pushes %d and %d have the same id", j, i)
		}
		ids[id] = i
	}
	// A key stands for the content, and for nothing else.
	receive(t, h, ingest.Push{Profile: other, Time: 1, Labels: l("a", "bc"), Key: "k"})
	if i, ok := ids[r.take()[0].ID]; !ok || i != 5 {
		t.Errorf("the same key with other content is another record")
	}
}

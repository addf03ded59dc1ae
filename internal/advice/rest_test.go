package advice

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestFewLooks: of hot lines the first of each function is kept, up to a number of functions.
func TestFewLooks(t *testing.T) {
	ranked := []Finding{lookOf("a-1", "a-2", "a-3"), lookOf("b-1"), lookOf("c-1", "c-2"), lookOf("a-2"), lookOf("a-3"), lookOf("c-2")}
	for _, c := range []struct {
		most int
		want string
		left int
	}{
		{0, "", 6},
		{1, "a-1", 3},
		{2, "a-1 b-1", 2},
		{5, "a-1 b-1 c-1", 0},
		{-1, "a-1 b-1 c-1 a-2 a-3 c-2", 0},
	} {
		kept, left := fewLooks(ranked, c.most)
		if got := idsOf(kept); got != c.want || left != c.left {
			t.Errorf("up to %d: %s and %d left, want %s and %d", c.most, got, left, c.want, c.left)
		}
	}
}

func lookOf(id string, also ...string) Finding {
	f := Finding{ID: id, Class: Look, Bound: Bound{Worth: 0.3}}
	for _, a := range also {
		f.Also = append(f.Also, Also{ID: a})
	}
	return f
}

func idsOf(all []Finding) string {
	var ids []string
	for _, f := range all {
		ids = append(ids, f.ID)
	}
	return strings.Join(ids, " ")
}

// TestWithLooks: what rules find comes first, unless a hot line is hotter than all of it.
func TestWithLooks(t *testing.T) {
	known := []Finding{{ID: "sort"}, {ID: "map"}, {ID: "copy"}, {ID: "join"}}
	for _, c := range []struct {
		rules  int
		hotter bool
		want   string
	}{
		{4, false, "sort map copy join hot-1 hot-2"},
		{4, true, "sort map hot-1 copy join hot-2"},
		{3, true, "sort map hot-1 copy hot-2"},
		{2, true, "sort map hot-1 hot-2"},
		{2, false, "sort map hot-1 hot-2"},
		{0, true, "hot-1 hot-2"},
	} {
		if got := idsOf(withLooks(known[:c.rules], []Finding{lookOf("hot-1"), lookOf("hot-2")}, c.hotter)); got != c.want {
			t.Errorf("with %d findings, hotter: %v: %s, want %s", c.rules, c.hotter, got, c.want)
		}
	}
	known[2].Bound.Time = 0.2
	for _, c := range []struct {
		share float64
		want  string
	}{
		{0.1, "sort map copy join hot-1"},
		{0.3, "sort map hot-1 copy join"},
	} {
		look := lookOf("hot-1")
		look.Evidence.CPU = &Share{Share: c.share}
		if got := idsOf(withLooks(known, []Finding{look}, false)); got != c.want {
			t.Errorf("a hot line with %v of the time: %s, want %s", c.share, got, c.want)
		}
	}
	if got := idsOf(withLooks(known, nil, true)); got != "sort map copy join" {
		t.Errorf("without hot lines: %s", got)
	}
	known[3].Evidence.CPU = &Share{Share: 0.25}
	if got := idsOf(withLooks(known, nil, false)); got != "sort map copy join" {
		t.Errorf("the last without a rewrite: %s", got)
	}
	known[3].Fix = &Fix{}
	if got := idsOf(withLooks(known, nil, false)); got != "sort map join copy" {
		t.Errorf("the last with a rewrite of a hotter line: %s", got)
	}
}

// TestLooksByTime: a line with most of few allocations isn't hotter than one with most of the time.
func TestLooksByTime(t *testing.T) {
	e := &evidence{subjects: []string{"F", "G"}, totals: []values{
		{cpuTime: 1000, cpuSamples: 1000, gcTime: 100, allocBytes: 100, allocBlocks: 10},
		{allocBytes: 100, allocBlocks: 10}, // without a CPU profile
	}, gc: []int64{100, 0}, memory: []int64{200, 0}}
	for _, c := range []struct {
		m    matched
		want float64
	}{
		{matched{0: {cpuTime: 80, allocBytes: 30, allocBlocks: 10}}, 0.11},
		{matched{0: {cpuTime: 390}}, 0.39},
		{matched{1: {allocBytes: 30, allocBlocks: 9}}, 0.9},
	} {
		if got := e.time(c.m); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.m, got, c.want)
		}
	}
}

// TestFolded: what a line calls in libraries is its own work; what it calls in the user's code isn't.
func TestFolded(t *testing.T) {
	chainOf := func(time int64, toLeaf bool, below ...string) *chain {
		return &chain{below: below, toLeaf: toLeaf, values: matched{0: {cpuTime: time, cpuSamples: time}}}
	}
	e := &evidence{subjects: []string{"F"}, totals: []values{{cpuTime: 1000, cpuSamples: 1000}}, gc: []int64{0}, memory: []int64{900}}
	c := &Costs{seen: e, hot: &hot{chains: map[string]*chain{
		"own":      chainOf(100, true),
		"library":  chainOf(200, true, "strings.Index", "internal/bytealg.IndexByte"),
		"again":    chainOf(50, true, "strings.Index"),
		"callback": chainOf(400, false, "slices.SortFunc"),
		"user":     chainOf(150, false),
	}}}
	w := c.Work()
	if got := fmt.Sprintf("%.2f %+v", w.CPU, w.Parts); got != "0.35 [{Function:strings.Index Below:internal/bytealg.IndexByte CPU:0.25} {Function: Below: CPU:0.1}]" {
		t.Error(got)
	}
	if c.folded() != 0.35 {
		t.Errorf("folded is %v", c.folded())
	}
}

func TestClassText(t *testing.T) {
	for _, c := range []Class{Safe, Review, AdviceOnly, Look} {
		text, err := c.MarshalText()
		var back Class
		if err != nil || back.UnmarshalText(text) != nil || back != c || string(text) != c.String() {
			t.Errorf("%s: %q, %v, %s", c, text, err, back)
		}
	}
	for _, wrong := range []string{"", "L", "D", "AB"} {
		if err := new(Class).UnmarshalText([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "use A, B, C or look") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// TestFew: a hot line that few samples have says so.
func TestFew(t *testing.T) {
	for _, c := range []struct {
		cpu  *Share
		want string
	}{
		{nil, ""},
		{&Share{Samples: 0}, ""}, // known by what it allocates
		{&Share{Samples: 1}, "the profile has the line in one sample only: profile for longer to be sure"},
		{&Share{Samples: 3}, "the profile has the line in only 3 samples: profile for longer to be sure"},
		{&Share{Samples: 4}, ""},
	} {
		if got := strings.Join(few(c.cpu), "; "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.cpu, got, c.want)
		}
	}
}

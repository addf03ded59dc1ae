package advice

import (
	"math"
	"slices"
	"testing"
)

// TestSizesIn: the sizes in names of sub-benchmarks, and numbers that are something else.
func TestSizesIn(t *testing.T) {
	for name, want := range map[string][]sizeIn{
		"Sum-8":                         nil, // processors
		"Sum100-8":                      nil, // no sub-benchmark
		"Sum/100-8":                     {{"Sum/#", 100}},
		"Sum/100":                       {{"Sum/#", 100}},
		"Sum/n=100-8":                   {{"Sum/n=#", 100}},
		"Sum/n100":                      {{"Sum/n#", 100}},
		"Sum/size-4k-2":                 {{"Sum/size-#", 4000}},
		"Sum/4KB":                       {{"Sum/#", 4096}},
		"Sum/1MiB-2":                    {{"Sum/#", 1 << 20}},
		"Sum/1e3":                       {{"Sum/#", 1000}},
		"Sum/items:1000":                {{"Sum/items:#", 1000}},
		"Sum/rows=10/columns=20-2":      {{"Sum/rows=#/columns=20", 10}, {"Sum/rows=10/columns=#", 20}},
		"Sum/sha256-2":                  nil,
		"Sum/workers=4-2":               nil,
		"Sum/level-9-2":                 nil,
		"Sum/n=0":                       nil,
		"Sum/n=NaN":                     nil,
		"Sum/n=Inf":                     nil,
		"Sum/n=1e999":                   nil,
		"Sum/n=-5":                      nil, // the last number is the processors'
		"example.com/a.Sum/n=10-2":      {{"example.com/a.Sum/n=#", 10}},
		"Sum/input_100_lines":           {{"Sum/input_#_lines", 100}},
		"Sum/":                          nil,
		"Sum/=":                         nil,
		"Sum/100x":                      nil,
		"Sum/n=18446744073709551616000": {{"Sum/n=#", 18446744073709551616000}},
	} {
		if got := sizesIn(name); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestGrowth: two sizes show with which power a line's cost grows.
func TestGrowth(t *testing.T) {
	type point struct {
		subject string
		samples int64   // of the line, of 1,000
		opTime  float64 // ns
	}
	for _, c := range []struct {
		name   string
		points []point
		want   Growth // without its error
		ok     bool
	}{
		{"quadratic", []point{{"Sum/n=100-2", 100, 1000}, {"Sum/n=400-2", 400, 4000}}, Growth{Small: "Sum/n=100-2", Large: "Sum/n=400-2", Size: 4, Cost: 16, Power: 2}, true},
		{"constant", []point{{"Sum/n=100-2", 400, 1000}, {"Sum/n=400-2", 100, 4000}}, Growth{Small: "Sum/n=100-2", Large: "Sum/n=400-2", Size: 4, Cost: 1}, true},
		{"the widest range", []point{{"A/10-2", 100, 10}, {"A/20-2", 100, 20}, {"B/1-2", 100, 10}, {"B/100-2", 100, 1000}}, Growth{Small: "B/1-2", Large: "B/100-2", Size: 100, Cost: 100, Power: 1}, true},
		{"few samples", []point{{"Sum/n=100-2", 20, 1000}, {"Sum/n=400-2", 400, 4000}}, Growth{}, false},
		{"nobody measured", []point{{"Sum/n=100-2", 100, 0}, {"Sum/n=400-2", 400, 4000}}, Growth{}, false},
		{"one size", []point{{"Sum/n=100-2", 100, 1000}}, Growth{}, false},
		{"nearly one size", []point{{"Sum/n=100-2", 100, 1000}, {"Sum/n=110-2", 100, 1000}}, Growth{}, false},
		{"two algorithms", []point{{"Sum/sha256-2", 100, 1000}, {"Sum/sha512-2", 100, 1000}}, Growth{}, false},
	} {
		e := &evidence{}
		h := &hot{chains: map[string]*chain{"": {toLeaf: true, values: make(matched)}}}
		for _, p := range c.points {
			i := e.subject(p.subject)
			e.opTimes[i] = p.opTime
			e.totals[i] = values{cpuTime: 1e9, cpuSamples: 1000}
			h.chains[""].values[i] = &values{cpuTime: p.samples * 1e6, cpuSamples: p.samples}
		}
		got, ok := (&Costs{h, e}).Growth()
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
		if ok != c.ok || got.Small != c.want.Small || got.Large != c.want.Large || !near(got.Size, c.want.Size) || !near(got.Cost, c.want.Cost) || !near(got.Power, c.want.Power) {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, ok, c.want)
		}
		if ok && !(got.Error > 0 && got.Error < 0.2) {
			t.Errorf("%s: standard error %v", c.name, got.Error)
		}
	}
}

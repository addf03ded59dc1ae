package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// A comparisonJSON is what -json prints and the UI reads. JSON has neither NaN
// nor infinities: they are null, which reads as "not known" and "not bounded".
type comparisonJSON struct {
	Package       string       `json:"package,omitempty"`
	Benchmark     string       `json:"benchmark"`
	Unit          string       `json:"unit"`
	Better        Direction    `json:"better"` // +1 higher, −1 lower, 0 unknown
	Verdict       string       `json:"verdict"`
	Words         string       `json:"words"`
	Gated         bool         `json:"gated"`
	Confirmed     bool         `json:"confirmed"`
	Exact         bool         `json:"exact"`
	Scale         string       `json:"scale"`
	Pairs         int          `json:"pairs"`
	Base          *sideJSON    `json:"base"`
	Head          *sideJSON    `json:"head"`
	Change        *float64     `json:"change"`
	Interval      intervalJSON `json:"interval"`
	Gate          intervalJSON `json:"gate"`
	P             *float64     `json:"p"`
	AdjustedP     *float64     `json:"adjustedP"`
	UTestP        *float64     `json:"uTestP"`
	Budget        float64      `json:"budget"`
	BeyondBudget  bool         `json:"beyondBudget"` // surely: what can fail a run
	Bias          float64      `json:"bias"`
	MinDetectable *float64     `json:"minDetectable"`
	JudgedBy      string       `json:"judgedBy,omitempty"` // unit of the clock that decides, if not this one
	Busy          bool         `json:"busy,omitempty"`
	OtherBench    bool         `json:"otherBenchmark,omitempty"` // each side ran its own
	Warnings      []string     `json:"warnings,omitempty"`
}

type sideJSON struct {
	Median *float64 `json:"median"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
	N      int      `json:"n"`
}

type intervalJSON struct {
	Lo         *float64 `json:"lo"`
	Hi         *float64 `json:"hi"`
	Confidence float64  `json:"confidence"`
}

// The scales in JSON.
const (
	scaleRatio      = "ratio"
	scaleDifference = "difference"
)

// MarshalJSON writes a comparisonJSON.
func (c Comparison) MarshalJSON() ([]byte, error) {
	of := func(s benchmath.Summary, side Side) *sideJSON {
		n := c.Samples(side)
		if n == 0 {
			return nil
		}
		return &sideJSON{finite(s.Center), finite(s.Lo), finite(s.Hi), n}
	}
	var uTest *float64
	if len(c.sample.base) > 0 && len(c.sample.head) > 0 {
		uTest = finite(c.UTest().P)
	}
	scale := scaleRatio
	if c.Scale == Difference {
		scale = scaleDifference
	}
	return json.Marshal(comparisonJSON{
		c.Package, c.Benchmark, c.Unit, c.Direction, c.Verdict.String(), c.Words(), c.Gated, c.Confirmation == Agreed, c.Exact, scale, c.Pairs,
		of(c.Base, Base), of(c.Head, Head), finite(c.Change),
		intervalJSON{finite(c.Interval.Lo), finite(c.Interval.Hi), c.Interval.Confidence},
		intervalJSON{finite(c.Gate.Lo), finite(c.Gate.Hi), c.Gate.Confidence},
		finite(c.P), finite(c.AdjustedP), uTest, c.Budget, c.Beyond && c.Verdict == Worse, c.Floor.Bias, finite(c.MinDetectable), c.JudgedBy, c.Busy, c.OtherBenchmark, c.Warnings,
	})
}

// recorded is what a comparison that was read from JSON knows of its samples.
type recorded struct {
	words   string
	samples [2]int // of base and head
	certain bool
}

// UnmarshalJSON reads what MarshalJSON writes. The comparison can be shown, and its family
// says whether it fails a gate. It has no samples, so it can't be judged again.
func (c *Comparison) UnmarshalJSON(data []byte) error {
	var in comparisonJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	verdict := slices.Index(verdictNames[:], in.Verdict)
	if verdict < 0 {
		return fmt.Errorf("unknown verdict %q", in.Verdict)
	}
	*c = Comparison{
		Key: Key{Package: in.Package, Benchmark: in.Benchmark, Unit: in.Unit}, Direction: in.Better, Verdict: Verdict(verdict),
		Gated: in.Gated, Exact: in.Exact, Pairs: in.Pairs, Change: orInfinite(in.Change, math.NaN()), Interval: in.Interval.interval(), Gate: in.Gate.interval(),
		P: orInfinite(in.P, math.NaN()), AdjustedP: orInfinite(in.AdjustedP, math.NaN()), Budget: in.Budget, Floor: Floor{Bias: in.Bias},
		MinDetectable: orInfinite(in.MinDetectable, math.Inf(1)), JudgedBy: in.JudgedBy, Busy: in.Busy, OtherBenchmark: in.OtherBench,
		Beyond: in.BeyondBudget, Warnings: in.Warnings, recorded: &recorded{words: in.Words},
	}
	if in.Confirmed {
		c.Confirmation = Agreed
	}
	if in.Scale == scaleDifference {
		c.Scale = Difference
	}
	c.Base, c.recorded.samples[Base] = in.Base.summary()
	c.Head, c.recorded.samples[Head] = in.Head.summary()
	// A P of 0 is that of counts which are the same in all samples of a side: see exact.go.
	if c.Exact && c.P == 0 && in.Base != nil && in.Head != nil {
		c.recorded.certain = certainCounts(c.Base.Center, c.Head.Center, min(in.Base.N, in.Head.N))
	}
	return nil
}

func (i intervalJSON) interval() Interval {
	return Interval{orInfinite(i.Lo, math.Inf(-1)), orInfinite(i.Hi, math.Inf(1)), i.Confidence}
}

func (s *sideJSON) summary() (benchmath.Summary, int) {
	if s == nil {
		return benchmath.Summary{}, 0
	}
	return benchmath.Summary{Center: orInfinite(s.Median, math.NaN()), Lo: orInfinite(s.Lo, math.Inf(-1)), Hi: orInfinite(s.Hi, math.Inf(1))}, s.N
}

// orInfinite returns a number of JSON, or what null stands for.
func orInfinite(v *float64, null float64) float64 {
	if v == nil {
		return null
	}
	return *v
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

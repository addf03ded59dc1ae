package experiment

import (
	"encoding/json"
	"math"

	"golang.org/x/perf/benchmath"
)

// MarshalJSON writes what -json prints and the UI reads. JSON has neither NaN
// nor infinities: they are null, which reads as "not known" and "not bounded".
func (c Comparison) MarshalJSON() ([]byte, error) {
	type side struct {
		Median *float64 `json:"median"`
		Lo     *float64 `json:"lo"`
		Hi     *float64 `json:"hi"`
		N      int      `json:"n"`
	}
	type interval struct {
		Lo         *float64 `json:"lo"`
		Hi         *float64 `json:"hi"`
		Confidence float64  `json:"confidence"`
	}
	of := func(s benchmath.Summary, values []float64) *side {
		if len(values) == 0 {
			return nil
		}
		return &side{finite(s.Center), finite(s.Lo), finite(s.Hi), len(values)}
	}
	var uTest *float64
	if len(c.sample.base) > 0 && len(c.sample.head) > 0 {
		uTest = finite(c.UTest().P)
	}
	scale := "ratio"
	if c.Scale == Difference {
		scale = "difference"
	}
	return json.Marshal(struct {
		Package       string    `json:"package,omitempty"`
		Benchmark     string    `json:"benchmark"`
		Unit          string    `json:"unit"`
		Better        Direction `json:"better"` // +1 higher, −1 lower, 0 unknown
		Verdict       string    `json:"verdict"`
		Words         string    `json:"words"`
		Gated         bool      `json:"gated"`
		Confirmed     bool      `json:"confirmed"`
		Exact         bool      `json:"exact"`
		Scale         string    `json:"scale"`
		Pairs         int       `json:"pairs"`
		Base          *side     `json:"base"`
		Head          *side     `json:"head"`
		Change        *float64  `json:"change"`
		Interval      interval  `json:"interval"`
		Gate          interval  `json:"gate"`
		P             *float64  `json:"p"`
		AdjustedP     *float64  `json:"adjustedP"`
		UTestP        *float64  `json:"uTestP"`
		Budget        float64   `json:"budget"`
		BeyondBudget  bool      `json:"beyondBudget"` // surely: what can fail a run
		Bias          float64   `json:"bias"`
		MinDetectable *float64  `json:"minDetectable"`
		JudgedBy      string    `json:"judgedBy,omitempty"` // unit of the clock that decides, if not this one
		Busy          bool      `json:"busy,omitempty"`
		OtherBench    bool      `json:"otherBenchmark,omitempty"` // each side ran its own
		Warnings      []string  `json:"warnings,omitempty"`
	}{
		c.Package, c.Benchmark, c.Unit, c.Direction, c.Verdict.String(), c.Words(), c.Gated, c.Confirmation == Agreed, c.Exact, scale, c.Pairs,
		of(c.Base, c.sample.base), of(c.Head, c.sample.head), finite(c.Change),
		interval{finite(c.Interval.Lo), finite(c.Interval.Hi), c.Interval.Confidence},
		interval{finite(c.Gate.Lo), finite(c.Gate.Hi), c.Gate.Confidence},
		finite(c.P), finite(c.AdjustedP), uTest, c.Budget, c.Beyond && c.Verdict == Worse, c.Floor.Bias, finite(c.MinDetectable), c.JudgedBy, c.Busy, c.OtherBenchmark, c.Warnings,
	})
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

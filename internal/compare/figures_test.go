package compare

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// figuresFile is what web/src/model/quantity.test.ts compares its twin of scale with.
const figuresFile = "testdata/figures.json"

type (
	figuresCase struct {
		Unit      string            `json:"unit"`
		Largest   float64           `json:"largest"`
		Changes   []figuresChange   `json:"changes"`
		Intervals []figuresInterval `json:"intervals"`
	}
	figuresChange struct {
		Value float64 `json:"value"`
		Text  string  `json:"text"`
	}
	figuresInterval struct {
		Lo   *float64 `json:"lo"` // null is unbounded
		Hi   *float64 `json:"hi"`
		Text string   `json:"text"`
	}
)

// TestFigures writes down what changes of a table look like, of which the first is
// the largest.
func TestFigures(t *testing.T) {
	none := math.Inf(1)
	var cases []figuresCase
	for _, of := range []struct {
		unit    string
		changes []float64
		bounds  [][2]float64
	}{
		{"sec/op", []float64{-8.12e-6, 1e-6, 4e-10, 0}, [][2]float64{{-10.46e-6, -6.2e-6}, {-1e-9, 2e-6}, {-none, none}}},
		{"sec/op", []float64{12.3e-9, -0.5e-9}, [][2]float64{{11e-9, 13e-9}, {-0.7e-9, none}}},
		{"B/op", []float64{2048, -100, 0.25}, [][2]float64{{100, 1100}, {-100, none}, {652, 652}}},
		{"B/op", []float64{652, -1}, [][2]float64{{100, 1100}}},
		{"allocs/op", []float64{-286, 12, 0.01}, [][2]float64{{-286, -286}, {-300, 2}}},
		{"allocs/op", []float64{0}, [][2]float64{{-1, 1}}},
	} {
		s := unitScale(of.changes[0], of.unit)
		c := figuresCase{Unit: of.unit, Largest: of.changes[0]}
		for _, v := range of.changes {
			c.Changes = append(c.Changes, figuresChange{v, s.change(v)})
		}
		for _, b := range of.bounds {
			c.Intervals = append(c.Intervals, figuresInterval{FiniteOrNil(b[0]), FiniteOrNil(b[1]), s.interval(b[0], b[1])})
		}
		cases = append(cases, c)
	}
	got, err := json.MarshalIndent(cases, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(figuresFile, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(figuresFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what is printed now; see what changed, then: go test ./internal/compare -run TestFigures$ -update\n%s", figuresFile, got)
	}
}

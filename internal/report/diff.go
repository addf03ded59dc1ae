package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/hone-go/hone/profile"
)

// Diff is a comparison of two sides, function by function. Values are per run:
// means over the runs of a side.
type Diff struct {
	Type        string    `json:"type"`
	Unit        string    `json:"unit"` // of all values here
	Granularity string    `json:"granularity"`
	Sort        string    `json:"sort"` // "flat" or "cum": which change the rows are ordered by, see weight
	Normalized  bool      `json:"normalized"`
	Compared    int64     `json:"compared"` // the base's total to compare with the head's: BaseTotal, scaled if Normalized
	BaseRuns    int       `json:"baseRuns"`
	HeadRuns    int       `json:"headRuns"`
	BaseTotal   int64     `json:"baseTotal"` // before normalizing
	HeadTotal   int64     `json:"headTotal"`
	BaseText    string    `json:"baseTotalText"` // BaseTotal and HeadTotal as printed
	HeadText    string    `json:"headTotalText"`
	CompareText string    `json:"comparedText"`
	Rows        []DiffRow `json:"rows"`
	Functions   int       `json:"functions"` // how many there are, including those without a row
	// Tested is how many functions were tested for significance, 0 for none; see
	// DiffRow.Test.
	Tested int `json:"tested"`
	// Instances are how many instances of both sides DiffRow.Noise is based on, Base and
	// Head; nil if it is based on the number of samples.
	Instances *[2]int `json:"instances,omitempty"`
	// Outlier is an instance that changed unlike the others; nil if none did.
	Outlier *Outlier `json:"outlier,omitempty"`
	// Basis is what tells chance from change: "runs", "instances" or "samples"; "" if nothing does.
	Basis string `json:"basis,omitempty"`
	// Total judges the change of the totals; nil if nothing tells, or if they were made equal.
	Total *DiffTotal `json:"total,omitempty"`
	// Changed is how many rows changed by more than chance explains, in what they are ordered by.
	Changed  int      `json:"changed,omitempty"`
	Warnings []string `json:"warnings"`

	printUnit string // as Options.Unit
	perSecond bool
	totals    [2][]float64 // of the runs of base and head, scaled
	nesting   *nesting     // of rows ordered by cost with callees; nil of others
}

// DiffTotal judges the change of the totals.
type DiffTotal struct {
	Noise  bool    `json:"noise"`
	Margin *Margin `json:"margin,omitempty"` // of the change, in percent of Diff.Compared
}

// DiffRow compares one function, or whatever the granularity says.
type DiffRow struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	// OtherFiles is the number of further files that have the function: see [profile.Frame].
	OtherFiles int   `json:"otherFiles,omitempty"`
	Line       int64 `json:"line,omitempty"`
	New        bool  `json:"new,omitempty"`  // not in the base
	Gone       bool  `json:"gone,omitempty"` // not in the head

	Flat DiffValue `json:"flat"`
	Cum  DiffValue `json:"cum"`
	// Test tells whether the change in the value that rows are ordered by is more
	// than noise; nil if it wasn't tested.
	Test *DiffTest `json:"test,omitempty"`
	// Noise says of both values that chance explains their change; nil if that is unknown.
	Noise *DiffNoise `json:"noise,omitempty"`
	// Callers are functions that changed because they call this one, the nearest first: see [Diff.InShort].
	Callers []string `json:"callers,omitempty"`

	frame int // in the table of frames
}

// DiffNoise says which changes are no more than chance explains.
type DiffNoise struct {
	Flat bool `json:"flat"`
	Cum  bool `json:"cum"`
}

// DiffValue is a value and its change.
type DiffValue struct {
	Base     int64    `json:"base"`
	Head     int64    `json:"head"`
	Delta    int64    `json:"delta"`
	Relative *float64 `json:"relative,omitempty"` // change as a share of the base; nil if that is 0

	// The values as printed: all rows in one unit, Delta with its sign.
	BaseText  string `json:"baseText"`
	HeadText  string `json:"headText"`
	DeltaText string `json:"deltaText"`

	// Interval is that of Delta by chance, if it is known; nil if runs were tested.
	Interval *DiffInterval `json:"interval,omitempty"`
}

// DiffInterval is the 95 % confidence interval of a change.
type DiffInterval struct {
	Low  int64  `json:"low"`
	High int64  `json:"high"`
	Text string `json:"text"` // as printed
}

// DiffTest is the outcome of a Mann–Whitney U test.
type DiffTest struct {
	P           float64 `json:"p"`           // two-sided
	Holm        float64 `json:"holm"`        // P, adjusted for the number of functions tested
	Significant bool    `json:"significant"` // Holm is below diffAlpha
}

const (
	// diffAlpha is the accepted chance of calling any function changed when none is.
	diffAlpha = 0.05
	// diffRuns is how many runs a side needs for a test. With fewer, no outcome of
	// the U test reaches diffAlpha, or only the most extreme one does.
	diffRuns = 4
)

// key is the value that rows are ordered by.
func (d *Diff) key(r *DiffRow) *DiffValue {
	if d.Sort == "cum" {
		return &r.Cum
	}
	return &r.Flat
}

// print fills in the texts of all values.
func (d *Diff) print() {
	d.BaseText, d.HeadText, d.CompareText = d.formatTotal(d.BaseTotal), d.formatTotal(d.HeadTotal), d.formatTotal(d.Compared)
	d.printRows(d.format())
}

func (d *Diff) printRows(format func(int64) string) {
	for i := range d.Rows {
		for _, v := range []*DiffValue{&d.Rows[i].Flat, &d.Rows[i].Cum} {
			v.BaseText, v.HeadText, v.DeltaText = format(v.Base), format(v.Head), signedText(v.Delta, format)
		}
	}
}

func (d *Diff) formatTotal(v int64) string { return formatRate(v, d.Unit, "auto", d.rate()) }

// format returns the function that prints the values of rows.
func (d *Diff) format() func(int64) string {
	unit, as := d.textUnit(), d.rate()
	return func(v int64) string { return formatRate(v, d.Unit, unit, as) }
}

func (d *Diff) rate() rate { return rateOf(profile.ValueType{Type: d.Type, Unit: d.Unit}, d.perSecond) }

// textUnit picks one unit for the table, in which its smallest change has digits.
func (d *Diff) textUnit() string {
	if d.printUnit != "" && d.printUnit != "minimum" && d.printUnit != "auto" {
		return d.printUnit
	}
	if d.rate() == inCores {
		return "auto"
	}
	least := int64(math.MaxInt64)
	for i := range d.Rows {
		if v := d.key(&d.Rows[i]).Delta; v != 0 {
			least = min(least, max(v, -v))
		}
	}
	if least <= max(d.BaseTotal, d.HeadTotal)/100 {
		least *= 100
	}
	_, unit := profile.Convert(least, d.Unit, "auto")
	if unit == "" {
		return d.Unit
	}
	return unit
}

// signedText prints v with its sign, also if that is a plus.
func signedText(v int64, format func(int64) string) string {
	if v > 0 {
		return "+" + format(v)
	}
	return format(v)
}

// fewRuns begins the warning of a comparison of two profiles.
const fewRuns = "one run per side: whether a change is significant can't be told; "

func isFewRuns(warning string) bool { return strings.HasPrefix(warning, fewRuns) }

// warn adds warnings about what the numbers don't show.
func (d *Diff) warn() {
	add := func(format string, args ...any) { d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...)) }
	n, m := d.BaseRuns, d.HeadRuns
	switch {
	case n == 1 && m == 1:
		add(fewRuns+"compare at least %d runs per side", diffRuns)
	case n < diffRuns || m < diffRuns:
		add("%d and %d runs: too few to tell whether a change is significant; compare at least %d runs per side", n, m, diffRuns)
	case d.Tested > 0 && smallestP(n, m)*float64(d.Tested) >= diffAlpha:
		need := max(n, m)
		for smallestP(need, need)*float64(d.Tested) >= diffAlpha {
			need++
		}
		add("with %d and %d runs p is at least %.2g, and of %d functions tested none can be significant after Holm's correction; compare at least %d runs per side",
			n, m, smallestP(n, m), d.Tested, need)
	}
	if !d.Normalized && d.BaseTotal > 0 && d.HeadTotal > 0 {
		if ratio := float64(d.HeadTotal) / float64(d.BaseTotal); ratio > 1.5 || ratio < 1/1.5 {
			add("the totals differ by a factor of %.2g; normalize to compare shares", max(ratio, 1/ratio))
		}
	}
}

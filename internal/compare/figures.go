package compare

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"golang.org/x/perf/benchunit"
)

// A scale formats figures of one table: they have the same unit and number of decimals. It has a
// twin in web/src/model/quantity.ts. Both are tested with testdata/figures.json.
type scale struct {
	neutral float64 // what is no change, and printed as 0 but for factors
	factor  float64 // of a printed 1
	digits  int
	before  string // ×
	behind  string // of values, % or a prefix: µ
	around  string // the same of the ends of an interval, whose prefix is that of the value beside
	signed  bool
}

// percentScale prints ratios as changes: -32.10%.
func percentScale() scale {
	return scale{neutral: 1, factor: 0.01, digits: 2, behind: "%", around: "%", signed: true}
}

// timesScale prints ratios as they are, ×16.45; largest is the largest of them.
func timesScale(largest float64) scale {
	digits := 2
	for ; largest >= 100 && digits > 0; largest /= 10 {
		digits--
	}
	return scale{factor: 1, digits: digits, before: "×"}
}

// unitScale prints differences of values in a unit, of which largest is the largest: -8.120µ.
func unitScale(largest float64, unit string) scale {
	s := benchunit.CommonScale([]float64{largest}, benchunit.ClassOf(unit))
	return scale{factor: s.Factor, digits: s.Prec, behind: s.Prefix, signed: true}
}

// changeScale is that of a comparison's change and its interval. An end without bound
// has no scale.
func changeScale(c *experiment.Comparison) scale {
	const many = 10
	largest := c.Change
	for _, v := range []float64{c.Interval.Lo, c.Interval.Hi} {
		if !math.IsInf(v, 0) && math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	switch {
	case c.Scale != experiment.Ratio:
		one, unit := benchunit.Tidy(1, c.Unit)
		s := unitScale(cmp.Or(c.Change, largest)*one, unit)
		s.factor /= one
		return s
	case largest > many:
		return timesScale(largest)
	}
	return percentScale()
}

// change prints a change with its sign.
func (s scale) change(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case math.IsInf(v, 0):
		return infinity(v)
	case !s.signed:
		return s.end(v)
	}
	text := s.plain(math.Abs(v - s.neutral))
	switch {
	case text == "0":
		return text
	case v < s.neutral:
		return "-" + text
	}
	return "+" + text
}

// plain prints a value of at least 0, what rounds to 0 as that, and ? for one that is
// not known.
func (s scale) plain(v float64) string {
	if math.IsNaN(v) {
		return "?"
	}
	text := strconv.FormatFloat(v/s.factor, 'f', s.digits, 64)
	if s.behind != "%" && strings.Trim(text, "0.") == "" {
		return "0"
	}
	return text + s.behind
}

// interval prints an interval in the scale of the value that it is of, without
// repeating the prefix of that one's unit.
func (s scale) interval(lo, hi float64) string {
	if lo == hi {
		return "exact"
	}
	return "[" + s.end(lo) + ", " + s.end(hi) + "]"
}

func (s scale) end(v float64) string {
	if math.IsInf(v, 0) {
		return infinity(v)
	}
	text := strconv.FormatFloat((v-s.neutral)/s.factor, 'f', s.digits, 64)
	if s.signed && text[0] != '-' {
		text = "+" + text
	}
	return s.before + text + s.around
}

func infinity(v float64) string {
	if v < 0 {
		return "-∞"
	}
	return "∞"
}

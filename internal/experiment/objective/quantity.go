package objective

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2/unstable"
	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/experiment"
)

// The metrics of profiles.
const (
	metricShare = "share"
	metricPerOp = "total/op"
)

// A Quantity is a number with its dimension.
type Quantity struct {
	Value     float64 // in seconds, bytes, as a fraction, or plain
	Dimension Dimension
	Text      string // as written: "1.5ms"
}

// A Dimension is what a quantity measures.
type Dimension uint8

const (
	Number   Dimension = iota // a count, or a number in the unit of the metric
	Time                      // seconds
	Bytes                     // bytes
	Fraction                  // of one
)

func (d Dimension) String() string {
	return [...]string{"a plain number", "a time", "a number of bytes", "a percentage"}[d]
}

// quantityUnits are the units of bounds, in seconds, bytes and fractions.
// Prefixes as in benchunit and humane tools: k is 1000, Ki is 1024.
var quantityUnits = map[string]Quantity{
	"ns": {1e-9, Time, ""}, "us": {1e-6, Time, ""}, "µs": {1e-6, Time, ""}, "μs": {1e-6, Time, ""},
	"ms": {1e-3, Time, ""}, "s": {1, Time, ""}, "min": {60, Time, ""},
	"B": {1, Bytes, ""}, "kB": {1e3, Bytes, ""}, "KB": {1e3, Bytes, ""}, "MB": {1e6, Bytes, ""}, "GB": {1e9, Bytes, ""},
	"KiB": {1 << 10, Bytes, ""}, "MiB": {1 << 20, Bytes, ""}, "GiB": {1 << 30, Bytes, ""},
	"%": {0.01, Fraction, ""},
}

func parseQuantity(kind unstable.Kind, text string) (Quantity, error) {
	switch kind {
	case unstable.Integer, unstable.Float, unstable.String:
	default:
		return Quantity{}, errors.New(`want a number, or a string with a unit: "1.5ms"`)
	}
	text = strings.TrimSpace(text)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	digits, unit := text[:end], strings.TrimSpace(text[end:])
	if kind != unstable.String {
		digits, unit = strings.ReplaceAll(text, "_", ""), ""
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return Quantity{}, fmt.Errorf("%q does not begin with a number", text)
	}
	if unit == "" {
		return Quantity{n, Number, text}, nil
	}
	u, ok := quantityUnits[unit]
	if !ok {
		return Quantity{}, fmt.Errorf("unknown unit %q; want one of %s", unit, strings.Join(slices.Sorted(maps.Keys(quantityUnits)), " "))
	}
	return Quantity{n * u.Value, u.Dimension, text}, nil
}

// dimensionOf returns the dimension of a metric's values once benchunit has
// tidied them.
func dimensionOf(metric string) Dimension {
	if metric == metricShare {
		return Fraction
	}
	switch experiment.Amount(metric) {
	case "sec":
		return Time
	case "B":
		return Bytes
	}
	return Number
}

// shown prints a value of a profile.
func (d Dimension) shown(v float64, metric string) string { return d.number(v) + " " + metric }

// number prints a tidied value with its unit.
func (d Dimension) number(v float64) string {
	switch {
	case d == Fraction:
		return fmt.Sprintf("%.3g%%", 100*v)
	case d == Time:
		return scaled(v, benchunit.Decimal) + "s"
	case d == Bytes:
		return scaled(v, benchunit.Binary) + "B"
	}
	return shortNumber(v)
}

// scaled prints four significant digits and a prefix, without zeros at the end: "7.37µ".
func scaled(v float64, class benchunit.Class) string {
	text := benchunit.Scale(v, class)
	digits := strings.TrimRightFunc(text, unicode.IsLetter)
	if strings.Contains(digits, ".") {
		return strings.TrimRight(strings.TrimRight(digits, "0"), ".") + text[len(digits):]
	}
	return text
}

// unitWords are the units in names of metrics that benchunit tidies.
var unitWords = []string{"ns", "sec", "B", "MB", "bytes"}

// quantity prints a tidied value of a metric with its unit, as people write it: "7.37µs/op"
// for ns/op, "40.32ms p99" for p99-ns, "872.0B/op" for B/op. Of a metric without a known unit,
// such as allocs/op, it prints the number and the metric.
func quantity(v float64, metric string) string {
	d := dimensionOf(metric)
	amount, per, perAny := strings.Cut(metric, "/")
	words := strings.Split(amount, "-")
	i := slices.IndexFunc(words, func(w string) bool { return slices.Contains(unitWords, w) })
	if d == Number || d == Fraction || i < 0 {
		return shortNumber(v) + " " + metric
	}
	text := d.number(v)
	if words[i] == "MB" { // of 10⁶ bytes
		text = scaled(v, benchunit.Decimal) + "B"
	}
	if perAny {
		text += "/" + per
	}
	if rest := strings.Join(slices.Delete(words, i, i+1), "-"); rest != "" {
		text += " " + rest
	}
	return text
}

// shown prints a bound as written, or, of a plain number in the unit of a metric, with that
// unit.
func (q *Quantity) shown(metric string) string {
	plain := strings.ContainsRune("0123456789.", rune(q.Text[len(q.Text)-1]))
	if plain && q.Value != 0 && (q.Dimension == Time || q.Dimension == Bytes) {
		return quantity(q.Value, metric)
	}
	return q.Text
}

// shortNumber prints four significant digits, or the integer, without an
// exponent where a person would not write one.
func shortNumber(v float64) string {
	if a := math.Abs(v); a >= 1e4 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return fmt.Sprintf("%.4g", v)
}

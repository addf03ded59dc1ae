package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hone-go/hone/profile"
)

// formatValue prints v, measured in unit from, in unit to; see [profile.Convert].
func formatValue(v int64, from, to string) string {
	f, u := profile.Convert(v, from, to)
	s := strings.TrimSuffix(strconv.FormatFloat(f, 'f', 2, 64), ".00")
	if s == "0" || s == "-0" {
		return "0"
	}
	return s + u
}

// A rate says what values per second are printed as.
type rate uint8

const (
	noRate    rate = iota
	perSecond      // 12.30MB/s
	inCores        // CPU time per second: 1.25 cores
)

// rateOf returns how values of a sample type are printed.
func rateOf(st profile.ValueType, rates bool) rate {
	switch {
	case !rates:
		return noRate
	case st.Type == "cpu" && isTime(st.Unit):
		return inCores
	}
	return perSecond
}

func isTime(unit string) bool {
	_, as := profile.Convert(1, unit, "ns")
	return as == "ns"
}

// formatRate prints a value as formatValue does, and adds "/s" to values per second. CPU
// time per second is a number of cores, unless a unit was asked for.
func formatRate(v int64, from, to string, r rate) string {
	if r == inCores && (to == "" || to == "minimum" || to == "auto") {
		cores, _ := profile.Convert(v, from, "s")
		return coresText(cores)
	}
	s := formatValue(v, from, to)
	if r != noRate && s != "0" {
		s += "/s"
	}
	return s
}

// coresText prints a number of cores: two decimals, or three significant digits below 0.1.
func coresText(cores float64) string {
	text := strconv.FormatFloat(cores, 'f', 2, 64)
	if size := math.Abs(cores); size < 0.1 {
		if size < 5e-7 {
			return "0"
		}
		decimals := min(2-int(math.Floor(math.Log10(size))), 6)
		text = strconv.FormatFloat(cores, 'f', decimals, 64)
	}
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	if text == "1" || text == "-1" {
		return text + " core"
	}
	return text + " cores"
}

// percentage prints the share of v in total, at least five characters wide and
// with two or more significant digits. Signs are ignored.
func percentage(v, total int64) string {
	ratio := 0.0
	if total != 0 {
		ratio = math.Abs(float64(v)/float64(total)) * 100
	}
	switch {
	case ratio >= 99.95 && ratio <= 100.05:
		return "  100%"
	case ratio >= 1:
		return fmt.Sprintf("%5.2f%%", ratio)
	}
	return fmt.Sprintf("%5.2g%%", ratio)
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}

func mean(v, div int64) int64 {
	if div == 0 {
		return v
	}
	return v / div
}

// compareAbs orders larger magnitudes first.
func compareAbs(a, b int64) int {
	switch a, b = abs(a), abs(b); {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

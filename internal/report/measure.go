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

// formatRate prints a value as formatValue does, and adds "/s" to rates.
func formatRate(v int64, from, to string, perSecond bool) string {
	s := formatValue(v, from, to)
	if perSecond && s != "0" {
		s += "/s"
	}
	return s
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

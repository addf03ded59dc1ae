package api

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// Times that the server keeps are those of int64 nanoseconds since 1970.
const (
	minYear = 1678
	maxYear = 2261
)

// ParseTime reads a time in a request: milliseconds since 1970, seconds since 1970 with a
// fraction, RFC 3339, "now", or relative to now: "-1h", "now-1h30m", "2d ago". Relative times
// are rounded down to seconds.
func ParseTime(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && !strings.HasPrefix(text, "+") {
		if n < 0 {
			return time.Time{}, fmt.Errorf("invalid time %q: a time before now needs a unit, such as -1h", text)
		}
		return checkTime(time.UnixMilli(n), text)
	}
	if whole, fraction, ok := strings.Cut(text, "."); ok && digits(whole) && digits(fraction) {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f >= 1e11 {
			return time.Time{}, fmt.Errorf("invalid time %q: profiles are from the years 1678 to 2261", text)
		}
		return checkTime(time.UnixMicro(int64(math.Round(f*1e6))), text)
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return checkTime(t, text)
		}
	}
	now = now.Truncate(time.Second)
	rest, ago := strings.CutSuffix(text, "ago")
	rest = strings.TrimSpace(rest)
	if !ago {
		rest = strings.TrimSpace(strings.TrimPrefix(rest, "now"))
		if rest == "" && text != "" {
			return now, nil
		}
		sign := rest[:min(1, len(rest))]
		rest = strings.TrimSpace(rest[len(sign):])
		if sign != "-" && sign != "+" {
			rest = "" // not a duration
		}
		ago = sign == "-"
	}
	d, err := ParseDuration(rest)
	if err != nil {
		return time.Time{}, fmt.Errorf("invalid time %q: use milliseconds since 1970, 2006-01-02T15:04:05Z, now, or a time before now such as -1h30m or -2d", text)
	}
	if ago {
		d = -d
	}
	return checkTime(now.Add(d), text)
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func checkTime(t time.Time, text string) (time.Time, error) {
	if y := t.Year(); y < minYear || y > maxYear {
		return t, fmt.Errorf("invalid time %q: profiles are from the years 1678 to 2261", text)
	}
	return t, nil
}

var (
	durationParts = lazyregexp.New(`^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$`)
	durationPart  = lazyregexp.New(`(\d+(?:\.\d+)?)(ms|[smhdw])`)
	durationUnits = map[string]time.Duration{
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	}
)

// ParseDuration reads a duration such as 30s, 1h30m, 7d or 2w.
func ParseDuration(text string) (time.Duration, error) {
	if !durationParts.MatchString(text) {
		return 0, fmt.Errorf("invalid duration %q: use 30s, 1h30m, 7d or 2w", text)
	}
	var sum float64
	for _, part := range durationPart.Get().FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return 0, err
		}
		sum += n * float64(durationUnits[part[2]])
	}
	if sum >= math.MaxInt64 {
		return 0, fmt.Errorf("duration %q is too long", text)
	}
	return time.Duration(sum), nil
}

// Milliseconds converts ns since 1970 to ms, as used in requests and answers.
func Milliseconds(ns int64) int64 {
	return floorDiv(ns, int64(time.Millisecond))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// writeTrimmed writes text without trailing blanks.
func writeTrimmed(w io.Writer, text string) error {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// formatNanos prints nanoseconds with about four digits.
func formatNanos(nanos int64) string {
	d := time.Duration(nanos)
	unit := time.Nanosecond
	for _, u := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= u {
			unit = u / 1000
			break
		}
	}
	for d/unit >= 10_000 && unit < time.Second {
		unit *= 10
	}
	return d.Round(unit).String()
}

// shortTime prints three digits: 1.23ms.
func shortTime(d time.Duration) string {
	for unit := time.Duration(1); unit < time.Hour; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// inWords is a duration such as "4 min 10 s".
func inWords(d time.Duration) string {
	d = d.Round(time.Second)
	var parts []string
	for _, unit := range []struct {
		d    time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.d; n > 0 || unit.d == time.Second && len(parts) == 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		d %= unit.d
	}
	return strings.Join(parts, " ")
}

// orIfChanged is ", or up to 9 min if everything changed", if that is longer.
func orIfChanged(expected, changed time.Duration) string {
	if changed < expected+time.Second {
		return ""
	}
	return ", or up to " + inWords(changed) + " if everything changed"
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// splitList splits a list at commas.
func splitList(list string) []string {
	var out []string
	for w := range strings.SplitSeq(list, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

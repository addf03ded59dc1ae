package gocmd

import (
	"slices"
	"strings"
)

// FailedTests returns the tests that failed, and the packages as "FAIL example.com/m", by what go
// test prints, sorted.
func FailedTests(out []byte) []string {
	var all []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) > 2 && fields[0] == "---" && fields[1] == "FAIL:":
			all = append(all, fields[2])
		case len(fields) > 1 && fields[0] == "FAIL":
			all = append(all, "FAIL "+fields[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

package bench

import (
	"math"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
)

// A measured is what a process printed, and what else is known of it.
type measured struct {
	records []benchfmt.Record
	result  *benchfmt.Result // among records
	beside  experiment.Beside
	took    time.Duration
}

// sum returns what the processes of one sample, which there are, say together: what a
// single one with the iterations of all would have printed.
func sum(parts []*measured) *measured {
	whole := *parts[0]
	if len(parts) == 1 {
		return &whole
	}
	iterations, all := make([]float64, len(parts)), 0
	whole.took, whole.beside.Others, whole.beside.Idle = 0, 0, 0
	for i, p := range parts {
		iterations[i] = float64(p.result.Iters)
		all += p.result.Iters
		whole.took += p.took
		whole.beside.Others += p.beside.Others / float64(len(parts))
		whole.beside.Idle += p.beside.Idle / float64(len(parts))
	}
	result := whole.result // that of the first: from here on, of all
	result.Iters = all
	var values []benchfmt.Value
	for _, v := range result.Values {
		one, orig := make([]float64, 0, len(parts)), make([]float64, 0, len(parts))
		for _, p := range parts {
			for _, other := range p.result.Values {
				if other.Unit == v.Unit {
					one, orig = append(one, other.Value), append(orig, other.OrigValue)
					break
				}
			}
		}
		if len(one) == len(parts) { // else it can't be told
			v.Value, v.OrigValue = together(v.Unit, one, iterations), together(v.Unit, orig, iterations)
			values = append(values, v)
		}
	}
	result.Values = values
	return &whole
}

// together is a value of all iterations by those of the parts.
func together(unit string, values, iterations []float64) float64 {
	sum, all := 0.0, 0.0
	rate := strings.HasSuffix(unit, "/s")
	for i, v := range values {
		if rate {
			v = 1 / v
		}
		sum += iterations[i] * v
		all += iterations[i]
	}
	switch {
	case rate:
		return all / sum
	case unit == "allocs/op", unit == "B/op":
		return math.Floor(sum / all) // as package testing has it
	}
	return sum / all
}

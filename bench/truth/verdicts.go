package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// A result is one comparison of a family of benchmarks.
type result struct {
	Shift     int       `json:"shift"`            // percent; 0: nothing was changed
	Target    string    `json:"target,omitempty"` // the benchmark that was; "" with a shift: all
	Hone      []verdict `json:"hone"`
	Benchstat []verdict `json:"benchstat,omitempty"`
	Seconds   float64   `json:"seconds"`
	At        time.Time `json:"at"`
}

// A verdict is what was said of a benchmark and unit.
type verdict struct {
	Benchmark string  `json:"benchmark"`
	Unit      string  `json:"unit"`
	Sign      int     `json:"sign"`   // +1: the value went up, −1: down, 0: can't tell
	Change    float64 `json:"change"` // fraction, where told
	Words     string  `json:"words"`
	// MinDetectable is the change that would have been seen, as a fraction; nil
	// where that is not told, or any change might have been missed.
	MinDetectable *float64 `json:"minDetectable,omitempty"`
}

func withoutCPUs(name string) string {
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		return name[:i]
	}
	return name
}

// honeVerdicts reads the output of hone bench -json.
func honeVerdicts(text []byte) ([]verdict, error) {
	var report struct {
		SameCode   []struct{ Package, Benchmark string }
		Comparison struct {
			Comparisons []struct {
				Comparisons []struct {
					Benchmark, Unit, Verdict, Words, Scale string
					Gated                                  bool
					Change, MinDetectable                  *float64
					Better                                 int
				}
			}
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, fmt.Errorf("hone bench -json: %w", err)
	}
	var all []verdict
	for _, b := range report.SameCode {
		all = append(all, verdict{Benchmark: withoutCPUs(b.Benchmark), Unit: "ns/op", Words: "runs no changed code"})
	}
	for _, family := range report.Comparison.Comparisons {
		for _, c := range family.Comparisons {
			v := verdict{Benchmark: withoutCPUs(c.Benchmark), Unit: c.Unit, Words: c.Words, MinDetectable: c.MinDetectable}
			if c.Change != nil && c.Scale == "ratio" {
				v.Change = *c.Change - 1
			}
			if !c.Gated {
				continue // another series decides, as the other clock
			}
			switch c.Verdict { // up is worse where lower is better
			case "worse":
				v.Sign = -c.Better
			case "better":
				v.Sign = c.Better
			case "differs": // no unit of the module is of unknown direction
				return nil, fmt.Errorf("hone bench -json: %s %s differs", c.Benchmark, c.Unit)
			}
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("hone bench -json: no comparison in %.200s", text)
	}
	return all, nil
}

// statVerdicts reads what benchstat -format csv prints of two files.
func statVerdicts(text []byte) ([]verdict, error) {
	in := csv.NewReader(strings.NewReader(string(text)))
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("benchstat: %w", err)
	}
	var all []verdict
	unit, versus := "", -1
	for _, row := range rows {
		if len(row) > 1 && row[0] == "" { // a header: files, or units
			for i, cell := range row {
				if cell == "vs base" {
					unit, versus = row[1], i
				}
			}
			continue
		}
		if versus < 0 || len(row) <= versus || row[0] == "geomean" {
			continue
		}
		v := verdict{Benchmark: withoutCPUs(row[0]), Unit: unit, Words: row[versus]}
		if change, ok := strings.CutSuffix(row[versus], "%"); ok {
			percent, err := strconv.ParseFloat(change, 64)
			if err != nil {
				return nil, fmt.Errorf("benchstat: %q is not a percentage", row[versus])
			}
			v.Change = percent / 100
			switch {
			case percent > 0:
				v.Sign = 1
			case percent < 0:
				v.Sign = -1
			}
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("benchstat: no comparison in %.200s", text)
	}
	return all, nil
}

func isTime(unit string) bool { return unit == "ns/op" || unit == "sec/op" || unit == "user+sys-ns/op" }

// An outcome is what came of an injected change.
type outcome string

const (
	found  outcome = "found"
	blind  outcome = "blind"  // said that it could not have seen it
	missed outcome = "missed" // said nothing
	wrong  outcome = "wrong"  // said that it is faster
)

var (
	allOutcomes  = []outcome{found, blind, missed, wrong}
	outcomeWords = map[outcome]string{found: "found", blind: "said to be too small to see here", missed: "missed", wrong: "wrong sign"}
)

// changed reports whether a benchmark does more than it did.
func (r *result) changed(benchmark string) bool {
	return r.Shift != 0 && (r.Target == "" || r.Target == benchmark)
}

// outcomes counts what was said of the time of benchmarks that were changed.
func (r *result) outcomes(said []verdict) map[outcome]int {
	of := make(map[outcome]int)
	for _, v := range said {
		if r.changed(v.Benchmark) && isTime(v.Unit) {
			of[r.outcomeOf(v)]++
		}
	}
	return of
}

func (r *result) outcomeOf(v verdict) outcome {
	inconclusive := strings.HasPrefix(v.Words, "inconclusive")
	switch {
	case v.Sign > 0:
		return found
	case v.Sign < 0:
		return wrong
	case inconclusive && (v.MinDetectable == nil || *v.MinDetectable > float64(r.Shift)/100):
		return blind
	}
	return missed
}

// alarms counts changes said of benchmarks that did not change. What does more does
// more of everything, allocations among it.
func (r *result) alarms(said []verdict) int {
	n := 0
	for _, v := range said {
		if v.Sign != 0 && !r.changed(v.Benchmark) {
			n++
		}
	}
	return n
}

// times counts the times of benchmarks that did not change, and those that were said
// to have.
func (r *result) times(said []verdict) (n, alarms int) {
	for _, v := range said {
		if r.changed(v.Benchmark) || !isTime(v.Unit) {
			continue
		}
		n++
		if v.Sign != 0 {
			alarms++
		}
	}
	return n, alarms
}

func (r *result) String() string {
	var b strings.Builder
	if r.Shift == 0 {
		b.WriteString("no change")
	} else {
		fmt.Fprintf(&b, "%s %+d %%", cmp.Or(r.Target, "all"), r.Shift)
	}
	for _, tool := range []struct {
		name string
		said []verdict
	}{{"hone", r.Hone}, {"benchstat", r.Benchstat}} {
		if tool.said == nil {
			continue
		}
		fmt.Fprintf(&b, "; %s", tool.name)
		of := r.outcomes(tool.said)
		for _, o := range allOutcomes {
			if of[o] > 0 {
				fmt.Fprintf(&b, " %s %d,", o, of[o])
			}
		}
		fmt.Fprintf(&b, " false alarms %d", r.alarms(tool.said))
	}
	return b.String()
}

// figures are what all results of a tool come to.
type figures struct {
	families, alarmed int // of which nothing was changed; with a false alarm in any unit
	times, alarms     int // that did not change; that were said to
	injected          int
	outcomes          map[outcome]int
}

func sum(done []result, said func(r *result) []verdict) figures {
	f := figures{outcomes: make(map[outcome]int)}
	for i := range done {
		r := &done[i]
		if said(r) == nil {
			continue
		}
		times, alarms := r.times(said(r))
		f.times, f.alarms = f.times+times, f.alarms+alarms
		for o, n := range r.outcomes(said(r)) {
			f.outcomes[o] += n
			f.injected += n
		}
		if r.Shift == 0 {
			f.families++
			if r.alarms(said(r)) > 0 {
				f.alarmed++
			}
		}
	}
	return f
}

// summarize prints the figures of both.
func summarize(w io.Writer, done []result) error {
	var total float64
	for _, r := range done {
		total += r.Seconds
	}
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%d of %d, %.1f %%", n, of, 100*float64(n)/float64(of))
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	hone, stat := sum(done, func(r *result) []verdict { return r.Hone }), sum(done, func(r *result) []verdict { return r.Benchstat })
	fmt.Fprintf(out, "%d runs in %v\thone, interleaved\tbenchstat, one side after the other\n", len(done), time.Duration(total*float64(time.Second)).Round(time.Second))
	row := func(what string, of func(f figures) string) {
		fmt.Fprintf(out, "%s\t%s\t%s\n", what, of(hone), of(stat))
	}
	row("no change: times said to have changed", func(f figures) string { return share(f.alarms, f.times) })
	row("no change: runs with a false alarm, in any unit", func(f figures) string { return share(f.alarmed, f.families) })
	for _, o := range allOutcomes {
		row("injected: "+outcomeWords[o], func(f figures) string { return share(f.outcomes[o], f.injected) })
	}
	return out.Flush()
}

package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"iter"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/workspace"
)

// resultTail is what package testing prints of a benchmark behind its name:
// iterations and values with units. What the benchmark itself prints comes
// before it, on the same line or on others, as in
//
//	BenchmarkParse-2   	hello
//	     100	     12345 ns/op	      96 B/op	       3 allocs/op
var resultTail = lazyregexp.New(`(\d+)((?:\t *[-+]?(?:\d[\d.eE+-]*|Inf|NaN) \S+)+) *$`)

// runningName is how testing announces a benchmark.
var runningName = lazyregexp.New(`(Benchmark[^\s]*) *\t`)

// configLine is what testing prints before the results.
var configLine = lazyregexp.New(`^(goos|goarch|cpu): (.*)$`)

var unitLine = lazyregexp.New(`^Unit \S+ \S+=\S+`)

// readResult takes the result of the only benchmark of a process from what it
// printed, under the name printed; name is what it is kept by. noise tells that there
// was more. A nil result: there is none.
func readResult(stdout []byte, pkg, name, printed string) (records []benchfmt.Record, result *benchfmt.Result, noise bool) {
	var text bytes.Buffer
	tail := ""
	for line := range strings.Lines(string(stdout)) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) >= bufio.MaxScanTokenSize { // benchfmt would read nothing after it
			noise = true
			continue
		}
		switch m := resultTail.Get().FindStringSubmatchIndex(line); {
		case m != nil:
			noise = noise || tail != ""
			tail = line[m[0]:]
			if before := strings.TrimSpace(line[:m[0]]); before != "" && before != "Benchmark"+printed {
				noise = true
			}
		case configLine.MatchString(line), unitLine.MatchString(line):
			text.WriteString(line + "\n")
		case line == "", line == "PASS", strings.HasPrefix(line, "pkg: "):
		default:
			noise = true
		}
	}
	if tail == "" {
		return nil, nil, noise
	}
	fmt.Fprintf(&text, "pkg: %s\nBenchmark%s %s\n", pkg, name, tail)
	in := benchfmt.NewReader(&text, pkg)
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.Result:
			result = r.Clone()
			records = append(records, result)
		case *benchfmt.UnitMetadata:
			unit := *r
			records = append(records, &unit)
		}
	}
	return records, result, noise
}

// readNames returns the names, with "Benchmark" and the CPU count, of those
// that gave a result. known are the top-level ones.
func readNames(stdout []byte, known map[string]bool) []string {
	var names []string
	current := ""
	for line := range strings.Lines(string(stdout)) {
		line = strings.TrimRight(line, "\r\n")
		for _, m := range runningName.Get().FindAllStringSubmatch(line, -1) {
			if known[topLevel(m[1])] {
				current = m[1]
			}
		}
		if current != "" && resultTail.MatchString(line) {
			names = append(names, current)
			current = ""
		}
	}
	return names
}

var (
	skippedName = lazyregexp.New(`^\s*--- SKIP: (Benchmark\S*)`)
	loggedLine  = lazyregexp.New(`^ +[^\s:]+\.go:\d+: (.*)`)
)

// readSkips yields the benchmarks that skipped themselves, as -test.v prints them,
// and the last thing that each of them said before.
func readSkips(stdout []byte, known map[string]bool) iter.Seq2[string, string] {
	return func(yield func(name, why string) bool) {
		said := ""
		for line := range strings.Lines(string(stdout)) {
			line = strings.TrimRight(line, "\r\n")
			if m := skippedName.FindStringSubmatch(line); m != nil {
				if top, _, _ := strings.Cut(m[1], "/"); known[top] && !yield(m[1], said) {
					return
				}
				said = ""
			} else if m := loggedLine.FindStringSubmatch(line); m != nil {
				said = m[1]
			} else if strings.HasPrefix(line, "Benchmark") {
				said = "" // of another one
			}
		}
	}
}

// topLevel cuts sub-benchmarks and the CPU count.
func topLevel(name string) string {
	name, _, sub := strings.Cut(name, "/")
	if i := strings.LastIndexByte(name, '-'); i > 0 && !sub {
		name = name[:i]
	}
	return name
}

// valueOf returns a result's value in a unit as go test prints it.
func valueOf(r *benchfmt.Result, unit string) (float64, bool) {
	for _, v := range r.Values {
		if v.OrigUnit == unit {
			return v.OrigValue, true
		}
		if v.Unit == unit {
			return v.Value, true
		}
	}
	return 0, false
}

// firstComplaint finds the line that says why a test binary failed.
func firstComplaint(o *workspace.Outcome) string {
	all := append(append([]byte(nil), o.Stderr...), o.Stdout...)
	for line := range strings.Lines(string(all)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	lines := strings.Split(string(o.Stdout), "\n")
	for i, line := range lines {
		// Behind the name on the same line, unless something was printed.
		if k := strings.Index(line, "--- FAIL: "); k >= 0 {
			why := strings.TrimSpace(line[k:])
			switch {
			case i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    "):
				why += ": " + strings.TrimSpace(lines[i+1])
			case i > 0 && strings.HasPrefix(lines[i-1], "    "): // by -test.v
				why += ": " + strings.TrimSpace(lines[i-1])
			}
			return why
		}
	}
	if l := workspace.FirstLine(o.Stderr); l != "" {
		return l
	}
	if o.Err != nil {
		return o.Err.Error()
	}
	return "no result"
}

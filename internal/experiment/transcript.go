package experiment

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// A transcript is what go test printed besides results: which packages failed, which
// were cut short, and why a benchmark has no result.
type transcript struct {
	gaps []Gap
	// unclosed are packages with results and without a line that says how they ended.
	// Where others have one, or go test printed the results, they were cut short; a file
	// that a tool wrote has none.
	unclosed []Gap
	closed   bool           // some package says how it ended
	reasons  map[Key]string // why a benchmark, or a package, has no results though nothing failed
	torn     bool           // the last line is part of a result
}

// A section is what a package printed.
type section struct {
	pkg     string
	header  bool // go test's goos line
	tabs    bool // go test's results
	results bool
	began   string // the benchmark whose result is to come
	said    string // what it printed in its place
	passed  bool
	fails   []Gap
	why     string // the first line that tells why it ended
	stopped bool   // why is a line that go test prints of a failed package only
}

var (
	failLine   = lazyregexp.New(`^\s*(?:Benchmark\S*\s+)?--- FAIL: (\S+)`)
	skipLine   = lazyregexp.New(`^\s*(?:Benchmark\S*\s+)?--- SKIP: Benchmark(\S+)`)
	failedLine = lazyregexp.New(`^FAIL\t(\S+)(?:\s+(\[.*\])|\s|$)`)
	passedLine = lazyregexp.New(`^ok  \t(\S+)\s*(.*)`)
	emptyLine  = lazyregexp.New(`^\?\s+(\S+)\s+\[(no test files)\]`)
	beganLine  = lazyregexp.New(`^Benchmark(\S*)[ \t]*\t[ \t]*(.*)`)
	resultLine = lazyregexp.New(`^Benchmark\S*\s+\d+\s+[-+]?(?:\d|Inf|NaN)\S*\s+\S`)
	resultTail = lazyregexp.New(`^\s*\d+\t *[-+]?(?:\d|Inf|NaN)\S* \S+`)
	deathLine  = lazyregexp.New(`^(?:Benchmark\S*\s+)?((?:panic: |fatal error: |signal: |SIGQUIT: |exit status \d|\*\*\* Test killed|testing: race detected|WARNING: DATA RACE|unexpected fault address|runtime: goroutine stack exceeds).*)`)
	// Of these, go test prints the first three of a failed package only.
	stopLine = lazyregexp.New(`^(signal: |exit status [1-9]|\*\*\* Test killed|WARNING: DATA RACE|testing: race detected)`)
)

// readTranscript reads what go test printed. Errors of the compiler may stand before
// the line of the package, and lines of a program may be anywhere: a panic or a failed
// benchmark counts if its package did not end with ok.
func readTranscript(text []byte) transcript {
	t := transcript{reasons: make(map[Key]string)}
	var now section
	why := make(map[string]string) // by package, of the compiler
	builds, failed := "", false
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		next := ""
		if i+1 < len(lines) {
			next = strings.TrimRight(lines[i+1], "\r")
		}
		if m := deathLine.FindStringSubmatch(line); m != nil {
			if now.passed {
				t.end(&now) // of the next package
			}
			now.why = cmp.Or(now.why, m[1])
			now.stopped = now.stopped || stopLine.MatchString(m[1])
			if !strings.HasPrefix(line, "Benchmark") {
				continue
			}
		}
		if pkg, ok := strings.CutPrefix(line, "pkg: "); ok {
			if now.pkg != "" && now.pkg != pkg || now.passed {
				t.end(&now)
			}
			now.pkg = strings.TrimSpace(pkg)
		} else if strings.HasPrefix(line, "goos: ") {
			if now.pkg != "" || now.passed {
				t.end(&now)
			}
			now.header = true
		} else if m := failLine.FindStringSubmatch(line); m != nil {
			if now.passed {
				t.end(&now)
			}
			g := Gap{Benchmark: strings.TrimPrefix(m[1], "Benchmark"), Why: strings.TrimSpace(line[strings.Index(line, "--- FAIL"):])}
			if g.Benchmark == m[1] {
				g.Benchmark = "" // a test
			}
			if strings.HasPrefix(next, "    ") && !strings.Contains(next, "--- ") {
				g.Why += ": " + strings.TrimSpace(next)
			}
			now.fails, now.began = append(now.fails, g), ""
		} else if m := skipLine.FindStringSubmatch(line); m != nil {
			t.reasons[Key{now.pkg, m[1], ""}] = "it is skipped"
			now.began = ""
		} else if m := failedLine.FindStringSubmatch(line); m != nil {
			t.failed(&now, m[1], m[2], why[m[1]])
		} else if m := passedLine.FindStringSubmatch(line); m != nil {
			if now.pkg == "" || now.pkg == m[1] {
				now = section{}
			}
			t.closed = true
			if strings.Contains(m[2], "[no tests to run]") {
				t.reasons[Key{Package: m[1]}] = "no tests to run"
			}
		} else if m := emptyLine.FindStringSubmatch(line); m != nil {
			t.reasons[Key{Package: m[1]}] = m[2]
		} else if rest, ok := strings.CutPrefix(line, "# "); ok {
			builds, _, _ = strings.Cut(rest, " ")
		} else if builds != "" && why[builds] == "" && strings.TrimSpace(line) != "" {
			why[builds] = strings.TrimSpace(line)
		} else if line == "PASS" {
			now.passed, t.closed = true, true
		} else if line == "FAIL" {
			failed = true // perhaps of all packages
			now.stopped = now.stopped || !now.passed && (now.pkg != "" || len(now.fails) > 0)
		} else if resultLine.MatchString(line) {
			if now.passed { // of another process
				t.end(&now)
			}
			now.results, now.began = true, ""
			now.tabs = now.tabs || strings.Contains(line, "\t")
		} else if m := beganLine.FindStringSubmatch(line); m != nil {
			now.began, now.said, now.tabs = m[1], m[2], true
		} else if resultTail.MatchString(line) {
			now.results, now.began = true, ""
		}
	}
	last := lines[len(lines)-1]
	t.torn = strings.HasPrefix(last, "Benchmark") && !now.passed
	t.end(&now)
	t.torn = t.torn && slices.ContainsFunc(t.gaps, func(g Gap) bool { return g.Why == cutShort })
	if failed && len(t.gaps) == 0 {
		t.gaps = []Gap{{Why: "FAIL"}}
	}
	return t
}

const cutShort = "the output is cut short: no line says how the package ended"

// failed notes a package that go test says has failed.
func (t *transcript) failed(now *section, pkg, how, compiler string) {
	t.closed = true
	what := strings.Join(strings.Fields("FAIL "+how+" "+compiler), " ")
	if now.pkg == "" && now.why == "" && len(now.fails) == 0 && slices.ContainsFunc(t.gaps, func(g Gap) bool { return g.Package == pkg }) {
		*now = section{}
		return // said before
	}
	if now.pkg != "" && now.pkg != pkg {
		t.gaps = append(t.gaps, Gap{Package: pkg, Why: what})
		return
	}
	now.pkg = pkg
	if len(now.fails) == 0 && now.began == "" {
		now.why = cmp.Or(now.why, what)
	}
	now.stopped, now.passed = true, false
	t.end(now)
}

// end closes a section that has no ok line.
func (t *transcript) end(now *section) {
	defer func() { *now = section{} }()
	was := *now
	for _, g := range was.fails {
		g.Package = was.pkg
		if !slices.Contains(t.gaps, g) {
			t.gaps = append(t.gaps, g)
		}
	}
	whole := Gap{Package: was.pkg, Benchmark: was.began}
	switch {
	case was.stopped && len(was.fails) > 0 && was.began == "":
	case was.stopped:
		whole.Why = cmp.Or(was.why, "FAIL")
		if strings.HasPrefix(whole.Why, "exit status") && was.said != "" {
			whole.Why = was.said + ": " + whole.Why
		}
		if !slices.Contains(t.gaps, whole) {
			t.gaps = append(t.gaps, whole)
		}
	case was.passed || !was.results && was.began == "":
	case was.why != "":
		whole.Why = was.why
		t.gaps = append(t.gaps, whole)
	case was.header && was.tabs || t.closed || was.began != "":
		whole.Why = cutShort
		t.gaps = append(t.gaps, whole)
	default:
		whole.Why = cutShort
		t.unclosed = append(t.unclosed, whole)
	}
}

// whole leaves out a last line that was not written to its end.
func (t *transcript) whole(text []byte) []byte {
	if !t.torn {
		return text
	}
	return text[:bytes.LastIndexByte(text, '\n')+1]
}

// Gaps returns what a column was to measure and did not, as far as its file says so.
// Beside other, whose packages say how they ended, a package that doesn't was cut short.
func (c *Column) Gaps(other *Column) []Gap {
	gaps := slices.Clone(c.gaps)
	if other != nil && other.closed {
		gaps = append(gaps, c.unclosed...)
	}
	return gaps
}

// ExplainMissing says why head lacks what the base has, as far as its file tells.
func (f *Family) ExplainMissing(head *Column) {
	for i := range f.Missing {
		g := &f.Missing[i]
		if g.Why != NotMeasured {
			continue
		}
		g.Why = head.why(Key{g.Package, g.Benchmark, g.Unit})
		if g.Why == "" {
			g.Why = "not in " + head.Label
			if g.Unit == "B/op" || g.Unit == "allocs/op" {
				g.Why += ", which was measured without -benchmem"
			}
		}
	}
}

// why tells why a column has no values of a series; "": its file doesn't say.
func (c *Column) why(k Key) string {
	if n := c.notNumber(k); n != nil {
		return n.String()
	}
	if k.Unit != "" {
		return "" // others of the benchmark were measured
	}
	if n := c.notNumberOf(k.Name()); n != nil {
		return n.String()
	}
	gaps := slices.Concat(c.gaps, c.unclosed)
	for _, g := range gaps {
		if g.Package == k.Package && g.Benchmark != "" && withoutProcs(g.Benchmark) == withoutProcs(k.Benchmark) {
			return g.Why
		}
	}
	for _, key := range []Key{{k.Package, k.Benchmark, ""}, {k.Package, withoutProcs(k.Benchmark), ""}, {Package: k.Package}} {
		if why := c.reasons[key]; why != "" {
			return why
		}
	}
	for _, g := range gaps {
		if g.Package == k.Package {
			return "not measured before " + g.String()
		}
	}
	return ""
}

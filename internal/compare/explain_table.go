package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/report"
	"golang.org/x/perf/benchunit"
)

// nameWidth is what a table has room for, of names that may have hundreds of
// characters.
const nameWidth = 72

// title is "Parse-2 sec/op, 501.2n → 340.1n, -32.10%: what moved it, by CPU profiles".
func (e *explanation) title() string {
	class := benchunit.ClassOf(e.unit)
	return fmt.Sprintf("%s %s, %s → %s, %s: what moved it, by %s", printable(e.key.Benchmark), e.unit,
		benchunit.Scale(e.base, class), benchunit.Scale(e.head, class), e.relative, e.what)
}

// A movedLine is a line of a table: a function, or a sum in words.
type movedLine struct {
	change, interval string
	callees          string // with callees, before and after: 17.07µ → 0
	name, full       string // of a function as it fits, and all of it
	words            string // instead of a name, or behind it: "(gone)"
}

// movedHeader is above the lines.
var movedHeader = []string{"own", fmt.Sprintf("%.0f %% interval", 100*confidence), "with callees", "function"}

// lines returns what adds up to the change: at most so many rows, and sums of all others.
// What is below a hundredth of the change is left to those.
func (e *explanation) lines(most int) []movedLine {
	if len(e.rows) == 0 {
		return nil
	}
	p := e.printer()
	var lines []movedLine
	smaller, sum := 0, 0.0
	for i := range e.rows {
		r := &e.rows[i]
		if i >= most || math.Abs(r.ownChange.value) < math.Abs(e.change.value)/100 {
			smaller++
			sum += r.ownChange.value
			continue
		}
		lines = append(lines, p.function(r, r.ownChange))
	}
	if smaller > 0 {
		lines = append(lines, movedLine{change: p.signed(sum), words: counted(smaller, "smaller change")})
	}
	if e.others > 0 {
		lines = append(lines, movedLine{change: p.signed(e.othersOwn.value), interval: p.interval(e.othersOwn), words: counted(e.others, "function") + " within their noise"})
	}
	if e.remainder.why != "" {
		lines = append(lines, movedLine{change: p.signed(e.remainder.value), words: "the rest: " + e.remainder.why})
	}
	return append(lines, movedLine{change: p.signed(e.change.value), interval: p.interval(e.change), words: "the change"})
}

// callerLines returns functions whose callees moved, the change being with those.
func (e *explanation) callerLines(most int) []movedLine {
	p := e.printer()
	var lines []movedLine
	for i := range e.callers[:min(most, len(e.callers))] {
		lines = append(lines, p.function(&e.callers[i], e.callers[i].cumChange))
	}
	return lines
}

// callersTitle is above the lines of callers.
const callersTitle = "with callees, one within another, so they do not add up"

// notes are what else is to be said, each a sentence.
func (e *explanation) notes() []string {
	var notes []string
	if e.tooFew != nil {
		notes = append(notes, e.tooFew.text(e))
	}
	if e.caveat != "" {
		notes = append(notes, e.caveat)
	}
	return notes
}

func (t *tooFew) text(e *explanation) string {
	text := fmt.Sprintf("too few samples to say what moved it, %d and %d: each function is within its noise", t.samples[0], t.samples[1])
	switch {
	case t.long > time.Hour:
		text += fmt.Sprintf("; to see one that changed by %s takes more than an hour of profiles", e.printer().plain(math.Abs(e.change.value)))
	case t.long > 0:
		long := shortDuration(t.long)
		text += fmt.Sprintf("; profile longer: one that changed by %s is seen in %s, -profiletime %[2]s", e.printer().plain(math.Abs(e.change.value)), long)
	default:
		text += "; longer profiles have more: -profiletime"
	}
	return text
}

// shortDuration is a duration without the zeroes behind: 10m.
func shortDuration(d time.Duration) string {
	text := strings.TrimSuffix(d.String(), "0s")
	if strings.HasSuffix(text, "m") || strings.HasSuffix(text, "h") {
		if short, ok := strings.CutSuffix(text, "h0m"); ok {
			return short + "h"
		}
		return text
	}
	return d.String()
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// A movedPrinter prints values of one table in one scale.
type movedPrinter struct{ benchunit.Scaler }

func (e *explanation) printer() movedPrinter {
	largest := math.Abs(e.change.value)
	for i := range e.rows {
		largest = max(largest, math.Abs(e.rows[i].ownChange.value))
	}
	return movedPrinter{benchunit.CommonScale([]float64{largest}, benchunit.ClassOf(e.unit))}
}

func (p movedPrinter) function(r *movedRow, change bounded) movedLine {
	full := printable(r.name)
	l := movedLine{change: p.signed(change.value), interval: p.interval(change), callees: p.plain(r.cum[0]) + " → " + p.plain(r.cum[1]), full: full, name: report.FitName(full, nameWidth)}
	switch {
	case r.isNew:
		l.words = "(new)"
	case r.isGone:
		l.words = "(gone)"
	}
	return l
}

func (p movedPrinter) signed(v float64) string {
	text := p.plain(math.Abs(v))
	switch {
	case text == "0":
		return text
	case v < 0:
		return "-" + text
	}
	return "+" + text
}

// plain prints a value of at least 0, and what rounds to 0 as that.
func (p movedPrinter) plain(v float64) string {
	text := p.Format(v)
	if strings.Trim(strings.TrimSuffix(text, p.Prefix), "0.") == "" {
		return "0"
	}
	return text
}

// interval prints an interval in the scale of the values, without repeating the
// prefix of their unit.
func (p movedPrinter) interval(b bounded) string {
	if b.lo == b.hi {
		return "exact"
	}
	end := func(v float64) string {
		if math.IsInf(v, 0) {
			return map[bool]string{true: "∞", false: "-∞"}[v > 0]
		}
		return fmt.Sprintf("%+.*f", p.Prec, v/p.Factor)
	}
	return "[" + end(b.lo) + ", " + end(b.hi) + "]"
}

package compare

import (
	"fmt"
	"math"
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
	return fmt.Sprintf("%s %s, %s → %s, %s: what moved it, by %s", Printable(e.key.Benchmark), e.unit,
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
	s := e.scale()
	var lines []movedLine
	smaller, sum := 0, 0.0
	for i := range e.rows {
		r := &e.rows[i]
		if i >= most || math.Abs(r.ownChange.value) < math.Abs(e.change.value)/100 {
			smaller++
			sum += r.ownChange.value
			continue
		}
		lines = append(lines, s.function(r, r.ownChange))
	}
	if smaller > 0 {
		lines = append(lines, movedLine{change: s.change(sum), words: Counted(smaller, "smaller change")})
	}
	if e.others > 0 {
		lines = append(lines, movedLine{change: s.change(e.othersOwn.value), interval: s.interval(e.othersOwn.lo, e.othersOwn.hi), words: Counted(e.others, "function") + " within their noise"})
	}
	if e.remainder.why != "" {
		lines = append(lines, movedLine{change: s.change(e.remainder.value), words: "the rest: " + e.remainder.why})
	}
	return append(lines, movedLine{change: s.change(e.change.value), interval: s.interval(e.change.lo, e.change.hi), words: e.totalWords(s)})
}

// totalWords describes the change, which is an estimate. If the difference of the medians in the
// title is another figure, readers would look for a mistake.
func (e *explanation) totalWords(s scale) string {
	const total = "total change"
	medians := s.change(e.head - e.base)
	if medians == s.change(e.change.value) {
		return total
	}
	from := "all samples"
	if e.paired {
		from = "pairs of samples"
	}
	return fmt.Sprintf("%s, estimated from %s; the medians differ by %s", total, from, medians)
}

// callerLines returns functions whose callees moved, the change being with those.
func (e *explanation) callerLines(most int) []movedLine {
	s := e.scale()
	var lines []movedLine
	for i := range e.callers[:min(most, len(e.callers))] {
		lines = append(lines, s.function(&e.callers[i], e.callers[i].cumChange))
	}
	return lines
}

// callersTitle is above the lines of callers.
const callersTitle = "with callees (nested, so these don't add up)"

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
	text := fmt.Sprintf("too few samples to say what moved it (%d and %d): every change of a function is within its noise", t.samples[0], t.samples[1])
	change := e.scale().plain(math.Abs(e.change.value))
	switch {
	case t.long > time.Hour:
		text += "; to see a function that changed by " + change + " takes more than an hour of profiles"
	case t.long > 0:
		text += fmt.Sprintf("; -profiletime %s would show a function that changed by %s", shortDuration(t.long), change)
	default:
		text += "; profile for longer with -profiletime"
	}
	return text
}

// shortDuration is a duration without trailing zeros: 10m.
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

// scale is that of all values of the explanation.
func (e *explanation) scale() scale {
	largest := math.Abs(e.change.value)
	for i := range e.rows {
		largest = max(largest, math.Abs(e.rows[i].ownChange.value))
	}
	return unitScale(largest, e.unit)
}

func (s scale) function(r *movedRow, change bounded) movedLine {
	full := Printable(r.name)
	l := movedLine{change: s.change(change.value), interval: s.interval(change.lo, change.hi), callees: s.plain(r.cum[0]) + " → " + s.plain(r.cum[1]), full: full, name: report.FitName(full, nameWidth)}
	switch {
	case r.isNew:
		l.words = "(new)"
	case r.isGone:
		l.words = "(gone)"
	}
	return l
}

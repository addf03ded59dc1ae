package compare

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
)

// An Outcome says whether a comparison passes a gate.
type Outcome string

const (
	Passed     Outcome = "passed"
	Regressed  Outcome = "regressed"  // a metric is worse beyond its budget
	Incomplete Outcome = "incomplete" // something that should have been measured was not
)

// A Review is what a reviewer is told about a change.
type Review struct {
	Outcome Outcome
	Title   string // one line of plain text
	Body    string // the comparison in Markdown, at most MarkdownBytes
}

// Review returns the review of the comparison.
func (c *Comparison) Review() (Review, error) {
	f := c.facts()
	r := Review{Outcome: f.verdict.outcome, Title: f.verdict.title}
	var b strings.Builder
	err := c.writeMarkdown(&b)
	r.Body = b.String()
	return r, err
}

// A Link leads to a page with more about a comparison.
type Link struct{ Text, URL string }

// longestURL bounds addresses, in bytes: browsers and servers take about as much.
const longestURL = 2000

func (l Link) markdown() string {
	text := prose(clip(l.Text, longestName))
	u, err := url.Parse(l.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(l.URL) > longestURL {
		return text
	}
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		switch {
		case c == '&':
			b.WriteString("&amp;") // Markdown reads &lt; in an address as <
		case c > ' ' && c < 0x7f && !strings.ContainsRune("<>|@`\\\"^{}", rune(c)):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return fmt.Sprintf("[%s](<%s>)", text, b.String())
}

// A verdict sums up a comparison.
type verdict struct {
	outcome Outcome
	title   string
	doubt   bool // something is worse, but doesn't fail a gate
}

// icon lets a reviewer see the verdict before reading it.
func (v verdict) icon() string {
	switch {
	case v.outcome == Regressed:
		return "❌"
	case v.outcome == Incomplete || v.doubt:
		return "⚠️"
	}
	return "✅"
}

// verdictOf sums up two sides.
func verdictOf(s *Sides, rows []Row) verdict {
	count := make(map[experiment.Verdict]int)
	fails, compared := 0, 0
	for _, r := range rows {
		switch {
		case r.fails:
			fails++
		case r.outcome != experiment.OneSided && r.outcome != experiment.OtherClock:
			count[r.outcome]++
		}
		if r.outcome != experiment.OneSided && r.outcome != experiment.OtherClock {
			compared++
		}
	}
	v := verdict{outcome: Passed, doubt: count[experiment.Worse] > 0}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, Counted(n, what))
		}
	}
	add(fails, "regression")
	if n := count[experiment.Worse]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d worse, but not certainly beyond the budget", n))
	}
	add(count[experiment.Better], "improvement")
	add(count[experiment.Differs], "difference")
	if compared == 0 {
		parts = []string{"nothing could be compared"}
	} else if len(parts) == 0 {
		parts = []string{"no change found in " + Counted(compared, "result")}
	} else if fails == 0 && !v.doubt {
		parts = append([]string{"no regressions"}, parts...)
	}
	if len(s.Unmeasured)+len(s.Missing) > 0 {
		v.outcome = Incomplete
		parts = append(parts, "not everything was measured")
	}
	if fails > 0 {
		v.outcome = Regressed
	}
	v.title = strings.Join(parts, ", ")
	return v
}

// overall is the verdict of all pairs: the worst of theirs.
func (c *Comparison) overall(pairs []pairFacts) verdict {
	if len(pairs) > 0 {
		return slices.MaxFunc(pairs, func(a, b pairFacts) int {
			return cmp.Compare(a.verdict.severity(), b.verdict.severity())
		}).verdict
	}
	v := verdict{outcome: Passed, title: nothingMeasured}
	if c.measured() {
		v.title = "measured, and compared with nothing"
	} else if len(c.Warnings) > 0 || slices.ContainsFunc(c.inputs, func(in *input) bool { return in.run != nil && len(in.run.Failures) > 0 }) {
		v.outcome = Incomplete
	}
	return v
}

func (v verdict) severity() int {
	switch {
	case v.outcome == Regressed:
		return 3
	case v.outcome == Incomplete:
		return 2
	case v.doubt:
		return 1
	}
	return 0
}

// icon marks what got better and worse in a column of verdicts.
func (r *Row) icon() string {
	switch {
	case r.fails:
		return "❌"
	case r.outcome == experiment.Worse:
		return "⚠️"
	case r.outcome == experiment.Better:
		return "✅"
	}
	return ""
}

// worstFirst returns what changed: what fails a gate, then what else is worse, and what is better
// last; the largest change of each first.
func (p *pairFacts) worstFirst() []Row {
	rank := func(r *Row) int {
		switch {
		case r.fails:
			return 0
		case r.outcome == experiment.Worse:
			return 1
		case r.outcome == experiment.Differs:
			return 2
		}
		return 3
	}
	rows := slices.Clone(p.changed)
	slices.SortStableFunc(rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(rank(&x), rank(&y)), cmp.Compare(y.size, x.size))
	})
	return rows
}

// sizeOf is how large a change is: the logarithm of a ratio, or the part of the larger side.
func sizeOf(c *experiment.Comparison) float64 {
	size := math.Log(c.Change)
	if c.Scale != experiment.Ratio {
		size = c.Change / max(math.Abs(c.Base.Center), math.Abs(c.Head.Center))
	}
	if math.IsNaN(size) {
		return 0
	}
	return math.Abs(size)
}

// repeat is the command that measures, or compares, the same again; "" if it is not known.
func (c *Comparison) repeat() string {
	if len(c.inputs) == 0 {
		return ""
	}
	last := c.inputs[len(c.inputs)-1]
	if last.run != nil && (len(c.inputs) == 1 || c.inputs[0].run != nil && c.inputs[0].run.ID == last.run.ID) {
		return CommandLine(last.run.Command)
	}
	words := []string{"hone", "compare"}
	for _, in := range c.inputs {
		switch {
		case in.explicit || in.Label == "-":
			return ""
		case in.run == nil:
			words = append(words, in.Label)
		case in.side == experiment.Base:
			words = append(words, in.run.ID+":base")
		default:
			words = append(words, in.run.ID)
		}
	}
	return CommandLine(words)
}

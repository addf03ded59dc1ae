package advice

import (
	"go/token"
	"slices"
)

// Runs says how often the statement at a position runs per operation of a benchmark. ok is false if that
// isn't known.
type Runs interface {
	At(token.Position) (perOp float64, ok bool)
}

// maxCounted limits the subjects whose lines are counted: each takes a second or two.
const maxCounted = 8

// toCount are the subjects in which lines cost most, the hottest lines first.
func (e *evidence) toCount(lines []*hot) (subjects []string) {
	for _, h := range lines {
		subject, ok := e.costliest(h.match(about{folded: true}))
		if !ok || e.subjects[subject] == "" || slices.Contains(subjects, e.subjects[subject]) {
			continue
		}
		if subjects = append(subjects, e.subjects[subject]); len(subjects) == maxCounted {
			break
		}
	}
	return subjects
}

// Benchmarked reports whether the line costs most in a benchmark that was measured.
func (c *Costs) Benchmarked() bool {
	i, ok := c.seen.costliest(c.hot.match(about{folded: true}))
	return ok && c.seen.opTimes[i] > 0
}

// RunsPerOp returns how often the statement at a position runs per operation of the subject where the
// line's own work costs most. ok is false if that wasn't counted.
func (c *Costs) RunsPerOp(at token.Position) (perOp float64, subject string, ok bool) {
	i, ok := c.seen.costliest(c.hot.match(about{folded: true}))
	if !ok {
		return 0, "", false
	}
	subject = c.seen.subjects[i]
	runs := c.seen.runs[subject]
	if runs == nil {
		return 0, "", false
	}
	perOp, ok = runs.At(at)
	return perOp, subject, ok
}

package advice

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxPoints is how many findings the summary names: few people read on.
const maxPoints = 3

// leastWorth is what a finding in the summary is worth at least: an expected saving of 1 %.
const leastWorth = 0.01

// summary returns the first of ranked findings that are worth doing.
func summary(ranked []Finding) []Point {
	points := []Point{}
	several := ofSeveral(ranked)
	for i := range ranked {
		f := &ranked[i]
		if len(points) < maxPoints && f.worthDoing() {
			p := Point{ID: f.ID, File: f.File, Line: f.Line, Package: f.Package, What: f.Title, Most: f.Bound.Most()}
			if several {
				p.Benchmark = f.Evidence.Subject
			}
			points = append(points, p)
		}
	}
	return points
}

// ofSeveral reports whether findings are about several benchmarks, programs or services.
func ofSeveral(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Evidence.Subject != all[0].Evidence.Subject })
}

// worthDoing reports whether a finding probably gains something. A leak of goroutines counts too, though
// fixing it promises no gain. Settings of the collector don't count: allocating less comes first.
func (f *Finding) worthDoing() bool {
	return f.Shown() && f.Class != Look && f.Try != BySetting && (f.Bound.Worth >= leastWorth || f.Bound.Waiting >= leastSaved || f.Bound.Live >= leastSaved || f.Rule == goroutineLeakID)
}

// Most returns the largest possible gain in words; "" if it is unknown or next to nothing.
func (b *Bound) Most() string {
	switch {
	case b.Live >= leastSaved:
		return "at most " + b.liveText()
	case b.Waiting >= leastSaved:
		return fmt.Sprintf("at most %.0f %% of the waiting", 100*b.Waiting)
	case b.Time >= leastSaved && (b.Speedup == 0 || b.Speedup > 100):
		return "saves up to nearly all of the time"
	case b.Speedup >= 1.01:
		return "at most " + times(b.Speedup)
	case b.Bytes >= leastSaved:
		return fmt.Sprintf("at most %.0f %% of the bytes", 100*b.Bytes)
	}
	return ""
}

// Title introduces the summary.
func (r *Report) Title() string {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].worthDoing() {
			n++
		}
	}
	switch {
	case n == 0:
		return "Nothing with a known pattern is worth doing."
	case n == 1:
		return "1 thing is worth doing:"
	case n > len(r.Summary):
		return fmt.Sprintf("The first %d of %d things that are worth doing:", len(r.Summary), n)
	}
	return fmt.Sprintf("%d things are worth doing:", n)
}

// text returns the point as a line: "a.go:7  a string grows by + in a loop: at most 3.3 times as fast".
func (p *Point) text(dir string) string {
	place := p.Package
	if p.File != "" {
		place = shownFrom(dir, p.File, p.Line)
	}
	if place != "" {
		place += "  "
	}
	text := place + p.What
	if p.Most != "" {
		text += ": " + p.Most
	}
	if p.Benchmark != "" {
		text += " (" + p.Benchmark + ")"
	}
	return onOneLine(text)
}

// summaryText writes the summary's lines, with files as seen from dir.
func (r *Report) summaryText(b *strings.Builder, dir string) {
	b.WriteString(r.Title() + "\n")
	for i := range r.Summary {
		b.WriteString("    " + r.Summary[i].text(dir) + "\n")
	}
	b.WriteString("\n")
}

// WriteMarkdown writes the summary, and a line for each finding that is shown, as Markdown for the summary
// of a job or a comment on a pull request.
func (r *Report) WriteMarkdown(w io.Writer, dir string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### Advice\n\n%s\n\n", r.Title())
	for i := range r.Summary {
		p := &r.Summary[i]
		fmt.Fprintf(&b, "%d. %s\n", i+1, markdown(p.text(dir)))
	}
	if len(r.Summary) > 0 {
		b.WriteString("\n")
	}
	rows := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Shown() {
			continue
		}
		if rows++; rows == 1 {
			b.WriteString("| finding | place | gain | class |\n|---|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| %s (`%s`) | %s | %s | %s |\n", markdown(f.Title), f.ID, markdown(f.Place(dir)), f.Bound.Most(), f.Class)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown escapes what Markdown and its tables treat as markup.
func markdown(s string) string {
	return strings.NewReplacer("\\", `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "\n", " ").Replace(s)
}

package compare

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// MarkdownBytes is how long a comparison in Markdown gets at most. GitHub refuses comments with
// more than 65,536 characters; what posts them adds a few lines.
const MarkdownBytes = 60_000

// Of what changed, a reviewer sees so many rows, and of a function's relatives so many.
const (
	reviewRows      = 15
	reviewFunctions = 10
	reviewNotes     = 5
	reportCallers   = 5 // functions whose callees moved
)

// writeMarkdown prints what a reviewer wants to know in ten seconds: the verdict and what
// changed, the worst first. All else is folded. What has no room is counted.
func (c *Comparison) writeMarkdown(w io.Writer) error {
	f := c.facts()
	end := f.markdownEnd()
	out := &sheet{limit: MarkdownBytes - len(end)}
	for i := range f.pairs {
		if i > 0 {
			out.put("\n")
		}
		f.pairs[i].writeMarkdown(out, len(f.pairs)-i)
	}
	switch {
	case f.empty:
		out.put(fmt.Sprintf("### %s Benchmarks: %s\n", f.verdict.icon(), f.verdict.title))
	case len(f.pairs) == 0:
		out.put(fmt.Sprintf("### Benchmarks of %s\n\n", code(clip(f.alone, longestLabel))))
		out.table([]string{"benchmark", "unit", "median", "", "samples"}, f.medians, "ccrrr")
	}
	_, err := io.WriteString(w, out.String()+end)
	return err
}

// A sheet is Markdown of a limited size.
type sheet struct {
	strings.Builder
	limit int
}

// countRoom is what the lines need that say how much was left out, and the ends of folds.
const countRoom = 200

// put writes a text if there is room for it.
func (s *sheet) put(text string) bool {
	if s.Len()+len(text) > s.limit-countRoom {
		return false
	}
	s.WriteString(text)
	return true
}

// parts writes n texts as long as there is room, and counts the others.
func (s *sheet) parts(n int, what string, text func(i int) string) {
	for i := range n {
		if !s.put(text(i)) {
			fmt.Fprintf(s, "\n%s left out\n", Counted(n-i, what))
			return
		}
	}
}

// fold writes what is shown when its title is clicked, if there is room for any of it.
func (s *sheet) fold(title string, content func()) {
	if !s.put(foldStart(title)) {
		return
	}
	content()
	s.WriteString(foldEnd)
}

const foldEnd = "\n</details>\n"

func foldStart(title string) string {
	return fmt.Sprintf("\n<details><summary>%s</summary>\n\n", prose(title))
}

// table writes a table as far as there is room. align has a letter for each column: r for
// numbers, which are ours and stay as they are, w for words that are Markdown
// already, l for other words, and c for names, which are code.
func (s *sheet) table(header []string, rows [][]string, align string) {
	if s.put(tableHeader(header, align)) {
		s.parts(len(rows), "row", func(i int) string { return tableRow(rows[i], align) })
	}
}

func tableHeader(header []string, align string) string {
	var heads, rules []string
	for i, h := range header {
		heads = append(heads, prose(clip(h, longestLabel)))
		rules = append(rules, map[byte]string{'r': "--:", 'w': "---", 'l': "---", 'c': "---"}[align[i]])
	}
	return fmt.Sprintf("| %s |\n| %s |\n", strings.Join(heads, " | "), strings.Join(rules, " | "))
}

func tableRow(cells []string, align string) string {
	out := make([]string, len(cells))
	for i, text := range cells {
		switch align[i] {
		case 'c':
			out[i] = code(clip(text, longestName))
		case 'r', 'w':
			out[i] = text
		default:
			out[i] = prose(clip(text, longestName))
		}
	}
	return fmt.Sprintf("| %s |\n", strings.Join(out, " | "))
}

// writeMarkdown writes one of several pairs, which share what room is left.
func (p *pairFacts) writeMarkdown(out *sheet, pairs int) {
	all := out.limit
	out.limit = out.Len() + (all-out.Len())/pairs
	defer func() { out.limit = all }()

	out.put(fmt.Sprintf("### %s Benchmarks: %s\n\n", p.verdict.icon(), p.verdict.title))
	out.put(fmt.Sprintf("%s. %s against %s.\n", prose(clip(p.summary, longestText)), code(clip(p.head, longestLabel)), code(clip(p.base, longestLabel))))
	worst := p.worstFirst()
	shown := worst[:min(reviewRows, len(worst))]
	if len(shown) > 0 {
		out.put("\n")
		p.verdicts(out, shown)
	}
	if more := worst[len(shown):]; len(more) > 0 {
		out.fold(fmt.Sprintf("%d more that changed", len(more)), func() { p.verdicts(out, more) })
	}
	if len(p.explained) > 0 {
		title := "Which functions caused it"
		if n := len(p.explained); n > 1 {
			title = fmt.Sprintf("Which functions caused it: %d changes explained", n)
		}
		out.fold(title, func() {
			out.parts(len(p.explained), "explanation", func(i int) string { return p.explained[i].markdown(i == 0) })
		})
	}
	if len(p.same) > 0 {
		out.fold(p.unchanged(), func() { p.verdicts(out, p.same) })
	}
}

// verdicts writes rows with the columns that fit beside each other in a comment: which side is
// which, the sentence above says.
func (p *pairFacts) verdicts(out *sheet, rows []Row) {
	var cells [][]string
	for _, r := range rows {
		values, change := unbroken(r.Base+" → "+r.Head), r.Change
		if r.Base == r.Head {
			values = r.Head
		}
		if r.Interval != "-" {
			change += "<br>" + unbroken(r.Interval)
		}
		cells = append(cells, []string{r.icon(), r.name, r.Unit, values, change, r.Verdict})
	}
	out.table([]string{"", "benchmark", "unit", "before → after", "change", "verdict"}, cells, "wclrrl")
}

// unbroken keeps figures on one line.
func unbroken(figures string) string { return strings.ReplaceAll(figures, " ", "&nbsp;") }

// markdown returns the functions that moved a benchmark.
func (e *explanation) markdown(first bool) string {
	var b strings.Builder
	if !first {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "**%s**\n\n", prose(clip(e.title(), 2*longestName)))
	moved(&b, movedHeader, e.lines(reviewFunctions))
	if callers := e.callerLines(reportCallers); len(callers) > 0 {
		fmt.Fprintf(&b, "\n%s:\n\n", prose(callersTitle))
		moved(&b, append([]string{"change"}, movedHeader[1:]...), callers)
	}
	for _, n := range e.notes() {
		fmt.Fprintf(&b, "\n%s\n", prose(clip(n, longestText)))
	}
	return b.String()
}

func moved(b *strings.Builder, header []string, lines []movedLine) {
	if len(lines) > 0 {
		b.WriteString(tableHeader(header, "rrrw"))
	}
	for _, l := range lines {
		b.WriteString(tableRow([]string{l.change, l.interval, l.callees, strings.TrimSpace(code(l.name) + " " + prose(l.words))}, "rrrw"))
	}
}

// markdownEnd returns what follows the pairs: notes, warnings, how it was measured, and how to
// measure it again.
func (f *facts) markdownEnd() string {
	var b strings.Builder
	listed(&b, "Notes", slices.DeleteFunc(slices.Clone(f.notes), func(n string) bool { return slices.Contains(f.methods, n) }))
	listed(&b, "Warnings", f.warnings)
	if len(f.environment)+len(f.methods) > 0 {
		b.WriteString(foldStart("How it was measured"))
		for _, m := range f.methods {
			fmt.Fprintf(&b, "- %s\n", prose(clip(m, longestText)))
		}
		for i, e := range f.environment {
			if i == 40 {
				fmt.Fprintf(&b, "- %s left out\n", Counted(len(f.environment)-i, "line"))
				break
			}
			fmt.Fprintf(&b, "- %s: %s\n", prose(clip(e.name, longestLabel)), code(clip(e.value, longestName)))
		}
		b.WriteString(foldEnd)
	}
	var last []string
	if f.repeat != "" {
		last = append(last, "Repeat it: "+code(clip(f.repeat, 2*longestName)))
	}
	for _, l := range f.links {
		last = append(last, l.markdown())
	}
	if len(last) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(last, " · "))
	}
	return b.String()
}

// listed writes a list: a few lines, and a fold with the others.
func listed(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n**%s**\n\n", title)
	for i, line := range lines {
		switch i {
		case reviewNotes:
			b.WriteString(foldStart(strconv.Itoa(len(lines)-i) + " more"))
		case 2 * reviewNotes:
			fmt.Fprintf(b, "- %s left out\n", Counted(len(lines)-i, "line"))
		}
		if i < 2*reviewNotes {
			fmt.Fprintf(b, "- %s\n", prose(clip(line, longestText)))
		}
	}
	if len(lines) > reviewNotes {
		b.WriteString(foldEnd)
	}
}

package compare

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/report"
)

// writeMarkdown prints what a pull request wants to know: the verdict, what
// changed and why, and the rest folded.
func (c *Comparison) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	f := c.facts()
	for i := range f.pairs {
		if i > 0 {
			b.WriteString("\n")
		}
		f.pairs[i].writeMarkdown(&b)
	}
	switch {
	case f.empty:
		fmt.Fprintf(&b, "### Benchmarks: %s\n", nothingMeasured)
	case len(f.pairs) == 0:
		fmt.Fprintf(&b, "### Benchmarks of %s\n\n", code(f.alone))
		c.markdownMedians(&b)
	}
	if len(f.notes) > 0 {
		b.WriteString("\n")
		markdownList(&b, f.notes)
	}
	if len(f.environment) > 0 {
		markdownFold(&b, "Environment", func() {
			for _, e := range f.environment {
				fmt.Fprintf(&b, "- %s: %s\n", prose(e.name), code(e.value))
			}
		})
	}
	if len(f.warnings) > 0 {
		b.WriteString("\n**Warnings**\n\n")
		markdownList(&b, f.warnings)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *pairFacts) writeMarkdown(b *strings.Builder) {
	fmt.Fprintf(b, "### Benchmarks: %s\n\n", p.summary)
	fmt.Fprintf(b, "%s against %s, %s.\n", code(p.head), code(p.base), p.method)
	if len(p.changed) > 0 {
		b.WriteString("\n")
		markdownVerdicts(b, p.columns, p.changed)
	}
	for _, e := range p.explained {
		markdownFold(b, e.title(), func() {
			markdownMoved(b, movedHeader, e.lines(len(e.rows)))
			if callers := e.callerLines(reportCallers); len(callers) > 0 {
				fmt.Fprintf(b, "\n%s:\n\n", prose(callersTitle))
				markdownMoved(b, append([]string{"change"}, movedHeader[1:]...), callers)
			}
			for _, n := range e.notes() {
				fmt.Fprintf(b, "\n%s\n", prose(n))
			}
		})
	}
	if len(p.same) > 0 {
		markdownFold(b, p.unchanged(), func() { markdownVerdicts(b, p.columns, p.same) })
	}
}

// reportCallers is how many of the functions whose callees moved a report shows.
const reportCallers = 5

func markdownMoved(b *strings.Builder, header []string, lines []movedLine) {
	if len(lines) == 0 {
		return
	}
	var rows [][]string
	for _, l := range lines {
		rows = append(rows, []string{l.change, l.interval, l.callees, strings.TrimSpace(code(l.name) + " " + prose(l.words))})
	}
	markdownTable(b, header, rows, "rrrw")
}

func markdownVerdicts(b *strings.Builder, columns []string, rows []Row) {
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, []string{r.name, r.Unit, r.Base, r.Head, r.Change, r.Interval, r.Verdict})
	}
	markdownTable(b, columns, cells, "ccrrrrl")
}

// markdownMedians prints the only column's values.
func (c *Comparison) markdownMedians(b *strings.Builder) {
	var rows [][]string
	for _, t := range c.tables {
		for _, r := range t.Rows {
			for _, cell := range r.Cells {
				rows = append(rows, []string{r.Benchmark, t.Unit, Tidied(cell.Summary.Center, t.Unit), "± " + strings.TrimSpace(cell.Spread()), strconv.Itoa(cell.Samples())})
			}
		}
	}
	markdownTable(b, []string{"benchmark", "unit", "median", "", "samples"}, rows, "ccrrr")
}

// markdownFold writes what is shown when its title is clicked.
func markdownFold(b *strings.Builder, title string, content func()) {
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", prose(title))
	content()
	b.WriteString("\n</details>\n")
}

func markdownList(b *strings.Builder, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(b, "- %s\n", prose(line))
	}
}

// markdownTable prints a table. align has a letter for each column: r for
// numbers, which are ours and stay as they are, w for words that are Markdown
// already, l for other words, and c for names, which are code.
func markdownTable(b *strings.Builder, header []string, rows [][]string, align string) {
	var heads, rules []string
	for i, h := range header {
		heads = append(heads, prose(h))
		rules = append(rules, map[byte]string{'r': "--:", 'w': "---", 'l': "---", 'c': "---"}[align[i]])
	}
	fmt.Fprintf(b, "| %s |\n| %s |\n", strings.Join(heads, " | "), strings.Join(rules, " | "))
	for _, cells := range rows {
		out := make([]string, len(cells))
		for i, text := range cells {
			switch align[i] {
			case 'c':
				out[i] = code(text)
			case 'r', 'w':
				out[i] = text
			default:
				out[i] = prose(text)
			}
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(out, " | "))
	}
}

// code prints a name as code. Benchmarks and labels may be called anything. In a
// code span only backticks mean something, and in a table |, which a table takes
// for the end of a cell even there; what has either goes as HTML, every sign
// of Markdown as a character reference.
func code(name string) string {
	name = report.Visible(strings.ToValidUTF8(Printable(name), "\uFFFD"))
	if name == "" {
		return ""
	}
	if strings.ContainsAny(name, "`|") || strings.TrimSpace(name) != name {
		return "<code>" + prose(name) + "</code>"
	}
	return "`" + name + "`"
}

// prose prints text so that Markdown finds nothing in it to obey: no HTML, link,
// mention or cell. Forges look for mentions, addresses and references to issues in the
// text that is shown, where references to characters don't keep them apart: a space
// without width does.
func prose(text string) string {
	var b strings.Builder
	for _, r := range report.Visible(strings.ToValidUTF8(Printable(text), "\uFFFD")) {
		switch {
		case r == '@' || r == '#':
			fmt.Fprintf(&b, "&#%d;&#8203;", r)
		case strings.ContainsRune("\\`*_{}[]<>|&!~$", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	// Addresses become links without a sign around them.
	return autolinks.Get().ReplaceAllStringFunc(b.String(), func(s string) string {
		switch s[len(s)-1] {
		case '/':
			return "&#58;//"
		case '.':
			return s[:len(s)-1] + "&#46;"
		}
		return s + "&#8203;"
	})
}

var autolinks = lazyregexp.New(`(?i)://|www\.|\bgh-`)

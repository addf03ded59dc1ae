package compare

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

//go:embed compare.css
var compareCSS string

// flameShare is the share of the total below which frames are folded into their
// callers: a tenth of a pixel of the widest screen.
const flameShare = 1.0 / 80_000

// reportFrames bounds a flame graph of the report: frames of more than about two
// pixels, so that twenty changed benchmarks are a few megabytes.
const reportFrames = 2000

// writeHTML writes one page that needs nothing else and runs no script.
//
// Flame graphs are pictures in the page. The interactive page of hone flame
// could stand in an iframe (srcdoc), but each is half a megabyte, a document in
// srcdoc has the policy of the page around it, which would have to name the
// script of each, and a mail program or a CI service that shows the report
// refuses scripts anyway. What is lost is zoom; tooltips and the browser's own
// search work, and hone ui RUN has the rest.
func (c *Comparison) writeHTML(w io.Writer) error {
	var b bytes.Buffer
	f := c.facts()
	title := "Benchmarks"
	if len(f.pairs) > 0 {
		title = fmt.Sprintf("%s against %s", f.pairs[0].head, f.pairs[0].base)
	}
	sum := sha256.Sum256([]byte(compareCSS))
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&b, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'">`+"\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	b.WriteString(`<meta name="viewport" content="width=device-width, initial-scale=1">` + "\n")
	b.WriteString(`<meta name="color-scheme" content="light dark">` + "\n" + `<link rel="icon" href="data:,">` + "\n")
	fmt.Fprintf(&b, "<title>%s · hone</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n", escaped(title), compareCSS)

	for i := range f.pairs {
		if err := f.pairs[i].writeHTML(&b); err != nil {
			return err
		}
	}
	switch {
	case f.empty:
		fmt.Fprintf(&b, "<h1>Benchmarks: %s</h1>\n", escaped(nothingMeasured))
	case len(f.pairs) == 0:
		fmt.Fprintf(&b, "<h1>Benchmarks of <code>%s</code></h1>\n", escaped(f.alone))
	}
	if len(f.notes) > 0 {
		htmlList(&b, f.notes)
	}
	var medians strings.Builder
	if err := benchstat.WriteTables(&medians, c.tables); err != nil {
		return err
	}
	fmt.Fprintf(&b, "<details%s><summary>Medians, as benchstat prints them</summary>\n<pre>%s</pre>\n</details>\n", open(len(f.pairs) == 0), escaped(medians.String()))
	if len(f.environment) > 0 {
		b.WriteString("<details><summary>Environment</summary>\n<table>\n")
		for _, e := range f.environment {
			fmt.Fprintf(&b, "<tr><th scope=\"row\">%s</th><td><code>%s</code></td></tr>\n", escaped(e.name), escaped(e.value))
		}
		b.WriteString("</table>\n</details>\n")
	}
	if len(f.warnings) > 0 {
		b.WriteString("<h2>Warnings</h2>\n")
		htmlList(&b, f.warnings)
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (p *pairFacts) writeHTML(b *bytes.Buffer) error {
	fmt.Fprintf(b, "<h1>%s</h1>\n<p class=\"method\"><code>%s</code> against <code>%s</code>, %s.</p>\n",
		escaped(p.summary), escaped(p.head), escaped(p.base), escaped(p.method))
	if len(p.changed) > 0 {
		htmlVerdicts(b, "What changed", p.columns, p.changed)
	}
	for _, e := range p.explained {
		if err := e.writeHTML(b); err != nil {
			return err
		}
	}
	if len(p.same) > 0 {
		fmt.Fprintf(b, "<details%s><summary>%s</summary>\n", open(len(p.changed) == 0), escaped(p.unchanged()))
		htmlVerdicts(b, "", p.columns, p.same)
		b.WriteString("</details>\n")
	}
	return nil
}

func htmlList(b *bytes.Buffer, lines []string) {
	b.WriteString("<ul>\n")
	for _, line := range lines {
		fmt.Fprintf(b, "<li>%s</li>\n", escaped(line))
	}
	b.WriteString("</ul>\n")
}

func open(yes bool) string {
	if yes {
		return " open"
	}
	return ""
}

// number is the class of a column's head.
func number(yes bool) string {
	if yes {
		return ` class="number"`
	}
	return ""
}

// escaped prints text as text, whatever a file put into it.
func escaped(text string) string {
	lines := strings.Split(strings.ToValidUTF8(text, "\uFFFD"), "\n")
	for i, line := range lines {
		lines[i] = Printable(line)
	}
	return html.EscapeString(report.Visible(strings.Join(lines, "\n")))
}

func htmlVerdicts(b *bytes.Buffer, caption string, columns []string, rows []Row) {
	b.WriteString("<table class=\"wide\">\n")
	if caption != "" {
		fmt.Fprintf(b, "<caption>%s</caption>\n", escaped(caption))
	}
	b.WriteString("<thead><tr>")
	for i, c := range columns {
		fmt.Fprintf(b, "<th scope=\"col\"%s>%s</th>", number(i >= 2 && i <= 5), escaped(c))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, r := range rows {
		class := ""
		switch r.outcome {
		case experiment.Worse:
			class = ` class="worse"`
		case experiment.Better:
			class = ` class="better"`
		}
		fmt.Fprintf(b, "<tr%s><th scope=\"row\"><code>%s</code></th><td>%s</td>", class, escaped(r.name), escaped(r.Unit))
		for _, v := range []string{r.Base, r.Head, r.Change, r.Interval} {
			fmt.Fprintf(b, "<td class=\"number\">%s</td>", escaped(v))
		}
		fmt.Fprintf(b, "<td>%s</td></tr>\n", escaped(r.Verdict))
	}
	b.WriteString("</tbody>\n</table>\n")
}

func (e *explanation) writeHTML(b *bytes.Buffer) error {
	fmt.Fprintf(b, "<section>\n<h2>%s</h2>\n", escaped(e.title()))
	htmlMoved(b, fmt.Sprintf("Change of %s by function; what they do themselves adds up", e.unit), movedHeader, e.lines(len(e.rows)))
	htmlMoved(b, "The same "+callersTitle, append([]string{"change"}, movedHeader[1:]...), e.callerLines(reportCallers))
	for _, n := range e.notes() {
		fmt.Fprintf(b, "<p>%s</p>\n", escaped(n))
	}
	if e.baseProfile != nil && e.headProfile != nil {
		if err := e.flame(b); err != nil {
			return err
		}
	}
	b.WriteString("</section>\n")
	return nil
}

func htmlMoved(b *bytes.Buffer, caption string, header []string, lines []movedLine) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "<table>\n<caption>%s</caption>\n<thead><tr>", escaped(caption))
	for i, h := range header {
		fmt.Fprintf(b, "<th scope=\"col\"%s>%s</th>", number(i < len(header)-1), escaped(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, l := range lines {
		b.WriteString("<tr>")
		for _, cell := range []string{l.change, l.interval, l.callees} {
			fmt.Fprintf(b, "<td class=\"number\">%s</td>", escaped(cell))
		}
		name := ""
		if l.name != "" {
			name = fmt.Sprintf("<code title=\"%s\">%s</code> ", escaped(l.full), escaped(l.name))
		}
		fmt.Fprintf(b, "<td>%s%s</td></tr>\n", name, escaped(l.words))
	}
	b.WriteString("</tbody>\n</table>\n")
}

// flame writes a picture of both sides: frames are as wide as the larger one, and
// coloured by what changed.
func (e *explanation) flame(b *bytes.Buffer) error {
	index, err := e.headProfile.SampleIndex(e.sampleType)
	if err != nil {
		return err
	}
	// Shares are compared: the two were profiled for as long, not for as many
	// operations.
	diff, err := profile.NewDiffTree(e.baseProfile, e.headProfile, profile.TreeOptions{Types: []int{index}, Normalize: true, MinShare: flameShare})
	if err != nil {
		return err
	}
	b.WriteString("<details open><summary>Flame graph of both sides, coloured by the change of shares: red grew, blue shrank, " +
		"hatched is gone, a bar is new</summary>\n<div class=\"flame\">\n")
	if err := report.FlameInline(b, diff, report.FlameOptions{Title: e.key.Benchmark, MaxNodes: reportFrames}); err != nil {
		return err
	}
	b.WriteString("</div>\n</details>\n")
	return nil
}

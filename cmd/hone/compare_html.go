package main

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
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

//go:embed compare.css
var compareCSS string

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
func (c *comparison) writeHTML(w io.Writer) error {
	var b bytes.Buffer
	title := "Benchmarks"
	if len(c.Families) > 0 {
		title = fmt.Sprintf("%s against %s", c.Families[0].head.Label, c.Families[0].base.Label)
	}
	sum := sha256.Sum256([]byte(compareCSS))
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	fmt.Fprintf(&b, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'">`+"\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	b.WriteString(`<meta name="viewport" content="width=device-width, initial-scale=1">` + "\n")
	b.WriteString(`<meta name="color-scheme" content="light dark">` + "\n" + `<link rel="icon" href="data:,">` + "\n")
	fmt.Fprintf(&b, "<title>%s · hone</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n", escaped(title), compareCSS)

	for _, s := range c.Families {
		fmt.Fprintf(&b, "<h1>%s</h1>\n<p class=\"method\"><code>%s</code> against <code>%s</code>, %s.</p>\n",
			escaped(s.summary()), escaped(s.head.Label), escaped(s.base.Label), escaped(s.method()))
		var changed, same []verdictRow
		for _, r := range s.verdictRows() {
			if r.changed {
				changed = append(changed, r)
			} else {
				same = append(same, r)
			}
		}
		if len(changed) > 0 {
			htmlVerdicts(&b, s, "What changed", changed)
		}
		for _, e := range s.explained {
			if err := e.writeHTML(&b); err != nil {
				return err
			}
		}
		if len(same) > 0 {
			fmt.Fprintf(&b, "<details%s><summary>%d without a change that can be told from noise</summary>\n", open(len(changed) == 0), len(same))
			htmlVerdicts(&b, s, "", same)
			b.WriteString("</details>\n")
		}
	}
	switch {
	case len(c.Tables) == 0:
		fmt.Fprintf(&b, "<h1>Benchmarks: %s</h1>\n", escaped(nothingMeasured))
	case len(c.Families) == 0:
		fmt.Fprintf(&b, "<h1>Benchmarks of <code>%s</code></h1>\n", escaped(c.inputs[0].Label))
	}
	if len(c.Notes) > 0 {
		b.WriteString("<ul>\n")
		for _, note := range c.Notes {
			fmt.Fprintf(&b, "<li>%s</li>\n", escaped(note))
		}
		b.WriteString("</ul>\n")
	}
	var text strings.Builder
	if err := experiment.WriteTables(&text, c.Tables); err != nil {
		return err
	}
	fmt.Fprintf(&b, "<details%s><summary>Medians, as benchstat prints them</summary>\n<pre>%s</pre>\n</details>\n", open(len(c.Families) == 0), escaped(text.String()))
	if env := c.environment(); len(env) > 0 {
		b.WriteString("<details><summary>Environment</summary>\n<table>\n")
		for _, line := range env {
			fmt.Fprintf(&b, "<tr><th scope=\"row\">%s</th><td><code>%s</code></td></tr>\n", escaped(line[0]), escaped(line[1]))
		}
		b.WriteString("</table>\n</details>\n")
	}
	if len(c.Warnings) > 0 {
		b.WriteString("<h2>Warnings</h2>\n<ul>\n")
		for _, warning := range c.Warnings {
			fmt.Fprintf(&b, "<li>%s</li>\n", escaped(warning))
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := w.Write(b.Bytes())
	return err
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
		lines[i] = oneWord(line)
	}
	return html.EscapeString(strings.Join(lines, "\n"))
}

func htmlVerdicts(b *bytes.Buffer, s *sides, caption string, rows []verdictRow) {
	b.WriteString("<table class=\"wide\">\n")
	if caption != "" {
		fmt.Fprintf(b, "<caption>%s</caption>\n", escaped(caption))
	}
	b.WriteString("<thead><tr>")
	for i, h := range []string{"benchmark", "unit", s.base.Label, s.head.Label, "change", fmt.Sprintf("%.0f %% interval", 100*(1-s.Alpha)), "verdict"} {
		fmt.Fprintf(b, "<th scope=\"col\"%s>%s</th>", number(i >= 2 && i <= 5), escaped(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, r := range rows {
		class := ""
		switch {
		case r.worse:
			class = ` class="worse"`
		case r.changed && r.c.Verdict == experiment.Better:
			class = ` class="better"`
		}
		fmt.Fprintf(b, "<tr%s><th scope=\"row\"><code>%s</code></th><td>%s</td>", class, escaped(r.name), escaped(r.unit))
		for _, v := range []string{r.base, r.head, r.change, r.interval} {
			fmt.Fprintf(b, "<td class=\"number\">%s</td>", escaped(v))
		}
		fmt.Fprintf(b, "<td>%s</td></tr>\n", escaped(r.verdict))
	}
	b.WriteString("</tbody>\n</table>\n")
}

func (e *explanation) writeHTML(b *bytes.Buffer) error {
	fmt.Fprintf(b, "<section>\n<h2>%s</h2>\n", escaped(e.title()))
	header, rows := e.table()
	if len(rows) > 0 {
		fmt.Fprintf(b, "<table>\n<caption>%s of functions, and the change of it</caption>\n<thead><tr>", escaped(e.unit))
		for i, h := range header {
			fmt.Fprintf(b, "<th scope=\"col\"%s>%s</th>", number(i < len(header)-1), escaped(h))
		}
		b.WriteString("</tr></thead>\n<tbody>\n")
		for _, cells := range rows {
			b.WriteString("<tr>")
			for i, cell := range cells {
				if i == len(cells)-1 {
					fmt.Fprintf(b, "<td><code>%s</code></td>", escaped(cell))
				} else {
					fmt.Fprintf(b, "<td class=\"number\">%s</td>", escaped(cell))
				}
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody>\n</table>\n")
	}
	if e.caveat != "" {
		fmt.Fprintf(b, "<p>%s</p>\n", escaped(e.caveat))
	}
	if e.baseProfile != nil && e.headProfile != nil {
		if err := e.flames(b); err != nil {
			return err
		}
	}
	b.WriteString("</section>\n")
	return nil
}

// flames writes two pictures: the head coloured by what changed, and, folded,
// the base, since what is gone has no place in the head's.
func (e *explanation) flames(b *bytes.Buffer) error {
	options := func(p *profile.Profile) (profile.TreeOptions, error) {
		index, err := p.SampleIndex(e.sampleType)
		// Shares are compared: the two were profiled for as long, not for as many
		// operations.
		return profile.TreeOptions{Types: []int{index}, Normalize: true, MinShare: flameShare}, err
	}
	to, err := options(e.headProfile)
	if err != nil {
		return err
	}
	diff, err := profile.NewDiffTree(e.baseProfile, e.headProfile, to)
	if err != nil {
		return err
	}
	if to, err = options(e.baseProfile); err != nil {
		return err
	}
	to.Normalize = false
	before, err := profile.NewTree(e.baseProfile, to)
	if err != nil {
		return err
	}
	for i, g := range []struct {
		title string
		tree  *profile.Tree
	}{
		{"Flame graph of the head, coloured by the change of shares: red grew, blue shrank", diff},
		{"Flame graph of the base", before},
	} {
		fmt.Fprintf(b, "<details%s><summary>%s</summary>\n<div class=\"flame\">\n", open(i == 0), escaped(g.title))
		if err := report.FlameInline(b, g.tree, report.FlameOptions{Title: e.key.Benchmark, MaxNodes: reportFrames}); err != nil {
			return err
		}
		b.WriteString("</div>\n</details>\n")
	}
	return nil
}

package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"
)

//go:embed assets/weblist.css
var weblistStyle string

// WriteText writes the listing as an HTML page that needs nothing else.
//
// Whatever comes from the profile is escaped: names, paths and source can hold anything.
//
// Package html/template would write it as well, but a program with templates, which call
// methods by name, keeps every method of every type: hone would be a tenth larger.
func (l *WebListing) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	title, heading := "annotated source", "Annotated source"
	if l.Title != "" {
		title, heading = l.Title+" – "+title, l.Title
	}
	fmt.Fprintf(b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title>
<style>
%s</style>
</head>
<body>
<h1>%s</h1>
<div class="about">`, html.EscapeString(title), weblistStyle, html.EscapeString(heading))
	for _, line := range l.Header {
		fmt.Fprintf(b, "%s\n", html.EscapeString(line))
	}
	fmt.Fprintf(b, "Total: %s. flat is the line's own, cum with all it calls. A line with ▸ opens to its instructions.</div>\n", html.EscapeString(l.Total.Text))
	for i := range l.Funcs {
		l.Funcs[i].write(b)
	}
	b.WriteString("</body>\n</html>\n")
	return b.Flush()
}

func (f *WebFunction) write(b *bufio.Writer) {
	fmt.Fprintf(b, "<h2>%s</h2>\n<div class=\"place\">%s · flat %s · cum %s (%s)</div>\n", html.EscapeString(f.Name), html.EscapeString(f.File),
		html.EscapeString(f.Flat.Text), html.EscapeString(f.Cum.Text), strings.TrimSpace(fmt.Sprintf("%.2f%%", f.Cum.Percent)))
	if f.Err != "" {
		fmt.Fprintf(b, `<div class="error">%s</div>`, html.EscapeString(f.Err))
	}
	b.WriteString("\n" + `<div class="code"><span class="line head"><span class="v">flat</span> <span class="v">cum</span> <span class="n">line</span></span>`)
	for _, ln := range f.Lines {
		if len(ln.Insts) == 0 {
			class := "line"
			if ln.Cum.Value != 0 {
				class += " " + heat(ln.Cum)
			}
			fmt.Fprintf(b, `<span class="%s">%s <span class="n">%d</span><span class="m"></span>%s</span>`, class, flatAndCum(ln.Flat, ln.Cum), ln.Line, html.EscapeString(ln.Text))
			continue
		}
		fmt.Fprintf(b, `<details><summary class="%s">%s <span class="n">%d</span><span class="m"></span>%s</summary>`, heat(ln.Cum), flatAndCum(ln.Flat, ln.Cum), ln.Line, html.EscapeString(ln.Text))
		for _, in := range ln.Insts {
			fmt.Fprintf(b, `<span class="asm">%s <span class="n"></span><span class="m"></span>    %x: %s  `, flatAndCum(in.Flat, in.Cum), in.Addr, html.EscapeString(in.Text))
			if len(in.Calls) > 0 {
				fmt.Fprintf(b, `<span class="call">%s</span>`, html.EscapeString(strings.Join(in.Calls, " › ")))
			}
			b.WriteString("</span>")
		}
		b.WriteString("</details>")
	}
	b.WriteString("</div>\n")
}

// flatAndCum returns the two values that a line begins with.
func flatAndCum(flat, cum Quantity) string {
	return fmt.Sprintf(`<span class="v">%s</span> <span class="v">%s</span>`, html.EscapeString(orDot(flat)), html.EscapeString(orDot(cum)))
}

// heat returns the class of the style that colours a line by its part of the total.
func heat(q Quantity) string {
	return fmt.Sprintf("h%d", int(min(4, max(0, q.Percent/5+0.99))))
}

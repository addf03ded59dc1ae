package lsp

import (
	"fmt"
	"strings"

	"github.com/hone-go/hone/internal/compare"
)

// hover says what a line costs, who calls it, and what the compiler says about it; nil if nothing is known.
func (v *view) hover(n int, e encoding, markdown bool, found []shown) *hover {
	w := &writer{markdown: markdown}
	if at := v.line(n); at != nil {
		v.describe(w, at)
	}
	from, to := v.lineExtent(n)
	for i := range found {
		if f := &found[i]; from <= f.from && f.to <= to {
			for _, said := range f.Evidence.Compiler {
				w.line("Compiler: " + compare.Printable(said))
			}
			w.line(fmt.Sprintf("%s (class %s): %s", compare.Printable(f.Title), f.Class, compare.Printable(f.Advice())))
		}
	}
	if w.Len() == 0 {
		return nil
	}
	kind := "plaintext"
	if markdown {
		kind = "markdown"
	}
	r := v.doc.text.textRange(from, to, e)
	return &hover{markup{kind, w.String()}, &r}
}

// lineExtent is where a line is that counts from 1, as go/token counts.
func (v *view) lineExtent(n int) (from, to int) {
	text := v.doc.text.all
	for range n - 1 {
		i := strings.IndexByte(text[from:], '\n')
		if i < 0 {
			break
		}
		from += i + 1
	}
	to = len(text)
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		to = from + i
	}
	line := text[from:to]
	return from + len(line) - len(strings.TrimLeft(line, " \t")), from + len(strings.TrimRight(line, " \t\r"))
}

// describe writes what a line takes, or its function where nothing is known about the line.
func (v *view) describe(w *writer, at *lineCost) {
	switch {
	case at.function != nil && (at.first || at.function.edited):
		v.describeCosts(w, "function", at.function.measured.costs, spot{symbol: at.function.symbol})
		if at.function.edited {
			w.line("The function was " + beforeEdits + ": what its lines take now isn't known.")
		}
	case len(at.costs) > 0:
		v.describeCosts(w, "line", at.costs, at.spot)
	default:
		return // a line of a function, that takes nothing
	}
	w.line(v.measured.label())
}

// describeCosts writes what something takes in the profiles where that is most, and who called it there.
func (v *view) describeCosts(w *writer, what string, costs []cost, of spot) {
	best, others := v.measured.most(costs, 0)
	if len(best) == 0 {
		return
	}
	for _, c := range best {
		self := ""
		if c.self > 0 && c.self < c.all {
			self = fmt.Sprintf(" (%s in the %s itself)", percent(c.selfShare()), what)
		}
		w.line(fmt.Sprintf("%s: %s%s, %s of %s", c.dimension, percent(c.share()), self, amount(c.all, c.unit), amount(c.total, c.unit)))
	}
	if subject := v.measured.subject(best); subject != "" {
		text := "Measured in " + subject
		if others > 0 {
			text += "; also in " + compare.Counted(others, "other "+v.measured.Kind)
		}
		w.line(text)
	}
	var callers []string
	for _, c := range v.measured.callersOf(&best[0], v.recorded.matcher, v.recorded.symbols, of) {
		place := ""
		if c.file != "" {
			place = fmt.Sprintf("%s:%d, ", clean(baseOf(c.file)), c.line)
		}
		callers = append(callers, fmt.Sprintf("%s (%s%s)", clean(shortName(c.function)), place, percent(c.share)))
	}
	if len(callers) > 0 {
		w.line("Called by " + strings.Join(callers, ", "))
	}
}

package report

import (
	"bufio"
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hone-go/hone/profile"
)

//go:embed assets/flame_svg.js
var flameSVGJS string

// The geometry of the picture, in pixels. Labels are set in a fixed-width font,
// so that what fits can be computed here; charWidth is that of 11 px monospace
// fonts, which are 0.60 em wide, and a little more to be safe.
const (
	svgRow       = 17
	svgTop       = 62
	svgBottom    = 34
	svgCharWidth = 6.7
	svgNarrowest = 0.3 // narrower frames are left out
	svgNodes     = 12_000
)

// FlameSVG writes a flame graph as a picture. In a browser it zooms on click
// and searches; elsewhere it is a still picture with a tooltip on each frame.
func FlameSVG(w io.Writer, t *profile.Tree, o FlameOptions) error {
	if o.Column < 0 || o.Column >= len(t.Values) {
		return fmt.Errorf("there is no sample type %d in the tree", o.Column)
	}
	width := float64(max(cmp.Or(o.Width, 1200), 300))
	t = t.Prune(svgNarrowest / width).PruneTo(cmp.Or(o.MaxNodes, svgNodes))
	p := svgPicture{w: bufio.NewWriter(w), t: t, v: &t.Values[o.Column], unit: t.Types[o.Column].Unit, o: &o, width: width}
	levels := t.Height() + 1
	if t.Folded != nil {
		levels++ // what is folded on the last one
	}
	height := svgTop + levels*svgRow + svgBottom
	c := svgPalette
	p.printf(`<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%[1]g" height="%[2]d" viewBox="0 0 %[1]g %[2]d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="11">
<style>
#title { font: 600 15px system-ui, sans-serif; }
.note { font: 12px system-ui, sans-serif; fill: %[3]s; }
.button { cursor: pointer; fill: #9a4a12; }
.f { cursor: pointer; }
.f:hover rect { stroke: %[4]s; stroke-width: 1; }
text { fill: %[4]s; pointer-events: none; }
.button { pointer-events: all; }
.faded { opacity: .35; }
.match rect { stroke: %[5]s; stroke-width: 1.5; }
</style>
<rect width="100%%" height="100%%" fill="%[6]s"/>
`, width, height, c.Dim, c.Text, c.Match, c.Background)
	p.header(height)
	p.frames(levels)
	p.printf("<script><![CDATA[\n%s]]></script>\n</svg>\n", flameSVGJS)
	return p.w.Flush()
}

type svgPicture struct {
	w     *bufio.Writer
	t     *profile.Tree
	v     *profile.TreeValues
	unit  string
	o     *FlameOptions
	width float64
}

func (p *svgPicture) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

func (p *svgPicture) header(height int) {
	line := []string{p.t.Types[p.o.Column].Type + " " + p.value(0)}
	for _, f := range p.o.facts() {
		line = append(line, f[0]+" "+f[1])
	}
	if p.t.Inverted {
		where := "below"
		if p.o.FlameUp {
			where = "above"
		}
		line = append(line, "inverted: callers "+where+" their callees")
	}
	line = append(line, p.o.Warnings...)
	right := p.width - 10
	p.printf(`<text id="title" x="10" y="24">%s</text>`+"\n", escapeXML(cut(cmp.Or(p.o.Title, "flame graph"), int(p.width-220)/9)))
	p.printf(`<text class="note" x="10" y="44">%s</text>`+"\n", escapeXML(cut(strings.Join(line, " · "), int(p.width-20)/7)))
	p.printf(`<text id="matched" class="note" x="%g" y="24" text-anchor="end"></text>`+"\n", right-120)
	p.printf(`<text id="reset" class="note button" x="%g" y="24" text-anchor="end" visibility="hidden">Reset</text>`+"\n", right-60)
	p.printf(`<text id="search" class="note button" x="%g" y="24" text-anchor="end" visibility="hidden">Search</text>`+"\n", right)
	p.printf(`<text id="details" class="note" x="10" y="%d"></text>`+"\n", height-12)
}

// frames writes the frames, those near the root first.
func (p *svgPicture) frames(levels int) {
	t, total := p.t, float64(p.v.Total[0])
	x := make([]float64, t.NumNodes())
	depth := make([]int, t.NumNodes())
	p.printf(`<g id="frames" data-width="%g" data-char="%g">`+"\n", p.width-20, svgCharWidth)
	for n := range uint32(t.NumNodes()) {
		share := 1.0
		if n > 0 {
			depth[n] = depth[t.Parent[n]] + 1
		}
		if total > 0 {
			share = float64(p.v.Total[n]) / total
		}
		at := x[n]
		first, end := t.Children(n)
		for k := first; k < end; k++ {
			x[k] = at
			if total > 0 {
				at += float64(p.v.Total[k]) / total
			}
		}
		w := share * (p.width - 20)
		if w < svgNarrowest {
			continue
		}
		y := func(depth int) int {
			if p.o.FlameUp {
				depth = levels - 1 - depth
			}
			return svgTop + depth*svgRow
		}
		name := "all"
		if n > 0 {
			name = cutName(t.Frames[t.Frame[n]].Label())
		}
		p.frame(10+x[n]*(p.width-20), w, y(depth[n]), depth[n], p.color(n), p.tooltip(n, name), shortName(name))
		if p.v.Folded != nil && total > 0 {
			if w := float64(p.v.Folded[n]) / total * (p.width - 20); w >= 1 {
				what := fmt.Sprintf("… %d narrow frames", t.Folded[n])
				p.frame(10+at*(p.width-20), w, y(depth[n]+1), depth[n]+1, svgPalette.Rest,
					what+"\ntotal "+formatValue(p.v.Folded[n], p.unit, "auto"), what)
			}
		}
	}
	p.printf("</g>\n")
}

func (p *svgPicture) frame(left, w float64, y, depth int, color, title, label string) {
	p.printf(`<g class="f" data-d="%d"><title>%s</title><rect x="%s" y="%d" width="%s" height="%d" fill="%s"/><text x="%s" y="%d">%s</text></g>`+"\n",
		depth, escapeXML(title), trimFloat(left), y, trimFloat(w), svgRow-1, color,
		trimFloat(left+4), y+12, escapeXML(fitLabel(label, int((w-8)/svgCharWidth))))
}

func (p *svgPicture) tooltip(n uint32, name string) string {
	lines := []string{strings.ReplaceAll(name, "\n", " ")}
	if n > 0 {
		f := &p.t.Frames[p.t.Frame[n]]
		where := f.File
		if line := cmp.Or(f.Line, f.StartLine); where != "" && line > 0 {
			where = fmt.Sprintf("%s:%d", where, line)
		}
		switch {
		case f.Files == 2:
			where += " and in 1 more file"
		case f.Files > 2:
			where += fmt.Sprintf(" and in %d more files", f.Files-1)
		}
		if where != "" {
			lines = append(lines, where)
		}
	}
	share := strings.TrimSpace(percentage(p.v.Total[n], p.v.Total[0]))
	lines = append(lines, "total "+p.value(n)+", "+share)
	if !p.t.Inverted {
		lines = append(lines, "self "+formatValue(p.v.Self[n], p.unit, "auto"))
	}
	if p.t.Inlined[n] {
		lines = append(lines, "inlined")
	}
	return strings.Join(lines, "\n")
}

// value prints node n's total, and how it compares.
func (p *svgPicture) value(n uint32) string {
	head := formatValue(p.v.Total[n], p.unit, "auto")
	if p.v.BaseTotal == nil {
		return head
	}
	base := scaledBase(p.v, p.v.BaseTotal[n])
	d := p.v.Total[n] - base
	sign := ""
	if d > 0 {
		sign = "+"
	}
	relative := ""
	switch {
	case base == 0 && d != 0:
		relative = ", new"
	case base != 0 && p.v.Total[n] == 0:
		relative = ", gone"
	case base != 0:
		relative = fmt.Sprintf(", %+.2f%%", 100*float64(d)/float64(base))
	}
	return formatValue(base, p.unit, "auto") + " → " + head + " (" + sign + formatValue(d, p.unit, "auto") + relative + ")"
}

func (p *svgPicture) color(n uint32) string {
	c := svgPalette
	if n == 0 {
		return c.Root
	}
	f := &p.t.Frames[p.t.Frame[n]]
	switch {
	case p.v.BaseTotal != nil && (p.o.Color == "" || p.o.Color == "change"):
		return c.Change[changeSteps+changeStep(p.v, n)]
	case p.o.Color == "origin":
		return c.Origin[f.Origin()]
	}
	return c.Package[packageHue(f.Package())]
}

// fitLabel shortens a label to a number of characters, "" if that is too few.
func fitLabel(s string, room int) string {
	if utf8.RuneCountInString(s) <= room {
		return s
	}
	if room < 4 {
		return ""
	}
	return cut(s, room)
}

// cut shortens s to a number of characters, the last of which tells so.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:max(most-1, 0)]) + "…"
}

// escapeXML makes s safe as text and in attributes of XML.
func escapeXML(s string) string { return html.EscapeString(printable(s)) }

// trimFloat prints a coordinate, exact enough to tell neighbours apart.
func trimFloat(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", f), "0"), ".")
}

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
	svgBar       = 3   // of what is new
	svgNodes     = 12_000
)

// FlameSVG writes a flame graph as a picture. In a browser it zooms on click
// and searches; elsewhere it is a still picture with a tooltip on each frame.
func FlameSVG(w io.Writer, t *profile.Tree, o FlameOptions) error {
	if o.Column < 0 || o.Column >= len(t.Values) {
		return fmt.Errorf("the tree has no sample type %d", o.Column)
	}
	width := float64(max(cmp.Or(o.Width, 1200), 300))
	t = t.Prune(svgNarrowest / width).PruneTo(cmp.Or(o.MaxNodes, svgNodes))
	p := svgPicture{w: bufio.NewWriter(w), flameLayout: newFlameLayout(t, o.Column, o.Widths), unit: t.Types[o.Column].Unit, o: &o, pixels: width}
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
text, path { pointer-events: none; }
text { fill: %[4]s; }
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
	*flameLayout
	w      *bufio.Writer
	unit   string
	o      *FlameOptions
	pixels float64
	names  []svgName // of frames, made when they are needed
	failed error     // of the writer, after which nothing is written
}

// svgName is what a picture says of a frame, however many nodes it has.
type svgName struct {
	name, label string
	pkg         string // package
}

func (p *svgPicture) nameOf(n uint32) *svgName {
	if p.names == nil {
		p.names = make([]svgName, len(p.t.Frames))
	}
	of, f := &p.names[p.t.Frame[n]], &p.t.Frames[p.t.Frame[n]]
	if of.name == "" {
		*of = svgName{name: cutName(f.Label()), pkg: f.Package()}
		of.label = of.name
		if f.Origin() != profile.OriginOther { // a label that is a frame has no import path
			of.label = shortName(of.name)
		}
	}
	return of
}

func (p *svgPicture) printf(format string, args ...any) {
	if p.failed == nil {
		_, p.failed = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *svgPicture) header(height int) {
	line := []string{p.t.Types[p.o.Column].Type + " " + p.total(0)}
	switch p.widths {
	case WidthsBoth:
		line = append(line, "as wide as the larger side: hatched is gone, a bar is new")
	case WidthsBase:
		line = append(line, "as wide as before")
	case WidthsHead:
		line = append(line, "as wide as after")
	}
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
	right := p.pixels - 10
	p.printf(`<text id="title" x="10" y="24">%s</text>`+"\n", escapeXML(cut(cmp.Or(p.o.Title, "flame graph"), int(p.pixels-220)/9)))
	p.printf(`<text class="note" x="10" y="44">%s</text>`+"\n", escapeXML(cut(strings.Join(line, " · "), int(p.pixels-20)/7)))
	p.printf(`<text id="matched" class="note" x="%g" y="24" text-anchor="end"></text>`+"\n", right-120)
	p.printf(`<text id="reset" class="note button" x="%g" y="24" text-anchor="end" visibility="hidden">Reset</text>`+"\n", right-60)
	p.printf(`<text id="search" class="note button" x="%g" y="24" text-anchor="end" visibility="hidden">Search</text>`+"\n", right)
	p.printf(`<text id="details" class="note" x="10" y="%d"></text>`+"\n", height-12)
}

// frames writes the frames, those near the root first.
func (p *svgPicture) frames(levels int) {
	t := p.t
	depth := make([]int, t.NumNodes())
	scale := 0.0 // pixels of a value
	if all := p.flameLayout.width[0]; all > 0 {
		scale = (p.pixels - 20) / float64(all)
	}
	p.printf(`<g id="frames" data-width="%g" data-char="%g">`+"\n", p.pixels-20, svgCharWidth)
	for n := range uint32(t.NumNodes()) {
		if p.failed != nil {
			return
		}
		if n > 0 {
			depth[n] = depth[t.Parent[n]] + 1
		}
		from, to := p.place(n)
		w := float64(to-from) * scale
		if n == 0 {
			w = p.pixels - 20 // also of nothing
		}
		if w < svgNarrowest {
			continue
		}
		y := func(depth int) int {
			if p.o.FlameUp {
				depth = levels - 1 - depth
			}
			return svgTop + depth*svgRow
		}
		name, label := "all", "all"
		if n > 0 {
			of := p.nameOf(n)
			name, label = of.name, of.label
		}
		p.frame(10+float64(from)*scale, w, y(depth[n]), depth[n], p.color(n), p.mark(n), p.tooltip(n, name), label)
		if folded := p.folded(n); float64(folded)*scale >= 1 {
			at := float64(to-p.own(n)-folded) * scale
			what := fmt.Sprintf("… %d narrow frames", t.Folded[n])
			p.frame(10+at, float64(folded)*scale, y(depth[n]+1), depth[n]+1, svgPalette.Rest, svgMark{},
				what+"\ntotal "+p.text(folded), what)
		}
	}
	p.printf("</g>\n")
}

// A svgMark is drawn over a frame that only one side has: stripes over all of what is
// gone, a bar at the left of what is new.
type svgMark struct {
	stripes    bool
	attributes string // of the path; "" if there is no mark
}

func (p *svgPicture) mark(n uint32) svgMark {
	switch {
	case n == 0 || p.v.BaseTotal == nil:
		return svgMark{}
	case p.v.Total[n] == 0:
		return svgMark{true, fmt.Sprintf(`stroke="%s" stroke-opacity="0.3" stroke-dasharray="1.5 4.5" stroke-dashoffset="-3"`, svgPalette.Text)}
	case p.v.BaseTotal[n] == 0 && p.stepOf(n) == 0: // noise stays grey
		return svgMark{false, fmt.Sprintf(`stroke="%s" stroke-opacity="0.3"`, svgPalette.Text)}
	case p.v.BaseTotal[n] == 0:
		return svgMark{false, fmt.Sprintf(`stroke="%s"`, svgPalette.New)}
	}
	return svgMark{}
}

// width is how wide the mark of a frame is that is w wide. Of a thin one nothing but its
// colour shows.
func (m svgMark) width(w float64) float64 {
	switch {
	case m.stripes:
		return w
	case w >= 2*svgBar:
		return svgBar
	}
	return 0
}

func (p *svgPicture) frame(left, w float64, y, depth int, color string, mark svgMark, title, label string) {
	class := "f"
	if strings.Contains(label, "/") && strings.HasPrefix(title, label) {
		class = "f whole" // the script takes the path off others
	}
	p.printf(`<g class="%s" data-d="%d"><title>%s</title><rect x="%s" y="%d" width="%s" height="%d" fill="%s"/>`,
		class, depth, escapeXML(title), trimFloat(left), y, trimFloat(w), svgRow-1, color)
	if mark.attributes != "" {
		p.printf(`<path d="M%s %gh%s" stroke-width="%d" %s/>`,
			trimFloat(left), float64(y)+float64(svgRow-1)/2, trimFloat(mark.width(w)), svgRow-1, mark.attributes)
	}
	p.printf(`<text x="%s" y="%d">%s</text></g>`+"\n", trimFloat(left+4), y+12, escapeXML(fitLabel(label, int((w-8)/svgCharWidth))))
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
	total := "total " + p.total(n)
	if p.v.BaseTotal == nil {
		total += ", " + strings.TrimSpace(percentage(p.v.Total[n], p.v.Total[0]))
	}
	lines = append(lines, total)
	if !p.t.Inverted {
		lines = append(lines, "self "+p.self(n))
	}
	if p.t.Inlined[n] {
		lines = append(lines, "inlined")
	}
	return strings.Join(lines, "\n")
}

// total prints node n's total, and how it compares.
func (p *svgPicture) total(n uint32) string {
	if p.v.BaseTotal == nil {
		return p.text(p.v.Total[n])
	}
	return p.change(p.v.BaseTotal[n], p.v.Total[n])
}

// self prints node n's own value, and how it compares.
func (p *svgPicture) self(n uint32) string {
	if p.v.BaseTotal == nil {
		return p.text(p.v.Self[n])
	}
	return p.change(p.v.BaseSelf[n], p.v.Self[n])
}

// change prints a value of the base, not yet scaled, and one of the head.
func (p *svgPicture) change(unscaled, head int64) string {
	base := scaledBase(p.v, unscaled)
	relative := ""
	switch {
	case base == 0 && head != 0:
		relative = ", new"
	case base != 0 && head == 0:
		relative = ", gone"
	case base != 0:
		relative = fmt.Sprintf(", %+.2f%%", 100*float64(head-base)/float64(base))
	}
	return p.text(base) + " → " + p.text(head) + " (" + signedText(head-base, p.text) + relative + ")"
}

func (p *svgPicture) text(v int64) string {
	return formatRate(v, p.unit, "auto", rateOf(p.t.Types[p.o.Column], p.o.PerSecond))
}

// stepOf returns how much a node has changed: see changeStep.
func (p *svgPicture) stepOf(n uint32) int {
	frame := totalFrame
	if n != 0 {
		frame = p.t.Frames[p.t.Frame[n]].Label()
	}
	return changeStep(p.v, n, frame, cmp.Or(p.o.Chance, chanceOf(p.v)))
}

func (p *svgPicture) color(n uint32) string {
	c := svgPalette
	if n == 0 {
		return c.Root
	}
	f := &p.t.Frames[p.t.Frame[n]]
	switch {
	case p.v.BaseTotal != nil && (p.o.Color == "" || p.o.Color == "change"):
		return c.Change[changeSteps+p.stepOf(n)]
	case p.o.Color == "origin":
		return c.Origin[f.Origin()]
	}
	return c.Package[packageHue(p.nameOf(n).pkg)]
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
func escapeXML(s string) string { return html.EscapeString(printable(Visible(s))) }

// trimFloat prints a coordinate, exact enough to tell neighbours apart.
func trimFloat(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", f), "0"), ".")
}

package graphviz

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// viewer.js pans and zooms. It stands in a CDATA section: it must not contain
// the characters that end one.
//
//go:embed viewer.js
var viewerScript string

// svgFonts starts with the font whose metrics sized the boxes; Arial and
// Liberation Sans have the same metrics.
const svgFonts = "Helvetica,Arial,Liberation Sans,sans-serif"

// writeSVG writes a self-contained document. Groups have the class and title
// that Graphviz gives them, for programs that look for nodes and edges.
func writeSVG(_ context.Context, d *drawing, w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="100%%" height="100%%" viewBox="0 0 %s %s" style="background:#fff" font-family="%s" xml:space="preserve">
<title>%s</title>
`, num(d.width), num(d.height), svgFonts, escape(d.name))
	for i := range d.elements {
		d.elements[i].writeSVG(b, i)
	}
	fmt.Fprintf(b, "<script><![CDATA[\n%s]]></script>\n</svg>\n", viewerScript)
	return b.Flush()
}

func (e *element) writeSVG(b *bufio.Writer, index int) {
	id := e.id
	if id == "" {
		id = fmt.Sprintf("%s-%d", e.kind, index)
	}
	fmt.Fprintf(b, `<g id="%s" class="%s"><title>%s</title>`, escape(id), e.kind, escape(e.title))
	// Browsers show the innermost title, so the group's own stays for programs.
	b.WriteString("<g>")
	if e.tooltip != "" {
		fmt.Fprintf(b, "<title>%s</title>", escape(e.tooltip))
	}
	b.WriteByte('\n')
	for i := range e.shapes {
		e.shapes[i].writeSVG(b)
	}
	b.WriteString("</g></g>\n")
}

func (s *shape) writeSVG(b *bufio.Writer) {
	switch s.kind {
	case text:
		anchor := map[byte]string{'l': "start", 'n': "middle", 'r': "end"}[s.align]
		fmt.Fprintf(b, `<text x="%s" y="%s" text-anchor="%s" font-size="%s"`, num(s.points[0].x), num(s.points[0].y), anchor, num(s.fontSize))
		writeColor(b, "fill", s.pen)
		fmt.Fprintf(b, ">%s</text>\n", escape(s.text))
		return
	case ellipse:
		fmt.Fprintf(b, `<ellipse cx="%s" cy="%s" rx="%s" ry="%s"`, num(s.points[0].x), num(s.points[0].y), num(s.points[1].x), num(s.points[1].y))
	case polygon, polyline:
		name := "polyline"
		if s.kind == polygon {
			name = "polygon"
		}
		fmt.Fprintf(b, `<%s points="`, name)
		for i, p := range s.points {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(b, "%s,%s", num(p.x), num(p.y))
		}
		b.WriteByte('"')
	case bezier:
		b.WriteString(`<path d="`)
		for i, p := range s.points {
			switch i {
			case 0:
				b.WriteByte('M')
			case 1:
				b.WriteByte('C')
			default:
				b.WriteByte(' ')
			}
			fmt.Fprintf(b, "%s,%s", num(p.x), num(p.y))
		}
		b.WriteByte('"')
	}
	if s.painted() {
		writeColor(b, "fill", s.fill)
	} else {
		b.WriteString(` fill="none"`)
	}
	if s.stroked() {
		writeColor(b, "stroke", s.pen)
		if s.lineWidth != 1 {
			fmt.Fprintf(b, ` stroke-width="%s"`, num(s.lineWidth))
		}
		if dash := s.line.dashes(); dash != nil {
			fmt.Fprintf(b, ` stroke-dasharray="%s,%s"`, num(dash[0]), num(dash[1]))
		}
	}
	b.WriteString("/>\n")
}

func writeColor(b *bufio.Writer, attr string, c color) {
	fmt.Fprintf(b, ` %s="#%02x%02x%02x"`, attr, c.r, c.g, c.b)
	if c.a < 255 {
		fmt.Fprintf(b, ` %s-opacity="%s"`, attr, num(float64(c.a)/255))
	}
}

// num writes a coordinate with at most two decimals.
func num(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64)
}

func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}

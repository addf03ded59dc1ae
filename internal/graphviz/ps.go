package graphviz

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
)

// writePS writes one PostScript page of the size of the graph. Its fonts are
// made of the outlines of the characters used: a printer's own fonts lack most
// of Unicode.
func writePS(ctx context.Context, d *drawing, w io.Writer) error {
	f, err := goRegular()
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `%%!PS-Adobe-3.0
%%%%Creator: hone
%%%%Title: %s
%%%%Pages: 1
%%%%BoundingBox: 0 0 %.0f %.0f
%%%%HiResBoundingBox: 0 0 %s %s
%%%%EndComments
%%%%BeginProlog
/M {moveto} bind def
/L {lineto} bind def
/C {curveto} bind def
/Z {closepath} bind def
/RGB {255 div 3 1 roll 255 div 3 1 roll 255 div 3 1 roll setrgbcolor} bind def
`, psComment(d.name), math.Ceil(d.width), math.Ceil(d.height), num(d.width), num(d.height))
	enc := newPSEncoding(d)
	enc.writeFonts(b, f)
	fmt.Fprintf(b, `%%%%EndProlog
%%%%Page: 1 1
<< /PageSize [%[1]s %[2]s] >> setpagedevice
gsave
0 %[2]s translate 1 -1 scale
`, num(d.width), num(d.height))
	p := psPage{b: b, font: f, enc: enc}
	for i := range d.elements {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range d.elements[i].shapes {
			p.shape(&d.elements[i].shapes[j])
		}
	}
	b.WriteString("grestore\nshowpage\n%%Trailer\n%%EOF\n")
	return b.Flush()
}

// psComment keeps a name on its line and within ASCII, as comments must be.
func psComment(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 200)]
}

// psEncoding numbers the characters of a drawing: number n is code n%256 of
// font n/256, as a PostScript string has one byte per character.
type psEncoding struct {
	runes []rune
	index map[rune]int
}

func newPSEncoding(d *drawing) *psEncoding {
	enc := &psEncoding{index: make(map[rune]int)}
	for i := range d.elements {
		for j := range d.elements[i].shapes {
			for _, r := range d.elements[i].shapes[j].text {
				if _, ok := enc.index[r]; !ok {
					enc.index[r] = len(enc.runes)
					enc.runes = append(enc.runes, r)
				}
			}
		}
	}
	return enc
}

func (enc *psEncoding) writeFonts(b *bufio.Writer, f *outlineFont) {
	for base := 0; base < len(enc.runes); base += 256 {
		runes := enc.runes[base:min(base+256, len(enc.runes))]
		fmt.Fprintf(b, "9 dict begin\n/FontType 3 def\n/FontMatrix [%[1]g 0 0 %[1]g 0 0] def\n/FontBBox [0 0 0 0] def\n", 1/f.upem)
		fmt.Fprintf(b, "/Encoding 256 array def 0 1 255 {Encoding exch /.notdef put} for\n/CharProcs %d dict def\nCharProcs /.notdef {0 0 setcharwidth} put\n", len(runes)+1)
		for code, r := range runes {
			name := fmt.Sprintf("u%04X", r)
			if r <= 0xFFFF {
				name = fmt.Sprintf("uni%04X", r)
			}
			fmt.Fprintf(b, "Encoding %d /%s put\nCharProcs /%s {", code, name, name)
			writePSGlyph(b, f.glyph(r))
			b.WriteString("} bind put\n")
		}
		fmt.Fprintf(b, `/BuildGlyph {exch /CharProcs get dup 2 index known not {exch pop /.notdef exch} if exch get exec} bind def
/BuildChar {1 index /Encoding get exch get 1 index /BuildGlyph get exec} bind def
currentdict end /F%d exch definefont pop
`, base/256)
	}
}

// writePSGlyph writes a glyph in font units, y upwards.
func writePSGlyph(b *bufio.Writer, g *glyph) {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, seg := range g.segments {
		for _, p := range seg.points {
			low = point{min(low.x, p.x), min(low.y, -p.y)}
			high = point{max(high.x, p.x), max(high.y, -p.y)}
		}
	}
	if len(g.segments) == 0 {
		low, high = point{}, point{}
	}
	fmt.Fprintf(b, "%s 0 %s %s %s %s setcachedevice", num(g.advance), num(low.x), num(low.y), num(high.x), num(high.y))
	var last point
	for i, seg := range g.segments {
		pts := seg.points
		op := "L"
		switch {
		case seg.move:
			op = "M"
			if i > 0 {
				b.WriteString(" Z")
			}
		case len(pts) == 2:
			// PostScript has no quadratic curves; this cubic is the same curve.
			q, end := pts[0], pts[1]
			pts = []point{
				{last.x + (q.x-last.x)*2/3, last.y + (q.y-last.y)*2/3},
				{end.x + (q.x-end.x)*2/3, end.y + (q.y-end.y)*2/3},
				end,
			}
			op = "C"
		case len(pts) == 3:
			op = "C"
		}
		for _, p := range pts {
			fmt.Fprintf(b, " %s %s", num(p.x), num(-p.y))
		}
		b.WriteString(" " + op)
		last = pts[len(pts)-1]
	}
	if len(g.segments) > 0 {
		b.WriteString(" Z fill")
	}
}

type psPage struct {
	b    *bufio.Writer
	font *outlineFont
	enc  *psEncoding
}

func (p *psPage) shape(s *shape) {
	if s.kind == text {
		p.text(s)
		return
	}
	fill, stroke := s.painted() && s.kind != polyline, s.stroked()
	if !fill && !stroke {
		return
	}
	p.b.WriteString("newpath")
	switch s.kind {
	case ellipse:
		c, r := s.points[0], s.points[1]
		fmt.Fprintf(p.b, " matrix currentmatrix %s %s translate %s %s scale 0 0 1 0 360 arc setmatrix Z", num(c.x), num(c.y), num(r.x), num(r.y))
	default:
		for i, pt := range s.points {
			fmt.Fprintf(p.b, " %s %s", num(pt.x), num(pt.y))
			switch {
			case i == 0:
				p.b.WriteString(" M")
			case s.kind != bezier:
				p.b.WriteString(" L")
			case i%3 == 0:
				p.b.WriteString(" C")
			}
		}
		if s.kind == polygon {
			p.b.WriteString(" Z")
		}
	}
	p.b.WriteByte('\n')
	if fill {
		p.color(s.fill)
		if stroke {
			p.b.WriteString("gsave fill grestore\n")
		} else {
			p.b.WriteString("fill\n")
		}
	}
	if stroke {
		p.color(s.pen)
		fmt.Fprintf(p.b, "%s setlinewidth [", num(s.lineWidth))
		for _, length := range s.line.dashes() {
			fmt.Fprintf(p.b, " %s", num(length))
		}
		p.b.WriteString("] 0 setdash stroke\n")
	}
}

func (p *psPage) color(c color) { fmt.Fprintf(p.b, "%d %d %d RGB\n", c.r, c.g, c.b) }

func (p *psPage) text(s *shape) {
	width, squeeze := p.font.fit(s)
	p.color(s.pen)
	fmt.Fprintf(p.b, "gsave %s %s translate %s %s scale 0 0 M\n", num(s.left(width)), num(s.points[0].y),
		psScale(s.fontSize*squeeze), psScale(-s.fontSize))
	current := -1
	for _, r := range s.text {
		n := p.enc.index[r]
		if font := n / 256; font != current {
			if current >= 0 {
				p.b.WriteString("> show\n")
			}
			fmt.Fprintf(p.b, "/F%d findfont setfont <", font)
			current = font
		}
		fmt.Fprintf(p.b, "%02x", n%256)
	}
	p.b.WriteString("> show grestore\n")
}

func psScale(v float64) string { return fmt.Sprintf("%.4f", v) }

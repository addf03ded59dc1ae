package graphviz

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/goregular"
)

// maxPDFSide is the largest page side, in points, that PDF readers must accept.
const maxPDFSide = 14400

// writePDF writes one page of the size of the graph. The text is text: it can
// be searched and copied.
func writePDF(ctx context.Context, d *drawing, w io.Writer) error {
	f, err := goRegular()
	if err != nil {
		return err
	}
	scale := min(1, maxPDFSide/d.width, maxPDFSide/d.height)
	doc := fpdf.NewCustom(&fpdf.InitType{
		OrientationStr: "P",
		UnitStr:        "pt",
		Size:           fpdf.SizeType{Wd: d.width * scale, Ht: d.height * scale},
	})
	doc.SetTitle(d.name, true)
	doc.SetCreator("hone", true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddUTF8FontFromBytes(pdfFont, "", goregular.TTF)
	doc.AddPage()
	p := pdfPage{doc: doc, font: f, scale: scale}
	for i := range d.elements {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range d.elements[i].shapes {
			p.shape(&d.elements[i].shapes[j])
		}
	}
	return doc.Output(w)
}

const pdfFont = "go"

type pdfPage struct {
	doc   *fpdf.Fpdf
	font  *outlineFont
	scale float64
}

func (p *pdfPage) shape(s *shape) {
	if s.kind == text {
		p.text(s)
		return
	}
	mode := ""
	if s.stroked() {
		mode = "D"
		p.doc.SetDrawColor(int(s.pen.r), int(s.pen.g), int(s.pen.b))
		p.doc.SetLineWidth(s.lineWidth * p.scale)
		lengths := s.line.dashes()
		for i := range lengths {
			lengths[i] *= p.scale
		}
		p.doc.SetDashPattern(lengths, 0)
	}
	if s.painted() && s.kind != polyline {
		mode += "F"
		p.doc.SetFillColor(int(s.fill.r), int(s.fill.g), int(s.fill.b))
	}
	if mode == "" {
		return
	}
	at := func(i int) (float64, float64) { return s.points[i].x * p.scale, s.points[i].y * p.scale }
	x0, y0 := at(0)
	if s.kind == ellipse {
		rx, ry := at(1)
		p.doc.Ellipse(x0, y0, rx, ry, 0, mode)
		return
	}
	p.doc.MoveTo(x0, y0)
	if s.kind == bezier {
		for i := 1; i+2 < len(s.points); i += 3 {
			x1, y1 := at(i)
			x2, y2 := at(i + 1)
			x3, y3 := at(i + 2)
			p.doc.CurveBezierCubicTo(x1, y1, x2, y2, x3, y3)
		}
	} else {
		for i := 1; i < len(s.points); i++ {
			p.doc.LineTo(at(i))
		}
	}
	if s.kind == polygon {
		p.doc.ClosePath()
	}
	p.doc.DrawPath(mode)
}

func (p *pdfPage) text(s *shape) {
	width, squeeze := p.font.fit(s)
	x, y := s.left(width)*p.scale, s.points[0].y*p.scale
	p.doc.SetFont(pdfFont, "", s.fontSize*p.scale)
	p.doc.SetTextColor(int(s.pen.r), int(s.pen.g), int(s.pen.b))
	if squeeze < 1 {
		p.doc.TransformBegin()
		p.doc.TransformScaleX(squeeze*100, x, y)
		defer p.doc.TransformEnd()
	}
	p.doc.Text(x, y, basicPlane(s.text))
}

// basicPlane replaces characters above U+FFFF, which fpdf's width table has no
// room for and the font has none of either.
func basicPlane(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, s)
}

package graphviz

import (
	"bufio"
	"context"
	"image"
	imagecolor "image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"
)

const (
	// pixelsPerPoint is 144 dots per inch: the smallest text, 8 points, is
	// readable at 16 pixels and not at the customary 96 dpi.
	pixelsPerPoint = 2
	// maxPixels bounds the memory of an image at 4 bytes a pixel, and maxSide is
	// what common viewers open. A larger graph is scaled down.
	maxPixels = 64 << 20
	maxSide   = 32767
)

func writePNG(ctx context.Context, d *drawing, w io.Writer) error {
	img, err := rasterize(ctx, d, maxSide)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	enc := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := enc.Encode(b, img); err != nil {
		return err
	}
	return b.Flush()
}

func writeGIF(ctx context.Context, d *drawing, w io.Writer) error {
	img, err := rasterize(ctx, d, maxSide)
	if err != nil {
		return err
	}
	return gif.EncodeAll(w, &gif.GIF{Image: []*image.Paletted{quantize(img)}, Delay: []int{0}})
}

func rasterize(ctx context.Context, d *drawing, limit float64) (*image.RGBA, error) {
	f, err := goRegular()
	if err != nil {
		return nil, err
	}
	scale := min(float64(pixelsPerPoint), limit/d.width, limit/d.height, math.Sqrt(maxPixels/(d.width*d.height)))
	img := image.NewRGBA(image.Rect(0, 0, max(1, int(d.width*scale)), max(1, int(d.height*scale))))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	c := canvas{img: img, font: f, scale: scale}
	for i := range d.elements {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for j := range d.elements[i].shapes {
			c.shape(&d.elements[i].shapes[j])
		}
	}
	return img, nil
}

// A canvas paints shapes, given in points, on an image.
type canvas struct {
	img   *image.RGBA
	font  *outlineFont
	scale float64 // pixels per point
	ras   vector.Rasterizer
}

// A contour is a closed line in pixels.
type contour []point

func (c *canvas) shape(s *shape) {
	if s.kind == text {
		c.text(s)
		return
	}
	line := c.flatten(s)
	if s.painted() && s.kind != polyline {
		c.fill([]contour{line}, s.fill)
	}
	if s.stroked() {
		closed := s.kind == polygon || s.kind == ellipse
		// A hairline thinner than a pixel fades away when a graph is scaled down.
		width := max(s.lineWidth*c.scale, 0.6)
		var strokes []contour
		for _, part := range dash(line, closed, s.line.dashes(), c.scale) {
			strokes = append(strokes, stroke(part, closed && s.line == solid, width)...)
		}
		c.fill(strokes, s.pen)
	}
}

// flatten turns a shape's outline into a chain of lines in pixels.
func (c *canvas) flatten(s *shape) contour {
	px := func(p point) point { return point{p.x * c.scale, p.y * c.scale} }
	var out contour
	switch s.kind {
	case ellipse:
		centre, radii := px(s.points[0]), px(s.points[1])
		n := 16 + int(math.Sqrt(max(radii.x, radii.y))*4)
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			out = append(out, point{centre.x + radii.x*cos, centre.y + radii.y*sin})
		}
	case bezier:
		out = append(out, px(s.points[0]))
		for i := 1; i+2 < len(s.points); i += 3 {
			out = appendCubic(out, px(s.points[i]), px(s.points[i+1]), px(s.points[i+2]))
		}
	default:
		for _, p := range s.points {
			out = append(out, px(p))
		}
	}
	return out
}

// appendCubic continues a chain with a cubic curve, in steps of about 3 pixels.
func appendCubic(line contour, b, c, d point) contour {
	a := line[len(line)-1]
	length := distance(a, b) + distance(b, c) + distance(c, d)
	n := min(max(int(length/3), 4), 2000)
	for i := 1; i <= n; i++ {
		t := float64(i) / float64(n)
		u := 1 - t
		k0, k1, k2, k3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		line = append(line, point{
			k0*a.x + k1*b.x + k2*c.x + k3*d.x,
			k0*a.y + k1*b.y + k2*c.y + k3*d.y,
		})
	}
	return line
}

func distance(a, b point) float64 { return math.Hypot(b.x-a.x, b.y-a.y) }

// dash cuts a chain into its inked parts.
func dash(line contour, closed bool, lengths []float64, scale float64) []contour {
	if lengths == nil {
		return []contour{line}
	}
	if closed && len(line) > 0 {
		line = append(line[:len(line):len(line)], line[0])
	}
	var parts []contour
	var part contour
	ink, left, which := true, lengths[0]*scale, 0
	for i := 0; i+1 < len(line); i++ {
		a, b := line[i], line[i+1]
		length := distance(a, b)
		if ink && part == nil {
			part = contour{a}
		}
		for at := 0.0; length-at > left; {
			at += left
			p := point{a.x + (b.x-a.x)*at/length, a.y + (b.y-a.y)*at/length}
			if ink {
				parts = append(parts, append(part, p))
				part = nil
			} else {
				part = contour{p}
			}
			ink = !ink
			which = (which + 1) % len(lengths)
			left = lengths[which] * scale
			length -= at
			a, at = p, 0
		}
		left -= length
		if ink {
			part = append(part, b)
		}
	}
	if ink && len(part) > 1 {
		parts = append(parts, part)
	}
	return parts
}

// stroke returns the area of a line of the given width: a rectangle for each
// step and a disc over each bend. All turn the same way, so overlaps add up.
func stroke(line contour, closed bool, width float64) []contour {
	var out []contour
	r := width / 2
	n := len(line)
	steps := n - 1
	if closed {
		steps = n
	}
	for i := range steps {
		a, b := line[i], line[(i+1)%n]
		length := distance(a, b)
		if length > 0 {
			x, y := (b.x-a.x)/length*r, (b.y-a.y)/length*r
			out = append(out, contour{{a.x - y, a.y + x}, {a.x + y, a.y - x}, {b.x + y, b.y - x}, {b.x - y, b.y + x}})
		}
		if i > 0 || closed {
			out = append(out, disc(a, r))
		}
	}
	return out
}

func disc(centre point, r float64) contour {
	n := 8 + int(r)*2
	out := make(contour, n)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		out[i] = point{centre.x + r*cos, centre.y + r*sin}
	}
	return out
}

// tile is the side of the squares, in pixels, in which fill works.
const tile = 128

// fill paints the union of contours. The rasterizer clears and scans its whole
// area every time, so a long thin edge is painted in the tiles it crosses, each
// with only the contours that reach it.
func (c *canvas) fill(contours []contour, col color) {
	tiles := make(map[image.Point][]contour)
	var order []image.Point
	for _, line := range contours {
		b := line.bounds().Intersect(c.img.Bounds())
		for y := b.Min.Y / tile; y*tile < b.Max.Y; y++ {
			for x := b.Min.X / tile; x*tile < b.Max.X; x++ {
				at := image.Pt(x, y)
				if tiles[at] == nil {
					order = append(order, at)
				}
				tiles[at] = append(tiles[at], line)
			}
		}
	}
	for _, at := range order {
		c.fillTile(at, tiles[at], col)
	}
}

func (c *canvas) fillTile(at image.Point, contours []contour, col color) {
	var bounds image.Rectangle
	for _, line := range contours {
		bounds = bounds.Union(line.bounds())
	}
	corner := at.Mul(tile)
	bounds = bounds.Intersect(image.Rectangle{corner, corner.Add(image.Pt(tile, tile))}).Intersect(c.img.Bounds())
	if bounds.Empty() {
		return
	}
	c.ras.Reset(bounds.Dx(), bounds.Dy())
	dx, dy := float64(bounds.Min.X), float64(bounds.Min.Y)
	for _, line := range contours {
		for i, p := range line {
			x, y := float32(p.x-dx), float32(p.y-dy)
			if i == 0 {
				c.ras.MoveTo(x, y)
			} else {
				c.ras.LineTo(x, y)
			}
		}
		c.ras.ClosePath()
	}
	c.paint(bounds, col)
}

// bounds returns the pixels a contour touches.
func (line contour) bounds() image.Rectangle {
	var b image.Rectangle
	for _, p := range line {
		x, y := int(math.Floor(p.x)), int(math.Floor(p.y))
		b = b.Union(image.Rect(x, y, x+2, y+2))
	}
	return b
}

func (c *canvas) paint(bounds image.Rectangle, col color) {
	src := image.NewUniform(imagecolor.NRGBA{col.r, col.g, col.b, col.a})
	c.ras.Draw(c.img, bounds, src, image.Point{})
}

func (c *canvas) text(s *shape) {
	width, squeeze := c.font.fit(s)
	x, y := s.left(width)*c.scale, s.points[0].y*c.scale
	ky := s.fontSize / c.font.upem * c.scale
	kx := ky * squeeze
	for _, r := range s.text {
		g := c.font.glyph(r)
		c.glyph(g, x, y, kx, ky, s.pen)
		x += g.advance * kx
	}
}

func (c *canvas) glyph(g *glyph, x, y, kx, ky float64, col color) {
	bounds := image.Rectangle{}
	for _, seg := range g.segments {
		for _, p := range seg.points {
			px, py := int(math.Floor(x+p.x*kx)), int(math.Floor(y+p.y*ky))
			bounds = bounds.Union(image.Rect(px, py, px+2, py+2))
		}
	}
	bounds = bounds.Intersect(c.img.Bounds())
	if bounds.Empty() {
		return
	}
	c.ras.Reset(bounds.Dx(), bounds.Dy())
	at := func(p point) (float32, float32) {
		return float32(x + p.x*kx - float64(bounds.Min.X)), float32(y + p.y*ky - float64(bounds.Min.Y))
	}
	for i, seg := range g.segments {
		x0, y0 := at(seg.points[0])
		switch {
		case seg.move:
			if i > 0 {
				c.ras.ClosePath()
			}
			c.ras.MoveTo(x0, y0)
		case len(seg.points) == 1:
			c.ras.LineTo(x0, y0)
		case len(seg.points) == 2:
			x1, y1 := at(seg.points[1])
			c.ras.QuadTo(x0, y0, x1, y1)
		default:
			x1, y1 := at(seg.points[1])
			x2, y2 := at(seg.points[2])
			c.ras.CubeTo(x0, y0, x1, y1, x2, y2)
		}
	}
	c.ras.ClosePath()
	c.paint(bounds, col)
}

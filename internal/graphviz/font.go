package graphviz

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The drawn formats use Go Regular, which is part of the binary: nobody's
// machine needs fonts, and the picture is the same everywhere. It covers Latin,
// Greek and Cyrillic; other characters show as the empty box.
type outlineFont struct {
	sfnt  *sfnt.Font
	upem  float64 // units of the font's own grid per em
	mu    sync.Mutex
	buf   sfnt.Buffer
	cache map[rune]*glyph
}

// A glyph's outline is in font units, y downwards, origin on the baseline.
type glyph struct {
	segments []segment
	advance  float64
}

// A segment starts where the last one ended, except a move. A line has one
// point, a quadratic curve two, a cubic three.
type segment struct {
	move   bool
	points []point
}

var goRegular = sync.OnceValues(func() (*outlineFont, error) {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	return &outlineFont{sfnt: f, upem: float64(f.UnitsPerEm()), cache: make(map[rune]*glyph)}, nil
})

// glyph returns the outline of r, shared and not to be changed. A rune the font
// cannot draw has the outline of the empty box.
func (f *outlineFont) glyph(r rune) *glyph {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g := f.cache[r]; g != nil {
		return g
	}
	g := new(glyph)
	f.cache[r] = g
	// At as many pixels per em as units, a pixel is a unit.
	ppem := fixed.I(int(f.sfnt.UnitsPerEm()))
	index, err := f.sfnt.GlyphIndex(&f.buf, r)
	if err != nil {
		return g
	}
	if adv, err := f.sfnt.GlyphAdvance(&f.buf, index, ppem, font.HintingNone); err == nil {
		g.advance = fromFixed(adv)
	}
	segs, err := f.sfnt.LoadGlyph(&f.buf, index, ppem, nil)
	if err != nil {
		return g
	}
	for _, s := range segs {
		n := map[sfnt.SegmentOp]int{sfnt.SegmentOpMoveTo: 1, sfnt.SegmentOpLineTo: 1, sfnt.SegmentOpQuadTo: 2, sfnt.SegmentOpCubeTo: 3}[s.Op]
		out := segment{move: s.Op == sfnt.SegmentOpMoveTo}
		for _, p := range s.Args[:n] {
			out.points = append(out.points, point{fromFixed(p.X), fromFixed(p.Y)})
		}
		g.segments = append(g.segments, out)
	}
	return g
}

func fromFixed(v fixed.Int26_6) float64 { return float64(v) / 64 }

// fit returns the width a text takes at its size, and the factor by which to
// narrow its glyphs so that it stays in the room the layout gave it: Go Regular
// is a little wider than the font of the layout.
func (f *outlineFont) fit(s *shape) (width, squeeze float64) {
	for _, r := range s.text {
		width += f.glyph(r).advance
	}
	width *= s.fontSize / f.upem
	if s.room > 0 && width > s.room {
		return s.room, s.room / width
	}
	return width, 1
}

package report

import (
	"bytes"
	"errors"
	"io"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// FlameInline writes a flame graph as an svg element for a page that has others:
// the picture of FlameSVG without its script, styles and ids, so that it asks
// nothing of the page's policy and several can stand beside each other. The
// details of a frame show in a tooltip, which the browser makes of its title.
func FlameInline(w io.Writer, t *profile.Tree, o FlameOptions) error {
	var b bytes.Buffer
	if err := FlameSVG(&b, t, o); err != nil {
		return err
	}
	svg := b.Bytes()
	start := bytes.Index(svg, []byte("<svg "))
	if start < 0 {
		return errors.New("the picture has no svg element")
	}
	svg = svg[start:]
	for _, cut := range notInline {
		svg = cut.Get().ReplaceAll(svg, nil)
	}
	_, err := w.Write(svg)
	return err
}

// Names are escaped in the picture, so a < begins a tag of ours, and a quoted
// attribute inside a tag is one of ours.
var notInline = []*lazyregexp.Regexp{
	lazyregexp.New(`(?s)<style[^>]*>.*?</style>\s*`),
	lazyregexp.New(`(?s)<script[^>]*>.*?</script>\s*`),
	lazyregexp.New(`<text id="(?:matched|reset|search|details)"[^>]*>[^<]*</text>\s*`),
	lazyregexp.New(` (?:id|class|style|data-[a-z]+)="[^"]*"`),
}

package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"strings"

	"github.com/hone-go/hone/profile"
)

// The page's parts. The scripts share one scope, in this order.
var (
	//go:embed assets/flame.html
	flameBody string
	//go:embed assets/flame.css
	flameCSS string
	//go:embed assets/flame_model.js
	flameModelJS string
	//go:embed assets/flame_draw.js
	flameDrawJS string
	//go:embed assets/flame_text.js
	flameTextJS string
	//go:embed assets/flame.js
	flameJS string
)

// htmlNodes is how many frames each tree of a page has by default: more than
// fit side by side on a large screen, and about 500 kB.
const htmlNodes = 30_000

// flameData is what the page's script reads. Columns have one entry per node,
// in the order of profile.Tree.
type flameData struct {
	Title    string      `json:"title"`
	Facts    [][2]string `json:"facts"`
	Warnings []string    `json:"warnings"`
	Types    []flameType `json:"types"`
	Palettes [2]*palette `json:"palettes"` // light, dark
	Origins  []string    `json:"origins"`
	Packages []string    `json:"packages"`
	Hues     []int       `json:"hues"` // by package
	Files    []string    `json:"files"`
	Frames   flameFrames `json:"frames"`
	Trees    []flameTree `json:"trees"`
}

type flameType struct {
	Type  string  `json:"type"`
	Unit  string  `json:"unit"`
	Scale int64   `json:"scale"` // what the values of this type are to be multiplied by
	Event int64   `json:"event"` // see profile.TreeValues; not divided by Scale
	Base  float64 `json:"base"`  // what base values are to be multiplied by, too
}

type flameFrames struct {
	Name    []string `json:"name"`
	File    []int    `json:"file"`
	Line    []int64  `json:"line"`
	Package []int    `json:"package"`
	Origin  []int    `json:"origin"`
}

type flameTree struct {
	Inverted bool          `json:"inverted"`
	Children []uint32      `json:"children"` // how many each node has
	Frame    []uint32      `json:"frame"`    // of each node but the root
	Inlined  []uint32      `json:"inlined"`  // the nodes that are
	Folded   []uint32      `json:"folded"`   // how many children were too narrow, or empty
	Values   []flameValues `json:"values"`
}

// flameValues are in units of flameType.Scale. Totals follow from the rest.
type flameValues struct {
	Self       []int64 `json:"self"`
	Folded     []int64 `json:"folded"` // or empty
	BaseSelf   []int64 `json:"baseSelf"`
	BaseFolded []int64 `json:"baseFolded"`
}

// FlameHTML writes a page with an interactive flame graph: one file, which
// needs nothing from anywhere else.
//
// Names of functions, files and so on reach the page as JSON and are shown as
// text, never as markup, and the page's policy forbids every script and style
// but its own.
func FlameHTML(w io.Writer, t *profile.Tree, o FlameOptions) error {
	o.MaxNodes = cmp.Or(o.MaxNodes, htmlNodes)
	data, err := json.Marshal(newFlameData(t, &o))
	if err != nil {
		return err
	}
	script := "(() => {\n'use strict';\n" + flameModelJS + flameDrawJS + flameTextJS + flameJS + "})();\n"
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	b.WriteString(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '` + policyHash(script) +
		`'; style-src '` + policyHash(flameCSS) + `'; img-src data:; base-uri 'none'; form-action 'none'">` + "\n")
	b.WriteString(`<meta name="viewport" content="width=device-width, initial-scale=1">` + "\n")
	b.WriteString(`<meta name="color-scheme" content="light dark">` + "\n")
	b.WriteString(`<link rel="icon" href="data:,">` + "\n")
	b.WriteString("<title>" + html.EscapeString(printable(cmp.Or(o.Title, "flame graph"))) + " · hone</title>\n")
	b.WriteString("<style>" + flameCSS + "</style>\n</head>\n")
	b.WriteString(flameBody)
	b.WriteString("<script type=\"application/json\" id=\"data\">")
	embed(&b, data)
	b.WriteString("</script>\n<script>" + script + "</script>\n</body>\n</html>\n")
	_, err = w.Write(b.Bytes())
	return err
}

// policyHash returns the name of an inline script or style in a
// Content-Security-Policy.
func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// printable replaces the characters that neither HTML nor XML allows.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func newFlameData(t *profile.Tree, o *FlameOptions) *flameData {
	d := &flameData{
		Title:    o.Title,
		Facts:    o.facts(),
		Warnings: o.Warnings,
		Palettes: [2]*palette{lightPalette, darkPalette},
	}
	for origin := range profile.OriginRuntime + 1 {
		d.Origins = append(d.Origins, origin.String())
	}
	trees := []*profile.Tree{t.PruneTo(o.MaxNodes)}
	if o.Inverted != nil {
		trees = append(trees, o.Inverted.PruneTo(o.MaxNodes))
	}
	for c, st := range t.Types {
		var columns [][]int64
		for _, t := range trees {
			v := &t.Values[c]
			columns = append(columns, v.Self, v.Folded, v.BaseSelf, v.BaseFolded)
		}
		d.Types = append(d.Types, flameType{
			Type: st.Type, Unit: st.Unit, Scale: gcd(columns...), Event: t.Values[c].Event, Base: t.Values[c].BaseScale,
		})
	}
	in := flameInterner{d: d, frames: map[profile.Frame]uint32{}, files: map[string]int{}, packages: map[string]int{}}
	for _, t := range trees {
		d.Trees = append(d.Trees, in.tree(t))
	}
	return d
}

// flameInterner numbers what several trees share.
type flameInterner struct {
	d        *flameData
	frames   map[profile.Frame]uint32
	files    map[string]int
	packages map[string]int
}

func (in *flameInterner) tree(t *profile.Tree) flameTree {
	numbers := make([]uint32, len(t.Frames))
	for i := range t.Frames {
		numbers[i] = in.frame(&t.Frames[i])
	}
	out := flameTree{Inverted: t.Inverted, Folded: t.Folded}
	for n := range uint32(t.NumNodes()) {
		first, end := t.Children(n)
		out.Children = append(out.Children, end-first)
		if n > 0 {
			out.Frame = append(out.Frame, numbers[t.Frame[n]])
		}
		if t.Inlined[n] {
			out.Inlined = append(out.Inlined, n)
		}
	}
	for c := range t.Values {
		v, scale := &t.Values[c], in.d.Types[c].Scale
		out.Values = append(out.Values, flameValues{
			Self: divided(v.Self, scale), Folded: divided(v.Folded, scale),
			BaseSelf: divided(v.BaseSelf, scale), BaseFolded: divided(v.BaseFolded, scale),
		})
	}
	return out
}

func (in *flameInterner) frame(f *profile.Frame) uint32 {
	if i, ok := in.frames[*f]; ok {
		return i
	}
	d := in.d
	i := uint32(len(d.Frames.Name))
	in.frames[*f] = i
	pkg := f.Package()
	p, ok := in.packages[pkg]
	if !ok {
		p = len(d.Packages)
		in.packages[pkg] = p
		d.Packages = append(d.Packages, cutName(pkg))
		d.Hues = append(d.Hues, packageHue(pkg))
	}
	file, ok := in.files[f.File]
	if !ok {
		file = len(d.Files)
		in.files[f.File] = file
		d.Files = append(d.Files, cutName(f.File))
	}
	d.Frames.Name = append(d.Frames.Name, cutName(f.Name))
	d.Frames.File = append(d.Frames.File, file)
	d.Frames.Line = append(d.Frames.Line, cmp.Or(f.Line, f.StartLine))
	d.Frames.Package = append(d.Frames.Package, p)
	d.Frames.Origin = append(d.Frames.Origin, int(f.Origin()))
	return i
}

func divided(column []int64, by int64) []int64 {
	out := make([]int64, len(column))
	for i, v := range column {
		out[i] = v / by
	}
	return out
}

package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"slices"

	"github.com/hone-go/hone/profile"
	"github.com/hone-go/hone/web"
)

// htmlNodes is how many frames each tree of a page has by default: more than
// fit side by side on a large screen, and at most some 700 kB.
const htmlNodes = 30_000

// flameData is what the page's script reads (web/src/model/tree.ts). Columns
// have one entry per node, in the order of profile.Tree. Trees share frames and
// sample types share nodes, which keeps pages small.
type flameData struct {
	Title    string      `json:"title"`
	Facts    [][2]string `json:"facts"`
	Warnings []string    `json:"warnings"`
	// PerSecond says that values are rates.
	PerSecond bool        `json:"perSecond,omitempty"`
	Types     []flameType `json:"types"`
	Packages  []string    `json:"packages"`
	Files     []string    `json:"files"`
	Frames    FlameFrames `json:"frames"`
	Trees     []flameTree `json:"trees"`
}

type flameType struct {
	Type  string `json:"type"`
	Unit  string `json:"unit"`
	Scale int64  `json:"scale"` // what the values of this type are to be multiplied by
	// Event and BaseEvent are those of a Chance; not divided by Scale.
	Event     float64 `json:"event"`
	BaseEvent float64 `json:"baseEvent,omitempty"`
	Base      float64 `json:"base"` // what base values are to be multiplied by, too
	// Shares are of all there is, with what the trees here lack; MineShares are the
	// same of the trees of your code alone, if there are any.
	Shares     *FlameShares `json:"shares,omitempty"`
	MineShares *FlameShares `json:"mineShares,omitempty"`
}

type flameTree struct {
	Inverted bool          `json:"inverted"`
	Mine     bool          `json:"mine,omitempty"`   // of your code alone
	Children Column        `json:"children"`         // how many each node has
	Frame    Column        `json:"frame"`            // of each node but the root
	Inlined  Column        `json:"inlined"`          // the nodes that are
	Folded   Column        `json:"folded,omitempty"` // how many children were too narrow, if any were
	Values   []flameValues `json:"values"`
}

// flameValues are in units of flameType.Scale. Totals follow from the rest.
type flameValues struct {
	// Like is the number of a sample type before this one with the same columns,
	// which are left out then: the time of a CPU profile is its samples times the
	// period.
	Like       *int   `json:"like,omitempty"`
	Self       Column `json:"self,omitempty"`
	Folded     Column `json:"folded,omitempty"`
	BaseSelf   Column `json:"baseSelf,omitempty"` // in a comparison
	BaseFolded Column `json:"baseFolded,omitempty"`
}

// FlameHTML writes a page with an interactive flame graph: one file, which
// needs nothing from anywhere else. It is the one of the web UI, with its data in
// the page.
//
// Names of functions, files and so on reach the page as JSON and are shown as
// text, never as markup: the page's policy forbids every script and style but
// its own, and making markup of text at all.
func FlameHTML(w io.Writer, t *profile.Tree, o FlameOptions) error {
	o.MaxNodes = cmp.Or(o.MaxNodes, htmlNodes)
	data, err := json.Marshal(newFlameData(t, &o))
	if err != nil {
		return err
	}
	script, style := web.FlamePage()
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	b.WriteString(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '` + policyHash(script) +
		`'; style-src '` + policyHash(style) + `'; img-src data:; base-uri 'none'; form-action 'none'; ` +
		`require-trusted-types-for 'script'; trusted-types 'none'">` + "\n")
	b.WriteString(`<meta name="viewport" content="width=device-width, initial-scale=1">` + "\n")
	b.WriteString(`<meta name="color-scheme" content="light dark">` + "\n")
	b.WriteString(`<link rel="icon" href="data:,">` + "\n")
	b.WriteString("<title>" + html.EscapeString(printable(cmp.Or(o.Title, "flame graph"))) + " · hone</title>\n")
	b.WriteString("<style>" + style + "</style>\n</head>\n<body>\n<div id=\"app\"></div>\n")
	b.WriteString("<noscript>This flame graph is drawn by a script, which this browser does not run.</noscript>\n")
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

func newFlameData(t *profile.Tree, o *FlameOptions) *flameData {
	d := &flameData{
		Title: o.Title, Facts: o.facts(), Warnings: slices.Concat([]string{}, o.Warnings), PerSecond: o.PerSecond,
		Packages: []string{}, Files: []string{}, Frames: FlameFrames{Name: []string{}},
	}
	trees := slices.Concat([]FlameTurn{{t, o.Mine}}, o.Turns)
	shares := func(mine bool, column int) *FlameShares {
		var of *profile.Tree
		for _, t := range trees {
			// Inverted ones have folded less: only functions that have little themselves.
			if t.Mine == mine && (of == nil || t.Inverted) {
				of = t.Tree
			}
		}
		if of == nil {
			return nil
		}
		s := newFlameShares(of, column)
		return &s
	}
	for c, st := range t.Types {
		chance := cmp.Or(o.Chance, chanceOf(&t.Values[c]))
		of := flameType{
			Type: st.Type, Unit: st.Unit, Event: chance.Event, Base: t.Values[c].BaseScale,
			Shares: shares(false, c), MineShares: shares(true, c),
		}
		if t.Diff() {
			of.BaseEvent = chance.BaseEvent
		}
		d.Types = append(d.Types, of)
	}
	for i := range trees {
		trees[i].Tree = trees[i].PruneTo(o.MaxNodes)
	}
	for c := range d.Types {
		var columns [][]int64
		for _, t := range trees {
			v := &t.Values[c]
			columns = append(columns, v.Self, v.Folded, v.BaseSelf, v.BaseFolded)
		}
		d.Types[c].Scale = gcd(columns...)
	}
	in := flameInterner{d: d, chance: o.Chance, frames: map[profile.Frame]int64{}, files: map[string]int64{}, packages: map[string]int64{}}
	d.Frames.addRootSpread(totalFrame, o.Chance)
	for _, t := range trees {
		d.Trees = append(d.Trees, in.tree(t))
	}
	return d
}

// flameInterner numbers what several trees share.
type flameInterner struct {
	d        *flameData
	chance   *Chance
	frames   map[profile.Frame]int64
	files    map[string]int64
	packages map[string]int64
}

func (in *flameInterner) tree(t FlameTurn) flameTree {
	numbers := make([]int64, len(t.Frames))
	for i := range t.Frames {
		numbers[i] = in.frame(&t.Frames[i])
	}
	out := flameTree{Inverted: t.Inverted, Mine: t.Mine}
	for n := range uint32(t.NumNodes()) {
		first, end := t.Children(n)
		out.Children = append(out.Children, int64(end-first))
		if n > 0 {
			out.Frame = append(out.Frame, numbers[t.Frame[n]])
		}
		if t.Inlined[n] {
			out.Inlined = append(out.Inlined, int64(n))
		}
		if t.Folded != nil {
			out.Folded = append(out.Folded, int64(t.Folded[n]))
		}
	}
	for c := range t.Values {
		v, scale := &t.Values[c], in.d.Types[c].Scale
		values := flameValues{
			Self: divided(v.Self, scale), Folded: divided(v.Folded, scale),
			BaseSelf: divided(v.BaseSelf, scale), BaseFolded: divided(v.BaseFolded, scale),
		}
		if like := slices.IndexFunc(out.Values, values.equal); like >= 0 {
			values = flameValues{Like: &like}
		}
		out.Values = append(out.Values, values)
	}
	return out
}

func (v *flameValues) equal(other flameValues) bool {
	return slices.Equal(v.Self, other.Self) && slices.Equal(v.Folded, other.Folded) &&
		slices.Equal(v.BaseSelf, other.BaseSelf) && slices.Equal(v.BaseFolded, other.BaseFolded)
}

func (in *flameInterner) frame(f *profile.Frame) int64 {
	if i, ok := in.frames[*f]; ok {
		return i
	}
	d := &in.d.Frames
	i := int64(len(d.Name))
	in.frames[*f] = i
	pkg, origin := f.Place()
	d.add(cutName(f.Label()), number(in.files, &in.d.Files, cutName(f.File)), number(in.packages, &in.d.Packages, cutName(pkg)), origin, f)
	d.addSpread(f.Label(), in.chance)
	return i
}

func divided(column []int64, by int64) Column {
	out := make(Column, len(column))
	for i, v := range column {
		out[i] = v / by
	}
	return out
}

// embed writes text so that it can stand in a script element: no "<" may be in
// it that could begin an end tag or a comment.
func embed(b *bytes.Buffer, text []byte) {
	for {
		i := bytes.IndexByte(text, '<')
		if i < 0 {
			b.Write(text)
			return
		}
		b.Write(text[:i])
		b.WriteString(`\u003c`)
		text = text[i+1:]
	}
}

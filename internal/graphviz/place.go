package graphviz

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Placement tells where the layout puts the parts of a graph. Coordinates are
// points (1/72 inch) from the top left corner, y downwards. Its slices belong
// to the caller.
type Placement struct {
	Width, Height float64 // of the whole, with a margin around it
	nodes         map[string]Box
	edges         map[[2]string]Curve
}

// Box is the place of a node.
type Box struct {
	X, Y          float64 // centre
	Width, Height float64
}

// Curve is the course of an edge.
type Curve struct {
	// Path is a chain of cubic Bézier curves as x, y, x, y, …: the start, then
	// control, control and end of each.
	Path []float64
	// Tip is the point of the arrow, whose base is the end of Path.
	Tip [2]float64
	// Label is the centre of the label, if the edge has one.
	Label *[2]float64
}

// Size returns the size of the whole.
func (p *Placement) Size() (width, height float64) { return p.Width, p.Height }

// Node returns the place of a node by its name in the DOT text, and whether
// there is one.
func (p *Placement) Node(name string) (x, y, width, height float64, ok bool) {
	b, ok := p.nodes[name]
	return b.X, b.Y, b.Width, b.Height, ok
}

// Edge returns the course of the edge between two nodes, and whether there is
// one: of several, that of the last. See Curve.
func (p *Placement) Edge(tail, head string) (path []float64, tip [2]float64, label *[2]float64, ok bool) {
	c, ok := p.edges[[2]string{tail, head}]
	return c.Path, c.Tip, c.Label, ok
}

// placedObject has what the layout adds to the attributes of nodes and edges,
// y upwards.
type placedObject struct {
	GVID      int    `json:"_gvid"`
	Name      string `json:"name"`
	BB        string `json:"bb"` // clusters only
	Pos       string `json:"pos"`
	Width     string `json:"width"` // in inches
	Height    string `json:"height"`
	LabelPos  string `json:"lp"`
	Tail      int    `json:"tail"`
	Head      int    `json:"head"`
	Nodes     []int  `json:"nodes"`     // subgraphs only
	Subgraphs []int  `json:"subgraphs"` // subgraphs only
}

// Place lays out the DOT graph and returns where everything is, for a drawing
// that is made elsewhere. On a cancelled ctx it does as [Engine.Render].
func (e Engine) Place(ctx context.Context, dot []byte) (*Placement, error) {
	laidOut, err := e.layout(ctx, printable(dot))
	if err != nil {
		return nil, err
	}
	return parsePlacement(laidOut)
}

// parsePlacement reads the engine's JSON.
func parsePlacement(data []byte) (*Placement, error) {
	var g struct {
		BB      string         `json:"bb"`
		Objects []placedObject `json:"objects"`
		Edges   []placedObject `json:"edges"`
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return nil, fmt.Errorf("graph layout: %w", err)
	}
	box, err := parseBox(g.BB)
	if err != nil {
		return nil, err
	}
	p := &Placement{
		Width: box[2] - box[0] + 2*margin, Height: box[3] - box[1] + 2*margin,
		nodes: map[string]Box{}, edges: map[[2]string]Curve{},
	}
	page := pageOrigin{x: margin - box[0], y: margin + box[3]}
	names := map[int]string{}
	for i := range g.Objects {
		o := &g.Objects[i]
		name := nameWithBackslashes(o.Name)
		names[o.GVID] = name
		if o.BB != "" || o.Nodes != nil || o.Subgraphs != nil {
			continue
		}
		at, ok := page.point(o.Pos)
		width, err1 := strconv.ParseFloat(o.Width, 64)
		height, err2 := strconv.ParseFloat(o.Height, 64)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("graph layout: place of node %q: %q, %q × %q", name, o.Pos, o.Width, o.Height)
		}
		p.nodes[name] = Box{X: at[0], Y: at[1], Width: roundPoint(72 * width), Height: roundPoint(72 * height)}
	}
	for i := range g.Edges {
		o := &g.Edges[i]
		c, ok := page.curve(o.Pos)
		if !ok {
			return nil, fmt.Errorf("graph layout: course of edge %q", o.Pos)
		}
		if at, ok := page.point(o.LabelPos); ok {
			c.Label = &at
		}
		p.edges[[2]string{names[o.Tail], names[o.Head]}] = c
	}
	return p, nil
}

// pageOrigin converts the engine's coordinates, y upwards.
type pageOrigin struct{ x, y float64 }

func (o pageOrigin) point(s string) (pt [2]float64, ok bool) {
	xs, ys, ok := strings.Cut(strings.TrimSuffix(s, "!"), ",")
	x, err1 := strconv.ParseFloat(xs, 64)
	y, err2 := strconv.ParseFloat(ys, 64)
	if !ok || err1 != nil || err2 != nil || math.IsNaN(x+y) || math.IsInf(x+y, 0) {
		return pt, false
	}
	return [2]float64{roundPoint(o.x + x), roundPoint(o.y - y)}, true
}

// roundPoint keeps two digits: less than anyone sees at any zoom, and more is
// most of the text that a large graph is sent as.
func roundPoint(v float64) float64 { return math.Round(v*100) / 100 }

// curve reads a spline of https://graphviz.org/docs/attr-types/splineType:
//
//	["e,x,y "] ["s,x,y "] x,y (x,y x,y x,y)+
//
// "e" is the tip of the arrow at the head. Of several splines, which an edge
// between bundles has, the first counts.
func (o pageOrigin) curve(s string) (c Curve, ok bool) {
	s, _, _ = strings.Cut(s, ";")
	var tip *[2]float64
	for _, f := range strings.Fields(s) {
		end, isTip := strings.CutPrefix(f, "e,")
		start, isStart := strings.CutPrefix(end, "s,")
		pt, ok := o.point(start)
		if !ok {
			return c, false
		}
		switch {
		case isTip:
			tip = &pt
		case isStart: // an arrow at the tail, which nobody draws
		default:
			c.Path = append(c.Path, pt[0], pt[1])
		}
	}
	n := len(c.Path) / 2
	if n < 4 || (n-1)%3 != 0 {
		return c, false
	}
	c.Tip = [2]float64(c.Path[len(c.Path)-2:])
	if tip != nil {
		c.Tip = *tip
	}
	return c, true
}

package graphviz

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// margin surrounds the graph on all sides, in points.
const margin = 4

// A drawing is a laid-out graph as a display list. Coordinates are points
// (1/72 inch) from the top left corner of the page, y downwards.
type drawing struct {
	name          string
	width, height float64
	elements      []element // in painting order
}

type elementKind string

const (
	kindGraph   elementKind = "graph"
	kindCluster elementKind = "cluster"
	kindNode    elementKind = "node"
	kindEdge    elementKind = "edge"
)

// An element is a node, an edge, a cluster or the page itself.
type element struct {
	kind    elementKind
	title   string // node name, or "tail->head"
	id      string
	tooltip string
	shapes  []shape
}

type shapeKind byte

const (
	polygon  shapeKind = iota // points are the corners
	polyline                  // points are the corners
	bezier                    // points are start, then control, control, end of each cubic
	ellipse                   // points are the centre and the two radii
	text                      // points[0] is on the baseline, by align
)

// A shape is one drawing operation with all the state it needs.
type shape struct {
	kind      shapeKind
	points    []point
	filled    bool
	fill      color
	pen       color // outline, or the text
	lineWidth float64
	line      lineStyle

	text     string
	fontSize float64
	align    byte    // 'l', 'n' (centred) or 'r'
	room     float64 // width the layout reserved for the text
}

type point struct{ x, y float64 }

type color struct{ r, g, b, a uint8 }

type lineStyle byte

const (
	solid lineStyle = iota
	dashed
	dotted
	invisible
)

// dashes returns the lengths of ink and gap in points; nil when solid.
func (s lineStyle) dashes() []float64 {
	switch s {
	case dashed:
		return []float64{5, 2}
	case dotted:
		return []float64{1, 5}
	}
	return nil
}

// stroked reports whether the outline leaves ink.
func (s *shape) stroked() bool { return s.pen.a > 0 && s.line != invisible && s.lineWidth > 0 }

// painted reports whether the inside leaves ink.
func (s *shape) painted() bool { return s.filled && s.fill.a > 0 }

// left returns the x where a text of the given width starts.
func (s *shape) left(width float64) float64 {
	x := s.points[0].x
	switch s.align {
	case 'n':
		x -= width / 2
	case 'r':
		x -= width
	}
	return x
}

// The engine's JSON. Each object carries its attributes, of which some are
// drawing operations.
type jsonGraph struct {
	Name     string       `json:"name"`
	BB       string       `json:"bb"`
	Draw     []jsonOp     `json:"_draw_"`
	Label    []jsonOp     `json:"_ldraw_"`
	Directed bool         `json:"directed"`
	Objects  []jsonObject `json:"objects"`
	Edges    []jsonObject `json:"edges"`
}

type jsonObject struct {
	GVID      int      `json:"_gvid"`
	Name      string   `json:"name"`
	BB        string   `json:"bb"` // clusters only
	ID        string   `json:"id"`
	Tooltip   string   `json:"tooltip"`
	Tail      int      `json:"tail"`
	Head      int      `json:"head"`
	Nodes     []int    `json:"nodes"`     // subgraphs only
	Subgraphs []int    `json:"subgraphs"` // subgraphs only
	Draw      []jsonOp `json:"_draw_"`
	Label     []jsonOp `json:"_ldraw_"`
	HeadDraw  []jsonOp `json:"_hdraw_"`
	TailDraw  []jsonOp `json:"_tdraw_"`
	HeadLabel []jsonOp `json:"_hldraw_"`
	TailLabel []jsonOp `json:"_tldraw_"`
}

type jsonOp struct {
	Op     string       `json:"op"`
	Color  string       `json:"color"`
	Points [][2]float64 `json:"points"`
	Rect   [4]float64   `json:"rect"`
	Style  string       `json:"style"`
	Size   float64      `json:"size"`
	Pt     [2]float64   `json:"pt"`
	Align  string       `json:"align"`
	Width  float64      `json:"width"`
	Text   string       `json:"text"`
}

// parseDrawing reads the engine's JSON.
func parseDrawing(data []byte) (*drawing, error) {
	var g jsonGraph
	if err := json.Unmarshal(data, &g); err != nil {
		return nil, fmt.Errorf("graph layout: %w", err)
	}
	box, err := parseBox(g.BB)
	if err != nil {
		return nil, err
	}
	d := &drawing{
		name:   g.Name,
		width:  box[2] - box[0] + 2*margin,
		height: box[3] - box[1] + 2*margin,
	}
	g.Name = nameWithBackslashes(g.Name)
	p := opReader{originX: margin - box[0], originY: margin + box[3]}

	names := make(map[int]string, len(g.Objects))
	var clusters, nodes []element
	for i := range g.Objects {
		o := &g.Objects[i]
		o.Name = nameWithBackslashes(o.Name)
		names[o.GVID] = o.Name
		e := element{kind: kindNode, title: o.Name}
		p.describe(&e, o, g.Name)
		e.shapes = p.read(o.Draw, o.Label)
		switch {
		case o.BB != "":
			e.kind = kindCluster
			clusters = append(clusters, e)
		case o.Nodes != nil || o.Subgraphs != nil:
			// A plain subgraph draws nothing.
		default:
			nodes = append(nodes, e)
		}
	}
	arrow := "--"
	if g.Directed {
		arrow = "->"
	}
	d.elements = append(d.elements, element{kind: kindGraph, title: g.Name, shapes: p.read(g.Draw, g.Label)})
	d.elements = append(d.elements, clusters...)
	for i := range g.Edges {
		o := &g.Edges[i]
		e := element{kind: kindEdge, title: names[o.Tail] + arrow + names[o.Head]}
		p.describe(&e, o, g.Name)
		e.shapes = p.read(o.Draw, o.TailDraw, o.HeadDraw, o.Label, o.TailLabel, o.HeadLabel)
		d.elements = append(d.elements, e)
	}
	// Nodes come last: an edge that passes under a box must not cross its text.
	d.elements = append(d.elements, nodes...)
	return d, nil
}

func parseBox(s string) (box [4]float64, err error) {
	fields := strings.Split(s, ",")
	if len(fields) != 4 {
		return box, fmt.Errorf("graph layout: bounding box %q", s)
	}
	for i, f := range fields {
		if box[i], err = strconv.ParseFloat(f, 64); err != nil || math.IsNaN(box[i]) || math.IsInf(box[i], 0) {
			return box, fmt.Errorf("graph layout: bounding box %q", s)
		}
	}
	return box, nil
}

// nameWithBackslashes restores a name, in which DOT has no escapes.
func nameWithBackslashes(s string) string { return strings.ReplaceAll(s, string(backslash), `\\`) }

// opReader turns the engine's operations, y upwards, into shapes.
type opReader struct{ originX, originY float64 }

func (p *opReader) describe(e *element, o *jsonObject, graph string) {
	e.id = expand(o.ID, e.title, graph)
	e.tooltip = expand(o.Tooltip, e.title, graph)
}

// expand resolves the escapes DOT allows in attributes that name or describe an
// object. The engine does it for the text it draws, not for these.
func expand(s, title, graph string) string {
	if strings.Contains(s, `\`) {
		tail, head, isEdge := strings.Cut(title, "->")
		if !isEdge {
			tail, head = "", ""
		}
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] != '\\' || i+1 == len(s) {
				b.WriteByte(s[i])
				continue
			}
			i++
			switch s[i] {
			case 'N', 'E':
				b.WriteString(title)
			case 'G':
				b.WriteString(graph)
			case 'T':
				b.WriteString(tail)
			case 'H':
				b.WriteString(head)
			case 'n', 'l', 'r':
				b.WriteByte('\n')
			default:
				b.WriteByte(s[i])
			}
		}
		s = b.String()
	}
	return withBackslashes(html.UnescapeString(s))
}

func withBackslashes(s string) string { return strings.ReplaceAll(s, string(backslash), `\`) }

func (p *opReader) read(lists ...[]jsonOp) []shape {
	var shapes []shape
	for _, ops := range lists {
		s := shape{pen: color{a: 255}, fill: color{211, 211, 211, 255}, lineWidth: 1, fontSize: 14}
		for i := range ops {
			op := &ops[i]
			switch op.Op {
			case "c":
				s.pen = parseColor(op.Color)
			case "C":
				s.fill = parseColor(op.Color)
			case "S":
				s.setStyle(op.Style)
			case "F":
				s.fontSize = op.Size
			case "P", "p":
				shapes = p.add(shapes, s, polygon, op, 2)
			case "L":
				shapes = p.add(shapes, s, polyline, op, 2)
			case "B", "b":
				shapes = p.add(shapes, s, bezier, op, 4)
			case "E", "e":
				e := s
				e.kind, e.filled = ellipse, op.Op == "E"
				centre := p.point([2]float64{op.Rect[0], op.Rect[1]})
				e.points = []point{centre, {op.Rect[2], op.Rect[3]}}
				shapes = append(shapes, e)
			case "T":
				if strings.TrimSpace(op.Text) == "" {
					continue
				}
				t := s
				t.kind, t.text, t.room, t.align = text, withBackslashes(op.Text), op.Width, 'n'
				if op.Align == "l" || op.Align == "r" {
					t.align = op.Align[0]
				}
				t.points = []point{p.point(op.Pt)}
				shapes = append(shapes, t)
			}
		}
	}
	return shapes
}

func (p *opReader) add(shapes []shape, s shape, kind shapeKind, op *jsonOp, least int) []shape {
	if len(op.Points) < least {
		return shapes
	}
	s.kind = kind
	// Upper case is filled. (In Graphviz' xdot text it is so for all but curves.)
	s.filled = op.Op == "P" || op.Op == "B"
	s.points = make([]point, len(op.Points))
	for i, pt := range op.Points {
		s.points[i] = p.point(pt)
	}
	if kind == bezier {
		s.points = s.points[:1+(len(s.points)-1)/3*3]
	}
	return append(shapes, s)
}

func (p *opReader) point(pt [2]float64) point { return point{p.originX + pt[0], p.originY - pt[1]} }

func (s *shape) setStyle(style string) {
	switch style {
	case "solid":
		s.line = solid
	case "dashed":
		s.line = dashed
	case "dotted":
		s.line = dotted
	case "invis", "invisible":
		s.line = invisible
	case "bold":
		s.lineWidth = 2
	default:
		if width, ok := strings.CutPrefix(style, "setlinewidth("); ok {
			if v, err := strconv.ParseFloat(strings.TrimSuffix(width, ")"), 64); err == nil {
				s.lineWidth = v
			}
		}
	}
}

// parseColor reads "#rrggbb" and "#rrggbbaa", the only forms the engine writes.
// Anything else is black.
func parseColor(s string) color {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	switch {
	case err == nil && len(s) == 7:
		return color{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
	case err == nil && len(s) == 9:
		return color{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}
	}
	return color{a: 255}
}

package report

import (
	"cmp"
	"math"
	"sort"
	"strconv"

	"github.com/hone-go/hone/profile"
)

// FlameIndex answers questions about the flame graph of a tree, in time that
// depends on the size of the answer, not of the tree. It is made once per tree,
// keeps the tree, and adds eight bytes per node, in a comparison twenty. It is
// safe for concurrent use. A profile with negative values is a comparison, too:
// see [profile.NewTree].
type FlameIndex struct {
	*flameLayout
	unit   string // of texts
	rates  bool   // values are per second
	height int
	shares FlameShares
	whole  FlameWhole
	chance *Chance
	root   string // the frame whose chance the root has
}

// FlameWhole has the totals that percentages refer to.
type FlameWhole struct {
	Head int64 `json:"head"`
	Base int64 `json:"base"` // scaled to compare with the head; 0 without a base
}

// NewFlameIndex returns the index of a tree, and shows its first sample type. It uses
// Unit and PerSecond of o. The units "minimum" and "auto" mean the same here: each value
// is printed on its own.
func NewFlameIndex(t *profile.Tree, o Options, widths FlameWidths) *FlameIndex {
	unit := o.Unit
	if unit == "minimum" {
		unit = "auto"
	}
	x := &FlameIndex{flameLayout: newFlameLayout(t, 0, widths), unit: unit, rates: o.PerSecond, height: t.Height() + 1, shares: newFlameShares(t, 0)}
	x.chance = chanceOf(x.v)
	if x.whole.Head = x.v.Total[0]; t.Diff() {
		x.whole.Base = scaledBase(x.v, x.v.BaseTotal[0])
	}
	return x
}

// Of returns the index with other totals for percentages, for trees that hold only part
// of the profile: filters dropped samples, or only stacks with a pivot were kept. base
// is not scaled yet.
func (x *FlameIndex) Of(head, base int64) *FlameIndex {
	of := *x
	if of.whole.Head = head; x.t.Diff() {
		of.whole.Base = scaledBase(x.v, base)
	}
	return &of
}

// Varying returns the index with another chance of its values; nil leaves it as it is. pivot is
// that of the tree.
func (x *FlameIndex) Varying(c *Chance, pivot string) *FlameIndex {
	if c == nil {
		return x
	}
	of := *x
	of.chance, of.root = c, cmp.Or(pivot, totalFrame)
	return &of
}

// Bytes returns about how much memory the index takes in addition to the tree.
func (x *FlameIndex) Bytes() int64 {
	n := 8*cap(x.start) + 4*cap(x.order)
	if x.order != nil {
		n += 8 * cap(x.width)
	}
	return int64(n)
}

// Window is the visible part of a flame graph.
type Window struct {
	// From and To are positions, and To is greater than From. A To of 0 is the end.
	From, To int64
	// Node, if positive, is the number of a node whose range is shown instead.
	Node int64
	// Width is how many pixels wide it is drawn; 0 is 1200.
	Width int
	// Budget, unless nil, provides the memory of the visible nodes.
	Budget profile.Budget
}

const (
	defaultFlameWidth = 1200
	maxFlameWidth     = 1 << 16
)

// FlameWindow has the visible nodes of a flame graph: the answer of report/flame in
// the query API. See doc/reference/api.md.
type FlameWindow struct {
	FlameHead
	Files    []string    `json:"files"`
	Packages []string    `json:"packages"`
	Frames   FlameFrames `json:"frames"`
	Nodes    FlameNodes  `json:"nodes"`
}

// FlameHead has the fields of a FlameWindow that don't grow with its nodes.
type FlameHead struct {
	Type      string   `json:"type"`
	Unit      string   `json:"unit"`
	Event     float64  `json:"event"`               // the value of one event, 0 if unknown
	BaseEvent float64  `json:"baseEvent,omitempty"` // the same of the base, not scaled
	Total     Quantity `json:"total"`               // of the root
	Height    int      `json:"height"`
	Inverted  bool     `json:"inverted"`
	Diff      bool     `json:"diff"`
	PerSecond bool     `json:"perSecond,omitempty"` // values are rates
	BaseTotal *int64   `json:"baseTotal,omitempty"` // not scaled
	BaseScale float64  `json:"baseScale"`
	// Widths tells, for a comparison, which side's values set the width of nodes.
	Widths FlameWidths `json:"widths,omitempty"`
	Whole  FlameWhole  `json:"whole"`
	From   int64       `json:"from"`
	To     int64       `json:"to"`
	Scale  int64       `json:"scale"` // factor for the nodes' values

	Shares FlameShares `json:"shares"` // of the whole graph
}

// FlameFrames are the frames in use, in columns.
type FlameFrames struct {
	Name    []string `json:"name"`
	File    Column   `json:"file"`    // index in Files
	Line    Column   `json:"line"`    // the first of the function, 0 if unknown
	Package Column   `json:"package"` // index in Packages
	Origin  Column   `json:"origin"`  // a profile.Origin
	// OtherFiles is the number of further files that have the frame: see
	// [profile.Frame]. It is nil if no frame has several files.
	OtherFiles Column `json:"otherFiles,omitempty"`
	// Spread and BaseSpread are the standard errors of totals by how instances differ, in
	// millionths of the totals. They are nil if that is unknown.
	Spread     Column `json:"spread,omitempty"`
	BaseSpread Column `json:"baseSpread,omitempty"`
	// RootSpread has both of the root, the head's first.
	RootSpread Column `json:"rootSpread,omitempty"`
}

// addSpread appends the spreads of a frame.
func (f *FlameFrames) addSpread(label string, c *Chance) {
	if c == nil || c.spreads == nil {
		return
	}
	s := c.spreads[label]
	f.Spread = append(f.Spread, millionths(s.cum))
	f.BaseSpread = append(f.BaseSpread, millionths(s.baseCum))
}

// addRootSpread adds the spreads of the root, which has what a frame has, or all of them.
func (f *FlameFrames) addRootSpread(label string, c *Chance) {
	if c != nil && c.spreads != nil {
		s := c.spreads[label]
		f.RootSpread = Column{millionths(s.cum), millionths(s.baseCum)}
	}
}

func millionths(v float64) int64 { return int64(math.Round(1e6 * v)) }

// add appends a frame with its name, and the numbers of its file and package.
func (f *FlameFrames) add(name string, file, pkg int64, origin profile.Origin, of *profile.Frame) {
	f.Name = append(f.Name, name)
	f.File = append(f.File, file)
	f.Line = append(f.Line, of.StartLine)
	f.Package = append(f.Package, pkg)
	f.Origin = append(f.Origin, int64(origin))
	if of.Files > 1 {
		f.OtherFiles = append(f.OtherFiles, make(Column, len(f.Name)-len(f.OtherFiles))...)
		f.OtherFiles[len(f.Name)-1] = int64(of.Files - 1)
	} else if f.OtherFiles != nil {
		f.OtherFiles = append(f.OtherFiles, 0)
	}
}

// FlameNodes are the visible nodes in columns, parents before children, siblings in
// order. Values are divided by FlameWindow.Scale.
type FlameNodes struct {
	ID        Column `json:"id"`    // number in the tree
	Depth     Column `json:"depth"` // 0 is the root
	Frame     Column `json:"frame"` // index in Frames, -1 for the root
	Gap       Column `json:"gap"`   // from the end of the left sibling here, or the parent's start
	Total     Column `json:"total"`
	Self      Column `json:"self"`
	Hidden    Column `json:"hidden"`  // number of children that are left out
	Inlined   Column `json:"inlined"` // the entries that are inlined calls
	BaseTotal Column `json:"baseTotal,omitempty"`
	BaseSelf  Column `json:"baseSelf,omitempty"`
	// Width is as wide as the node is drawn, Own the part of it outside of its
	// children. Both are omitted where they equal Total and Self.
	Width Column `json:"width,omitempty"`
	Own   Column `json:"own,omitempty"`
}

// Column is a column of numbers. A nil column is [] in JSON.
type Column []int64

// MarshalJSON returns the column as an array.
func (c Column) MarshalJSON() ([]byte, error) { return c.appendJSON(make([]byte, 0, 2+4*len(c))), nil }

// appendJSON appends the column as an array.
func (c Column) appendJSON(b []byte) []byte {
	b = append(b, '[')
	for i, v := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, v, 10)
	}
	return append(b, ']')
}

// resolve checks a window. It returns its ends, and the width of half a pixel in it.
// Its errors are of type ParamError.
func (x *FlameIndex) resolve(w Window) (from, to, least int64, err error) {
	width := cmp.Or(w.Width, defaultFlameWidth)
	if width < 1 || width > maxFlameWidth {
		return 0, 0, 0, paramErrorf("width", "invalid width %d: use 1 to %d pixels", width, maxFlameWidth)
	}
	total := x.width[0]
	from, to = w.From, cmp.Or(w.To, total)
	switch {
	case w.Node > 0:
		if w.Node >= int64(x.t.NumNodes()) {
			return 0, 0, 0, paramErrorf("node", "unknown node %d", w.Node)
		}
		from, to = x.place(uint32(w.Node))
		if from == to {
			side := WidthsBase
			if x.widths == WidthsBase {
				side = WidthsHead
			}
			return 0, 0, 0, paramErrorf("node", "node %d has no width: only the %s has it", w.Node, side)
		}
	case from == 0 && to == total: // which may be 0
	case from < 0 || from >= total:
		return 0, 0, 0, paramErrorf("from", "invalid start %d: use 0 to %d", from, total-1)
	case to > total:
		return 0, 0, 0, paramErrorf("to", "invalid end %d: the graph ends at %d", to, total)
	case from >= to:
		return 0, 0, 0, paramErrorf("to", "invalid end %d: the window starts at %d", to, from)
	}
	least = int64(math.Ceil(float64(to-from) / float64(2*width)))
	return from, to, max(least, 1), nil
}

// Window returns the nodes that are visible in a window: those that overlap it and
// are at least half a pixel wide. A window outside of the graph is a [ParamError].
func (x *FlameIndex) Window(w Window) (*FlameWindow, error) {
	from, to, least, err := x.resolve(w)
	if err != nil {
		return nil, err
	}
	t, v := x.t, x.v
	out := &FlameWindow{FlameHead: FlameHead{
		Type: t.Types[0].Type, Unit: t.Types[0].Unit, Event: x.chance.Event, Total: x.quantity(v.Total[0], x.whole.Head), Whole: x.whole,
		Height: x.height, Inverted: t.Inverted, Diff: t.Diff(), PerSecond: x.rates, BaseScale: v.BaseScale, Widths: x.widths, From: from, To: to,
		Shares: x.shares,
	}, Files: []string{}, Packages: []string{}}
	b := flameWindowBuilder{x: x, out: out, from: from, to: to, least: least, held: held{budget: w.Budget}}
	if out.Diff {
		base := v.BaseTotal[0]
		out.BaseTotal, out.BaseEvent = &base, x.chance.BaseEvent
	}
	seen := b.seen()
	if b.held.err != nil {
		return nil, b.held.err
	}
	b.describeFrames(b.fill(seen))
	out.Nodes.divide(out)
	return out, nil
}

func (x *FlameIndex) quantity(value, total int64) Quantity {
	q := Quantity{Value: value, Text: formatRate(value, x.t.Types[0].Unit, x.unit, rateOf(x.t.Types[0], x.rates))}
	if total != 0 {
		q.Percent = 100 * float64(value) / float64(total)
	}
	return q
}

type flameWindowBuilder struct {
	x               *FlameIndex
	out             *FlameWindow
	from, to, least int64
	held            held
}

// A seenNode is a visible node.
type seenNode struct {
	node, depth uint32
	sent        uint32 // how many of its children are visible
	gap         int64
}

// visible returns the range of visible children of node n, first included and last
// excluded. They are adjacent, because siblings are ordered by position and by falling
// width.
func (b *flameWindowBuilder) visible(n uint32) (first, last uint32) {
	x := b.x
	lo, hi := x.t.Children(n)
	count := int(hi - lo)
	first = lo + uint32(sort.Search(count, func(i int) bool {
		_, end := x.place(x.at(lo + uint32(i)))
		return end > b.from
	}))
	last = lo + uint32(sort.Search(count, func(i int) bool {
		c := x.at(lo + uint32(i))
		return x.start[c] >= b.to || x.width[c] < b.least
	}))
	return first, max(first, last)
}

// seen walks down from the root, depth first, and returns the visible nodes.
func (b *flameWindowBuilder) seen() []seenNode {
	all := make([]seenNode, 0, min(b.x.t.NumNodes(), 4096)) // more than most windows show
	type level struct{ next, end, depth uint32 }            // places of siblings
	var levels []level                                      // from the root down, the siblings still to visit
	gap := int64(0)                                         // of the next node
	enter := func(n, depth uint32) {
		first, end := b.visible(n)
		all = append(all, seenNode{n, depth, end - first, gap})
		levels = append(levels, level{first, end, depth + 1})
		gap = 0
		if first < end {
			gap = b.x.start[b.x.at(first)] - b.x.start[n]
		}
	}
	enter(0, 0)
	// Each node has an entry in the list, which has room left as it grows, and in some columns.
	const nodeBytes = 2*24 + 12*8
	stop := stopper{held: &b.held}
	for len(levels) > 0 && !stop.over(nodeBytes*int64(len(all))) {
		l := &levels[len(levels)-1]
		if l.next == l.end {
			levels = levels[:len(levels)-1]
			continue
		}
		l.next++
		enter(b.x.at(l.next-1), l.depth)
	}
	return all
}

// fill fills the columns of nodes, and returns their frames of the tree, in the order of
// the answer.
func (b *flameWindowBuilder) fill(seen []seenNode) (frames []uint32) {
	t, v, o := b.x.t, b.x.v, &b.out.Nodes
	columns := []*Column{&o.ID, &o.Depth, &o.Frame, &o.Gap, &o.Total, &o.Self, &o.Hidden}
	if v.BaseTotal != nil {
		columns = append(columns, &o.BaseTotal, &o.BaseSelf)
	}
	if b.x.order != nil {
		columns = append(columns, &o.Width, &o.Own)
	}
	room := make(Column, len(columns)*len(seen))
	for i, c := range columns {
		*c = room[i*len(seen) : (i+1)*len(seen) : (i+1)*len(seen)]
	}
	place := make([]uint32, len(t.Frames)) // of a frame in the answer, plus 1
	for i, of := range seen {
		n := of.node
		o.Frame[i] = -1
		if n != 0 {
			at := &place[t.Frame[n]]
			if *at == 0 {
				frames = append(frames, t.Frame[n])
				*at = uint32(len(frames))
			}
			o.Frame[i] = int64(*at) - 1
		}
		if t.Inlined[n] {
			o.Inlined = append(o.Inlined, int64(i))
		}
		lo, hi := t.Children(n)
		o.Hidden[i] = int64(hi - lo - of.sent)
		if t.Folded != nil {
			o.Hidden[i] += int64(t.Folded[n])
		}
		o.ID[i], o.Depth[i], o.Gap[i] = int64(n), int64(of.depth), of.gap
		o.Total[i], o.Self[i] = v.Total[n], v.Self[n]
		if v.BaseTotal != nil {
			o.BaseTotal[i], o.BaseSelf[i] = v.BaseTotal[n], v.BaseSelf[n]
		}
		if b.x.order != nil {
			o.Width[i], o.Own[i] = b.x.width[n], b.x.own(n)
		}
	}
	return frames
}

// describeFrames fills the frame table.
func (b *flameWindowBuilder) describeFrames(frames []uint32) {
	o := b.out
	files, packages := map[string]int64{}, map[string]int64{}
	f, n := &o.Frames, len(frames)
	f.addRootSpread(b.x.root, b.x.chance)
	f.Name, f.File, f.Line = make([]string, 0, n), make(Column, 0, n), make(Column, 0, n)
	f.Package, f.Origin = make(Column, 0, n), make(Column, 0, n)
	for _, i := range frames {
		of := &b.x.t.Frames[i]
		pkg, origin := of.Place()
		f.add(of.Label(), number(files, &o.Files, of.File), number(packages, &o.Packages, pkg), origin, of)
		f.addSpread(of.Label(), b.x.chance)
	}
}

// number returns the index of a text in a list, and adds it if it is new.
func number(numbers map[string]int64, list *[]string, text string) int64 {
	i, ok := numbers[text]
	if !ok {
		i = int64(len(*list))
		numbers[text] = i
		*list = append(*list, text)
	}
	return i
}

// divide divides the values by their greatest common divisor: those of a CPU
// profile are multiples of its period.
func (o *FlameNodes) divide(w *FlameWindow) {
	columns := [][]int64{o.Gap, o.Total, o.Self, o.BaseTotal, o.BaseSelf, o.Width, o.Own}
	w.Scale = gcd(columns...)
	if w.Scale == 1 {
		return
	}
	divideAll(w.Scale, columns...)
}

package report

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// Grid has the cost of each value of one label, and the functions that cost most in it.
type Grid struct {
	About
	By     string      `json:"by"`     // key of the label; "" if there are no labels
	Labels []GridLabel `json:"labels"` // labels to choose from
	// Most is the largest cost of all values, found or not: the end of a scale that all
	// pages have in common.
	Most  int64      `json:"most"`
	Cells []GridCell `json:"cells"` // most expensive first
}

// GridLabel is a label to choose from.
type GridLabel struct {
	Key    string `json:"key"`
	Values int    `json:"values"` // how many
	// Total is what the samples with the label cost; nil for labels of whole profiles.
	Total *Quantity `json:"total,omitempty"`
}

// GridCell is one value of the label.
type GridCell struct {
	Value     string         `json:"value"`
	Sum       Quantity       `json:"sum"`
	Functions []GridFunction `json:"functions"`
	// Noise says of a comparison's cell that chance explains its change: see [Grid.Judge].
	Noise    bool     `json:"noise,omitempty"`
	Profile  []string `json:"profile"`            // ids of its part of the profiles
	Profiles int64    `json:"profiles,omitempty"` // how many the store has; 0 for labels of samples

	// Base is what it cost before, of a comparison, scaled: Sum is the change.
	Base int64 `json:"base,omitempty"`
}

// GridFunction is a function with its own cost in a cell.
type GridFunction struct {
	Name  string   `json:"name"`
	Cost  Quantity `json:"cost"`
	Noise bool     `json:"noise,omitempty"` // as of its cell
	Base  int64    `json:"base,omitempty"`  // as of its cell
}

// Grid returns the grid of a label of samples, with the cells of a page and at most n
// functions in each; "" is the label that tells most. With yours, functions that aren't of your
// code are folded into those of yours that call them, if there are both: see [Options.Mine]. rows is how many cells
// all pages have. Errors about the page are of type [ParamError].
func (r *Report) Grid(by string, page Page, n int, yours bool) (g *Grid, rows int, err error) {
	tags := r.Tags()
	g = &Grid{About: tags.About, By: by, Labels: []GridLabel{}, Cells: []GridCell{}}
	for i := range tags.Keys {
		if k := &tags.Keys[i]; k.Key != baseLabel {
			g.Labels = append(g.Labels, GridLabel{k.Key, len(k.Values), &k.Total})
		}
	}
	slices.SortStableFunc(g.Labels, func(a, b GridLabel) int { return compareAbs(a.Total.Value, b.Total.Value) })
	if by == "" {
		g.By = tellingLabel(tags.Keys)
	}
	i := slices.IndexFunc(tags.Keys, func(k TagKey) bool { return k.Key == g.By })
	if i < 0 {
		return g, 0, nil
	}
	values := tags.Keys[i].Values
	if len(values) > 0 {
		g.Most = abs(values[0].Sum.Value)
	}
	shown, rows, err := pageOf(&page, values, nil, func(v *TagValue) string { return v.Value }, nil)
	if err != nil {
		return nil, 0, err
	}
	cells := map[string]int{}
	for i, v := range shown {
		cells[v.Value] = i
		g.Cells = append(g.Cells, GridCell{Value: v.Value, Sum: v.Sum, Profile: []string{}})
	}
	return g, rows, r.addFunctions(g.Cells, r.cellsOf(g.By, cells), n, yours)
}

// Judge sets which changes of a comparison's cells chance explains, if that is known. How much a
// label's value varies among instances is taken from their totals.
func (g *Grid) Judge(by Sampling) {
	if !by.Chance.known() {
		return
	}
	least := leastChange * float64(abs(g.Total.Value))
	noise := func(frame string, change, was int64) bool {
		if math.Abs(float64(change)) < least {
			return true
		}
		base, head := by.Chance.sides(frame, false, float64(was), float64(was+change), by.BaseScale)
		return SureChange(base, head) == 0
	}
	for i := range g.Cells {
		c := &g.Cells[i]
		c.Noise = noise(totalFrame, c.Sum.Value, c.Base)
		for j := range c.Functions {
			f := &c.Functions[j]
			f.Noise = noise(f.Name, f.Cost.Value, f.Base)
		}
	}
}

// tellingLabel returns the label that tells most about the cost; "" without labels. Among
// the labels that cover about the most cost, its most expensive value costs most. A label
// with one value is only returned if all of those have one.
func tellingLabel(keys []TagKey) (best string) {
	const nearly = 0.9
	var most, dearest int64
	for i := range keys {
		if keys[i].Key != baseLabel {
			most = max(most, abs(keys[i].Total.Value))
		}
	}
	for i := range keys {
		k := &keys[i]
		if k.Key == baseLabel || float64(abs(k.Total.Value)) < nearly*float64(most) {
			continue
		}
		// A label with a single value says nothing. It is taken only if all labels have one.
		if cost := abs(k.Values[0].Sum.Value); best == "" || len(k.Values) > 1 && cost > dearest {
			best = k.Key
			if len(k.Values) > 1 {
				dearest = cost
			}
		}
	}
	return best
}

// Cell returns the cell of a whole profile, with functions as of [Report.Grid].
func (r *Report) Cell(value string, n int, yours bool) (GridCell, error) {
	var sum int64
	for _, v := range r.weights.values {
		sum += v
	}
	cells := []GridCell{{Value: value, Sum: r.quantity(sum), Profile: []string{}}}
	whole := []int{0}
	err := r.addFunctions(cells, func(int) []int { return whole }, n, yours)
	return cells[0], err
}

// cellsOf returns the function that tells which cells a sample is in. cells has them by
// the label's value.
func (r *Report) cellsOf(key string, cells map[string]int) func(sample int) []int {
	p := r.prof
	in := make([][]int, len(p.LabelSets))
	for i, set := range p.LabelSets {
		for _, l := range p.Labels[set.Start : set.Start+set.Len] {
			if p.Strings[l.Key] != key {
				continue
			}
			if c, ok := cells[labelText(p, l, r.units[key], r.outputUnit)]; ok {
				in[i] = append(in[i], c)
			}
		}
	}
	return func(sample int) []int { return in[p.SampleLabels[sample]] }
}

// labelText returns a label's value as tables print it.
func labelText(p *profile.Profile, l profile.Label, unit, outputUnit string) string {
	if l.Numeric {
		return formatValue(l.Num, unit, outputUnit)
	}
	return p.Strings[l.Str]
}

// addFunctions adds to each cell the functions with the largest own cost, at most n. in
// tells the cells of a sample.
func (r *Report) addFunctions(cells []GridCell, in func(sample int) []int, n int, yours bool) (err error) {
	p := r.prof
	if yours && Foldable(p) {
		if r.opt.NoInlines { // see [selection.fold]
			p = profile.Aggregate(p, profile.Granularity{Function: true, File: true, Line: true, Column: true, Address: true})
		}
		if p, _, err = profile.FoldForeign(r.env.Context, p, ofModule(p), false); err != nil {
			return err
		}
	}
	table, err := profile.NewFrameTable(cmp.Or(r.opt.Granularity, "functions"), r.opt.NoInlines)
	if err != nil {
		return err
	}
	frames := table.Add(p)
	own := make([]map[uint32]gridCost, len(cells)) // by frame
	for i := range own {
		own[i] = map[uint32]gridCost{}
	}
	for s, v := range r.weights.values {
		if r.stop().at(s) {
			return r.Err()
		}
		if v == 0 {
			continue
		}
		var leaf []profile.FrameRef
		if stack := p.Stack(s); len(stack) > 0 {
			leaf = frames.At(stack[0])
		}
		for _, c := range in(s) {
			was := max(-v, 0)
			cells[c].Base += was
			if len(leaf) > 0 {
				cost := own[c][leaf[0].Index()]
				own[c][leaf[0].Index()] = gridCost{cost.sum + v, cost.base + was}
			}
		}
	}
	for i := range cells {
		cells[i].Functions = r.dearest(own[i], table, n)
	}
	return nil
}

// gridCost is a value with what the negative ones, a comparison's base, have in it.
type gridCost struct{ sum, base int64 }

// dearest returns the n frames with the largest values.
func (r *Report) dearest(own map[uint32]gridCost, table *profile.FrameTable, n int) []GridFunction {
	all := make([]GridFunction, 0, len(own))
	for f, v := range own {
		if v.sum == 0 {
			continue
		}
		frame := table.Frame(f)
		all = append(all, GridFunction{Name: frame.Label(), Cost: r.quantity(v.sum), Base: v.base})
	}
	slices.SortFunc(all, func(a, b GridFunction) int {
		return cmp.Or(compareAbs(a.Cost.Value, b.Cost.Value), strings.Compare(a.Name, b.Name))
	})
	return slices.Clip(all[:min(n, len(all))])
}

// LabelPart returns the samples of p that have a value of a label. value is as [Grid]
// prints it, numbers in a unit.
func LabelPart(p *profile.Profile, key, value, unit string) *profile.Profile {
	units, _ := p.NumLabelUnits()
	q, _, _ := profile.FilterLabels(p, func(labels []profile.Label) bool {
		return slices.ContainsFunc(labels, func(l profile.Label) bool {
			return p.Strings[l.Key] == key && labelText(p, l, units[key], unit) == value
		})
	}, nil)
	return q
}

// CheckGrid returns an error of type [ParamError] if a page of a grid is invalid, or n, the
// number of functions per cell.
func CheckGrid(page Page, n int) error {
	const mostCells, mostFunctions = 100, 50
	switch {
	case page.Limit < 1 || page.Limit > mostCells:
		return &ParamError{"limit", errors.New("use 1 to 100")}
	case n < 0 || n > mostFunctions:
		return &ParamError{"functions", errors.New("use 0 to 50")}
	}
	return nil
}

package report

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Page selects and orders the rows of a table and picks a run of them. The zero
// value is the whole table.
type Page struct {
	// Find is a regular expression that a row's name has to match somewhere.
	Find string
	// Order is a column, with "-" in front for descending; "" is the report's
	// own order. Values are ordered with their signs. Rows of equal value stay in
	// the report's own order.
	Order  string
	Offset int // rows to skip
	Limit  int // most rows, 0 for all
	// Most is about how many bytes of text the rows of traces and raw may have: the
	// text can be far larger than the profile. Larger pages fail with ErrLongPage. 0
	// means no limit.
	Most int64
}

// ErrLongPage is the error of a page with more text than it may have.
var ErrLongPage = errors.New("the page has too much text: ask for fewer rows")

// check returns the column to order by and whether it descends. Its errors are
// of type ParamError.
func (p *Page) check(columns ...string) (column string, descending bool, err error) {
	if p.Offset < 0 {
		return "", false, &ParamError{"offset", errors.New("must not be negative")}
	}
	if p.Limit < 0 {
		return "", false, &ParamError{"limit", errors.New("must not be negative")}
	}
	column, descending = strings.CutPrefix(p.Order, "-")
	if p.Order != "" && !slices.Contains(columns, column) {
		return "", false, paramErrorf("order", "unknown column %q to order by (known: %s)", column, strings.Join(columns, ", "))
	}
	return column, descending, nil
}

// cut returns the range of rows on the page, out of n.
func (p *Page) cut(n int) (from, to int) {
	from, to = min(p.Offset, n), n
	if p.Limit > 0 {
		to = from + min(p.Limit, n-from)
	}
	return from, to
}

// pageOf returns the page's rows, in a slice of their own, and how many there
// are on all pages. compare orders by the page's column, ascending; it isn't
// called if that is "".
func pageOf[R any](p *Page, rows []R, columns []string, name func(*R) string, compare func(column string, a, b *R) int) ([]R, int, error) {
	column, descending, err := p.check(columns...)
	if err != nil {
		return nil, 0, err
	}
	find, err := regexp.Compile(p.Find)
	if err != nil {
		return nil, 0, &ParamError{"find", err}
	}
	if p.Find == "" && column == "" { // the usual one
		from, to := p.cut(len(rows))
		return append([]R{}, rows[from:to]...), len(rows), nil
	}
	picked := make([]int32, 0, len(rows))
	for i := range rows {
		if find.MatchString(name(&rows[i])) {
			picked = append(picked, int32(i))
		}
	}
	if column != "" {
		slices.SortStableFunc(picked, func(a, b int32) int {
			if descending {
				a, b = b, a
			}
			return compare(column, &rows[a], &rows[b])
		})
	}
	from, to := p.cut(len(picked))
	out := make([]R, 0, to-from)
	for _, i := range picked[from:to] {
		out = append(out, rows[i])
	}
	return out, len(picked), nil
}

// tableColumns are what rows of Top and Tree can be ordered by.
var tableColumns = []string{"name", "flat", "cum"}

func compareTableRows(column, name1, name2 string, flat1, flat2, cum1, cum2 *Quantity) int {
	switch column {
	case "flat":
		return cmp.Compare(flat1.Value, flat2.Value)
	case "cum":
		return cmp.Compare(cum1.Value, cum2.Value)
	}
	return strings.Compare(name1, name2)
}

// Page returns the table with only the rows of a page, and the number of rows on all
// pages, which are those that match the page's pattern. Columns to order by are name,
// flat and cum. Sum keeps its value from the whole table. Errors are of type
// [ParamError].
func (t *Top) Page(p Page) (*Top, int, error) {
	rows, n, err := pageOf(&p, t.Rows, tableColumns, func(r *TopRow) string { return r.Name }, func(column string, a, b *TopRow) int {
		return compareTableRows(column, a.Name, b.Name, &a.Flat, &b.Flat, &a.Cum, &b.Cum)
	})
	return &Top{About: t.About, Rows: rows}, n, err
}

// Page does for a Tree what [Top.Page] does for a Top.
func (t *Tree) Page(p Page) (*Tree, int, error) {
	rows, n, err := pageOf(&p, t.Rows, tableColumns, func(r *TreeRow) string { return r.Name }, func(column string, a, b *TreeRow) int {
		return compareTableRows(column, a.Name, b.Name, &a.Flat, &b.Flat, &a.Cum, &b.Cum)
	})
	return &Tree{About: t.About, Rows: rows}, n, err
}

// Page returns the table with a page of all keys' values, and their number on all
// pages. Find matches keys and values. A key without values on the page is left out;
// totals remain those of all values. Order isn't supported.
func (t *Tags) Page(p Page) (*Tags, int, error) {
	type row struct{ key, value int }
	var rows []row
	for k := range t.Keys {
		for v := range t.Keys[k].Values {
			rows = append(rows, row{k, v})
		}
	}
	text := func(r *row) string { return t.Keys[r.key].Key + ":" + t.Keys[r.key].Values[r.value].Value }
	rows, n, err := pageOf(&p, rows, nil, text, func(string, *row, *row) int { return 0 })
	out := &Tags{About: t.About, Keys: []TagKey{}}
	for i, r := range rows {
		if i == 0 || rows[i-1].key != r.key {
			k := t.Keys[r.key]
			out.Keys = append(out.Keys, TagKey{Key: k.Key, Total: k.Total})
		}
		last := &out.Keys[len(out.Keys)-1]
		last.Values = append(last.Values, t.Keys[r.key].Values[r.value])
	}
	return out, n, err
}

// Page returns the comparison with only the rows of a page, and the number of rows on
// all pages. Columns to order by are name, the head's flat and cum, and the delta and
// relative change of the value that the comparison is sorted by. As a relative change,
// a new function counts as more than any other increase. size is the relative change
// without its sign, with what chance explains below all else. Errors are of type
// [ParamError].
func (d *Diff) Page(p Page) (*Diff, int, error) {
	name := func(r *DiffRow) string { return r.label(d.Granularity) }
	rows, n, err := pageOf(&p, d.Rows, []string{"name", "flat", "cum", "delta", "relative", "size"}, name, func(column string, a, b *DiffRow) int {
		switch column {
		case "flat":
			return cmp.Compare(a.Flat.Head, b.Flat.Head)
		case "cum":
			return cmp.Compare(a.Cum.Head, b.Cum.Head)
		case "delta":
			return cmp.Compare(d.key(a).Delta, d.key(b).Delta)
		case "relative":
			return cmp.Compare(d.key(a).relativeKey(), d.key(b).relativeKey())
		case "size":
			return d.compareSize(a, b)
		}
		return strings.Compare(name(a), name(b))
	})
	out := *d
	out.Rows = rows
	return &out, n, err
}

func (d *Diff) compareSize(a, b *DiffRow) int {
	cum := d.Sort == "cum"
	if changed := a.changed(cum); changed != b.changed(cum) {
		if changed {
			return 1
		}
		return -1
	}
	x, y := d.key(a), d.key(b)
	return cmp.Or(cmp.Compare(math.Abs(x.relativeKey()), math.Abs(y.relativeKey())), -compareAbs(x.Delta, y.Delta))
}

// relativeKey is what relative changes are ordered by.
func (v *DiffValue) relativeKey() float64 {
	switch {
	case v.Relative != nil:
		return *v.Relative
	case v.Delta == 0:
		return 0
	}
	return math.Inf(cmp.Compare(v.Delta, 0))
}

// TracesReport is a run of a profile's samples.
type TracesReport struct {
	About
	Traces []Trace `json:"traces"`
}

// TracesPage returns a page of the samples, and how many there are on all pages. The
// columns to order by are value, and size, which has no sign; Find isn't supported. Samples without a stack don't
// count. The caller owns the slices. Errors are of type [ParamError].
func (r *Report) TracesPage(p Page) (*TracesReport, int, error) {
	column, descending, err := p.check("value", "size")
	if err != nil {
		return nil, 0, err
	}
	samples := make([]int32, 0, len(r.prof.Stacks))
	for s := range r.prof.Stacks {
		if r.prof.Stacks[s].Len > 0 {
			samples = append(samples, int32(s))
		}
	}
	if column != "" {
		values := make([]int64, len(r.prof.Stacks))
		for _, s := range samples {
			if values[s] = mean(r.weights.of(int(s))); column == "size" {
				values[s] = abs(values[s])
			}
		}
		slices.SortStableFunc(samples, func(a, b int32) int {
			if descending {
				a, b = b, a
			}
			return cmp.Compare(values[a], values[b])
		})
	}
	from, to := p.cut(len(samples))
	size := int64(0)
	out := &TracesReport{About: r.about(r.ProfileHeader()), Traces: []Trace{}}
	if from == to {
		return out, len(samples), nil
	}
	eachTrace(r, func(yield func(int) bool) {
		for _, s := range samples[from:to] {
			if !yield(int(s)) {
				return
			}
		}
	}, func(t *Trace) bool {
		if size += t.size(); p.Most > 0 && size > p.Most {
			return false
		}
		out.Traces = append(out.Traces, Trace{Labels: t.Labels, Value: t.Value, Stack: slices.Clone(t.Stack)})
		return true
	})
	if p.Most > 0 && size > p.Most {
		return nil, 0, ErrLongPage
	}
	return out, len(samples), nil
}

// size returns about how many bytes of text a trace has.
func (t *Trace) size() int64 {
	n := int64(100)
	for i := range t.Stack {
		n += 80 + int64(len(t.Stack[i].Name)+len(t.Stack[i].File))
	}
	for i := range t.Labels {
		for _, value := range t.Labels[i].Values {
			n += 20 + int64(len(value))
		}
	}
	return n
}

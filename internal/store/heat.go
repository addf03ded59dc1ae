package store

import (
	"cmp"
	"context"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/profile"
)

// A HeatQuery divides the profiles of a query into cells: by time, and by the values of a
// label or of the profiles themselves.
type HeatQuery struct {
	// Query selects the profiles. Its Step, which may not be 0, is the length of a column.
	// By, Top and Limit aren't used.
	Query
	// Label is the label whose values are the rows. Without it, rows are ranges of the
	// values of single profiles. With Lasting, those are values per second.
	Label string
	// Rows is the maximum number of rows.
	Rows int
	// Profiles is the maximum number of single profiles that are looked at, the latest
	// ones. Rows by label look at none: they are made of totals.
	Profiles int
}

// A HeatMap is the answer to a HeatQuery.
type HeatMap struct {
	Type  profile.ValueType
	Times []int64   // starts of the columns that have profiles, sorted
	Rows  []HeatRow // by label: the largest first; by value: the lowest first
	Left  int       // rows that were left out, the smallest
	// Earlier is the number of profiles that were left out, because there were too many.
	Earlier int64
	Cells   []HeatCell // those that have profiles, by row, then column
}

// A HeatRow is a value of the label, or a range of values: [Low, High), and for the last
// row [Low, High].
type HeatRow struct {
	Label     string
	Low, High float64
	Total     Total
}

// A HeatCell has the total of the profiles in a row and a column.
type HeatCell struct {
	Row, Column int
	Total       Total
}

// Heat answers a HeatQuery. It works with every store, since it asks only for totals. It
// fails with [profile.ErrNothingCommon] if the profiles measure different things.
func Heat(ctx context.Context, st Store, q HeatQuery) (*HeatMap, error) {
	q.By, q.Top, q.Limit = nil, 0, 0
	if q.Label == "" {
		return q.byValue(ctx, st)
	}
	return q.byLabel(ctx, st)
}

// allTime is a step whose window contains all times since 1970.
const allTime = 1 << 62

// byLabel asks for the totals of the rows first, which cost little, so that only the rows
// that are shown are divided into columns.
func (q *HeatQuery) byLabel(ctx context.Context, st Store) (*HeatMap, error) {
	whole := q.Query
	whole.By, whole.Step = []string{q.Label}, allTime
	all, err := st.Series(ctx, whole)
	if err != nil {
		return nil, err
	}
	h := &HeatMap{}
	for i, s := range all {
		if i == 0 {
			h.Type = s.Type
		}
		if s.Type != h.Type || s.Type == (profile.ValueType{}) {
			return nil, profile.ErrNothingCommon
		}
		h.Rows = append(h.Rows, HeatRow{Label: s.Labels.Get(q.Label), Total: totalOf(s.Points)})
	}
	slices.SortStableFunc(h.Rows, func(a, b HeatRow) int {
		return cmp.Or(cmp.Compare(q.height(b.Total, h.Type), q.height(a.Total, h.Type)), strings.Compare(a.Label, b.Label))
	})
	h.Left = max(0, len(h.Rows)-q.Rows)
	h.Rows = h.Rows[:len(h.Rows)-h.Left]
	row := map[string]int{}
	for i, r := range h.Rows {
		row[r.Label] = i
	}
	columns := q.Query
	columns.By = whole.By
	if h.Left > 0 {
		only, err := oneOf(q.Label, row)
		if err != nil {
			return nil, err
		}
		columns.Selector = append(slices.Clip(columns.Selector), only)
	}
	if all, err = st.Series(ctx, columns); err != nil {
		return nil, err
	}
	cells := map[cellKey]Total{}
	for _, s := range all {
		i, ok := row[s.Labels.Get(q.Label)]
		for _, p := range s.Points {
			if ok { // or it came in between
				cells[cellKey{i, p.Time}] = p.Total
			}
		}
	}
	h.fill(cells)
	return h, nil
}

// oneOf returns a condition that a label has one of some values.
func oneOf(name string, values map[string]int) (Matcher, error) {
	quoted := slices.Sorted(maps.Keys(values))
	for i, v := range quoted {
		quoted[i] = regexp.QuoteMeta(v)
	}
	return NewMatchFunc(name, strings.Join(quoted, "|"), func(value string) bool {
		_, ok := values[value]
		return ok
	})
}

// byValue asks for single profiles: for the latest, if there are too many.
func (q *HeatQuery) byValue(ctx context.Context, st Store) (*HeatMap, error) {
	h := &HeatMap{}
	one := q.Query
	one.Step = 0
	var err error
	if one.From, h.Earlier, err = q.start(ctx, st); err != nil {
		return nil, err
	}
	all, err := st.Series(ctx, one)
	if err != nil || len(all) == 0 {
		return h, err
	}
	h.Type = all[0].Type
	if h.Type == (profile.ValueType{}) {
		return nil, profile.ErrNothingCommon
	}
	points := all[0].Points
	if extra := len(points) - q.Profiles; extra > 0 { // one column has too many
		points = points[extra:]
		h.Earlier += int64(extra)
	}
	heights := make([]float64, len(points))
	for i, p := range points {
		heights[i] = q.height(p.Total, h.Type)
	}
	h.Rows = ranges(heights, q.Rows)
	cells := map[cellKey]Total{}
	for i, p := range points {
		row := rowOf(h.Rows, heights[i])
		at := cellKey{row, q.WindowOf(p.Time)}
		cells[at] = plus(cells[at], p.Total)
		h.Rows[row].Total = plus(h.Rows[row].Total, p.Total)
	}
	h.fill(cells)
	return h, nil
}

// start returns the time from which at most Profiles are selected, or the last column, and
// how many profiles are earlier.
func (q *HeatQuery) start(ctx context.Context, st Store) (from, earlier int64, err error) {
	all, err := st.Series(ctx, q.Query)
	if err != nil || len(all) == 0 {
		return q.From, 0, err
	}
	points := all[0].Points
	first, n := len(points)-1, points[len(points)-1].Profiles
	for first > 0 && n+points[first-1].Profiles <= int64(q.Profiles) {
		first--
		n += points[first].Profiles
	}
	if first == 0 {
		return q.From, 0, nil
	}
	for _, p := range points[:first] {
		earlier += p.Profiles
	}
	return max(q.From, points[first].Time), earlier, nil
}

// height is the value by which a profile's row is chosen, or rows are ranked. Values of a
// moment, such as memory in use, are averaged.
func (q *HeatQuery) height(t Total, typ profile.ValueType) float64 {
	switch v := float64(t.Value); {
	case q.Lasting && t.Duration > 0:
		return v / time.Duration(t.Duration).Seconds()
	case profile.OfMoment(typ.Type) && t.Profiles > 0:
		return v / float64(t.Profiles)
	default:
		return v
	}
}

// ranges divides values into at most n rows of the same height. If the largest value is far
// from most of the others, rows have the same ratio of High to Low instead.
func ranges(values []float64, n int) []HeatRow {
	sorted := slices.Sorted(slices.Values(values))
	low, high, middle := sorted[0], sorted[len(sorted)-1], sorted[len(sorted)/2]
	if low == high {
		return []HeatRow{{Low: low, High: high}}
	}
	const far = 30
	edge := func(i int) float64 { return low + (high-low)*float64(i)/float64(n) }
	switch {
	case low > 0 && high > far*middle:
		edge = func(i int) float64 { return low * math.Pow(high/low, float64(i)/float64(n)) }
	case low > 0 && low < 0.6*high:
		low = 0 // so that the height is the value
	}
	rows := make([]HeatRow, n)
	for i := range rows {
		rows[i] = HeatRow{Low: edge(i), High: edge(i + 1)}
	}
	rows[0].Low, rows[n-1].High = low, high
	return rows
}

// rowOf returns the row that a value is in.
func rowOf(rows []HeatRow, value float64) int {
	i, _ := slices.BinarySearchFunc(rows, value, func(r HeatRow, v float64) int {
		if r.High <= v {
			return -1
		}
		return 1
	})
	return min(i, len(rows)-1)
}

// Interval returns the usual distance between columns in which a row has profiles; 0 if it
// isn't known. Rows by value have profiles of all instances, so they count as one row.
func (h *HeatMap) Interval() int64 {
	var gaps []int64
	if len(h.Rows) > 0 && h.Rows[0].Low != h.Rows[0].High {
		for i := 1; i < len(h.Times); i++ {
			gaps = append(gaps, h.Times[i]-h.Times[i-1])
		}
	} else {
		for i := 1; i < len(h.Cells); i++ {
			if a, b := h.Cells[i-1], h.Cells[i]; a.Row == b.Row {
				gaps = append(gaps, h.Times[b.Column]-h.Times[a.Column])
			}
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// Widen joins columns into longer ones. The step is a multiple of the current one.
func (h *HeatMap) Widen(step int64) {
	cells := map[cellKey]Total{}
	for _, c := range h.Cells {
		at := cellKey{c.Row, Window(h.Times[c.Column], step)}
		cells[at] = plus(cells[at], c.Total)
	}
	h.Times, h.Cells = nil, nil
	h.fill(cells)
}

type cellKey struct {
	row  int
	time int64
}

// fill sets the columns and cells.
func (h *HeatMap) fill(cells map[cellKey]Total) {
	for at := range cells {
		h.Times = append(h.Times, at.time)
	}
	slices.Sort(h.Times)
	h.Times = slices.Compact(h.Times)
	for at, t := range cells {
		column, _ := slices.BinarySearch(h.Times, at.time)
		h.Cells = append(h.Cells, HeatCell{Row: at.row, Column: column, Total: t})
	}
	slices.SortFunc(h.Cells, func(a, b HeatCell) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column)) })
}

// totalOf adds up points.
func totalOf(points []Point) (sum Total) {
	for _, p := range points {
		sum = plus(sum, p.Total)
	}
	return sum
}

// plus adds up two totals whose values have one type.
func plus(a, b Total) Total {
	return Total{
		Value: a.Value + b.Value, Profiles: a.Profiles + b.Profiles, Duration: a.Duration + b.Duration,
		Last: max(a.Last, b.Last), Version: a.Version + b.Version,
	}
}

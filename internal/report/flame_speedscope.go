package report

import (
	"cmp"
	"errors"
	"io"
	"strconv"

	"github.com/hone-go/hone/profile"
)

// ErrNoComparison is the error of a format that has no place for two values of a
// stack.
var ErrNoComparison = errors.New("speedscope's format has no place for a comparison: write a file of each side, or Firefox's format, which shows before, after and the difference")

// Speedscope writes a tree as a file of speedscope,
// https://www.speedscope.app/file-format-schema.json: a profile per sample type,
// the o.Column-th the one shown first, each with the tree's stacks, the widest
// first, and their own values. Of a comparison it is an [ErrNoComparison].
func Speedscope(w io.Writer, t *profile.Tree, o FlameOptions) error {
	if t.Diff() {
		return ErrNoComparison
	}
	j := newJSONWriter(w)
	j.text(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"hone","name":`)
	j.string(cmp.Or(o.Title, "profile"))
	j.text(`,"activeProfileIndex":`)
	j.int(int64(o.Column))
	j.text(`,"shared":{"frames":`)
	j.array(len(t.Frames), func(i int) {
		f := &t.Frames[i]
		j.text(`{"name":`)
		j.string(f.Name)
		if f.File != "" {
			j.text(`,"file":`)
			j.string(f.File)
		}
		if line := cmp.Or(f.Line, f.StartLine); line > 0 {
			j.text(`,"line":`)
			j.int(line)
		}
		j.text("}")
	})
	j.text(`},"profiles":`)
	j.array(len(t.Types), func(i int) { writeSpeedscopeType(j, t, i) })
	j.text("}\n")
	return j.flush()
}

// writeSpeedscopeType writes the profile of a sample type.
func writeSpeedscopeType(j *jsonWriter, t *profile.Tree, column int) {
	st := t.Types[column]
	unit, factor := speedscopeUnit(st.Unit)
	name := st.Type
	if unit == "none" && st.Unit != "count" && st.Unit != "" {
		name += " in " + st.Unit
	}
	own := ownValues(t, column)
	var total float64
	for _, v := range own {
		total += float64(v)
	}
	j.text(`{"type":"sampled","name":`)
	j.string(name)
	j.text(`,"unit":"` + unit + `","startValue":0,"endValue":`)
	j.number(total * factor)

	// The path to a node is that to its parent and one frame more, so it is kept as
	// it is written: up to ends[d] it is the path to a node of depth d.
	var path []byte
	ends := []int{0}
	separator := ""
	j.text(`,"samples":[`)
	walkTree(t, func(n uint32, depth int) {
		if n != 0 {
			path = path[:ends[depth-1]]
			if depth > 1 {
				path = append(path, ',')
			}
			path = strconv.AppendUint(path, uint64(t.Frame[n]), 10)
			ends = append(ends[:depth], len(path))
		}
		if own[n] == 0 {
			return
		}
		j.text(separator)
		j.text("[")
		j.w.Write(path)
		j.text("]")
		separator = ","
	})
	separator = ""
	j.text(`],"weights":[`)
	walkTree(t, func(n uint32, _ int) {
		if own[n] == 0 {
			return
		}
		j.text(separator)
		j.number(float64(own[n]) * factor)
		separator = ","
	})
	j.text("]}")
}

// speedscopeUnit returns what the format calls a unit, and what values are to be
// multiplied by: it knows units of time, and bytes.
func speedscopeUnit(unit string) (name string, factor float64) {
	if factor, of := profile.Convert(1, unit, "nanoseconds"); of == "ns" {
		return "nanoseconds", factor
	}
	if factor, of := profile.Convert(1, unit, "bytes"); of == "B" {
		return "bytes", factor
	}
	return "none", 1
}

// ownValues returns what the stacks that end at each node have, with what is
// folded there.
func ownValues(t *profile.Tree, column int) []int64 {
	v := &t.Values[column]
	return addColumns(v.Self, v.Folded)
}

// ownBaseValues is ownValues of what the tree is compared to, as it compares.
func ownBaseValues(t *profile.Tree, column int) []int64 {
	v := &t.Values[column]
	own := addColumns(v.BaseSelf, v.BaseFolded)
	if v.BaseScale == 1 {
		return own
	}
	scaled := make([]int64, len(own))
	for n := range own {
		scaled[n] = scaledBase(v, own[n])
	}
	return scaled
}

// addColumns returns the sums of two columns, of which the second may be nil; then
// it is the first one itself.
func addColumns(a, b []int64) []int64 {
	if b == nil {
		return a
	}
	sum := make([]int64, len(a))
	for n := range a {
		sum[n] = a[n] + b[n]
	}
	return sum
}

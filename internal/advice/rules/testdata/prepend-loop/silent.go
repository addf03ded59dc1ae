package silent

import "slices"

// It isn't empty at first.
func more(xs, ys []int) []int {
	for _, y := range ys {
		xs = append([]int{y}, xs...) // hot: runtime.growslice
	}
	return xs
}

// The loop looks at the first element.
func seen(xs []int) []int {
	var out []int
	for _, x := range xs {
		if len(out) > 0 && out[0] == x {
			continue
		}
		out = append([]int{x}, out...) // hot: runtime.growslice
	}
	return out
}

// A function in the loop returns what it has so far.
func inside(xs []int) (lasts []int) {
	var out []int
	for _, x := range xs {
		last := func() []int { return out }
		out = append([]int{x}, out...) // hot: runtime.growslice
		lasts = append(lasts, last()[0])
	}
	return lasts
}

// A named result is returned without a name.
func named(xs []int) (out []int) {
	for _, x := range xs {
		out = append([]int{x}, out...) // hot: runtime.growslice
		if x == 3 {
			return
		}
	}
	return out
}

// An outer loop goes on with it.
func nested(rows [][]int) []int {
	var out []int
	for _, row := range rows {
		for _, x := range row {
			out = append([]int{x}, out...) // hot: runtime.growslice
		}
	}
	return out
}

// A label leads past the reversal.
func labelled(rows [][]int) []int {
rows:
	for _, row := range rows {
		var out []int
		for _, x := range row {
			if x == 0 {
				continue rows
			}
			out = append([]int{x}, out...) // hot: runtime.growslice
		}
		return out
	}
	return nil
}

// A function sees it at the end, even after a panic.
func deferred(xs []int, see func([]int)) {
	var out []int
	defer func() { see(out) }()
	for _, x := range xs {
		out = append([]int{10 / x}, out...) // hot: runtime.growslice
	}
}

// Two elements, another place, or no loop.
func others(xs []int) []int {
	var a, b []int
	for _, x := range xs {
		a = append([]int{x, x}, a...)           // hot: runtime.growslice
		b = slices.Insert(b, min(1, len(b)), x) // hot: slices.Insert[...]
	}
	var c []int
	c = append([]int{1}, c...) // hot: runtime.growslice
	return slices.Concat(a, b, c)
}

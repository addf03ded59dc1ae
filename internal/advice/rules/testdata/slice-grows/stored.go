package stored

type kept struct{ xs []int }

// Another slice is in the same array, and one of both grows.
func twice(a, b []int) (y, z []int) {
	var x []int
	x = append(x, a...)
	// want B: spare capacity of x
	x = append(x, b...) // hot: runtime.growslice
	y = x
	z = append(y, 1)
	y = append(y, 2)
	return y, z
}

func listed(a, b []int) [][]int {
	var all [][]int
	x := []int{}
	x = append(x, a...)
	// want B: spare capacity of x
	x = append(x, b...) // hot: runtime.growslice
	all = append(all, x)
	x = append(x, 1)
	x[0] = 1
	return all
}

func held(a, b []int) (k kept) {
	x := []int{}
	x = append(x, a...)
	// want B: spare capacity of x
	x = append(x, b...) // hot: runtime.growslice
	k = kept{x}
	k.xs = append(k.xs, 4)
	return k
}

// Neither grows.
func once(a, b []int) kept {
	x := []int{}
	x = append(x, a...)
	// want A: elements first
	x = append(x, b...) // hot: runtime.growslice
	k := kept{xs: x}
	return k
}

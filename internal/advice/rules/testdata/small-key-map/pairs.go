package pairs

var (
	vast    = map[[2]int]int64{{0, 1}: 2, {1 << 20, 3}: 4}
	minus   = map[[2]int]int{{-1, 1}: 1, {0, 2}: 2}
	pairing = map[[2]string]int{{"a", "b"}: 1}
	stepped = map[[2]int]int{{0, 1}: 1, {1, 1}: 2}
)

// Keys of numbers that are large or negative, of texts, or that others come to.
func pairs(a, b int, s string) int {
	stepped[[2]int{a, b}] = 3
	n := int(vast[[2]int{a, b}])     // hot: runtime.mapaccess1
	n += minus[[2]int{a, b}]         // hot: runtime.mapaccess1
	n += pairing[[2]string{s, s}]    // hot: runtime.mapaccess1
	return n + stepped[[2]int{a, b}] // hot: runtime.mapaccess1
}

var (
	blocked = map[[2]int]struct{}{{1 << 20, 1 << 20}: {}, {0, 3}: {}}
	sparse  = map[[2]int]int{{0, 0}: 1, {127, 1}: 2}
	floats  = map[[2]float64]int{{0, 1}: 1}
	values  = map[any]int{[2]int{0, 1}: 1}
)

// Keys that are few and far between, or no integers.
func few(a, b int, f float64) (n int) {
	if _, ok := blocked[[2]int{a, b}]; ok { // hot: runtime.mapaccess2
		n += sparse[[2]int{a, b}] // hot: runtime.mapaccess1
	}
	n += floats[[2]float64{f, f}]   // hot: runtime.mapaccess1
	return n + values[[2]int{a, b}] // hot: runtime.mapaccess1
}

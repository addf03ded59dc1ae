package room

import "strconv"

// Two slices have the same spare capacity.
func declared(n int) (c, d []byte) {
	// want B: spare capacity of b
	var b = []byte(strconv.Itoa(n)) // hot: strconv.Itoa
	c = append(b, "0123456789"...)
	d = append(b, "abcdefghij"...)
	return c, d
}

package files

import "strconv"

type point struct{ x, y int }

// String is how a point is written.
func (p point) String() string {
	// want A: 4 calls only copy
	return strconv.Itoa(p.x) + "," + strconv.Itoa(p.y) // hot: runtime.concatstring3
}

func same(p point, text string) bool { return p.String() == text }

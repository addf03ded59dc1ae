package tagged

import "strconv"

type point struct{ x, y int }

// Other systems have another String, which no variant would go with.
func (p point) String() string {
	return strconv.Itoa(p.x) + "," + strconv.Itoa(p.y) // hot: runtime.concatstring3
}

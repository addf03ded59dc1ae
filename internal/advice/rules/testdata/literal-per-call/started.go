package started

import "fmt"

type color int

var label = fmt.Sprint(color(1))

func (c color) String() string {
	// want B: Each call builds a map of constants
	names := map[color]string{1: "red", 2: "green"} // hot: runtime.mapassign_fast64
	return names[c]
}

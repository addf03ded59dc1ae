package spread

import (
	"runtime"
	"strconv"
	"strings"
)

func date(in string) (y, m, d int, err error) {
	// want look: On 3 lines of the function together: strconv.Atoi (33.3 %). (end)
	if y, err = strconv.Atoi(in[:4]); err != nil { // hot: strconv.Atoi
		return 0, 0, 0, err
	}
	if m, err = strconv.Atoi(in[5:7]); err != nil { // hot: strconv.Atoi
		return 0, 0, 0, err
	}
	d, err = strconv.Atoi(in[8:10]) // hot: strconv.Atoi
	return y, m, d, err
}

func installed(file string) bool {
	// want look: runtime.GOROOT() returns the same as long as the program runs.
	return strings.HasPrefix(file, runtime.GOROOT()) // hot: runtime.GOROOT
}

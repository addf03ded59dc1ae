package lines

import (
	"bufio"
	"io"
	"strings"
)

func count(r io.Reader, known map[string]bool) (n int) {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		// want B: Check that no code calls Scan while line is in use
		line := sc.Text() // hot: bufio.(*Scanner).Text runtime.slicebytetostring
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "//") {
			continue
		}
		if known[line] && strings.IndexByte(line, '=') < 0 {
			n += len(line)
		}
		switch line {
		case "end":
			return n
		}
	}
	return n
}

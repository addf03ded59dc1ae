package copied

import (
	"bytes"
	"strconv"
)

type point struct {
	at, value float64
	failed    bool
}

func plot(points []point) []byte {
	series := new(bytes.Buffer)
	for i, text := 0, ""; i < len(points); i++ {
		// want C: only to be copied
		text = "[" + strconv.FormatFloat(points[i].at, 'f', -1, 64) + "," // hot: runtime.concatstring3
		if points[i].failed {
			// want C: only to be copied
			text += "NaN," // hot: runtime.concatstring2
		}
		series.WriteString(text)
	}
	return series.Bytes()
}

func appended(names []string) (out []byte) {
	for _, n := range names {
		// want C: only to be copied
		line := "<" + n + ">" // hot: runtime.concatstring3
		out = append(out, line...)
	}
	return out
}

func kept(names []string) (lines []string, out []byte) {
	for _, n := range names {
		line := "<" + n + ">" // hot: runtime.concatstring3
		out = append(out, line...)
		lines = append(lines, line)
	}
	return lines, out
}

func once(buf *bytes.Buffer, name string) {
	line := "<" + name + ">" // hot: runtime.concatstring3
	buf.WriteString(line)
}

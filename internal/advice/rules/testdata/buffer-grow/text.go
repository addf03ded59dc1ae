package text

import (
	"bytes"
	"strings"
)

func pair(key, value string) string {
	// want A: although the final length is known
	var sb strings.Builder
	sb.WriteString(key) // alloc: 16 32
	sb.WriteByte('=')
	sb.WriteString(value) // hot: strings.(*Builder).WriteString runtime.growslice
	sb.WriteString("; ")
	return sb.String()
}

func all(names []string) []byte {
	// want C: or a good estimate, before the first write. (end)
	buf := new(bytes.Buffer)
	for _, n := range names {
		buf.WriteString(n) // hot: bytes.(*Buffer).WriteString bytes.(*Buffer).grow
	}
	return buf.Bytes()
}

// cached is built only where it is not known.
func cached(known map[string]string, a, b string) string {
	// want A: although the final length is known
	var sb strings.Builder
	if x, ok := known[a]; ok {
		return x
	}
	sb.WriteString(a) // hot: strings.(*Builder).WriteString runtime.growslice
	sb.WriteByte(' ')
	sb.WriteString(b)
	return sb.String()
}

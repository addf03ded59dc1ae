package text

import (
	"bytes"
	"strings"
)

func pair(key, value string) string {
	// want B: How much is written is known
	var sb strings.Builder
	sb.WriteString(key) // alloc: 16 32
	sb.WriteByte('=')
	sb.WriteString(value) // hot: strings.(*Builder).WriteString runtime.growslice
	sb.WriteString("; ")
	return sb.String()
}

func all(names []string) []byte {
	// want C: a good guess
	buf := new(bytes.Buffer)
	for _, n := range names {
		buf.WriteString(n) // hot: bytes.(*Buffer).WriteString bytes.(*Buffer).grow
	}
	return buf.Bytes()
}

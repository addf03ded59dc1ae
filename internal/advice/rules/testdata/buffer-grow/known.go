package known

import "strings"

var shared strings.Builder

func grown(key, value string) string {
	var sb strings.Builder
	sb.Grow(len(key) + len(value))
	sb.WriteString(key) // hot: strings.(*Builder).WriteString
	sb.WriteString(value)
	return sb.String()
}

func given(sb *strings.Builder, key string) {
	sb.WriteString(key)     // hot: strings.(*Builder).WriteString
	shared.WriteString(key) // hot: strings.(*Builder).WriteString
}

func reset(keys []string) (n int) {
	var sb strings.Builder
	for _, k := range keys {
		sb.Reset()
		sb.WriteString(k) // hot: strings.(*Builder).WriteString
		n += sb.Len()
	}
	return n
}

// Package glob matches texts with patterns in which a star stands for any text.
package glob

import "strings"

// Match reports whether a pattern matches a text. It takes linear time per star: if a part
// matches at several positions, the first one is as good as the others.
func Match(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

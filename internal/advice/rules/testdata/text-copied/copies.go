package copies

import "strconv"

func initial(word string) string {
	// want C: utf8.DecodeRuneInString
	runes := []rune(word) // hot: runtime.stringtoslicerune
	if len(runes) == 0 {
		return ""
	}
	// want C: If its runes come from a string
	return string(runes[:1]) // hot: runtime.slicerunetostring
}

func last(word string) rune {
	// want C: type []rune(word) copies the whole text to get one rune
	r := []rune(word) // hot: runtime.stringtoslicerune
	return r[len(r)-1]
}

func reversed(word string) []rune {
	// want C: Range over the string to get the same runes
	runes := []rune(word) // hot: runtime.stringtoslicerune runtime.rawruneslice
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return runes
}

func numbered(query string) string {
	buf := make([]byte, 0, len(query)+10)
	for i, c := range []byte(query) {
		if c == '?' {
			buf = append(buf, '$')
			buf = strconv.AppendInt(buf, int64(i), 10)
			continue
		}
		buf = append(buf, c)
	}
	// want C: strings.Builder
	return string(buf) // hot: runtime.slicebytetostring
}

func names(lines [][]byte, all map[string]bool) (texts []string) {
	for _, line := range lines {
		// want C: look them up in a map with m[string(b)]
		name := string(line[2:]) // hot: runtime.slicebytetostring
		texts = append(texts, name)
	}
	return texts
}

func parse(text string, f func([]byte) error) error {
	// says: ([]byte)(text) escapes to heap
	// want C: to another type []byte(text) copies the text each time
	return f([]byte(text)) // alloc
}

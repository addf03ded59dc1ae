package report

import (
	"strings"
	"unicode/utf8"
)

// FitName returns a function's name in at most room characters, for tables: it
// leaves out type arguments first, as the runtime's profiles do, then the folders
// of the import path, and then the middle.
func FitName(name string, room int) string {
	if utf8.RuneCountInString(name) <= room {
		return name
	}
	name = withoutTypeArguments(name)
	if utf8.RuneCountInString(name) > room {
		name = shortName(name)
	}
	runes := []rune(name)
	if len(runes) <= room {
		return name
	}
	end := (room - 1) * 2 / 3 // where names differ
	return string(runes[:room-1-end]) + "…" + string(runes[len(runes)-end:])
}

// shortName returns a function's name without the folders of its import path.
func shortName(name string) string {
	head := name
	if i := strings.IndexAny(name, "[("); i > 0 {
		head = name[:i]
	}
	return name[strings.LastIndexByte(head, '/')+1:]
}

// withoutTypeArguments replaces what is in square brackets by an ellipsis.
func withoutTypeArguments(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			if depth == 0 {
				b.WriteString("[…]")
			}
			depth++
		case r == ']' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cutName shortens names that are too long to read.
func cutName(name string) string {
	const most = 2000
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

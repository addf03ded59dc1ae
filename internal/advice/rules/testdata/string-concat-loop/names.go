package concat

type label string

type glyph rune

// The package's name is taken: the rewrite would not compile.
func joined(strings []string) string {
	s := ""
	for _, x := range strings {
		// want C: grows by + in a loop Each step copies all of s so far
		s += x + "," // hot: runtime.concatstring3
	}
	return s
}

func labels(all []label) label {
	var s label
	for _, x := range all {
		// want B: grows by + in a loop Each step copies all of s so far
		s += x + "/" // hot: runtime.concatstring3
	}
	return s
}

func glyphs(all []glyph) string {
	s := ""
	for _, g := range all {
		// want B: grows by + in a loop Each step copies all of s so far
		s += string(g) // hot: runtime.concatstring2
	}
	return s
}

func explained(all []string) string {
	s := ""
	for _, x := range all {
		// want C: grows by + in a loop Each step copies all of s so far
		s += x + /* a line */ "\n" // hot: runtime.concatstring3
	}
	return s
}

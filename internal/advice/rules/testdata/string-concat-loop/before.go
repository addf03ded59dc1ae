package before

const digits = "0123456789abcdef"

func hex(n uint64) string {
	s := ""
	for ; n != 0; n >>= 4 {
		// want B: Each step copies all of s so far to put text before it. Appending the bytes backwards
		s = string(digits[n&15]) + s // hot: runtime.concatstring2
	}
	return s
}

func each(names []string) (all []string) {
	for _, n := range names {
		s := n[1:]
		s = "-" + s // hot: runtime.concatstring2
		all = append(all, s)
	}
	return all
}

func padded(s string) string {
	for len(s) < 8 {
		// want C: the pieces from the end of an array or []byte to its start
		s = "0" + s // hot: runtime.concatstring2
	}
	return s
}

type path string

func up(dirs []path, deep bool) path {
	var all path
	for i, d := range dirs {
		if deep {
			// want B: the loop usually has more than a few iterations
			all = "/" + all // hot: runtime.concatstring2
		}
		if d == "" {
			break
		}
		// want B: the loop usually has more than a few iterations
		all = d[i:] + path(".") + all // hot: runtime.concatstring3
	}
	return all
}

// twice looks at the text, and adds to it at both ends.
func twice(labels []string) (s, t string) {
	for _, l := range labels {
		// want C: Each step copies all of s so far; a strings.Builder
		s = s + l + s // hot: runtime.concatstring3
		t = l + t     // hot: runtime.concatstring2
		t += "-"
	}
	return s, t
}

// zone needs the text in each step.
func zone(labels []string, zones map[string]bool) string {
	name := ""
	for _, l := range labels {
		name = l + "." + name // hot: runtime.concatstring3
		if zones[name] {
			return name
		}
	}
	return ""
}

// once is left after the first text.
func once(names []string, s string) string {
	for _, n := range names {
		if n != "" {
			s = n + s // hot: runtime.concatstring2
			break
		}
	}
	return s
}

func first(names []string, prefix string) (s string) {
	for _, s = range names {
		if s != "" {
			s = prefix + s // hot: runtime.concatstring2
			break
		}
	}
	return s
}

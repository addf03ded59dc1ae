package before

const digits = "0123456789abcdef"

func hex(n uint64) string {
	s := ""
	for ; n != 0; n >>= 4 {
		// want C: the pieces from the end of an array or []byte to its start
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

func first(names []string, prefix string) (s string) {
	for _, s = range names {
		if s != "" {
			s = prefix + s // hot: runtime.concatstring2
			break
		}
	}
	return s
}

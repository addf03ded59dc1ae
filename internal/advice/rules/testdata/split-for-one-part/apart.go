package apart

import "strings"

func lines(text string) (n int) {
	// want C: which are iterated over once
	for i, line := range strings.Split(text, ",") { // hot: strings.Split
		n += i * len(line)
	}
	// want C: which are iterated over once
	for _, part := range strings.SplitN(text, ",", 3) { // hot: strings.SplitN
		n += len(part)
	}
	return n
}

func date(text string) (y, m, d string) {
	// want C: strings.Cut, called for each part
	parts := strings.Split(text, "-") // hot: strings.Split
	if len(parts) != 3 {
		return "", "", ""
	}
	return parts[0], parts[1], parts[2]
}

func pair(text string) (string, string) {
	// want C: which are only read here
	parts := strings.Split(text, "=") // hot: strings.Split strings.genSplit
	if len(parts) != 2 {
		return "", ""
	}
	return parts[0], parts[1]
}

func number(text string) (whole, part string, ok bool) {
	// want C: which are only read here
	p := strings.Split(text, ".") // hot: strings.Split strings.genSplit
	switch len(p) {
	case 1:
		return p[0], "", true
	case 2:
		p[1] += strings.Repeat("0", 3-len(p[1]))
		return p[0], p[1], true
	}
	return "", "", false
}

func addresses(headers []string) (all []string) {
	for _, h := range headers {
		// want C: which are only appended to another slice
		all = append(all, strings.Split(h, ",")...) // hot: strings.Split strings.genSplit
	}
	return all
}

func options(tag string) (name string, all map[string]bool) {
	// want C: which are only read here
	words := strings.Fields(tag) // hot: strings.Fields
	if len(words) == 0 {
		return "", nil
	}
	all = make(map[string]bool)
	for _, w := range words[1:] {
		all[w] = true
	}
	return words[0], all
}

package before

const digits = "0123456789abcdef"

func hex(n uint64) string {
	s := ""
	for ; n != 0; n >>= 4 {
		// want C: to put something before it
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

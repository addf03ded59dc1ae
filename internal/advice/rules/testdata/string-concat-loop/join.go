package join

import "strconv"

func join(readings []int) string {
	stored := ""
	for _, n := range readings {
		// want B: grows by + in a loop Each step copies all of stored so far
		stored += strconv.Itoa(n) + ";" // alloc: 64 128 192 256
	}
	return stored
}

func decimal(n int) string {
	s := ""
	for ; n > 0; n /= 10 {
		// want B: Appending the bytes backwards
		s = string(rune('0'+n%10)) + s // alloc: 64 128 192 256
	}
	return s
}

func nested(rows [][]string, mark rune) string {
	out := "<"
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				out += ","
			}
			// want B: grows by + in a loop Each step copies all of out so far
			out += string(mark) + cell // alloc: 64 128 192 256
		}
		out += "\n"
	}
	return out + ">"
}

func used(parts []string) (string, int) {
	s, n := "", 0
	for _, p := range parts {
		// want C: grows by + in a loop Each step copies all of s so far
		s += p // alloc: 16 32 48
		n += len(s)
	}
	return s, n
}

func index(words []string) map[string]string {
	ix := make(map[string]string)
	for i, w := range words {
		// want C: Use a []byte or strings.Builder instead
		ix[w] += strconv.Itoa(i) // alloc: 64 128 192 256
	}
	return ix
}

// key has one or two fields.
func key(fields []string) string {
	k := ""
	for _, f := range fields {
		// want C: there are few
		k += ";" + f // alloc: 16
	}
	return k
}

package once

func greeting(name string) string {
	s := "hello, "
	s += name // hot: runtime.concatstring2
	return s
}

func lines(names []string) []string {
	var out []string
	for _, n := range names {
		line := n
		line += "\n" // hot: runtime.concatstring2
		out = append(out, line)
	}
	return out
}

func sum(ns []int) int {
	total := 0
	for _, n := range ns {
		total += n // hot: main.other
	}
	return total
}

package order

import "strings"

type entry struct{ name string }

func keep(a, b string) string { return a + b }

// sliced may be evaluated with the calls, before what is no longer in one.
func sliced(xs []string, a, b string, i int) string {
	// want B: that xs[i] doesn't panic: it is now evaluated after b[2:]. (end)
	return strings.Join([]string{xs[i], a}, "/") + b[2:] // hot: strings.Join
}

func behind(xs []string, a, b string, i int) string {
	// want B: that b[2:] doesn't panic: it is now evaluated after xs[i]. (end)
	return xs[i] + strings.Join([]string{b[2:], a}, "/") // hot: strings.Join
}

// inTurn are evaluated from left to right, before as after.
func inTurn(xs []string, a string, i, j int) string {
	// want A: no slice
	return strings.Join([]string{xs[i], a}, "/") + xs[j] // hot: strings.Join
}

func argument(xs []string, a string, i, j int) string {
	// want B: that xs[i] doesn't panic: it is now evaluated after xs[j]. (end)
	return keep(xs[j], strings.Join([]string{xs[i], a}, "/")) // hot: strings.Join
}

func called(xs []string, a string, i, j int) string {
	// want A: no slice
	return keep(xs[j], a) + strings.Join([]string{xs[i], a}, "/") // hot: strings.Join
}

// nils panic with the same text, whichever is the first.
func nils(p, q *entry, a string) string {
	// want A: no slice
	return p.name + strings.Join([]string{q.name, a}, "/") // hot: strings.Join
}

func divided(p *entry, xs [4]string, i uint8, a string, n uint8) string {
	// want B: that p.name doesn't panic: it is now evaluated after xs[i/n]. (end)
	return xs[i/n] + strings.Join([]string{p.name, a}, "/") // hot: strings.Join
}

func set(xs []string, a, b string, i int) {
	// want A: no slice
	xs[i] = strings.Join([]string{b[2:], a}, "/") // hot: strings.Join
}

func added(xs []string, a, b string, i int) {
	// want B: that b[2:] doesn't panic: it is now evaluated after xs[i]. (end)
	xs[i] += strings.Join([]string{b[2:], a}, "/") // hot: strings.Join
}

func condition(xs []string, a, b string, i, j int) bool {
	// want A: no slice
	return xs[j] != "" && a+strings.Join([]string{xs[i], a}, "/") == a && keep(a, b[2:]) != "" // hot: strings.Join
}

func asserted(xs []string, a string, i int, v any) string {
	// want B: that xs[i] doesn't panic: it is now evaluated after v.(string). (end)
	return strings.Join([]string{xs[i], a}, "/") + v.(string) // hot: strings.Join
}

func length(xs []string, a string, i, j int) []any {
	// want B: that xs[i] doesn't panic: it is now evaluated after len(xs[j]). (end)
	return []any{strings.Join([]string{xs[i], a}, "/"), len(xs[j])} // hot: strings.Join
}

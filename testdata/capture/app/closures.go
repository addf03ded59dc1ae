package main

import (
	"context"
	"sort"
	"strings"
)

// closures runs closures in closures, deferred closures and function values.
func closures(ctx context.Context) error {
	var kept []func() string
	pipeline := compose(
		func(s string) string { return strings.ToUpper(s) },
		func(s string) string { return strings.ReplaceAll(s, "A", "aa") },
		func(s string) string {
			words := strings.Fields(s)
			sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
			return strings.Join(words, " ")
		},
	)
	text := strings.Repeat("gamma alpha delta beta ", 200)
	for ctx.Err() == nil {
		result := pipeline(text)
		count := 0
		each(result, func(word string) {
			defer func() { count++ }()
			func() {
				if strings.HasPrefix(word, "aa") {
					count += strings.Count(word, "aa")
				}
			}()
		})
		if len(kept) < 500 {
			kept = append(kept, func() string { return result })
		}
	}
	keep = kept
	return nil
}

func compose(steps ...func(string) string) func(string) string {
	if len(steps) == 1 {
		return steps[0]
	}
	first, rest := steps[0], compose(steps[1:]...)
	return func(s string) string { return rest(first(s)) }
}

func each(text string, visit func(string)) {
	for word := range strings.SplitSeq(text, " ") {
		visit(word)
	}
}

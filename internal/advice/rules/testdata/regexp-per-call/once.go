package once

import (
	"regexp"
	"strings"
	"sync"
)

var (
	once sync.Once
	re   *regexp.Regexp

	lazy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("b+") // hot: regexp.MustCompile
	})
)

func init() {
	re = regexp.MustCompile("a") // hot: regexp.MustCompile
}

func get() *regexp.Regexp {
	once.Do(func() {
		re = regexp.MustCompile("a+") // hot: regexp.MustCompile
	})
	return re
}

func match(s string) bool {
	return get().MatchString(s) && lazy().MatchString(s) // hot: regexp.(*Regexp).MatchString
}

type route struct{ re *regexp.Regexp }

// newRoutes has the patterns compiled once for each router.
func newRoutes(patterns []string) (all []route) {
	for _, p := range patterns {
		all = append(all, route{regexp.MustCompile(p)}) // hot: regexp.MustCompile
	}
	return all
}

var (
	strict     *regexp.Regexp
	strictInit sync.Once
	setStrict  = func() {
		strict = regexp.MustCompile(alternatives()) // hot: regexp.MustCompile
	}
)

func isStrict(s string) bool {
	strictInit.Do(setStrict)
	return strict.MatchString(s)
}

func alternatives() string { return strings.Join([]string{"a+", "b+"}, "|") }

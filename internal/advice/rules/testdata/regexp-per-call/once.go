package once

import (
	"regexp"
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

package others

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var host = sync.OnceValue(func() string {
	name, _ := os.Hostname() // hot: os.Hostname
	return name
})

type text string

func (t text) ToLower() text { return t }

// What is asked once, what only fails, functions of other names, and lines whose time is
// something else's.
func others(t text, s string, work func(string) int) (int, error) {
	t.ToLower()               // hot: strings.ToLower
	n, err := strconv.Atoi(s) // hot: strconv.Atoi
	if err != nil {
		return 0, fmt.Errorf("%s on %s", strings.ToLower(s), host()) // hot: strings.ToLower
	}
	return n + work(strings.ToUpper(s)), nil // hot: example.com/others.work
}

// lower has a way of its own for ASCII.
func lower(r rune) rune {
	if r < utf8.RuneSelf {
		return r | 0x20
	}
	return unicode.ToLower(r) // hot: unicode.ToLower
}

func init() {
	dir, _ := os.Getwd() // hot: os.Getwd
	os.Setenv("DIR", dir)
}

package keys

import "fmt"

var key, other string

var texts map[string]string

func next() int { key = other; texts[key] = "changed"; return 1 }

func keys(n int, own map[string]string, name string) {
	// want A: a concatenation makes the same string
	own[key] = fmt.Sprintf("%02d-%02d", next(), n) // hot: fmt.Sprintf
	// want A: a concatenation makes the same string
	texts[name] += fmt.Sprintf("%02d-%02d", next(), n) // hot: fmt.Sprintf
	// want A: a buffer on the stack
	own[name] = fmt.Sprintf("%02d-%02d", next(), n) // hot: fmt.Sprintf
	// want A: a buffer on the stack
	own[name] += fmt.Sprintf("%02d-%02d", n, n) // hot: fmt.Sprintf
}

package conditions

import (
	"fmt"
	"strconv"
	"strings"
)

// empty would panic for a negative number, or take all memory, though the loop has no turn.
func empty(xs []string, n int) (total int) {
	for _, x := range xs {
		// want C: call it once, before the loop. (end)
		total += len(x) + len(strings.ToUpper(strings.Repeat("ab", n))) // hot: strings.ToUpper
	}
	return total
}

// base panics for a number that is no base.
func base(xs []string, n int64, to int) (total int) {
	for _, x := range xs {
		// want B: Check that most runs of the loop reach the call, and that strconv.FormatInt(n, to) doesn't panic if the loop has no iterations or doesn't reach it. (end)
		total += len(x) + len(strconv.FormatInt(n, to)) // hot: strconv.FormatInt
	}
	return total
}

var tickets int

type ticket int

func (t ticket) String() string { tickets++; return fmt.Sprint(int(t) + tickets) }

// numbered gets another number each time.
func numbered(xs []string, t ticket) (all []string) {
	for _, x := range xs {
		// want B: and that methods called for fmt.Sprintf("%v", t), such as String, have no side effects and return the same each time. (end)
		all = append(all, x+fmt.Sprintf("%v", t)) // hot: fmt.Sprintf
	}
	return all
}

func plain(xs []string, prefix string) (n int) {
	for _, x := range xs {
		// want B: Check that most runs of the loop reach the call. (end)
		if strings.HasPrefix(x, strings.ToLower(prefix)) { // hot: strings.ToLower
			n++
		}
	}
	return n
}

// captured is set by a function that the loop calls.
func captured(xs []string, prefix string) (n int) {
	next := func() { prefix += "x" }
	for _, x := range xs {
		// want C: If that is so, call it once
		if strings.HasPrefix(x, strings.ToLower(prefix)) { // hot: strings.ToLower
			next()
			n++
		}
	}
	return n
}

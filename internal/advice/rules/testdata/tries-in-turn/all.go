package all

import (
	"strconv"
	"time"
)

// dates reads all of them.
func dates(texts []string) (ts []time.Time, err error) {
	for _, text := range texts {
		t, err := time.Parse(time.DateOnly, text) // hot: time.Parse time.newParseError
		if err != nil {
			return nil, err
		}
		ts = append(ts, t)
	}
	return ts, nil
}

// first tries a list too, but what it finds is at once right.
func first(texts []string) int {
	for _, text := range texts {
		if n, err := strconv.Atoi(text); err == nil { // hot: strconv.Atoi
			return n
		}
	}
	return 0
}

// again is no other try.
func again(text string) int {
	for range 3 {
		if n, err := strconv.Atoi(text); err == nil { // hot: strconv.Atoi strconv.syntaxError
			return n
		}
	}
	return 0
}

package dates

import (
	"strconv"
	"time"
)

var layouts = []string{time.RFC3339, time.DateTime, time.DateOnly}

func date(text string) (t time.Time, err error) {
	for _, layout := range layouts {
		// want C: until one works time.Parse is tried until one call succeeds
		if t, err = time.Parse(layout, text); err == nil { // hot: time.Parse time.newParseError
			return t, nil
		}
	}
	return t, err
}

func number(text string) int64 {
	var n int64
	for _, base := range []int{2, 8, 16} {
		// want C: one works strconv.ParseInt is tried until one call succeeds
		v, err := strconv.ParseInt(text, base, 64) // hot: strconv.ParseInt strconv.syntaxError
		if err == nil {
			n = v
			break
		}
	}
	return n
}

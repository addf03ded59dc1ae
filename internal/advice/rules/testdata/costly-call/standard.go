package standard

import (
	"strconv"
	"time"
)

// These layouts have a way of their own.
func stamped(text string) (time.Time, error) {
	return time.Parse(time.RFC3339, text) // hot: time.Parse
}

func address(text string) (int64, error) {
	return strconv.ParseInt(text, 16, 64) // hot: strconv.ParseInt
}

func small(text string) (int64, error) {
	return strconv.ParseInt(text, 10, 8) // hot: strconv.ParseInt
}

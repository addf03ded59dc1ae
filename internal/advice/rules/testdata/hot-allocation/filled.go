package filled

import (
	"errors"
	"fmt"
	"strconv"
)

type statusError struct{ code int }

func (e statusError) Error() string { return strconv.Itoa(e.code) }

func status(err error) int {
	// says: status escapes to heap
	// want C: errors.AsType returns the error by value and needs no variable
	var status statusError // alloc
	errors.As(err, &status)
	return status.code
}

func scanned(text string) (int, error) {
	// says: n escapes to heap
	// want C: fmt.Sscan needs its address.
	var n int // alloc
	_, err := fmt.Sscan(text, &n)
	return n, err
}

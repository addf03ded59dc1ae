package p

import (
	"errors"
	"fmt"
	"io"
)

type notFound struct{ name string }

func (e *notFound) Error() string { return e.name }

func classify(err error) string {
	var missing *notFound
	// want A: compiled for the type
	if errors.As(err, &missing) { // hot: errors.As errors.as
		return missing.name
	}
	return ""
}

func isMissing(err error) bool {
	var missing *notFound
	// want A: compiled for the type
	if !errors.As(err, &missing) { // hot: errors.As errors.as internal/reflectlite.TypeOf
		return false
	}
	return true
}

func all(errs []error) (n int) {
	for _, err := range errs {
		func() {
			var missing *notFound
			// want A: compiled for the type
			if errors.As(err, &missing) { // hot: errors.As
				n++
			}
		}()
	}
	return n
}

func both(err error) string {
	_, ok := err.(interface{ Timeout() bool })
	var missing *notFound
	// want A: compiled for the type
	if errors.As(err, &missing) { // hot: errors.As
		return missing.name + map[bool]string{true: "!"}[ok]
	}
	return ""
}

// The time is in what makes the error, not in asking it.
func cold(name string) bool {
	var missing *notFound
	if errors.As(fmt.Errorf("reading %s: %w", name, io.EOF), &missing) { // hot: fmt.Errorf
		return true
	}
	return false
}

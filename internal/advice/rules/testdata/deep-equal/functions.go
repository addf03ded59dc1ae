package functions

import (
	"mime/multipart"
	"reflect"
	"time"
)

type options struct {
	Name  string
	tags  []string
	Limit float64
	inner struct{ set map[string]bool }
	raw   []byte
	size  *int
	at    *point
}

type point struct{ x, y float64 }

type list struct {
	next *list
	tags []string
}

type held struct {
	value any
	tags  []string
}

type timed struct {
	at   time.Time
	tags []string
}

type padded struct {
	_    int
	tags []string
}

type floats struct{ all []float64 }

func compare(a, b options, p, q *options, x, y point) bool {
	// want A: equalOptions compares the fields directly
	if reflect.DeepEqual(a, b) { // hot: reflect.DeepEqual
		return true
	}
	// want A: == gives the same result
	if reflect.DeepEqual(x, y) { // hot: reflect.DeepEqual
		return false
	}
	// want A: equalOptions compares the fields directly
	if !reflect.DeepEqual(b, options{}) { // hot: reflect.DeepEqual
		return false
	}
	// want A: equalOptionsPointers compares the fields directly
	return reflect.DeepEqual(p, q) // hot: reflect.DeepEqual
}

func others(a, b list, c, d held, e, f timed, g, h padded, i, j floats) bool {
	type local struct{ tags []string }
	// want C: write an Equal method
	return reflect.DeepEqual(a, b) || // hot: reflect.DeepEqual
		// want C: write an Equal method
		reflect.DeepEqual(c, d) || // hot: reflect.DeepEqual
		// want C: write an Equal method
		reflect.DeepEqual(e, f) || // hot: reflect.DeepEqual
		// want C: write an Equal method
		reflect.DeepEqual(g, h) || // hot: reflect.DeepEqual
		// want C: write an Equal method
		reflect.DeepEqual(i, j) || // hot: reflect.DeepEqual
		// want C: write an Equal method
		reflect.DeepEqual(local{}, local{}) // hot: reflect.DeepEqual
}

func foreign(x, y multipart.Form, c, d reflect.StringHeader) bool {
	// want C: write an Equal method
	return reflect.DeepEqual(x, y) || // hot: reflect.DeepEqual
		// want A: == gives the same result
		reflect.DeepEqual(c, d) // hot: reflect.DeepEqual
}

func generic[T any](a, b struct{ value []T }) bool {
	// want C: write an Equal method
	return reflect.DeepEqual(a, b) // hot: reflect.DeepEqual
}

var changes options

func change() options { changes.Name += "+"; return changes }

func inOrder() bool {
	// want B: change() doesn't change changes
	return reflect.DeepEqual(changes, change()) // hot: reflect.DeepEqual
}

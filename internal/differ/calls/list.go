//go:build go1.23

package main

// hone prove writes this file for a package.
var (
	functions []function
	methods   []function
	path      string           // of the package
	failures  map[string]error // the package's variables of errors
	runes     bool             // an int32 is a character
	// In tests:
	texts []string
	// In what changed, before and after:
	ownTexts  []string
	numbers   []int64
	fractions []float64
)

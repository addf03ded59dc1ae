// Package examples holds the source of worked examples, for hone tour, which
// works on a copy.
package examples

import "embed"

// Visitors is the example in folder visitors: a web server's handler from slow
// to tuned, with its benchmarks.
//
//go:embed visitors/main.go visitors/greet.go visitors/tuned.go visitors/visitors_test.go
var Visitors embed.FS

// Package code describes the source of a Go package: its syntax, types, text and names, and places in
// it. It doesn't know profiles, so questions about code (package facts) can be asked and tested
// without a measurement.
package code

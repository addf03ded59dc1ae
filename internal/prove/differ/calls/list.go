//go:build go1.22

package main

// hone prove writes this file for a package.
var (
	functions []function
	methods   []function
	texts     []string
)

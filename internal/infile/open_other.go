//go:build !unix

package infile

// doNotWait: Windows' pipes and devices are told apart by their names, before opening.
const doNotWait = 0

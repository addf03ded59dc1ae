// Package process has the names that the reporter of Parca's agent uses.
package process

import "io"

// A ReadAtCloser is an open file.
type ReadAtCloser interface {
	io.ReaderAt
	io.Closer
}

// Mapping is a mapping of a process.
type Mapping struct{ Path string }

// Process is what has mappings.
type Process interface {
	OpenMappingFile(*Mapping) (ReadAtCloser, error)
}

// Package pyroscopepb has the messages of the Pyroscope APIs that hone speaks,
// generated from the .proto files.
package pyroscopepb

//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.75.0 generate

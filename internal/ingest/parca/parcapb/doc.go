// Package parcapb has the messages of Parca's API for writing profiles,
// generated from parca.proto.
package parcapb

//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.75.0 generate

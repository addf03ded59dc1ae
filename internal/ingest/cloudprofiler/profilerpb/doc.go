// Package profilerpb has the messages and services of the Cloud Profiler API,
// generated from profiler.proto.
package profilerpb

//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.75.0 generate

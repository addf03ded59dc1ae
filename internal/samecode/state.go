package samecode

import (
	"context"
	"errors"
	"io"
)

// A GoCommand runs the go command in one state of the program: with args, "list" first,
// and standard error written to stderr. It returns standard output, and an error if
// the command fails.
type GoCommand func(ctx context.Context, stderr io.Writer, args ...string) ([]byte, error)

// A State is one of the two states of a program.
type State struct {
	Go GoCommand
	// Overlay has what Go's -overlay says, for tests: what stands for which file.
	Overlay map[string]string
}

// ErrUnknown: this build, or what the compiler of this Go prints, can't be compared.
var ErrUnknown = errors.New("machine code can't be compared")

// The two states.
const (
	base = 0
	head = 1
)

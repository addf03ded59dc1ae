//go:build unix

package infile

import "syscall"

// doNotWait: a pipe opens without a writer, and no device becomes hone's terminal.
const doNotWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

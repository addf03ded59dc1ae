package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
)

// A workerAnswer is what one command line of a worker gave.
type workerAnswer struct {
	Stdout, Stderr []byte
	Code           int
}

// work runs the command lines that it reads from standard input, one after the
// other, as a process each would: starting one costs more than most of them.
func work() {
	in, out := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // what is printed past run must not get among the answers
	for {
		var args []string
		err := in.Decode(&args)
		if errors.Is(err, io.EOF) {
			os.Exit(0)
		}
		var stdout, stderr bytes.Buffer
		if err == nil {
			code := execute(context.Background(), args, bytes.NewReader(nil), &stdout, &stderr)
			err = out.Encode(workerAnswer{stdout.Bytes(), stderr.Bytes(), code})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
	}
}

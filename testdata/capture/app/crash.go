package main

import (
	"fmt"
	"os"
	"runtime/debug"
)

// crash panics and has the runtime write its dump of goroutines to a file too:
// of those of the program for the kind crash-all, of those of the runtime and
// of threads too for crash-system.
func crash(kind, file string) error {
	level := map[string]string{"crash-all": "all", "crash-system": "system"}[kind]
	if level == "" {
		return fmt.Errorf("no profile %q", kind)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	debug.SetTraceback(level)
	if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil {
		return err
	}
	panic("as " + kind + " asks for")
}

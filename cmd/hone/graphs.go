package main

import (
	"os"
	"runtime"

	"github.com/hone-go/hone/internal/graphviz"
)

// layoutVerb is the verb of the process that lays out a call graph. It is hone's
// own, from DOT on standard input to coordinates on standard output, so the
// manual does not have it.
const layoutVerb = "layout-graph"

// graphEngine returns what lays out call graphs: the dot that HONE_DOT names, or this
// program again in a process of its own, so that a fault there ends one picture and not
// a server.
func graphEngine(a *app) graphviz.Engine {
	if dot := a.getenv("HONE_DOT"); dot != "" {
		return graphviz.Dot(dot)
	}
	program, err := os.Executable()
	if err != nil {
		return graphviz.Engine{}
	}
	if runtime.GOOS == "linux" {
		// Also after the file was replaced by another version's.
		program = "/proc/self/exe"
	}
	return graphviz.Child(program, layoutVerb)
}

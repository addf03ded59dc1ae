package main

import (
	"os"
	"runtime"

	"github.com/hone-go/hone/internal/graphviz"
)

// layoutVerb is a hidden verb: the process that lays out a call graph, from DOT on standard
// input to coordinates on standard output.
const layoutVerb = "layout-graph"

// graphEngine returns what lays out call graphs: the dot program that HONE_DOT names, or
// this program in a separate process, so that a crash there doesn't end a server.
func graphEngine(a *app) graphviz.Engine {
	if dot := a.getenv("HONE_DOT"); dot != "" {
		return graphviz.Dot(dot)
	}
	program, err := os.Executable()
	if err != nil {
		return graphviz.Engine{}
	}
	if runtime.GOOS == "linux" {
		// Works even if the file was replaced by another version.
		program = "/proc/self/exe"
	}
	return graphviz.Child(program, layoutVerb)
}

// Visitors greets everyone who visits /hi and tells which visitor they are:
//
//	visitors [-http localhost:8080] [-step name]
//
// The handler comes as it was first written and once per tuning step;
// README.md tells how each step was found. Its profiles are under
// /debug/pprof/.
package main

import (
	"flag"
	"fmt"
	"net/http"
	_ "net/http/pprof" // on the default mux
	"os"
)

// steps are the versions of the handler in the order they were written.
var steps = []struct {
	name  string
	greet http.HandlerFunc
}{
	{"compile", greetCompile},
	{"compiled", greetCompiled},
	{"noheader", greetNoHeader},
	{"pooled", greetPooled},
	{"scanned", greetScanned},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "visitors:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("visitors", flag.ExitOnError)
	address := flags.String("http", "localhost:8080", "serve at `address`")
	step := flags.String("step", "", "handler: compile, compiled, noheader, pooled or scanned; the one in use if empty")
	_ = flags.Parse(args) // exits on error

	handler := http.HandlerFunc(greet)
	if *step != "" {
		handler = nil
		for _, s := range steps {
			if s.name == *step {
				handler = s.greet
			}
		}
		if handler == nil {
			return fmt.Errorf("no step %q", *step)
		}
	}
	http.Handle("/hi", handler)
	fmt.Printf("http://%s/hi?color=teal\n", *address)
	return http.ListenAndServe(*address, nil)
}

// Hone finds what makes a Go program slow, suggests changes, and measures whether they
// help.
//
// Usage:
//
//	hone VERB [flags] [arguments]
//
// See where time and memory go
//
//	top        list the functions that use the most time or memory
//	list       show source code with the cost of each line
//	ui         explore profiles in a browser: flame graph, call graph, source
//
// Measure
//
//	bench      run and profile benchmarks; -against REF compares with a git revision
//	load       send requests to a service: latency, and the cost of a request
//
// Make it faster
//
//	advise     suggest changes to hot lines, and how much they can gain
//	tune       try the known rewrites, and keep those that measurements confirm
//
// Prove it, and keep it
//
//	compare    compare two runs, or two benchmark files
//	prove      judge a patch: whether it is right, and whether it is faster
//	check      check objectives, in CI
//	serve      profile production services continuously
//
// First steps
//
//	hone bench ./... && hone ui latest                   your benchmarks
//	hone ui http://localhost:6060/debug/pprof/profile    a server with net/http/pprof
//	perf record -g ./program && hone ui perf.data        any program, on Linux
//	hone tour                                            the whole loop, on an example
//
// "hone help all" lists all verbs, "hone help VERB" explains one, and "hone doctor"
// checks this machine.
package main

// firstDay is what hone prints without arguments: the verbs that a person needs on
// the first day. TestManual compares it with the package comment.
const firstDay = `Hone finds what makes a Go program slow, suggests changes, and measures whether they
help.

Usage:

  hone VERB [flags] [arguments]

See where time and memory go

  top        list the functions that use the most time or memory
  list       show source code with the cost of each line
  ui         explore profiles in a browser: flame graph, call graph, source

Measure

  bench      run and profile benchmarks; -against REF compares with a git revision
  load       send requests to a service: latency, and the cost of a request

Make it faster

  advise     suggest changes to hot lines, and how much they can gain
  tune       try the known rewrites, and keep those that measurements confirm

Prove it, and keep it

  compare    compare two runs, or two benchmark files
  prove      judge a patch: whether it is right, and whether it is faster
  check      check objectives, in CI
  serve      profile production services continuously

First steps

  hone bench ./... && hone ui latest                   your benchmarks
  hone ui http://localhost:6060/debug/pprof/profile    a server with net/http/pprof
  perf record -g ./program && hone ui perf.data        any program, on Linux
  hone tour                                            the whole loop, on an example

"hone help all" lists all verbs, "hone help VERB" explains one, and "hone doctor"
checks this machine.
`

const allIntro = `Usage:

  hone VERB [flags] [arguments]

The verbs:

`

const allEnd = `
Flags are those of go tool pprof; -name value and --name value are the same.
A source is a file, host:port/path, a URL, - for standard input, or a profile
of a saved run, RUN:Benchmark/cpu. Several sources are merged. Every report is
available as JSON too, with -json.

Exit codes: 0 success, 1 failure, 2 wrong usage, 3 objective missed or
regression found.

Examples:

  hone top cpu.pb.gz
  hone list 'json.*decode' cpu.pb.gz
  hone ui cpu.pb.gz
  hone flame -o flame.html -seconds 10 http://localhost:6060/debug/pprof/profile
  hone diff before.pb.gz after.pb.gz
  hone pprof -base old.pb.gz new.pb.gz
  hone bench -against main
  hone top latest:Parse/cpu
  hone compare -o report.html latest
  hone advise ./...
  hone tune ./...
  hone load http -rate 500 -pprof localhost:6060 http://localhost:8080/

"hone help VERB" explains a verb.
`

// reportVerbs are the short forms: hone top X is hone pprof -top X.
var reportVerbs = []struct{ name, summary string }{
	{"top", "list functions (or lines, files, addresses) by value"},
	{"tree", "list functions with their callers and callees"},
	{"peek", "show callers and callees of functions matching a regexp"},
	{"list", "show the source of functions matching a regexp, with values per line"},
	{"disasm", "show the machine code of functions matching a regexp, with values per instruction"},
	{"weblist", "write source and machine code as a web page"},
	{"traces", "print every sample"},
	{"tags", "list the labels of samples"},
	{"raw", "print the profile as text"},
	{"comments", "print the profile's comments"},
	{"proto", "write the profile, merged and filtered, as pb.gz"},
	{"topproto", "write the top entries as pb.gz"},
	{"dot", "write the call graph in DOT, the language of Graphviz"},
	{"svg", "draw the call graph as SVG"},
	{"png", "draw the call graph as PNG"},
	{"gif", "draw the call graph as GIF"},
	{"pdf", "draw the call graph as PDF"},
	{"ps", "draw the call graph as PostScript"},
	{"callgrind", "write the call graph in Callgrind format"},
}

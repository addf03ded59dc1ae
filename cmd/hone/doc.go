// Hone tunes Go programs: it finds out where they spend time and memory, says what to
// change and proves it, puts services under load, and tells whether a change made them
// faster.
//
// Usage:
//
//	hone VERB [flags] [arguments]
//
// The verbs:
//
//	pprof      look at profiles: reports, call graphs, the interactive shell; a drop-in for go tool pprof
//	ui         look at profiles in a browser
//	flame      write a flame graph as a page, a picture or folded stacks
//	diff       tell what changed between two profiles, function by function
//	bench      measure and profile benchmarks; -against REF compares with a git revision
//	compare    compare runs and benchmark files, and tell which functions moved them
//	check      check what was measured against the objectives in hone.toml
//	advise     say what to change: slow patterns on hot lines, with what they cost and the rewrite
//	fix        apply the rewrite of a finding, and keep it if measuring confirms it
//	tune       try all rewrites that are known for some packages, and keep what measuring confirms
//	pgo        merge CPU profiles into the one that the compiler optimizes by; tell how fresh it is, and what it gains
//	load       send requests to a service; tell how long answers took, and what a request costs
//	gc         run a program and tell what the garbage collector did
//	wall       tell what goroutines waited for, and where, by an execution trace
//	runs       list the runs that were kept, or remove some
//	serve      collect profiles of programs all the time, keep and show them
//	query      ask hone serve for profiles, and print any report of them
//	push       send profiles to hone serve
//	token      make, list and remove the tokens that hone serve lets in
//	session    list and end the sessions of those who are logged in to hone serve
//	store      look after the profiles that hone serve keeps: verify, repair, back up, copy
//	tour       walk through the tuning loop on an example
//	completion print a script that has bash, zsh or fish complete hone's words
//	top        list the functions (or lines, files, addresses) where the values are
//	tree       list functions with their callers and callees
//	peek       show callers and callees of functions that match a regexp
//	list       show the source of functions that match a regexp, with values by line
//	disasm     show the machine code of functions that match a regexp, with values by instruction
//	weblist    write source and machine code as a page
//	traces     print every sample
//	tags       list the samples' labels
//	raw        print the profile as text
//	comments   print the profile's comments
//	proto      write the profile, merged and filtered, as pb.gz
//	topproto   write the top entries as pb.gz
//	dot        write the call graph in Graphviz's language
//	svg        draw the call graph as svg
//	png        draw the call graph as png
//	gif        draw the call graph as gif
//	pdf        draw the call graph as pdf
//	ps         draw the call graph as PostScript
//	callgrind  write the call graph in Callgrind's format
//	version    print hone's version
//
// Flags are those of go tool pprof; -name value and --name value are the same.
// A source is a file, host:port/path, a URL, - for standard input, or a profile
// of a run that hone bench kept, RUN:Benchmark/cpu; several are merged. Every
// report also comes as JSON with -json.
//
// Exit codes: 0 success, 1 failure, 2 wrong usage, 3 objective missed or
// regression found.
//
// Examples:
//
//	hone top cpu.pb.gz
//	hone list 'json.*decode' cpu.pb.gz
//	hone ui cpu.pb.gz
//	hone flame -o flame.html -seconds 10 http://localhost:6060/debug/pprof/profile
//	hone diff before.pb.gz after.pb.gz
//	hone pprof -base old.pb.gz new.pb.gz
//	hone bench -against main
//	hone top latest:Parse/cpu
//	hone compare -o report.html latest
//	hone advise ./...
//	hone tune ./...
//	hone load http -rate 500 -pprof localhost:6060 http://localhost:8080/
//
// "hone help VERB" tells more about a verb.
package main

const helpIntro = `Hone tunes Go programs: it finds out where they spend time and memory, says what to
change and proves it, puts services under load, and tells whether a change made them
faster.

Usage:

  hone VERB [flags] [arguments]

The verbs:

`

const helpEnd = `
Flags are those of go tool pprof; -name value and --name value are the same.
A source is a file, host:port/path, a URL, - for standard input, or a profile
of a run that hone bench kept, RUN:Benchmark/cpu; several are merged. Every
report also comes as JSON with -json.

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

"hone help VERB" tells more about a verb.
`

// reportVerbs are the short forms: hone top X is hone pprof -top X.
var reportVerbs = []struct{ name, summary string }{
	{"top", "list the functions (or lines, files, addresses) where the values are"},
	{"tree", "list functions with their callers and callees"},
	{"peek", "show callers and callees of functions that match a regexp"},
	{"list", "show the source of functions that match a regexp, with values by line"},
	{"disasm", "show the machine code of functions that match a regexp, with values by instruction"},
	{"weblist", "write source and machine code as a page"},
	{"traces", "print every sample"},
	{"tags", "list the samples' labels"},
	{"raw", "print the profile as text"},
	{"comments", "print the profile's comments"},
	{"proto", "write the profile, merged and filtered, as pb.gz"},
	{"topproto", "write the top entries as pb.gz"},
	{"dot", "write the call graph in Graphviz's language"},
	{"svg", "draw the call graph as svg"},
	{"png", "draw the call graph as png"},
	{"gif", "draw the call graph as gif"},
	{"pdf", "draw the call graph as pdf"},
	{"ps", "draw the call graph as PostScript"},
	{"callgrind", "write the call graph in Callgrind's format"},
}

// Package shell is the face of `hone pprof`: the command line and the
// interactive shell of `go tool pprof`, flag for flag and line for line.
//
// [Parse] and [ParseVerb] turn arguments into an [Invocation]. A [Session]
// runs the shell over one profile. An [Outlet] takes a finished report where it
// belongs: the screen, a file, a viewer. All three know reports by name only;
// the caller hands in the function that makes them, so that this package
// depends on nothing but their options.
//
// google/pprof keeps its configuration in a global that flags, shell and web
// UI share. Here it is a value, [Config]: a shell owns one, a command works on
// a copy, and several shells may run in one process.
//
// # Where it differs
//
// Scripts written for the original keep working; these were refused or lost:
//
//   - -base and -diff_base may be repeated (there the last one counts)
//   - a flag after a source is refused (there it is a missing source)
//   - a bare choice such as "lines" or "cum" selects it (there: an unknown field)
//   - "help sort", "help granularity" and "granularity lines" get an answer
//   - ^C ends the command or clears the line, not the shell
//   - lines are kept across sessions, and Tab completes
//   - "flame" writes a flame graph
package shell

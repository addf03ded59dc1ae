// Package shell is the face of `hone pprof`: the command line and the
// interactive shell of `go tool pprof`, flag for flag and line for line.
//
// [Parse] and [ParseVerb] turn arguments into an [Invocation]. A [Session]
// runs the shell on one profile. An [Outlet] writes a finished report to its
// destination: the screen, a file, a viewer. All three know reports only by name;
// the caller passes the function that makes them, so this package depends only on
// their options.
//
// google/pprof keeps its configuration in a global that flags, shell and web
// UI share. Here it is a value, [Config]: a shell owns one, a command works on
// a copy, and several shells may run in one process.
//
// # Where it differs
//
// Scripts written for the original keep working. In these cases it refuses or
// ignores what hone accepts, or the other way round:
//
//   - -base and -diff_base may be repeated (the original uses the last one)
//   - a flag after a source is refused (the original says that the source is missing)
//   - a bare choice such as "lines" or "cum" selects it (the original: an unknown field)
//   - "help sort", "help granularity" and "granularity lines" work
//   - ^C ends the command or clears the line, not the shell
//   - lines are kept across sessions, and Tab completes
//   - "flame" writes a flame graph
package shell

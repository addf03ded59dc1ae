// Package agent collects profiles from inside a Go program: into files named
// by flags, over HTTP, and all the time for hone serve. It imports the standard
// library only, and nothing in it runs before it is called.
//
// # A program that ends
//
// In main, write
//
//	defer agent.Parse()()
//
// where [flag.Parse] stood. The program then knows -cpuprofile, -memprofile,
// -blockprofile, -mutexprofile and -trace, and the rates that go with them, as
// go test does, and writes the files asked for when main returns or panics, or
// when the first SIGINT or SIGTERM arrives. Programs with flag sets of their
// own, or that return errors from main's one callee, use [Flags],
// [Profiles.Start] and [Profiles.Stop]; TestMain and cobra are shown in the
// examples. Without any of the flags the agent does nothing.
//
// What to know:
//
//   - [os.Exit] and [log.Fatal] run no deferred calls, so nothing is written.
//     Call them in main only, after everything else has returned, or call Stop
//     first. A panic in main's goroutine runs the deferred Stop and the files
//     are written; a panic in another goroutine ends the process at once, and
//     so does SIGKILL.
//   - A file appears under its name when it is complete. Until then it is
//     called NAME.XXXXXXXX.partial, and a process that dies before Stop leaves
//     that name behind, for the CPU profile and the trace. A CPU profile is
//     only written when it is stopped: a partial one is empty, not half.
//   - -memprofile is a heap profile after a garbage collection. What should
//     count as in use must still be reachable: see [runtime.KeepAlive].
//   - Allocations before the rate is set are sampled at the rate before it,
//     and counted as if at the new one. -memprofilerate is read by Start,
//     after package initialization and whatever main did before. For a rate
//     from the very first allocation set GODEBUG=memprofilerate=N in the
//     environment instead.
//   - Recording several kinds at once is possible, but each disturbs the
//     others. For figures that matter ask for one.
//
// # Signals
//
// By default ([SignalsEnd]), at the first SIGINT or SIGTERM the agent stops
// listening, writes the files and sends the signal to the process again. A
// program that does not listen for it ends by it, with the exit status a shell
// expects. One that does gets it a second time, and if it has stopped listening
// after the first, as with the stop function of [os/signal.NotifyContext], it
// ends by it, too. So a program that shuts down on signals itself uses
// [SignalsContinue]: files are written, and nothing else. With [SignalsOff] signals are left alone. Set
// [Profiles].Signals between [Flags] and [Profiles.Start]; [Parse] has the
// default.
//
// Under every policy, a program that listens gets its own copy of each signal
// at once. A second signal is none of the agent's business, even while the
// files are being written: it kills, or goes to the program. A signal that the
// program ignores, or that its parent had ignored, as nohup does, stays
// ignored. A handler that ends in os.Exit calls Stop before that.
//
// Windows cannot send a signal again. There SignalsEnd exits with the status
// that Windows gives for Ctrl-C, whether or not the program listens.
//
// # A program that runs
//
//	agent.Mount(mux)                            // at /debug/pprof/ of your own mux
//	server, err := agent.Listen("localhost:6060") // on a port of its own
//
// serve what net/http/pprof serves, at the same paths and with the same
// parameters, so that go tool pprof, hone and every scraper work with it.
// It is written anew because importing net/http/pprof registers its pages on
// [net/http.DefaultServeMux], where they are served to the public by any
// program that happens to serve that mux. The differences:
//
//   - The rates for block and mutex profiles can be left to the pages, which
//     set them during requests with ?seconds=N: see [Pages].
//   - A CPU profile or trace while another one runs is answered with status
//     409 instead of 500. The text is the same.
//   - symbol accepts POST, which net/http/pprof has refused since Go 1.22 and
//     go tool pprof sends.
//
// Whoever reads profiles learns function names, file names and the command
// line, and can keep the profiler busy. Listen therefore refuses addresses
// other than loopback, and requests that name another host, as those of a web
// page do that points its own name at 127.0.0.1. With Mount, access is up to
// the program.
//
// # A program that is profiled all the time
//
//	a, err := agent.Start(agent.Config{Server: "http://hone.internal:4600"})
//
// records a little of every [Kind] each minute, and sends it to hone serve
// until [Agent.Stop]. It waits for nothing, ends nothing, forces no garbage
// collection, keeps a [Config].Budget of CPU time, and puts profiles on disk
// while the server is away. doc/agent.md tells all of it.
package agent

// Package agent collects profiles from inside a Go program. It writes them to
// files named by flags, serves them over HTTP, or records all the time and
// sends them to hone serve. It imports only the standard library, and does
// nothing until it is called.
//
// # A program that ends
//
// In main, replace [flag.Parse] by
//
//	defer agent.Parse()()
//
// The program then has the flags -cpuprofile, -memprofile, -blockprofile,
// -mutexprofile and -trace, and the flags for their rates, as go test does. The
// files are written when main returns or panics, or at the first SIGINT or
// SIGTERM. Without any of the flags the agent does nothing.
//
// If your program has a flag set of its own, or exits with an error that another
// function returns to main, use [Flags], [Profiles.Start] and [Profiles.Stop].
// The examples show TestMain and cobra.
//
// What to know:
//
//   - [os.Exit] and [log.Fatal] run no deferred calls, so no files are written.
//     Call them in main only, after everything else has returned, or call Stop
//     first. A panic in main's goroutine runs the deferred Stop and the files
//     are written. A panic in another goroutine ends the process at once, and
//     so does SIGKILL.
//   - A file gets its name when it is complete. Until then it is called
//     NAME.XXXXXXXX.partial. A process that dies before Stop leaves the partial
//     CPU profile and trace behind. The partial CPU profile is empty, since the
//     runtime writes it only when profiling stops.
//   - -memprofile writes a heap profile after a garbage collection. Objects that
//     should count as in use must still be reachable: see [runtime.KeepAlive].
//   - Start sets the rate that -memprofilerate gives. Allocations before that,
//     during package initialization for example, were sampled at another rate
//     and are scaled wrongly. To set the rate from the first allocation on, use
//     the environment variable GODEBUG=memprofilerate=N instead.
//   - You can record several kinds at once, but they disturb each other. When
//     the figures matter, record one kind per run.
//
// # Signals
//
// By default ([SignalsEnd]), the first SIGINT or SIGTERM makes the agent stop
// listening for signals, write the files and send the same signal to the process
// again. If your program doesn't listen for the signal, that ends it, with the
// exit status that a shell expects. If it listens, it gets the signal a second
// time. It ends if it has stopped listening by then, for example with the stop
// function of [os/signal.NotifyContext].
//
// A program that shuts down on signals itself uses [SignalsContinue]: the agent
// writes the files and does nothing else. With [SignalsOff] it doesn't listen for
// signals. Set [Profiles].Signals between [Flags] and [Profiles.Start]; [Parse]
// uses the default.
//
// Under every policy:
//
//   - A program that listens gets its own copy of each signal at once.
//   - The agent handles the first signal only. A second one goes to the program,
//     or kills it, even while the files are being written.
//   - A signal that is ignored, by the program or by its parent (as with nohup),
//     stays ignored.
//   - A signal handler that calls os.Exit must call Stop before that.
//
// Windows can't send a signal again. There SignalsEnd exits with the status that
// Windows uses for Ctrl-C, whether or not the program listens.
//
// # A program that runs
//
// Serve profiles on your own mux, at /debug/pprof/, or on a port of their own:
//
//	agent.Mount(mux)
//	server, err := agent.Listen("localhost:6060")
//
// Both serve what [net/http/pprof] serves, at the same paths and with the same
// parameters, so that go tool pprof, hone and scrapers work with them. Importing
// net/http/pprof, in contrast, registers its pages on [net/http.DefaultServeMux],
// so a program that serves that mux to the public serves its profiles, too. Other
// differences:
//
//   - [Pages] can set the rates for block and mutex profiles while it answers a
//     request with ?seconds=N.
//   - A request for a CPU profile or trace while another one is being recorded
//     gets status 409 instead of 500. The text is the same.
//   - symbol accepts POST, which go tool pprof sends, and net/http/pprof has
//     refused since Go 1.22.
//
// Profiles reveal function names, file names and the command line, and a client
// can keep the profiler busy. Listen therefore accepts only loopback addresses.
// It also refuses requests whose Host header names another host, which protects
// against DNS rebinding by web pages. With Mount, your program decides who has
// access.
//
// # A program that is profiled all the time
//
//	a, err := agent.Start(agent.Config{Server: "http://hone.internal:4600"})
//
// records a short profile of each [Kind] every minute and sends it to hone serve,
// until [Agent.Stop]. Start doesn't wait for the server. Recording forces no
// garbage collection, except for goroutine leaks, and keeps within
// [Config].Budget of CPU time. While the server can't be reached, profiles wait
// on disk. doc/agent.md in hone's repository has the details.
//
// A server counts its requests, so that hone shows what each costs:
//
//	http.ListenAndServe(address, agent.CountRequests(mux))
package agent

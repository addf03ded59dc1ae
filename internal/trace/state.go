package trace

import "strings"

// The states of a goroutine besides its waits, which are called what the runtime
// calls them: "sleep", "chan receive", "select", "sync", "network" and so on.
const (
	Running  = "running"
	Runnable = "runnable"  // waiting for a processor
	Syscall  = "syscall"   // in a system call
	Assist   = "GC assist" // made to mark for the garbage collector
	Waiting  = "waiting"   // for what is not known: since before the trace
)

// StateLabel is the key of the label that says what a sample's goroutines did.
const StateLabel = "state"

// A kind says whether a goroutine counts.
type kind uint8

const (
	unknown kind = iota
	counts
	system
	agent
	skipped
)

// isSystem reports whether goroutines that start with a function are the
// runtime's, or there because of the trace or a CPU profile.
func isSystem(entry string) bool {
	return strings.HasPrefix(entry, "runtime.") && entry != "runtime.main" ||
		strings.HasPrefix(entry, "runtime/trace.") || strings.HasPrefix(entry, "runtime/pprof.") || entry == "os/signal.loop"
}

// agentPackage begins the functions that goroutines of hone's agent start with, and
// agentPages those that serve its pages, on goroutines of package net/http.
const (
	agentPackage = "github.com/hone-go/hone/agent."
	agentPages   = agentPackage + "pages."
)

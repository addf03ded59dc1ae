//go:build go1.23

// Calls calls functions of a package with generated inputs, and writes what they return. hone prove builds it in two versions
// of a module, with a list of the module's functions in place of list.go, and compares what both write.
//
//	calls FILE FIRST CALL
//
// appends records to the file, from a call of the function with a number on. It ends with status 3 if a call takes too much time
// or memory: what starts it again leaves that one out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A function is one to call. That of a method has its receiver as the first parameter.
type function struct {
	Name   string // "Join", "Tree.Get"
	F      any
	Target bool // what it returns is compared; others only make inputs
}

// A record is what became of a call.
type record struct {
	Function string
	Call     int    // its number, or one of the numbers below
	Step     int    // in a sequence of calls of methods
	Status   string // "begin", "ok", "error", "panic", "invalid", "differs"
	Method   string `json:",omitempty"`
	In, Out  string `json:",omitempty"`
	Hash     uint64 // of In and Out before they were shortened
	// Inside has the results with fields that aren't exported, and Layout is a hash of their types: only with the same types these
	// can be compared.
	Inside string `json:",omitempty"`
	Layout uint64
}

// Numbers of calls that stand for several.
const (
	atOnce = -1 // from several goroutines
	kept   = -2 // results that change later
)

// concurrent is the number with which those from several goroutines begin: they come after all others.
const concurrent = 1000

const (
	mostCalls    = 500
	mostSessions = 80
	steps        = 12
	budget       = 2 * time.Second // for a function: calls count, and this only bounds slow ones
	slow         = time.Second     // for a call
	large        = 1 << 30         // bytes in use
	shown        = 200             // bytes of an input or a result
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: calls FILE FIRST CALL")
		os.Exit(2)
	}
	first, _ := strconv.Atoi(os.Args[2])
	from, _ := strconv.Atoi(os.Args[3])
	file, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	w := &writer{out: bufio.NewWriter(file)}
	go watch()
	for i, one := range jobs(functions, methods) {
		if i < first {
			continue
		}
		w.name, w.job = one.name, i
		one.run(w, from)
		from = 0
	}
	if err := w.out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// A writer writes records of a job.
type writer struct {
	out  *bufio.Writer
	name string
	job  int
}

// begin notes a call, or a sequence of them, before it begins: it may end the program.
func (w *writer) begin(call int) {
	w.write(record{Function: w.name, Call: w.job, Step: call, Status: "begin"})
	w.out.Flush()
}

func (w *writer) write(r record) {
	h := fnv.New64a()
	h.Write([]byte(r.In + "\x00" + r.Out))
	r.Hash = h.Sum64()
	r.In, r.Out = short(r.In), short(r.Out)
	if r.Inside == r.Out || r.Layout == 0 {
		r.Inside, r.Layout = "", 0
	} else if len(r.Inside) > shown {
		h.Write([]byte(r.Inside))
		r.Inside = short(r.Inside) + fmt.Sprintf(" (%x)", h.Sum64())
	}
	text, _ := json.Marshal(r)
	w.out.Write(append(text, '\n'))
}

func short(s string) string {
	if len(s) > shown {
		return strings.ToValidUTF8(s[:shown], "") + "…"
	}
	return s
}

// A job is a function, or a type with methods.
type job struct {
	name string
	run  func(w *writer, from int)
}

// jobs are those of functions first, then those of types.
func jobs(functions, methods []function) []job {
	g := newGenerator(functions, methods)
	var all []job
	for _, f := range functions {
		if f.Target {
			all = append(all, job{f.Name, func(w *writer, from int) { g.callFunction(w, f, from) }})
		}
	}
	seen := make(map[string]bool)
	for _, m := range methods {
		name, _, _ := strings.Cut(m.Name, ".")
		if m.Target && !seen[name] {
			seen[name] = true
			of := reflect.TypeOf(m.F).In(0)
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			all = append(all, job{name, func(w *writer, from int) { g.sessions(w, name, of, from) }})
		}
	}
	return all
}

// calling is when the current call began, in nanoseconds; 0 between calls.
var calling atomic.Int64

// watch ends the program if a call takes too long, or too much memory: others use the machine, too.
func watch() {
	used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(20 * time.Millisecond) {
		metrics.Read(used)
		if at := calling.Load(); at > 0 && time.Since(time.Unix(0, at)) > slow || used[0].Value.Uint64() > large {
			os.Exit(3)
		}
	}
}

// seeded is the randomness of one call.
func seeded(name string, call int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), uint64(call)))
}

// call calls f and says what became of it.
func call(f reflect.Value, args []reflect.Value) (results []reflect.Value, status string) {
	calling.Store(time.Now().UnixNano())
	defer calling.Store(0)
	return try(f, args)
}

func try(f reflect.Value, args []reflect.Value) (results []reflect.Value, status string) {
	defer func() {
		if recover() != nil {
			results, status = nil, "panic"
		}
	}()
	if f.Type().IsVariadic() {
		results = f.CallSlice(args)
	} else {
		results = f.Call(args)
	}
	for _, r := range results {
		if r.Type() == errorType && !r.IsNil() {
			return results, "error"
		}
	}
	return results, "ok"
}

var errorType = reflect.TypeFor[error]()

//go:build go1.23

// Calls calls functions of a package with generated inputs, and writes what they return. hone prove builds it in two versions
// of a module, with a list of the module's functions in place of list.go, and compares what both write.
//
//	calls FILE FIRST CALL [BASE]
//
// appends records to the file, from a call of the function with a number on. It ends with status 3 if a call takes too much time
// or memory, and prints the function's name: what starts it again leaves that one out. It ends with status 4 if no input can be made
// for a call, and says why. BASE is the file that the base wrote, for another version.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A function is one to call. That of a method has its receiver as the first parameter.
type function struct {
	Name    string // "Join", "Tree.Get"
	F       any
	Target  bool // what it returns is compared; others only make inputs
	Changed bool // it differs itself between the versions, not only what it calls
}

// A record is what became of a call.
type record struct {
	Function string
	Call     int    // its number, or one of the numbers below
	Step     int    // in a sequence of calls of methods
	Status   string // "begin", "ok", "error", "panic", "refuses" if the package itself panics, "invalid", "differs"; "left out" is never written
	Method   string `json:",omitempty"`
	In, Out  string `json:",omitempty"`
	Hash     uint64 // of In and Out before they were shortened
	Bag      uint64 // the same with lists in order: the order may be random
	// Inside has the results with fields that aren't exported, and Layout is a hash of their types: only with the same types these
	// can be compared.
	Inside string `json:",omitempty"`
	Layout uint64
}

// Numbers of calls that stand for several. But for the first and the last, a record says that it happened: the base may do so, too.
const (
	atOnce         = -1  // from several goroutines
	kept           = -2  // results that change later
	behind         = -4  // writes after the end of an argument
	argument       = -5  // an argument that changes later changes a result
	result         = -6  // a result that its owner changes changes a later one
	again          = -7  // another answer to the same input
	stale          = -8  // an old answer to another input in the same memory
	goroutinesLeft = -9  // goroutines that go on
	shared         = -10 // from several goroutines, of one value
	unfinished     = -11 // time ran out: of what didn't happen, nothing is known
	notAllLent     = -12 // the same for changes by owners
)

// Numbers with which calls begin that come after all others.
const (
	concurrent = 1000
	sharing    = 1001 // and more: one for each method
)

const (
	mostCalls    = 500
	mostSessions = 80
	steps        = 12
	slow         = time.Second // for a call
	large        = 1 << 30     // bytes in use
	shown        = 200         // bytes of an input or a result
)

// timeName is the variable of the environment with the time for all calls.
const timeName = "HONE_TIME"

// budget is for a function: calls count, and this only bounds slow ones. Many functions have less each, so that each one has some.
var budget time.Duration

func main() {
	if len(os.Args) != 4 && len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: calls FILE FIRST CALL [BASE]")
		os.Exit(2)
	}
	first, _ := strconv.Atoi(os.Args[2])
	from, _ := strconv.Atoi(os.Args[3])
	file, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if len(os.Args) == 5 {
		if baseShares, err = readShares(os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	w := &writer{out: bufio.NewWriter(file), told: make(map[told]bool)}
	go watch()
	defer func() {
		if v := recover(); v != nil { // not one of a function, which try recovers
			fmt.Fprintln(os.Stderr, v)
			os.Exit(4)
		}
	}()
	all := jobs(functions, methods)
	allTime, err := time.ParseDuration(os.Getenv(timeName))
	if err != nil {
		fmt.Fprintln(os.Stderr, timeName, err)
		os.Exit(2)
	}
	budget = max(allTime/150, allTime/time.Duration(max(15, len(all)+1)))
	for i, one := range all {
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

// baseShares are the methods that leave a value of the base as it is; nil in the base.
var baseShares map[string]bool

func readShares(name string) (map[string]bool, error) {
	text, err := os.ReadFile(name)
	all := make(map[string]bool)
	for _, line := range bytes.Split(text, []byte("\n")) {
		var r record
		if json.Unmarshal(line, &r) == nil && r.Call == shared && r.Status == "ok" {
			all[r.Function] = true
		}
	}
	return all, err
}

// A writer writes records of a job.
type writer struct {
	out  *bufio.Writer
	name string
	job  int
	told map[told]bool
}

type told struct {
	function string
	call     int
}

// begin notes a call, or a sequence of them, before it begins: it may end the program.
func (w *writer) begin(call int) {
	w.write(record{Function: w.name, Call: w.job, Step: call, Status: "begin"})
	w.out.Flush()
}

// note writes, once, that calls of a function have done something that they shouldn't.
func (w *writer) note(function string, call int, before, now string) {
	if one := (told{function, call}); !w.told[one] {
		w.told[one] = true
		w.write(record{Function: function, Call: call, Status: "differs", In: before, Out: now})
	}
}

func (w *writer) write(r record) {
	r.Hash = hash(r.In, r.Out)
	r.In, r.Out = short(r.In), short(r.Out)
	if r.Inside == r.Out || r.Layout == 0 {
		r.Inside, r.Layout = "", 0
	} else if len(r.Inside) > shown {
		r.Inside = short(r.Inside) + fmt.Sprintf(" (%x)", hash(r.Inside, ""))
	}
	text, _ := json.Marshal(r)
	w.out.Write(append(text, '\n'))
}

func hash(in, out string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(in + "\x00" + out))
	return h.Sum64()
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

// jobs are those of functions first, and of methods that changed, then those of types: there the most calls may be too large. At last come
// those that change what belongs to callers: it may be the package's.
func jobs(functions, methods []function) []job {
	g := newGenerator(functions, methods)
	var all, types, shares, lends []job
	for _, f := range functions {
		if f.Target {
			all = append(all, job{f.Name, func(w *writer, from int) { g.callFunction(w, f, from) }})
			lends = append(lends, job{f.Name, func(w *writer, from int) {
				if from <= concurrent {
					g.lendFunction(w, f)
				}
			}})
		}
	}
	seen := make(map[string]bool)
	for _, m := range methods {
		if k := reflect.TypeOf(m.F).In(0).Kind(); m.Changed && (isBasic(k) || k == reflect.Struct) { // a value is an argument as others
			all = append(all, job{m.Name, func(w *writer, from int) { g.callFunction(w, m, from) }})
		}
		name, _, _ := strings.Cut(m.Name, ".")
		if m.Target && !seen[name] {
			seen[name] = true
			of := reflect.TypeOf(m.F).In(0)
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			types = append(types, job{name, func(w *writer, from int) { g.sessions(w, name, of, from) }})
			shares = append(shares, job{name, func(w *writer, from int) { g.share(w, of, from) }})
			lends = append(lends, job{name, func(w *writer, from int) {
				if from <= concurrent {
					g.lendMethods(w, name, of)
				}
			}})
		}
	}
	return slices.Concat(all, types, shares, lends)
}

// calling is when the current call began, in nanoseconds; 0 between calls. called is the function's code.
var (
	calling atomic.Int64
	called  atomic.Uintptr
)

// named has names of functions by their code. Those of leftOut aren't called: calls of them are too large.
var (
	named   = make(map[uintptr]string)
	leftOut = make(map[uintptr]bool)
)

// small reports whether numbers of 32 bits, which are often exponents, are small: with larger ones too many calls took too long.
var small = os.Getenv("HONE_SMALL") != ""

// leftOutNames is the variable of the environment with the names of functions that aren't called, with commas between them.
const leftOutNames = "HONE_LEFT_OUT"

// register notes the name of a function's code.
func register(f function) {
	code := reflect.ValueOf(f.F).Pointer()
	named[code] = f.Name
	leftOut[code] = slices.Contains(strings.Split(os.Getenv(leftOutNames), ","), f.Name)
}

// watch ends the program if a call takes too long, or too much memory: others use the machine, too.
func watch() {
	used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(20 * time.Millisecond) {
		metrics.Read(used)
		if at := calling.Load(); at > 0 && time.Since(time.Unix(0, at)) > slow || used[0].Value.Uint64() > large {
			fmt.Fprintln(os.Stderr, named[called.Load()])
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
	called.Store(f.Pointer())
	calling.Store(time.Now().UnixNano())
	defer calling.Store(0)
	return try(f, args)
}

func try(f reflect.Value, args []reflect.Value) (results []reflect.Value, status string) {
	if leftOut[f.Pointer()] {
		return nil, "left out"
	}
	defer func() {
		if v := recover(); v != nil {
			results, status = nil, "panic"
			if _, ok := v.(runtime.Error); !ok && ownPanic() {
				status = "refuses"
			}
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

// ownPanic reports whether the package itself has called panic, in a function that is being left.
func ownPanic() bool {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for f, more := frames.Next(); more; f, more = frames.Next() {
		if f.Function == "runtime.gopanic" {
			f, _ = frames.Next()
			at := strings.LastIndex(path, "/") + 1
			return strings.HasPrefix(f.Function, path[:at]+strings.ReplaceAll(path[at:], ".", "%2e")+".")
		}
	}
	return false
}

var errorType = reflect.TypeFor[error]()

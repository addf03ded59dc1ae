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
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// callFunction calls a function many times: alone, keeping results, and from several goroutines.
func (g *generator) callFunction(w *writer, f function, from int) {
	fn := reflect.ValueOf(f.F)
	var keep keeper
	used := make(pool)
	var quiet []int // calls that succeed and leave their arguments alone
	for i, begin := from, time.Now(); i < mostCalls && time.Since(begin) < budget; i++ {
		w.begin(i)
		args, ok := g.arguments(seeded(f.Name, i), fn.Type(), 0)
		if !ok {
			w.write(record{Function: f.Name, Call: i, Status: "invalid"})
			if i == mostCalls/2 && len(quiet) == 0 {
				return
			}
			continue
		}
		if len(args) > 1 {
			used.reuse(seeded(f.Name, -i), args)
		}
		in := g.show(args)
		results, status := call(fn, args)
		r := record{Function: f.Name, Call: i, Status: status, In: in}
		if status == "ok" {
			r.Out = g.show(results)
			r.Inside, r.Layout = g.inside(results)
			if after := g.show(args); after != in {
				r.Out += changedArguments(after, len(results) == 0)
			} else if len(quiet) < 16 {
				quiet = append(quiet, i)
			}
		}
		w.write(r)
		if changed, ok := keep.changed(g, f.Name, results, status); ok {
			w.write(changed)
		}
	}
	w.begin(concurrent)
	w.write(g.concurrently(f, fn, quiet))
}

// changedArguments says that a call changes its arguments. How it leaves them counts only if it returns nothing.
func changedArguments(after string, only bool) string {
	if only {
		return "arguments become " + after
	}
	return ", and changes its arguments"
}

// A keeper keeps results.
type keeper struct {
	results [][]reflect.Value
	texts   []string
	told    bool
}

// changed keeps results, and says, once, that a call has changed earlier ones.
func (k *keeper) changed(g *generator, name string, results []reflect.Value, status string) (r record, ok bool) {
	for i, old := range k.results {
		if now := g.show(old); now != k.texts[i] && !k.told {
			k.told, ok = true, true
			r = record{Function: name, Call: kept, Status: "differs", In: k.texts[i], Out: now}
		}
	}
	if status != "ok" {
		return r, ok
	}
	if len(k.results) == 6 {
		k.results, k.texts = k.results[1:], k.texts[1:]
	}
	k.results, k.texts = append(k.results, results), append(k.texts, g.show(results))
	return r, ok
}

const (
	goroutines = 4
	repeats    = 40
)

// concurrently repeats calls from several goroutines at once.
func (g *generator) concurrently(f function, fn reflect.Value, calls []int) record {
	sets := make([][][]reflect.Value, goroutines)
	for n := range sets {
		for _, i := range calls {
			args, _ := g.arguments(seeded(f.Name, i), fn.Type(), 0)
			sets[n] = append(sets[n], args)
		}
	}
	want := make([]string, len(calls))
	for k := range calls {
		if results, status := call(fn, sets[0][k]); status == "ok" {
			want[k] = g.show(results)
		}
	}
	return atOnceRecord(f.Name, len(calls), func(n, k int) bool {
		if want[k] == "" {
			return true
		}
		results, status := try(fn, sets[n][k])
		return status == "ok" && g.show(results) == want[k]
	})
}

// atOnceRecord says whether some goroutines get from each of a number of calls what they should.
func atOnceRecord(name string, calls int, same func(goroutine, call int) bool) record {
	var different atomic.Bool
	calling.Store(time.Now().UnixNano())
	defer calling.Store(0)
	var all sync.WaitGroup
	end := time.Now().Add(budget / 4)
	for n := range goroutines {
		all.Add(1)
		go func() {
			defer all.Done()
			for r := 0; r < repeats && time.Now().Before(end); r++ {
				for j := range calls {
					if !same(n, (j+n*calls/goroutines)%calls) {
						different.Store(true)
						return
					}
				}
			}
		}()
	}
	all.Wait()
	if different.Load() {
		return record{Function: name, Call: atOnce, Status: "differs"}
	}
	return record{Function: name, Call: atOnce, Status: "ok"}
}

// sessions make values of a type, and call its methods in random orders: alone, and from several goroutines, each with its own values.
func (g *generator) sessions(w *writer, name string, base reflect.Type, from int) {
	stories := make(map[int]string)
	for i, begin := from, time.Now(); i < mostSessions && time.Since(begin) < 2*budget; i++ {
		w.begin(i)
		records := g.session(name, i, base, call)
		for _, r := range records {
			w.write(r)
		}
		if len(stories) < 8 {
			stories[i] = fmt.Sprint(records)
		}
	}
	w.begin(concurrent)
	numbers := slices.Sorted(maps.Keys(stories))
	w.write(atOnceRecord(name, len(numbers), func(_, i int) bool {
		i = numbers[i]
		own := &generator{producers: g.producers, methods: g.methods}
		return fmt.Sprint(own.session(name, i, base, try)) == stories[i]
	}))
}

// session makes a value of a type, and calls some of its methods.
func (g *generator) session(name string, i int, base reflect.Type, call func(f reflect.Value, args []reflect.Value) ([]reflect.Value, string)) (records []record) {
	r := seeded(name, i)
	v, ok := g.receiver(r, base)
	if !ok {
		return []record{{Function: name, Call: i, Status: "invalid"}}
	}
	methods := g.methods[v.Type()]
	story, used := "", make(pool)
	var keep keeper
	for step := range steps {
		m := methods[r.IntN(len(methods))]
		fn := reflect.ValueOf(m.F)
		g.panicked.Store(false)
		args, ok := g.argumentsOf(r, fn.Type(), 1, 1)
		if !ok || g.panicked.Load() {
			records = append(records, record{Function: name, Call: i, Step: step, Status: "invalid", Method: m.Name})
			continue
		}
		used.reuse(r, args)
		_, method, _ := strings.Cut(m.Name, ".")
		story += method + "(" + g.show(args) + ") "
		results, status := call(fn, append([]reflect.Value{v}, args...))
		one := record{Function: name, Call: i, Step: step, Status: status, Method: m.Name, In: story}
		if status == "ok" {
			one.Out = g.show(results)
			one.Inside, one.Layout = g.inside(results)
		}
		records = append(records, one)
		if changed, ok := keep.changed(g, name, results, status); ok {
			records = append(records, changed)
		}
		if status == "panic" {
			break
		}
	}
	return records
}

// A pool has numbers and texts of earlier calls: what was put into a value is then asked for, and one of several arguments changes.
type pool map[reflect.Type][]reflect.Value

// reuse puts earlier arguments in the place of some.
func (p pool) reuse(r *rand.Rand, args []reflect.Value) {
	for i, v := range args {
		earlier, again := p[v.Type()], r.IntN(2) == 0
		if again && len(earlier) > 0 {
			at := len(earlier) - 1 // the last call's
			if r.IntN(2) == 0 {
				at = r.IntN(len(earlier))
			}
			v = earlier[at]
			args[i] = v
		}
		if k := v.Kind(); reflect.Bool < k && k <= reflect.Float64 || k == reflect.String {
			p[v.Type()] = append(earlier, v)
		}
	}
}

// receiver makes a value of a type, or a pointer to one if that has more methods.
func (g *generator) receiver(r *rand.Rand, of reflect.Type) (reflect.Value, bool) {
	if len(g.methods[reflect.PointerTo(of)]) > 0 {
		of = reflect.PointerTo(of)
	}
	g.panicked.Store(false)
	v, ok := g.make(r, of, 0)
	if !ok || g.panicked.Load() || v.Kind() == reflect.Pointer && v.IsNil() || len(g.methods[of]) == 0 {
		return v, false
	}
	return v, true
}

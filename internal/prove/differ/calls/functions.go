//go:build go1.22

package main

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

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

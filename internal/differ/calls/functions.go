//go:build go1.23

package main

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A quiet call succeeds, and leaves its arguments alone.
type quiet struct {
	call int
	args []reflect.Value // basic ones count: others are made again
	in   string
	text string // of the results
}

const mostQuiet = 32

// callFunction calls a function many times: alone, keeping results, again, and from several goroutines.
func (g *generator) callFunction(w *writer, f function, from int) {
	fn := reflect.ValueOf(f.F)
	var keep keeper
	used := make(pool)
	var calls []quiet
	running := runtime.NumGoroutine()
	most := mostCalls
	if f.Changed {
		most *= 2
	}
	for i, begin := from, time.Now(); i < most; i++ {
		if time.Since(begin) > budget {
			w.note(f.Name, unfinished, "", "")
			break
		}
		w.begin(i)
		args, ok := g.arguments(seeded(f.Name, i), fn.Type(), 0)
		if g.lacks.Load() {
			continue
		}
		if !ok {
			w.write(record{Function: f.Name, Call: i, Status: "invalid"})
			if i == mostCalls/2 && len(calls) == 0 {
				return
			}
			continue
		}
		if len(args) > 1 {
			r := seeded(f.Name, -i)
			used.reuse(r, args)
			relate(r, args)
		}
		in, room := g.show(args), g.behind(args)
		results, status := call(fn, args)
		if status == "left out" {
			return
		}
		r := g.answer(record{Function: f.Name, Call: i, Status: status, In: in}, in, args, results)
		if status == "ok" && g.show(args) == in && (len(calls) < mostQuiet/2 || i%8 == 0 && len(calls) < mostQuiet) {
			calls = append(calls, quiet{i, args, in, g.show(results)})
		}
		w.write(r)
		if now := g.behind(args); now != room {
			w.note(f.Name, behind, room, now)
		}
		if old, now, ok := keep.changed(g, results, status); ok {
			w.note(f.Name, kept, old, now)
		}
	}
	w.begin(concurrent)
	g.callAgain(w, f, fn, calls)
	w.write(g.concurrently(f, fn, calls))
	if left := left(running); left > 0 {
		w.note(f.Name, goroutinesLeft, "", "")
	}
}

// answer fills in what a call returned, and did to arguments that were shown before.
func (g *generator) answer(r record, before string, args, results []reflect.Value) record {
	switch r.Status {
	case "ok":
		s := shower{g: g, calls: true}
		r.Out = s.list(results)
		r.Inside, r.Layout = g.inside(results)
		s = shower{g: g, sorted: true}
		r.Bag = hash(r.In, s.list(results))
		r.Out += g.heard.take(results)
		if g.show(args) != before {
			r.Out += g.changedArguments(args, results)
		}
	case "error":
		r.Out = kindsOf(results, r.Function+r.Method)
		g.heard.take(nil)
	default:
		g.heard.take(nil)
	}
	return r
}

// changedArguments says that a call changes its arguments, and how it leaves those that it is called to fill: what a slice that it also
// searches or sorts becomes is its own affair, and so is how far it reads ahead.
func (g *generator) changedArguments(args, results []reflect.Value) string {
	count, plain := -1, true
	for _, v := range results {
		switch k := v.Kind(); {
		case v.CanInt() && count < 0:
			count = int(v.Int())
		case k == reflect.Bool || v.Type() == errorType:
		default:
			plain = false
		}
	}
	s := shower{g: g}
	s.text.WriteString(", and changes its arguments")
	for _, v := range args {
		if _, reads := v.Type().MethodByName("Read"); reads {
			continue
		}
		switch v.Kind() {
		case reflect.Slice:
			switch bytes := v.Type().Elem().Kind() == reflect.Uint8; {
			case !plain, count >= 0 && !bytes:
				continue
			case count >= 0:
				v = v.Slice(0, min(count, v.Len()))
			}
		case reflect.Pointer, reflect.Map, reflect.Interface:
		default:
			continue
		}
		s.text.WriteString(" ")
		s.show(v, 0)
	}
	return s.text.String()
}

// behind shows what is in the arrays of slices after their ends.
func (g *generator) behind(args []reflect.Value) string {
	s := shower{g: g}
	for _, v := range args {
		if v.Kind() == reflect.Slice && v.Cap() > v.Len() {
			s.show(v.Slice3(0, v.Cap(), v.Cap()).Slice(v.Len(), v.Cap()), 0)
		}
	}
	return s.text.String()
}

// A keeper keeps results.
type keeper struct {
	results [][]reflect.Value
	texts   []string
}

// changed keeps results, and says that something has changed earlier ones.
func (k *keeper) changed(g *generator, results []reflect.Value, status string) (old, now string, ok bool) {
	for i, earlier := range k.results {
		if text := g.show(earlier); text != k.texts[i] {
			old, now, ok = k.texts[i], text, true
			k.texts[i] = text
		}
	}
	if status != "ok" {
		return old, now, ok
	}
	if len(k.results) == 6 {
		k.results, k.texts = k.results[1:], k.texts[1:]
	}
	k.results, k.texts = append(k.results, results), append(k.texts, g.show(results))
	return old, now, ok
}

// makeAgain makes the arguments of a call once more.
func (g *generator) makeAgain(name string, of reflect.Type, c quiet) ([]reflect.Value, bool) {
	args, ok := g.arguments(seeded(name, c.call), of, 0)
	if !ok {
		return nil, false
	}
	for i := range args {
		if isBasic(args[i].Kind()) {
			args[i] = c.args[i]
		}
	}
	return args, g.show(args) == c.in
}

func isBasic(k reflect.Kind) bool {
	return reflect.Bool <= k && k <= reflect.Complex128 || k == reflect.String
}

// callAgain repeats calls: with the same input, and with another input in the same memory. Either shows what is kept for too long.
func (g *generator) callAgain(w *writer, f function, fn reflect.Value, calls []quiet) {
	result := func(args []reflect.Value) string {
		if results, status := call(fn, args); status == "ok" {
			return g.show(results)
		}
		return ""
	}
	for _, c := range calls {
		args, ok := g.makeAgain(f.Name, fn.Type(), c)
		if !ok {
			continue
		}
		if now := result(args); now != c.text {
			w.note(f.Name, again, c.text, now)
		}
		fresh, _ := g.makeAgain(f.Name, fn.Type(), c)
		for i := range fresh {
			scribble(fresh[i], 0)
		}
		want := result(fresh)
		args, ok = g.makeAgain(f.Name, fn.Type(), c)
		if !ok || want == "" || result(args) == "" {
			continue
		}
		for i := range args {
			scribble(args[i], 0)
		}
		if now := result(args); now != want {
			w.note(f.Name, stale, want, now)
		}
	}
	g.heard.take(nil)
}

// left is how many more goroutines run than before, once they had time to end.
func left(before int) int {
	for range 100 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return runtime.NumGoroutine() - before
}

const (
	goroutines = 4
	repeats    = 40
	together   = 15 * time.Millisecond // at least: shorter ones would run one after the other
)

// concurrently repeats calls from several goroutines at once.
func (g *generator) concurrently(f function, fn reflect.Value, calls []quiet) record {
	sets := make([][][]reflect.Value, goroutines)
	want := make([]string, len(calls))
	for n := range sets {
		for k, c := range calls {
			args, ok := g.makeAgain(f.Name, fn.Type(), c)
			sets[n] = append(sets[n], args)
			if n == 0 && ok {
				if results, status := call(fn, args); status == "ok" {
					want[k] = g.show(results)
				}
			}
		}
	}
	defer g.heard.take(nil)
	return record{Function: f.Name, Call: atOnce, Status: atOnceStatus(len(calls), together, func(n, k int) bool {
		if want[k] == "" || sets[n][k] == nil {
			return true
		}
		results, status := try(fn, sets[n][k])
		return status == "ok" && g.show(results) == want[k]
	})}
}

// atOnceStatus says whether some goroutines get from each of a number of calls what they should.
func atOnceStatus(calls int, atLeast time.Duration, same func(goroutine, call int) bool) string {
	var different atomic.Bool
	calling.Store(time.Now().UnixNano())
	defer calling.Store(0)
	var all sync.WaitGroup
	begin := time.Now()
	start := make(chan struct{})
	for n := range goroutines {
		all.Add(1)
		go func() {
			defer all.Done()
			<-start
			for r := 0; (r < repeats || time.Since(begin) < atLeast) && time.Since(begin) < budget/4 && calls > 0; r++ {
				for j := range calls {
					if !same(n, (j+n*calls/goroutines)%calls) {
						different.Store(true)
						return
					}
				}
			}
		}()
	}
	close(start)
	all.Wait()
	if different.Load() {
		return "differs"
	}
	return "ok"
}

//go:build go1.22

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"
)

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

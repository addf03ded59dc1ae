//go:build go1.23

package main

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// What callbacks, readers and writers that hone makes return.
var (
	errCallback = errors.New("callback-error")
	errInput    = errors.New("reader-error")
	errOutput   = errors.New("writer-error")
)

// heard are the arguments of callbacks in a call, in order. Callbacks may run on several goroutines.
type heard struct {
	mu      sync.Mutex
	visits  strings.Builder // of callbacks that only look: how often they are called is what the function does
	answers strings.Builder // of those that say whether to go on
}

// take returns what was heard since the last time. The answers count only if the function has no other result: a search may ask
// less often.
func (h *heard) take(results []reflect.Value) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := h.visits.String()
	if len(results) == 0 || len(results) == 1 && results[0].Type() == errorType {
		text += h.answers.String()
	}
	h.visits.Reset()
	h.answers.Reset()
	return text
}

func (h *heard) add(t reflect.Type, args string) {
	to := &h.visits
	switch {
	case t.NumOut() == 0 || t.NumOut() == 1 && t.Out(0) == errorType:
	case t.NumOut() == 1 && t.Out(0).Kind() == reflect.Bool && (t.NumIn() < 2 || t.In(0) != t.In(1)): // those of two alike compare
		to = &h.answers
	default:
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if to.Len() < mostShown {
		to.WriteString(" calls f(" + args + ")")
	}
}

// makeFunc makes a function that returns what its arguments decide. There are several of each type.
func (g *generator) makeFunc(t reflect.Type, variant int) reflect.Value {
	if yields(t) {
		return g.makeSequence(t, variant)
	}
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		var results []reflect.Value
		shown := g.show(args)
		g.heard.add(t, shown)
		seed := shown + strconv.Itoa(variant)
		fails := t.NumOut() > 0 && t.Out(t.NumOut()-1) == errorType && seeded(seed, -1).IntN(8) == 0
		for i := range t.NumOut() {
			v := reflect.Zero(t.Out(i))
			if t.Out(i) != errorType {
				if made, ok := g.make(seeded(seed, i), t.Out(i), deepest); ok {
					v = made
				}
			} else if fails && i == t.NumOut()-1 {
				v = reflect.New(errorType).Elem()
				v.Set(reflect.ValueOf(errCallback))
			}
			results = append(results, v)
		}
		return results
	})
}

// yields reports whether a type is that of an iterator: func(yield func(...) bool).
func yields(t reflect.Type) bool {
	if t.NumIn() != 1 || t.NumOut() != 0 || t.In(0).Kind() != reflect.Func {
		return false
	}
	yield := t.In(0)
	return yield.NumOut() == 1 && yield.Out(0).Kind() == reflect.Bool
}

// makeSequence makes an iterator over a number of values, the same each time.
func (g *generator) makeSequence(t reflect.Type, n int) reflect.Value {
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		for i := range n {
			values, ok := g.argumentsOf(seeded(t.String(), i), t.In(0), 0, deepest-1)
			if !ok || !args[0].Call(values)[0].Bool() {
				break
			}
		}
		return nil
	})
}

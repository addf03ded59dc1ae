//go:build go1.23

package main

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
)

// A generator makes values of types: of basic kinds, what is made of them, and what the package's functions return.
type generator struct {
	producers map[reflect.Type][]reflect.Value // functions that return a type first, and at most an error second
	methods   map[reflect.Type][]function      // by receiver; those of T are also methods of *T
	lacks     atomic.Bool                      // an argument was to be made by a function that is left out
	panicked  atomic.Bool                      // in a call that should make an argument: the input isn't one that the package wants
	heard     heard                            // by callbacks
}

func newGenerator(functions, methods []function) *generator {
	g := &generator{producers: make(map[reflect.Type][]reflect.Value), methods: make(map[reflect.Type][]function)}
	for _, f := range functions {
		register(f)
		t := reflect.TypeOf(f.F)
		if n := t.NumOut(); n == 1 || n == 2 && t.Out(1) == errorType {
			g.producers[t.Out(0)] = append(g.producers[t.Out(0)], reflect.ValueOf(f.F))
		}
	}
	for _, m := range methods {
		register(m)
		of := reflect.TypeOf(m.F).In(0)
		g.methods[of] = append(g.methods[of], m)
	}
	for of, all := range g.methods {
		if of.Kind() == reflect.Pointer {
			for _, m := range g.methods[of.Elem()] {
				_, name, _ := strings.Cut(m.Name, ".")
				method, ok := of.MethodByName(name)
				if ok {
					m.F = method.Func.Interface()
					register(m)
					all = append(all, m)
				}
			}
			slices.SortFunc(all, func(a, b function) int { return strings.Compare(a.Name, b.Name) })
			g.methods[of] = all
		}
	}
	return g
}

// deepest bounds values within values.
const deepest = 4

// arguments are those of a function, unless a call that should make one panics.
func (g *generator) arguments(r *rand.Rand, of reflect.Type, depth int) ([]reflect.Value, bool) {
	if depth == 0 {
		g.panicked.Store(false)
		g.lacks.Store(false)
	}
	args, ok := g.argumentsOf(r, of, 0, depth)
	return args, ok && !g.panicked.Load() && !g.lacks.Load()
}

// argumentsOf are those from one parameter on.
func (g *generator) argumentsOf(r *rand.Rand, of reflect.Type, first, depth int) ([]reflect.Value, bool) {
	var args []reflect.Value
	for i := first; i < of.NumIn(); i++ {
		v, ok := g.make(r, of.In(i), depth)
		if !ok {
			return nil, false
		}
		args = append(args, v)
	}
	return args, true
}

// make makes a value.
func (g *generator) make(r *rand.Rand, t reflect.Type, depth int) (reflect.Value, bool) {
	if depth > deepest {
		return reflect.Zero(t), t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer
	}
	if v, ok := special(r, t); ok {
		return v, true
	}
	if nilable(t) && r.IntN(24) == 0 {
		return reflect.Zero(t), true
	}
	if len(g.producers[t]) > 0 {
		switch t.Kind() {
		case reflect.Struct, reflect.Pointer, reflect.Interface:
			return g.produce(r, t, depth) // its zero value may not be one that the package wants
		case reflect.Func: // an option
			return g.produce(r, t, depth)
		default:
			if t.PkgPath() != "" && r.IntN(2) == 0 {
				if v, ok := g.produce(r, t, depth); ok {
					return v, true
				}
			}
		}
	}
	switch t.Kind() {
	case reflect.Slice:
		return g.makeSlice(r, t, depth)
	case reflect.Array:
		v := reflect.New(t).Elem()
		for i := range t.Len() {
			e, ok := g.make(r, t.Elem(), depth+1)
			if !ok {
				return v, false
			}
			v.Index(i).Set(e)
		}
		return v, true
	case reflect.Map:
		return g.makeMap(r, t, depth)
	case reflect.Struct:
		v := reflect.New(t).Elem()
		for i := range t.NumField() {
			if t.Field(i).IsExported() && r.IntN(4) > 0 { // zero often means a default
				if f, ok := g.make(r, t.Field(i).Type, depth+1); ok {
					v.Field(i).Set(f)
				}
			}
		}
		return v, true
	case reflect.Pointer:
		e, ok := g.make(r, t.Elem(), depth+1)
		if !ok {
			return e, false
		}
		v := reflect.New(t.Elem())
		v.Elem().Set(e)
		g.fill(r, v, depth)
		return v, true
	case reflect.Func:
		return g.makeFunc(t, r.IntN(8)), true
	case reflect.Interface:
		return g.makeInterface(r, t, depth)
	}
	if t.Kind() == reflect.String && depth <= 1 && r.IntN(10) == 0 {
		v := reflect.New(t).Elem()
		v.SetString(long(r))
		return v, true
	}
	return basic(r, t)
}

// nilable reports whether callers pass nil for a type.
func nilable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Func:
		return true
	case reflect.Interface:
		return t.NumMethod() > 0 && t != reflect.TypeFor[context.Context]()
	}
	return false
}

// produce calls one of the functions that return a type, and some methods of what it returns.
func (g *generator) produce(r *rand.Rand, t reflect.Type, depth int) (reflect.Value, bool) {
	f := g.producers[t][r.IntN(len(g.producers[t]))]
	args, ok := g.arguments(r, f.Type(), depth+2)
	if !ok {
		return reflect.Value{}, false
	}
	results, status := call(f, args)
	g.note(status)
	if status != "ok" || (t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface) && results[0].IsNil() {
		return reflect.Value{}, false
	}
	g.fill(r, results[0], depth)
	return results[0], true
}

// note notes what became of a call that should make an argument.
func (g *generator) note(status string) {
	if status == "panic" {
		g.panicked.Store(true)
	}
	if status == "left out" {
		g.lacks.Store(true)
	}
}

// fill calls methods of a value, so that it isn't empty.
func (g *generator) fill(r *rand.Rand, v reflect.Value, depth int) {
	methods := g.methods[v.Type()]
	if len(methods) == 0 || depth > 1 || v.Kind() == reflect.Struct { // methods of a value leave it as it is
		return
	}
	for range r.IntN(8) {
		m := reflect.ValueOf(methods[r.IntN(len(methods))].F)
		if args, ok := g.argumentsOf(r, m.Type(), 1, depth+2); ok {
			_, status := call(m, append([]reflect.Value{v}, args...))
			g.note(status)
		}
	}
}

func (g *generator) makeSlice(r *rand.Rand, t reflect.Type, depth int) (reflect.Value, bool) {
	if r.IntN(12) == 0 {
		return reflect.Zero(t), true
	}
	if t.Elem().Kind() == reflect.Uint8 {
		return makeBytes(r, t, depth), true
	}
	n := [...]int{0, 1, 2, 3, 5, 8, 17, 40}[r.IntN(8-min(6, 2*depth))]
	if depth == 0 && r.IntN(6) == 0 {
		n = length(r, 2000)
	}
	v := reflect.MakeSlice(t, n, n+room(r))
	for i := range n {
		e, ok := g.make(r, t.Elem(), depth+1)
		if !ok {
			return v, false
		}
		v.Index(i).Set(e)
	}
	if r.IntN(2) == 0 { // many functions want their input in order
		sortValues(v)
	}
	return v, true
}

// makeBytes makes a text, or any bytes.
func makeBytes(r *rand.Rand, t reflect.Type, depth int) reflect.Value {
	b := []byte(text(r))
	if depth <= 1 && r.IntN(10) == 0 {
		b = []byte(long(r))
	}
	switch r.IntN(5) {
	case 0:
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	case 1:
		if len(b) > 0 {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
	}
	own := make([]byte, len(b), len(b)+room(r))
	copy(own, b)
	spare := own[len(own):cap(own)]
	for i := range spare {
		spare[i] = 0xa5
	}
	v := reflect.New(t).Elem()
	v.SetBytes(own)
	return v
}

// room is how much longer the array of a slice is: callers often pass a part of one.
func room(r *rand.Rand) int { return [...]int{0, 0, 1, 16}[r.IntN(4)] }

func sortValues(v reflect.Value) {
	var less func(a, b reflect.Value) bool
	switch kind := v.Type().Elem().Kind(); {
	case reflect.Int <= kind && kind <= reflect.Int64:
		less = func(a, b reflect.Value) bool { return a.Int() < b.Int() }
	case reflect.Uint <= kind && kind <= reflect.Uintptr:
		less = func(a, b reflect.Value) bool { return a.Uint() < b.Uint() }
	case kind == reflect.Float32 || kind == reflect.Float64:
		less = func(a, b reflect.Value) bool { return a.Float() < b.Float() }
	case kind == reflect.String:
		less = func(a, b reflect.Value) bool { return a.String() < b.String() }
	default:
		return
	}
	sort.SliceStable(v.Interface(), func(i, j int) bool { return less(v.Index(i), v.Index(j)) })
}

func (g *generator) makeMap(r *rand.Rand, t reflect.Type, depth int) (reflect.Value, bool) {
	if r.IntN(12) == 0 {
		return reflect.Zero(t), true
	}
	v := reflect.MakeMap(t)
	for range r.IntN(5) {
		key, ok := g.make(r, t.Key(), depth+1)
		value, valueOK := g.make(r, t.Elem(), depth+1)
		if !ok || !valueOK || !key.Comparable() {
			return v, false
		}
		v.SetMapIndex(key, value)
	}
	return v, true
}

// makeInterface makes a value of a type that has the methods.
func (g *generator) makeInterface(r *rand.Rand, t reflect.Type, depth int) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	if t.NumMethod() == 0 {
		if x := g.anything(r, depth); x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return v, true
	}
	var usual []any
	for _, x := range usualValues(r) {
		if reflect.TypeOf(x).Implements(t) {
			usual = append(usual, x)
		}
	}
	var made []reflect.Type
	for of := range g.producers {
		if of != t && of.Kind() != reflect.Interface && of.Implements(t) {
			made = append(made, of)
		}
	}
	if len(usual) > 0 && (len(made) == 0 || r.IntN(4) > 0) {
		v.Set(reflect.ValueOf(usual[r.IntN(len(usual))]))
		return v, true
	}
	if len(made) == 0 {
		return v, false
	}
	slices.SortFunc(made, func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) })
	x, ok := g.make(r, made[r.IntN(len(made))], depth+1)
	if ok {
		v.Set(x)
	}
	return v, ok
}

//go:build go1.22

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"
)

// A generator makes values of types: of basic kinds, what is made of them, and what the package's functions return.
type generator struct {
	producers map[reflect.Type][]reflect.Value // functions that return a type first, and at most an error second
	methods   map[reflect.Type][]function      // by receiver; those of T are also methods of *T
	panicked  atomic.Bool                      // in a call that should make an argument: the input isn't one that the package wants
}

func newGenerator(functions, methods []function) *generator {
	g := &generator{producers: make(map[reflect.Type][]reflect.Value), methods: make(map[reflect.Type][]function)}
	for _, f := range functions {
		t := reflect.TypeOf(f.F)
		if n := t.NumOut(); n == 1 || n == 2 && t.Out(1) == errorType {
			g.producers[t.Out(0)] = append(g.producers[t.Out(0)], reflect.ValueOf(f.F))
		}
	}
	for _, m := range methods {
		of := reflect.TypeOf(m.F).In(0)
		g.methods[of] = append(g.methods[of], m)
	}
	for of, all := range g.methods {
		if of.Kind() == reflect.Pointer {
			for _, m := range g.methods[of.Elem()] {
				_, name, _ := strings.Cut(m.Name, ".")
				method, ok := of.MethodByName(name)
				if ok {
					all = append(all, function{m.Name, method.Func.Interface(), m.Target})
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
	}
	args, ok := g.argumentsOf(r, of, 0, depth)
	return args, ok && !g.panicked.Load()
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
	if len(g.producers[t]) > 0 && (t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface) {
		return g.produce(r, t, depth) // its zero value may not be one that the package wants
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
			if t.Field(i).IsExported() {
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
		return makeFunc(g, t), true
	case reflect.Interface:
		return g.makeInterface(r, t, depth)
	}
	return basic(r, t)
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
}

// fill calls methods of a value, so that it isn't empty.
func (g *generator) fill(r *rand.Rand, v reflect.Value, depth int) {
	methods := g.methods[v.Type()]
	if len(methods) == 0 || depth > 1 {
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
		v := reflect.New(t).Elem()
		v.SetBytes([]byte(text(r)))
		return v, true
	}
	n := [...]int{0, 1, 2, 3, 5, 8, 17, 40}[r.IntN(8-min(6, 2*depth))]
	v := reflect.MakeSlice(t, n, n)
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

// makeFunc makes a function that returns what its arguments decide.
func makeFunc(g *generator, t reflect.Type) reflect.Value {
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		var results []reflect.Value
		for i := range t.NumOut() {
			v := reflect.Zero(t.Out(i))
			if t.Out(i) != errorType {
				if made, ok := g.make(seeded(g.show(args), i), t.Out(i), deepest); ok {
					v = made
				}
			}
			results = append(results, v)
		}
		return results
	})
}

// makeInterface makes a value of a type that has the methods.
func (g *generator) makeInterface(r *rand.Rand, t reflect.Type, depth int) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	if t.NumMethod() == 0 {
		if x := anything(r, depth); x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return v, true
	}
	for _, x := range []any{bytes.NewBufferString(text(r)), strings.NewReader(text(r)), sort.IntSlice{3, 1, 2}, context.Background(), errors.New("an error"), time.Duration(r.IntN(1e9))} {
		if reflect.TypeOf(x).Implements(t) {
			v.Set(reflect.ValueOf(x))
			return v, true
		}
	}
	var made []reflect.Type
	for of := range g.producers {
		if of != t && of.Kind() != reflect.Interface && of.Implements(t) {
			made = append(made, of)
		}
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

func anything(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case n == 0:
		return nil
	case n == 1:
		return r.IntN(2) == 0
	case n == 2:
		return r.IntN(1000) - 10
	case n == 3:
		return float64(r.IntN(1000)) / 8
	case n == 4 && depth < 2:
		return []any{anything(r, depth+1), anything(r, depth+1)}
	case n == 5 && depth < 2:
		return map[string]any{text(r): anything(r, depth+1)}
	case n == 6:
		return []byte(text(r))
	case n == 7:
		return int64(r.Uint64())
	}
	s := text(r)
	var document any
	if json.Unmarshal([]byte(s), &document) == nil {
		return document // tests have them as texts
	}
	return s
}

// special makes values of types of the standard library.
func special(r *rand.Rand, t reflect.Type) (reflect.Value, bool) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return reflect.ValueOf(time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()), true
	case reflect.TypeFor[time.Duration]():
		return reflect.ValueOf(time.Duration(r.Int64N(1 << r.IntN(40)))), true
	case reflect.TypeFor[*big.Int]():
		return reflect.ValueOf(new(big.Int).Lsh(big.NewInt(r.Int64()-r.Int64()), uint(r.IntN(100)))), true
	case reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(io.Reader(strings.NewReader(text(r)))), true
	}
	return reflect.Value{}, false
}

// basic makes a value of a basic kind. Sizes may be made of numbers, so most are small.
func basic(r *rand.Rand, t reflect.Type) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	switch {
	case t.Kind() == reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case v.CanInt():
		n := int64(r.IntN(100))
		switch r.IntN(8) {
		case 0:
			n = -n
		case 1:
			n = r.Int64N(1 << 16)
		case 2:
			n = []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt8, math.MaxInt16, 1 << 62}[r.IntN(8)]
		case 3:
			n = int64(r.Uint64() | 1<<62)
		case 4: // 1000 or 999: digits change there
			n = int64(math.Pow10(r.IntN(18))) - r.Int64N(2)
		}
		if t.Bits() <= 32 {
			n %= 1 << 12 // exponents and sizes
		}
		v.SetInt(n)
	case v.CanUint():
		n := uint64(r.IntN(100))
		switch r.IntN(8) {
		case 0:
			n = r.Uint64N(1 << 16)
		case 1:
			n = math.MaxUint64
		case 2, 3:
			n = r.Uint64() | 1<<62
		}
		if t.Bits() == 32 {
			n %= 1 << 20
		}
		v.SetUint(n)
	case v.CanFloat():
		f := float64(r.IntN(2000)-1000) / 16
		if r.IntN(6) == 0 {
			f = []float64{0, math.Inf(1), math.NaN(), 1e300, -1e-300, r.NormFloat64() * 1e9}[r.IntN(6)]
		}
		v.SetFloat(f)
	case v.CanComplex():
		v.SetComplex(complex(float64(r.IntN(9)), float64(r.IntN(9))))
	case t.Kind() == reflect.String:
		v.SetString(text(r))
	default:
		return v, false
	}
	return v, true
}

// text is a string: one of the package's tests, perhaps changed, or letters, or anything.
func text(r *rand.Rand) string {
	if len(texts) > 0 && r.IntN(3) > 0 {
		s := texts[r.IntN(len(texts))]
		switch r.IntN(6) {
		case 0:
			b := []byte(s)
			if len(b) > 0 {
				b[r.IntN(len(b))] = byte(r.IntN(128))
			}
			return string(b)
		case 1:
			return s[:r.IntN(len(s)+1)]
		case 2:
			return s + texts[r.IntN(len(texts))]
		case 3:
			return strings.Repeat(s, 2+r.IntN(7))
		}
		return s
	}
	var b strings.Builder
	letters := [...]string{"ab", "abcdefghijklmnopqrstuvwxyz", "0123456789.-", "aB \t\n/,;:=\"'<>&%é世\x00", "01"}[r.IntN(5)]
	if len(texts) > 0 && r.IntN(2) == 0 {
		letters = texts[r.IntN(len(texts))] + texts[r.IntN(len(texts))] // what means something to the package
	}
	runes := []rune(letters + "a")
	for range [...]int{0, 1, 2, 3, 7, 16, 33, 70}[r.IntN(8)] {
		fmt.Fprintf(&b, "%c", runes[r.IntN(len(runes))])
	}
	return b.String()
}

//go:build go1.23

package main

import (
	"math/big"
	"reflect"
	"strings"
	"time"
)

// scribble changes what a value points to, as its owner may. Methods and fields that aren't exported are left alone.
func scribble(v reflect.Value, depth int) {
	if depth > 4 || !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scribble(v.Index(i), depth+1)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			scribble(e, depth+1)
			v.SetMapIndex(k, e)
		}
	case reflect.Pointer:
		if n, ok := v.Interface().(*big.Int); ok && n != nil {
			n.Add(n, big.NewInt(1))
			return
		}
		scribble(v.Elem(), depth+1)
	case reflect.Interface:
		scribble(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i), depth+1)
			}
		}
	default:
		scribbleBasic(v)
	}
}

func scribbleBasic(v reflect.Value) {
	if !v.CanSet() {
		return
	}
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.Kind() == reflect.Uint8:
		v.SetUint(v.Uint() ^ 1) // most texts stay texts
	case v.CanUint():
		v.SetUint(v.Uint() + 1)
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	}
}

// lendFunction changes arguments and results after calls, to see whether the function has kept them or returned them.
func (g *generator) lendFunction(w *writer, f function) {
	fn := reflect.ValueOf(f.F)
	w.begin(concurrent)
	found := 0
	for i, begin := 0, time.Now(); i < mostCalls && found < mostQuiet; i++ {
		if time.Since(begin) > budget/4 {
			w.note(f.Name, notAllLent, "", "")
			break
		}
		args, ok := g.arguments(seeded(f.Name, i), fn.Type(), 0)
		if !ok {
			continue
		}
		in := g.show(args)
		results, status := call(fn, args)
		if status != "ok" || g.show(args) != in {
			continue
		}
		found++
		want := g.show(results)
		for _, v := range args {
			scribble(v, 0)
		}
		if now := g.show(results); now != want {
			w.note(f.Name, argument, want, now)
		}
		args, ok = g.arguments(seeded(f.Name, i), fn.Type(), 0)
		if !ok || g.show(args) != in {
			continue
		}
		first, status := call(fn, args)
		if want = g.show(first); status != "ok" {
			continue
		}
		for _, v := range first {
			scribble(v, 0)
		}
		if args, ok = g.arguments(seeded(f.Name, i), fn.Type(), 0); !ok || g.show(args) != in {
			continue
		}
		if second, status := call(fn, args); status != "ok" || g.show(second) != want {
			w.note(f.Name, result, want, g.show(second))
		}
	}
	g.heard.take(nil)
}

// lendMethods does the same with methods: what a sequence of calls returns must not depend on it.
func (g *generator) lendMethods(w *writer, name string, base reflect.Type) {
	w.begin(concurrent)
	begin := time.Now()
	for _, m := range g.targets(base) {
		for i := range 6 {
			if time.Since(begin) > budget {
				w.note(name, notAllLent, "", "")
				return
			}
			p := play{number: i, steps: steps, favourite: m.Name}
			want := g.session(name, base, p)
			for _, kind := range []int{argument, result} {
				p.spoil = func(args, results []reflect.Value) {
					if kind == result {
						args = results
					}
					for _, v := range args {
						scribble(v, 0)
					}
				}
				now := g.session(name, base, p)
				for k := 0; k < min(len(want), len(now)); k++ {
					if a, b := want[k], now[k]; a.Out != b.Out || a.Status != b.Status {
						_, method, _ := strings.Cut(a.Method, ".")
						w.note(m.Name, kind, method+" returns "+a.Out, method+" returns "+b.Out)
						break
					}
				}
			}
		}
	}
}

// share calls a method of one value from several goroutines, if it leaves the value as it is. Which do is decided by the base.
func (g *generator) share(w *writer, base reflect.Type, from int) {
	begin := time.Now()
	for n, m := range g.targets(base) {
		if n < from-sharing || time.Since(begin) > budget {
			continue
		}
		w.begin(sharing + n)
		if on := baseShares; on != nil && !on[m.Name] || on == nil && !g.leavesAlone(m, base) {
			continue
		}
		w.write(record{Function: m.Name, Call: shared, Status: g.shareOne(m, base)})
	}
}

// sharedCall makes a receiver and arguments: the same each time.
func (g *generator) sharedCall(m function, base reflect.Type, i, k int) (v reflect.Value, args []reflect.Value, ok bool) {
	v, ok = g.receiver(seeded(m.Name, i), base)
	if !ok {
		return v, nil, false
	}
	args, ok = g.arguments(seeded(m.Name, 1000*i+k), withoutReceiver(m), 1)
	return v, args, ok
}

// withoutReceiver is the type of a method's function without the first parameter.
func withoutReceiver(m function) reflect.Type {
	t := reflect.TypeOf(m.F)
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return reflect.FuncOf(in, out, t.IsVariadic())
}

func (g *generator) leavesAlone(m function, base reflect.Type) bool {
	calls := 0
	for i := range 4 {
		for k := range goroutines {
			v, args, ok := g.sharedCall(m, base, i, k)
			if !ok {
				continue
			}
			before, in := g.state(v), g.show(args)
			_, status := call(reflect.ValueOf(m.F), append([]reflect.Value{v}, args...))
			if len(before) >= mostShown || g.state(v) != before || g.show(args) != in {
				return false
			}
			if status == "ok" {
				calls++
			}
		}
	}
	return calls > 0
}

func (g *generator) shareOne(m function, base reflect.Type) string {
	fn := reflect.ValueOf(m.F)
	for i, begin := 0, time.Now(); i < 8 && time.Since(begin) < budget/8; i++ {
		var want [goroutines]string
		var sets [goroutines][]reflect.Value
		for k := range goroutines {
			v, args, ok := g.sharedCall(m, base, i%4, k)
			if !ok {
				continue
			}
			sets[k] = args
			if results, status := call(fn, append([]reflect.Value{v}, args...)); status == "ok" {
				want[k] = g.show(results)
			} else {
				want[k] = status
			}
			_, sets[k], _ = g.sharedCall(m, base, i%4, k)
		}
		v, _, ok := g.sharedCall(m, base, i%4, 0)
		if !ok {
			continue
		}
		status := atOnceStatus(1, together/5, func(k, _ int) bool {
			if want[k] == "" {
				return true
			}
			results, status := try(fn, append([]reflect.Value{v}, sets[k]...))
			return status != "ok" && want[k] == status || status == "ok" && g.show(results) == want[k]
		})
		if status != "ok" {
			return status
		}
	}
	return "ok"
}

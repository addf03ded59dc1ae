//go:build go1.23

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
)

// sessions make values of a type, and call its methods in random orders: alone, and from several goroutines, each with its own values.
func (g *generator) sessions(w *writer, name string, base reflect.Type, from int) {
	stories := make(map[int]string)
	running := runtime.NumGoroutine()
	for i, begin := from, time.Now(); i < mostSessions; i++ {
		if time.Since(begin) > 2*budget {
			w.note(name, unfinished, "", "")
			break
		}
		w.begin(i)
		p := play{number: i, steps: steps, w: w}
		switch i % 5 {
		case 2:
			p.steps, p.turns = 3*manySteps, true
		case 4:
			p.steps, p.bursts = manySteps, true
		}
		records := g.session(name, base, p)
		for _, r := range records {
			w.write(r)
		}
		if len(stories) < 7 {
			stories[i] = fmt.Sprint(records)
		}
	}
	w.begin(concurrent)
	numbers := slices.Sorted(maps.Keys(stories))
	w.write(record{Function: name, Call: atOnce, Status: atOnceStatus(len(numbers), together, func(_, i int) bool {
		i = numbers[i]
		own := &generator{producers: g.producers, methods: g.methods}
		return fmt.Sprint(own.session(name, base, play{number: i, steps: steps, together: true})) == stories[i]
	})})
	if left := left(running); left > 0 {
		w.note(name, goroutinesLeft, "", "")
	}
}

// A play says how a sequence of calls goes.
type play struct {
	number, steps int
	bursts        bool   // many calls of the same method after each other: what grows or splits does so late
	turns         bool   // of two methods, many calls of each in turn: what is filled, emptied in part and filled again wraps around
	favourite     string // a method that is called more often
	together      bool   // with other goroutines
	w             *writer
	// spoil is called after each call of the favourite.
	spoil func(args, results []reflect.Value)
}

const manySteps = 250

// session makes a value of a type, and calls some of its methods.
func (g *generator) session(name string, base reflect.Type, p play) (records []record) {
	i, call := p.number, call
	if p.together {
		call = try
	}
	r := seeded(name, i)
	v, ok := g.receiver(r, base)
	if g.lacks.Load() {
		return nil
	}
	if !ok {
		return []record{{Function: name, Call: i, Status: "invalid"}}
	}
	next := g.choose(r, v.Type(), p)
	var story []string
	used := make(pool)
	keep := make(map[string]*keeper)
	begin := time.Now()
	for step := range p.steps {
		if time.Since(begin) > budget/4 { // values may grow with each step
			if p.w != nil {
				p.w.note(name, unfinished, "", "")
			}
			break
		}
		if k := v.Kind(); step > 0 && (isBasic(k) || k == reflect.Struct) && r.IntN(2) == 0 { // methods leave it as it is, as a rule: another one says more
			if v, ok = g.receiver(r, base); !ok {
				return records
			}
			story = story[:0]
		}
		m := next()
		fn := reflect.ValueOf(m.F)
		g.panicked.Store(false)
		args, ok := g.argumentsOf(r, fn.Type(), 1, 1)
		if g.lacks.Load() {
			return records
		}
		if !ok || g.panicked.Load() {
			records = append(records, record{Function: name, Call: i, Step: step, Status: "invalid", Method: m.Name})
			continue
		}
		used.reuse(r, args)
		_, method, _ := strings.Cut(m.Name, ".")
		before, room := g.show(args), g.behind(args)
		if story = append(story, method+"("+before+") "); p.steps >= manySteps && len(story) > 3 {
			story = append([]string{"… "}, story[len(story)-3:]...)
		}
		results, status := call(fn, append([]reflect.Value{v}, args...))
		if status == "left out" {
			return records // what comes after it would be another answer than with it
		}
		one := g.answer(record{Function: name, Call: i, Step: step, Status: status, Method: m.Name, In: strings.Join(story, "")}, before, args, results)
		records = append(records, one)
		if p.w != nil {
			if now := g.behind(args); now != room {
				p.w.note(m.Name, behind, room, now)
			}
			if keep[m.Name] == nil {
				keep[m.Name] = new(keeper)
			}
		}
		for of, k := range keep { // one that only looks, unless it is the one that was called
			of, results, status := of, results, status
			if of != m.Name {
				results, status = nil, ""
			}
			if old, now, ok := k.changed(g, results, status); ok {
				p.w.note(of, kept, old, now)
			}
		}
		if p.spoil != nil && m.Name == p.favourite {
			p.spoil(args, results)
		}
		if status == "panic" { // one that refuses a call stays as it is
			break
		}
	}
	return records
}

// choose returns what chooses a method: half of the time one that reaches the change.
func (g *generator) choose(r *rand.Rand, of reflect.Type, p play) func() function {
	all := g.methods[of]
	var targets, changed []function
	favourite := -1
	for i, m := range all {
		if m.Target {
			targets = append(targets, m)
		}
		if m.Changed {
			changed = append(changed, m)
		}
		if m.Name == p.favourite {
			favourite = i
		}
	}
	if p.turns {
		return inTurns(r, all, targets, p.steps)
	}
	var last function
	burst := 0
	return func() function {
		if burst > 0 {
			burst--
			return last
		}
		switch {
		case favourite >= 0 && r.IntN(3) == 0:
			last = all[favourite]
		case len(changed) > 0 && r.IntN(3) == 0:
			last = changed[r.IntN(len(changed))]
		case len(targets) > 0 && r.IntN(2) == 0:
			last = targets[r.IntN(len(targets))]
		default:
			last = all[r.IntN(len(all))]
		}
		if p.bursts && r.IntN(5) == 0 {
			burst = r.IntN(60)
		}
		return last
	}
}

// inTurns returns what chooses two methods, each many times: the first more often, so that the value isn't empty after each turn of the
// second. In the second half of the steps only the second is called: what is wrong in a value may be seen only when it is emptied.
func inTurns(r *rand.Rand, all, targets []function, steps int) func() function {
	fill, empty := twoOf(r, all, targets)
	var look []function // between calls of one that doesn't say what it takes out
	if reflect.TypeOf(empty.F).NumOut() == 0 {
		look = lookers(all)
	}
	filling, left, calls := false, 0, 0
	return func() function {
		if calls++; calls == steps/2 {
			filling, left = false, steps
		}
		if r.IntN(10) == 0 { // what the two leave behind shows in others
			return all[r.IntN(len(all))]
		}
		if left > 0 {
			left--
			if !filling && left%2 == 0 && len(look) > 0 {
				return look[r.IntN(len(look))]
			}
		} else if filling, left = !filling, r.IntN(60); !filling && len(look) == 0 {
			left /= 2
		}
		if filling {
			return fill
		}
		return empty
	}
}

// fills and empties are parts of names of methods that do so.
var (
	fills   = []string{"Add", "Append", "Enqueue", "Insert", "Offer", "Push", "Put", "Set", "Store", "Write"}
	empties = []string{"Clear", "Delete", "Dequeue", "Discard", "Evict", "Next", "Poll", "Pop", "Read", "Remove", "Shift", "Take", "Trim", "Truncate"}
)

// twoOf are two methods to call in turn: most often one that fills a value and one that empties it, by their names.
func twoOf(r *rand.Rand, all, targets []function) (fill, empty function) {
	named := func(parts []string) (some []function) {
		for _, m := range all {
			if _, method, _ := strings.Cut(m.Name, "."); slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(method, part) }) {
				some = append(some, m)
			}
		}
		return some
	}
	if more, less := named(fills), named(empties); len(more) > 0 && len(less) > 0 && r.IntN(4) > 0 {
		return more[r.IntN(len(more))], less[r.IntN(len(less))]
	}
	if len(targets) > 1 && r.IntN(2) == 0 {
		all = targets
	}
	i := r.IntN(len(all))
	return all[i], all[(i+1+r.IntN(max(1, len(all)-1)))%len(all)]
}

// lookers are methods that take nothing and return something.
func lookers(all []function) (some []function) {
	for _, m := range all {
		if t := reflect.TypeOf(m.F); t.NumIn() == 1 && t.NumOut() > 0 {
			some = append(some, m)
		}
	}
	return some
}

// targets are the methods of a type that reach the change.
func (g *generator) targets(of reflect.Type) (all []function) {
	if p := reflect.PointerTo(of); len(g.methods[p]) > 0 {
		of = p
	}
	for _, m := range g.methods[of] {
		if m.Target {
			all = append(all, m)
		}
	}
	return all
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

// relate makes some lists and texts like the one before them: what compares, finds or joins two seldom meets two that have much in common.
// Some of both are long.
func relate(r *rand.Rand, args []reflect.Value) {
	for i, v := range args {
		if i == 0 || v.Type() != args[i-1].Type() || r.IntN(3) > 0 {
			continue
		}
		first := &args[i-1]
		switch {
		case isText(v.Type()):
			text := textIn(*first)
			if r.IntN(4) == 0 {
				text = long(r)
				*first = textOf(v.Type(), text)
			}
			args[i] = textOf(v.Type(), edited(r, text))
		case v.Kind() == reflect.Slice && isBasic(v.Type().Elem().Kind()):
			elements := make([]reflect.Value, first.Len())
			for at := range elements {
				elements[at] = first.Index(at)
			}
			like := reflect.MakeSlice(v.Type(), 0, len(elements)+8)
			args[i] = reflect.Append(like, edit(r, elements, func() reflect.Value {
				if v.Len() > 0 && r.IntN(2) == 0 {
					return v.Index(r.IntN(v.Len()))
				}
				other, _ := basic(r, v.Type().Elem())
				return other
			})...)
			if r.IntN(2) == 0 {
				sortValues(args[i])
			}
		}
	}
}

// isText reports whether a type is a string or bytes.
func isText(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// textIn is the text of a string or bytes.
func textIn(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	return string(v.Bytes())
}

// textOf is a text as a string or bytes, which may be of a type of the package.
func textOf(t reflect.Type, s string) reflect.Value {
	v := reflect.New(t).Elem()
	if t.Kind() == reflect.String {
		v.SetString(s)
	} else {
		v.SetBytes([]byte(s))
	}
	return v
}

// receiver makes a value of a type, or a pointer to one if that has more methods.
func (g *generator) receiver(r *rand.Rand, of reflect.Type) (reflect.Value, bool) {
	if len(g.methods[reflect.PointerTo(of)]) > 0 {
		of = reflect.PointerTo(of)
	}
	g.panicked.Store(false)
	g.lacks.Store(false)
	v, ok := g.make(r, of, 0)
	if !ok || g.lacks.Load() || g.panicked.Load() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() || len(g.methods[of]) == 0 {
		return v, false
	}
	return v, true
}

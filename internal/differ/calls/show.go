//go:build go1.23

package main

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"hash/fnv"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// show writes values so that equal texts are equal results: by what users of the package see, which is not how its types keep it.
func (g *generator) show(values []reflect.Value) string {
	s := shower{g: g}
	return s.list(values)
}

// state shows all of a value.
func (g *generator) state(v reflect.Value) string {
	s := shower{g: g, inside: true}
	s.show(v, 0)
	return s.text.String()
}

// inside shows fields that aren't exported, too, and says of which types they are. nil and empty are the same there.
func (g *generator) inside(values []reflect.Value) (text string, layout uint64) {
	s := shower{g: g, inside: true}
	for _, v := range values {
		s.show(v, 0)
		s.text.WriteString(" ")
	}
	if len(s.types) == 0 {
		return "", 0
	}
	h := fnv.New64a()
	for _, t := range s.types {
		fmt.Fprint(h, t)
		for i := range t.NumField() {
			fmt.Fprint(h, t.Field(i).Name, t.Field(i).Type)
		}
	}
	return s.text.String(), h.Sum64()
}

type shower struct {
	g      *generator
	text   strings.Builder
	at     []uintptr // pointers that it is in
	inside bool
	sorted bool           // lists are in order
	calls  bool           // functions are called
	types  []reflect.Type // of structs with fields that aren't exported
}

const (
	mostShown = 64 << 10 // bytes of a value
	mostDeep  = 8
)

func (s *shower) list(values []reflect.Value) string {
	for i, v := range values {
		if i > 0 {
			s.text.WriteString(", ")
		}
		s.show(v, 0)
	}
	return s.text.String()
}

func (s *shower) show(v reflect.Value, depth int) {
	if s.text.Len() > mostShown || depth > mostDeep {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		fmt.Fprint(&s.text, v.Bool())
	case reflect.String:
		s.text.WriteString(strconv.Quote(v.String()))
	case reflect.Float32:
		s.text.WriteString(strconv.FormatFloat(v.Float(), 'g', 5, 64))
	case reflect.Float64:
		s.text.WriteString(strconv.FormatFloat(v.Float(), 'g', 10, 64)) // sums in another order differ in the last digits
	case reflect.Slice, reflect.Array:
		s.elements(v, depth)
	case reflect.Map:
		s.mapping(v, depth)
	case reflect.Struct:
		s.structure(v, depth)
	case reflect.Pointer:
		if v.IsNil() {
			s.text.WriteString("nil")
			return
		}
		if slices.Contains(s.at, v.Pointer()) {
			s.text.WriteString("^")
			return
		}
		s.at = append(s.at, v.Pointer())
		s.text.WriteString("&")
		if !s.observed(v) {
			s.show(v.Elem(), depth+1)
		}
		s.at = s.at[:len(s.at)-1]
	case reflect.Interface:
		switch {
		case v.IsNil():
			s.text.WriteString("nil")
		case v.Type() == errorType:
			s.text.WriteString("an error") // its text is for people
		default:
			s.show(v.Elem(), depth+1)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			s.text.WriteString("nil")
		} else if v.Kind() == reflect.Func && s.calls {
			s.function(v, depth)
		} else {
			s.text.WriteString(v.Kind().String())
		}
	default:
		if v.CanInt() {
			s.text.WriteString(strconv.FormatInt(v.Int(), 10))
		} else if v.CanUint() {
			s.text.WriteString(strconv.FormatUint(v.Uint(), 10))
		} else {
			fmt.Fprint(&s.text, v.Complex())
		}
	}
}

func (s *shower) elements(v reflect.Value, depth int) {
	if v.Kind() == reflect.Slice && v.IsNil() && !s.inside {
		s.text.WriteString("nil")
		return
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		s.text.WriteString(strconv.Quote(string(v.Bytes())))
		return
	}
	s.text.WriteString("[")
	if s.sorted {
		var all []string
		for i := range v.Len() {
			one := shower{g: s.g, at: s.at, sorted: true}
			one.show(v.Index(i), depth+1)
			all = append(all, one.text.String())
		}
		slices.Sort(all)
		s.text.WriteString(strings.Join(all, " ") + "]")
		return
	}
	for i := range v.Len() {
		if i > 0 {
			s.text.WriteString(" ")
		}
		s.show(v.Index(i), depth+1)
	}
	s.text.WriteString("]")
}

func (s *shower) mapping(v reflect.Value, depth int) {
	if v.IsNil() && !s.inside {
		s.text.WriteString("nil")
		return
	}
	var entries []string
	for _, k := range v.MapKeys() {
		one := shower{g: s.g, at: s.at, inside: s.inside, sorted: s.sorted}
		one.show(k, depth+1)
		one.text.WriteString(":")
		one.show(v.MapIndex(k), depth+1)
		entries = append(entries, one.text.String())
	}
	slices.Sort(entries)
	s.text.WriteString("map[" + strings.Join(entries, " ") + "]")
}

const mostYielded = 50

// function shows what a function returns, or an iterator yields.
func (s *shower) function(v reflect.Value, depth int) {
	t := v.Type()
	if !yields(t) {
		for i := range 3 {
			args, ok := s.g.arguments(seeded("a function that was returned", i), t, 1)
			if !ok {
				break
			}
			results, status := call(v, args)
			s.text.WriteString("f(" + s.g.show(args) + ") " + status + " ")
			for _, r := range results {
				s.show(r, mostDeep-2)
				s.text.WriteString(" ")
			}
		}
		return
	}
	for _, most := range []int{mostYielded, 1} {
		var all []string
		yield := reflect.MakeFunc(t.In(0), func(args []reflect.Value) []reflect.Value {
			all = append(all, s.g.show(args))
			return []reflect.Value{reflect.ValueOf(len(all) < most).Convert(t.In(0).Out(0))}
		})
		_, status := call(v, []reflect.Value{yield})
		if s.sorted {
			slices.Sort(all)
		}
		s.text.WriteString("yields " + status + " [" + strings.Join(all, " ") + "] ")
	}
}

// kindsOf says what callers can ask of the errors among results, and how much a function has read or written before one.
func kindsOf(results []reflect.Value, name string) string {
	var all []string
	for i, v := range results {
		if v.CanInt() && i == 0 && counts().MatchString(name) {
			all = append(all, "n="+strconv.FormatInt(v.Int(), 10))
		}
		if v.Type() != errorType || v.IsNil() {
			continue
		}
		err := v.Interface().(error)
		for _, own := range []map[string]error{failures, usualErrors} {
			for name, e := range own {
				if e != nil && errors.Is(err, e) {
					all = append(all, name)
				}
			}
		}
		for ; err != nil; err = errors.Unwrap(err) {
			t := reflect.TypeOf(err)
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			if t.PkgPath() == path && token.IsExported(t.Name()) {
				all = append(all, t.Name())
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

var counts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|\.)(Read|Write|Copy)[^.]*$`) })

var usualErrors = map[string]error{
	"io.EOF": io.EOF, "io.ErrUnexpectedEOF": io.ErrUnexpectedEOF, "io.ErrShortWrite": io.ErrShortWrite, "context.Canceled": context.Canceled,
	errCallback.Error(): errCallback, errInput.Error(): errInput, errOutput.Error(): errOutput,
}

// structure shows exported fields. A type without any is shown by methods that only look.
func (s *shower) structure(v reflect.Value, depth int) {
	exported := 0
	s.text.WriteString("{")
	for i := range v.NumField() {
		if s.inside && !v.Type().Field(i).IsExported() && !slices.Contains(s.types, v.Type()) {
			s.types = append(s.types, v.Type())
		}
		if s.inside || v.Type().Field(i).IsExported() {
			exported++
			s.show(v.Field(i), depth+1)
			s.text.WriteString(" ")
		}
	}
	if exported == 0 && v.CanInterface() {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		s.observed(p)
	}
	s.text.WriteString("}")
}

// observers are names of methods that change nothing, as a rule.
var observers = []string{"String", "Len", "Size", "Bytes", "Keys", "Values", "Count"}

// observed shows what methods of a type without exported fields say.
func (s *shower) observed(v reflect.Value) bool {
	if e := v.Elem(); e.Kind() != reflect.Struct || !v.CanInterface() || hasExported(e.Type()) {
		return false
	}
	found := false
	for _, name := range observers {
		m := v.MethodByName(name)
		if !m.IsValid() || m.Type().NumIn() > 0 || m.Type().NumOut() != 1 || !s.g.mayCall(v.Type(), name) {
			continue
		}
		if results, status := try(m, nil); status == "ok" {
			found = true
			s.text.WriteString(name + "=")
			s.show(results[0], mostDeep-2)
			s.text.WriteString(" ")
		}
	}
	return found
}

func hasExported(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// mayCall reports whether a method of a type may be called: hone has listed it, or the type is one of the standard library.
func (g *generator) mayCall(of reflect.Type, name string) bool {
	if first, _, _ := strings.Cut(of.Elem().PkgPath(), "/"); !strings.Contains(first, ".") && len(g.methods[of]) == 0 {
		return true
	}
	return slices.ContainsFunc(g.methods[of], func(m function) bool { return strings.HasSuffix(m.Name, "."+name) })
}

// Compare calls functions of two packages that are the same but for what was rewritten, with
// arguments of many sizes, and prints what each call allocates where that is more after.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"
)

// A filler makes arguments of a size.
type filler struct {
	count, length int
	number        int64
	made          int
}

const alphabet = "abcdefg hij, klm/nop=qrs:tuvwx.yz-"

// text returns another text each time, as long as the others.
func (f *filler) text() string {
	var sb strings.Builder
	for i := range f.length {
		sb.WriteByte(alphabet[(i*7+f.made*5)%len(alphabet)])
	}
	f.made++
	return sb.String()
}

// fill sets a value, and what it leads to; false if it can't.
func (f *filler) fill(v reflect.Value, depth int) bool {
	if depth > 4 {
		return true
	}
	n := f.count
	if depth > 1 {
		n = min(n, 3)
	}
	lines := func() io.Reader { return strings.NewReader(strings.Repeat(f.text()+"\n", n)) }
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1700000000, 0).UTC()))
		return true
	case reflect.TypeFor[*bufio.Reader]():
		v.Set(reflect.ValueOf(bufio.NewReader(lines())))
		return true
	case reflect.TypeFor[*bufio.Scanner]():
		v.Set(reflect.ValueOf(bufio.NewScanner(lines())))
		return true
	case reflect.TypeFor[*bufio.Writer]():
		v.Set(reflect.ValueOf(bufio.NewWriter(io.Discard)))
		return true
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.count%2 == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(f.number & (1<<(v.Type().Bits()-1) - 1))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.number) & (1<<(v.Type().Bits()-1) - 1))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(f.number) * 1.37)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(f.text()))
			return true
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			if !f.fill(v.Index(i), depth+1) {
				return false
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range n {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			if !f.fill(key, depth+1) || !f.fill(value, depth+1) {
				return false
			}
			switch {
			case key.Kind() == reflect.String:
				key.SetString(fmt.Sprint(key, i))
			case key.CanInt():
				key.SetInt(int64(i))
			}
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		if path := v.Type().PkgPath(); path != "" && !strings.Contains(path, ".") {
			return true // of the standard library, whose zero values are of use
		}
		for i := range v.NumField() {
			field := v.Field(i)
			if !f.fill(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem(), depth+1) {
				return false
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return f.fill(v.Elem(), depth+1)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(f.text()))
			return true
		}
		for _, x := range []any{errors.New("an error"), new(bytes.Buffer), lines()} {
			if reflect.TypeOf(x).Implements(v.Type()) {
				v.Set(reflect.ValueOf(x))
				return true
			}
		}
		return false
	default:
		return false
	}
	return true
}

const (
	calls = 20 // whose allocations are counted together
	takes = 3  // of which the least counts, as others allocate, too
)

// measure returns what a call allocates; ok is false if nothing can be called with, or it panics.
func measure(fn reflect.Value, size filler) (objects, bytes uint64, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	call := fn.Call
	if fn.Type().IsVariadic() {
		call = fn.CallSlice
	}
	args := make([][]reflect.Value, (1+takes)*calls)
	for i := range args {
		f := size
		for j := range fn.Type().NumIn() {
			arg := reflect.New(fn.Type().In(j)).Elem()
			if !f.fill(arg, 0) {
				return 0, 0, false
			}
			args[i] = append(args[i], arg)
		}
	}
	for i := range calls {
		call(args[i])
	}
	objects, bytes = 1<<60, 1<<60
	for take := 1; take <= takes; take++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range calls {
			call(args[take*calls+i])
		}
		runtime.ReadMemStats(&after)
		objects, bytes = min(objects, after.Mallocs-before.Mallocs), min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return objects, bytes, true
}

func main() {
	before, after := functions(os.Args[1], os.Args[2])
	debug.SetGCPercent(-1)
	compared := 0
	for _, count := range []int{0, 1, 2, 3, 5, 9} {
		for _, size := range []filler{{length: 1, number: 7}, {length: 2, number: 42}, {length: 3, number: 123}, {length: 12, number: 1234}, {length: 31, number: 54321}, {length: 50, number: 300}} {
			size.count = count
			wasObjects, wasBytes, ok := measure(reflect.ValueOf(before), size)
			isObjects, isBytes, ok2 := measure(reflect.ValueOf(after), size)
			if ok != ok2 {
				fmt.Fprintf(os.Stderr, "%d of length %d: panics on one side only\n", count, size.length)
			}
			if !ok || !ok2 {
				continue
			}
			compared++
			if isObjects > wasObjects || isBytes > wasBytes {
				fmt.Fprintf(os.Stderr, "%d of length %d: %.2f objects, were %.2f; %.1f bytes, were %.1f\n", count, size.length,
					float64(isObjects)/calls, float64(wasObjects)/calls, float64(isBytes)/calls, float64(wasBytes)/calls)
			}
		}
	}
	fmt.Fprintln(os.Stderr, "compared", compared)
}

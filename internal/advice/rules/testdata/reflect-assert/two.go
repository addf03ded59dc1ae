package p

import (
	"fmt"
	"reflect"
)

func text(v reflect.Value) string {
	// want B: the panic message differs
	s, ok := v.Interface().(string) // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface reflect.unsafe_New
	if !ok {
		return ""
	}
	return s
}

func fields(v reflect.Value) (n int) {
	for i := range v.NumField() {
		// want B: the panic message differs
		if b, ok := v.Field(i).Interface().([]byte); ok { // hot: reflect.Value.Interface reflect.unsafe_New
			n += len(b)
		}
	}
	return n
}

func length(v reflect.Value) int {
	// want B: reflect.TypeAssert checks first
	if s, ok := v.Interface().(interface{ Len() int }); ok { // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface reflect.unsafe_New
		return s.Len()
	}
	return 0
}

// known is of a value that there is.
func known(n int) bool {
	// want A: reflect.TypeAssert checks first, and copies only values that have them. (end)
	_, ok := reflect.ValueOf(n).Interface().(fmt.Stringer) // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface reflect.unsafe_New
	return ok
}

package p

import (
	"fmt"
	"reflect"
)

func isError(t reflect.Type) bool {
	// want A: known to the compiler
	return t.Implements(reflect.TypeOf((*error)(nil)).Elem()) // hot: reflect.(*rtype).Elem
}

func isStringer(t reflect.Type) bool {
	// want A: known to the compiler
	return t.Implements(reflect.TypeOf((*fmt.Stringer)(nil)).Elem()) // hot: reflect.TypeOf
}

package p

import (
	"fmt"
	"reflect"
)

func isError(t reflect.Type) bool {
	// want A: type is looked up at run time The compiler knows the type
	return t.Implements(reflect.TypeOf((*error)(nil)).Elem()) // hot: reflect.(*rtype).Elem
}

func isStringer(t reflect.Type) bool {
	// want A: type is looked up at run time The compiler knows the type
	return t.Implements(reflect.TypeOf((*fmt.Stringer)(nil)).Elem()) // hot: reflect.TypeOf
}

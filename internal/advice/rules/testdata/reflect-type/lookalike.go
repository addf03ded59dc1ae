package p

import "reflect"

// What x is only the program knows.
func typeOf(x any) reflect.Type {
	return reflect.TypeOf(x) // hot: reflect.TypeOf
}

// The time is in comparing methods.
func isError(t reflect.Type) bool {
	return t.Implements(reflect.TypeOf((*error)(nil)).Elem()) // hot: reflect.(*rtype).Implements reflect.implements
}

package detour

import "reflect"

func isZero(v reflect.Value) bool {
	// want C: IsZero, Int, String, Set
	return isZeroOf(v.Interface()) // hot: reflect.Value.Interface reflect.packEface
}

func isZeroOf(v any) bool { return reflect.ValueOf(v).IsZero() }

func bools(v reflect.Value) []bool {
	// want C: make or a literal needs none
	array := reflect.New(reflect.ArrayOf(v.Len(), reflect.TypeFor[bool]())) // hot: reflect.ArrayOf
	// want C: is slow beside
	reflect.Copy(array.Elem(), v) // hot: reflect.Copy
	return array.Elem().Slice(0, v.Len()).Interface().([]bool)
}

func run(f any, n int) int {
	// want C: Assert the usual types of functions
	out := reflect.ValueOf(f).Call([]reflect.Value{reflect.ValueOf(n)}) // hot: reflect.Value.Call reflect.Value.call
	return int(out[0].Int())
}

func first(t reflect.Type) string {
	// want C: kept by reflect.Type
	return t.Field(0).Name // hot: reflect.(*rtype).Field
}

package detour

import "reflect"

func isZero(v reflect.Value) bool {
	// want C: Methods of reflect.Value such as IsZero
	return isZeroOf(v.Interface()) // hot: reflect.Value.Interface reflect.packEface
}

func isZeroOf(v any) bool { return reflect.ValueOf(v).IsZero() }

func bools(v reflect.Value) []bool {
	// want C: use make or a literal
	array := reflect.New(reflect.ArrayOf(v.Len(), reflect.TypeFor[bool]())) // hot: reflect.ArrayOf
	// want C: code works reflect.Copy is slow compared with ordinary code
	reflect.Copy(array.Elem(), v) // hot: reflect.Copy
	return array.Elem().Slice(0, v.Len()).Interface().([]bool)
}

func run(f any, n int) int {
	// want C: and copies all of them
	out := reflect.ValueOf(f).Call([]reflect.Value{reflect.ValueOf(n)}) // hot: reflect.Value.Call reflect.Value.call
	return int(out[0].Int())
}

func first(t reflect.Type) string {
	// want C: and keep what only depends on the type by reflect.Type
	return t.Field(0).Name // hot: reflect.(*rtype).Field
}

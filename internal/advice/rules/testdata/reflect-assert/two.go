package p

import "reflect"

func text(v reflect.Value) string {
	// want A: TypeAssert
	s, ok := v.Interface().(string) // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface reflect.unsafe_New
	if !ok {
		return ""
	}
	return s
}

func fields(v reflect.Value) (n int) {
	for i := range v.NumField() {
		// want A: TypeAssert
		if b, ok := v.Field(i).Interface().([]byte); ok { // hot: reflect.Value.Interface reflect.unsafe_New
			n += len(b)
		}
	}
	return n
}

func length(v reflect.Value) int {
	// want A: asks first
	if s, ok := v.Interface().(interface{ Len() int }); ok { // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface reflect.unsafe_New
		return s.Len()
	}
	return 0
}

package p

import "reflect"

func text(v reflect.Value) string {
	// want A: TypeAssert
	s, ok := v.Interface().(string) // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface
	if !ok {
		return ""
	}
	return s
}

func fields(v reflect.Value) (n int) {
	for i := range v.NumField() {
		// want A: TypeAssert
		if s, ok := v.Field(i).Interface().(interface{ Len() int }); ok { // hot: reflect.Value.Interface
			n += s.Len()
		}
	}
	return n
}

package p

import "reflect"

// It panics if the type is another, which TypeAssert doesn't.
func must(v reflect.Value) string {
	return v.Interface().(string) // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface
}

func kind(v reflect.Value) int {
	switch v.Interface().(type) { // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface
	case string:
		return 1
	}
	return 0
}

// The time is in finding the field.
func field(v reflect.Value, name string) bool {
	_, ok := v.FieldByName(name).Interface().(string) // hot: reflect.Value.FieldByName
	return ok
}

type named interface{ Name() string }

// pointer is in the interface as it is.
func pointer(v reflect.Value) string {
	if n, ok := v.Interface().(named); ok { // hot: reflect.Value.Interface reflect.valueInterface reflect.packEface
		return n.Name()
	}
	return ""
}

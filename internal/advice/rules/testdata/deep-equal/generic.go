package generic

import "reflect"

type option[T any] struct {
	value   T
	present bool
}

func (o option[T]) equal(other option[T]) bool {
	if !o.present || !other.present {
		return o.present == other.present
	}
	// want C: values of any type are compared by reflection reflect.DeepEqual compares values of the type parameter T. For numbers, strings and booleans, == of the two as any gives the same result: switch on the type first.
	return reflect.DeepEqual(o.value, other.value) // hot: reflect.DeepEqual
}

package silent

import (
	"reflect"
	"slices"
)

func compare(a, b any, ints []int, names sliceOf) bool {
	return reflect.DeepEqual(a, b) || // hot: reflect.DeepEqual
		reflect.DeepEqual(ints, names) || // hot: reflect.DeepEqual
		reflect.DeepEqual(ints, nil) || // hot: reflect.DeepEqual
		slices.Equal(ints, names) // hot: slices.Equal
}

type sliceOf []int

func constants() int {
	switch {
	case reflect.DeepEqual("a", "b"): // hot: reflect.DeepEqual
		return 1
	case reflect.DeepEqual("a", "c"): // hot: reflect.DeepEqual
		return 2
	}
	return 0
}

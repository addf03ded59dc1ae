package zero

import "reflect"

type token struct {
	secret string
	issued int64
	scope  any
	_      int
	ratio  float64
}

type grant struct {
	tokens []token
	target *token
}

func missing(t token, g *grant, names []string, n int16, ratio float64, f func(), list [2]token) bool {
	// want A: a comparison with (token{}) gives the same result
	if reflect.ValueOf(t).IsZero() { // hot: reflect.Value.IsZero
		return true
	}
	// want A: a comparison with nil gives the same result
	if !reflect.ValueOf(g.target).IsZero() && n > 3 { // hot: reflect.Value.IsZero
		return false
	}
	// want A: a comparison with nil gives the same result
	empty := reflect.ValueOf(names).IsZero() // hot: reflect.Value.IsZero
	// want A: a comparison with 0 gives the same result
	empty = empty || reflect.ValueOf(n).IsZero() // hot: reflect.Value.IsZero
	// want A: a comparison with 0 gives the same result
	empty = empty || reflect.ValueOf(ratio*2).IsZero() // hot: reflect.Value.IsZero
	// want A: a comparison with nil gives the same result
	empty = empty || reflect.ValueOf(f).IsZero() // hot: reflect.Value.IsZero
	// want A: a comparison with ([2]token{}) gives the same result
	return empty || reflect.ValueOf(list).IsZero() // hot: reflect.Value.IsZero
}

func unknown[T comparable](v any, g grant, x T, b bool) bool {
	value := reflect.ValueOf(x)
	return reflect.ValueOf(v).IsZero() || // hot: reflect.Value.IsZero
		reflect.ValueOf(g).IsZero() || // hot: reflect.Value.IsZero
		reflect.ValueOf(x).IsZero() || // hot: reflect.Value.IsZero
		reflect.ValueOf(b).IsZero() || // hot: reflect.Value.IsZero
		value.IsZero() // hot: reflect.Value.IsZero
}

package p

import "errors"

type failure struct{ code int }

func (e *failure) Error() string { return "failed" }

func conditions(err error, ok bool) int {
	var f *failure
	// want A: compiled for the type
	if errors.As(err, &f) && f.code > 3 { // hot: errors.As errors.as
		return f.code
	}
	var g *failure
	// want A: compiled for the type
	if (!errors.As(err, &g)) || ok { // hot: errors.As errors.as
		return 1
	}
	var h *failure
	if ok && errors.As(err, &h) { // hot: errors.As errors.as
		return h.code
	}
	return 0
}

func isFailure(err error) bool {
	var f *failure
	// want A: compiled for the type
	return errors.As(err, &f) // hot: errors.As errors.as
}

func code(err error) int {
	var f *failure
	// want A: compiled for the type
	found := errors.As(err, &f) // hot: errors.As errors.as
	if !found {
		return 0
	}
	return f.code
}

func others(err error) bool {
	f := &failure{}
	is := errors.As(err, &f) // hot: errors.As errors.as
	var g *failure
	if is {
		is := errors.As(err, &g) // hot: errors.As errors.as
		_ = is
	}
	var h *failure
	_ = h.code
	also := errors.As(err, &h) // hot: errors.As errors.as
	var i *failure
	self := errors.As(errors.Join(i, err), &i) // hot: errors.As errors.as
	var j *failure
	return is && also && self && g != nil && errors.As(err, &j) // hot: errors.As errors.as
}

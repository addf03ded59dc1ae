package api

import "fmt"

// A ParamError says what is wrong with a parameter of a request.
type ParamError struct {
	Param string
	Err   error
}

func (e *ParamError) Error() string { return e.Err.Error() }
func (e *ParamError) Unwrap() error { return e.Err }

func badParam(param, format string, args ...any) error {
	return &ParamError{param, fmt.Errorf(format, args...)}
}

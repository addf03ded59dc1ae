package report

import "fmt"

// ParamError says that a parameter of a request is wrong. Param has the name
// that the parameter has in the query API; see doc/reference/api.md.
type ParamError struct {
	Param string
	Err   error
}

func (e *ParamError) Error() string { return e.Param + ": " + e.Err.Error() }

func (e *ParamError) Unwrap() error { return e.Err }

func paramErrorf(param, format string, args ...any) error {
	return &ParamError{param, fmt.Errorf(format, args...)}
}

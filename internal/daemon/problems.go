package daemon

import "strings"

// Problems are errors that are told together, each on a line of its own. Never nil
// as an error: see Problems.Err.
type Problems []error

func (p Problems) Error() string {
	var all []string
	for _, err := range p {
		all = append(all, err.Error())
	}
	return strings.Join(all, "; ")
}

func (p Problems) Unwrap() []error { return p }

// Err returns nil if there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// Separate returns the errors that were joined into one.
func Separate(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, Separate(e)...)
		}
		return all
	}
	return []error{err}
}

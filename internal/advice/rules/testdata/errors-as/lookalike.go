package p

import "errors"

type notFound struct{ name string }

func (e *notFound) Error() string { return e.name }

// The variable is used after the statement.
func after(err error) string {
	var missing *notFound
	if errors.As(err, &missing) { // hot: errors.As
		err = nil
	}
	_ = err
	return missing.name
}

// The target is the caller's.
func into(err error, target **notFound) bool {
	return errors.As(err, target) // hot: errors.As
}

// It asks for an identity.
func same(err, other error) bool {
	return errors.Is(err, other) // hot: errors.Is
}
